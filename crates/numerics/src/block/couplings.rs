//! Couplings `Σ_c w_i w_j K_c` that come and go: the third store of a matrix beside its diagonal
//! and its fixed pattern.
//!
//! Terms (contacts) couple a few blocks each through one symmetric 3×3 block K. What falls on the
//! diagonal or on a pair of the fixed pattern goes there; the rest goes into rows with sorted
//! columns that stay from one assembly to the next, so that most pairs are found by a search in a
//! short row. A new pair is kept aside and merged into its rows at the end.   [Ando2024, section
//! 3.7]
//!
//! Terms come in sections, so that not all of them need be there at once: rows add them in the same
//! order as one section would.
//!
//! Rows are gathered, not scattered: each looks through the terms that touch it, in order. Chunks
//! of rows run in parallel and write nothing but their own: the same bits for any number of
//! threads.

use super::incidence::Incidence;
use super::matrix::{BlockMatrix, Store};
use super::pattern::BlockPattern;
use super::single::{SingleBlock, add_rounded};
use super::symmetric::SymmetricBlock;
use crate::krylov::{LinearOperator, RowOperator};
use crate::lanes::{VectorWork, vectorised};
use crate::ordered::ordered_sum;
use crate::types::{Mat3, Vec3};
use rayon::prelude::*;
use std::ops::Range;

/// Rows of a chunk.
const ROWS: usize = 256;

/// What couples blocks.
pub trait CouplingTerms: Sync {
    /// Blocks of a term, each once, and their weights.
    fn stencil(&self, term: usize) -> (&[u32], &[f64]);

    /// K of a term.
    fn block(&self, term: usize) -> &SymmetricBlock;

    /// Force of a term; a block takes its weight times this from the right-hand side.
    fn pull(&self, term: usize) -> Vec3;
}

/// The couplings outside of a fixed pattern, upper triangle.
#[derive(Clone, Debug, Default)]
pub struct Couplings {
    chunks: Vec<RowChunk>,
    /// Blocks (row, place in its chunk) by column are
    /// `lower[lower_starts[column]..lower_starts[column + 1]]`, rows ascending.
    lower_starts: Vec<u32>,
    lower: Vec<[u32; 2]>,
    /// Whether pairs came in that are not among these yet.
    grown: bool,
}

/// Some rows.
#[derive(Clone, Debug, Default)]
struct RowChunk {
    /// Places of row k are `starts[k]..starts[k + 1]`; empty when the whole chunk is.
    starts: Vec<u32>,
    columns: Vec<u32>,
    values: Vec<SymmetricBlock>,
}

/// A pair that its chunk does not hold yet.
struct Miss {
    row: u32,
    column: u32,
    value: SymmetricBlock,
}

impl Couplings {
    /// Forgets all pairs.
    pub fn clear(&mut self) {
        self.chunks.clear();
        self.lower_starts.clear();
        self.lower.clear();
        self.grown = false;
    }

    /// Frees the values until the next assembly; the pairs stay. Products and entries must not be
    /// asked for before that.
    pub fn release_values(&mut self) {
        self.chunks.iter_mut().for_each(|chunk| chunk.values = Vec::new());
    }

    /// Number of stored blocks.
    pub fn stored_count(&self) -> usize {
        self.chunks.iter().map(|c| c.columns.len()).sum()
    }

    /// Begins an assembly for a matrix with so many rows: all values become zero.
    pub fn begin(&mut self, blocks: usize) {
        if self.chunks.len() != blocks.div_ceil(ROWS) {
            self.clear();
            self.chunks.resize_with(blocks.div_ceil(ROWS), RowChunk::default);
            self.lower_starts.resize(blocks + 1, 0);
        }
        self.chunks.par_iter_mut().for_each(RowChunk::set_zero);
    }

