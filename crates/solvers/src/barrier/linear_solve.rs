//! Which linear solver finds a direction.
//!
//! Conjugate gradients cost about [`BLOCK_PRODUCT`] per stored block and iteration. A direct solve costs about [`BLOCK_MERGE`] per stored
//! block for the pattern and its analysis and [`FACTOR_RATE`]·z²/n for z numbers in the factor and n unknowns (see `docs/bench.md`).
//! Their ratio is the *budget*: a system that needs more iterations is solved directly, and so are the following ones for a
//! while. Before that, a system that block Jacobi does not solve in [`FIRST_CAP`] iterations gets a coarse level, and so do the following
//! ones. One that runs into `pcg_iterations` is solved directly as well if its factor fits. The choice depends on counts alone, never on a clock: runs repeat bit for bit.

use super::merged::{Merged, prepared};
use super::options::{BarrierOptions, LinearPolicy};
use super::two_level::CoarseLevel;
use crate::saved::{RestoreError, SavedState};
use crate::solver::StepError;
use stiction_numerics::{
    BlockMatrix, CoupledMatrix, LinearOperator, MaskedOperator, PartsPcg, PcgParams, PcgParts, Precision,
    PrecondBlockJacobi, RowPreconditioner, Vec3,
};

/// One block in a product with a symmetric matrix, two threads \[ns\].
const BLOCK_PRODUCT: f64 = 5.0;

/// Factorisation, one thread \[ns\].
const FACTOR_RATE: f64 = 0.07;

/// Pattern, analysis and filling of one block, one thread \[ns\].
const BLOCK_MERGE: f64 = 250.0;

/// Iterations with block Jacobi before a coarse level pays for itself.
const FIRST_CAP: usize = 50;

/// Iterations with a coarse level before a factorisation is thought of: most systems are done by then.
const SECOND_CAP: usize = 160;

/// Solves of one kind after which the cheaper kind is tried again.
const RUN: u64 = 64;

/// Stored blocks beyond which nothing is factored: the factor would not fit.
const LARGEST: usize = 4_000_000;

/// Stored blocks from which the matrix is kept in single precision, for half its memory. From some 80k vertices on (0.5 million blocks)
/// the slower assembly and the faster solve cancel out; at 20k it would cost a tenth of the time.
const SINGLE_FROM: usize = 300_000;

/// Blocks that a contact counts as for that: where contacts are many they take most of the memory, and the matrix has to make room.
const OF_CONTACT: usize = 2;

/// Residual, relative to the first, up to which a direction that ran into `pcg_iterations` is gone along: forces that contacts expect, and friction that goes by
/// them, need not be known to better than a tenth (`friction.rs`), and the next iteration makes up for the rest. Beyond it the step is
/// tried again with a smaller size, where inertia makes the system easier.
const USABLE: f64 = 0.1;

/// Share of the largest push from which on one of an island counts.
const HARDLY: f64 = 1e-6;

/// A system: elasticity and contacts, prescribed blocks, and the islands that must each be solved.
pub(super) struct System<'a> {
    pub matrix: CoupledMatrix<'a>,
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

/// Factors and memory of the linear solvers. Vectors of conjugate gradients live as long as a solve: other work of an iteration has room then.
pub(super) struct LinearSolves {
    coarse: CoarseLevel,
    merged: Option<Merged>,
    /// Direct solves that are still to come before conjugate gradients are tried.
    direct_left: u64,
    /// Solves with a coarse level that are still to come before block Jacobi is tried alone.
    coarse_left: u64,
    /// Systems that are still to come before one is kept in single precision.
    double_left: u64,
    /// Stored blocks from which a system is.
    pub single_from: usize,
}

impl Default for LinearSolves {
    fn default() -> Self {
        LinearSolves {
            coarse: CoarseLevel::default(),
            merged: None,
            direct_left: 0,
            coarse_left: 0,
            double_left: 0,
            single_from: SINGLE_FROM,
        }
    }
}

