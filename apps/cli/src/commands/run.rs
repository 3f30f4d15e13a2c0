//! `stiction run`: a scene into a run folder.

use super::{info, print_json};
use crate::args::RunOptions;
use crate::failure::Failure;
use crate::progress::Reporter;
use crate::scene_source::{load, with_threads};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// Runs a scene.
pub fn run(options: &RunOptions) -> Result<(), Failure> {
    let loaded = load(&options.scene)?;
    let folder = options.output.clone().unwrap_or_else(|| Path::new("runs").join(&loaded.scene.name));
    let details = stiction::RunOptions {
        scene_name: options.scene.scene.clone(),
        scene_hash: loaded.hash.clone(),
        canonical: loaded.canonical.clone(),
        resume: options.resume,
    };
    let mut reporter = Reporter::new(u64::from(loaded.scene.frames));
    let outcome = with_threads(options.scene.threads, || {
        let outcome = stiction::run(loaded.scene, &folder, &details, |progress| {
            reporter.show(&progress);
            ControlFlow::Continue(())
        });
        reporter.finish();
        outcome
    })?;
    let summary = outcome.map_err(|error| with_hint(Failure::from(error), &folder))?;
    if options.json {
        return print_json(&summary);
    }
    info::print(&summary);
    println!("written to {}; look at it with: stiction render {}", folder.display(), folder.display());
    Ok(())
}

/// A run that failed has left its last good state on disk.
fn with_hint(failure: Failure, folder: &PathBuf) -> Failure {
    match failure {
        Failure::Run(text) => {
            Failure::Run(format!("{text}\n  the last good state is in {}", folder.display()))
        }
        input => input,
    }
}
