//! Everything that can stop a simulation.

use stiction_bodies::{BuildError, ParameterError};
use stiction_collision::MeshError;
use stiction_output::OutputError;
use stiction_solvers::{MethodError, RestoreError, StepError};

/// Why a simulation could not be set up or go on.
#[derive(Debug, thiserror::Error)]
pub enum SimulationError {
    /// The scene cannot be compiled.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The method does not exist or its options are wrong.
    #[error(transparent)]
    Method(#[from] MethodError),
    /// A parameter cannot be set.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// The surfaces cannot be used for collision.
    #[error(transparent)]
    Collision(#[from] MeshError),
    /// Bodies cross at the start and the scene refuses that.
    #[error(
        "bodies cross at the start: {list}; move them apart, or set `initial_contact = {{ resolve = 0.5 }}`"
    )]
    InitialIntersections {
        /// The worst pairs in words.
        list: String,
    },
    /// The method cannot go on from the start.
    #[error(transparent)]
    Start(StepError),
    /// A step failed.
    #[error("step {step} at time {time:.6} s failed: {source}")]
    Step {
        /// Number of the step.
        step: u64,
        /// Time at its start \[s\].
        time: f64,
        /// Why.
        source: StepError,
    },
    /// Files.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The checkpoint does not fit the solver.
    #[error("the checkpoint cannot be used: {0}")]
    Restore(#[from] RestoreError),
    /// The checkpoint does not fit the model.
    #[error(
        "the checkpoint holds {found} blocks, the scene has {expected}: it belongs to another scene, start the run anew"
    )]
    CheckpointSize {
        /// Blocks in the checkpoint.
        found: usize,
        /// Blocks of the model.
        expected: usize,
    },
}

impl SimulationError {
    /// Whether the input was at fault (exit code 2) rather than the run (exit code 1).
    pub fn is_input(&self) -> bool {
        match self {
            SimulationError::Build(_) | SimulationError::Method(_) | SimulationError::Parameter(_) => true,
            SimulationError::Collision(_) | SimulationError::InitialIntersections { .. } => true,
            SimulationError::Start(_) => true,
            SimulationError::Restore(_) | SimulationError::CheckpointSize { .. } => true,
            SimulationError::Output(error) => matches!(
                error,
                OutputError::RunExists { .. }
                    | OutputError::SceneInTheWay { .. }
                    | OutputError::Unwritable { .. }
                    | OutputError::NotARun { .. }
                    | OutputError::OtherScene { .. }
                    | OutputError::OtherVersion { .. }
                    | OutputError::NoSuchFrame { .. }
                    | OutputError::UnknownFormat { .. }
                    | OutputError::Export { .. }
            ),
            SimulationError::Step { source, .. } => matches!(source, StepError::Start { .. }),
        }
    }
}
