//! Values of a symmetric block matrix and the products that the solvers need.

use super::pattern::BlockPattern;
use super::single::SingleValues;
use super::symmetric::SymmetricBlock;
use crate::ordered::ordered_sum_by;
use crate::types::{Mat3, Vec3};
use rayon::prelude::*;
use std::sync::Arc;

/// Block rows per parallel task of a product.
const ROWS_PER_TASK: usize = 512;

/// Blocks per parallel task of a change of all values.
const BLOCKS_PER_TASK: usize = 1 << 14;

/// How values are stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// All in `f64`.
    #[default]
    Double,
    /// Blocks above the diagonal in `f32`, with diagonals that make up for the rounding; products
    /// are summed in `f64`.
    Single,
}

/// A symmetric sparse matrix of 3×3 blocks; only the upper triangle is stored.
///
/// The diagonal blocks are expected to be symmetric; products read them as they are.
#[derive(Clone, Debug)]
pub struct BlockMatrix {
    pattern: Arc<BlockPattern>,
    store: Store,
}

/// Stored blocks.
#[derive(Clone, Debug)]
pub(super) enum Store {
    /// By slot.
    Double(Vec<Mat3>),
    Single(SingleValues),
}

impl Store {
    fn zeros(pattern: &BlockPattern, precision: Precision) -> Self {
        match precision {
            Precision::Double => Store::Double(vec![Mat3::zeros(); pattern.stored_count()]),
            Precision::Single => Store::Single(SingleValues::zeros(pattern)),
        }
    }
}

impl BlockMatrix {
    /// The zero matrix on a pattern, in double precision.
    pub fn zeros(pattern: Arc<BlockPattern>) -> Self {
        Self::zeros_in(pattern, Precision::Double)
    }

    /// The zero matrix on a pattern.
    pub fn zeros_in(pattern: Arc<BlockPattern>, precision: Precision) -> Self {
        Self { store: Store::zeros(&pattern, precision), pattern }
    }

    /// Chooses how values are stored; where that is a change, they are zero afterwards.
    pub fn set_precision(&mut self, precision: Precision) {
        if self.precision() != precision {
            // The old values go first: both at once would be the most that a caller holds.
            self.store = Store::Double(Vec::new());
            self.store = Store::zeros(&self.pattern, precision);
        }
    }

    /// The sparsity.
    pub fn pattern(&self) -> &Arc<BlockPattern> {
        &self.pattern
    }

    /// How values are stored.
    pub fn precision(&self) -> Precision {
        match self.store {
            Store::Double(_) => Precision::Double,
            Store::Single(_) => Precision::Single,
        }
    }

    /// Number of block rows.
    pub fn block_count(&self) -> usize {
        self.pattern.block_count()
    }

    /// Stored blocks by slot. Panics for a matrix in single precision.
    pub fn values(&self) -> &[Mat3] {
        match &self.store {
            Store::Double(values) => values,
            Store::Single(_) => panic!("blocks in single precision cannot be lent"),
        }
    }

    /// Stored blocks by slot, to write. Panics for a matrix in single precision.
    pub fn values_mut(&mut self) -> &mut [Mat3] {
        match &mut self.store {
            Store::Double(values) => values,
            Store::Single(_) => panic!("blocks in single precision cannot be lent"),
        }
    }

    /// All values, to write.
    pub(super) fn store_mut(&mut self) -> &mut Store {
        &mut self.store
    }

    /// The block in a slot of a row.
    #[inline]
    pub fn stored(&self, row: usize, slot: usize) -> Mat3 {
        match &self.store {
            Store::Double(values) => values[slot],
            Store::Single(values) => values.stored(&self.pattern, row, slot),
        }
    }

    /// `nᵀ B n` of the block B in a slot of a row, which is read in place.
    #[inline]
    pub fn form(&self, row: usize, slot: usize, n: &Vec3) -> f64 {
        match &self.store {
            Store::Double(values) => n.dot(&(values[slot] * n)),
            Store::Single(values) => values.form(&self.pattern, row, slot, n),
        }
    }

    /// Sets every stored block to zero.
    pub fn set_zero(&mut self) {
        match &mut self.store {
            Store::Double(values) => fill(values, Mat3::zeros()),
            Store::Single(values) => {
                fill(&mut values.diagonal, SymmetricBlock::default());
                fill(&mut values.upper, [0.0; 9]);
            }
        }
    }

    /// Block (row, column) of the full matrix, transposed when it lies below the diagonal; zero if
    /// not stored.
    pub fn block(&self, row: usize, column: usize) -> Mat3 {
        let first = row.min(column);
        let slot = self.pattern.slot(first, row.max(column));
        let stored = slot.map_or_else(Mat3::zeros, |s| self.stored(first, s));
        if row <= column { stored } else { stored.transpose() }
    }

