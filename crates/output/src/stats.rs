//! `stats.jsonl`: one object per step, appended and flushed, so that a kill loses at most half a line.

use crate::error::{OutputError, Result};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use stiction_limits::{Budget, read_input};

/// What one step reached. Field names are a contract (see `docs/run_folder.md`).
/// Numbers that are not finite are written as `null` and read back as NaN.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StepRecord {
    /// Number of the step, from 1.
    pub step: u64,
    /// Time at its end \[s\].
    #[serde(with = "nullable")]
    pub time: f64,
    /// Step size \[s\].
    #[serde(with = "nullable")]
    pub h: f64,
    /// Outer iterations of the method.
    pub iterations: u64,
    /// Residuals by the method's names.
    #[serde(with = "nullable_map")]
    pub residual: BTreeMap<String, f64>,
    /// Contacts at the end of the step.
    pub contacts: u64,
    /// Deepest penetration, at least 0 \[m\].
    #[serde(with = "nullable")]
    pub penetration_m: f64,
    /// True crossings of mid-surfaces and centrelines.
    pub intersections: u64,
    /// Pairs closer than their thicknesses or radii.
    pub overlaps: u64,
    /// Energy by kind \[J\].
    #[serde(with = "nullable_map")]
    pub energy: BTreeMap<String, f64>,
    /// Linear momentum \[kg m/s\].
    #[serde(with = "nullable_vector")]
    pub momentum: [f64; 3],
    /// Net contact force by body \[N\].
    #[serde(with = "nullable_vector_map")]
    pub contact_force: BTreeMap<String, [f64; 3]>,
    /// Wall time by category \[s\].
    #[serde(with = "nullable_map")]
    pub seconds: BTreeMap<String, f64>,
    /// Further fields of the method.
    #[serde(flatten)]
    pub extra: serde_json::Map<String, serde_json::Value>,
}

/// Appends records to the file.
pub struct StatsWriter<W = File> {
    sink: W,
    path: PathBuf,
}

impl StatsWriter {
    /// Opens the file for appending, keeping the records up to and including step `keep_steps`. Returns
    /// what was kept.
    pub fn open(path: &Path, keep_steps: u64) -> Result<(Self, Vec<StepRecord>)> {
        let (records, bytes) = read_until(path, keep_steps, &Budget::default())?;
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.map_err(|e| OutputError::writing(path, e))?;
        file.set_len(bytes).map_err(|e| OutputError::writing(path, e))?;
        Ok((Self { sink: file, path: path.to_path_buf() }, records))
    }

    /// Forces everything written so far to the device.
    pub fn sync(&self) -> Result<()> {
        self.sink.sync_data().map_err(|e| OutputError::writing(&self.path, e))
    }
}

impl<W: Write> StatsWriter<W> {
    /// Writes to any sink; `path` names it in errors.
    pub fn new(sink: W, path: &Path) -> Self {
        Self { sink, path: path.to_path_buf() }
    }

    /// Appends one record as one line, in a single write, and flushes it.
    pub fn append(&mut self, record: &StepRecord) -> Result<()> {
        let mut line = serde_json::to_string(record).expect("plain values serialise");
        line.push('\n');
        let outcome = self.sink.write_all(line.as_bytes()).and_then(|()| self.sink.flush());
        outcome.map_err(|e| OutputError::writing(&self.path, e))
    }
}

/// All complete records; a torn last line is left out.
pub fn read(path: &Path) -> Result<Vec<StepRecord>> {
    read_within(path, &Budget::default())
}

/// The same within a memory budget.
pub fn read_within(path: &Path, budget: &Budget) -> Result<Vec<StepRecord>> {
    Ok(read_until(path, u64::MAX, budget)?.0)
}

/// Memory of records in bytes per byte of their text: names of maps are repeated in each.
const BYTES_PER_BYTE: u64 = 16;

/// Records up to a step, and the number of bytes that they take. Stops at the first line that is
/// incomplete or not a record: what follows a torn line cannot be trusted.
fn read_until(path: &Path, last_step: u64, budget: &Budget) -> Result<(Vec<StepRecord>, u64)> {
    let bytes = match read_input(path, budget) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok((Vec::new(), 0)),
        Err(e) => return Err(OutputError::reading(path, e)),
    };
    let needed = BYTES_PER_BYTE.saturating_mul(bytes.len() as u64);
    let allowed = budget.allow("the records of its steps", needed);
    allowed.map_err(|source| OutputError::OverBudget { path: path.to_path_buf(), source })?;
    Ok(records_of(&bytes, last_step))
}

/// Records up to a step in the content of a file, and the number of bytes that they take.
pub fn records_of(bytes: &[u8], last_step: u64) -> (Vec<StepRecord>, u64) {
    let mut records = Vec::new();
    let mut kept = 0;
    for line in bytes.split_inclusive(|&b| b == b'\n') {
        if line.last() != Some(&b'\n') {
            break;
        }
        match serde_json::from_slice::<StepRecord>(line) {
            Ok(record) if record.step <= last_step => records.push(record),
            _ => break,
        }
        kept += line.len() as u64;
    }
    (records, kept)
}

