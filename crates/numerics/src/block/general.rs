//! General (nonsymmetric) matrices of 3×3 blocks on a symmetric pattern.
//!
//! Blocks (i, j) and (j, i) are stored or absent together, so one [`BlockPattern`] and the slots of
//! its elements serve symmetric and general matrices alike. Blocks on and above the diagonal lie by
//! slot; the block (j, i) below the diagonal lies in the place of slot (i, j), diagonals left out.

use super::assembly::{ElementSlots, run_coloured};
use super::matrix::BlockMatrix;
use super::pattern::BlockPattern;
use crate::disjoint::DisjointSlice;
use crate::krylov::LinearOperator;
use crate::types::{Mat3, Vec3};
use rayon::prelude::*;
use std::sync::Arc;

/// Block rows per parallel task of a product.
const ROWS_PER_TASK: usize = 512;

/// A sparse matrix of 3×3 blocks without symmetry, on a pattern that is symmetric.
#[derive(Clone, Debug)]
pub struct GeneralBlockMatrix {
    pattern: Arc<BlockPattern>,
    /// Blocks (i, j ≥ i) by slot.
    upper: Vec<Mat3>,
    /// Blocks (j, i) for j > i, in the order of the slots (i, j).
    lower: Vec<Mat3>,
}

impl GeneralBlockMatrix {
    /// The zero matrix on a pattern.
    pub fn zeros(pattern: Arc<BlockPattern>) -> Self {
        let (stored, rows) = (pattern.stored_count(), pattern.block_count());
        Self { upper: vec![Mat3::zeros(); stored], lower: vec![Mat3::zeros(); stored - rows], pattern }
    }

    /// The sparsity.
    pub fn pattern(&self) -> &Arc<BlockPattern> {
        &self.pattern
    }

    /// Number of block rows.
    pub fn block_count(&self) -> usize {
        self.pattern.block_count()
    }

    /// Sets every stored block to zero.
    pub fn set_zero(&mut self) {
        self.upper.fill(Mat3::zeros());
        self.lower.fill(Mat3::zeros());
    }

    /// The block (row, column ≥ row) in a slot of a row.
    pub fn upper(&self, slot: usize) -> &Mat3 {
        &self.upper[slot]
    }

    /// The block (column, row) whose mirror (row, column > row) is in a slot of a row.
    pub fn lower(&self, row: usize, slot: usize) -> &Mat3 {
        &self.lower[lower_place(row, slot)]
    }

    /// Block (row, column); zero if not stored.
    pub fn block(&self, row: usize, column: usize) -> Mat3 {
        let (first, second) = (row.min(column), row.max(column));
        let Some(slot) = self.pattern.slot(first, second) else { return Mat3::zeros() };
        if row <= column { self.upper[slot] } else { *self.lower(first, slot) }
    }

    /// Adds `block` at (row, column), and nothing at (column, row).
    ///
    /// Panics when the pattern does not hold the place.
    pub fn add_block(&mut self, row: usize, column: usize, block: &Mat3) {
        let (first, second) = (row.min(column), row.max(column));
        let slot = self.pattern.slot(first, second);
        let slot = slot.unwrap_or_else(|| panic!("block ({row}, {column}) is not in the pattern"));
        match row <= column {
            true => self.upper[slot] += block,
            false => self.lower[lower_place(first, slot)] += block,
        }
    }

    /// Adds `weights[i]` times the identity to diagonal block `i` (lumped masses, shifts).
    pub fn add_diagonal(&mut self, weights: &[f64]) {
        assert_eq!(weights.len(), self.block_count(), "one weight per block row");
        for (row, &weight) in weights.iter().enumerate() {
            let block = &mut self.upper[self.pattern.diagonal_slot(row)];
            (0..3).for_each(|k| block[(k, k)] += weight);
        }
    }

    /// Makes rows and columns of prescribed blocks those of the identity. The terms `A_jk p_k` of
    /// prescribed values p must be on the right-hand side by then (see [`crate::MaskedOperator`]).
    pub fn mask(&mut self, fixed: &[bool]) {
        assert_eq!(fixed.len(), self.block_count(), "one mask entry per block");
        for row in 0..self.block_count() {
            for (slot, &column) in self.pattern.row_range(row).zip(self.pattern.row(row)) {
                let column = column as usize;
                match (fixed[row] || fixed[column], row == column) {
                    (false, _) => {}
                    (true, true) => self.upper[slot] = Mat3::identity(),
                    (true, false) => {
                        self.upper[slot] = Mat3::zeros();
                        self.lower[lower_place(row, slot)] = Mat3::zeros();
                    }
                }
            }
        }
    }

