//! The end of `stats.jsonl`, from a byte offset on, so that a growing run is not read again and again.

use serde::Serialize;
use serde_json::value::RawValue;
use std::io::{ErrorKind, Read, Result, Seek, SeekFrom};
use std::path::Path;
use stiction_limits::open_input;

/// One answer carries at most this much of the file; the page asks again for the rest.
const MAX_BYTES: u64 = 32 << 20;

/// Records in the words of the file, and where the next ones start.
#[derive(Serialize)]
pub struct StatsTail {
    /// Offset to ask for next.
    pub next: u64,
    /// Whether the file holds more whole records now.
    pub more: bool,
    /// The records; a line that is still being written is left out.
    pub records: Vec<Box<RawValue>>,
}

/// Reads the whole lines from `from` on. An offset beyond the end, as after a resume, gives an empty answer whose
/// `next` is 0: the page starts again.
pub fn read(path: &Path, from: u64) -> Result<StatsTail> {
    let mut file = match open_input(path) {
        Ok(file) => file,
        Err(e) if e.kind() == ErrorKind::NotFound => {
            return Ok(StatsTail { next: 0, more: false, records: vec![] });
        }
        Err(e) => return Err(e),
    };
    let length = file.metadata()?.len();
    if from > length {
        return Ok(StatsTail { next: 0, more: true, records: vec![] });
    }
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes)?;
    let (records, used) = whole_records(&bytes);
    Ok(StatsTail {
        next: from + used,
        more: used > 0 && from + used < length && bytes.len() as u64 == MAX_BYTES,
        records,
    })
}

/// Stops at the first line that is incomplete or no JSON object: what follows a torn line cannot be trusted.
fn whole_records(bytes: &[u8]) -> (Vec<Box<RawValue>>, u64) {
    let mut records = Vec::new();
    let mut used = 0;
    for line in bytes.split_inclusive(|&b| b == b'\n') {
        if line.last() != Some(&b'\n') || line.first() != Some(&b'{') {
            break;
        }
        match serde_json::from_slice(line) {
            Ok(record) => records.push(record),
            Err(_) => break,
        }
        used += line.len() as u64;
    }
    (records, used)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn follows_a_growing_file_and_leaves_torn_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stats.jsonl");
        assert_eq!(read(&path, 0).unwrap().records.len(), 0);
        std::fs::write(&path, "{\"step\":1}\n{\"step\":2}\n{\"st").unwrap();
        let first = read(&path, 0).unwrap();
        assert_eq!((first.records.len(), first.next), (2, 22));
        std::fs::write(&path, "{\"step\":1}\n{\"step\":2}\n{\"step\":3}\n").unwrap();
        let second = read(&path, first.next).unwrap();
        assert_eq!((second.records[0].get(), second.next), ("{\"step\":3}", 33));
        assert_eq!(read(&path, 1000).unwrap().next, 0);
        assert_eq!(read(&path, 5).unwrap().records.len(), 0, "an offset inside a line gives nothing");
    }
}
