//! Which linear solver a coupled system gets: conjugate gradients, with a coarse level, or a
//! factor.
//!
//! Conjugate gradients cost about [`BLOCK_PRODUCT`] per stored block and iteration. A direct solve
//! costs about [`BLOCK_MERGE`] per stored block for the pattern and its analysis and
//! [`FACTOR_RATE`]·z²/n for z numbers in the factor and n unknowns (see `docs/bench.md`). Their
//! ratio is the *budget*: a system that needs more iterations is solved directly, and so are the
//! following ones for a while. Before that, a system that block Jacobi does not solve in
//! [`FIRST_CAP`]
//! iterations gets a coarse level, and so do the following ones. One that reaches the iteration cap
//! is solved directly as well if its factor fits. The choice depends on counts alone, never on a
//! clock: runs repeat bit for bit.

use crate::{CoarseLevel, FactorError, MergedCholesky};
use stiction_numerics::{
    BlockMatrix, CoupledMatrix, LinearOperator, MaskedOperator, PartsPcg, PcgError, PcgParams, PcgParts,
    Precision, PrecondBlockJacobi, ResidualNorm, RowPreconditioner, Vec3,
};
use thiserror::Error;

/// One block in a product with a symmetric matrix, two threads \[ns\].
const BLOCK_PRODUCT: f64 = 5.0;

/// Factorisation, one thread \[ns\].
const FACTOR_RATE: f64 = 0.07;

/// Pattern, analysis and filling of one block, one thread \[ns\].
const BLOCK_MERGE: f64 = 250.0;

/// Iterations with block Jacobi before a coarse level pays for itself.
const FIRST_CAP: usize = 50;

/// Iterations with a coarse level before a factorisation is considered: most systems are done by
/// then.
const SECOND_CAP: usize = 160;

/// Solves of one kind after which the cheaper kind is tried again.
const RUN: u64 = 64;

/// Stored blocks beyond which nothing is factored: the factor would not fit.
const LARGEST: usize = 4_000_000;

/// Stored blocks from which the matrix is kept in single precision, for half its memory. From some
/// 80k vertices on (0.5 million blocks) the slower assembly and the faster solve cancel out; at 20k
/// it would cost a tenth of the time.
const SINGLE_FROM: usize = 300_000;

/// Residual, relative to the first, up to which a solution that reached the iteration cap is used:
/// an outer Newton iteration corrects an error of a tenth of its direction in its next iterations.
const USABLE: f64 = 0.1;

/// Fraction of the largest right-hand side below which that of a part counts as this fraction.
const PART_FLOOR: f64 = 1e-6;

/// Which linear solver to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SolverPolicy {
    /// Conjugate gradients, with a coarse level where block Jacobi takes long; a factorisation
    /// where they would take longer still.
    #[default]
    Auto,
    /// Conjugate gradients with block Jacobi.
    Pcg,
    /// Conjugate gradients with block Jacobi and a coarse level.
    TwoLevel,
    /// Sparse Cholesky of the matrix with its couplings.
    Direct,
}

/// How systems are solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CoupledSolverOptions {
    /// Which linear solver.
    pub policy: SolverPolicy,
    /// Residual of conjugate gradients to reach, relative to the one at their start.
    pub relative_tolerance: f64,
    /// How that residual is measured.
    pub norm: ResidualNorm,
    /// Iterations of conjugate gradients at most.
    pub max_iterations: usize,
}

impl Default for CoupledSolverOptions {
    fn default() -> Self {
        let (policy, norm) = (SolverPolicy::Auto, ResidualNorm::Infinity);
        Self { policy, relative_tolerance: 1e-3, norm, max_iterations: 5000 }
    }
}

/// A symmetric positive definite system with couplings, prescribed blocks, and the uncoupled parts
/// that must each be solved.
#[derive(Clone, Copy, Debug)]
pub struct CoupledSystem<'a> {
    /// The matrix.
    pub matrix: CoupledMatrix<'a>,
    /// Blocks whose value is prescribed.
    pub fixed: &'a [bool],
    /// Parts that no entry couples.
    pub parts: PcgParts<'a>,
    /// Leading blocks with three unknowns; the others have one.
    pub node_count: usize,
}

