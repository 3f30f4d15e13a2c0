//! A matrix and its couplings merged into one, and its factor: the direct solve of a coupled
//! system.
//!
//! The merged pattern is kept while the couplings hold the same pairs, and with it the symbolic
//! analysis. Couplings that have opened stay as zeros.

use crate::{FactorError, SparseCholesky};
use std::sync::Arc;
use stiction_numerics::{BlockMatrix, CoupledMatrix, Vec3};

/// The merged matrix of a coupled system, analysed for Cholesky.
pub struct MergedCholesky {
    matrix: BlockMatrix,
    /// Slot of the merged matrix by slot of the base.
    base_slots: Vec<u32>,
    /// Slot of the merged matrix by coupling.
    coupling_slots: Vec<u32>,
    cholesky: SparseCholesky,
}

impl MergedCholesky {
    /// Merges both patterns and analyses the sum; the first `node_count` blocks have three
    /// unknowns.
    pub fn analyse(system: CoupledMatrix<'_>, node_count: usize) -> Result<Self, FactorError> {
        let base = system.base.pattern();
        let pairs: Vec<[u32; 2]> =
            system.couplings.entries().map(|(row, column, _)| [row as u32, column as u32]).collect();
        let pattern = Arc::new(base.with_stencils(pairs.iter().map(|pair| &pair[..])));
        let own = (0..base.block_count()).flat_map(|row| base.row(row).iter().map(move |&c| [row as u32, c]));
        let slot = |[row, column]: [u32; 2]| {
            pattern.slot(row as usize, column as usize).expect("the merged pattern holds both") as u32
        };
        let base_slots = own.map(slot).collect();
        let coupling_slots = pairs.iter().copied().map(slot).collect();
        let cholesky = SparseCholesky::analyse(&pattern, node_count)?;
        Ok(Self { matrix: BlockMatrix::zeros(pattern), base_slots, coupling_slots, cholesky })
    }

    /// Whether this was made for a system with as many couplings: while couplings only grow, the
    /// same.
    pub fn knows(&self, system: CoupledMatrix<'_>) -> bool {
        self.coupling_slots.len() == system.couplings.stored_count()
    }

    /// Takes the values of a system and solves it; `false` when the matrix is not positive
    /// definite, and `rhs` is then as it was. Fixed blocks keep what they have.
    pub fn solve(
        &mut self,
        system: CoupledMatrix<'_>,
        fixed: &[bool],
        rhs: &mut [Vec3],
    ) -> Result<bool, FactorError> {
        self.fill(system);
        match self.cholesky.factor(&self.matrix, Some(fixed)) {
            Ok(()) => {
                self.cholesky.solve_in_place(rhs);
                Ok(true)
            }
            Err(FactorError::NotPositiveDefinite { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn fill(&mut self, system: CoupledMatrix<'_>) {
        self.matrix.set_zero();
        let values = self.matrix.values_mut();
        let base = system.base.pattern();
        let own = (0..base.block_count()).flat_map(|row| base.row_range(row).map(move |slot| (row, slot)));
        for (&merged, (row, slot)) in self.base_slots.iter().zip(own) {
            values[merged as usize] = system.base.stored(row, slot);
        }
        for (&merged, (_, _, block)) in self.coupling_slots.iter().zip(system.couplings.entries()) {
            values[merged as usize] = block.to_matrix();
        }
    }

    /// Stored blocks of the merged matrix.
    pub fn stored_count(&self) -> usize {
        self.matrix.pattern().stored_count()
    }

    /// Bytes of the factor.
    pub fn factor_bytes(&self) -> usize {
        self.cholesky.factor_bytes()
    }
}
