//! Writing a run folder so that a kill at any moment leaves something to resume.
//!
//! Order of a checkpoint interval: frames (renamed into place) and statistics (appended), then the
//! statistics are synced, then the checkpoint. What lies beyond the newest checkpoint is cut off on resume
//! and computed again, to the same bits.

use crate::checkpoint::{Checkpoint, CheckpointIdentity, SLOTS};
use crate::error::{OutputError, Result};
use crate::files::{Durability, create_folder, write_atomic};
use crate::frame::Frame;
use crate::layout::Layout;
use crate::layout_file;
use crate::reader::{frame_files, frame_index, frame_name};
use crate::sections::Sections;
use crate::stats::{StatsWriter, StepRecord};
use crate::summary::{RunStatus, RunSummary};
use std::fs;
use std::path::{Path, PathBuf};

/// Writes a run.
pub struct RunWriter {
    folder: PathBuf,
    layout: Layout,
    stats: StatsWriter,
    summary: RunSummary,
    earlier_seconds: [f64; 8],
}

impl RunWriter {
    /// Starts a run in a new or empty folder; one that holds a run is refused.
    pub fn create(folder: &Path, layout: Layout, summary: RunSummary) -> Result<Self> {
        if holds_run(folder) {
            return Err(OutputError::RunExists { path: folder.to_path_buf() });
        }
        Self::prepare(folder, layout, summary, 0, 0).map_err(OutputError::at_the_start)
    }

    /// Continues a run after a checkpoint, or from the start when there is none: statistics and frames
    /// beyond it are removed.
    pub fn resume(
        folder: &Path,
        layout: Layout,
        mut summary: RunSummary,
        checkpoint: Option<&Checkpoint>,
    ) -> Result<Self> {
        let (step, frames) = checkpoint.map_or((0, 0), |c| (c.step, c.frames));
        summary.wall_seconds = checkpoint.map_or(0.0, |c| c.wall_seconds);
        Self::prepare(folder, layout, summary, step, frames).map_err(OutputError::at_the_start)
    }

    fn prepare(
        folder: &Path,
        layout: Layout,
        mut summary: RunSummary,
        step: u64,
        frames: u32,
    ) -> Result<Self> {
        layout.check()?;
        let scene = folder.join("scene.json");
        if !holds_run(folder) && scene.exists() {
            return Err(OutputError::SceneInTheWay { path: scene });
        }
        create_folder(&folder.join("frames"))?;
        create_folder(&folder.join("checkpoint"))?;
        summary.status = RunStatus::Running;
        summary.failure = None;
        summary.vertices = layout.vertex_count() as u64;
        reset_totals(&mut summary);
        for (index, path) in frame_files(folder)? {
            if index >= frames {
                fs::remove_file(&path).map_err(|e| OutputError::writing(&path, e))?;
            } else {
                summary.frames = u64::from(index) + 1;
            }
        }
        let (stats, kept) = StatsWriter::open(&folder.join("stats.jsonl"), step)?;
        kept.iter().for_each(|record| summary.add_step(record));
        let before = RunSummary::read(&folder.join("run.json")).unwrap_or_default();
        summary.set_wall_time(summary.wall_seconds, before.time_share);
        let earlier_seconds = before.time_share.fractions().map(|share| share * summary.wall_seconds);
        layout_file::write(&folder.join("frames"), &layout)?;
        let writer = Self { folder: folder.to_path_buf(), layout, stats, summary, earlier_seconds };
        writer.write_summary()?;
        Ok(writer)
    }

    /// The run folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What is stored.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The summary so far; totals over steps and frames are kept up to date here.
    pub fn summary(&self) -> &RunSummary {
        &self.summary
    }

    /// The summary, to set what only the caller knows (sizes, wall time, hash).
    pub fn summary_mut(&mut self) -> &mut RunSummary {
        &mut self.summary
    }

    /// Wall time by category that a resumed run took before, in the order of [`Category::ALL`](crate::Category::ALL): the shares
    /// that stood in `run.json`, which is written with every checkpoint, of the time that the checkpoint knows.
    pub fn earlier_seconds(&self) -> [f64; 8] {
        self.earlier_seconds
    }

