//! Pictures in memory and lettering on them.

use rayon::prelude::*;

use crate::colour::Colour;
use crate::font::{ADVANCE, HEIGHT, inked, text_width};

/// Ink of captions and legends.
pub(crate) const INK: Colour = Colour::hex(0x2b3138);
/// Paper behind captions.
pub(crate) const PAPER: Colour = Colour::hex(0xf8f9fa);

/// An RGB picture, eight bits a channel, rows from top to bottom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    width: usize,
    height: usize,
    data: Vec<u8>,
}

impl Image {
    /// A picture of one colour.
    pub fn new(width: usize, height: usize, colour: Colour) -> Image {
        Image { width, height, data: colour.bytes().repeat(width * height) }
    }

    /// Width [pixels].
    pub fn width(&self) -> usize {
        self.width
    }

    /// Height [pixels].
    pub fn height(&self) -> usize {
        self.height
    }

    /// All bytes, three per pixel.
    pub fn bytes(&self) -> &[u8] {
        &self.data
    }

    /// Red, green and blue of a pixel. Panics outside the picture.
    pub fn pixel(&self, x: usize, y: usize) -> [u8; 3] {
        assert!(x < self.width && y < self.height, "pixel ({x}, {y}) is outside the picture");
        let i = 3 * (y * self.width + x);
        [self.data[i], self.data[i + 1], self.data[i + 2]]
    }

    pub(crate) fn rows_mut(&mut self) -> rayon::slice::ChunksExactMut<'_, u8> {
        self.data.par_chunks_exact_mut(3 * self.width)
    }

    /// Size of lettering that suits the picture: pixels per font point.
    pub(crate) fn lettering_scale(&self) -> usize {
        ((self.height.min(self.width) + 480) / 450).clamp(1, 8)
    }

    /// Mixes a colour into a pixel; outside the picture nothing happens.
    pub(crate) fn blend(&mut self, x: usize, y: usize, colour: Colour, opacity: f32) {
        if x >= self.width || y >= self.height {
            return;
        }
        let i = 3 * (y * self.width + x);
        for (k, c) in colour.bytes().into_iter().enumerate() {
            let old = self.data[i + k] as f32;
            self.data[i + k] = (old + (c as f32 - old) * opacity + 0.5) as u8;
        }
    }

    /// Fills a rectangle.
    pub(crate) fn rectangle(&mut self, [x, y]: [usize; 2], size: [usize; 2], colour: Colour, opacity: f32) {
        for v in y..(y + size[1]).min(self.height) {
            for u in x..(x + size[0]).min(self.width) {
                self.blend(u, v, colour, opacity);
            }
        }
    }

    /// Writes a line of text with its upper left corner at (x, y); `scale` pixels per font point.
    pub(crate) fn text(&mut self, x: usize, y: usize, text: &str, scale: usize, colour: Colour) {
        for (i, letter) in text.chars().enumerate() {
            for row in 0..HEIGHT {
                for column in (0..ADVANCE).filter(|&c| inked(letter, c, row)) {
                    let corner = [x + (i * ADVANCE + column) * scale, y + row * scale];
                    self.rectangle(corner, [scale; 2], colour, 1.0);
                }
            }
        }
    }

    /// Text on a pale panel.
    pub(crate) fn text_panel(&mut self, x: usize, y: usize, text: &str, scale: usize) {
        let pad = 3 * scale;
        let size = [text_width(text) * scale + 2 * pad, HEIGHT * scale + 2 * pad - scale];
        self.rectangle([x, y], size, PAPER, 0.8);
        self.text(x + pad, y + pad, text, scale, INK);
    }

    /// Copies another picture in, cut at the border.
    pub(crate) fn paste(&mut self, other: &Image, x: usize, y: usize) {
        let columns = other.width.min(self.width.saturating_sub(x));
        for row in 0..other.height.min(self.height.saturating_sub(y)) {
            let (to, from) = (3 * ((y + row) * self.width + x), 3 * row * other.width);
            self.data[to..to + 3 * columns].copy_from_slice(&other.data[from..from + 3 * columns]);
        }
    }
}
