//! What can go wrong with a run folder, in words that name the file and the fix.

use std::io::{Error as IoError, ErrorKind};
use std::path::{Path, PathBuf};
use stiction_limits::{OverBudget, in_words};

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
    #[error("the disk is full: {path} cannot be written; free {space} on the device of that folder, then {retry}", path = path.display(), space = wanted_space(*needed))]
    DiskFull {
        /// What was to be written.
        path: PathBuf,
        /// Its size, where it is known.
        needed: Option<u64>,
        /// How to go on.
        retry: &'static str,
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
    /// A file of the user, or a link, has a name under which a run keeps its files.
    #[error("{path} is {what} and would be replaced; move it away, or choose another folder with -o", path = path.display())]
    InTheWay {
        /// The file.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// Another process writes to the folder.
    #[error("{path} is being written by {holder}; wait until it ends, stop it, or choose another folder with -o", path = path.display())]
    Locked {
        /// The folder.
        path: PathBuf,
        /// Who writes, in words.
        holder: String,
    },
    /// A run of an older format, which is only read.
    #[error("{path} was written in format {found}, which can be shown and exported but not continued; start again with --overwrite or another -o", path = path.display())]
    OldFormat {
        /// The folder.
        path: PathBuf,
        /// Its format.
        found: u32,
    },
    /// A frame that is damaged, missing or not of this run.
    #[error("{path} cannot be used: {reason}; {cure}", path = path.display(), cure = cure_of_frame(*from))]
    BadFrame {
        /// The file.
        path: PathBuf,
        /// What does not hold.
        reason: String,
        /// The frame from which a resumed run computes it again; none where the run cannot be
        /// resumed.
        from: Option<u32>,
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
    #[error("the checkpoint in {path} belongs to another scene (hash {found}, expected {expected}); restore the scene and its --set values, or start again with another -o", path = path.display())]
    OtherScene {
        /// Checkpoint file.
        path: PathBuf,
        /// Scene hash in the file.
        found: String,
        /// Scene hash of this run.
        expected: String,
    },
    /// The checkpoint holds the state in another form.
    #[error("the checkpoint in {path} has state format {found}, this program continues format {expected}; use the version of stiction that wrote it, or start again with another -o", path = path.display())]
    OtherStateFormat {
        /// Checkpoint file.
        path: PathBuf,
        /// Format in the file.
        found: u32,
        /// Format of this program.
        expected: u32,
    },
    /// No checkpoint can be read.
    #[error("no checkpoint in {path} can be read ({reason}); start again with another -o", path = path.display())]
    CheckpointsDamaged {
        /// Checkpoint folder.
        path: PathBuf,
        /// What does not hold.
        reason: String,
    },
    /// A checkpoint lacks a section or holds it in another shape.
    #[error(
        "checkpoint section `{section}`: {reason}; the checkpoint does not fit this method or version, start again with another -o"
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
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                Self::DiskFull { path, needed: None, retry: "continue with --resume" }
            }
            _ => Self::Io { action: "write", path, source },
        }
    }

    /// The same error, with the size of what a full disk could not take.
    pub(crate) fn needing(self, bytes: Option<u64>) -> Self {
        match self {
            Self::DiskFull { path, retry, .. } => Self::DiskFull { path, needed: bytes, retry },
            other => other,
        }
    }

    /// The same error met while exporting, where there is nothing to resume.
    pub(crate) fn of_export(self) -> Self {
        match self {
            Self::DiskFull { path, needed, .. } => Self::DiskFull { path, needed, retry: "export again" },
            other => other,
        }
    }

    /// The same error met where a run or an export begins: there, a path that cannot be written was
    /// wrongly chosen. Later on it has been taken away.
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

    /// Damage of a frame, with the frame from which a resumed run computes it again.
    pub(crate) fn of_frame(self, from: Option<u32>) -> Self {
        match self {
            Self::Corrupt { path, reason } => Self::BadFrame { path, reason, from },
            other => other,
        }
    }

    pub(crate) fn corrupt(path: &Path, reason: impl Into<String>) -> Self {
        Self::Corrupt { path: path.to_path_buf(), reason: reason.into() }
    }

    pub(crate) fn shape(object: impl Into<String>, reason: impl Into<String>) -> Self {
        Self::Shape { object: object.into(), reason: reason.into() }
    }
}

fn wanted_space(needed: Option<u64>) -> String {
    needed.map_or_else(|| "some space".to_owned(), |bytes| format!("at least {}", in_words(bytes)))
}

fn cure_of_frame(from: Option<u32>) -> String {
    match from {
        Some(frame) => format!("`run` with --resume computes it again from frame {frame}"),
        None => "run the scene again".to_owned(),
    }
}