    /// Adds a section of terms. What belongs to the pattern of `base` is added there, and pulls are
    /// subtracted from `rhs`.
    pub fn add(
        &mut self,
        base: &mut BlockMatrix,
        rhs: &mut [Vec3],
        incidence: &Incidence,
        terms: &impl CouplingTerms,
    ) {
        let pattern = base.pattern().clone();
        let base = split_rows(&pattern, base.store_mut());
        let chunks = self.chunks.par_iter_mut().zip(base).zip(rhs.par_chunks_mut(ROWS)).enumerate();
        let grown: Vec<bool> = chunks
            .map(|(number, ((chunk, base), rhs))| {
                let rows = Rows { first: number * ROWS, pattern: &pattern, fixed: base, rhs };
                chunk.gather(rows, incidence, terms)
            })
            .collect();
        self.grown |= grown.contains(&true);
    }

    /// Ends an assembly; products may be asked for from here on.
    pub fn end(&mut self) {
        if std::mem::take(&mut self.grown) {
            self.link();
        }
    }

    /// Finds the blocks of each column.
    fn link(&mut self) {
        let blocks = self.lower_starts.len() - 1;
        self.lower_starts.fill(0);
        for &column in self.chunks.iter().flat_map(|c| &c.columns) {
            self.lower_starts[column as usize + 1] += 1;
        }
        for column in 0..blocks {
            self.lower_starts[column + 1] += self.lower_starts[column];
        }
        self.lower.clear();
        self.lower.resize(self.lower_starts[blocks] as usize, [0; 2]);
        for (number, chunk) in self.chunks.iter().enumerate() {
            for row in 0..chunk.starts.len().saturating_sub(1) {
                for place in chunk.starts[row]..chunk.starts[row + 1] {
                    let cursor = &mut self.lower_starts[chunk.columns[place as usize] as usize];
                    self.lower[*cursor as usize] = [(number * ROWS + row) as u32, place];
                    *cursor += 1;
                }
            }
        }
        self.lower_starts.copy_within(..blocks, 1);
        self.lower_starts[0] = 0;
    }

    /// All blocks (row, column, value) above the diagonal, by rows.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, &SymmetricBlock)> + '_ {
        self.chunks.iter().enumerate().flat_map(|(number, chunk)| {
            (0..chunk.starts.len().saturating_sub(1)).flat_map(move |row| {
                let places = chunk.starts[row] as usize..chunk.starts[row + 1] as usize;
                let columns = chunk.columns[places.clone()].iter().zip(&chunk.values[places]);
                columns.map(move |(&column, value)| (number * ROWS + row, column as usize, value))
            })
        })
    }

    /// Row of the product with a vector.
    #[inline(always)]
    fn row_dot(&self, row: usize, x: &[Vec3]) -> Vec3 {
        let mut sum = Vec3::zeros();
        let lower = self.lower_starts[row] as usize..self.lower_starts[row + 1] as usize;
        for &[other, place] in &self.lower[lower] {
            sum += self.chunks[other as usize / ROWS].values[place as usize].mul(&x[other as usize]);
        }
        let (chunk, row) = (&self.chunks[row / ROWS], row % ROWS);
        if !chunk.starts.is_empty() {
            let places = chunk.starts[row] as usize..chunk.starts[row + 1] as usize;
            for (&column, value) in chunk.columns[places.clone()].iter().zip(&chunk.values[places]) {
                sum += value.mul(&x[column as usize]);
            }
        }
        sum
    }
}

/// Values of the fixed pattern in the rows of a chunk.
enum FixedRows<'a> {
    Double(&'a mut [Mat3]),
    Single { diagonal: &'a mut [SymmetricBlock], upper: &'a mut [SingleBlock] },
}

impl FixedRows<'_> {
    /// Adds `factor · block` at a place of row `row` of the chunk, whose blocks begin at `start`.
    /// What rounding takes off goes to the
    /// diagonal of this row alone: the other one may be written by another thread.
    #[inline(always)]
    fn add(&mut self, [row, start, place]: [usize; 3], factor: f64, block: &SymmetricBlock) {
        match self {
            FixedRows::Double(values) => block.add_to(factor, &mut values[start + place]),
            FixedRows::Single { diagonal, .. } if place == 0 => diagonal[row].add_scaled(factor, block),
            FixedRows::Single { diagonal, upper } => {
                let lost = add_rounded(&mut upper[start + place - row - 1], &(block.to_matrix() * factor));
                diagonal[row].add_scaled(2.0, &lost);
            }
        }
    }
}

