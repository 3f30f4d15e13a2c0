//! `stiction run`: a scene into a run folder.

use super::{info, print_json, view};
use crate::args::RunArgs;
use crate::failure::Failure;
use crate::job;
use crate::signals::stop_flag;

/// Runs a scene.
pub fn run(options: &RunArgs) -> Result<(), Failure> {
    let stop = stop_flag()?;
    let job = job::prepare(&options.scene, &options.folder, &stop)?;
    let folder = job.folder.display().to_string();
    let threads = options.scene.threads;
    let summary = match options.view {
        true => view::watch(job, threads, &stop, &options.server)?,
        false => job::execute(job, threads)?,
    };
    if options.json {
        print_json(&summary)?;
        return job::fail_if_stopped(&summary, &folder);
    }
    info::print(&summary, None);
    job::fail_if_stopped(&summary, &folder)?;
    say!("written to {folder}; look at it with: stiction view {folder}");
    Ok(())
}
