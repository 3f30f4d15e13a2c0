//! Banded factors of rods, strand by strand.
//!
//! The unknowns of an open strand in the order x₀ θ₀ x₁ θ₁ … x_n make a band of 10 off-diagonals:
//! factor and solve cost a fixed number of operations per node. Strands run in parallel, each on
//! one thread, so the bits do not depend on their number.

use rayon::prelude::*;
use std::ops::Range;
use stiction_bodies::Model;
use stiction_bodies::rods::Strand;
use stiction_numerics::banded::ROD_HALF_BANDWIDTH;
use stiction_numerics::{
    BandedCholesky, BandedMatrix, BlockMatrix, BlockPattern, Mat3, Vec3, eigen_symmetric3,
};

/// Strands per task: long enough to hide the cost of one.
const PER_TASK: usize = 8;

/// The blocks of an open strand: nodes and twists, both without gaps.
#[derive(Clone, Debug, PartialEq)]
pub struct StrandBlocks {
    nodes: Range<usize>,
    twists: Range<usize>,
}

impl StrandBlocks {
    /// The blocks of a strand; `None` when it is closed or its nodes do not follow each other.
    pub fn new(model: &Model, strand: &Strand) -> Option<StrandBlocks> {
        let in_order = strand.nodes.windows(2).all(|pair| pair[1] == pair[0] + 1);
        let first = *strand.nodes.first()? as usize;
        let twist = model.twist_block(strand.first_edge as usize);
        in_order.then(|| StrandBlocks {
            nodes: first..first + strand.nodes.len(),
            twists: twist..twist + strand.nodes.len() - 1,
        })
    }

    /// All blocks in the order of elimination.
    pub fn blocks(&self) -> impl Iterator<Item = usize> + '_ {
        let twists = self.twists.clone().map(Some).chain(std::iter::once(None));
        self.nodes.clone().zip(twists).flat_map(|(node, twist)| std::iter::once(node).chain(twist))
    }

    /// Number of blocks.
    pub fn block_count(&self) -> usize {
        self.nodes.len() + self.twists.len()
    }

    fn size(&self) -> usize {
        3 * self.nodes.len() + self.twists.len()
    }

    /// First scalar of a block, and its number of scalars; `None` for a block of another object.
    fn place(&self, block: usize) -> Option<(usize, usize)> {
        if self.nodes.contains(&block) {
            Some((4 * (block - self.nodes.start), 3))
        } else if self.twists.contains(&block) {
            Some((4 * (block - self.twists.start) + 3, 1))
        } else {
            None
        }
    }

    /// Whether a stored entry of one of its rows lies in the band.
    fn holds(&self, row: usize, column: usize) -> bool {
        let (Some((r, rows)), Some((c, columns))) = (self.place(row), self.place(column)) else {
            return false;
        };
        (r + rows - 1).max(c + columns - 1) - r.min(c) <= ROD_HALF_BANDWIDTH
    }

    /// Number of entries of a pattern that reach out of the strand or out of its band.
    pub fn entries_outside(&self, pattern: &BlockPattern) -> usize {
        let outside = |block: usize| {
            let right = pattern.row(block).iter().filter(|&&c| !self.holds(block, c as usize)).count();
            right + pattern.lower_links(block).filter(|&(row, _)| self.place(row).is_none()).count()
        };
        self.blocks().map(outside).sum()
    }

    /// The band of A + diag(extra); rows and columns of fixed blocks become those of the identity.
    fn fill(
        &self,
        matrix: &BlockMatrix,
        extra: &impl Fn(usize) -> Mat3,
        fixed: &[bool],
        out: &mut BandedMatrix,
    ) {
        out.reshape(self.size(), ROD_HALF_BANDWIDTH);
        let pattern = matrix.pattern();
        for row in self.blocks() {
            let (r, rows) = self.place(row).expect("a block of the strand");
            let diagonal = if fixed[row] { Mat3::identity() } else { extra(row) };
            (0..rows).for_each(|i| (i..rows).for_each(|j| out.add(r + i, r + j, diagonal[(i, j)])));
            for (slot, &column) in pattern.row_range(row).zip(pattern.row(row)) {
                let column = column as usize;
                if fixed[row] || fixed[column] || !self.holds(row, column) {
                    continue;
                }
                let ((c, columns), block) = (self.place(column).expect("held"), &matrix.values()[slot]);
                for i in 0..rows {
                    // Of a diagonal block the upper half says all.
                    for j in (if row == column { i } else { 0 })..columns {
                        out.add(r + i, c + j, block[(i, j)]);
                    }
                }
            }
        }
    }
}

