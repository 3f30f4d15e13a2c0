//! The end of `stats.jsonl`, from a byte offset on, so that a growing run is not read again and
//! again.

use std::io::{ErrorKind, Read, Result, Seek, SeekFrom};
use std::path::Path;
use stiction_limits::open_input;
use stiction_output::RunId;
use stiction_output::stats::is_trusted;

/// One answer carries at most this much of the file; the page asks again for the rest.
const MAX_BYTES: u64 = 32 << 20;

/// Records in the words of the file, and where the next ones start.
pub struct StatsTail {
    /// Offset to ask for next.
    next: u64,
    /// Whether the file holds more whole records now.
    more: bool,
    /// The records, parted by commas; a line that is still being written is left out. Kept as one
    /// text: as single values, a file of many tiny records would take twenty times its size.
    records: Vec<u8>,
}

impl StatsTail {
    /// An object with `next`, `more` and the list `records`.
    pub fn into_json(self) -> Vec<u8> {
        let head = format!("{{\"next\":{},\"more\":{},\"records\":[", self.next, self.more);
        [head.as_bytes(), &self.records, b"]}"].concat()
    }
}

/// Reads the whole lines from `from` on. An offset beyond the end, as after a resume, gives an
/// empty answer whose `next` is 0: the page starts again.
pub fn read(path: &Path, from: u64, run: RunId) -> Result<StatsTail> {
    let mut file = match open_input(path) {
        Ok(file) => file,
        Err(e) if e.kind() == ErrorKind::NotFound => {
            return Ok(StatsTail { next: 0, more: false, records: Vec::new() });
        }
        Err(e) => return Err(e),
    };
    let length = file.metadata()?.len();
    if from > length {
        return Ok(StatsTail { next: 0, more: true, records: Vec::new() });
    }
    file.seek(SeekFrom::Start(from))?;
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes)?;
    let (records, used) = whole_records(&bytes, run);
    Ok(StatsTail {
        next: from + used,
        more: used > 0 && from + used < length && bytes.len() as u64 == MAX_BYTES,
        records,
    })
}

/// Records that can be trusted, and the bytes of all whole lines. Damaged lines are left out, and a
/// line that is still being written waits for the next time.
fn whole_records(bytes: &[u8], run: RunId) -> (Vec<u8>, u64) {
    let mut records = Vec::with_capacity(bytes.len());
    let mut used = 0;
    for line in bytes.split_inclusive(|&b| b == b'\n').filter(|line| line.ends_with(b"\n")) {
        used += line.len() as u64;
        if !is_trusted(line, run) {
            continue;
        }
        if !records.is_empty() {
            records.push(b',');
        }
        records.extend_from_slice(line.trim_ascii_end());
    }
    (records, used)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_output::seal::seal;

    #[test]
    fn follows_a_growing_file_and_leaves_torn_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stats.jsonl");
        let json = |from| -> serde_json::Value {
            serde_json::from_slice(&read(&path, from, RunId::NONE).unwrap().into_json()).unwrap()
        };
        let nothing = serde_json::json!([]);
        assert_eq!(json(0)["records"], nothing);
        std::fs::write(&path, "{\"step\":1}\n{\"step\":2}\n{\"st").unwrap();
        let expected =
            serde_json::json!({ "next": 22, "more": false, "records": [{ "step": 1 }, { "step": 2 }] });
        assert_eq!(json(0), expected);
        std::fs::write(&path, "{\"step\":1}\n{\"step\":2}\n{\"step\":3}\n").unwrap();
        let expected = serde_json::json!({ "next": 33, "more": false, "records": [{ "step": 3 }] });
        assert_eq!(json(22), expected);
        assert_eq!(json(1000)["next"], 0);
        let rest = serde_json::json!([{ "step": 2 }, { "step": 3 }]);
        assert_eq!(json(5)["records"], rest, "an offset inside a line leaves that line out");
        std::fs::write(&path, "{\"step\":1}\n{\"st\u{1}p\":2}\n{\"step\":3}\n").unwrap();
        let rest = serde_json::json!([{ "step": 1 }, { "step": 3 }]);
        assert_eq!(json(0)["records"], rest, "a damaged line costs no other");
        let sealed = |step: u32| seal(&format!("{{\"step\":{step}}}"), RunId::from_number(7));
        std::fs::write(&path, format!("{}\n{}\n", sealed(1), sealed(2).replacen('2', "5", 1))).unwrap();
        let of_run = read(&path, 0, RunId::from_number(7)).unwrap().into_json();
        let of_run: serde_json::Value = serde_json::from_slice(&of_run).unwrap();
        let records = of_run["records"].as_array().unwrap();
        assert_eq!((records.len(), &records[0]["step"]), (1, &1.into()), "a wrong checksum");
    }
}
