//! Everything that can stop a simulation.

use stiction_bodies::{BuildError, ParameterError};
use stiction_collision::SurfaceError;
use stiction_output::OutputError;
use stiction_scene::SceneError;
use stiction_solvers::{MethodError, RestoreError, StepError};

/// Why a simulation could not be set up or go on.
#[derive(Debug, thiserror::Error)]
pub enum SimulationError {
    /// The scene cannot be used: file, line, object and fix.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// Neither a file nor a scene of the gallery.
    #[error(
        "there is no file `{name}` and no gallery scene of that name{near}\n  `stiction scenes` lists the gallery"
    )]
    UnknownScene {
        /// What was asked for.
        name: String,
        /// What may have been meant, or nothing.
        near: String,
    },
    /// No threads at all.
    #[error("0 threads cannot compute anything; give at least 1")]
    NoThreads,
    /// Far more threads than cores.
    #[error("{asked} threads are more than this machine can use; give at most {most}")]
    TooManyThreads {
        /// What was asked for.
        asked: usize,
        /// The largest number that is taken.
        most: usize,
    },
    /// The system does not start the threads.
    #[error("the threads cannot be started: {reason}")]
    Threads {
        /// What it says.
        reason: String,
    },
    /// No body or collider of that name.
    #[error("there is no body or collider `{name}`; this scene has: {known}")]
    UnknownObject {
        /// What was asked for.
        name: String,
        /// Names that exist.
        known: String,
    },
    /// No node of that number.
    #[error("there is no node {node}: the model has nodes 0 to {}", .nodes.saturating_sub(1))]
    UnknownNode {
        /// What was asked for.
        node: usize,
        /// How many there are.
        nodes: usize,
    },
    /// No collider of that name.
    #[error("there is no collider `{name}`; this scene has: {known}")]
    UnknownCollider {
        /// What was asked for.
        name: String,
        /// Names that exist.
        known: String,
    },
    /// No pin of that number.
    #[error("body `{body}` has no pin {pin}: it has {count}, counted from 0 in the order of the scene")]
    UnknownPin {
        /// The body.
        body: String,
        /// What was asked for.
        pin: usize,
        /// How many there are.
        count: usize,
    },
    /// A collider whose vertices are prescribed one by one.
    #[error(
        "collider `{name}` deforms by its `sequence` and cannot be driven as one piece; take the sequence out"
    )]
    DrivenSequence {
        /// The collider.
        name: String,
    },
    /// A drive with numbers that are infinite or undefined.
    #[error("the drive of `{name}` has numbers that are not finite")]
    DriveNumbers {
        /// What was to be driven.
        name: String,
    },
    /// A force that is infinite or undefined.
    #[error("the force on node {node} is not finite")]
    Force {
        /// The node.
        node: usize,
    },
    /// Not one force for each node.
    #[error("body `{name}` has {expected} nodes, but {found} forces were given")]
    ForceCount {
        /// The body.
        name: String,
        /// Forces given.
        found: usize,
        /// Nodes.
        expected: usize,
    },
    /// A step of no length, or of none that can be told.
    #[error("a step of {h} s cannot be taken; give a positive number of seconds")]
    StepSize {
        /// What was asked for \[s\].
        h: f64,
    },
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
    Collision(#[from] SurfaceError),
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
    /// A step failed, and so did saving the state before it.
    #[error("{cause}; the state before it could not be saved: {reason}")]
    Unsaved {
        /// Why the step failed.
        cause: Box<SimulationError>,
        /// Why nothing was saved.
        reason: String,
    },
    /// Files.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// The checkpoint does not fit the solver.
    #[error("the checkpoint cannot be used: {0}")]
    Restore(#[from] RestoreError),
    /// The checkpoint does not fit the model.
    #[error(
        "the checkpoint holds {found} blocks, the scene has {expected}: it belongs to another scene, start a new run"
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
            SimulationError::Scene(_) | SimulationError::UnknownScene { .. } => true,
            SimulationError::TooManyThreads { .. } => true,
            SimulationError::NoThreads | SimulationError::StepSize { .. } => true,
            SimulationError::UnknownObject { .. } | SimulationError::UnknownNode { .. } => true,
            SimulationError::Force { .. } | SimulationError::ForceCount { .. } => true,
            SimulationError::UnknownCollider { .. } | SimulationError::UnknownPin { .. } => true,
            SimulationError::DrivenSequence { .. } | SimulationError::DriveNumbers { .. } => true,
            SimulationError::Threads { .. } => false,
            SimulationError::Build(_) | SimulationError::Method(_) => true,
            SimulationError::Parameter(_) => true,
            SimulationError::Collision(_) | SimulationError::InitialIntersections { .. } => true,
            SimulationError::Start(_) => true,
            SimulationError::Restore(_) | SimulationError::CheckpointSize { .. } => true,
            SimulationError::Output(error) => matches!(
                error,
                OutputError::RunExists { .. }
                    | OutputError::InTheWay { .. }
                    | OutputError::Locked { .. }
                    | OutputError::OldFormat { .. }
                    | OutputError::Unwritable { .. }
                    | OutputError::NotARun { .. }
                    | OutputError::OtherScene { .. }
                    | OutputError::OtherStateFormat { .. }
                    | OutputError::NoSuchFrame { .. }
                    | OutputError::UnknownFormat { .. }
                    | OutputError::Export { .. }
            ),
            SimulationError::Unsaved { cause, .. } => cause.is_input(),
            SimulationError::Step { source, .. } => matches!(source, StepError::Start { .. }),
        }
    }
}
