//! A scene on its way into a run folder: what every front end does.

use crate::error::SimulationError;
use crate::run::{RunOptions, RunProgress, run};
use crate::scene_source::OpenedScene;
use crate::simulation::Simulation;
use crate::threads::Threads;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use stiction_output::{RunSummary, holds_run};
use stiction_solvers::ignored_settings;

/// A scene, read and checked, with the folder that its run goes to.
pub struct Job {
    opened: OpenedScene,
    options: RunOptions,
    /// Where the run goes.
    pub folder: PathBuf,
}

impl Job {
    /// A run of a scene into a folder, `runs/NAME` when none is given.
    pub fn new(opened: OpenedScene, folder: Option<PathBuf>, options: RunOptions) -> Job {
        let folder = folder.unwrap_or_else(|| Path::new("runs").join(&opened.scene.name));
        Job { opened, options, folder }
    }

    /// Frames wanted.
    pub fn frames(&self) -> u64 {
        u64::from(self.opened.scene.frames)
    }

    /// What the scene asks for and its method ignores, and what overrides leave as it was, in
    /// sentences.
    pub fn notes(&self) -> Vec<String> {
        ignored_settings(&self.opened.scene).into_iter().chain(self.opened.notes.iter().cloned()).collect()
    }

    /// Whether the folder holds a run that this one would not continue.
    pub fn is_blocked(&self) -> bool {
        !self.options.resume && !self.options.overwrite && holds_run(&self.folder)
    }

    /// Compiles the scene and runs it to the end on these threads, or up to the frame after which
    /// `watch` breaks.
    pub fn execute(
        self,
        threads: &Threads,
        watch: impl FnMut(RunProgress<'_>) -> ControlFlow<()> + Send,
    ) -> Result<RunSummary, SimulationError> {
        let Job { opened, options, folder } = self;
        let work = || {
            let mut simulation = Simulation::of(opened)?;
            run(&mut simulation, &folder, &options, watch)
        };
        threads.install(work)
    }
}
