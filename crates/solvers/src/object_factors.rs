//! Factors object by object: banded for rods, sparse Cholesky for all else.   [Daviet2020, section
//! 6.2.5]
//!
//! Without couplings between objects they solve exactly. Soft couplings (attachments, stitches) tie
//! objects together; then either the coupled objects are factored jointly, or the factors leave the
//! ties out and serve as a preconditioner.

use crate::linear::{SHIFTS, relative_shift};
use crate::rod_factors::{RodFactors, StrandBlocks};
use crate::solver::StepError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use stiction_bodies::Model;
use stiction_factor::{FactorError, SparseCholesky};
use stiction_numerics::{BlockMatrix, BlockPattern, Mat3, Preconditioner, Vec3};

/// How objects that soft couplings tie together are factored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Coupled {
    /// One by one; conjugate gradients bring the ties in.
    Apart,
    /// Together, ties included.
    #[default]
    Jointly,
}

/// Factors of all objects of a model.
pub struct ObjectFactors {
    node_count: usize,
    rods: RodFactors,
    rest: Option<Rest>,
    is_exact: bool,
}

/// The objects that are not rods, with their own numbering of blocks.
struct Rest {
    cholesky: SparseCholesky,
    matrix: BlockMatrix,
    /// Block of the model by block.
    blocks: Vec<u32>,
    /// Slot of the model's matrix by slot.
    slots: Vec<u32>,
}

impl ObjectFactors {
    /// Symbolic analysis for matrices of a pattern.
    pub fn new(
        pattern: &BlockPattern,
        model: &Model,
        coupled: Coupled,
    ) -> Result<ObjectFactors, FactorError> {
        let split = coupled == Coupled::Apart && !model.couplings.is_empty();
        let rods = RodFactors::new(banded_strands(pattern, model, split));
        let mut banded = vec![false; model.blocks()];
        rods.blocks().for_each(|block| banded[block] = true);
        let part = &model.by_mesh.part;
        let is_kept = |row: usize, column: usize| !split || part[row] == part[column];
        let blocks: Vec<u32> = (0..model.blocks()).filter(|&b| !banded[b]).map(|b| b as u32).collect();
        let rest = match blocks.is_empty() {
            true => None,
            false => Some(Rest::new(pattern, model.nodes, blocks, is_kept)?),
        };
        let left_out = |row: usize| pattern.row(row).iter().any(|&c| !is_kept(row, c as usize));
        let is_exact = !split
            || !(0..model.blocks()).any(left_out) && rods.strands().all(|s| s.entries_outside(pattern) == 0);
        Ok(ObjectFactors { node_count: model.nodes, rods, rest, is_exact })
    }

    /// Whether nothing was left out, so that a solve is the solution.
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Number of strands with banded factors.
    pub fn banded_count(&self) -> usize {
        self.rods.len()
    }

    /// Factors A + diag(extra), with a further shift of the diagonal where that is not definite.
    pub fn factor(
        &mut self,
        matrix: &BlockMatrix,
        extra: impl Fn(usize) -> Mat3 + Sync,
        fixed: &[bool],
    ) -> Result<(), StepError> {
        let mut failed = 0;
        for shift in SHIFTS {
            let diagonal =
                |block: usize| extra(block) + Mat3::identity() * relative_shift(matrix, block, shift);
            let rods = self.rods.factor(matrix, &diagonal, fixed);
            let outcome = match (rods, &mut self.rest) {
                (Err(block), _) => Err(FactorError::NotPositiveDefinite { block }),
                (Ok(()), Some(rest)) => rest.factor(matrix, &diagonal, fixed),
                (Ok(()), None) => Ok(()),
            };
            match outcome {
                Ok(()) => return Ok(()),
                Err(FactorError::NotPositiveDefinite { block }) => failed = block,
                Err(error) => return Err(error.into()),
            }
        }
        Err(StepError::Indefinite { block: failed, shift: SHIFTS[SHIFTS.len() - 1] })
    }

    /// Writes the effective inertia of nodes of strands with banded factors \[kg\]; other nodes are
    /// left alone.
    pub fn effective_inertia(&self, nodes: &mut [f64]) {
        self.rods.effective_inertia(nodes);
    }

