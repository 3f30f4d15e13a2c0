//! Scene files, units, presets, validation and mesh input for Stiction.
