//! Colours, the palette of bodies, and colour maps for scalar fields.

use crate::V3;

/// A colour in sRGB, each channel from 0 to 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Colour {
    /// Red.
    pub r: f32,
    /// Green.
    pub g: f32,
    /// Blue.
    pub b: f32,
}

impl Colour {
    /// From channels between 0 and 1.
    pub const fn new(r: f32, g: f32, b: f32) -> Colour {
        Colour { r, g, b }
    }

    /// From a number such as `0xff8800`.
    pub const fn hex(rgb: u32) -> Colour {
        Colour {
            r: (rgb >> 16 & 255) as f32 / 255.0,
            g: (rgb >> 8 & 255) as f32 / 255.0,
            b: (rgb & 255) as f32 / 255.0,
        }
    }

    /// Light intensities, in which shading adds up.
    pub(crate) fn linear(self) -> V3 {
        V3::new(self.r, self.g, self.b).map(srgb_to_linear)
    }

    /// Mixture in sRGB: `t = 0` gives `self`, `t = 1` gives `other`.
    pub fn mix(self, other: Colour, t: f32) -> Colour {
        let m = |a: f32, b: f32| a + (b - a) * t;
        Colour::new(m(self.r, other.r), m(self.g, other.g), m(self.b, other.b))
    }

    /// Eight bits a channel, rounded.
    pub fn bytes(self) -> [u8; 3] {
        [self.r, self.g, self.b].map(|c| (c.clamp(0.0, 1.0) * 255.0 + 0.5) as u8)
    }
}

/// sRGB decoding curve (IEC 61966-2-1).
pub(crate) fn srgb_to_linear(c: f32) -> f32 {
    if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
}

/// sRGB encoding curve, the inverse of [`srgb_to_linear`].
pub(crate) fn linear_to_srgb(c: f32) -> f32 {
    if c <= 0.003_130_8 { c * 12.92 } else { 1.055 * c.powf(1.0 / 2.4) - 0.055 }
}

/// Distinct, calm colours, one per body, repeating after ten.
pub fn body_colour(index: usize) -> Colour {
    const PALETTE: [u32; 10] =
        [0x4c8fc4, 0xe39a48, 0x6aab73, 0xcb6b6a, 0x9480c0, 0xc9b458, 0x54a9a4, 0xc785ac, 0x8a8f99, 0xa5775a];
    Colour::hex(PALETTE[index % PALETTE.len()])
}

/// A map from a number in [0, 1] to a colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColourMap {
    /// Dark blue over green to yellow: magnitudes.
    Sequential,
    /// Blue over pale grey to red: signed values about the middle.
    Diverging,
}

impl ColourMap {
    /// Colour at `t`, clamped to [0, 1]; a number that is not finite gives magenta.
    pub fn at(self, t: f32) -> Colour {
        const SEQUENTIAL: [u32; 6] = [0x3f489c, 0x3a76b8, 0x2fa0a2, 0x5fc078, 0xb7d65a, 0xfbe45c];
        const DIVERGING: [u32; 7] = [0x2a4fa3, 0x5b8bcb, 0xa9c6e2, 0xe6e4df, 0xecb79a, 0xd4725a, 0xa32638];
        if !t.is_finite() {
            return Colour::hex(0xff00ff);
        }
        let stops: &[u32] = match self {
            ColourMap::Sequential => &SEQUENTIAL,
            ColourMap::Diverging => &DIVERGING,
        };
        let x = t.clamp(0.0, 1.0) * (stops.len() - 1) as f32;
        let i = (x as usize).min(stops.len() - 2);
        Colour::hex(stops[i]).mix(Colour::hex(stops[i + 1]), x - i as f32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn srgb_curves_are_inverse() {
        for i in 0..=255 {
            let c = i as f32 / 255.0;
            assert!((linear_to_srgb(srgb_to_linear(c)) - c).abs() < 1e-5);
        }
    }

    #[test]
    fn sequential_map_grows_brighter() {
        let luminance = |t: f32| ColourMap::Sequential.at(t).linear().dot(&V3::new(0.2126, 0.7152, 0.0722));
        for i in 0..20 {
            assert!(luminance((i + 1) as f32 / 20.0) > luminance(i as f32 / 20.0));
        }
    }

    #[test]
    fn ends_of_maps_are_their_stops() {
        assert_eq!(ColourMap::Diverging.at(-3.0).bytes(), [0x2a, 0x4f, 0xa3]);
        assert_eq!(ColourMap::Diverging.at(1.0).bytes(), [0xa3, 0x26, 0x38]);
    }
}
