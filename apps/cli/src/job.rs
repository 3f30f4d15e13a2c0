//! A scene on its way into a run folder, as `run` and `view` were asked for it.

use crate::args::{FolderOptions, SceneOptions};
use crate::failure::Failure;
use crate::progress::Reporter;
use std::ops::ControlFlow;
use stiction::output::RunSummary;
use stiction::scene::Loader;
use stiction::{Job, OpenedScene, RunArgs, SimulationError, Threads};

/// Opens what the user named, with all changes applied.
pub fn open(options: &SceneOptions) -> Result<OpenedScene, Failure> {
    let frames = options.frames.map(|frames| format!("frames={frames}"));
    let changes: Vec<String> = options.set.iter().cloned().chain(frames).collect();
    let loader = Loader { budget: options.limits.budget() };
    Ok(OpenedScene::open_with(&loader, &options.scene, options.method.as_deref(), &changes)?)
}

/// Opens the scene, chooses the folder, and says what the method ignores.
pub fn prepare(options: &SceneOptions, place: &FolderOptions) -> Result<Job, Failure> {
    let run_options = RunArgs { resume: place.resume, overwrite: place.overwrite };
    let job = Job::new(open(options)?, place.output.clone(), run_options);
    job.notes().iter().for_each(|sentence| note!("note: {sentence}"));
    Ok(job)
}

/// Runs to the end, or to the first frame after `stopped` turns true.
pub fn execute(
    job: Job,
    threads: Option<usize>,
    stopped: impl Fn() -> bool + Sync,
) -> Result<RunSummary, Failure> {
    let threads = Threads::new(threads)?;
    let mut reporter = Reporter::new(job.frames());
    let folder = job.folder.clone();
    let outcome = job.execute(&threads, |progress| {
        reporter.show(&progress);
        if stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    reporter.finish();
    outcome.map_err(|error| {
        let step = matches!(error, SimulationError::Step { .. });
        match Failure::from(error) {
            // A step that failed has left its last good state on disk.
            Failure::Run(text) if step => {
                Failure::Run(format!("{text}\n  the last good state is in {}", folder.display()))
            }
            other => other,
        }
    })
}
