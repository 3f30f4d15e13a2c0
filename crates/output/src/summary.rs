//! `run.json`: what a run was and how it went.

use crate::error::{OutputError, Result};
use crate::files::{Durability, write_atomic};
use crate::run_id::RunId;
use crate::seal::{Seal, check, seal};
use crate::stats::{StepRecord, nullable};
use crate::time_share::TimeShare;
use serde::{Deserialize, Serialize};
use std::path::Path;
use stiction_limits::{Budget, read_input_text};

/// Field of a step in `stats.jsonl`: largest excess over a strain limit at its end.
pub const STRAIN_LIMIT_EXCESS: &str = "strain_limit_excess";

/// How far a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RunStatus {
    /// Going on, or killed.
    #[default]
    Running,
    /// All frames are there.
    Finished,
    /// A step failed; `failure` says why.
    Failed,
    /// Stopped on request, with a checkpoint to go on from.
    Paused,
}

/// Format of run folders that this program writes. Folders of format 1 are still read.
pub const FORMAT: u32 = 2;

/// Worst and mean values over the steps of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RunTotals {
    /// Most contacts in a step.
    pub contacts_max: u64,
    /// Contacts per step on average.
    pub contacts_mean: f64,
    /// Most intersections in a step.
    pub intersections_max: u64,
    /// Deepest penetration \[m\].
    pub penetration_max_m: f64,
    /// Largest excess over a strain limit.
    pub strain_limit_excess_max: f64,
}

/// The content of `run.json`. Field names are a contract (see `docs/run_folder.md`).
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunSummary {
    /// Format of the folder; files of format 1 do not say.
    #[serde(default = "first_format")]
    pub format: u32,
    /// The run, as all its files name it.
    pub run_id: RunId,
    /// Scene name or path as the user gave it.
    pub scene: String,
    /// Hash of the scene after all overrides.
    pub scene_hash: String,
    /// Method key.
    pub method: String,
    /// Version of the program.
    pub version: String,
    /// The program to the last bit, where it can tell: another build need not give the same bits.
    pub build: String,
    /// Format of the state in checkpoints: programs that share it continue each other's runs.
    pub state_format: u32,
    /// Threads used.
    pub threads: u64,
    /// How far the run is.
    pub status: RunStatus,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<String>,
    /// Scalar degrees of freedom.
    pub dofs: u64,
    /// Vertices of all bodies.
    pub vertices: u64,
    /// Elastic elements.
    pub elements: u64,
    /// Frames written, the one at time 0 included.
    pub frames: u64,
    /// Steps done.
    pub steps: u64,
    /// Wall time of the run \[s\], parts before a resume included.
    #[serde(with = "nullable")]
    pub wall_seconds: f64,
    /// Wall time per simulated frame \[ms\].
    #[serde(with = "nullable")]
    pub ms_per_frame: f64,
    /// Fractions of wall time.
    pub time_share: TimeShare,
    /// Most contacts in a step.
    pub contacts_max: u64,
    /// Contacts per step on average.
    #[serde(with = "nullable")]
    pub contacts_mean: f64,
    /// Most intersections in a step.
    pub intersections_max: u64,
    /// Deepest penetration \[m\].
    #[serde(with = "nullable")]
    pub penetration_max_m: f64,
    /// Largest excess over a strain limit (0.05 = five per cent of stretch too much).
    #[serde(with = "nullable")]
    pub strain_limit_excess_max: f64,
    /// Largest resident size, where the system tells.
    pub peak_memory_bytes: Option<u64>,
    /// Hash of the last state.
    pub state_hash: String,
    /// What happened to the run that its reader should know, in sentences: damage, another build.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Further fields.
    #[serde(flatten)]
    pub extra: serde_json::Map<String, serde_json::Value>,
}

fn first_format() -> u32 {
    1
}

/// Longest `run.json` [bytes]; usual ones have a few thousand.
const MAX_SUMMARY: u64 = 16_000_000;

