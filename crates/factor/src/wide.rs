//! Several right-hand sides in one row, so that one reading of the factor serves them all.

use std::array::from_fn;
use std::ops::{AddAssign, Mul, SubAssign};
use stiction_numerics::Vec3;

/// `N` numbers of one row: x, y, z of N/3 systems. Each number goes through the same operations in the same order as when it is
/// solved alone, so the bits are the same.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wide<const N: usize>([f64; N]);

impl<const N: usize> Wide<N> {
    /// A row of systems that lie one after the other.
    pub(crate) fn gather(systems: &[Vec<Vec3>], row: usize) -> Self {
        Self(from_fn(|k| systems[k / 3][row][k % 3]))
    }

    /// Puts the row back.
    pub(crate) fn scatter(&self, systems: &mut [Vec<Vec3>], row: usize) {
        self.0.iter().enumerate().for_each(|(k, value)| systems[k / 3][row][k % 3] = *value);
    }
}

impl<const N: usize> Default for Wide<N> {
    fn default() -> Self {
        Self([0.0; N])
    }
}

impl<const N: usize> Mul<f64> for Wide<N> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, factor: f64) -> Self {
        Self(from_fn(|k| self.0[k] * factor))
    }
}

impl<const N: usize> AddAssign for Wide<N> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        (0..N).for_each(|k| self.0[k] += other.0[k]);
    }
}

impl<const N: usize> SubAssign for Wide<N> {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        (0..N).for_each(|k| self.0[k] -= other.0[k]);
    }
}
