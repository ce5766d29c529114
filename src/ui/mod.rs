//! The window face.
