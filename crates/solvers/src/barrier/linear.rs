//! The linear solve of a Newton iteration: options and errors of `barrier` around the solver of
//! coupled systems.

use super::options::{BarrierOptions, LinearPolicy};
use crate::saved::{RestoreError, SavedState};
use crate::solver::StepError;
use stiction_factor::{
    CoupledSolveInfo, CoupledSolver, CoupledSolverOptions, CoupledSystem, SolverHistory, SolverPolicy,
};
use stiction_numerics::{BlockMatrix, RankOne, RankOneBase, RankOneSystem, Vec3, WoodburyError};

/// Blocks of the matrix that take as much memory as a contact: where contacts are many they take
/// most of it, and the matrix has to be small.
const OF_CONTACT: usize = 2;

impl BarrierOptions {
    /// Which linear solver.
    fn solver_policy(&self) -> SolverPolicy {
        match self.linear {
            LinearPolicy::Auto => SolverPolicy::Auto,
            LinearPolicy::Pcg => SolverPolicy::Pcg,
            LinearPolicy::TwoLevel => SolverPolicy::TwoLevel,
            LinearPolicy::Direct => SolverPolicy::Direct,
        }
    }

    fn solver_options(&self) -> CoupledSolverOptions {
        CoupledSolverOptions {
            policy: self.solver_policy(),
            relative_tolerance: self.pcg_tolerance,
            norm: self.pcg_norm.of_residual(),
            max_iterations: self.pcg_iterations,
        }
    }
}

/// Gives the matrix of the next system its precision.
pub(super) fn choose_precision(
    linear: &mut CoupledSolver,
    options: &BarrierOptions,
    matrix: &mut BlockMatrix,
    contacts: usize,
) {
    linear.choose_precision(options.solver_policy(), matrix, OF_CONTACT * contacts);
}

/// Improves the direction `d`, with the pressure in closed surfaces as rank-one parts of the
/// matrix.
pub(super) fn solve_direction(
    linear: &mut CoupledSolver,
    options: &BarrierOptions,
    system: &CoupledSystem<'_>,
    pressure: &[RankOne],
    rhs: &mut [Vec3],
    d: &mut [Vec3],
) -> Result<CoupledSolveInfo, StepError> {
    let options = options.solver_options();
    let mut total: Option<CoupledSolveInfo> = None;
    let whole = RankOneSystem { ranks: pressure, fixed: system.fixed, base: RankOneBase::Definite };
    let solved = whole.solve::<StepError>(rhs, d, |rhs, d| {
        let info = linear.solve(&options, system, rhs, d)?;
        let sum = total.get_or_insert(CoupledSolveInfo { pcg_iterations: 0, ..info });
        sum.pcg_iterations += info.pcg_iterations;
        sum.converged &= info.converged;
        Ok(())
    });
    solved.map_err(|error| match error {
        WoodburyError::Solve(error) => error,
        WoodburyError::Singular => StepError::LinearSolver {
            reason: "the volumes of inflated surfaces do not determine a step".to_owned(),
        },
    })?;
    Ok(total.expect("a system is solved at least once"))
}

/// Keeps what a resumed run must know of earlier systems.
pub(super) fn save_history(history: &SolverHistory, saved: &mut SavedState) {
    let runs = vec![history.direct_left, history.coarse_left, history.double_left];
    saved.keys.insert("linear_runs".to_owned(), runs);
}

/// Takes back what [`save_history`] kept.
pub(super) fn restore_history(saved: &SavedState) -> Result<SolverHistory, RestoreError> {
    let &[direct_left, coarse_left, double_left] = saved.keys("linear_runs")? else {
        return Err(RestoreError::Array { name: "linear_runs".to_owned() });
    };
    Ok(SolverHistory { direct_left, coarse_left, double_left })
}

#[cfg(test)]
mod tests {
    use super::super::BarrierSolver;
    use crate::solver::{Solver, World};
    use std::path::Path;
    use stiction_bodies::{Parameters, State, build};
    use stiction_numerics::Precision;

    /// A sheet of a stiffness \[Pa\] that falls onto a ball, level or from higher up and aslant by
    /// some degrees: its state after some steps, and the solver.
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
        assert!(solver.system.precision() == Precision::Single && solver.linear.history.double_left == 0);
        let apart = |k: usize| (double.blocks[k] - single.blocks[k]).amax();
        let largest = (0..double.blocks.len()).map(apart).fold(0.0, f64::max);
        // A step is converged when its last iteration moves nothing by more than 1 mm/s times h.
        assert!(largest < 1e-5 && largest > 0.0, "{largest:e} m");
    }

    #[test]
    fn what_single_precision_makes_indefinite_is_assembled_in_double() {
        // Blocks of a level sheet have zeros that nothing rounds.
        let (_, solver) = fallen(1e16, 20.0, 0, 1);
        assert!(solver.system.precision() == Precision::Double && solver.linear.history.double_left > 0);
        let mut resumed = fallen(1e16, 20.0, 0, 0).1;
        resumed.restore(&solver.save()).expect("what was saved");
        assert_eq!(resumed.linear.history.double_left, solver.linear.history.double_left);
    }
}
