//! A scene on its way into a run folder, as `run` and `view` were asked for it.

use crate::args::{FolderOptions, SceneOptions};
use crate::failure::Failure;
use crate::progress::Reporter;
use std::ops::ControlFlow;
use stiction::numerics::return_freed_memory;
use stiction::output::{RunStatus, RunSummary};
use stiction::scene::Loader;
use stiction::{Job, OpenedScene, RunOptions, SimulationError, StopFlag, Threads};

/// Opens what the user named, with all changes applied.
pub fn open(options: &SceneOptions) -> Result<OpenedScene, Failure> {
    let frames = options.frames.map(|frames| format!("frames={frames}"));
    let changes: Vec<String> = options.set.iter().cloned().chain(frames).collect();
    let loader = Loader { budget: options.limits.budget() };
    Ok(OpenedScene::open_with(&loader, &options.scene, options.method.as_deref(), &changes)?)
}

/// Opens the scene, chooses the folder, and says what the method ignores. The run ends early when the flag
/// is raised.
pub fn prepare(options: &SceneOptions, place: &FolderOptions, stop: &StopFlag) -> Result<Job, Failure> {
    let run_options = RunOptions {
        resume: place.resume,
        overwrite: place.overwrite,
        budget: options.limits.budget(),
        stop: stop.clone(),
    };
    let job = Job::new(open(options)?, place.output.clone(), run_options);
    job.notes().iter().for_each(|sentence| note!("note: {sentence}"));
    Ok(job)
}

/// Runs to the end, or until the run is asked to stop.
pub fn execute(job: Job, threads: Option<usize>) -> Result<RunSummary, Failure> {
    let threads = Threads::new(threads)?;
    let mut reporter = Reporter::new(job.frames());
    let folder = job.folder.clone();
    // Reading a scene takes more memory than the scene does.
    return_freed_memory();
    let outcome = job.execute(&threads, |progress| {
        reporter.show(&progress);
        return_freed_memory();
        ControlFlow::Continue(())
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

/// Fails with the exit code of a stopped run where it was stopped.
pub fn fail_if_stopped(summary: &RunSummary, folder: &str) -> Result<(), Failure> {
    match summary.status {
        RunStatus::Paused => {
            let (frames, steps) = (summary.frames, summary.steps);
            Err(Failure::Stopped(format!(
                "stopped after step {steps} with {frames} frames in {folder}; continue with --resume"
            )))
        }
        _ => Ok(()),
    }
}
