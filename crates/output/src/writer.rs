//! Writing a run folder so that a kill at any moment leaves something to resume.
//!
//! Order of a checkpoint interval: frames (renamed into place) and statistics (appended), then the
//! statistics are synced, then the checkpoint. What lies beyond the newest checkpoint is cut off on resume
//! and computed again, to the same bits.

use crate::checkpoint::{Checkpoint, CheckpointIdentity};
use crate::error::{OutputError, Result};
use crate::files::{Durability, create_folder, write_atomic};
use crate::frame::Frame;
use crate::layout::Layout;
use crate::layout_file;
use crate::lock::RunLock;
use crate::own_files::{holds_run, refuse_what_is_in_the_way, remove_run};
use crate::reader::{frame_files, frame_name};
use crate::resume::ResumePoint;
use crate::run_id::RunId;
use crate::sections::Sections;
use crate::stats::{StatsWriter, StepRecord};
use crate::summary::{FORMAT, RunStatus, RunSummary};
use std::fs;
use std::path::{Path, PathBuf};

/// Writes a run. No other process writes to the folder as long as it lives.
pub struct RunWriter {
    folder: PathBuf,
    layout: Layout,
    stats: StatsWriter,
    summary: RunSummary,
    earlier_seconds: [f64; 8],
    _lock: RunLock,
}

impl RunWriter {
    /// Starts a run in a new or empty folder; one that holds a run is refused. It takes the run id of the
    /// summary, or a fresh one where that has none.
    pub fn create(folder: &Path, layout: Layout, summary: RunSummary) -> Result<Self> {
        if holds_run(folder) {
            let running = RunLock::holder(folder);
            let path = folder.to_path_buf();
            return Err(match running {
                Some(holder) => OutputError::Locked { path, holder },
                None => OutputError::RunExists { path },
            });
        }
        refuse_what_is_in_the_way(folder)?;
        let lock = RunLock::acquire(folder)?;
        // Another process may have been quicker.
        if holds_run(folder) {
            return Err(OutputError::RunExists { path: folder.to_path_buf() });
        }
        Self::begin(lock, layout, summary)
    }

    /// Starts a run in place of the one that the folder holds. Files that are not of a run stay; where they
    /// are in the way, nothing is removed.
    pub fn replace(folder: &Path, layout: Layout, summary: RunSummary) -> Result<Self> {
        refuse_what_is_in_the_way(folder)?;
        let lock = RunLock::acquire(folder)?;
        remove_run(&lock)?;
        Self::begin(lock, layout, summary)
    }

    fn begin(lock: RunLock, layout: Layout, summary: RunSummary) -> Result<Self> {
        Self::prepare(lock, layout, summary, &ResumePoint::beginning()).map_err(OutputError::at_the_start)
    }

    /// Continues a run: statistics and frames beyond the point are removed.
    pub fn resume(lock: RunLock, layout: Layout, summary: RunSummary, point: &ResumePoint) -> Result<Self> {
        Self::prepare(lock, layout, summary, point).map_err(OutputError::at_the_start)
    }

    fn prepare(
        lock: RunLock,
        mut layout: Layout,
        mut summary: RunSummary,
        point: &ResumePoint,
    ) -> Result<Self> {
        layout.check()?;
        if let Some(known) = point.run_id {
            summary.run_id = known;
        } else if summary.run_id.is_none() {
            summary.run_id = RunId::fresh();
        }
        layout.run_id = summary.run_id;
        let folder = lock.folder().to_path_buf();
        create_folder(&folder.join("frames"))?;
        create_folder(&folder.join("checkpoint"))?;
        let before = RunSummary::read(&folder.join("run.json")).unwrap_or_default();
        start_summary(&mut summary, &before, point);
        summary.vertices = layout.vertex_count() as u64;
        summary.frames = remove_frames_from(&folder, point.checkpoint.as_ref().map_or(0, |c| c.frames))?;
        let path = folder.join("stats.jsonl");
        let (stats, kept) = StatsWriter::open(&path, summary.steps, summary.run_id, &point.budget)?;
        // A loss that an earlier resume has noted is not noted again.
        let lost = kept.lost_in_words(summary.steps).filter(|lost| !summary.notes.contains(lost));
        summary.notes.extend(lost);
        summary.set_wall_time(summary.wall_seconds, before.time_share);
        let earlier_seconds = before.time_share.fractions().map(|share| share * summary.wall_seconds);
        layout_file::write(&folder.join("frames"), &layout)?;
        let writer = Self { folder, layout, stats, summary, earlier_seconds, _lock: lock };
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

    /// Wall time by category that a resumed run took before, in the order of
    /// [`Category::ALL`](crate::Category::ALL): the fractions in `run.json`, which is written with every
    /// checkpoint, of the time that the checkpoint knows.
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
                state_format: self.summary.state_format,
            },
            run_id: self.summary.run_id,
            build: self.summary.build.clone(),
            step,
            time,
            frames: self.summary.frames as u32,
            wall_seconds: self.summary.wall_seconds,
            totals: self.summary.totals(),
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
    pub fn finish(self, failure: Option<String>) -> Result<RunSummary> {
        let status = if failure.is_none() { RunStatus::Finished } else { RunStatus::Failed };
        self.end(status, failure)
    }

    /// Leaves the run as one that was stopped on request and can be continued.
    pub fn pause(self) -> Result<RunSummary> {
        self.end(RunStatus::Paused, None)
    }

    fn end(mut self, status: RunStatus, failure: Option<String>) -> Result<RunSummary> {
        self.stats.sync()?;
        self.summary.status = status;
        self.summary.failure = failure;
        self.summary.write(&self.folder.join("run.json"), Durability::Device)?;
        Ok(self.summary)
    }
}

/// What a summary says when a run begins or goes on: totals and notes so far.
fn start_summary(summary: &mut RunSummary, before: &RunSummary, point: &ResumePoint) {
    summary.format = FORMAT;
    summary.status = RunStatus::Running;
    summary.failure = None;
    let checkpoint = point.checkpoint.as_ref();
    let totals = checkpoint.map_or_else(Default::default, |c| c.totals);
    summary.set_totals(checkpoint.map_or(0, |c| c.step), &totals);
    summary.wall_seconds = checkpoint.map_or(0.0, |c| c.wall_seconds);
    summary.notes = before.notes.iter().chain(&point.notes).cloned().collect();
}

/// Removes frames that will be computed again; returns how many are left.
fn remove_frames_from(folder: &Path, first: u32) -> Result<u64> {
    let mut left = 0;
    for (index, path) in frame_files(folder)? {
        if index >= first {
            fs::remove_file(&path).map_err(|e| OutputError::writing(&path, e))?;
        } else {
            left = u64::from(index) + 1;
        }
    }
    Ok(left)
}