    /// Diagonal block of a row.
    #[inline]
    pub fn diagonal_block(&self, row: usize) -> Mat3 {
        self.stored(row, self.pattern.diagonal_slot(row))
    }

    /// Diagonal block of a row, to write. Panics for a matrix in single precision.
    pub fn diagonal_block_mut(&mut self, row: usize) -> &mut Mat3 {
        let slot = self.pattern.diagonal_slot(row);
        &mut self.values_mut()[slot]
    }

    /// Adds `block` at (row, column) of the full matrix, and so its transpose at (column, row).
    ///
    /// Panics when the pattern does not hold the place.
    pub fn add_block(&mut self, row: usize, column: usize, block: &Mat3) {
        let (i, j) = (row.min(column), row.max(column));
        let slot = self.pattern.slot(i, j);
        let slot = slot.unwrap_or_else(|| panic!("block ({row}, {column}) is not in the pattern"));
        let block = if row <= column { *block } else { block.transpose() };
        match &mut self.store {
            Store::Double(values) => values[slot] += block,
            Store::Single(values) => values.add(slot, [i, j], &block),
        }
    }

    /// Adds `weights[i]` times the identity to diagonal block `i` (lumped masses, shifts).
    pub fn add_diagonal(&mut self, weights: &[f64]) {
        assert_eq!(weights.len(), self.block_count(), "one weight per block row");
        for (row, &w) in weights.iter().enumerate() {
            match &mut self.store {
                Store::Double(values) => {
                    let block = &mut values[self.pattern.diagonal_slot(row)];
                    (0..3).for_each(|k| block[(k, k)] += w);
                }
                Store::Single(values) => [0, 3, 5].iter().for_each(|&k| values.diagonal[row].0[k] += w),
            }
        }
    }

    /// Multiplies every block by `factor`.
    pub fn scale(&mut self, factor: f64) {
        match &mut self.store {
            Store::Double(values) => {
                let chunks = values.par_chunks_mut(BLOCKS_PER_TASK);
                chunks.for_each(|chunk| chunk.iter_mut().for_each(|b| *b *= factor));
            }
            Store::Single(values) => values.scale(&self.pattern, factor),
        }
    }

    /// Adds `factor` · `other`, a matrix on the same pattern.
    pub fn add_scaled(&mut self, factor: f64, other: &Self) {
        assert!(self.shares_pattern(&other.pattern), "add_scaled needs one pattern");
        if let (Store::Double(own), Store::Double(others)) = (&mut self.store, &other.store) {
            let pairs = own.par_chunks_mut(BLOCKS_PER_TASK).zip(others.par_chunks(BLOCKS_PER_TASK));
            return pairs.for_each(|(a, b)| a.iter_mut().zip(b).for_each(|(x, y)| *x += y * factor));
        }
        for row in 0..self.block_count() {
            for (slot, &column) in self.pattern.row_range(row).zip(self.pattern.row(row)) {
                let block = other.stored(row, slot) * factor;
                match &mut self.store {
                    Store::Double(values) => values[slot] += block,
                    Store::Single(values) => values.add(slot, [row, column as usize], &block),
                }
            }
        }
    }

    /// y = A x, in parallel by rows; the order of additions within a row is fixed.
    pub fn mul(&self, x: &[Vec3], y: &mut [Vec3]) {
        assert_eq!(x.len(), self.block_count(), "x must have one block per row");
        assert_eq!(y.len(), self.block_count(), "y must have one block per row");
        y.par_chunks_mut(ROWS_PER_TASK).enumerate().for_each(|(task, chunk)| {
            for (k, out) in chunk.iter_mut().enumerate() {
                *out = self.row_dot(task * ROWS_PER_TASK + k, x);
            }
        });
    }

    /// Row of A x: stored blocks to the right of the diagonal, transposed ones of the rows above.
    /// Inlined always, so that [`crate::vectorised`] reaches it.
    #[inline(always)]
    pub(crate) fn row_dot(&self, row: usize, x: &[Vec3]) -> Vec3 {
        let values = match &self.store {
            Store::Double(values) => values,
            Store::Single(values) => return values.row_dot(&self.pattern, row, x),
        };
        let range = self.pattern.row_range(row);
        let mut sum = Vec3::zeros();
        for link in self.pattern.lower_of(row) {
            sum += values[link.slot as usize].tr_mul(&x[link.row as usize]);
        }
        for (block, &column) in values[range].iter().zip(self.pattern.row(row)) {
            sum += block * x[column as usize];
        }
        sum
    }

