//! LU factorisation of general block matrices, per connected component.

use crate::plan::{UpperGraph, label_components};
use crate::{CscMatrix, FactorError, SparseLu};
use rayon::prelude::*;
use std::sync::Arc;
use stiction_numerics::{BlockPattern, GeneralBlockMatrix, Vec3};

/// LU factor of a [`GeneralBlockMatrix`]: analyse a pattern once, factor many times, solve many
/// times.
///
/// Blocks below `node_count` have three unknowns, the others one, in component 0; their components
/// 1 and 2 are left alone by solves. Components factor in parallel, each on one thread: the same
/// bits for any thread count.
#[derive(Debug)]
pub struct BlockLu {
    pattern: Arc<BlockPattern>,
    components: Vec<Component>,
}

/// Where the numbers of a block come from.
#[derive(Clone, Copy, Debug)]
enum Source {
    /// The block in this slot.
    Upper(u32),
    /// The mirror of the block in a slot of a row.
    Lower { row: u32, slot: u32 },
}

/// A block of a column.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Position of its row among the blocks of the component.
    position: u32,
    source: Source,
}

#[derive(Debug)]
struct Component {
    /// Blocks, ascending.
    blocks: Vec<u32>,
    /// First scalar of each, and the total.
    offsets: Vec<u32>,
    /// Entries of each column of blocks, rows ascending.
    columns: Vec<Vec<Entry>>,
    matrix: CscMatrix,
    lu: SparseLu,
}

struct Graph<'a>(&'a BlockPattern);

impl UpperGraph for Graph<'_> {
    fn block_count(&self) -> usize {
        self.0.block_count()
    }
    fn row(&self, row: usize) -> (usize, &[u32]) {
        (self.0.diagonal_slot(row), self.0.row(row))
    }
    fn scalars(&self, _block: usize) -> usize {
        1
    }
}

impl BlockLu {
    /// Symbolic analysis of a pattern.
    pub fn analyse(pattern: &Arc<BlockPattern>, node_count: usize) -> Result<Self, FactorError> {
        let (label, count) = label_components(&Graph(pattern));
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); count];
        label.iter().enumerate().for_each(|(block, &c)| members[c as usize].push(block as u32));
        let components = members.into_par_iter().map(|blocks| Component::new(pattern, node_count, blocks));
        let components: Vec<Result<Component, FactorError>> = components.collect();
        let components = components.into_iter().collect::<Result<_, _>>()?;
        Ok(Self { pattern: pattern.clone(), components })
    }

    /// Numeric factorisation of a matrix on the analysed pattern; blocks marked in `fixed` get rows
    /// and columns of the identity.
    pub fn factor(&mut self, matrix: &GeneralBlockMatrix, fixed: Option<&[bool]>) -> Result<(), FactorError> {
        if !Arc::ptr_eq(&self.pattern, matrix.pattern()) && self.pattern != *matrix.pattern() {
            return Err(FactorError::PatternChanged);
        }
        if let Some(fixed) = fixed {
            assert_eq!(fixed.len(), matrix.block_count(), "one mask entry per block");
        }
        let factor = |component: &mut Component| {
            component.fill(matrix, fixed);
            component.lu.factor(&component.matrix)
        };
        let results: Vec<Result<(), FactorError>> = self.components.par_iter_mut().map(factor).collect();
        results.into_iter().collect()
    }

    /// Solves A x = b in place; an error when the factor is singular to working precision.
    pub fn solve_in_place(&self, rhs: &mut [Vec3]) -> Result<(), FactorError> {
        self.solve_with(rhs, SparseLu::solve_in_place)
    }

    /// Solves Aᵀ x = b in place: adjoints.
    pub fn solve_transposed_in_place(&self, rhs: &mut [Vec3]) -> Result<(), FactorError> {
        self.solve_with(rhs, SparseLu::solve_transposed_in_place)
    }

    fn solve_with(
        &self,
        rhs: &mut [Vec3],
        solve: impl Fn(&SparseLu, &mut [f64]) -> Result<(), FactorError> + Sync,
    ) -> Result<(), FactorError> {
        assert_eq!(rhs.len(), self.pattern.block_count(), "one block per row");
        let solutions: Vec<Result<Vec<f64>, FactorError>> = self
            .components
            .par_iter()
            .map(|component| {
                let mut x = component.gather(rhs);
                solve(&component.lu, &mut x).map(|()| x)
            })
            .collect();
        let solutions = solutions.into_iter().collect::<Result<Vec<_>, _>>()?;
        self.components.iter().zip(&solutions).for_each(|(component, x)| component.scatter(x, rhs));
        Ok(())
    }

    /// Number of connected components.
    pub fn component_count(&self) -> usize {
        self.components.len()
    }
}

