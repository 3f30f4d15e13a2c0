//! What a method offers to the simulation.

use crate::report::StepReport;
use crate::saved::{RestoreError, SavedState};
use stiction_bodies::{Model, Parameters, State};
use stiction_collision::MeshError;
use stiction_contact::detect::LentTree;
use stiction_factor::FactorError;

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
    #[error("{what} is not finite: take a smaller step size, or look for inverted elements at the start")]
    NotFinite {
        /// What was not finite.
        what: &'static str,
    },
    /// The linear solver did not reach its tolerance.
    #[error("the linear solver failed: {reason}")]
    LinearSolver {
        /// What happened.
        reason: String,
    },
    /// The start is none that the method can go on from.
    #[error("the start is refused: {reason}; move the bodies apart")]
    Start {
        /// What crosses, overlaps, touches or is stretched too far, where and by how much.
        reason: String,
    },
    /// Contacts could not be found or used.
    #[error("contact: {reason}")]
    Contact {
        /// What happened.
        reason: String,
    },
}

impl StepError {
    /// The same error when the start is what was looked at.
    pub fn at_the_start(self) -> StepError {
        match self {
            StepError::Contact { reason } => StepError::Start { reason },
            other => other,
        }
    }
}

impl From<MeshError> for StepError {
    fn from(error: MeshError) -> Self {
        StepError::Contact { reason: error.to_string() }
    }
}

impl From<FactorError> for StepError {
    fn from(error: FactorError) -> Self {
        StepError::LinearSolver { reason: error.to_string() }
    }
}

/// A time stepping method.
pub trait Solver: Send {
    /// Its key in scene files.
    fn key(&self) -> &'static str;

    /// Advances the state by `h` \[s\]. On an error the state is left as it was.
    fn step(&mut self, world: World<'_>, state: &mut State, h: f64) -> Result<StepReport, StepError>;

    /// What must be kept for a resumed run to equal an uninterrupted one: history, duals, warm starts.
    fn save(&self) -> SavedState;

    /// Takes back what [`Solver::save`] gave.
    fn restore(&mut self, saved: &SavedState) -> Result<(), RestoreError>;

    /// Forgets all history, as at the start of a run.
    fn reset(&mut self);

    /// Mesh and tree for judging states, where the method has them as a judge would make them.
    fn lend_tree(&mut self) -> Option<LentTree<'_>> {
        None
    }
}