impl LinearSolves {
    /// Makes the store of the next system one of the right precision.
    pub fn prepare(&mut self, options: &BarrierOptions, system: &mut BlockMatrix, contacts: usize) {
        let large = system.pattern().stored_count() + OF_CONTACT * contacts >= self.single_from;
        let precision = match large && self.double_left == 0 && options.linear != LinearPolicy::Direct {
            true => Precision::Single,
            false => Precision::Double,
        };
        self.double_left = self.double_left.saturating_sub(1);
        system.set_precision(precision);
    }

    /// Whether a system that was not solved is worth a second assembly: in double precision, and so the next ones.
    pub fn takes_double(&mut self, failed: &BlockMatrix) -> bool {
        let again = failed.precision() == Precision::Single;
        if again {
            self.double_left = RUN;
        }
        again
    }

    /// Forgets the pattern of the last step, which a resumed run would not have.
    pub fn begin_step(&mut self) {
        self.merged = None;
        self.coarse.begin_step();
    }

    /// Frees the coarse factor, which every system makes anew: other work of an iteration has room then.
    pub fn make_room(&mut self) {
        self.coarse.release_factor();
    }

    /// Improves the guess in `d` until the system is solved.
    pub fn solve(
        &mut self,
        options: &BarrierOptions,
        system: &System<'_>,
        rhs: &[Vec3],
        d: &mut [Vec3],
    ) -> Result<Solved, StepError> {
        let auto = options.linear == LinearPolicy::Auto;
        let wants_direct = options.linear == LinearPolicy::Direct || (auto && self.direct_left > 0);
        if wants_direct && self.solve_directly(system, rhs, d)? {
            self.direct_left = self.direct_left.saturating_sub(1);
            return Ok(Solved { pcg_iterations: 0, direct: true, converged: true });
        }
        let masked = MaskedOperator::new(&system.matrix, system.fixed);
        let params = PcgParams {
            relative_tolerance: options.pcg_tolerance,
            norm: options.pcg_norm.of_residual(),
            ..PcgParams::default()
        };
        let pcg = PartsPcg::new(&masked, rhs, d, &params, system.parts);
        let mut solve = PcgSolve { most: options.pcg_iterations, system, pcg, d };
        let alone = match options.linear {
            LinearPolicy::TwoLevel => 0,
            LinearPolicy::Auto if self.coarse_left > 0 => 0,
            LinearPolicy::Auto => FIRST_CAP,
            LinearPolicy::Pcg | LinearPolicy::Direct => usize::MAX,
        };
        if alone > 0 {
            solve.with_block_jacobi(alone)?;
        }
        if !solve.is_over() {
            self.coarse_left = if alone > 0 { RUN } else { self.coarse_left.saturating_sub(1) };
            self.solve_two_level(auto, &mut solve)?;
        }
        let (pcg_iterations, converged) = (solve.pcg.iterations(), solve.pcg.is_solved());
        if auto && !converged && is_affordable(system) && self.solve_directly(system, rhs, d)? {
            self.direct_left = RUN;
            return Ok(Solved { pcg_iterations, direct: true, converged: true });
        }
        if !converged && pcg_iterations >= options.pcg_iterations {
            let residual = residual_left(system, &masked, rhs, d);
            if residual > USABLE.max(options.pcg_tolerance) {
                return Err(StepError::Unsolved { iterations: pcg_iterations, residual, usable: USABLE });
            }
        }
        Ok(Solved { pcg_iterations, direct: false, converged })
    }

    /// With a coarse level; not longer than a direct solve would take where that is a choice.
    fn solve_two_level(&mut self, auto: bool, solve: &mut PcgSolve<'_>) -> Result<(), StepError> {
        let first = if auto { SECOND_CAP } else { usize::MAX };
        if !self.go_on_coarse(solve, first)? {
            solve.with_block_jacobi(first)?;
        }
        if solve.is_over() {
            return Ok(());
        }
        let further = self.budget(solve.system)?.saturating_sub(first);
        if further > 0 {
            self.go_on_coarse(solve, further)?;
        }
        Ok(())
    }

