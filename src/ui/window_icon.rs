//! The window's icon, drawn from the application's one SVG.

use iced::advanced::renderer::Headless;
use iced::advanced::{Renderer as _, svg};
use iced::futures::FutureExt;
use iced::{Color, Font, Rectangle, Renderer, Size, window};

const DRAWING: &[u8] = include_bytes!("../../assets/icon/org.ferrycopier.Ferry.svg");
/// The icon's side in pixels: what task bars and title bars scale down from.
const SIDE: u32 = 64;

/// The icon; `None` when it cannot be drawn, and then the desktop shows one of its own.
pub fn icon() -> Option<window::Icon> {
    let renderer = <Renderer as Headless>::new(Font::DEFAULT, super::theme::TEXT.into(), None);
    // The software renderer has nothing to wait for.
    let mut renderer = renderer.now_or_never()??;
    let bounds = Rectangle::with_size(Size::new(SIDE as f32, SIDE as f32));
    renderer.reset(bounds);
    let drawing = svg::Svg::new(svg::Handle::from_memory(DRAWING));
    svg::Renderer::draw_svg(&mut renderer, drawing, bounds, bounds);
    let pixels = renderer.screenshot(Size::new(SIDE, SIDE), 1.0, Color::TRANSPARENT);
    window::icon::from_rgba(pixels, SIDE, SIDE).ok()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_icon_is_drawn_with_clear_corners() {
        let (pixels, size) = super::icon().expect("an icon").into_raw();
        assert_eq!((size.width, size.height), (64, 64));
        assert_eq!(pixels[3], 0, "the corner is clear");
        let middle = (32 * 64 + 8) * 4;
        assert_eq!(pixels[middle + 3], 255, "the middle is not");
    }
}