/// JSON has no NaN: `null` stands for a number that is not finite. serde_json already writes it so;
/// these modules read it back.
pub(crate) mod nullable {
    use serde::{Deserialize, Deserializer, Serializer};

    pub fn serialize<S: Serializer>(value: &f64, s: S) -> Result<S::Ok, S::Error> {
        s.serialize_f64(*value)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<f64, D::Error> {
        Ok(Option::<f64>::deserialize(d)?.unwrap_or(f64::NAN))
    }
}

pub(crate) mod nullable_map {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::collections::BTreeMap;

    pub fn serialize<S: Serializer>(map: &BTreeMap<String, f64>, s: S) -> Result<S::Ok, S::Error> {
        map.serialize(s)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<BTreeMap<String, f64>, D::Error> {
        let map = BTreeMap::<String, Option<f64>>::deserialize(d)?;
        Ok(map.into_iter().map(|(k, v)| (k, v.unwrap_or(f64::NAN))).collect())
    }
}

mod nullable_vector {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(vector: &[f64; 3], s: S) -> Result<S::Ok, S::Error> {
        vector.serialize(s)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<[f64; 3], D::Error> {
        Ok(<[Option<f64>; 3]>::deserialize(d)?.map(|v| v.unwrap_or(f64::NAN)))
    }
}

mod nullable_vector_map {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::collections::BTreeMap;

    type Vectors = BTreeMap<String, [f64; 3]>;

    pub fn serialize<S: Serializer>(map: &Vectors, s: S) -> Result<S::Ok, S::Error> {
        map.serialize(s)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(d: D) -> Result<Vectors, D::Error> {
        let map = BTreeMap::<String, [Option<f64>; 3]>::deserialize(d)?;
        Ok(map.into_iter().map(|(k, v)| (k, v.map(|c| c.unwrap_or(f64::NAN)))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn record(step: u64) -> StepRecord {
        let mut record = StepRecord { step, time: 0.1 * step as f64, h: 0.1, ..StepRecord::default() };
        record.energy.insert("elastic".into(), 1.0 / 3.0);
        record.contact_force.insert("floor".into(), [0.0, 0.0, -9.81]);
        record.extra.insert("note".into(), "free".into());
        record
    }

    #[test]
    fn names_are_the_contract() {
        let text = serde_json::to_value(record(1)).unwrap();
        let names: Vec<&str> = text.as_object().unwrap().keys().map(String::as_str).collect();
        let contract = "step time h iterations residual contacts penetration_m intersections overlaps energy \
                        momentum contact_force seconds note";
        assert_eq!(names, contract.split_whitespace().collect::<Vec<_>>());
    }

    #[test]
    fn non_finite_numbers_survive_as_nan() {
        let mut bad = record(1);
        bad.residual.insert("primal".into(), f64::INFINITY);
        bad.momentum[1] = f64::NAN;
        let line = serde_json::to_string(&bad).unwrap();
        let back: StepRecord = serde_json::from_str(&line).unwrap();
        assert!(back.residual["primal"].is_nan() && back.momentum[1].is_nan());
        assert_eq!(back.energy, bad.energy);
    }

    #[test]
    fn resume_keeps_whole_lines_up_to_the_checkpoint() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stats.jsonl");
        let (mut writer, _) = StatsWriter::open(&path, 0).unwrap();
        (1..=5).for_each(|k| writer.append(&record(k)).unwrap());
        let whole = fs::read(&path).unwrap();
        for cut in 0..whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            let (mut writer, kept) = StatsWriter::open(&path, 3).unwrap();
            assert!(kept.len() <= 3 && kept.iter().zip(1..).all(|(r, k)| *r == record(k)));
            (kept.len() as u64 + 1..=5).for_each(|k| writer.append(&record(k)).unwrap());
            assert_eq!(fs::read(&path).unwrap(), whole, "cut at {cut}");
        }
    }

    struct FullDisk;

    impl Write for FullDisk {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(ErrorKind::StorageFull.into())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_full_disk_is_said_in_words() {
        let error = StatsWriter::new(FullDisk, Path::new("run/stats.jsonl")).append(&record(1)).unwrap_err();
        assert!(matches!(error, OutputError::DiskFull { .. }));
        assert!(error.to_string().contains("run/stats.jsonl") && error.to_string().contains("--resume"));
        let Ok(device) = OpenOptions::new().write(true).open("/dev/full") else {
            println!("skipped the device test: no /dev/full here");
            return;
        };
        let error = StatsWriter::new(device, Path::new("/dev/full")).append(&record(1)).unwrap_err();
        assert!(matches!(error, OutputError::DiskFull { .. }), "{error}");
    }
}
