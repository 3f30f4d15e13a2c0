//! Values of a symmetric block matrix in single precision, for the products of conjugate gradients.
//!
//! A product reads the matrix once and does little with it: beyond the caches its time is the
//! number of bytes. Blocks above the diagonal are kept as `f32`, the diagonal, vectors and sums as
//! `f64`: 36 bytes a block instead of 72, in memory and in a product.
//!
//! Why this is sound. With u = 2⁻²⁴ a block becomes `K̃_ij = K_ij + E_ij`, |E_ij| ≤ u |K_ij| per
//! addition. Rounding alone would add spurious forces u |K| to a body that only moves along, where
//! inertia M/h² is all there is; stiff matrices would become indefinite. So what rounding takes off
//! a block goes to diagonal blocks at once. Shared by both its rows, `D̃_i = D_i − S_ij` and
//! `D̃_j = D_j − S_ij` with `E = S + W`, S symmetric, W skew, it changes the form by
//! `xᵀ(K̃ − K)x = −Σ_{i<j} (δᵀ S_ij δ + 2 x_iᵀ W_ij δ)`, δ = x_i − x_j; where only its own row can
//! be written (couplings, which rows gather), `D̃_i = D_i − 2 S_ij` and the change is
//! `−2 Σ x_iᵀ E_ij δ`. In both a common motion costs what it cost before, and other motions change
//! by about u times what the springs between blocks see of them.
//!
//! What that means to Newton's method: the matrix only shapes the direction, the residual is `f64`.
//! The direction is off by about `u k/λ`, k the stiffest block and λ the softest that resists a
//! relative motion (inertia M/h², bending): 6 % where they are 10⁶ apart, which is much less than
//! inexact directions leave over anyway, and the iteration ends in the same state. Where `u k`
//! comes near λ, at ratios beyond some 10⁷, the matrix may be indefinite; conjugate gradients
//! report that, and the caller assembles in double precision.

use super::pattern::BlockPattern;
use super::row_product::RowProduct;
use super::symmetric::SymmetricBlock;
use crate::types::{Mat3, Vec3};

/// A block above the diagonal, column after column.
pub(super) type SingleBlock = [f32; 9];

/// The values.
#[derive(Clone, Debug)]
pub(super) struct SingleValues {
    pub(super) diagonal: Vec<SymmetricBlock>,
    /// Blocks above the diagonal by slot. Every row has one diagonal slot, so that slot s of row i
    /// is place s − i − 1.
    pub(super) upper: Vec<SingleBlock>,
}

impl SingleValues {
    pub(super) fn zeros(pattern: &BlockPattern) -> SingleValues {
        let count = pattern.block_count();
        SingleValues {
            diagonal: vec![SymmetricBlock::default(); count],
            upper: vec![[0.0; 9]; pattern.stored_count() - count],
        }
    }

    /// The block in a slot of a row.
    #[inline]
    pub(super) fn stored(&self, pattern: &BlockPattern, row: usize, slot: usize) -> Mat3 {
        match slot == pattern.diagonal_slot(row) {
            true => self.diagonal[row].to_matrix(),
            false => widened(&self.upper[slot - row - 1]),
        }
    }

    /// `nᵀ B n` of the block B in a slot of a row.
    #[inline]
    pub(super) fn form(&self, pattern: &BlockPattern, row: usize, slot: usize, n: &Vec3) -> f64 {
        match slot == pattern.diagonal_slot(row) {
            true => n.dot(&self.diagonal[row].mul(n)),
            false => n.dot(&(widened(&self.upper[slot - row - 1]) * n)),
        }
    }

    /// Adds to the block (row, column) in a slot; of a diagonal block the upper half is taken.
    pub(super) fn add(&mut self, slot: usize, [row, column]: [usize; 2], block: &Mat3) {
        if row == column {
            return self.diagonal[row].add_scaled(1.0, &SymmetricBlock::from_upper(block));
        }
        let lost = add_rounded(&mut self.upper[slot - row - 1], block);
        [row, column].into_iter().for_each(|i| self.diagonal[i].add_scaled(1.0, &lost));
    }

    /// Multiplies every block; diagonals first, since they take what the others lose.
    pub(super) fn scale(&mut self, pattern: &BlockPattern, factor: f64) {
        self.diagonal.iter_mut().for_each(|block| block.0.iter_mut().for_each(|x| *x *= factor));
        for row in 0..pattern.block_count() {
            for (slot, &column) in pattern.row_range(row).zip(pattern.row(row)).skip(1) {
                let more = self.stored(pattern, row, slot) * (factor - 1.0);
                self.add(slot, [row, column as usize], &more);
            }
        }
    }

    /// Row of A x.
    #[inline(always)]
    pub(super) fn row_dot(&self, pattern: &BlockPattern, row: usize, x: &[Vec3]) -> Vec3 {
        let mut product = RowProduct::default();
        for link in pattern.lower_of(row) {
            let block = &self.upper[(link.slot - link.row - 1) as usize];
            product.add_transposed(block, &x[link.row as usize]);
        }
        let slots = pattern.row_range(row);
        let own = &self.upper[slots.start - row..slots.end - row - 1];
        for (block, &column) in own.iter().zip(&pattern.row(row)[1..]) {
            product.add(block, &x[column as usize]);
        }
        self.diagonal[row].mul(&x[row]) + product.sum()
    }
}