/// How a system was solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoupledSolveInfo {
    /// Iterations of conjugate gradients.
    pub pcg_iterations: usize,
    /// Whether the solution comes from a factorisation.
    pub direct: bool,
    /// Whether the tolerance was met.
    pub converged: bool,
}

/// Why a system was not solved.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum CoupledSolveError {
    /// A factorisation failed for another reason than an indefinite matrix.
    #[error(transparent)]
    Factor(#[from] FactorError),
    /// Conjugate gradients cannot go on.
    #[error(transparent)]
    Pcg(#[from] PcgError),
    /// Conjugate gradients reached their cap too far from a solution to be of use.
    #[error(
        "conjugate gradients left {residual:.1e} of their first residual after {iterations} iterations, more than {usable}"
    )]
    Unsolved {
        /// Iterations done.
        iterations: usize,
        /// Residual relative to the first one, of the part of the system that is worst.
        residual: f64,
        /// The largest one that can be used.
        usable: f64,
    },
}

/// What earlier systems told about the next ones. It must be restored for a solve to be repeated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SolverHistory {
    /// Direct solves left before conjugate gradients are tried again.
    pub direct_left: u64,
    /// Solves with a coarse level left before block Jacobi is tried alone again.
    pub coarse_left: u64,
    /// Systems left before one is kept in single precision again.
    pub double_left: u64,
}

/// Solver of a sequence of coupled systems on one mesh. Owns factors and analyses; vectors of
/// conjugate gradients live as long as a solve, so that other work can use their memory.
pub struct CoupledSolver {
    coarse: CoarseLevel,
    merged: Option<MergedCholesky>,
    /// What earlier systems told.
    pub history: SolverHistory,
    /// Stored blocks from which a system is kept in single precision.
    pub single_from: usize,
}

impl Default for CoupledSolver {
    fn default() -> Self {
        let (coarse, history) = (CoarseLevel::default(), SolverHistory::default());
        Self { coarse, merged: None, history, single_from: SINGLE_FROM }
    }
}

impl CoupledSolver {
    /// Chooses the precision of the next system before its assembly. `further_blocks` is the memory
    /// that goes with it, counted in blocks: where that is large, the matrix has to be small.
    pub fn choose_precision(
        &mut self,
        policy: SolverPolicy,
        matrix: &mut BlockMatrix,
        further_blocks: usize,
    ) {
        let is_large = matrix.pattern().stored_count() + further_blocks >= self.single_from;
        let precision = match is_large && self.history.double_left == 0 && policy != SolverPolicy::Direct {
            true => Precision::Single,
            false => Precision::Double,
        };
        self.history.double_left = self.history.double_left.saturating_sub(1);
        matrix.set_precision(precision);
    }

    /// Whether a system that was not solved is worth a second assembly: the next ones, this one
    /// included, are then kept in double precision.
    pub fn retries_in_double(&mut self, failed: &BlockMatrix) -> bool {
        let again = failed.precision() == Precision::Single;
        if again {
            self.history.double_left = RUN;
        }
        again
    }

    /// Drops all analyses of couplings: for couplings that were cleared.
    pub fn clear_couplings(&mut self) {
        self.merged = None;
        self.coarse.clear_couplings();
    }

    /// Frees the numbers of the coarse factor, which every system makes again.
    pub fn release_factor(&mut self) {
        self.coarse.release_factor();
    }

    /// Forgets everything but the aggregates of the mesh.
    pub fn reset(&mut self) {
        self.history = SolverHistory::default();
        self.clear_couplings();
    }

