//! Run folders: frames, statistics, checkpoints, and export to the formats of other programs.
//!
//! Comes in: plain arrays (positions, topology, contacts), per-step numbers, opaque checkpoint
//! sections. Goes out: a run folder that survives a kill at any moment, a reader for it, and
//! exported files. Does not know: physics, the scene format, solvers, or how a picture is drawn.
//!
//! ```text
//! RUN/run.json          RunSummary            summary.rs
//! RUN/stats.jsonl       one StepRecord a step stats.rs
//! RUN/frames/layout.*   Layout                layout.rs, layout_file.rs
//! RUN/frames/*.frame    Frame                 frame.rs
//! RUN/checkpoint/*.bin  Checkpoint            checkpoint.rs, sections.rs
//! RUN/stiction.lock     RunLock               lock.rs
//! ```
//! All of them name their run (`run_id.rs`) and carry checksums (`container.rs`, `seal.rs`);
//! `own_files.rs` tells them from files of the user, `resume.rs` finds the moment that a run goes
//! on from. All binary files share one container of named, checksummed blocks (`container.rs`). The
//! bytes are described in `docs/run_folder.md`.

#![forbid(unsafe_code)]

pub mod checkpoint;
pub mod container;
pub mod error;
pub mod export;
pub mod files;
pub mod frame;
pub mod hash;
pub mod layout;
pub mod layout_file;
pub mod lock;
pub mod memory;
mod own_files;
pub mod plot;
pub mod reader;
pub mod resume;
pub mod run_id;
pub mod seal;
pub mod sections;
pub mod stats;
pub mod summary;
pub mod time_share;
pub mod writer;

pub use checkpoint::{Checkpoint, CheckpointIdentity};
pub use error::OutputError;
pub use export::{ExportOptions, ExportReport, Format, export};
pub use frame::{Channel, ContactPoint, Frame, narrow};
pub use hash::{StateHasher, state_hash};
pub use layout::{BodyLayout, Layout, LayoutKind, StoredMotion, StoredPose, UpAxis};
pub use lock::RunLock;
pub use memory::peak_memory_bytes;
pub use own_files::{holds_run, remove_run};
pub use reader::RunReader;
pub use resume::ResumePoint;
pub use run_id::RunId;
pub use sections::Sections;
pub use stats::{Statistics, StepRecord};
pub use summary::{RunStatus, RunSummary, RunTotals, STRAIN_LIMIT_EXCESS};
pub use time_share::{Category, TimeShare};
pub use writer::RunWriter;
