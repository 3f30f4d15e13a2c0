//! The run folder behind the server: opened when first asked for, listed again as it grows.

use crate::activity::Activity;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};
use stiction_limits::Budget;
use stiction_output::{OutputError, RunReader, RunStatus};

/// What all requests share.
pub struct RunState {
    folder: PathBuf,
    activity: Option<Activity>,
    /// What reading for one answer may take.
    budget: Budget,
    opened: RwLock<Option<Arc<RunReader>>>,
}

/// What changes while a run grows; sent to pages when it differs from what they know.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Growth {
    /// Frames on disk.
    pub frames: usize,
    /// Number of the newest frame.
    pub last: Option<u32>,
    /// `running`, `paused`, `finished` or `failed`.
    pub status: RunStatus,
    /// Why it failed.
    pub failure: Option<String>,
}

/// Why there is nothing to show.
#[derive(Debug)]
pub enum Absence {
    /// The scene has been started and has written nothing yet.
    NotYet,
    /// The folder does not hold a readable run.
    Unreadable(String),
}

impl RunState {
    pub fn new(folder: PathBuf, activity: Option<Activity>, budget: Budget) -> Self {
        Self { folder, activity, budget, opened: RwLock::new(None) }
    }

    /// Opens the run again: a page that loads shall see the layout that is there now.
    pub fn reopen(&self) -> Result<Arc<RunReader>, Absence> {
        let opened = RunReader::open_within(&self.folder, self.budget.clone());
        let outcome = opened.map(Arc::new).map_err(|error| self.absence(&error));
        *self.opened.write().unwrap_or_else(PoisonError::into_inner) = outcome.as_ref().ok().cloned();
        outcome
    }

    /// The run as last opened.
    pub fn reader(&self) -> Result<Arc<RunReader>, Absence> {
        let known = self.opened.read().unwrap_or_else(PoisonError::into_inner).clone();
        known.map_or_else(|| self.reopen(), Ok)
    }

    /// Looks at the folder again.
    pub fn growth(&self) -> Result<Growth, Absence> {
        let reader = self.reader()?;
        let mut listing = RunReader::clone(&reader);
        listing.refresh().map_err(|error| self.absence(&error))?;
        let summary = listing.summary().map_err(|error| self.absence(&error))?;
        let mut growth = Growth {
            frames: listing.frame_count(),
            last: listing.frame_indices().last().copied(),
            status: summary.status,
            failure: summary.failure,
        };
        if let Some(reason) = self.activity.as_ref().and_then(Activity::failure) {
            (growth.status, growth.failure) = (RunStatus::Failed, Some(reason));
        }
        Ok(growth)
    }

    /// Whether this process is computing the run.
    pub fn is_live(&self) -> bool {
        self.activity.as_ref().is_some_and(Activity::is_running)
    }

    fn absence(&self, error: &OutputError) -> Absence {
        match &self.activity {
            Some(activity) if activity.is_running() => Absence::NotYet,
            Some(activity) => Absence::Unreadable(activity.failure().unwrap_or_else(|| error.to_string())),
            None => Absence::Unreadable(error.to_string()),
        }
    }
}