/// Values of a matrix by chunks of rows.
fn split_rows<'a>(pattern: &BlockPattern, store: &'a mut Store) -> Vec<FixedRows<'a>> {
    let blocks = pattern.block_count();
    let ends = (0..blocks).step_by(ROWS).map(|first| (first + ROWS).min(blocks));
    let slots = ends.clone().map(|end| pattern.row_range(end - 1).end);
    match store {
        Store::Double(values) => split(values, slots).into_iter().map(FixedRows::Double).collect(),
        Store::Single(values) => {
            let upper = split(&mut values.upper, slots.zip(ends).map(|(slots, rows)| slots - rows));
            let diagonal = values.diagonal.chunks_mut(ROWS);
            let both = diagonal.zip(upper);
            both.map(|(diagonal, upper)| FixedRows::Single { diagonal, upper }).collect()
        }
    }
}

/// Cuts a list at ascending places.
fn split<T>(mut values: &mut [T], ends: impl Iterator<Item = usize>) -> Vec<&mut [T]> {
    let (mut parts, mut taken) = (Vec::new(), 0);
    for end in ends {
        let (part, rest) = values.split_at_mut(end - taken);
        parts.push(part);
        (values, taken) = (rest, end);
    }
    parts
}

/// What a chunk writes beside its own values.
struct Rows<'a> {
    first: usize,
    pattern: &'a BlockPattern,
    fixed: FixedRows<'a>,
    rhs: &'a mut [Vec3],
}

impl RowChunk {
    fn set_zero(&mut self) {
        self.values.clear();
        self.values.resize(self.columns.len(), SymmetricBlock::default());
    }

    /// Adds the terms; returns whether new pairs came in.
    fn gather(&mut self, rows: Rows<'_>, incidence: &Incidence, terms: &impl CouplingTerms) -> bool {
        let Rows { first, pattern, mut fixed, rhs } = rows;
        let offset = pattern.row_range(first).start;
        let mut misses: Vec<Miss> = Vec::new();
        for (k, rhs) in rhs.iter_mut().enumerate() {
            let (row, new) = (first + k, misses.len());
            let (fixed_columns, start) = (pattern.row(row), pattern.row_range(row).start - offset);
            let kept = match self.starts.is_empty() {
                true => 0..0,
                false => self.starts[k] as usize..self.starts[k + 1] as usize,
            };
            let (columns, values) = (&self.columns[kept.clone()], &mut self.values[kept]);
            for &term in incidence.of(row) {
                let (blocks, weights) = terms.stencil(term as usize);
                let block = terms.block(term as usize);
                let own =
                    blocks.iter().zip(weights).find(|(b, _)| **b == row as u32).map_or(0.0, |(_, w)| *w);
                *rhs -= terms.pull(term as usize) * own;
                for (&column, weight) in blocks.iter().zip(weights).filter(|(b, _)| **b >= row as u32) {
                    let factor = own * weight;
                    if let Some(at) = place(fixed_columns, column) {
                        fixed.add([k, start, at], factor, block);
                    } else if let Some(at) = place(columns, column) {
                        values[at].add_scaled(factor, block);
                    } else {
                        add_miss(&mut misses, new, row as u32, column, factor, block);
                    }
                }
            }
        }
        let grown = !misses.is_empty();
        if grown {
            self.fold(first, rhs.len(), misses);
        }
        grown
    }

