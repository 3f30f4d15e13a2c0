//! The outer loop: minimise the incremental potential by projected Newton steps.

use super::options::NewtonOptions;
use crate::advance::energies;
use crate::commit::{EndOfStep, EndVelocities, commit, next_state};
use crate::incremental::{IncrementalPotential, Inertia};
use crate::linear::{LinearChoice, LinearSolver};
use crate::registry::MethodError;
use crate::report::{StepReport, timed};
use crate::saved::{RestoreError, SavedState};
use crate::solver::{Solver, StepError, World};
use crate::support;
use stiction_bodies::State;
use stiction_energy::{Curvature, Elasticity};
use stiction_numerics::{BlockMatrix, Vec3, ordered_dot};

/// Backward Euler by projected Newton, no contact.
pub struct NewtonSolver {
    options: NewtonOptions,
    elasticity: Elasticity,
    workspace: Workspace,
}

/// The system matrix and its solver, kept over steps.
struct Workspace {
    matrix: BlockMatrix,
    linear: LinearSolver,
}

/// Armijo's constant: the share of the predicted decrease that a step must bring.
const ARMIJO: f64 = 1e-4;
/// Smallest step length tried.
const SMALLEST_STEP: f64 = 1e-12;

impl NewtonSolver {
    /// A solver for a model.
    pub fn new(options: NewtonOptions, world: World<'_>) -> Result<NewtonSolver, MethodError> {
        support::check("newton", world)?;
        let elasticity = Elasticity::new(world.model, world.parameters)?;
        let matrix = BlockMatrix::zeros(elasticity.pattern().clone());
        let linear = LinearSolver::new(options.linear, world.model.nodes);
        Ok(NewtonSolver { options, elasticity, workspace: Workspace { matrix, linear } })
    }
}

impl Workspace {
    /// Minimises the potential from `blocks`; the report holds what was reached.
    fn minimise(
        &mut self,
        options: &NewtonOptions,
        potential: &IncrementalPotential<'_>,
        blocks: &mut [Vec3],
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let mut gradient = vec![Vec3::zeros(); blocks.len()];
        let mut value = timed(&mut report.seconds.line_search, || potential.value(blocks));
        if !value.is_finite() {
            let what = "the energy at the start of the step".to_owned();
            return Err(StepError::NotFinite { what });
        }
        for iteration in 1..=options.max_iterations {
            timed(&mut report.seconds.assembly, || potential.gradient(blocks, &mut gradient));
            let direction = self.direction(options, potential, blocks, &gradient, report)?;
            let search = LineSearch {
                potential,
                blocks,
                direction: &direction,
                value,
                slope: ordered_dot(&gradient, &direction),
            };
            let found = timed(&mut report.seconds.line_search, || search.run());
            report.iterations = iteration;
            let update = potential.change_size(&direction);
            report.residual = vec![("update_m", update), ("gradient_n", largest(&gradient))];
            match found {
                Some((length, lower)) => {
                    blocks.iter_mut().zip(&direction).for_each(|(x, d)| *x += d * length);
                    value = lower;
                    report.counters[0].1 += -length.log2();
                }
                // Round-off hides any decrease: the step is as good as this objective can tell.
                None if search_is_exhausted(update, blocks) => {}
                None => return Err(StepError::LineSearch { iteration, gradient: largest(&gradient) }),
            }
            if update < options.tolerance || found.is_none() {
                report.converged = true;
                return Ok(());
            }
        }
        Ok(())
    }
}

impl Workspace {
    /// A direction of descent. Without inertia nothing bounds the error that projection makes, and convergence near a stressed
    /// equilibrium is slow; there the exact Hessian is tried first and used where it is positive definite.
    fn direction(
        &mut self,
        options: &NewtonOptions,
        potential: &IncrementalPotential<'_>,
        blocks: &[Vec3],
        gradient: &[Vec3],
        report: &mut StepReport,
    ) -> Result<Vec<Vec3>, StepError> {
        let fixed = &potential.prescription.fixed;
        let mut direction: Vec<Vec3> = gradient.iter().map(|g| -g).collect();
        let seconds = &mut report.seconds;
        if options.quasi_static && options.linear == LinearChoice::Direct {
            timed(&mut seconds.assembly, || potential.hessian(blocks, Curvature::Exact, &mut self.matrix));
            let solve = || self.linear.solve_if_definite(&self.matrix, fixed, &mut direction);
            if timed(&mut seconds.linear_solve, solve)? {
                return Ok(direction);
            }
        }
        timed(&mut seconds.assembly, || potential.hessian(blocks, Curvature::Projected, &mut self.matrix));
        timed(&mut seconds.linear_solve, || self.linear.solve(&self.matrix, fixed, &mut direction))?;
        Ok(direction)
    }
}

/// The better of going on as before and staying.
fn first_guess(potential: &IncrementalPotential<'_>) -> Vec<Vec3> {
    let (ahead, resting) = (potential.inertial_guess(), potential.resting_guess());
    if potential.value(&ahead) < potential.value(&resting) { ahead } else { resting }
}

/// Whether an update is below what rounding of the energy can resolve: √ε of the size of the configuration.
fn search_is_exhausted(update: f64, blocks: &[Vec3]) -> bool {
    update <= f64::EPSILON.sqrt() * largest(blocks).max(f64::MIN_POSITIVE)
}

/// Largest absolute component.
fn largest(vectors: &[Vec3]) -> f64 {
    vectors.iter().map(|v| v.amax()).fold(0.0, f64::max)
}

/// Backtracking along a descent direction.
struct LineSearch<'a> {
    potential: &'a IncrementalPotential<'a>,
    blocks: &'a [Vec3],
    direction: &'a [Vec3],
    value: f64,
    slope: f64,
}

impl LineSearch<'_> {
    /// Step length and the value there, or `None` when no length lowers the energy.
    fn run(&self) -> Option<(f64, f64)> {
        let mut length = 1.0;
        let mut trial = vec![Vec3::zeros(); self.blocks.len()];
        // Differences of sums of this size are known only to a few units in the last place.
        let noise = 4.0 * f64::EPSILON * self.value.abs();
        while length > SMALLEST_STEP {
            for i in 0..trial.len() {
                trial[i] = self.blocks[i] + self.direction[i] * length;
            }
            let value = self.potential.value(&trial);
            if value <= self.value + ARMIJO * length * self.slope + noise {
                return Some((length, value));
            }
            length *= 0.5;
        }
        None
    }
}

impl Solver for NewtonSolver {
    fn key(&self) -> &'static str {
        "newton"
    }

    fn step(&mut self, world: World<'_>, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let inertia = if self.options.quasi_static { Inertia::None } else { Inertia::Dynamic };
        let mut report =
            StepReport { advanced: h, counters: vec![("halvings", 0.0)], ..StepReport::default() };
        let potential = IncrementalPotential::new(world, &self.elasticity, state, h, inertia);
        let mut blocks = timed(&mut report.seconds.line_search, || first_guess(&potential));
        self.workspace.minimise(&self.options, &potential, &mut blocks, &mut report)?;
        let velocities = match inertia {
            Inertia::Dynamic => EndVelocities::Mean,
            Inertia::None => EndVelocities::Zero,
        };
        let next = next_state(world, state, EndOfStep { blocks, velocities, h });
        commit(world, &next, state)?;
        report.energy = energies(world, &self.elasticity, state);
        Ok(report)
    }

    fn save(&self) -> SavedState {
        SavedState::new(1)
    }

    fn restore(&mut self, saved: &SavedState) -> Result<(), RestoreError> {
        saved.expect_version(1)
    }

    fn reset(&mut self) {}
}