    /// xᵀ A x, with an ordered sum.
    pub fn quadratic_form(&self, x: &[Vec3]) -> f64 {
        assert_eq!(x.len(), self.block_count(), "x must have one block per row");
        ordered_sum_by(self.block_count(), |row| {
            let mut sum = self.diagonal_block(row) * x[row];
            for (slot, &column) in self.pattern.row_range(row).zip(self.pattern.row(row)).skip(1) {
                sum += self.stored(row, slot) * x[column as usize] * 2.0;
            }
            x[row].dot(&sum)
        })
    }

    /// The whole matrix, dense: for tests and tiny problems.
    pub fn to_dense(&self) -> nalgebra::DMatrix<f64> {
        let n = self.block_count();
        let mut dense = nalgebra::DMatrix::zeros(3 * n, 3 * n);
        for row in 0..n {
            for (slot, &column) in self.pattern.row_range(row).zip(self.pattern.row(row)) {
                let (i, j, block) = (3 * row, 3 * column as usize, self.stored(row, slot));
                if i != j {
                    dense.fixed_view_mut::<3, 3>(j, i).copy_from(&block.transpose());
                }
                dense.fixed_view_mut::<3, 3>(i, j).copy_from(&block);
            }
        }
        dense
    }

    pub(crate) fn shares_pattern(&self, pattern: &Arc<BlockPattern>) -> bool {
        Arc::ptr_eq(&self.pattern, pattern) || *self.pattern == **pattern
    }
}

/// Sets all to one value, in parallel.
fn fill<T: Copy + Send + Sync>(values: &mut [T], value: T) {
    values.par_chunks_mut(BLOCKS_PER_TASK).for_each(|chunk| chunk.fill(value));
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::random::Random;

    /// Random diagonally dominant (so positive definite) matrix on random stencils.
    pub(crate) fn random_definite(n: usize, stencil_count: usize, seed: u64) -> BlockMatrix {
        let mut random = Random::new(seed);
        let stencils: Vec<[u32; 3]> =
            (0..stencil_count).map(|_| [0; 3].map(|_| random.below(n) as u32)).collect();
        let pattern = Arc::new(BlockPattern::from_stencils(n, stencils.iter().map(|s| &s[..])));
        let mut matrix = BlockMatrix::zeros(pattern.clone());
        let mut weights = vec![0.1; n];
        for row in 0..n {
            for &column in &pattern.row(row)[1..] {
                let block = Mat3::from_fn(|_, _| random.range(-1.0, 1.0));
                matrix.add_block(row, column as usize, &block);
                weights[row] += block.norm();
                weights[column as usize] += block.norm();
            }
        }
        matrix.add_diagonal(&weights);
        matrix
    }

    pub(crate) fn flat(x: &[Vec3]) -> nalgebra::DVector<f64> {
        nalgebra::DVector::from_iterator(3 * x.len(), x.iter().flat_map(|v| v.iter().copied()))
    }

    #[test]
    fn products_agree_with_dense() {
        let mut random = Random::new(41);
        let n = 60;
        let a = random_definite(n, 100, 42);
        let x: Vec<Vec3> = (0..n).map(|_| random.vector(-1.0, 1.0)).collect();
        let mut y = vec![Vec3::zeros(); n];
        a.mul(&x, &mut y);
        let dense = a.to_dense();
        assert!((&dense * flat(&x) - flat(&y)).amax() < 1e-13);
        let form = flat(&x).dot(&(&dense * flat(&x)));
        assert!((a.quadratic_form(&x) - form).abs() < 1e-12);
        let mut b = a.clone();
        b.scale(2.0);
        b.add_scaled(-0.5, &a);
        assert!((b.to_dense() - &dense * 1.5).amax() < 1e-13);
        assert_eq!(a.block(3, 7), a.block(7, 3).transpose());
        b.set_zero();
        assert_eq!(b.to_dense().amax(), 0.0);
    }

    #[test]
    fn product_has_the_same_bits_for_any_thread_count() {
        let mut random = Random::new(43);
        let n = 5000;
        let a = random_definite(n, 9000, 44);
        let x: Vec<Vec3> = (0..n).map(|_| random.vector(-1.0, 1.0)).collect();
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut y = vec![Vec3::zeros(); n];
            pool.install(|| a.mul(&x, &mut y));
            (y, pool.install(|| a.quadratic_form(&x)).to_bits())
        };
        assert_eq!(run(1), run(2));
        assert_eq!(run(1), run(7));
    }
}