    /// y = A x, in parallel by rows; the order of additions within a row is fixed.
    pub fn mul(&self, x: &[Vec3], y: &mut [Vec3]) {
        self.by_rows(x, y, |row| {
            let mut sum = Vec3::zeros();
            for link in self.pattern.lower_of(row) {
                sum += self.lower(link.row as usize, link.slot as usize) * x[link.row as usize];
            }
            for (slot, &column) in self.pattern.row_range(row).zip(self.pattern.row(row)) {
                sum += self.upper[slot] * x[column as usize];
            }
            sum
        });
    }

    /// y = Aᵀ x, in parallel by rows of Aᵀ.
    pub fn mul_transposed(&self, x: &[Vec3], y: &mut [Vec3]) {
        self.by_rows(x, y, |row| {
            let mut sum = Vec3::zeros();
            for link in self.pattern.lower_of(row) {
                sum += self.upper[link.slot as usize].tr_mul(&x[link.row as usize]);
            }
            sum += self.upper[self.pattern.diagonal_slot(row)].tr_mul(&x[row]);
            for (slot, &column) in self.pattern.row_range(row).zip(self.pattern.row(row)).skip(1) {
                sum += self.lower(row, slot).tr_mul(&x[column as usize]);
            }
            sum
        });
    }

    fn by_rows(&self, x: &[Vec3], y: &mut [Vec3], product: impl Fn(usize) -> Vec3 + Sync) {
        assert_eq!(x.len(), self.block_count(), "x must have one block per row");
        assert_eq!(y.len(), self.block_count(), "y must have one block per row");
        y.par_chunks_mut(ROWS_PER_TASK).enumerate().for_each(|(task, chunk)| {
            for (k, out) in chunk.iter_mut().enumerate() {
                *out = product(task * ROWS_PER_TASK + k);
            }
        });
    }

    /// (A + Aᵀ)/2: definite where A is dissipative, and then a good preconditioner when factored.
    pub fn symmetric_part(&self) -> BlockMatrix {
        let mut out = BlockMatrix::zeros(self.pattern.clone());
        let values = out.values_mut();
        for row in 0..self.block_count() {
            for slot in self.pattern.row_range(row) {
                let is_diagonal = slot == self.pattern.diagonal_slot(row);
                let mirror = if is_diagonal { &self.upper[slot] } else { self.lower(row, slot) };
                values[slot] = (self.upper[slot] + mirror.transpose()) * 0.5;
            }
        }
        out
    }

    /// The whole matrix, dense: for tests and tiny problems.
    pub fn to_dense(&self) -> nalgebra::DMatrix<f64> {
        let n = self.block_count();
        let mut dense = nalgebra::DMatrix::zeros(3 * n, 3 * n);
        for row in 0..n {
            for (slot, &column) in self.pattern.row_range(row).zip(self.pattern.row(row)) {
                let (i, j) = (3 * row, 3 * column as usize);
                dense.fixed_view_mut::<3, 3>(i, j).copy_from(&self.upper[slot]);
                if i != j {
                    dense.fixed_view_mut::<3, 3>(j, i).copy_from(self.lower(row, slot));
                }
            }
        }
        dense
    }
}

/// Where the mirror of a slot above the diagonal lies: each row up to this one has one diagonal.
fn lower_place(row: usize, slot: usize) -> usize {
    slot - row - 1
}

impl LinearOperator for GeneralBlockMatrix {
    fn block_count(&self) -> usize {
        GeneralBlockMatrix::block_count(self)
    }

    fn apply(&self, x: &[Vec3], y: &mut [Vec3]) {
        self.mul(x, y);
    }
}

/// Adds the element matrices `element(e, stencil)` to `matrix`, all N² blocks, in the order of
/// [`super::assemble`]: the same bits for any thread count.
///
/// Panics when the matrix has another pattern than the slots.
#[allow(unsafe_code)]
pub fn assemble_general<const N: usize>(
    matrix: &mut GeneralBlockMatrix,
    slots: &ElementSlots<N>,
    element: impl Fn(usize, &[u32; N]) -> [[Mat3; N]; N] + Sync,
) {
    assert!(slots.fits(&matrix.pattern), "assemble_general needs the pattern of the slots");
    let (upper, lower) = (DisjointSlice::new(&mut matrix.upper), DisjointSlice::new(&mut matrix.lower));
    run_coloured(slots.colouring(), |position, e| {
        let stencil = slots.stencil(position);
        let blocks = element(e, stencil);
        slots.for_each_slot(position, |a, b, slot| {
            // The pattern stores the pair with the smaller block first.
            let (a, b) = if stencil[a] <= stencil[b] { (a, b) } else { (b, a) };
            // SAFETY: a slot (i, j) and its mirror are touched only by elements that hold both i
            // and j; only groups of one colour run at the same time, and they share no block.
            unsafe {
                *upper.at(slot) += blocks[a][b];
                if a != b {
                    *lower.at(lower_place(stencil[a] as usize, slot)) += blocks[b][a];
                }
            }
        });
    });
}

