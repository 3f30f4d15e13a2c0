//! Reading a run folder, finished or still growing.

use crate::checkpoint::{Checkpoint, CheckpointIdentity};
use crate::error::{OutputError, Result};
use crate::frame::{Frame, FrameFile};
use crate::layout::{Layout, StoredPose};
use crate::layout_file;
use crate::stats::{self, StepRecord};
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

    /// How many frames there are.
    pub fn frame_count(&self) -> usize {
        self.frames.len()
    }

    /// Reads `run.json`.
    pub fn summary(&self) -> Result<RunSummary> {
        RunSummary::read(&self.folder.join("run.json"))
    }

    /// Reads `stats.jsonl`; a line still being written is left out.
    pub fn stats(&self) -> Result<Vec<StepRecord>> {
        stats::read_within(&self.folder.join("stats.jsonl"), &self.budget)
    }

    /// Reads a whole frame by its number.
    pub fn frame(&self, index: u32) -> Result<Frame> {
        let path = self.frame_path(index)?;
        Frame::read(open(&path)?, &path, &self.layout, &self.budget)
    }

    /// Opens a frame to read parts of it.
    fn frame_file<'a>(&'a self, path: &'a Path) -> Result<FrameFile<'a, BufReader<File>>> {
        FrameFile::open(open(path)?, path, &self.layout, self.budget.clone())
    }

    /// Reads only the positions of a frame, of all bodies \[m\].
    pub fn positions(&self, index: u32) -> Result<Vec<[f32; 3]>> {
        let path = self.frame_path(index)?;
        self.frame_file(&path)?.positions()
    }

    /// Reads only the poses of a frame, one per `Posed` body in layout order.
    pub fn poses(&self, index: u32) -> Result<Vec<StoredPose>> {
        let path = self.frame_path(index)?;
        self.frame_file(&path)?.poses()
    }

    /// Reads only the velocities of a frame [m/s]; empty when it has none.
    pub fn velocities(&self, index: u32) -> Result<Vec<[f32; 3]>> {
        let path = self.frame_path(index)?;
        self.frame_file(&path)?.velocities()
    }

    /// Names of the scalar channels of a frame.
    pub fn channel_names(&self, index: u32) -> Result<Vec<String>> {
        let path = self.frame_path(index)?;
        let file = self.frame_file(&path)?;
        Ok(file.channel_names().map(String::from).collect())
    }

    /// Reads one scalar channel of a frame over all vertices; an error names the channels that exist.
    pub fn channel(&self, index: u32, name: &str) -> Result<Vec<f32>> {
        let path = self.frame_path(index)?;
        let mut file = self.frame_file(&path)?;
        let names: Vec<String> = file.channel_names().map(String::from).collect();
        if !names.iter().any(|n| n == name) {
            let reason = format!("no channel `{name}`; it has: {}", names.join(", "));
            return Err(OutputError::shape(format!("frame {index}"), reason));
        }
        file.channel(name)
    }

    /// The newest frame that can be read whole, passing over damaged ones.
    pub fn last_good_frame(&self) -> Option<Frame> {
        self.frames.iter().rev().find_map(|&index| self.frame(index).ok())
    }

    /// The newest whole checkpoint.
    pub fn checkpoint(&self, expected: &CheckpointIdentity) -> Result<Option<Checkpoint>> {
        Checkpoint::read_latest(&self.folder.join("checkpoint"), expected)
    }

    /// Path of a frame that exists.
    pub fn frame_path(&self, index: u32) -> Result<PathBuf> {
        let path = self.folder.join("frames").join(frame_name(index));
        // A live run may have added it since the last refresh.
        if self.frames.binary_search(&index).is_err() && !path.exists() {
            let available = match (self.frames.first(), self.frames.last()) {
                (Some(first), Some(last)) => format!("frames {first} to {last}"),
                _ => "none yet".to_string(),
            };
            return Err(OutputError::NoSuchFrame { path: self.folder.clone(), frame: index, available });
        }
        Ok(path)
    }
}

fn open(path: &Path) -> Result<BufReader<File>> {
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
