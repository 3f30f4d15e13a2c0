//! Which linear solver finds a direction.
//!
//! Conjugate gradients cost about [`BLOCK_PRODUCT`] per stored block and iteration. A direct solve costs about [`BLOCK_MERGE`] per stored
//! block for the pattern and its analysis and [`FACTOR_RATE`]·z²/n for z numbers in the factor and n unknowns (see `docs/bench.md`).
//! Their ratio is the *budget*: a system that needs more iterations is solved directly, and so are the following ones for a
//! while. The choice depends on counts alone, never on a clock: runs repeat bit for bit.

use super::assembly::{ContactOperator, Terms};
use super::contacts::Contact;
use super::merged::{Merged, prepared};
use super::options::{BarrierOptions, LinearPolicy};
use crate::saved::{RestoreError, SavedState};
use crate::solver::StepError;
use stiction_numerics::{
    BlockMatrix, LinearPcg, MaskedOperator, PcgInfo, PcgParams, PcgParts, ResidualNorm, Vec3,
};

/// One block in a product with a symmetric matrix, two threads \[ns\].
const BLOCK_PRODUCT: f64 = 5.0;

/// Factorisation, one thread \[ns\].
const FACTOR_RATE: f64 = 0.07;

/// Pattern, analysis and filling of one block, one thread \[ns\].
const BLOCK_MERGE: f64 = 250.0;

/// Iterations before a factorisation is thought of: most systems are done by then.
const FIRST_CAP: usize = 160;

/// Direct solves after which conjugate gradients are tried again.
const DIRECT_RUN: u64 = 64;

/// Stored blocks beyond which nothing is factored: the factor would not fit.
const LARGEST: usize = 4_000_000;

/// A system: `A + Wᵀ K W`, prescribed blocks, and the islands that must each be solved.
pub(super) struct System<'a> {
    pub matrix: &'a BlockMatrix,
    pub contacts: &'a [Contact],
    pub terms: &'a [Terms],
    pub fixed: &'a [bool],
    pub parts: PcgParts<'a>,
    pub nodes: usize,
}

/// How a system was solved.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Solved {
    pub pcg_iterations: usize,
    pub direct: bool,
    pub converged: bool,
}

/// Scratch and memory of the linear solvers.
#[derive(Default)]
pub(super) struct LinearSolves {
    pcg: LinearPcg,
    merged: Option<Merged>,
    /// Direct solves that are still to come before conjugate gradients are tried.
    direct_left: u64,
}

impl LinearSolves {
    /// Forgets the pattern of the last step, which a resumed run would not have.
    pub fn begin_step(&mut self) {
        self.merged = None;
    }

    /// Improves the guess in `d` until the system is solved.
    pub fn solve(
        &mut self,
        options: &BarrierOptions,
        system: &System<'_>,
        operator: &ContactOperator<'_>,
        rhs: &[Vec3],
        d: &mut [Vec3],
    ) -> Result<Solved, StepError> {
        let wants_direct = match options.linear {
            LinearPolicy::Direct => true,
            LinearPolicy::Pcg => false,
            LinearPolicy::Auto => self.direct_left > 0,
        };
        if wants_direct && self.solve_directly(system, rhs, d)? {
            self.direct_left = self.direct_left.saturating_sub(1);
            return Ok(Solved { pcg_iterations: 0, direct: true, converged: true });
        }
        let most = options.pcg_iterations;
        let first = if options.linear == LinearPolicy::Auto { FIRST_CAP.min(most) } else { most };
        let mut info = self.solve_pcg(options, system, operator, rhs, d, first)?;
        let mut iterations = info.iterations;
        if !info.converged && iterations < most {
            let budget = self.budget(system)?.min(most);
            if budget > first {
                info = self.solve_pcg(options, system, operator, rhs, d, budget - first)?;
                iterations += info.iterations;
            }
            if !info.converged && self.solve_directly(system, rhs, d)? {
                self.direct_left = DIRECT_RUN;
                return Ok(Solved { pcg_iterations: iterations, direct: true, converged: true });
            }
        }
        Ok(Solved { pcg_iterations: iterations, direct: false, converged: info.converged })
    }

    fn solve_pcg(
        &mut self,
        options: &BarrierOptions,
        system: &System<'_>,
        operator: &ContactOperator<'_>,
        rhs: &[Vec3],
        d: &mut [Vec3],
        iterations: usize,
    ) -> Result<PcgInfo, StepError> {
        let params = PcgParams {
            relative_tolerance: options.pcg_tolerance,
            max_iterations: iterations,
            norm: ResidualNorm::Infinity,
            ..PcgParams::default()
        };
        let masked = MaskedOperator::new(operator, system.fixed);
        let jacobi = operator.block_jacobi(system.fixed);
        self.pcg
            .solve_parts(&masked, &jacobi, rhs, d, &params, &system.parts)
            .map_err(|error| StepError::LinearSolver { reason: error.to_string() })
    }

    fn solve_directly(
        &mut self,
        system: &System<'_>,
        rhs: &[Vec3],
        d: &mut [Vec3],
    ) -> Result<bool, StepError> {
        let mut solution = rhs.to_vec();
        let merged = prepared(&mut self.merged, system.matrix, system.contacts, system.nodes)?;
        merged.fill(system.matrix, system.contacts, system.terms);
        let solved = merged.solve(system.fixed, &mut solution)?;
        if solved {
            d.copy_from_slice(&solution);
        }
        Ok(solved)
    }

    /// Iterations that cost as much as a direct solve.
    fn budget(&mut self, system: &System<'_>) -> Result<usize, StepError> {
        if system.matrix.pattern().stored_count() > LARGEST {
            return Ok(usize::MAX);
        }
        let merged = prepared(&mut self.merged, system.matrix, system.contacts, system.nodes)?;
        let [blocks, stored, numbers] = merged.sizes().map(|n| n as f64);
        let direct = BLOCK_MERGE * stored + FACTOR_RATE * numbers * numbers / (3.0 * blocks);
        Ok((direct / (BLOCK_PRODUCT * stored)) as usize)
    }

    pub fn save(&self, saved: &mut SavedState) {
        saved.keys.insert("direct_left".to_owned(), vec![self.direct_left]);
    }

    pub fn restore(&mut self, saved: &SavedState) -> Result<(), RestoreError> {
        let &[left] = saved.keys("direct_left")? else {
            return Err(RestoreError::Array { name: "direct_left".to_owned() });
        };
        self.direct_left = left;
        Ok(())
    }

    pub fn reset(&mut self) {
        self.direct_left = 0;
        self.merged = None;
    }
}
