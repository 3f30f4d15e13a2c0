//! A symmetric block matrix in single precision, for the products of conjugate gradients.
//!
//! A product reads the matrix once and does little with it: beyond the caches its time is the number of bytes. Blocks above the diagonal are
//! kept as `f32`, vectors and sums stay `f64`, so that a product takes half the bytes.
//!
//! Why this is sound. With u = 2⁻²⁴ a block becomes `K̃_ij = K_ij + E_ij`, |E_ij| ≤ u |K_ij|. Rounding alone would add spurious forces u |K| to a
//! body that only moves along, where inertia M/h² is all there is; stiff matrices would become indefinite. So what rounding takes
//! off a block goes to both its diagonal blocks, which stay `f64`: `D̃_i = D_i − Σ_j S_ij` with `E = S + W`, S symmetric, W skew. Then, with δ = x_i − x_j,
//! `xᵀ(K̃ − K)x = −Σ_{i<j} (δᵀ S_ij δ + 2 x_iᵀ W_ij δ)`: a common motion costs what it cost before, and other motions change by
//! about u times what the springs between blocks see of them. Conjugate gradients are
//! asked for 1e-3 of a residual, and the Newton iteration around them measures its own residual in `f64`: it converges to
//! the same state. Where u times the stiffest spring exceeds inertia and elasticity of a rotation the result may be indefinite; conjugate
//! gradients report that, and the caller takes the matrix itself.

use super::couplings::RowProducts;
use super::matrix::BlockMatrix;
use super::pattern::BlockPattern;
use super::symmetric::SymmetricBlock;
use crate::types::{Mat3, Vec3};
use rayon::prelude::*;

/// Rows per task.
const ROWS: usize = 512;

/// The matrix, rounded.
#[derive(Clone, Debug)]
pub struct PackedMatrix<'a> {
    pattern: &'a BlockPattern,
    diagonal: Vec<SymmetricBlock>,
    /// Blocks above the diagonal by slot, column after column. Every row has one diagonal slot, so that slot s of row i is place s − i − 1.
    upper: Vec<[f32; 9]>,
}

impl<'a> PackedMatrix<'a> {
    /// Rounds a matrix.
    pub fn new(matrix: &'a BlockMatrix) -> PackedMatrix<'a> {
        let (pattern, values) = (&**matrix.pattern(), matrix.values());
        let count = pattern.block_count();
        let lost = |slot: usize| values[slot] - widened(&rounded(&values[slot]));
        let diagonal = |row: usize| {
            let slots = pattern.row_range(row);
            let own = slots.clone().skip(1).map(lost).sum::<Mat3>();
            let above = pattern.lower_of(row).iter().map(|link| lost(link.slot as usize)).sum::<Mat3>();
            let error = own + above;
            SymmetricBlock::from_upper(&(values[slots.start] + (error + error.transpose()) * 0.5))
        };
        let mut upper = vec![[0.0; 9]; pattern.stored_count() - count];
        let mut rest = &mut upper[..];
        let mut parts = Vec::with_capacity(count.div_ceil(ROWS));
        for first in (0..count).step_by(ROWS) {
            let rows = first..(first + ROWS).min(count);
            let stored = pattern.row_range(rows.end - 1).end - pattern.row_range(first).start;
            let (part, tail) = rest.split_at_mut(stored - rows.len());
            parts.push((rows, part));
            rest = tail;
        }
        parts.into_par_iter().for_each(|(rows, part)| {
            let slots = rows.flat_map(|row| pattern.row_range(row).skip(1));
            part.iter_mut().zip(slots).for_each(|(block, slot)| *block = rounded(&values[slot]));
        });
        let diagonal = (0..count).into_par_iter().with_min_len(ROWS).map(diagonal).collect();
        PackedMatrix { pattern, diagonal, upper }
    }
}

fn rounded(block: &Mat3) -> [f32; 9] {
    let numbers = block.as_slice();
    std::array::from_fn(|k| numbers[k] as f32)
}

fn widened(block: &[f32; 9]) -> Mat3 {
    Mat3::from_fn(|i, j| f64::from(block[3 * j + i]))
}

impl RowProducts for PackedMatrix<'_> {
    fn block_count(&self) -> usize {
        self.diagonal.len()
    }

