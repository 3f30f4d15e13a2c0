//! What can go wrong with a run folder, in words that name the file and the fix.

use std::io::{Error as IoError, ErrorKind};
use std::path::{Path, PathBuf};
use stiction_limits::OverBudget;

/// Any failure of this crate.
#[derive(Debug, thiserror::Error)]
pub enum OutputError {
    /// The folder or file cannot be written by this user.
    #[error("cannot write {path}: {reason}; choose another folder with -o or change its permissions", path = path.display())]
    Unwritable {
        /// What was to be written.
        path: PathBuf,
        /// The operating system's words.
        reason: String,
    },
    /// No space is left on the device.
    #[error("the disk is full while writing {path}; free some space and continue with --resume", path = path.display())]
    DiskFull {
        /// What was to be written.
        path: PathBuf,
    },
    /// Another failure of the operating system.
    #[error("cannot {action} {path}: {source}", path = path.display())]
    Io {
        /// `read`, `write`, `rename`, ...
        action: &'static str,
        /// File or folder concerned.
        path: PathBuf,
        /// Cause.
        source: IoError,
    },
    /// A new run was asked for in a folder that has one.
    #[error("{path} already holds a run; continue it with --resume, replace it with --overwrite, or choose another folder with -o", path = path.display())]
    RunExists {
        /// The folder.
        path: PathBuf,
    },
    /// A file of the user has the name under which a run keeps its scene.
    #[error("{path} is not of a run and would be replaced; choose another folder with -o", path = path.display())]
    SceneInTheWay {
        /// The file.
        path: PathBuf,
    },
    /// The folder is not a run folder.
    #[error("{path} is not a run folder ({missing} is missing); give the folder that `stiction run -o` wrote", path = path.display())]
    NotARun {
        /// The folder.
        path: PathBuf,
        /// The file looked for.
        missing: &'static str,
    },
    /// A file is damaged.
    #[error("{path} is damaged: {reason}; continue the run with --resume, or write it again", path = path.display())]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// What does not hold.
        reason: String,
    },
    /// A file asks for more memory than the budget has.
    #[error("{path}: {source}; raise it with --memory GB", path = path.display())]
    OverBudget {
        /// The file.
        path: PathBuf,
        /// How much was asked for.
        source: OverBudget,
    },
    /// A file comes from another version of the format.
    #[error("{path} has format version {found}, this program reads version {expected}; use the version of stiction that wrote it", path = path.display())]
    FormatVersion {
        /// The file.
        path: PathBuf,
        /// Version found.
        found: u32,
        /// Version understood.
        expected: u32,
    },
    /// A frame number that the run does not have.
    #[error("{path} has no frame {frame} (it has {available}); choose one of those", path = path.display())]
    NoSuchFrame {
        /// Run folder.
        path: PathBuf,
        /// Frame asked for.
        frame: u32,
        /// The frames that exist, in words.
        available: String,
    },
    /// The checkpoint was written for another scene.
    #[error("the checkpoint in {path} belongs to another scene (hash {found}, expected {expected}); restore the scene and its --set values, or start anew with another -o", path = path.display())]
    OtherScene {
        /// Checkpoint file.
        path: PathBuf,
        /// Scene hash in the file.
        found: String,
        /// Scene hash of this run.
        expected: String,
    },
    /// The checkpoint was written by another program version.
    #[error("the checkpoint in {path} was written by version {found}, this is {expected}; resume with {found}, or start anew with another -o", path = path.display())]
    OtherVersion {
        /// Checkpoint file.
        path: PathBuf,
        /// Version in the file.
        found: String,
        /// Version of this program.
        expected: String,
    },
    /// No checkpoint can be read.
    #[error("no checkpoint in {path} can be read ({reason}); start anew with another -o", path = path.display())]
    CheckpointsDamaged {
        /// Checkpoint folder.
        path: PathBuf,
        /// What does not hold.
        reason: String,
    },
    /// A checkpoint lacks a section or holds it in another shape.
    #[error(
        "checkpoint section `{section}`: {reason}; the checkpoint does not fit this method or version, start anew with another -o"
    )]
    Section {
        /// Name of the section.
        section: String,
        /// What does not hold.
        reason: String,
    },
    /// A layout or frame whose arrays do not fit together (a caller's mistake).
    #[error("{object}: {reason}")]
    Shape {
        /// Body or array concerned.
        object: String,
        /// What does not hold.
        reason: String,
    },
    /// An export format that does not exist.
    #[error("format `{name}` is unknown; choose one of {known}")]
    UnknownFormat {
        /// Name found.
        name: String,
        /// Formats that exist, separated by commas.
        known: String,
    },
    /// An export that the run or format cannot give.
    #[error("cannot export to {format}: {reason}")]
    Export {
        /// Name of the format.
        format: &'static str,
        /// Why, and what to do.
        reason: String,
    },
}

/// Short result type of this crate.
pub type Result<T> = std::result::Result<T, OutputError>;

impl OutputError {
    /// Sorts an error of the operating system met while writing `path`.
    pub fn writing(path: &Path, source: IoError) -> Self {
        let path = path.to_path_buf();
        match source.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Self::DiskFull { path },
            _ => Self::Io { action: "write", path, source },
        }
    }

    /// The same error met where a run or an export begins: there, a path that cannot be written was wrongly chosen. Later on it has been
    /// taken away.
    pub fn at_the_start(self) -> Self {
        match self {
            Self::Io { action: "write", path, source }
                if matches!(
                    source.kind(),
                    // Folders on the way are made, so one that is not found is one that cannot be.
                    ErrorKind::PermissionDenied
                        | ErrorKind::ReadOnlyFilesystem
                        | ErrorKind::NotADirectory
                        | ErrorKind::IsADirectory
                        | ErrorKind::AlreadyExists
                        | ErrorKind::NotFound
                ) =>
            {
                let in_the_way = source.kind() == ErrorKind::AlreadyExists;
                let reason = match in_the_way {
                    true => "a file of that name is in the way".to_owned(),
                    false => source.to_string(),
                };
                Self::Unwritable { path, reason }
            }
            other => other,
        }
    }

    /// An error of the operating system, or of the memory budget, met while reading `path`.
    pub fn reading(path: &Path, source: IoError) -> Self {
        if let Some(over) = source.get_ref().and_then(|cause| cause.downcast_ref::<OverBudget>()) {
            return Self::OverBudget { path: path.to_path_buf(), source: over.clone() };
        }
        Self::Io { action: "read", path: path.to_path_buf(), source }
    }

    pub(crate) fn corrupt(path: &Path, reason: impl Into<String>) -> Self {
        Self::Corrupt { path: path.to_path_buf(), reason: reason.into() }
    }

    pub(crate) fn shape(object: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Shape { object: object.into(), reason: reason.into() }
    }
}