impl Component {
    fn new(pattern: &BlockPattern, node_count: usize, blocks: Vec<u32>) -> Result<Self, FactorError> {
        let mut offsets = vec![0u32; blocks.len() + 1];
        for (k, &block) in blocks.iter().enumerate() {
            offsets[k + 1] = offsets[k] + if (block as usize) < node_count { 3 } else { 1 };
        }
        let position = |block: usize| {
            blocks.binary_search(&(block as u32)).expect("neighbours lie in one component") as u32
        };
        let columns: Vec<Vec<Entry>> = blocks
            .iter()
            .map(|&column| {
                let column = column as usize;
                let above = pattern
                    .lower_links(column)
                    .map(|(row, slot)| Entry { position: position(row), source: Source::Upper(slot as u32) });
                let diagonal = pattern.diagonal_slot(column);
                let below = pattern.row_range(column).zip(pattern.row(column)).map(|(slot, &row)| Entry {
                    position: position(row as usize),
                    source: match slot == diagonal {
                        true => Source::Upper(slot as u32),
                        false => Source::Lower { row: column as u32, slot: slot as u32 },
                    },
                });
                above.chain(below).collect()
            })
            .collect();
        let matrix = scalar_pattern(&columns, &offsets)?;
        let lu = SparseLu::analyse(&matrix)?;
        Ok(Self { blocks, offsets, columns, matrix, lu })
    }

    /// Takes the numbers of a matrix, in the order of [`scalar_pattern`].
    fn fill(&mut self, matrix: &GeneralBlockMatrix, fixed: Option<&[bool]>) {
        let Self { blocks, offsets, columns, matrix: own, .. } = self;
        let is_fixed = |position: usize| fixed.is_some_and(|f| f[blocks[position] as usize]);
        let mut values = own.values_mut().iter_mut();
        for (column, entries) in columns.iter().enumerate() {
            for c in 0..scalars(offsets, column) {
                for entry in entries {
                    let row = entry.position as usize;
                    let masked = is_fixed(row) || is_fixed(column);
                    let block = match entry.source {
                        Source::Upper(slot) => matrix.upper(slot as usize),
                        Source::Lower { row, slot } => matrix.lower(row as usize, slot as usize),
                    };
                    for r in 0..scalars(offsets, row) {
                        let identity = f64::from(row == column && r == c);
                        *values.next().expect("a value per entry") =
                            if masked { identity } else { block[(r, c)] };
                    }
                }
            }
        }
    }

    fn gather(&self, rhs: &[Vec3]) -> Vec<f64> {
        let of_block =
            |(k, &block): (usize, &u32)| (0..scalars(&self.offsets, k)).map(move |r| rhs[block as usize][r]);
        self.blocks.iter().enumerate().flat_map(of_block).collect()
    }

    fn scatter(&self, x: &[f64], rhs: &mut [Vec3]) {
        for (k, &block) in self.blocks.iter().enumerate() {
            for r in 0..scalars(&self.offsets, k) {
                rhs[block as usize][r] = x[self.offsets[k] as usize + r];
            }
        }
    }
}

/// Scalars of the block at a position.
fn scalars(offsets: &[u32], position: usize) -> usize {
    (offsets[position + 1] - offsets[position]) as usize
}

/// Columns of scalars with all values zero.
fn scalar_pattern(columns: &[Vec<Entry>], offsets: &[u32]) -> Result<CscMatrix, FactorError> {
    let size = offsets[columns.len()] as usize;
    let (mut starts, mut rows) = (vec![0u32], Vec::new());
    for (column, entries) in columns.iter().enumerate() {
        for _ in 0..scalars(offsets, column) {
            for entry in entries {
                let position = entry.position as usize;
                rows.extend(offsets[position]..offsets[position + 1]);
            }
            starts.push(rows.len() as u32);
        }
    }
    let values = vec![0.0; rows.len()];
    CscMatrix::new(size, starts, rows, values)
}
