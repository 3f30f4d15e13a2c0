//! Opens input files. A named pipe blocks its reader for good, a device may never end, and a folder
//! has no content: none of them is an input.

use crate::Budget;
use std::fs::{File, FileType, OpenOptions};
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// Opens a regular file for reading; anything else is refused by name, without waiting for it.
pub fn open_input(path: &Path) -> Result<File> {
    // Asked before opening, because to open a device can already have an effect.
    refuse_others(std::fs::metadata(path)?.file_type())?;
    let mut options = OpenOptions::new();
    options.read(true);
    // If the file is exchanged for a pipe in between, opening it still returns at once.
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK);
    let file = options.open(path)?;
    refuse_others(file.metadata()?.file_type())?;
    Ok(file)
}

/// The content of a regular file that fits into the budget.
pub fn read_input(path: &Path, budget: &Budget) -> Result<Vec<u8>> {
    let file = open_input(path)?;
    let size = file.metadata()?.len();
    let allowed = |size| budget.allow("the file", size).map_err(Error::other);
    allowed(size)?;
    let mut bytes = Vec::with_capacity(size as usize);
    // A file that grows while it is read must not outgrow the budget.
    file.take(budget.left().saturating_add(1)).read_to_end(&mut bytes)?;
    allowed(bytes.len() as u64)?;
    Ok(bytes)
}

/// The same for a file of UTF-8 text.
pub fn read_input_text(path: &Path, budget: &Budget) -> Result<String> {
    let not_text = |_| Error::new(ErrorKind::InvalidData, "it is not UTF-8 text");
    String::from_utf8(read_input(path, budget)?).map_err(not_text)
}

fn refuse_others(kind: FileType) -> Result<()> {
    if kind.is_file() {
        return Ok(());
    }
    let name = if kind.is_dir() { "a folder" } else { special_name(kind) };
    Err(Error::new(ErrorKind::InvalidInput, format!("it is {name}, not a file; give a regular file")))
}

#[cfg(unix)]
fn special_name(kind: FileType) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    if kind.is_fifo() {
        "a named pipe"
    } else if kind.is_socket() {
        "a socket"
    } else {
        "a device"
    }
}

#[cfg(not(unix))]
fn special_name(_: FileType) -> &'static str {
    "a device"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_within_the_budget() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        std::fs::write(&path, "hello").unwrap();
        assert_eq!(read_input_text(&path, &Budget::of_bytes(5)).unwrap(), "hello");
        let error = read_input(&path, &Budget::of_bytes(4)).unwrap_err().to_string();
        assert!(error.contains("5 bytes") && error.contains("4 bytes"), "{error}");
        std::fs::write(&path, [0xff, 0xfe]).unwrap();
        assert!(read_input_text(&path, &Budget::of_bytes(5)).unwrap_err().to_string().contains("UTF-8"));
    }

    #[test]
    fn folders_are_no_input() {
        let folder = tempfile::tempdir().unwrap();
        let error = open_input(folder.path()).unwrap_err().to_string();
        assert!(error.contains("a folder"), "{error}");
        assert_eq!(open_input(&folder.path().join("none")).unwrap_err().kind(), ErrorKind::NotFound);
    }

    #[cfg(unix)]
    #[test]
    fn pipes_devices_and_sockets_are_refused_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs");
        assert!(made.success());
        let socket = folder.path().join("socket");
        let _listener = std::os::unix::net::UnixListener::bind(&socket).expect("a socket");
        let link = folder.path().join("link.obj");
        std::os::unix::fs::symlink(&pipe, &link).expect("a link");
        let cases = [
            (pipe.as_path(), "a named pipe"),
            (&link, "a named pipe"),
            (Path::new("/dev/zero"), "a device"),
            (&socket, "a socket"),
        ];
        for (path, name) in cases {
            let error = open_input(path).unwrap_err().to_string();
            assert!(error.contains(name), "{error}");
        }
    }
}
