//! Contact sheets: several pictures with captions in one.

use crate::colour::Colour;
use crate::error::RenderError;
use crate::font::{HEIGHT, text_width};
use crate::image::{INK, Image};

/// Space between pictures [pixels].
const GAP: usize = 8;

/// A number of columns that makes the sheet about as wide as a screen.
pub fn default_columns(count: usize) -> usize {
    match count {
        0..=3 => count.max(1),
        4 => 2,
        _ => (count as f64).sqrt().ceil() as usize,
    }
}

/// Lays pictures of one size out in rows, each with its caption below (missing captions are blank).
pub fn contact_sheet(images: &[Image], columns: usize, captions: &[String]) -> Result<Image, RenderError> {
    let Some(first) = images.first() else {
        return Err(RenderError::BadSheet("no pictures given".into()));
    };
    let size = [first.width(), first.height()];
    if let Some(i) = images.iter().position(|p| [p.width(), p.height()] != size) {
        let text = format!("picture {i} is not {} x {} like the first", size[0], size[1]);
        return Err(RenderError::BadSheet(text));
    }
    if columns == 0 {
        return Err(RenderError::BadSheet("needs at least one column".into()));
    }
    let columns = columns.min(images.len());
    let scale = first.lettering_scale();
    let strip = if captions.is_empty() { 0 } else { (HEIGHT + 4) * scale };
    let cell = [size[0] + GAP, size[1] + strip + GAP];
    let rows = images.len().div_ceil(columns);
    let mut sheet = Image::new(columns * cell[0] + GAP, rows * cell[1] + GAP, Colour::hex(0xffffff));
    for (i, image) in images.iter().enumerate() {
        let (x, y) = (GAP + i % columns * cell[0], GAP + i / columns * cell[1]);
        sheet.paste(image, x, y);
        let caption = captions.get(i).map_or("", String::as_str);
        let indent = size[0].saturating_sub(text_width(caption) * scale) / 2;
        sheet.text(x + indent, y + size[1] + 3 * scale, caption, scale, INK);
    }
    Ok(sheet)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_pictures_and_captions() {
        let grey = |v: f32| Image::new(40, 20, Colour::new(v, v, v));
        let images = [grey(0.2), grey(0.4), grey(0.6)];
        let captions = ["a".to_string(), "b".into(), "c".into()];
        let sheet = contact_sheet(&images, 2, &captions).unwrap();
        assert_eq!((sheet.width(), sheet.height()), (2 * 48 + 8, 2 * (20 + 12 + 8) + 8));
        assert_eq!(sheet.pixel(8, 8), images[0].pixel(0, 0));
        assert_eq!(sheet.pixel(56 + 39, 27), images[1].pixel(39, 19));
        assert_eq!(sheet.pixel(8, 48), images[2].pixel(0, 0));
        let ink = |y: usize| (0..sheet.width()).filter(|&x| sheet.pixel(x, y) == INK.bytes()).count();
        assert!((28..40).map(ink).sum::<usize>() > 10);
    }

    #[test]
    fn refuses_nothing_and_mixed_sizes() {
        let white = Colour::new(1.0, 1.0, 1.0);
        assert!(contact_sheet(&[], 2, &[]).is_err());
        let mixed = [Image::new(4, 4, white), Image::new(5, 4, white)];
        assert!(contact_sheet(&mixed, 2, &[]).unwrap_err().to_string().contains("picture 1"));
    }
}
