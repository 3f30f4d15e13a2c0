//! Elasticity and contacts in one matrix, and its factor: the direct solve.
//!
//! The pattern is that of the mesh with the couplings of contacts; it is kept while it holds every pair of nodes in contact, and
//! with it the symbolic analysis. Blocks whose contact has opened stay as zeros.

use super::assembly::Terms;
use super::contacts::Contact;
use crate::solver::StepError;
use rayon::prelude::*;
use std::sync::Arc;
use stiction_factor::{FactorError, SparseCholesky};
use stiction_numerics::{BlockMatrix, BlockPattern, Vec3};

/// The merged matrix of a step.
pub(super) struct Merged {
    matrix: BlockMatrix,
    /// Where each block of the elastic matrix goes.
    places: Vec<u32>,
    cholesky: SparseCholesky,
}

impl Merged {
    /// Merges the pattern of a matrix with contacts and analyses it.
    fn new(base: &BlockPattern, contacts: &[Contact], nodes: usize) -> Result<Merged, StepError> {
        let pattern = Arc::new(base.with_stencils(contacts.iter().map(|c| c.stencil.nodes())));
        let mut places = Vec::with_capacity(base.stored_count());
        for row in 0..base.block_count() {
            let (start, columns) = (pattern.row_range(row).start, pattern.row(row));
            let mut k = 0;
            for &column in base.row(row) {
                while columns[k] != column {
                    k += 1;
                }
                places.push((start + k) as u32);
            }
        }
        let cholesky = SparseCholesky::analyse(&pattern, nodes)?;
        Ok(Merged { matrix: BlockMatrix::zeros(pattern), places, cholesky })
    }

    /// Whether every pair of nodes in contact has its block.
    fn holds(&self, contacts: &[Contact]) -> bool {
        let pattern = self.matrix.pattern();
        contacts.par_iter().with_min_len(1024).all(|contact| {
            let nodes = contact.stencil.nodes();
            let coupled = |&a: &u32, &b: &u32| pattern.slot(a.min(b) as usize, a.max(b) as usize).is_some();
            nodes.iter().enumerate().all(|(k, a)| nodes[k + 1..].iter().all(|b| coupled(a, b)))
        })
    }

    /// Sets the values.
    pub fn fill(&mut self, base: &BlockMatrix, contacts: &[Contact], terms: &[Terms]) {
        self.matrix.set_zero();
        let values = self.matrix.values_mut();
        for (&place, block) in self.places.iter().zip(base.values()) {
            values[place as usize] = *block;
        }
        for (contact, terms) in contacts.iter().zip(terms) {
            let (nodes, weights) = (contact.stencil.nodes(), contact.stencil.weights());
            for (k, (&i, a)) in nodes.iter().zip(weights).enumerate() {
                for (&j, b) in nodes[k..].iter().zip(&weights[k..]) {
                    self.matrix.add_block(i as usize, j as usize, &(terms.hessian * (a * b)));
                }
            }
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

/// The merged matrix for these contacts: the present one if it has all their blocks.
pub(super) fn prepared<'a>(
    merged: &'a mut Option<Merged>,
    base: &BlockMatrix,
    contacts: &[Contact],
    nodes: usize,
) -> Result<&'a mut Merged, StepError> {
    if merged.as_ref().is_some_and(|m| !m.holds(contacts)) {
        *merged = None;
    }
    match merged {
        Some(kept) => Ok(kept),
        empty => Ok(empty.insert(Merged::new(base.pattern(), contacts, nodes)?)),
    }
}
