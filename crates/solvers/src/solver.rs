//! What a method offers to the simulation.

use crate::registry::MethodError;
use crate::report::StepReport;
use crate::saved::{RestoreError, SavedState};
use crate::violations::{Listed, Obstacle, Script, Scripts, Violation};
use stiction_bodies::{Changed, Model, Parameters, State};
use stiction_collision::SurfaceError;
use stiction_factor::{CoupledSolveError, FactorError};

/// What stays fixed during a step.
#[derive(Clone, Copy, Debug)]
pub struct World<'a> {
    /// Topology, rest shapes, maps.
    pub model: &'a Model,
    /// Materials, friction, gravity and wind.
    pub parameters: &'a Parameters,
}

/// Why a step could not be made. The state is then as it was before the step.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// The matrix of the step stayed indefinite whatever was added to its diagonal.
    #[error(
        "the system matrix is not positive definite at block {block}, even with a shift of {shift:e} times its diagonal"
    )]
    Indefinite {
        /// Block at which the factorisation failed.
        block: usize,
        /// Largest relative shift that was tried.
        shift: f64,
    },
    /// No step length lowered the energy.
    #[error(
        "no step length lowered the energy in Newton iteration {iteration} (gradient {gradient:e} N): take a smaller step size"
    )]
    LineSearch {
        /// Iteration.
        iteration: usize,
        /// Largest component of the gradient \[N\].
        gradient: f64,
    },
    /// A number became infinite or undefined.
    #[error(
        "{what} is not finite: take a smaller step, and look for motions that jump and for inverted elements at the start"
    )]
    NotFinite {
        /// What was not finite.
        what: String,
    },
    /// A body is faster than energy and work can make it.
    #[error(
        "`{name}` runs away: {speed:.1e} m/s (root mean square), while its start, gravity, wind, forces and scripts explain \
         {most:.1e} m/s at most; {cause}"
    )]
    RanAway {
        /// Number of the body.
        body: usize,
        /// Its name.
        name: String,
        /// Speed that the step would end with, or its way over its length \[m/s\].
        speed: f64,
        /// The most that was allowed \[m/s\].
        most: f64,
        /// What may have led to it, and the fix.
        cause: String,
    },
    /// The linear solver did not reach its tolerance.
    #[error("the linear solver failed: {reason}")]
    LinearSolver {
        /// What happened.
        reason: String,
    },
    /// Conjugate gradients ended too far from a solution to go on with.
    #[error(
        "conjugate gradients left {residual:.1e} of their first residual after {iterations} iterations, more than {usable}: raise `pcg_iterations`, \
         take `linear = \"direct\"` or a smaller step"
    )]
    Unsolved {
        /// Iterations done.
        iterations: usize,
        /// Residual relative to the first one, of the part of the system that is worst.
        residual: f64,
        /// The largest one that can be used.
        usable: f64,
    },
    /// The start is none that the method can go on from.
    #[error("at the start: {}; move the bodies apart, and relax what is stretched too far", Listed(.found))]
    Start {
        /// All that crosses, overlaps, touches or is stretched too far.
        found: Vec<Violation>,
    },
    /// Objects intersect after a step that should have kept them apart.
    #[error("{} after the step; take a smaller step", Listed(.found))]
    Crossing {
        /// All that does, and strain limits that are broken beside.
        found: Vec<Violation>,
    },
    /// Cloth is stretched beyond its limit after a step that should have kept it below.
    #[error("{} after the step; take a smaller step or a larger `strain_limit`", Listed(.found))]
    StrainLimit {
        /// All that is.
        found: Vec<Violation>,
    },
    /// Pins or colliders move where nothing can make way for them.
    #[error(
        "{} cannot move on: {obstacle}, and the step is stuck at {share:.1e} of {step:e} s after {iterations} iterations; change that motion, \
         or leave more room",
        Scripts(.scripts)
    )]
    Infeasible {
        /// What moves by a script around there.
        scripts: Vec<Script>,
        /// What is in the way.
        obstacle: Box<Obstacle>,
        /// Share of the step that was done.
        share: f64,
        /// The step \[s\].
        step: f64,
        /// Newton iterations made.
        iterations: usize,
    },
    /// Newton's method got nowhere.
    #[error(
        "the step is stuck at {share:.1e} of {step:e} s after {iterations} iterations: {}; take a smaller step",
        .obstacle.as_ref().map_or("nothing is in the way".to_owned(), |obstacle| obstacle.to_string())
    )]
    Stalled {
        /// What is in the way.
        obstacle: Option<Box<Obstacle>>,
        /// Share of the step that was done.
        share: f64,
        /// The step \[s\].
        step: f64,
        /// Newton iterations made.
        iterations: usize,
    },
    /// Contacts could not be found or used.
    #[error("contact: {reason}")]
    Contact {
        /// What happened.
        reason: String,
    },
}

impl From<SurfaceError> for StepError {
    fn from(error: SurfaceError) -> Self {
        StepError::Contact { reason: error.to_string() }
    }
}

impl From<FactorError> for StepError {
    fn from(error: FactorError) -> Self {
        StepError::LinearSolver { reason: error.to_string() }
    }
}

impl From<CoupledSolveError> for StepError {
    fn from(error: CoupledSolveError) -> Self {
        match error {
            CoupledSolveError::Unsolved { iterations, residual, usable } => {
                StepError::Unsolved { iterations, residual, usable }
            }
            CoupledSolveError::Factor(error) => error.into(),
            CoupledSolveError::Pcg(error) => StepError::LinearSolver { reason: error.to_string() },
        }
    }
}

/// A time stepping method.
pub trait Solver: Send {
    /// Its key in scene files.
    fn key(&self) -> &'static str;

    /// Whether a run can start from here. The first step asks the same, but by then an earlier run
    /// may have been removed for this one.
    fn check_start(&mut self, world: World<'_>, state: &State) -> Result<(), StepError> {
        let _ = (world, state);
        Ok(())
    }

    /// Advances the state by `h` \[s\]. On an error the state and what [`Solver::save`] gives are
    /// left as they were. The arrays of the state stay where they are (see [`crate::commit`]).
    fn step(&mut self, world: World<'_>, state: &mut State, h: f64) -> Result<StepReport, StepError>;

    /// Takes parameters that changed between two steps: `world` has the new values, `changed` says
    /// which kinds are new. The next step is that of a method made with these values and given the
    /// same memory, bit for bit. Only what was made from changed values beforehand is made again;
    /// memory stays.
    fn parameters_changed(&mut self, world: World<'_>, changed: &Changed) -> Result<(), MethodError>;

    /// What must be kept for a resumed run to equal an uninterrupted one: history, duals, warm
    /// starts.
    fn save(&self) -> SavedState;

    /// Takes back what [`Solver::save`] gave.
    fn restore(&mut self, saved: &SavedState) -> Result<(), RestoreError>;

    /// Forgets all history, as at the start of a run.
    fn reset(&mut self);
}
