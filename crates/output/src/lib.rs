//! Run folders, frames, statistics, checkpoints and export.
