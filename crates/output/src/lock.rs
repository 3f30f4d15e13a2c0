//! One writer per run folder: `stiction.lock`, locked by the operating system while a run is
//! written.
//!
//! The lock is advisory and belongs to the open file, so that it ends with its process however that
//! ends: a lock file that a killed run has left is no lock. The file stays where it is; removing it
//! would let two writers hold locks on two files of the same name. Its text only tells who holds
//! it.

use crate::error::{OutputError, Result};
use crate::files::create_folder;
use crate::own_files;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use stiction_limits::open_input;

/// Name of the file.
pub const LOCK_NAME: &str = "stiction.lock";
/// Readers that ask who writes hold the lock for an instant; a writer tries for this long.
const PATIENCE: Duration = Duration::from_millis(200);
const PAUSE: Duration = Duration::from_millis(10);
/// Longest text of a lock file that is read.
const MAX_TEXT: u64 = 4096;

/// The right to write to a run folder, until it is dropped or the process ends.
#[derive(Debug)]
pub struct RunLock {
    folder: PathBuf,
    /// Holds the lock. `None` on file systems without locks.
    _file: Option<File>,
}

/// Who holds a lock, as the lock file tells.
#[derive(Serialize, Deserialize)]
struct Holder {
    pid: u32,
    host: String,
}

impl RunLock {
    /// Takes the lock of a folder, which is made if it is missing. Fails when another writer has
    /// it.
    pub fn acquire(folder: &Path) -> Result<Self> {
        create_folder(folder).map_err(OutputError::at_the_start)?;
        let path = folder.join(LOCK_NAME);
        own_files::refuse_unless_file(&path)?;
        let file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path);
        let file = file.map_err(|e| OutputError::writing(&path, e).at_the_start())?;
        match lock_patiently(&file) {
            Ok(()) => {
                write_holder(&file);
                Ok(Self { folder: folder.to_path_buf(), _file: Some(file) })
            }
            Err(TryLockError::WouldBlock) => {
                Err(OutputError::Locked { path: folder.to_path_buf(), holder: holder_in_words(&file) })
            }
            // Some network file systems know no locks; a run there is as safe as its user is
            // careful.
            Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {
                Ok(Self { folder: folder.to_path_buf(), _file: None })
            }
            Err(TryLockError::Error(error)) => Err(OutputError::writing(&path, error).at_the_start()),
        }
    }

    /// The folder that may be written.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Who writes to a folder now, in words; `None` when nobody does.
    pub fn holder(folder: &Path) -> Option<String> {
        let file = open_input(&folder.join(LOCK_NAME)).ok()?;
        match file.try_lock_shared() {
            Err(TryLockError::WouldBlock) => Some(holder_in_words(&file)),
            _ => None,
        }
    }
}

fn lock_patiently(file: &File) -> std::result::Result<(), TryLockError> {
    let tries = PATIENCE.as_millis() / PAUSE.as_millis();
    for _ in 1..tries {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
            outcome => return outcome,
        }
    }
    file.try_lock()
}

/// Tells who holds the lock. It only informs: a full disk must not keep a run from being continued.
fn write_holder(mut file: &File) {
    let host = gethostname::gethostname().to_string_lossy().into_owned();
    let text = serde_json::to_string(&Holder { pid: std::process::id(), host }).unwrap_or_default();
    let _ = file.set_len(0).and_then(|()| file.write_all(text.as_bytes()));
}

/// Who holds the lock; systems whose locks also keep readers away do not tell.
fn holder_in_words(file: &File) -> String {
    let mut text = String::new();
    let read = file.take(MAX_TEXT).read_to_string(&mut text);
    match read.ok().and_then(|_| serde_json::from_str::<Holder>(&text).ok()) {
        Some(holder) => format!("process {} on {}", holder.pid, holder.host),
        None => "another process".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn the_second_writer_is_refused_until_the_first_has_gone() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(RunLock::holder(folder.path()), None);
        let first = RunLock::acquire(folder.path()).unwrap();
        let error = RunLock::acquire(folder.path()).unwrap_err();
        assert!(matches!(error, OutputError::Locked { .. }), "{error}");
        let process = format!("process {}", std::process::id());
        assert!(!cfg!(unix) || error.to_string().contains(&process), "{error}");
        assert!(RunLock::holder(folder.path()).is_some());
        drop(first);
        assert_eq!(RunLock::holder(folder.path()), None);
        RunLock::acquire(folder.path()).unwrap();
    }

    #[test]
    fn a_lock_file_without_its_process_is_no_lock() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(LOCK_NAME), "{\"pid\":1,\"host\":\"gone\"}").unwrap();
        assert!(RunLock::acquire(folder.path()).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_place_of_the_lock_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let precious = folder.path().join("precious");
        fs::write(&precious, "mine").unwrap();
        let run = folder.path().join("run");
        fs::create_dir(&run).unwrap();
        std::os::unix::fs::symlink(&precious, run.join(LOCK_NAME)).unwrap();
        assert!(matches!(RunLock::acquire(&run), Err(OutputError::InTheWay { .. })));
        assert_eq!(fs::read(&precious).unwrap(), b"mine");
    }
}
