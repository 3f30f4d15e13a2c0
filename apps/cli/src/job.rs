//! A scene on its way into a run folder: what `run` and `view` have in common.

use crate::args::{FolderOptions, SceneOptions};
use crate::failure::Failure;
use crate::progress::Reporter;
use crate::scene_source::{load, with_threads};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use stiction::SimulationError;
use stiction::output::RunSummary;
use stiction::scene::{Document, Scene};
use stiction::solvers::ignored_settings;

/// Everything that a run needs, read and checked.
pub struct Job {
    scene: Scene,
    threads: Option<usize>,
    details: stiction::RunOptions,
    document: Document,
    /// Where the run goes.
    pub folder: PathBuf,
}

impl Job {
    /// Loads the scene and chooses the folder.
    pub fn new(options: &SceneOptions, place: &FolderOptions) -> Result<Job, Failure> {
        let loaded = load(options)?;
        let folder = place.output.clone().unwrap_or_else(|| Path::new("runs").join(&loaded.scene.name));
        let details = stiction::RunOptions {
            scene_name: options.scene.clone(),
            scene_hash: loaded.hash,
            canonical: loaded.canonical,
            resume: place.resume,
            overwrite: place.overwrite,
        };
        ignored_settings(&loaded.scene).iter().for_each(|sentence| note!("note: {sentence}"));
        let (scene, document) = (loaded.scene, loaded.document);
        Ok(Job { scene, threads: options.threads, details, document, folder })
    }

    /// Whether the folder holds a run that this one would not continue.
    #[cfg(feature = "viewer")]
    pub fn is_blocked(&self) -> bool {
        !self.details.resume && !self.details.overwrite && stiction::output::holds_run(&self.folder)
    }

    /// Runs to the end, or to the first frame after `stopped` turns true.
    pub fn execute(self, stopped: impl Fn() -> bool + Sync) -> Result<RunSummary, Failure> {
        let mut reporter = Reporter::new(u64::from(self.scene.frames));
        let outcome = with_threads(self.threads, || {
            let outcome = stiction::run(self.scene, &self.folder, &self.details, |progress| {
                reporter.show(&progress);
                if stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            });
            reporter.finish();
            outcome
        })?;
        outcome.map_err(|error| with_hint(error, &self.document, &self.folder))
    }
}

/// A step that failed has left its last good state on disk.
fn with_hint(error: SimulationError, document: &Document, folder: &Path) -> Failure {
    let step = matches!(error, SimulationError::Step { .. });
    match Failure::of_scene(error, document) {
        Failure::Run(text) if step => {
            Failure::Run(format!("{text}\n  the last good state is in {}", folder.display()))
        }
        other => other,
    }
}