/// Factors of many strands.
#[derive(Debug, Default)]
pub struct RodFactors {
    strands: Vec<StrandBlocks>,
    factors: Vec<BandedCholesky>,
}

impl RodFactors {
    /// Room for factors of strands, which stand in the order of their nodes and of their twists.
    pub fn new(strands: Vec<StrandBlocks>) -> RodFactors {
        let ordered = |pair: &[StrandBlocks]| {
            pair[0].nodes.end <= pair[1].nodes.start && pair[0].twists.end <= pair[1].twists.start
        };
        assert!(strands.windows(2).all(ordered), "strands follow each other");
        RodFactors { factors: vec![BandedCholesky::default(); strands.len()], strands }
    }

    /// Number of strands.
    pub fn len(&self) -> usize {
        self.strands.len()
    }

    /// Whether there is no strand.
    pub fn is_empty(&self) -> bool {
        self.strands.is_empty()
    }

    /// The strands.
    pub fn strands(&self) -> impl Iterator<Item = &StrandBlocks> {
        self.strands.iter()
    }

    /// All their blocks.
    pub fn blocks(&self) -> impl Iterator<Item = usize> + '_ {
        self.strands.iter().flat_map(StrandBlocks::blocks)
    }

    /// Factors A + diag(extra). Names a block of the first strand that is not positive definite.
    pub fn factor(
        &mut self,
        matrix: &BlockMatrix,
        extra: &(impl Fn(usize) -> Mat3 + Sync),
        fixed: &[bool],
    ) -> Result<(), usize> {
        let pairs = self.strands.par_iter().zip(&mut self.factors).with_min_len(PER_TASK);
        let failures: Vec<usize> = pairs
            .map_init(BandedMatrix::default, |band, (strand, factor)| {
                strand.fill(matrix, extra, fixed, band);
                factor.refactor(band).err().map(|bad| strand.nodes.start + bad.row / 4)
            })
            .flatten()
            .collect();
        failures.first().map_or(Ok(()), |&block| Err(block))
    }

    /// Writes the effective inertia of every node of a strand \[kg\]: what a push at this node
    /// alone, in its softest direction, has to move.
    /// 1/λ_max((A⁻¹)_jj) for the matrix A that was factored; nodes of other objects are left alone.
    pub fn effective_inertia(&self, nodes: &mut [f64]) {
        let nodes = pieces(nodes, 0, self.strands.iter().map(|s| s.nodes.clone()));
        let strands = nodes.into_par_iter().zip(&self.factors).with_min_len(PER_TASK);
        strands.for_each_init(BandedMatrix::default, |band, (nodes, factor)| {
            factor.inverse_band(band);
            for (k, inertia) in nodes.iter_mut().enumerate() {
                let block = Mat3::from_fn(|i, j| band.get(4 * k + i, 4 * k + j));
                *inertia = 1.0 / eigen_symmetric3(&block).values.max();
            }
        });
    }

    /// Solves in place; blocks of other objects are left alone.
    pub fn solve_in_place(&self, node_count: usize, rhs: &mut [Vec3]) {
        let (nodes, scalars) = rhs.split_at_mut(node_count);
        let nodes = pieces(nodes, 0, self.strands.iter().map(|s| s.nodes.clone()));
        let twists = pieces(scalars, node_count, self.strands.iter().map(|s| s.twists.clone()));
        let strands = nodes.into_par_iter().zip(twists).zip(&self.factors).with_min_len(PER_TASK);
        strands.for_each_init(Vec::new, |flat, ((nodes, twists), factor)| {
            flat.clear();
            for (k, x) in nodes.iter().enumerate() {
                flat.extend_from_slice(x.as_slice());
                flat.extend(twists.get(k).map(|twist| twist.x));
            }
            factor.solve(flat);
            for (k, x) in nodes.iter_mut().enumerate() {
                x.copy_from_slice(&flat[4 * k..4 * k + 3]);
            }
            twists.iter_mut().enumerate().for_each(|(k, twist)| twist.x = flat[4 * k + 3]);
        });
    }
}

/// Cuts ascending ranges of blocks out of a slice whose first block is `start`.
fn pieces<T>(
    mut rest: &mut [T],
    mut start: usize,
    ranges: impl Iterator<Item = Range<usize>>,
) -> Vec<&mut [T]> {
    let mut out = Vec::with_capacity(ranges.size_hint().0);
    for range in ranges {
        let (_, from) = rest.split_at_mut(range.start - start);
        let (piece, after) = from.split_at_mut(range.len());
        out.push(piece);
        (rest, start) = (after, range.end);
    }
    out
}