/// Adds to a block above the diagonal; returns the symmetric part of what rounding took off, which
/// belongs on the diagonal.
#[inline(always)]
pub(super) fn add_rounded(target: &mut SingleBlock, block: &Mat3) -> SymmetricBlock {
    let added = block.as_slice();
    let mut lost = [0.0; 9];
    for k in 0..9 {
        let sum = f64::from(target[k]) + added[k];
        target[k] = sum as f32;
        lost[k] = sum - f64::from(target[k]);
    }
    let [xx, yx, zx, xy, yy, zy, xz, yz, zz] = lost;
    SymmetricBlock([xx, 0.5 * (xy + yx), 0.5 * (xz + zx), yy, 0.5 * (yz + zy), zz])
}

#[inline]
fn widened(block: &SingleBlock) -> Mat3 {
    Mat3::from_fn(|i, j| f64::from(block[3 * j + i]))
}

#[cfg(test)]
mod tests {
    use super::super::BlockMatrix;
    use super::super::matrix::{Precision, tests::random_definite};
    use super::*;
    use crate::random::Random;
    use std::sync::Arc;

    /// The same matrix in single precision.
    fn rounded(matrix: &BlockMatrix) -> BlockMatrix {
        let mut single = BlockMatrix::zeros_in(matrix.pattern().clone(), Precision::Single);
        single.add_scaled(1.0, matrix);
        single
    }

    #[test]
    fn products_agree_to_single_precision() {
        let mut random = Random::new(91);
        let a = random_definite(700, 2000, 92);
        let single = rounded(&a);
        let x: Vec<Vec3> = (0..700).map(|_| random.vector(-1.0, 1.0)).collect();
        let [exact, found] = [&a, &single].map(|matrix| {
            let mut y = vec![Vec3::zeros(); 700];
            matrix.mul(&x, &mut y);
            y
        });
        let largest = exact.iter().map(|y| y.amax()).fold(0.0, f64::max);
        let error = exact.iter().zip(&found).map(|(a, b)| (a - b).amax()).fold(0.0, f64::max);
        assert!(error < 1e-6 * largest && error > 0.0, "{error:e} of {largest:e}");
    }

    #[test]
    fn every_change_does_what_it_does_in_double_precision() {
        let a = random_definite(40, 60, 94);
        let change = |matrix: &mut BlockMatrix| {
            matrix.add_block(7, 7, &Mat3::identity());
            let column = matrix.pattern().row(3)[1] as usize;
            matrix.add_block(column, 3, &Mat3::from_fn(|i, j| (i + 2 * j) as f64));
            matrix.add_diagonal(&vec![0.5; 40]);
            matrix.scale(3.0);
        };
        let (mut double, mut single) = (a.clone(), rounded(&a));
        change(&mut double);
        change(&mut single);
        assert!((double.to_dense() - single.to_dense()).amax() < 1e-5);
        assert!((double.diagonal_block(7) - single.diagonal_block(7)).amax() < 1e-5);
        assert!((double.block(9, 2) - single.block(9, 2)).amax() < 1e-5);
        let n = Vec3::new(0.6, -0.3, 0.2);
        for (row, slot) in (0..40).flat_map(|row| a.pattern().row_range(row).map(move |slot| (row, slot))) {
            let expected = n.dot(&(double.stored(row, slot) * n));
            assert!([&double, &single].iter().all(|m| (m.form(row, slot, &n) - expected).abs() < 1e-5));
        }
        single.set_zero();
        assert_eq!(single.to_dense().amax(), 0.0);
    }

    #[test]
    fn a_common_motion_costs_what_it_did() {
        // Springs 1e7 times as stiff as what holds the whole: plain rounding, 6e-8 of a spring per
        // block, would outweigh it.
        let mut random = Random::new(93);
        let (n, stiff) = (300, 1e7);
        let springs: Vec<[u32; 2]> = (0..n as u32 - 1).map(|i| [i, i + 1]).collect();
        let pattern = Arc::new(BlockPattern::from_stencils(n, springs.iter().map(|s| &s[..])));
        let mut a = BlockMatrix::zeros_in(pattern, Precision::Single);
        a.add_diagonal(&vec![1.0; n]);
        for [i, j] in springs.iter().map(|s| s.map(|i| i as usize)) {
            let (v, w) = (random.vector(-1.0, 1.0), random.vector(-1.0, 1.0));
            let k = (v * v.transpose() + w * w.transpose()) * stiff;
            a.add_block(i, j, &-k);
            a.add_block(i, i, &k);
            a.add_block(j, j, &k);
        }
        let motion = vec![random.vector(-1.0, 1.0); n];
        let exact = motion[0].norm_squared() * n as f64;
        let found = a.quadratic_form(&motion);
        assert!((found / exact - 1.0).abs() < 1e-5, "{found} instead of {exact}");
    }
}