    /// Improves the guess in `x` until the system is solved. Fixed blocks of `x` have their values
    /// already, and `rhs` is lifted by them (see [`MaskedOperator::lift`]).
    pub fn solve(
        &mut self,
        options: &CoupledSolverOptions,
        system: &CoupledSystem<'_>,
        rhs: &[Vec3],
        x: &mut [Vec3],
    ) -> Result<CoupledSolveInfo, CoupledSolveError> {
        let is_auto = options.policy == SolverPolicy::Auto;
        let wants_direct =
            options.policy == SolverPolicy::Direct || (is_auto && self.history.direct_left > 0);
        if wants_direct && self.solve_directly(system, rhs, x)? {
            self.history.direct_left = self.history.direct_left.saturating_sub(1);
            return Ok(CoupledSolveInfo { pcg_iterations: 0, direct: true, converged: true });
        }
        let masked = MaskedOperator::new(&system.matrix, system.fixed);
        let (pcg_iterations, converged) = self.iterate(options, system, &masked, rhs, x)?;
        if is_auto && !converged && is_affordable(system) && self.solve_directly(system, rhs, x)? {
            self.history.direct_left = RUN;
            return Ok(CoupledSolveInfo { pcg_iterations, direct: true, converged: true });
        }
        if !converged && pcg_iterations >= options.max_iterations {
            let residual = worst_residual(system, &masked, rhs, x);
            if residual > USABLE.max(options.relative_tolerance) {
                let (iterations, usable) = (pcg_iterations, USABLE);
                return Err(CoupledSolveError::Unsolved { iterations, residual, usable });
            }
        }
        Ok(CoupledSolveInfo { pcg_iterations, direct: false, converged })
    }

    /// Conjugate gradients by the policy: iterations, and whether they converged.
    fn iterate<'a>(
        &mut self,
        options: &CoupledSolverOptions,
        system: &'a CoupledSystem<'a>,
        masked: &'a MaskedOperator<'a, CoupledMatrix<'a>>,
        rhs: &[Vec3],
        x: &'a mut [Vec3],
    ) -> Result<(usize, bool), CoupledSolveError> {
        let params = PcgParams {
            relative_tolerance: options.relative_tolerance,
            norm: options.norm,
            ..PcgParams::default()
        };
        let pcg = PartsPcg::new(masked, rhs, x, &params, system.parts);
        let mut solve = PcgSolve { max_iterations: options.max_iterations, system, pcg, x };
        let alone = match options.policy {
            SolverPolicy::TwoLevel => 0,
            SolverPolicy::Auto if self.history.coarse_left > 0 => 0,
            SolverPolicy::Auto => FIRST_CAP,
            SolverPolicy::Pcg | SolverPolicy::Direct => usize::MAX,
        };
        if alone > 0 {
            solve.with_block_jacobi(alone)?;
        }
        if !solve.is_over() {
            let left = self.history.coarse_left.saturating_sub(1);
            self.history.coarse_left = if alone > 0 { RUN } else { left };
            self.iterate_two_level(options.policy == SolverPolicy::Auto, &mut solve)?;
        }
        Ok((solve.pcg.iterations(), solve.pcg.is_solved()))
    }

    /// With a coarse level; not longer than a direct solve would take where that is a choice.
    fn iterate_two_level(
        &mut self,
        is_auto: bool,
        solve: &mut PcgSolve<'_>,
    ) -> Result<(), CoupledSolveError> {
        let first = if is_auto { SECOND_CAP } else { usize::MAX };
        if !self.continue_coarse(solve, first)? {
            solve.with_block_jacobi(first)?;
        }
        if solve.is_over() {
            return Ok(());
        }
        let further = self.budget(solve.system)?.saturating_sub(first);
        if further > 0 {
            self.continue_coarse(solve, further)?;
        }
        Ok(())
    }

    /// Up to `more` iterations with a coarse level of the parts that are not solved; `false` if
    /// that is not definite.
    fn continue_coarse(&mut self, solve: &mut PcgSolve<'_>, more: usize) -> Result<bool, CoupledSolveError> {
        let (system, idle) = (solve.system, solve.idle());
        match self.coarse.prepare(system.matrix, &idle, system.node_count)? {
            Some(two_level) => solve.continue_with(&two_level, more).map(|()| true),
            None => Ok(false),
        }
    }

    /// The merged matrix of a system: the present one if no pair came in since.
    fn merged(&mut self, system: &CoupledSystem<'_>) -> Result<&mut MergedCholesky, FactorError> {
        if self.merged.as_ref().is_some_and(|merged| !merged.knows(system.matrix)) {
            self.merged = None;
        }
        match &mut self.merged {
            Some(kept) => Ok(kept),
            empty => Ok(empty.insert(MergedCholesky::analyse(system.matrix, system.node_count)?)),
        }
    }

    /// `false` when the matrix is not definite; `x` is then as it was.
    fn solve_directly(
        &mut self,
        system: &CoupledSystem<'_>,
        rhs: &[Vec3],
        x: &mut [Vec3],
    ) -> Result<bool, FactorError> {
        let mut solution = rhs.to_vec();
        let solved = self.merged(system)?.solve(system.matrix, system.fixed, &mut solution)?;
        if solved {
            x.copy_from_slice(&solution);
        }
        Ok(solved)
    }

    /// Iterations that cost as much as a direct solve.
    fn budget(&mut self, system: &CoupledSystem<'_>) -> Result<usize, FactorError> {
        if !is_affordable(system) {
            return Ok(usize::MAX);
        }
        let merged = self.merged(system)?;
        let (stored, numbers) = (merged.stored_count() as f64, (merged.factor_bytes() / 8) as f64);
        let unknowns = 3.0 * system.fixed.len() as f64;
        let direct = BLOCK_MERGE * stored + FACTOR_RATE * numbers * numbers / unknowns;
        Ok((direct / (BLOCK_PRODUCT * stored)) as usize)
    }
}

