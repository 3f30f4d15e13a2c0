//! What can go wrong while making a picture.

use std::path::PathBuf;

/// Errors of the renderer; each names the object and the way out.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// A triangle or tube refers to something that is not there, or a number is not finite.
    #[error("{object}: {problem}")]
    BadGeometry {
        /// Which mesh or tube.
        object: String,
        /// What is wrong with it.
        problem: String,
    },
    /// An option is out of its range.
    #[error("render option `{name}`: {problem}")]
    BadOption {
        /// Option name.
        name: &'static str,
        /// What is wrong and what would be right.
        problem: String,
    },
    /// A camera description could not be read.
    #[error("camera `{text}`: {problem}")]
    BadCamera {
        /// The text given.
        text: String,
        /// What is wrong with it.
        problem: String,
    },
    /// Pictures of a contact sheet differ in size, or there are none.
    #[error("contact sheet: {0}")]
    BadSheet(String),
    /// A run, frame or channel could not be read.
    #[error(transparent)]
    Run(#[from] stiction_output::OutputError),
    /// The run has no frames yet.
    #[error("the run has no frames to draw; run the scene first")]
    EmptyRun,
    /// A file could not be written.
    #[error("cannot write {path}: {source}")]
    Write {
        /// Target path.
        path: PathBuf,
        /// Cause.
        source: std::io::Error,
    },
}