#[cfg(test)]
pub(crate) mod tests {
    use super::super::colour_elements;
    use super::super::matrix::tests::flat;
    use super::*;
    use crate::random::Random;
    use nalgebra::DMatrix;

    /// Elements of three blocks that name them in any order.
    fn random_elements(n: usize, count: usize, seed: u64) -> Vec<[u32; 3]> {
        let mut random = Random::new(seed);
        let stencils = (0..count).map(|_| [0; 3].map(|_| random.below(n) as u32));
        stencils.filter(|s| s[0] != s[1] && s[1] != s[2] && s[0] != s[2]).collect()
    }

    fn element_matrix(e: usize) -> [[Mat3; 3]; 3] {
        let mut random = Random::new(e as u64 + 1);
        std::array::from_fn(|_| std::array::from_fn(|_| Mat3::from_fn(|_, _| random.range(-1.0, 1.0))))
    }

    fn assembled(n: usize, elements: &[[u32; 3]], threads: usize) -> GeneralBlockMatrix {
        let pattern = Arc::new(BlockPattern::from_stencils(n, elements.iter().map(|s| &s[..])));
        let slots = ElementSlots::new(pattern.clone(), Arc::new(colour_elements(n, elements)));
        let mut matrix = GeneralBlockMatrix::zeros(pattern);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| assemble_general(&mut matrix, &slots, |e, _| element_matrix(e)));
        matrix
    }

    #[test]
    fn assembly_equals_dense_addition_for_any_thread_count() {
        let (n, elements) = (300, random_elements(300, 900, 11));
        let matrix = assembled(n, &elements, 1);
        for threads in [2, 7] {
            let other = assembled(n, &elements, threads);
            assert!(other.upper == matrix.upper && other.lower == matrix.lower);
        }
        let mut dense = DMatrix::<f64>::zeros(3 * n, 3 * n);
        for (e, stencil) in elements.iter().enumerate() {
            let blocks = element_matrix(e);
            for (a, b) in (0..9).map(|k| (k / 3, k % 3)) {
                let mut view = dense.fixed_view_mut::<3, 3>(3 * stencil[a] as usize, 3 * stencil[b] as usize);
                view += blocks[a][b];
            }
        }
        assert!((matrix.to_dense() - dense).amax() < 1e-12);
    }

    #[test]
    fn products_blocks_and_symmetric_part_agree_with_dense() {
        let (n, mut random) = (80, Random::new(12));
        let mut matrix = assembled(n, &random_elements(n, 120, 13), 2);
        let weights: Vec<f64> = (0..n).map(|_| random.range(0.0, 1.0)).collect();
        let mut expected = matrix.to_dense();
        expected += DMatrix::from_fn(3 * n, 3 * n, |i, j| if i == j { weights[i / 3] } else { 0.0 });
        matrix.add_diagonal(&weights);
        let dense = matrix.to_dense();
        assert!((&dense - expected).amax() == 0.0);
        let x: Vec<Vec3> = (0..n).map(|_| random.vector(-1.0, 1.0)).collect();
        let mut y = vec![Vec3::zeros(); n];
        matrix.mul(&x, &mut y);
        assert!((&dense * flat(&x) - flat(&y)).amax() < 1e-12);
        matrix.mul_transposed(&x, &mut y);
        assert!((dense.transpose() * flat(&x) - flat(&y)).amax() < 1e-12);
        assert!((matrix.symmetric_part().to_dense() - (&dense + dense.transpose()) * 0.5).amax() < 1e-15);
        let (row, column) = (matrix.pattern.row(0)[1] as usize, 0);
        matrix.add_block(row, column, &Mat3::identity());
        let block = dense.fixed_view::<3, 3>(3 * row, 3 * column) + Mat3::identity();
        assert_eq!(matrix.block(row, column), block);
        assert_eq!(matrix.block(column, row), dense.fixed_view::<3, 3>(3 * column, 3 * row).into_owned());
        matrix.set_zero();
        assert_eq!(matrix.to_dense().amax(), 0.0);
    }

    #[test]
    fn the_mask_gives_identity_rows_and_columns() {
        let n = 40;
        let mut matrix = assembled(n, &random_elements(n, 60, 14), 2);
        let dense = matrix.to_dense();
        let fixed: Vec<bool> = (0..n).map(|i| i % 4 == 1).collect();
        matrix.mask(&fixed);
        let expected = DMatrix::from_fn(3 * n, 3 * n, |i, j| match fixed[i / 3] || fixed[j / 3] {
            true => f64::from(i == j),
            false => dense[(i, j)],
        });
        assert_eq!(matrix.to_dense(), expected);
    }
}
