//! Colour bars.

use crate::colour::ColourMap;
use crate::font::{HEIGHT, text_width};
use crate::image::{INK, Image, PAPER};

/// A colour bar with its numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Legend {
    /// What is shown, with its unit, such as `speed [m/s]`.
    pub title: String,
    /// Value at the lower end.
    pub low: f64,
    /// Value at the upper end.
    pub high: f64,
    /// Colours.
    pub map: ColourMap,
}

/// Intervals between the numbers.
const INTERVALS: usize = 4;

impl Legend {
    /// Draws the bar in the lower left corner.
    pub(crate) fn draw(&self, image: &mut Image) {
        // smaller than captions in small pictures, which it would fill
        let s = (image.height().min(image.width()) / 300).clamp(1, 8);
        let bar = [10 * s, 84 * s];
        let labels: Vec<String> = (0..=INTERVALS)
            .map(|k| {
                number(self.low + (self.high - self.low) * k as f64 / INTERVALS as f64, self.high - self.low)
            })
            .collect();
        let widest = labels.iter().map(|l| text_width(l)).max().unwrap_or(0) * s;
        let inside = (bar[0] + 4 * s + widest).max(text_width(&self.title) * s);
        let panel = [inside + 12 * s, bar[1] + (HEIGHT + 21) * s];
        let corner = [6 * s, image.height().saturating_sub(panel[1] + 6 * s)];
        image.rectangle(corner, panel, PAPER, 0.8);
        image.text(corner[0] + 6 * s, corner[1] + 5 * s, &self.title, s, INK);
        let top = corner[1] + (HEIGHT + 13) * s;
        for row in 0..bar[1] {
            let colour = self.map.at(1.0 - (row as f32 + 0.5) / bar[1] as f32);
            image.rectangle([corner[0] + 6 * s, top + row], [bar[0], 1], colour, 1.0);
        }
        for (k, label) in labels.iter().enumerate() {
            let y = top + bar[1] - bar[1] * k / INTERVALS;
            image.rectangle([corner[0] + 6 * s + bar[0], y - s.min(y)], [2 * s, s], INK, 1.0);
            let x = corner[0] + 6 * s + bar[0] + 4 * s;
            image.text(x, y.saturating_sub(4 * s), label, s, INK);
        }
    }
}

/// A short number: as many places as the span of the bar needs, powers of ten for the very large
/// and small.
pub(crate) fn number(value: f64, span: f64) -> String {
    let scale = span.abs().max(value.abs());
    if scale == 0.0 {
        return "0".into();
    }
    if !(1e-3..1e5).contains(&scale) {
        return if value == 0.0 { "0".into() } else { format!("{value:.2e}") };
    }
    let places = (2 - span.abs().max(1e-9).log10().floor() as i32).clamp(0, 6) as usize;
    let text = format!("{value:.places$}");
    // "-0.00" reads as a mistake
    if text.trim_start_matches(['-', '0', '.']).is_empty() {
        text.trim_start_matches('-').into()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::colour::Colour;

    #[test]
    fn numbers_are_short() {
        assert_eq!(number(0.25, 1.0), "0.25");
        assert_eq!(number(12.5, 50.0), "12.5");
        assert_eq!(number(2.5e6, 1e7), "2.50e6");
        assert_eq!(number(-1e-12, 1.0), "0.00");
        assert_eq!(number(0.0, 0.0), "0");
    }

    #[test]
    fn title_and_bar_are_in_the_picture() {
        let legend =
            |title: &str| Legend { title: title.into(), low: 0.0, high: 1.0, map: ColourMap::Sequential };
        let draw = |l: &Legend| {
            let mut image = Image::new(320, 240, Colour::new(1.0, 1.0, 1.0));
            l.draw(&mut image);
            image
        };
        let speed = draw(&legend("speed [m/s]"));
        assert_ne!(speed, draw(&legend("depth [m/s]")));
        let ink = speed.bytes().chunks(3).filter(|p| *p == INK.bytes()).count();
        let points = |text: &str| {
            text.chars()
                .map(|c| (0..48).filter(|i| crate::font::inked(c, i % 6, i / 6)).count())
                .sum::<usize>()
        };
        let letters = points("speed [m/s]") + points("0.000.250.500.751.00");
        assert_eq!(ink, letters + 5 * 2, "letters and five ticks of two pixels");
        let top = ColourMap::Sequential.at(1.0 - 0.5 / 84.0).bytes();
        assert!(speed.bytes().chunks(3).filter(|p| *p == top).count() >= 10);
    }
}
