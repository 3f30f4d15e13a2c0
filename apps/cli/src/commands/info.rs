//! `stiction info`: what a run was and how it went.

use super::print_json;
use crate::args::InfoOptions;
use crate::failure::Failure;
use serde::Serialize;
use stiction::output::{RunLock, RunReader, RunStatus, RunSummary};

/// Reports on a run folder.
pub fn info(options: &InfoOptions) -> Result<(), Failure> {
    let reader = RunReader::open_within(&options.run, options.limits.budget())?;
    if let Some(file) = &options.profile {
        return super::profile::draw(&reader, options.step, file);
    }
    let summary = reader.summary()?;
    let damage = reader.damage()?;
    if options.json {
        return print_json(&Report { summary, damage });
    }
    print(&summary, RunLock::holder(&options.run));
    damage.iter().for_each(|sentence| say!("  damaged: {sentence}"));
    Ok(())
}

/// What `--json` prints: the fields of `run.json`, and what is wrong with the folder in sentences.
#[derive(Serialize)]
struct Report {
    #[serde(flatten)]
    summary: RunSummary,
    damage: Vec<String>,
}

/// The summary in words; `writer` is the process that writes the run now.
pub fn print(summary: &RunSummary, writer: Option<String>) {
    let s = summary;
    let status = match (s.status, writer) {
        (RunStatus::Running, Some(writer)) => format!("being written by {writer}"),
        (RunStatus::Running, None) => "interrupted; continue it with --resume".to_owned(),
        (RunStatus::Paused, _) => "stopped; continue it with --resume".to_owned(),
        (RunStatus::Finished, _) => "finished".to_owned(),
        (RunStatus::Failed, _) => "failed".to_owned(),
    };
    say!("{}: method {}, {status}", s.scene, s.method);
    s.notes.iter().for_each(|sentence| say!("  note: {sentence}"));
    s.failure.iter().for_each(|reason| say!("  failed: {reason}"));
    say!("  {} vertices, {} elements, {} degrees of freedom", s.vertices, s.elements, s.dofs);
    say!(
        "  {} frames, {} steps, {:.2} s on {} threads, {:.1} ms per frame",
        s.frames,
        s.steps,
        s.wall_seconds,
        s.threads,
        s.ms_per_frame
    );
    say!(
        "  contacts {:.0} on average, {} at most; deepest penetration {:.3} mm; intersections {}",
        s.contacts_mean,
        s.contacts_max,
        1e3 * s.penetration_max_m,
        s.intersections_max
    );
    let share = serde_json::to_value(s.time_share).unwrap_or_default();
    let parts: Vec<String> = share
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(name, value)| {
            value.as_f64().filter(|v| *v >= 0.005).map(|v| format!("{name} {:.0} %", 100.0 * v))
        })
        .collect();
    say!("  time: {}", parts.join(", "));
    say!("  state {}", s.state_hash);
}
