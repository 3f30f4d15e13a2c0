//! A row of a product with blocks in single precision, several numbers at a time.
//!
//! A block B stands column after column. `B x` is a sum of columns; `Bᵀ x` would be three sums
//! along columns, which are left open until the row is done: all of them are then sums of vectors
//! without a shuffle per block.

use super::single::SingleBlock;
use crate::lanes::Lanes;
use crate::types::Vec3;

/// Sums of a row; the fourth lane means nothing.
#[derive(Clone, Copy, Default)]
pub(super) struct RowProduct {
    columns: Lanes,
    /// Terms of the three sums along columns.
    along: [Lanes; 3],
}

impl RowProduct {
    /// Adds `B x`.
    #[inline(always)]
    pub(super) fn add(&mut self, block: &SingleBlock, x: &Vec3) {
        let [a, b, c] = columns(block);
        self.columns += a * x.x + b * x.y + c * x.z;
    }

    /// Adds `Bᵀ x`.
    #[inline(always)]
    pub(super) fn add_transposed(&mut self, block: &SingleBlock, x: &Vec3) {
        let x = Lanes([x.x, x.y, x.z, 0.0]);
        let [a, b, c] = columns(block);
        self.along[0] += a * x;
        self.along[1] += b * x;
        self.along[2] += c * x;
    }

    /// The row.
    #[inline(always)]
    pub(super) fn sum(self) -> Vec3 {
        let [x, y, z, _] = self.columns.0;
        let [a, b, c] = self.along.map(|Lanes([x, y, z, _])| x + y + z);
        Vec3::new(x + a, y + b, z + c)
    }
}

/// Columns with a lane of whatever follows.
#[inline(always)]
fn columns(block: &SingleBlock) -> [Lanes; 3] {
    let b = block.map(f64::from);
    [Lanes([b[0], b[1], b[2], b[3]]), Lanes([b[3], b[4], b[5], b[6]]), Lanes([b[6], b[7], b[8], 0.0])]
}