    /// Merges new pairs into the rows.
    fn fold(&mut self, first: usize, rows: usize, mut misses: Vec<Miss>) {
        misses.sort_unstable_by_key(|m| (m.row, m.column));
        let old = std::mem::take(self);
        let count = old.columns.len() + misses.len();
        self.starts = Vec::with_capacity(rows + 1);
        (self.columns, self.values) = (Vec::with_capacity(count), Vec::with_capacity(count));
        let mut misses = misses.into_iter().peekable();
        self.starts.push(0);
        for row in 0..rows {
            let kept = match old.starts.is_empty() {
                true => 0..0,
                false => old.starts[row] as usize..old.starts[row + 1] as usize,
            };
            for place in kept {
                let before = |m: &Miss| m.row as usize == first + row && m.column < old.columns[place];
                while let Some(miss) = misses.next_if(before) {
                    self.push(miss.column, miss.value);
                }
                self.push(old.columns[place], old.values[place]);
            }
            while let Some(miss) = misses.next_if(|m| m.row as usize == first + row) {
                self.push(miss.column, miss.value);
            }
            self.starts.push(self.columns.len() as u32);
        }
    }

    fn push(&mut self, column: u32, value: SymmetricBlock) {
        self.columns.push(column);
        self.values.push(value);
    }
}

/// Where a column stands in a sorted row.
#[inline]
fn place(columns: &[u32], column: u32) -> Option<usize> {
    // Most columns that are not in a row lie beyond its end: another body.
    if columns.last().is_none_or(|&last| last < column) {
        return None;
    }
    columns.binary_search(&column).ok()
}

/// Adds to a pair that was missed before in this row (from `new` on), or begins one.
fn add_miss(misses: &mut Vec<Miss>, new: usize, row: u32, column: u32, factor: f64, block: &SymmetricBlock) {
    let known = misses[new..].iter_mut().position(|m| m.column == column);
    let place = known.map_or(misses.len(), |k| new + k);
    if known.is_none() {
        misses.push(Miss { row, column, value: SymmetricBlock::default() });
    }
    misses[place].value.add_scaled(factor, block);
}

/// A matrix with its couplings as one operator.
#[derive(Clone, Copy, Debug)]
pub struct CoupledMatrix<'a> {
    /// Diagonal and fixed pattern.
    pub base: &'a BlockMatrix,
    /// What comes and goes.
    pub couplings: &'a Couplings,
}

/// Some rows of a product.
struct ChunkProduct<'a> {
    matrix: CoupledMatrix<'a>,
    first: usize,
    x: &'a [Vec3],
    y: &'a mut [Vec3],
}

impl VectorWork for ChunkProduct<'_> {
    /// xᵀ A x of the rows.
    type Output = f64;

    #[inline(always)]
    fn run(self) -> f64 {
        let mut sum = Vec3::zeros();
        for (k, y) in self.y.iter_mut().enumerate() {
            let row = self.first + k;
            *y = self.matrix.base.row_dot(row, self.x) + self.matrix.couplings.row_dot(row, self.x);
            sum += self.x[row].component_mul(y);
        }
        sum.sum()
    }
}

impl LinearOperator for CoupledMatrix<'_> {
    fn block_count(&self) -> usize {
        self.base.block_count()
    }

    fn apply(&self, x: &[Vec3], y: &mut [Vec3]) {
        self.apply_dot(x, y);
    }

    fn apply_dot(&self, x: &[Vec3], y: &mut [Vec3]) -> f64 {
        let products = y
            .par_chunks_mut(ROWS)
            .enumerate()
            .map(|(chunk, y)| vectorised(ChunkProduct { matrix: *self, first: chunk * ROWS, x, y }));
        ordered_sum(&products.collect::<Vec<f64>>())
    }
}