    /// Up to `more` iterations with a coarse level of the parts that are not solved; `false` if that is not definite.
    fn go_on_coarse(&mut self, solve: &mut PcgSolve<'_>, more: usize) -> Result<bool, StepError> {
        let (system, idle) = (solve.system, solve.idle());
        match self.coarse.prepare(system.matrix, &idle, system.nodes)? {
            Some(both) => solve.go_on(&both, more).map(|()| true),
            None => Ok(false),
        }
    }

    fn solve_directly(
        &mut self,
        system: &System<'_>,
        rhs: &[Vec3],
        d: &mut [Vec3],
    ) -> Result<bool, StepError> {
        let mut solution = rhs.to_vec();
        let merged = prepared(&mut self.merged, system.matrix, system.nodes)?;
        merged.fill(system.matrix);
        let solved = merged.solve(system.fixed, &mut solution)?;
        if solved {
            d.copy_from_slice(&solution);
        }
        Ok(solved)
    }

    /// Iterations that cost as much as a direct solve.
    fn budget(&mut self, system: &System<'_>) -> Result<usize, StepError> {
        if !is_affordable(system) {
            return Ok(usize::MAX);
        }
        let merged = prepared(&mut self.merged, system.matrix, system.nodes)?;
        let [blocks, stored, numbers] = merged.sizes().map(|n| n as f64);
        let direct = BLOCK_MERGE * stored + FACTOR_RATE * numbers * numbers / (3.0 * blocks);
        Ok((direct / (BLOCK_PRODUCT * stored)) as usize)
    }

    pub fn save(&self, saved: &mut SavedState) {
        saved
            .keys
            .insert("linear_runs".to_owned(), vec![self.direct_left, self.coarse_left, self.double_left]);
    }

    pub fn restore(&mut self, saved: &SavedState) -> Result<(), RestoreError> {
        let &[direct, coarse, double] = saved.keys("linear_runs")? else {
            return Err(RestoreError::Array { name: "linear_runs".to_owned() });
        };
        (self.direct_left, self.coarse_left, self.double_left) = (direct, coarse, double);
        Ok(())
    }

    pub fn reset(&mut self) {
        (self.direct_left, self.coarse_left, self.double_left) = (0, 0, 0);
        self.begin_step();
    }
}

/// Whether a factor would fit.
fn is_affordable(system: &System<'_>) -> bool {
    system.matrix.base.pattern().stored_count() + system.matrix.couplings.stored_count() <= LARGEST
}

/// Largest residual that a direction leaves in an island, relative to the one without it; islands that are hardly pushed count as if they were a little.
fn residual_left(system: &System<'_>, masked: &impl LinearOperator, rhs: &[Vec3], d: &[Vec3]) -> f64 {
    let mut product = vec![Vec3::zeros(); d.len()];
    masked.apply(d, &mut product);
    let mut of_islands = vec![[0.0_f64; 2]; system.parts.count];
    for block in (0..d.len()).filter(|&block| !system.fixed[block]) {
        let [first, left] = &mut of_islands[system.parts.of_block[block] as usize];
        *first = first.max(rhs[block].amax());
        *left = left.max((rhs[block] - product[block]).amax());
    }
    let floor = HARDLY * of_islands.iter().map(|[first, _]| *first).fold(f64::MIN_POSITIVE, f64::max);
    of_islands.iter().map(|[first, left]| left / first.max(floor)).fold(0.0, f64::max)
}

/// A solve by conjugate gradients that may go on with another preconditioner.
struct PcgSolve<'a> {
    /// Iterations at most.
    most: usize,
    system: &'a System<'a>,
    pcg: PartsPcg<'a, MaskedOperator<'a, CoupledMatrix<'a>>>,
    d: &'a mut [Vec3],
}

