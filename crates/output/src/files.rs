//! Writing files so that a reader never meets half of one.

use crate::error::{OutputError, Result};
use crate::own_files::PARTIAL;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Whether a file must survive a power cut, or only the death of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// The rename is atomic for other processes and for a kill of this one.
    Process,
    /// The bytes and the rename are on the device before we go on.
    Device,
}

/// Writes `path` as a whole or not at all: a temporary neighbour is filled, then renamed over it.
pub fn write_atomic(path: &Path, bytes: &[u8], durability: Durability) -> Result<()> {
    write_atomic_sized(path, durability, Some(bytes.len() as u64), |file| file.write_all(bytes))
}

/// As [`write_atomic`], for content that is produced as a stream.
pub fn write_atomic_with(
    path: &Path,
    durability: Durability,
    fill: impl FnOnce(&mut BufWriter<File>) -> std::io::Result<()>,
) -> Result<()> {
    write_atomic_sized(path, durability, None, fill)
}

/// As [`write_atomic_with`]; `bytes` tells how much a full disk would have to free.
pub(crate) fn write_atomic_sized(
    path: &Path,
    durability: Durability,
    bytes: Option<u64>,
    fill: impl FnOnce(&mut BufWriter<File>) -> std::io::Result<()>,
) -> Result<()> {
    let temporary = temporary_name(path);
    let outcome = fill_file(&temporary, durability, fill).and_then(|()| fs::rename(&temporary, path));
    if let Err(error) = outcome {
        // The half-written neighbour is of no use, and on a full disk it takes the space that is
        // missing.
        let _ = fs::remove_file(&temporary);
        return Err(OutputError::writing(path, error).needing(bytes));
    }
    if durability == Durability::Device {
        sync_folder(path);
    }
    Ok(())
}

/// As [`write_atomic_with`], for content whose making can fail in other ways than by writing.
pub fn stream_atomic(path: &Path, fill: impl FnOnce(&mut BufWriter<File>) -> Result<()>) -> Result<()> {
    let mut cause = None;
    let outcome = write_atomic_with(path, Durability::Process, |file| {
        fill(file).map_err(|error| {
            cause = Some(error);
            std::io::Error::other("the content could not be made")
        })
    });
    cause.map_or(outcome, Err)
}

fn fill_file(
    path: &Path,
    durability: Durability,
    fill: impl FnOnce(&mut BufWriter<File>) -> std::io::Result<()>,
) -> std::io::Result<()> {
    // What a kill has left goes first. A new file is never made through a link of that name.
    if fs::symlink_metadata(path).is_ok() {
        fs::remove_file(path)?;
    }
    let mut file = BufWriter::with_capacity(1 << 16, File::create_new(path)?);
    fill(&mut file)?;
    let file = file.into_inner().map_err(|e| e.into_error())?;
    if durability == Durability::Device { file.sync_all() } else { Ok(()) }
}

/// Name used until the content is complete; readers skip it (`*.partial`).
pub fn temporary_name(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(PARTIAL);
    path.with_file_name(name)
}

/// Makes the rename itself durable. Systems that cannot sync a folder keep the process guarantee.
fn sync_folder(path: &Path) {
    if let Some(folder) = path.parent().and_then(|p| File::open(p).ok()) {
        let _ = folder.sync_all();
    }
}

/// Creates a folder and its parents.
pub fn create_folder(path: &Path) -> Result<()> {
    fs::create_dir_all(path).map_err(|e| OutputError::writing(path, e))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Error, ErrorKind};

    #[test]
    fn a_failed_write_leaves_the_old_file_and_no_rest() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.bin");
        write_atomic(&path, b"old", Durability::Process).unwrap();
        let error = write_atomic_with(&path, Durability::Device, |file| {
            file.write_all(b"half of the new")?;
            Err(Error::from(ErrorKind::StorageFull))
        })
        .unwrap_err();
        assert!(matches!(&error, OutputError::DiskFull { path: p, .. } if *p == path));
        assert!(error.to_string().contains("disk is full"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_under_the_temporary_name_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let [path, precious] = ["a.bin", "precious"].map(|name| folder.path().join(name));
        fs::write(&precious, b"mine").unwrap();
        std::os::unix::fs::symlink(&precious, temporary_name(&path)).unwrap();
        write_atomic(&path, b"new", Durability::Process).unwrap();
        assert_eq!((fs::read(&path).unwrap(), fs::read(&precious).unwrap()), (b"new".into(), b"mine".into()));
        assert!(fs::symlink_metadata(&path).unwrap().is_file());
    }

    #[test]
    fn a_file_in_the_way_of_a_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run");
        fs::write(&path, b"").unwrap();
        let error = create_folder(&path).unwrap_err().at_the_start();
        assert!(matches!(error, OutputError::Unwritable { .. }), "{error}");
        assert!(error.to_string().contains("in the way"), "{error}");
        let below = create_folder(&path.join("frames")).unwrap_err().at_the_start();
        assert!(matches!(below, OutputError::Unwritable { .. }), "{below}");
    }
}
