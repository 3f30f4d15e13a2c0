//! Elasticity and contacts in one matrix, and its factor: the direct solve.
//!
//! The pattern is that of the mesh with the couplings of contacts; it is kept while the couplings hold the same pairs, and with it the
//! symbolic analysis. Blocks whose contact has opened stay as zeros.

use crate::solver::StepError;
use std::sync::Arc;
use stiction_factor::{FactorError, SparseCholesky};
use stiction_numerics::{BlockMatrix, CoupledMatrix, Vec3};

/// The merged matrix of a step.
pub(super) struct Merged {
    matrix: BlockMatrix,
    /// Where each block of the elastic matrix goes, and each coupling.
    places: [Vec<u32>; 2],
    cholesky: SparseCholesky,
}

impl Merged {
    /// Merges both patterns and analyses the sum.
    fn new(system: CoupledMatrix<'_>, nodes: usize) -> Result<Merged, StepError> {
        let base = system.base.pattern();
        let pairs: Vec<[u32; 2]> =
            system.couplings.entries().map(|(row, column, _)| [row as u32, column as u32]).collect();
        let pattern = Arc::new(base.with_stencils(pairs.iter().map(|pair| &pair[..])));
        let own = (0..base.block_count()).flat_map(|row| base.row(row).iter().map(move |&c| [row as u32, c]));
        let place = |[row, column]: [u32; 2]| {
            pattern.slot(row as usize, column as usize).expect("the merged pattern holds both") as u32
        };
        let places = [own.map(place).collect(), pairs.iter().copied().map(place).collect()];
        let cholesky = SparseCholesky::analyse(&pattern, nodes)?;
        Ok(Merged { matrix: BlockMatrix::zeros(pattern), places, cholesky })
    }

    /// Sets the values.
    pub fn fill(&mut self, system: CoupledMatrix<'_>) {
        self.matrix.set_zero();
        let values = self.matrix.values_mut();
        let base = system.base.pattern();
        let own = (0..base.block_count()).flat_map(|row| base.row_range(row).map(move |slot| (row, slot)));
        for (&place, (row, slot)) in self.places[0].iter().zip(own) {
            values[place as usize] = system.base.stored(row, slot);
        }
        for (&place, (_, _, block)) in self.places[1].iter().zip(system.couplings.entries()) {
            values[place as usize] = block.to_matrix();
        }
    }

    /// Solves directly; `false` when the matrix is not positive definite, and `rhs` is then as it was. Held blocks keep what they have.
    pub fn solve(&mut self, fixed: &[bool], rhs: &mut [Vec3]) -> Result<bool, StepError> {
        match self.cholesky.factor(&self.matrix, Some(fixed)) {
            Ok(()) => {
                self.cholesky.solve_in_place(rhs);
                Ok(true)
            }
            Err(FactorError::NotPositiveDefinite { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// Block rows, stored blocks and numbers in the factor.
    pub fn sizes(&self) -> [usize; 3] {
        let pattern = self.matrix.pattern();
        [pattern.block_count(), pattern.stored_count(), self.cholesky.factor_bytes() / 8]
    }
}

/// The merged matrix of a system: the present one if no pair came in since. Within a step couplings only grow.
pub(super) fn prepared<'a>(
    merged: &'a mut Option<Merged>,
    system: CoupledMatrix<'_>,
    nodes: usize,
) -> Result<&'a mut Merged, StepError> {
    if merged.as_ref().is_some_and(|m| m.places[1].len() != system.couplings.stored_count()) {
        *merged = None;
    }
    match merged {
        Some(kept) => Ok(kept),
        empty => Ok(empty.insert(Merged::new(system, nodes)?)),
    }
}
