//! Several right-hand sides in one row, so that one reading of the factor serves them all.

use std::array::from_fn;
use std::ops::{AddAssign, Mul, SubAssign};
use stiction_numerics::{Lanes, Vec3};

/// `4 N` numbers of one row: x, y, z of the systems one after the other, then zeros. Each number
/// goes through the same operations in the same order as when it is solved alone, so the bits are
/// the same.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wide<const N: usize>([Lanes; N]);

impl<const N: usize> Wide<N> {
    /// A row of some systems.
    pub(crate) fn gather(systems: &[Vec<Vec3>], row: usize) -> Self {
        Self(from_fn(|m| {
            Lanes::from_fn(|k| {
                systems.get((4 * m + k) / 3).map_or(0.0, |system| system[row][(4 * m + k) % 3])
            })
        }))
    }

    /// Puts the row back.
    pub(crate) fn scatter(&self, systems: &mut [Vec<Vec3>], row: usize) {
        for (k, system) in systems.iter_mut().enumerate() {
            system[row] = Vec3::from_fn(|r, _| self.0[(3 * k + r) / 4].0[(3 * k + r) % 4]);
        }
    }
}

impl<const N: usize> Default for Wide<N> {
    #[inline(always)]
    fn default() -> Self {
        Self([Lanes::default(); N])
    }
}

impl<const N: usize> Mul<f64> for Wide<N> {
    type Output = Self;

    #[inline(always)]
    fn mul(mut self, factor: f64) -> Self {
        (0..N).for_each(|m| self.0[m] = self.0[m] * factor);
        self
    }
}

impl<const N: usize> AddAssign for Wide<N> {
    #[inline(always)]
    fn add_assign(&mut self, other: Self) {
        (0..N).for_each(|m| self.0[m] += other.0[m]);
    }
}

impl<const N: usize> SubAssign for Wide<N> {
    #[inline(always)]
    fn sub_assign(&mut self, other: Self) {
        (0..N).for_each(|m| self.0[m] -= other.0[m]);
    }
}