    #[inline(always)]
    fn row_dot(&self, row: usize, x: &[Vec3]) -> Vec3 {
        let mut sum: [f64; 3] = self.diagonal[row].mul(&x[row]).into();
        for link in self.pattern.lower_of(row) {
            let (block, x) = (&self.upper[(link.slot - link.row - 1) as usize], &x[link.row as usize]);
            let block = block.map(f64::from);
            for k in 0..3 {
                sum[k] += block[3 * k] * x.x + block[3 * k + 1] * x.y + block[3 * k + 2] * x.z;
            }
        }
        let slots = self.pattern.row_range(row);
        let own = &self.upper[slots.start - row..slots.end - row - 1];
        for (block, &column) in own.iter().zip(&self.pattern.row(row)[1..]) {
            let (block, x) = (block.map(f64::from), &x[column as usize]);
            for k in 0..3 {
                sum[k] += block[k] * x.x + block[3 + k] * x.y + block[6 + k] * x.z;
            }
        }
        sum.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::matrix::tests::random_definite;
    use crate::random::Random;

    /// Product by rows.
    fn product(matrix: &impl RowProducts, x: &[Vec3]) -> Vec<Vec3> {
        (0..x.len()).map(|row| matrix.row_dot(row, x)).collect()
    }

    #[test]
    fn products_agree_to_single_precision() {
        let mut random = Random::new(91);
        let a = random_definite(700, 2000, 92);
        let packed = PackedMatrix::new(&a);
        let x: Vec<Vec3> = (0..700).map(|_| random.vector(-1.0, 1.0)).collect();
        let (exact, found) = (product(&a, &x), product(&packed, &x));
        let largest = exact.iter().map(|y| y.amax()).fold(0.0, f64::max);
        let error = exact.iter().zip(&found).map(|(a, b)| (a - b).amax()).fold(0.0, f64::max);
        assert!(error < 1e-6 * largest && error > 0.0, "{error:e} of {largest:e}");
    }

    #[test]
    fn a_common_motion_costs_what_it_did() {
        // Springs 1e7 times as stiff as what holds the whole: plain rounding, 6e-8 of a spring per block, would outweigh it.
        let mut random = Random::new(93);
        let (n, stiff) = (300, 1e7);
        let springs: Vec<[u32; 2]> = (0..n as u32 - 1).map(|i| [i, i + 1]).collect();
        let pattern = BlockPattern::from_stencils(n, springs.iter().map(|s| &s[..]));
        let mut a = BlockMatrix::zeros(std::sync::Arc::new(pattern));
        a.add_diagonal(&vec![1.0; n]);
        for [i, j] in springs.iter().map(|s| s.map(|i| i as usize)) {
            let (v, w) = (random.vector(-1.0, 1.0), random.vector(-1.0, 1.0));
            let k = (v * v.transpose() + w * w.transpose()) * stiff;
            a.add_block(i, j, &-k);
            *a.diagonal_block_mut(i) += k;
            *a.diagonal_block_mut(j) += k;
        }
        let packed = PackedMatrix::new(&a);
        let motion = vec![random.vector(-1.0, 1.0); n];
        let form = |matrix: &dyn Fn(usize) -> Vec3| (0..n).map(|i| motion[i].dot(&matrix(i))).sum::<f64>();
        let exact = motion[0].norm_squared() * n as f64;
        let found = form(&|i| packed.row_dot(i, &motion));
        assert!((found / exact - 1.0).abs() < 1e-5, "{found} instead of {exact}");
    }
}
