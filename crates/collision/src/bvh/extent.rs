//! What a tree compares: boxes at one time, or boxes at both ends of a motion.

/// A volume that a tree can hold.
pub trait Extent: Copy + Send + Sync {
    /// Contains nothing; the neutral element of [`Extent::union`].
    const EMPTY: Self;

    /// The smallest one around both.
    fn union(&self, other: &Self) -> Self;

    /// Whether what is in one may meet what is in the other.
    fn overlaps(&self, other: &Self) -> bool;

    /// Half the surface area, the usual measure of the cost of a visit.
    fn half_area(&self) -> f64;
}

/// An axis-aligned box in shifted, rounded coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Box32 {
    /// Lower corner.
    pub lo: [f32; 3],
    /// Upper corner.
    pub hi: [f32; 3],
}

impl Extent for Box32 {
    const EMPTY: Self = Self { lo: [f32::INFINITY; 3], hi: [f32::NEG_INFINITY; 3] };

    #[inline(always)]
    fn union(&self, other: &Self) -> Self {
        // plain comparisons compile to packed min/max; f32::min would also guard against NaN
        let min = |a: f32, b: f32| if a < b { a } else { b };
        let max = |a: f32, b: f32| if a > b { a } else { b };
        Self {
            lo: [min(self.lo[0], other.lo[0]), min(self.lo[1], other.lo[1]), min(self.lo[2], other.lo[2])],
            hi: [max(self.hi[0], other.hi[0]), max(self.hi[1], other.hi[1]), max(self.hi[2], other.hi[2])],
        }
    }

    /// Whether the closed boxes share a point. Branch-free: the outcome of single axes is not
    /// predictable.
    #[inline(always)]
    fn overlaps(&self, other: &Self) -> bool {
        (self.lo[0] <= other.hi[0])
            & (self.lo[1] <= other.hi[1])
            & (self.lo[2] <= other.hi[2])
            & (other.lo[0] <= self.hi[0])
            & (other.lo[1] <= self.hi[1])
            & (other.lo[2] <= self.hi[2])
    }

    #[inline]
    fn half_area(&self) -> f64 {
        let side = |k: usize| f64::from(self.hi[k] - self.lo[k]).max(0.0);
        side(0) * side(1) + side(1) * side(2) + side(2) * side(0)
    }
}

/// Boxes of a thing at the start and at the end of a motion along straight lines.
///
/// The bounds of two hulls whose corners move straight are linear in time, so an axis along which
/// one is above the other at both ends keeps them apart all the way. Unlike one box around the
/// whole motion this does not see what both have in common: hair that is carried along together
/// stays as far apart as it was.
///
/// The fourth number of each row is padding, so that a comparison of rows is one instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, align(16))]
pub struct MovingBox {
    /// Lower corners at the start and at the end.
    lo: [[f32; 4]; 2],
    /// Upper corners.
    hi: [[f32; 4]; 2],
}

impl MovingBox {
    /// From the boxes at both ends.
    #[inline]
    pub fn new(start: &Box32, end: &Box32) -> MovingBox {
        let row = |[x, y, z]: [f32; 3]| [x, y, z, 0.0];
        MovingBox { lo: [row(start.lo), row(end.lo)], hi: [row(start.hi), row(end.hi)] }
    }
}

impl Extent for MovingBox {
    const EMPTY: Self = Self { lo: [[f32::INFINITY; 4]; 2], hi: [[f32::NEG_INFINITY; 4]; 2] };

    #[inline(always)]
    fn union(&self, other: &Self) -> Self {
        let mut out = *self;
        for end in 0..2 {
            for k in 0..4 {
                let (lo, hi) = (other.lo[end][k], other.hi[end][k]);
                out.lo[end][k] = if lo < out.lo[end][k] { lo } else { out.lo[end][k] };
                out.hi[end][k] = if hi > out.hi[end][k] { hi } else { out.hi[end][k] };
            }
        }
        out
    }

    #[inline(always)]
    fn overlaps(&self, other: &Self) -> bool {
        let mut apart = [false; 4];
        for (k, apart) in apart.iter_mut().enumerate() {
            let above = (self.lo[0][k] > other.hi[0][k]) & (self.lo[1][k] > other.hi[1][k]);
            let below = (other.lo[0][k] > self.hi[0][k]) & (other.lo[1][k] > self.hi[1][k]);
            *apart = above | below;
        }
        !(apart[0] | apart[1] | apart[2] | apart[3])
    }

    #[inline]
    fn half_area(&self) -> f64 {
        let area = |end: usize| {
            let side = |k: usize| f64::from(self.hi[end][k] - self.lo[end][k]).max(0.0);
            side(0) * side(1) + side(1) * side(2) + side(2) * side(0)
        };
        area(0) + area(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(x: f32) -> Box32 {
        Box32 { lo: [x, 0.0, 0.0], hi: [x + 1.0, 1.0, 1.0] }
    }

    #[test]
    fn what_moves_alike_stays_apart_and_what_changes_sides_meets() {
        let moving = |a: f32, b: f32| MovingBox::new(&at(a), &at(b));
        assert!(!moving(0.0, 10.0).overlaps(&moving(1.5, 11.5)));
        assert!(moving(0.0, 10.0).overlaps(&moving(1.5, 8.5)), "one overtakes the other");
        assert!(moving(0.0, 10.0).overlaps(&moving(1.0, 20.0)), "they touch at the start");
        assert!(moving(0.0, 10.0).overlaps(&moving(5.0, 11.0)), "and at the end");
        assert!(!moving(0.0, 0.0).overlaps(&MovingBox::EMPTY));
    }
}