/// Whether a factor would fit.
fn is_affordable(system: &CoupledSystem<'_>) -> bool {
    system.matrix.base.pattern().stored_count() + system.matrix.couplings.stored_count() <= LARGEST
}

/// Largest residual that a solution leaves in a part, relative to the one of a zero guess; parts
/// with hardly any right-hand side count as if they had a little.
fn worst_residual(system: &CoupledSystem<'_>, masked: &impl LinearOperator, rhs: &[Vec3], x: &[Vec3]) -> f64 {
    let mut product = vec![Vec3::zeros(); x.len()];
    masked.apply(x, &mut product);
    let mut of_parts = vec![[0.0_f64; 2]; system.parts.count];
    for block in (0..x.len()).filter(|&block| !system.fixed[block]) {
        let [first, left] = &mut of_parts[system.parts.of_block[block] as usize];
        *first = first.max(rhs[block].amax());
        *left = left.max((rhs[block] - product[block]).amax());
    }
    let floor = PART_FLOOR * of_parts.iter().map(|[first, _]| *first).fold(f64::MIN_POSITIVE, f64::max);
    of_parts.iter().map(|[first, left]| left / first.max(floor)).fold(0.0, f64::max)
}

/// A solve by conjugate gradients that may continue with another preconditioner.
struct PcgSolve<'a> {
    max_iterations: usize,
    system: &'a CoupledSystem<'a>,
    pcg: PartsPcg<'a, MaskedOperator<'a, CoupledMatrix<'a>>>,
    x: &'a mut [Vec3],
}

impl PcgSolve<'_> {
    /// Up to `more` further iterations.
    fn continue_with(
        &mut self,
        precond: &impl RowPreconditioner,
        more: usize,
    ) -> Result<(), CoupledSolveError> {
        let more = more.min(self.max_iterations - self.pcg.iterations());
        Ok(self.pcg.go_on(precond, self.x, more)?)
    }

    fn with_block_jacobi(&mut self, more: usize) -> Result<(), CoupledSolveError> {
        let jacobi = PrecondBlockJacobi::new(self.system.matrix.base, Some(&self.idle()));
        self.continue_with(&jacobi, more)
    }

    /// Blocks that a preconditioner need not know: prescribed ones and parts that are solved.
    fn idle(&self) -> Vec<bool> {
        self.system.fixed.iter().enumerate().map(|(block, fixed)| *fixed || !self.pcg.runs(block)).collect()
    }

    fn is_over(&self) -> bool {
        self.pcg.is_solved() || self.pcg.iterations() >= self.max_iterations
    }
}