impl RunSummary {
    /// Adds a step to the totals. The mean is updated, so totals that go on from those of a
    /// checkpoint equal those of an uninterrupted run.
    pub fn add_step(&mut self, record: &StepRecord) {
        let contacts_before = self.contacts_mean * self.steps as f64;
        self.steps += 1;
        self.contacts_mean = (contacts_before + record.contacts as f64) / self.steps as f64;
        self.contacts_max = self.contacts_max.max(record.contacts);
        self.intersections_max = self.intersections_max.max(record.intersections);
        self.penetration_max_m = self.penetration_max_m.max(record.penetration_m);
        let excess = record.extra.get(STRAIN_LIMIT_EXCESS).and_then(serde_json::Value::as_f64);
        self.strain_limit_excess_max = self.strain_limit_excess_max.max(excess.unwrap_or(0.0));
    }

    /// Totals over the steps so far.
    pub fn totals(&self) -> RunTotals {
        RunTotals {
            contacts_max: self.contacts_max,
            contacts_mean: self.contacts_mean,
            intersections_max: self.intersections_max,
            penetration_max_m: self.penetration_max_m,
            strain_limit_excess_max: self.strain_limit_excess_max,
        }
    }

    /// Takes the totals over so many steps.
    pub fn set_totals(&mut self, steps: u64, totals: &RunTotals) {
        self.steps = steps;
        self.contacts_max = totals.contacts_max;
        self.contacts_mean = totals.contacts_mean;
        self.intersections_max = totals.intersections_max;
        self.penetration_max_m = totals.penetration_max_m;
        self.strain_limit_excess_max = totals.strain_limit_excess_max;
    }

    /// Sets wall time, and the time per frame for the frames after the first (which costs no step).
    pub fn set_wall_time(&mut self, seconds: f64, share: TimeShare) {
        self.wall_seconds = seconds;
        self.time_share = share;
        self.ms_per_frame = 1e3 * seconds / self.frames.saturating_sub(1).max(1) as f64;
    }

    pub(crate) fn write(&self, path: &Path, durability: Durability) -> Result<()> {
        let text = serde_json::to_string_pretty(self).expect("plain values serialise");
        let mut text = seal(&text, self.run_id);
        text.push('\n');
        write_atomic(path, text.as_bytes(), durability)
    }

    pub(crate) fn read(path: &Path) -> Result<Self> {
        let budget = Budget::of_bytes(MAX_SUMMARY);
        let text = read_input_text(path, &budget).map_err(|e| OutputError::reading(path, e))?;
        let corrupt = |reason: String| OutputError::corrupt(path, reason);
        let mut summary: Self = serde_json::from_str(&text).map_err(|e| corrupt(e.to_string()))?;
        let found = check(&text, summary.run_id);
        let expected = if summary.format == 1 { Seal::Absent } else { Seal::Whole };
        if found != expected {
            return Err(corrupt("its checksum is wrong or missing".to_owned()));
        }
        if summary.format > FORMAT {
            let path = path.to_path_buf();
            return Err(OutputError::FormatVersion { path, found: summary.format, expected: FORMAT });
        }
        summary.extra.shift_remove("checksum");
        Ok(summary)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_every_field_that_others_rely_on() {
        let value = serde_json::to_value(RunSummary::default()).unwrap();
        for name in
            "method dofs vertices elements frames steps wall_seconds ms_per_frame time_share contacts_max \
                     contacts_mean intersections_max penetration_max_m strain_limit_excess_max \
                     peak_memory_bytes state_hash"
                .split_whitespace()
        {
            assert!(value.get(name).is_some(), "{name}");
        }
    }

    #[test]
    fn totals_follow_the_steps() {
        let mut summary = RunSummary::default();
        for (contacts, depth) in [(3, 1e-4), (5, 0.0), (1, 2e-5)] {
            let extra = [(STRAIN_LIMIT_EXCESS.to_owned(), (depth * 10.0).into())].into_iter().collect();
            summary.add_step(&StepRecord { contacts, penetration_m: depth, extra, ..StepRecord::default() });
        }
        assert_eq!((summary.steps, summary.contacts_max), (3, 5));
        assert!((summary.contacts_mean - 3.0).abs() < 1e-15);
        assert_eq!((summary.penetration_max_m, summary.strain_limit_excess_max), (1e-4, 1e-3));
    }

    #[test]
    fn unknown_fields_are_kept() {
        let text = r#"{"method": "admm", "weather": {"wind": 3}}"#;
        let summary: RunSummary = serde_json::from_str(text).unwrap();
        let back = serde_json::to_value(&summary).unwrap();
        assert_eq!(back["weather"]["wind"], 3);
        assert_eq!(summary.method, "admm");
    }
}
