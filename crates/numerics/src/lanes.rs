//! Four numbers side by side, and the part of the processor that works on them.
//!
//! The programs are built for every 64-bit processor of their family, so that the compiler takes
//! vectors of two numbers.
//! [`vectorised`] compiles the work it is given a second time for vectors of four and chooses when
//! it runs. Nothing is fused or reordered on the way, so both give the same bits.

#![allow(unsafe_code)]

use std::array::from_fn;
use std::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

/// Four numbers that go through the same operations: four problems, or x, y, z and padding.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(32))]
pub struct Lanes(pub [f64; 4]);

impl Lanes {
    /// Number of lanes.
    pub const COUNT: usize = 4;

    /// The same number in every lane.
    #[inline(always)]
    pub fn splat(value: f64) -> Self {
        Self([value; 4])
    }

    /// One value per lane.
    #[inline(always)]
    pub fn from_fn(value: impl FnMut(usize) -> f64) -> Self {
        Self(from_fn(value))
    }

    /// Square roots.
    #[inline(always)]
    pub fn sqrt(self) -> Self {
        Self(self.0.map(f64::sqrt))
    }

    /// The larger of both, lane by lane; NaN of `self` gives `other`.
    #[inline(always)]
    pub fn max(self, other: Self) -> Self {
        Self(from_fn(|k| if self.0[k] > other.0[k] { self.0[k] } else { other.0[k] }))
    }

    /// The smaller of both, lane by lane; NaN of `self` gives `other`.
    #[inline(always)]
    pub fn min(self, other: Self) -> Self {
        Self(from_fn(|k| if self.0[k] < other.0[k] { self.0[k] } else { other.0[k] }))
    }

    /// Which lanes are above those of another; false for NaN.
    #[inline(always)]
    pub fn above(self, other: Self) -> [bool; 4] {
        from_fn(|k| self.0[k] > other.0[k])
    }

    /// Lanes of `self` where the mask is set, else those of `other`.
    #[inline(always)]
    pub fn select(self, mask: [bool; 4], other: Self) -> Self {
        Self(from_fn(|k| if mask[k] { self.0[k] } else { other.0[k] }))
    }
}

macro_rules! lane_operator {
    ($trait:ident, $method:ident, $symbol:tt) => {
        impl $trait for Lanes {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Self(from_fn(|k| self.0[k] $symbol other.0[k]))
            }
        }
    };
}
lane_operator!(Add, add, +);
lane_operator!(Sub, sub, -);
lane_operator!(Mul, mul, *);
lane_operator!(Div, div, /);

impl Mul<f64> for Lanes {
    type Output = Self;
    #[inline(always)]
    fn mul(self, factor: f64) -> Self {
        Self(from_fn(|k| self.0[k] * factor))
    }
}

impl Neg for Lanes {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Self(self.0.map(|value| -value))
    }
}

impl AddAssign for Lanes {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl SubAssign for Lanes {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        *self = *self - other;
    }
}

/// Work that [`vectorised`] compiles twice. Mark `run` and what it calls `#[inline(always)]`: only
/// what is inlined is compiled again.
pub trait VectorWork {
    /// What it gives.
    type Output;
    /// Does it.
    fn run(self) -> Self::Output;
}

/// Does the work with the widest vectors that the processor has.
#[inline]
pub fn vectorised<W: VectorWork>(work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        // SAFETY: the line above found the instructions.
        return unsafe { run_avx2(work) };
    }
    work.run()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_avx2<W: VectorWork>(work: W) -> W::Output {
    work.run()
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sum<'a>(&'a [Lanes]);

    impl VectorWork for Sum<'_> {
        type Output = Lanes;
        #[inline(always)]
        fn run(self) -> Lanes {
            self.0.iter().fold(Lanes::default(), |sum, x| sum + *x * *x / (*x + Lanes::splat(1.0)).sqrt())
        }
    }

    #[test]
    fn wide_vectors_give_the_same_bits() {
        let values: Vec<Lanes> =
            (0..1000).map(|i| Lanes::from_fn(|k| (i as f64 + 0.3 * k as f64).sin() + 1.5)).collect();
        assert_eq!(vectorised(Sum(&values)), Sum(&values).run());
    }

    #[test]
    fn lanes_are_chosen_one_by_one() {
        let (a, b) = (Lanes([1.0, -2.0, f64::NAN, 4.0]), Lanes([0.0, 3.0, 5.0, 4.0]));
        assert_eq!(a.above(b), [true, false, false, false]);
        assert_eq!(a.max(b), Lanes([1.0, 3.0, 5.0, 4.0]));
        assert_eq!(a.min(b), Lanes([0.0, -2.0, 5.0, 4.0]));
        assert_eq!(b.select([true, false, true, true], -b), Lanes([0.0, -3.0, 5.0, 4.0]));
    }
}
