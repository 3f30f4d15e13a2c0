//! Solves with the symmetric system of a step: direct, or conjugate gradients when the matrix is
//! too large.

use crate::solver::StepError;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stiction_factor::{FactorError, SparseCholesky};
use stiction_numerics::{BlockMatrix, LinearPcg, MaskedOperator, PcgParams, PrecondIncompleteCholesky, Vec3};

/// Which linear solver a method uses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LinearChoice {
    /// Sparse Cholesky factorisation, body by body.
    #[default]
    Direct,
    /// Conjugate gradients with incomplete Cholesky.
    Pcg,
}

/// A solver for one pattern, kept over steps so that the symbolic analysis is done once.
pub struct LinearSolver {
    choice: LinearChoice,
    cholesky: Option<SparseCholesky>,
    pcg: LinearPcg,
    node_count: usize,
}

/// Relative shifts of the diagonal that are tried when a matrix is not positive definite.
pub(crate) const SHIFTS: [f64; 5] = [0.0, 1e-10, 1e-8, 1e-6, 1e-4];

impl LinearSolver {
    /// A solver for matrices whose first `node_count` blocks are nodes.
    pub fn new(choice: LinearChoice, node_count: usize) -> LinearSolver {
        LinearSolver { choice, cholesky: None, pcg: LinearPcg::new(), node_count }
    }

    /// Solves `matrix · x = rhs` with held blocks kept at zero; `rhs` becomes `x`.
    pub fn solve(&mut self, matrix: &BlockMatrix, fixed: &[bool], rhs: &mut [Vec3]) -> Result<(), StepError> {
        match self.choice {
            LinearChoice::Direct => self.solve_direct(matrix, fixed, rhs),
            LinearChoice::Pcg => self.solve_pcg(matrix, fixed, rhs),
        }
    }

    fn solve_direct(
        &mut self,
        matrix: &BlockMatrix,
        fixed: &[bool],
        rhs: &mut [Vec3],
    ) -> Result<(), StepError> {
        self.factor(matrix, fixed)?;
        self.solve_factored(rhs);
        Ok(())
    }

    /// Factors a matrix for [`LinearSolver::solve_factored`], with a shift of its diagonal where it
    /// is not definite.
    pub fn factor(&mut self, matrix: &BlockMatrix, fixed: &[bool]) -> Result<(), StepError> {
        let cholesky = self.analysed(matrix)?;
        let mut failed = 0;
        for shift in SHIFTS {
            let attempt = match shift {
                0.0 => cholesky.factor(matrix, Some(fixed)),
                _ => cholesky.factor(&shifted(matrix, shift), Some(fixed)),
            };
            match attempt {
                Ok(()) => return Ok(()),
                Err(FactorError::NotPositiveDefinite { block }) => failed = block,
                Err(error) => return Err(error.into()),
            }
        }
        Err(StepError::Indefinite { block: failed, shift: SHIFTS[SHIFTS.len() - 1] })
    }

    /// Solves as [`LinearSolver::solve`] does if the matrix is positive definite as it stands; else
    /// leaves `rhs` alone and says so. Only factorisations can tell: with conjugate gradients the
    /// answer is always no.
    pub fn solve_if_definite(
        &mut self,
        matrix: &BlockMatrix,
        fixed: &[bool],
        rhs: &mut [Vec3],
    ) -> Result<bool, StepError> {
        if self.choice == LinearChoice::Pcg {
            return Ok(false);
        }
        match self.analysed(matrix)?.factor(matrix, Some(fixed)) {
            Ok(()) => {
                self.solve_factored(rhs);
                Ok(true)
            }
            Err(FactorError::NotPositiveDefinite { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }

    /// The factorisation, analysed when it is first asked for.
    fn analysed(&mut self, matrix: &BlockMatrix) -> Result<&mut SparseCholesky, StepError> {
        Ok(match &mut self.cholesky {
            Some(cholesky) => cholesky,
            empty => empty.insert(SparseCholesky::analyse(matrix.pattern(), self.node_count)?),
        })
    }

    /// Solves with the matrix that was factored last; `rhs` becomes the solution, held blocks keep
    /// what they have.
    pub fn solve_factored(&self, rhs: &mut [Vec3]) {
        self.cholesky.as_ref().expect("a matrix is factored before it is solved").solve_in_place(rhs);
    }

    fn solve_pcg(&mut self, matrix: &BlockMatrix, fixed: &[bool], rhs: &mut [Vec3]) -> Result<(), StepError> {
        let operator = MaskedOperator::new(matrix, fixed);
        let preconditioner = PrecondIncompleteCholesky::new(matrix, Some(fixed))
            .map_err(|error| StepError::LinearSolver { reason: error.to_string() })?;
        let params = PcgParams { max_iterations: 2000, ..PcgParams::default() };
        let mut x = vec![Vec3::zeros(); rhs.len()];
        let info = self
            .pcg
            .solve(&operator, &preconditioner, rhs, &mut x, &params)
            .map_err(|error| StepError::LinearSolver { reason: error.to_string() })?;
        if !info.converged {
            let reached = info.final_residual / info.initial_residual;
            let reason = format!("{} iterations of conjugate gradients reached {reached:e}", info.iterations);
            return Err(StepError::LinearSolver { reason });
        }
        rhs.copy_from_slice(&x);
        Ok(())
    }
}

/// The matrix with every diagonal block enlarged by a share of its own trace: keeps the unknowns'
/// own scales.
fn shifted(matrix: &BlockMatrix, shift: f64) -> BlockMatrix {
    let mut out = matrix.clone();
    let weights: Vec<f64> = (0..matrix.block_count()).map(|i| relative_shift(matrix, i, shift)).collect();
    out.add_diagonal(&weights);
    out
}

/// What a relative shift adds to the diagonal of a block.
pub(crate) fn relative_shift(matrix: &BlockMatrix, block: usize, shift: f64) -> f64 {
    if shift == 0.0 { 0.0 } else { shift * matrix.diagonal_block(block).trace() }
}
