//! `stiction run`: a scene into a run folder.

use super::{info, print_json, view};
use crate::args::RunArgs;
use crate::failure::Failure;
use crate::job;

/// Runs a scene.
pub fn run(options: &RunArgs) -> Result<(), Failure> {
    let job = job::prepare(&options.scene, &options.folder)?;
    let folder = job.folder.display().to_string();
    let threads = options.scene.threads;
    let summary = match options.view {
        true => view::watch(job, threads, &options.server)?,
        false => job::execute(job, threads, || false)?,
    };
    if options.json {
        return print_json(&summary);
    }
    info::print(&summary);
    say!("written to {folder}; look at it with: stiction view {folder}");
    Ok(())
}
