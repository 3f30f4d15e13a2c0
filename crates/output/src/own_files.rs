//! Which files of a folder belong to a run: by name, by kind and by how their content begins.
//!
//! A run folder may hold files of the user, and `-o .` makes any folder one. So nothing is removed
//! or replaced because of its name alone, and nothing through a symbolic link.

use crate::checkpoint::{self, SLOTS};
use crate::error::{OutputError, Result};
use crate::frame;
use crate::layout_file;
use crate::lock::RunLock;
use crate::reader::frame_index;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};

/// Files of one kind: where they are, by which names, and how their content may begin.
struct Kind {
    folder: &'static str,
    is_named: fn(&str) -> bool,
    openings: &'static [&'static [u8]],
}

/// The files of a run in the order in which they are removed. The summary goes last, so that a
/// removal that was cut short can be taken up again.
const KINDS: [Kind; 7] = [
    Kind { folder: "checkpoint", is_named: |name| SLOTS.contains(&name), openings: &[&checkpoint::MAGIC] },
    Kind { folder: "frames", is_named: |name| frame_index(name).is_some(), openings: &[&frame::MAGIC] },
    Kind {
        folder: "frames",
        is_named: |name| name == layout_file::NAMES[0],
        openings: &[&layout_file::MAGIC],
    },
    Kind {
        folder: "frames",
        is_named: |name| name == layout_file::NAMES[1],
        openings: &[b"{\n  \"version\": "],
    },
    Kind { folder: "", is_named: |name| name == "stats.jsonl", openings: &[b"{\"step\":"] },
    // What `stiction_scene` writes as the canonical text; a scene that a user writes has no such
    // key.
    Kind { folder: "", is_named: |name| name == "scene.json", openings: &[b"{\n  \"stiction_canonical\": "] },
    // Of formats 2 and 1.
    Kind {
        folder: "",
        is_named: |name| name == "run.json",
        openings: &[b"{\n  \"format\": ", b"{\n  \"scene\": "],
    },
];

/// Ending of a file that is still being written.
pub(crate) const PARTIAL: &str = ".partial";
const LONGEST_OPENING: usize = 32;

/// What a file with a name of ours is.
enum Found {
    Ours(PathBuf),
    /// A file of somebody else, or a link.
    Foreign(PathBuf),
}

/// Whether a folder has any part of a run. A `scene.json` alone is none.
pub fn holds_run(folder: &Path) -> bool {
    let scene = folder.join("scene.json");
    files_named_like_ours(folder).iter().any(|found| matches!(found, Found::Ours(path) if *path != scene))
}

/// Removes the files of a run from a folder; other files stay. Refuses, before anything is removed,
/// where a new run would replace a file that is not of a run.
pub fn remove_run(lock: &RunLock) -> Result<()> {
    let folder = lock.folder();
    refuse_what_is_in_the_way(folder)?;
    if !holds_run(folder) {
        return Ok(());
    }
    for found in files_named_like_ours(folder) {
        let Found::Ours(path) = found else { continue };
        let removed = fs::remove_file(&path).map_err(|error| OutputError::writing(&path, error));
        removed.map_err(OutputError::at_the_start)?;
    }
    for part in ["checkpoint", "frames"] {
        // Stays when it holds something else.
        let _ = fs::remove_dir(folder.join(part));
    }
    Ok(())
}

/// Fails when a run in this folder would replace a file that is not of a run, or write through a
/// link.
pub(crate) fn refuse_what_is_in_the_way(folder: &Path) -> Result<()> {
    refuse_links(folder)?;
    let foreign = files_named_like_ours(folder).into_iter().find_map(|found| match found {
        Found::Foreign(path) => Some(path),
        Found::Ours(_) => None,
    });
    foreign.map_or(Ok(()), |path| Err(OutputError::InTheWay { path, what: "not of a run" }))
}

/// The same for a folder whose run is continued: damaged files of it are replaced, those of a user
/// at its top are not.
pub(crate) fn refuse_what_is_in_the_way_of_resume(folder: &Path) -> Result<()> {
    refuse_links(folder)?;
    for name in ["run.json", "scene.json"] {
        let path = folder.join(name);
        let kind = KINDS.iter().find(|kind| kind.folder.is_empty() && (kind.is_named)(name));
        let ours = !path.exists() || kind.is_some_and(|kind| begins_as(&path, kind.openings));
        if !ours {
            return Err(OutputError::InTheWay { path, what: "not of a run" });
        }
    }
    Ok(())
}

fn refuse_links(folder: &Path) -> Result<()> {
    for name in ["frames", "checkpoint", "run.json", "scene.json", "stats.jsonl"] {
        refuse_link(&folder.join(name))?;
    }
    Ok(())
}

/// Fails when there is a symbolic link at this path.
pub(crate) fn refuse_link(path: &Path) -> Result<()> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => {
            Err(OutputError::InTheWay { path: path.to_path_buf(), what: "a symbolic link" })
        }
        _ => Ok(()),
    }
}

/// Fails unless there is a regular file at this path, or nothing.
pub(crate) fn refuse_unless_file(path: &Path) -> Result<()> {
    refuse_link(path)?;
    match fs::symlink_metadata(path) {
        Ok(found) if !found.is_file() => {
            Err(OutputError::InTheWay { path: path.to_path_buf(), what: "no regular file" })
        }
        _ => Ok(()),
    }
}

/// Files whose names a run uses, whole or begun, in the order of [`KINDS`].
fn files_named_like_ours(folder: &Path) -> Vec<Found> {
    let mut files = Vec::new();
    for kind in KINDS {
        let part = folder.join(kind.folder);
        if fs::symlink_metadata(&part).is_ok_and(|found| found.is_symlink()) && !kind.folder.is_empty() {
            continue;
        }
        let entries = fs::read_dir(&part).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let named = names.filter(|name| (kind.is_named)(name.strip_suffix(PARTIAL).unwrap_or(name)));
        files.extend(named.map(|name| {
            let path = part.join(name);
            if begins_as(&path, kind.openings) { Found::Ours(path) } else { Found::Foreign(path) }
        }));
    }
    files
}

/// Whether a regular file begins in one of these ways; one that was cut short may end within it.
fn begins_as(path: &Path, openings: &[&[u8]]) -> bool {
    if !fs::symlink_metadata(path).is_ok_and(|found| found.is_file()) {
        return false;
    }
    let Ok(file) = File::open(path) else { return false };
    let mut start = Vec::new();
    if file.take(LONGEST_OPENING as u64).read_to_end(&mut start).is_err() {
        return false;
    }
    openings.iter().any(|opening| {
        let shared = opening.len().min(start.len());
        opening[..shared] == start[..shared]
    })
}