impl RowOperator for CoupledMatrix<'_> {
    fn rows_dot(&self, rows: Range<usize>, x: &[Vec3], y: &mut [Vec3]) -> f64 {
        vectorised(ChunkProduct { matrix: *self, first: rows.start, x, y })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::matrix::{Precision, tests::flat};
    use crate::ordered::ordered_dot;
    use crate::random::Random;
    use std::sync::Arc;

    struct Terms(Vec<([u32; 3], [f64; 3], SymmetricBlock)>);

    impl CouplingTerms for Terms {
        fn stencil(&self, term: usize) -> (&[u32], &[f64]) {
            (&self.0[term].0, &self.0[term].1)
        }
        fn block(&self, term: usize) -> &SymmetricBlock {
            &self.0[term].2
        }
        fn pull(&self, term: usize) -> Vec3 {
            Vec3::repeat(self.0[term].1[0])
        }
    }

    fn terms(random: &mut Random, blocks: usize, count: usize) -> Terms {
        let term = |random: &mut Random| {
            let first = random.below(blocks - 2) as u32;
            let third = (first + 2 + random.below(40) as u32) % blocks as u32;
            let third = if third == first || third == first + 1 { first + 2 } else { third };
            let weights = [0; 3].map(|_| random.range(-1.0, 1.0));
            let block = SymmetricBlock::outer(&random.unit_vector(), 2.0);
            ([first + 1, first, third], weights, block)
        };
        Terms((0..count).map(|_| term(random)).collect())
    }

    /// Three assemblies in a row, each with other terms: what is kept from before must not show.
    #[test]
    fn the_sum_is_the_dense_one_for_any_thread_count() {
        let (n, mut random) = (700, Random::new(141));
        let chain: Vec<[u32; 2]> = (0..n as u32 - 1).map(|i| [i, i + 1]).collect();
        let pattern = Arc::new(BlockPattern::from_stencils(n, chain.iter().map(|s| &s[..])));
        let rounds: Vec<Terms> = [900, 900, 30].map(|count| terms(&mut random, n, count)).into();
        let x: Vec<Vec3> = (0..n).map(|_| random.vector(-1.0, 1.0)).collect();
        let run = |threads: usize, precision: Precision, section: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let (mut couplings, mut incidence) = (Couplings::default(), Incidence::default());
            let assemble = |terms: &Terms| {
                let mut base = BlockMatrix::zeros_in(pattern.clone(), precision);
                base.add_diagonal(&vec![3.0; n]);
                let (mut rhs, mut y) = (vec![Vec3::zeros(); n], vec![Vec3::zeros(); n]);
                couplings.begin(n);
                for section in terms.0.chunks(section) {
                    incidence.rebuild(n, section.iter().map(|t| &t.0[..]));
                    couplings.add(&mut base, &mut rhs, &incidence, &Terms(section.to_vec()));
                }
                couplings.end();
                let matrix = CoupledMatrix { base: &base, couplings: &couplings };
                matrix.apply(&x, &mut y);
                let mut same = y.clone();
                let dot = matrix.apply_dot(&x, &mut same);
                assert!(same == y && (dot - ordered_dot(&x, &y)).abs() < 1e-12 * dot.abs());
                couplings.release_values();
                (y, rhs)
            };
            pool.install(|| rounds.iter().map(assemble).collect::<Vec<_>>())
        };
        let [results, single] = [Precision::Double, Precision::Single].map(|precision| {
            let results = run(1, precision, usize::MAX);
            assert!([2, 7].iter().all(|&threads| results == run(threads, precision, usize::MAX)));
            assert!(results == run(2, precision, 250), "sections give the same bits");
            results
        });
        for ((terms, (y, rhs)), (rounded, same)) in rounds.iter().zip(&results).zip(&single) {
            let mut dense = nalgebra::DMatrix::<f64>::identity(3 * n, 3 * n) * 3.0;
            let mut pulled = vec![Vec3::zeros(); n];
            for (blocks, weights, k) in &terms.0 {
                for (&i, a) in blocks.iter().zip(weights) {
                    pulled[i as usize] -= Vec3::repeat(weights[0]) * *a;
                    for (&j, b) in blocks.iter().zip(weights) {
                        let mut view = dense.fixed_view_mut::<3, 3>(3 * i as usize, 3 * j as usize);
                        view += k.to_matrix() * (a * b);
                    }
                }
            }
            assert!((&dense * flat(&x) - flat(y)).amax() < 1e-11);
            assert!((&dense * flat(&x) - flat(rounded)).amax() < 1e-5 && same == rhs);
            assert!(rhs.iter().zip(&pulled).all(|(a, b)| (a - b).norm() < 1e-9));
        }
    }
}
