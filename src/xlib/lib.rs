//! Finds the XCB connection of an Xlib display, when it is asked to.
//!
//! The crate of this name loads libX11 and six more libraries before `main`, to learn X's
//! default error handler: half of the time that `ferry copy` of a few files took, although
//! no window was wanted. softbuffer needs one function of it, and winit, which makes the
//! display, has loaded the libraries by then and sets the error handler itself.

use std::ffi::c_void;
use std::mem::ManuallyDrop;

use as_raw_xcb_connection::{AsRawXcbConnection, xcb_connection_t};
use x11_dl::xlib_xcb::Xlib_xcb;

/// A display that somebody else has opened.
pub struct Display(*mut c_void);

impl Display {
    /// The display at this address, left open when the value is dropped.
    ///
    /// # Safety
    /// It is an open Xlib `Display`, and stays so as long as the value lives.
    pub unsafe fn from_ptr(display: *mut c_void) -> ManuallyDrop<Display> {
        ManuallyDrop::new(Display(display))
    }
}

// SAFETY: the connection lives as long as the display that it belongs to.
unsafe impl AsRawXcbConnection for Display {
    /// # Panics
    /// Where there is no libX11-xcb; winit would not have made a display without it.
    fn as_raw_xcb_connection(&self) -> *mut xcb_connection_t {
        let library = Xlib_xcb::open().expect("a display was opened by way of libX11-xcb");
        // SAFETY: a valid display, by the promise of `from_ptr`.
        unsafe { (library.XGetXCBConnection)(self.0.cast()).cast() }
    }
}