impl PcgSolve<'_> {
    /// Up to `more` further iterations.
    fn go_on(&mut self, precond: &impl RowPreconditioner, more: usize) -> Result<(), StepError> {
        let more = more.min(self.most - self.pcg.iterations());
        self.pcg
            .go_on(precond, self.d, more)
            .map_err(|error| StepError::LinearSolver { reason: error.to_string() })
    }

    fn with_block_jacobi(&mut self, more: usize) -> Result<(), StepError> {
        let jacobi = PrecondBlockJacobi::new(self.system.matrix.base, Some(&self.idle()));
        self.go_on(&jacobi, more)
    }

    /// Blocks that a preconditioner need not know: prescribed ones and islands that are solved.
    fn idle(&self) -> Vec<bool> {
        self.system.fixed.iter().enumerate().map(|(block, fixed)| *fixed || !self.pcg.runs(block)).collect()
    }

    fn is_over(&self) -> bool {
        self.pcg.is_solved() || self.pcg.iterations() >= self.most
    }
}

#[cfg(test)]
mod tests {
    use super::super::BarrierSolver;
    use crate::solver::{Solver, World};
    use std::path::Path;
    use stiction_bodies::{Parameters, State, build};
    use stiction_numerics::Precision;

    /// A sheet of a stiffness \[Pa\] that falls onto a ball, level or from higher up and aslant by some degrees: its state after some steps, and the solver.
    fn fallen(young: f64, aslant: f64, single_from: usize, steps: usize) -> (State, BarrierSolver) {
        let height = if aslant == 0.0 { 0.0505 } else { 0.2 };
        let text = format!(
            r#"
stiction = 1
fps = 100
step = 0.01
[method]
key = "barrier"
[bodies.sheet]
kind = "cloth"
mesh = {{ grid = {{ size = [0.2, 0.2], cells = [7, 8] }} }}
material = {{ density = 500.0, thickness = 0.0003, young = {young:e}, poisson = 0.3 }}
rotate = {{ axis = "x", degrees = {aslant:?} }}
translate = [0.01, 0.02, {height}]
velocity = [0.1, 0.0, -0.2]
gap = 0.001
[colliders.ball]
sphere = {{ radius = 0.05 }}
gap = 0.001
"#
        );
        let loaded = stiction_scene::load_text("test.toml", &text, Path::new("."), &[] as &[&str]);
        let scene = loaded.unwrap_or_else(|error| panic!("{error}: {}", error.fix())).scene;
        let model = build(&scene).expect("a good model");
        let parameters = Parameters::from_scene(&scene, &model);
        let world = World { model: &model, parameters: &parameters };
        let mut solver = BarrierSolver::new(Default::default(), world).expect("a good scene");
        solver.linear.single_from = single_from;
        let mut state = State::initial(&model, &scene);
        for _ in 0..steps {
            let report = solver.step(world, &mut state, 0.01).expect("a step");
            assert!(report.counters.contains(&("retries", 0.0)), "{:?}", report.counters);
        }
        (state, solver)
    }

    #[test]
    fn single_precision_ends_in_the_same_state() {
        let [(double, _), (single, solver)] = [usize::MAX, 0].map(|from| fallen(1e6, 0.0, from, 3));
        assert!(solver.system.precision() == Precision::Single && solver.linear.double_left == 0);
        let apart = |k: usize| (double.blocks[k] - single.blocks[k]).amax();
        let largest = (0..double.blocks.len()).map(apart).fold(0.0, f64::max);
        // A step is converged when its last iteration moves nothing by more than 1 mm/s times h.
        assert!(largest < 1e-5 && largest > 0.0, "{largest:e} m");
    }

    #[test]
    fn what_single_precision_makes_indefinite_is_assembled_in_double() {
        // Blocks of a level sheet have zeros that nothing rounds.
        let (_, solver) = fallen(1e16, 20.0, 0, 1);
        assert!(solver.system.precision() == Precision::Double && solver.linear.double_left > 0);
        let mut resumed = fallen(1e16, 20.0, 0, 0).1;
        resumed.restore(&solver.save()).expect("what was saved");
        assert_eq!(resumed.linear.double_left, solver.linear.double_left);
    }
}
