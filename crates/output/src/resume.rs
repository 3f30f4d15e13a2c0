//! Where an interrupted or damaged run goes on: the newest checkpoint before which everything is
//! whole.

use crate::checkpoint::{Checkpoint, CheckpointIdentity};
use crate::error::{OutputError, Result};
use crate::frame::FrameFile;
use crate::layout::Layout;
use crate::layout_file;
use crate::lock::RunLock;
use crate::own_files::refuse_what_is_in_the_way_of_resume;
use crate::reader::{frame_name, open};
use crate::run_id::RunId;
use crate::summary::{FORMAT, RunSummary};
use std::path::Path;
use stiction_limits::Budget;

/// The moment that a run continues from.
#[derive(Debug)]
pub struct ResumePoint {
    /// The state to go on from; `None` starts at the beginning.
    pub checkpoint: Option<Checkpoint>,
    /// What the user should know, in sentences.
    pub notes: Vec<String>,
    /// The run that the folder holds, if anything tells.
    pub(crate) run_id: Option<RunId>,
    pub(crate) budget: Budget,
}

impl ResumePoint {
    /// The beginning of a run.
    pub(crate) fn beginning() -> Self {
        Self { checkpoint: None, notes: Vec::new(), run_id: None, budget: Budget::default() }
    }

    /// Looks at all frames that the checkpoints cover: the run goes on from the newest checkpoint
    /// that comes before the first frame that cannot be used, so that this frame is computed again.
    /// What is read must fit into the budget.
    pub fn find(
        lock: &RunLock,
        layout: &Layout,
        expected: &CheckpointIdentity,
        budget: &Budget,
    ) -> Result<Self> {
        let folder = lock.folder();
        refuse_what_is_in_the_way_of_resume(folder)?;
        let known = run_of_folder(folder, budget)?;
        let checkpoints = Checkpoint::read_all(&folder.join("checkpoint"), known, expected, budget)?;
        let newest = checkpoints.first();
        let run_id = known.or(newest.map(|c| c.run_id));
        let layout = Layout { run_id: run_id.unwrap_or_default(), ..layout.clone() };
        let frames = newest.map_or(0, |c| c.frames);
        let bad = (0..frames).find_map(|index| {
            frame_error(folder, index, &layout, budget).map(|error| BadFrame { index, error })
        });
        let covers = |checkpoint: &Checkpoint| bad.as_ref().is_some_and(|bad| checkpoint.frames > bad.index);
        let checkpoint = checkpoints.into_iter().find(|checkpoint| !covers(checkpoint));
        let notes = bad.iter().map(|bad| bad.note(checkpoint.as_ref())).collect();
        Ok(Self { checkpoint, notes, run_id, budget: budget.clone() })
    }
}

/// The first frame that cannot be used, and why.
struct BadFrame {
    index: u32,
    error: OutputError,
}

impl BadFrame {
    fn note(&self, checkpoint: Option<&Checkpoint>) -> String {
        let from = checkpoint.map_or(0, |c| c.frames.saturating_sub(1));
        let reason = match &self.error {
            OutputError::Corrupt { reason, .. } => reason.clone(),
            other => other.to_string(),
        };
        format!("frame {} could not be used ({reason}); computed again from frame {from}", self.index)
    }
}

/// Why a frame cannot be used; its content is checked to the last byte.
fn frame_error(folder: &Path, index: u32, layout: &Layout, budget: &Budget) -> Option<OutputError> {
    let path = folder.join("frames").join(frame_name(index));
    let whole = || {
        let file = FrameFile::open(open(&path)?, &path, layout, budget.clone())?;
        file.expect_index(index)?.check_blocks()
    };
    whole().err()
}

/// The run that a folder holds; `None` when nothing tells.
fn run_of_folder(folder: &Path, budget: &Budget) -> Result<Option<RunId>> {
    match RunSummary::read(&folder.join("run.json")) {
        Ok(summary) if summary.format < FORMAT => {
            Err(OutputError::OldFormat { path: folder.to_path_buf(), found: summary.format })
        }
        Ok(summary) => Ok(Some(summary.run_id)),
        Err(error @ OutputError::FormatVersion { .. }) => Err(error),
        Err(_) => Ok(layout_file::run_of(&folder.join("frames"), budget)),
    }
}
