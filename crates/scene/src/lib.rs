//! Scene files: format, units, presets, validation and mesh input.
//!
//! Comes in: TOML or JSON text, mesh files, overrides. Goes out: a [`Scene`], validated, in SI
//! units, with every name resolved, or an error that names file, line, object and fix. Does not
//! know: elasticity, collision or how any method works; method options pass through unread.

#![forbid(unsafe_code)]

mod document;
mod error;
pub mod file;
mod friction_notes;
pub mod generate;
pub mod geometry;
pub mod law;
mod load;
pub mod material;
pub mod motion;
mod presets;
pub mod read;
mod resolve;
pub mod resolved;
pub mod rigid;
mod schema;
mod size_notes;
pub mod skin;

pub use document::{Document, content_hash};
pub use error::{MeshError, Problem, SceneError, nearest, suggest};
pub use law::Law;
pub use load::{Loaded, Loader, SceneHeader, load, load_canonical, load_full, load_text, scene_files};
pub use material::*;
pub use motion::{Interpolation, KeyFrame, Motion, Pose};
pub use presets::{Preset, PresetValue, presets};
pub use resolve::{METHODS, resolve_material};
pub use resolved::*;
pub use schema::schema_text;