    /// Solves with the factors; held blocks keep what they have.
    pub fn solve_in_place(&self, rhs: &mut [Vec3]) {
        self.rods.solve_in_place(self.node_count, rhs);
        if let Some(rest) = &self.rest {
            rest.solve_in_place(rhs);
        }
    }
}

impl Preconditioner for ObjectFactors {
    fn apply(&self, r: &[Vec3], z: &mut [Vec3]) {
        z.copy_from_slice(r);
        self.solve_in_place(z);
    }
}

/// The strands that make objects of their own and keep to their band. What reaches out of them must
/// be a tie that is left out.
fn banded_strands(pattern: &BlockPattern, model: &Model, split: bool) -> Vec<StrandBlocks> {
    let mut part_sizes = vec![0; model.by_mesh.parts];
    model.by_mesh.part.iter().for_each(|&part| part_sizes[part as usize] += 1);
    let is_alone = |strand: &StrandBlocks| {
        strand.blocks().all(|b| part_sizes[model.by_mesh.part[b] as usize] == strand.block_count())
    };
    let strands = model.rods.strands.iter().filter_map(|strand| StrandBlocks::new(model, strand));
    strands.filter(|s| is_alone(s) && (split || s.entries_outside(pattern) == 0)).collect()
}

impl Rest {
    fn new(
        pattern: &BlockPattern,
        node_count: usize,
        blocks: Vec<u32>,
        is_kept: impl Fn(usize, usize) -> bool,
    ) -> Result<Rest, FactorError> {
        let mut local = vec![u32::MAX; pattern.block_count()];
        blocks.iter().enumerate().for_each(|(k, &block)| local[block as usize] = k as u32);
        let mut pairs = Vec::new();
        for &row in &blocks {
            let kept = pattern
                .row(row as usize)
                .iter()
                .filter(|&&c| local[c as usize] != u32::MAX && is_kept(row as usize, c as usize));
            pairs.extend(kept.map(|&c| [local[row as usize], local[c as usize]]));
        }
        let own = Arc::new(BlockPattern::from_stencils(blocks.len(), pairs.iter().map(|p| &p[..])));
        let slot = |row: usize, column: u32| {
            let (row, column) = (blocks[row] as usize, blocks[column as usize] as usize);
            pattern.slot(row, column).expect("a kept entry is stored") as u32
        };
        let slots = (0..blocks.len()).flat_map(|row| own.row(row).iter().map(move |&c| (row, c)));
        let slots = slots.map(|(row, column)| slot(row, column)).collect();
        let nodes = blocks.partition_point(|&block| (block as usize) < node_count);
        let cholesky = SparseCholesky::analyse(&own, nodes)?;
        Ok(Rest { cholesky, matrix: BlockMatrix::zeros(own), blocks, slots })
    }

    fn factor(
        &mut self,
        matrix: &BlockMatrix,
        extra: &impl Fn(usize) -> Mat3,
        fixed: &[bool],
    ) -> Result<(), FactorError> {
        let values = matrix.values();
        self.matrix.values_mut().iter_mut().zip(&self.slots).for_each(|(v, &s)| *v = values[s as usize]);
        for (own, &block) in self.blocks.iter().enumerate() {
            *self.matrix.diagonal_block_mut(own) += extra(block as usize);
        }
        let fixed: Vec<bool> = self.blocks.iter().map(|&block| fixed[block as usize]).collect();
        self.cholesky.factor(&self.matrix, Some(&fixed)).map_err(|error| match error {
            FactorError::NotPositiveDefinite { block } => {
                FactorError::NotPositiveDefinite { block: self.blocks[block] as usize }
            }
            other => other,
        })
    }

    fn solve_in_place(&self, rhs: &mut [Vec3]) {
        if self.blocks.len() == rhs.len() {
            return self.cholesky.solve_in_place(rhs);
        }
        let mut own: Vec<Vec3> = self.blocks.iter().map(|&block| rhs[block as usize]).collect();
        self.cholesky.solve_in_place(&mut own);
        self.blocks.iter().zip(&own).for_each(|(&block, x)| rhs[block as usize] = *x);
    }
}
