//! Reading a run folder, finished or still growing.

use crate::checkpoint::{self, Checkpoint, CheckpointIdentity};
use crate::error::{OutputError, Result};
use crate::frame::{Frame, FrameFile};
use crate::layout::{Layout, StoredPose};
use crate::layout_file;
use crate::stats::{self, Statistics, StepRecord};
use crate::summary::RunSummary;
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use stiction_limits::{Budget, open_input};

/// Reads a run. Frames are read one at a time, in any order.
#[derive(Clone, Debug)]
pub struct RunReader {
    folder: PathBuf,
    layout: Layout,
    frames: Vec<u32>,
    budget: Budget,
}

impl RunReader {
    /// Opens a run folder within half of the machine's memory.
    pub fn open(folder: &Path) -> Result<Self> {
        Self::open_within(folder, Budget::default())
    }

    /// Opens a run folder: reads the layout and lists the frames. What it reads, now or later, must
    /// each fit into the budget.
    pub fn open_within(folder: &Path, budget: Budget) -> Result<Self> {
        for missing in ["run.json", "frames/layout.json"] {
            if !folder.join(missing).exists() {
                return Err(OutputError::NotARun { path: folder.to_path_buf(), missing });
            }
        }
        let layout = layout_file::read(&folder.join("frames"), &budget)?;
        refuse_foreign_layout(folder, &layout)?;
        let mut reader = Self { folder: folder.to_path_buf(), layout, frames: Vec::new(), budget };
        reader.refresh()?;
        Ok(reader)
    }

    /// Lists the frames again (a live run adds them); returns how many there are.
    pub fn refresh(&mut self) -> Result<usize> {
        self.frames = frame_files(&self.folder)?.into_iter().map(|(index, _)| index).collect();
        Ok(self.frames.len())
    }

    /// What reading may take.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The run folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What is stored.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// Numbers of the frames on disk, ascending.
    pub fn frame_indices(&self) -> &[u32] {
        &self.frames
    }

    /// How many frames the run has written: one more than the largest number on disk or, where the summary
    /// can be read and says more, as many as it says. Frames of lower numbers that are not on disk are
    /// missing; a forged summary can name any number of them.
    pub fn frame_span(&self) -> u32 {
        let on_disk = self.frames.last().map_or(0, |last| last.saturating_add(1));
        let told = self.summary().map_or(0, |summary| u32::try_from(summary.frames).unwrap_or(0));
        on_disk.max(told)
    }

    /// How many frames there are.
    pub fn frame_count(&self) -> usize {
        self.frames.len()
    }

    /// Reads `run.json`.
    pub fn summary(&self) -> Result<RunSummary> {
        RunSummary::read(&self.folder.join("run.json"))
    }

    /// Reads `stats.jsonl`: the records that can be trusted. [`RunReader::damage`] tells what is lost.
    pub fn stats(&self) -> Result<Vec<StepRecord>> {
        self.statistics().map(|statistics| statistics.records)
    }

    fn statistics(&self) -> Result<Statistics> {
        stats::read(&self.folder.join("stats.jsonl"), self.layout.run_id, &self.budget)
    }

    /// Reads a whole frame by its number.
    pub fn frame(&self, index: u32) -> Result<Frame> {
        self.with_frame(index, Frame::from_file)
    }

    /// Opens a frame at its path (see `frame_path`) to read parts of it, and makes sure that it is the one of
    /// that number in this run. Damage is reported with the frame from which a resumed run computes it again.
    pub fn frame_file<'a>(&'a self, path: &'a Path, index: u32) -> Result<OpenFrame<'a>> {
        let file = FrameFile::open(open(path)?, path, &self.layout, self.budget.clone());
        let file = file.and_then(|file| file.expect_index(index));
        file.map_err(|error| error.of_frame(self.frame_to_resume_from(index)))
    }