    /// Writes a frame under its number.
    pub fn write_frame(&mut self, frame: &Frame) -> Result<()> {
        let path = self.folder.join("frames").join(frame_name(frame.index));
        write_atomic(&path, &frame.to_bytes(&self.layout)?, Durability::Process)?;
        self.summary.frames = self.summary.frames.max(u64::from(frame.index) + 1);
        Ok(())
    }

    /// Appends a step's record and adds it to the totals.
    pub fn write_step(&mut self, record: &StepRecord) -> Result<()> {
        self.stats.append(record)?;
        self.summary.add_step(record);
        Ok(())
    }

    /// Saves a moment of the run, after making sure that the statistics before it are on the device.
    pub fn write_checkpoint(&mut self, step: u64, time: f64, sections: Sections) -> Result<()> {
        self.stats.sync()?;
        let checkpoint = Checkpoint {
            identity: CheckpointIdentity {
                scene_hash: self.summary.scene_hash.clone(),
                version: self.summary.version.clone(),
            },
            step,
            time,
            frames: self.summary.frames as u32,
            wall_seconds: self.summary.wall_seconds,
            sections,
        };
        checkpoint.write(&self.folder.join("checkpoint"))?;
        self.write_summary()
    }

    /// Writes `run.json` with the present values.
    pub fn write_summary(&self) -> Result<()> {
        // While running it only informs: a resume needs the checkpoint, which is synced.
        self.summary.write(&self.folder.join("run.json"), Durability::Process)
    }

    /// Ends the run: finished, or failed with a reason.
    pub fn finish(mut self, failure: Option<String>) -> Result<RunSummary> {
        self.stats.sync()?;
        self.summary.status = if failure.is_none() { RunStatus::Finished } else { RunStatus::Failed };
        self.summary.failure = failure;
        self.summary.write(&self.folder.join("run.json"), Durability::Device)?;
        Ok(self.summary)
    }
}

/// Whether a name is one of a run's own files.
type IsOwn = fn(&str) -> bool;

/// The files of a run: where they are and by which names, in the order in which they are removed. The summary goes last, so that a removal
/// that was cut short can be taken up again.
const PARTS: [(&str, IsOwn); 4] = [
    ("checkpoint", |name| SLOTS.contains(&name)),
    ("frames", |name| frame_index(name).is_some() || layout_file::NAMES.contains(&name)),
    ("", |name| ["stats.jsonl", "scene.json"].contains(&name)),
    ("", |name| name == "run.json"),
];

/// Whether a folder has any part of a run. A `scene.json` alone is none: it may be what the user wrote.
pub fn holds_run(folder: &Path) -> bool {
    own_files(folder).iter().any(|path| *path != folder.join("scene.json"))
}

/// Removes the files of a run from a folder that has any part of one; other files stay.
pub fn remove_run(folder: &Path) -> Result<()> {
    if !holds_run(folder) {
        return Ok(());
    }
    for path in own_files(folder) {
        let removed = fs::remove_file(&path).map_err(|error| OutputError::writing(&path, error));
        removed.map_err(OutputError::at_the_start)?;
    }
    for (part, _) in PARTS.iter().filter(|(part, _)| !part.is_empty()) {
        // Stays when it holds something else.
        let _ = fs::remove_dir(folder.join(part));
    }
    Ok(())
}

/// Files that a run has written into the folder, whole or begun, in the order of [`PARTS`].
fn own_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for (part, is_own) in PARTS {
        let entries = fs::read_dir(folder.join(part)).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let own = |name: &String| is_own(name.strip_suffix(".partial").unwrap_or(name));
        files.extend(names.filter(own).map(|name| folder.join(part).join(name)));
    }
    files
}

/// Totals start from nothing: they are rebuilt from what stays on disk.
fn reset_totals(summary: &mut RunSummary) {
    summary.frames = 0;
    summary.steps = 0;
    summary.contacts_max = 0;
    summary.contacts_mean = 0.0;
    summary.intersections_max = 0;
    summary.penetration_max_m = 0.0;
    summary.strain_limit_excess_max = 0.0;
}