    /// Reads from a frame by its number.
    fn with_frame<T>(&self, index: u32, read: impl FnOnce(OpenFrame<'_>) -> Result<T>) -> Result<T> {
        let path = self.frame_path(index)?;
        let outcome = self.frame_file(&path, index).and_then(read);
        outcome.map_err(|error| error.of_frame(self.frame_to_resume_from(index)))
    }

    /// The frame from which a resumed run computes this one again; `None` for runs that only can be read.
    fn frame_to_resume_from(&self, index: u32) -> Option<u32> {
        let run = self.layout.run_id;
        let folder = self.folder.join("checkpoint");
        (!run.is_none()).then(|| checkpoint::frame_to_resume_from(&folder, run, index))
    }

    /// What is wrong with the folder, in sentences: frames that are missing, cut off, of another run or under
    /// the name of another frame, and statistics that are lost. Contents of frames are not read.
    pub fn damage(&self) -> Result<Vec<String>> {
        let mut found = Vec::new();
        let bad = (0..self.frame_span()).filter_map(|index| self.with_frame(index, |_| Ok(())).err());
        for (count, error) in bad.enumerate() {
            if count == MAX_DAMAGE_SHOWN {
                found.push("more frames cannot be used".to_owned());
                break;
            }
            found.push(error.to_string());
        }
        found.extend(self.damage_of_statistics()?);
        Ok(found)
    }

    /// What is wrong with the statistics, as a sentence; `None` when nothing is.
    pub fn damage_of_statistics(&self) -> Result<Option<String>> {
        let steps = self.summary().map_or(0, |summary| summary.steps);
        Ok(self.statistics()?.damage_in_words(steps))
    }

    /// Numbers of frames that the run has written and that are not on disk: the first few hundred.
    pub fn missing_frames(&self) -> Vec<u32> {
        let missing = (0..self.frame_span()).filter(|index| self.frames.binary_search(index).is_err());
        missing.take(MAX_MISSING_LISTED).collect()
    }

    /// Reads only the positions of a frame, of all bodies \[m\].
    pub fn positions(&self, index: u32) -> Result<Vec<[f32; 3]>> {
        self.with_frame(index, |mut file| file.positions())
    }

    /// Reads only the poses of a frame, one per `Posed` body in layout order.
    pub fn poses(&self, index: u32) -> Result<Vec<StoredPose>> {
        self.with_frame(index, |mut file| file.poses())
    }

    /// Reads only the velocities of a frame [m/s]; empty when it has none.
    pub fn velocities(&self, index: u32) -> Result<Vec<[f32; 3]>> {
        self.with_frame(index, |mut file| file.velocities())
    }

    /// Names of the scalar channels of a frame.
    pub fn channel_names(&self, index: u32) -> Result<Vec<String>> {
        self.with_frame(index, |file| Ok(file.channel_names().map(String::from).collect()))
    }

    /// Reads one scalar channel of a frame over all vertices; an error names the channels that exist.
    pub fn channel(&self, index: u32, name: &str) -> Result<Vec<f32>> {
        self.with_frame(index, |mut file| {
            let names: Vec<String> = file.channel_names().map(String::from).collect();
            if !names.iter().any(|n| n == name) {
                let reason = format!("no channel `{name}`; it has: {}", names.join(", "));
                return Err(OutputError::shape(format!("frame {index}"), reason));
            }
            file.channel(name)
        })
    }

    /// The newest frame that can be read whole, passing over damaged ones.
    pub fn last_good_frame(&self) -> Option<Frame> {
        self.frames.iter().rev().find_map(|&index| self.frame(index).ok())
    }

    /// The newest whole checkpoint.
    pub fn checkpoint(&self, expected: &CheckpointIdentity) -> Result<Option<Checkpoint>> {
        Checkpoint::read_latest(&self.folder.join("checkpoint"), expected, &self.budget)
    }

    /// Path of a frame that exists. One that the run has written and that is gone is reported as damage.
    pub fn frame_path(&self, index: u32) -> Result<PathBuf> {
        let path = self.folder.join("frames").join(frame_name(index));
        // A live run may have added it since the last refresh.
        if !path.exists() {
            if index < self.frame_span() {
                let (reason, from) = ("it is missing".to_owned(), self.frame_to_resume_from(index));
                return Err(OutputError::BadFrame { path, reason, from });
            }
            let available = match (self.frames.first(), self.frames.last()) {
                (Some(first), Some(last)) => format!("frames {first} to {last}"),
                _ => "none yet".to_string(),
            };
            return Err(OutputError::NoSuchFrame { path: self.folder.clone(), frame: index, available });
        }
        Ok(path)
    }
}

/// An open frame file of a run folder.
pub type OpenFrame<'a> = FrameFile<'a, BufReader<File>>;

/// Frames that [`RunReader::damage`] lists before it only says that there are more.
const MAX_DAMAGE_SHOWN: usize = 10;

/// Frames that [`RunReader::missing_frames`] lists.
const MAX_MISSING_LISTED: usize = 500;

/// A layout of another run would show frames of this one in another shape.
fn refuse_foreign_layout(folder: &Path, layout: &Layout) -> Result<()> {
    match RunSummary::read(&folder.join("run.json")) {
        Ok(summary) if summary.run_id != layout.run_id => {
            let path = folder.join("frames").join(layout_file::NAMES[1]);
            Err(OutputError::corrupt(&path, "it belongs to another run than run.json"))
        }
        // A damaged summary is told where it is asked for: frames can be shown without it.
        _ => Ok(()),
    }
}

pub(crate) fn open(path: &Path) -> Result<BufReader<File>> {
    open_input(path).map(BufReader::new).map_err(|e| OutputError::reading(path, e))
}

/// File name of a frame.
pub fn frame_name(index: u32) -> String {
    format!("{index:06}.frame")
}

/// Number of the frame in a file of that name, if it is one.
pub(crate) fn frame_index(name: &str) -> Option<u32> {
    name.strip_suffix(".frame").and_then(|number| number.parse().ok())
}

/// Frames of a run folder, ascending; temporary names and other files are passed over.
pub(crate) fn frame_files(folder: &Path) -> Result<Vec<(u32, PathBuf)>> {
    let folder = folder.join("frames");
    let entries = fs::read_dir(&folder).map_err(|e| OutputError::reading(&folder, e))?;
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.map_err(|e| OutputError::reading(&folder, e))?.path();
        let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        if let Some(index) = frame_index(name) {
            files.push((index, path));
        }
    }
    files.sort_unstable();
    Ok(files)
}
