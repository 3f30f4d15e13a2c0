//! `stats.jsonl`: one object per step, appended and flushed, so that a kill loses at most half a line.
//!
//! Each line carries a checksum that also depends on the run, so that a changed byte or a line of another run
//! costs that line and no other.

use crate::error::{OutputError, Result};
use crate::files::{Durability, write_atomic};
use crate::own_files::refuse_unless_file;
use crate::run_id::RunId;
use crate::seal::{Seal, check, seal};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::ops::RangeInclusive;
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

/// What can be trusted of a file of statistics.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Records in the order of their steps.
    pub records: Vec<StepRecord>,
    /// Lines that are damaged, of another run, or out of order. A torn last line does not count: it may
    /// still be in the making.
    pub damaged_lines: u64,
}

impl Statistics {
    /// Steps without a record, of so many done.
    pub fn lost_steps(&self, steps: u64) -> Vec<RangeInclusive<u64>> {
        let mut lost = Vec::new();
        let mut next = 1;
        let ends = self.records.iter().map(|record| record.step).filter(|step| *step <= steps);
        for step in ends.chain([steps.saturating_add(1)]) {
            if step > next {
                lost.push(next..=step - 1);
            }
            next = step.saturating_add(1);
        }
        lost
    }

    /// Which of so many steps are lost, as a sentence; `None` when none are.
    pub fn lost_in_words(&self, steps: u64) -> Option<String> {
        let lost = self.lost_steps(steps);
        let spans: Vec<String> = lost.iter().take(MAX_SPANS_SHOWN).map(span_in_words).collect();
        let more = if lost.len() > MAX_SPANS_SHOWN { " and more" } else { "" };
        (!lost.is_empty()).then(|| format!("stats.jsonl lacks the records of {}{more}", spans.join(", ")))
    }

    /// What is wrong with the statistics of so many steps, as a sentence; `None` when nothing is.
    pub fn damage_in_words(&self, steps: u64) -> Option<String> {
        match (self.lost_in_words(steps), self.damaged_lines) {
            (None, 0) => None,
            (Some(lost), 0) => Some(lost),
            (Some(lost), lines) => Some(format!("{lost}; damaged lines: {lines}")),
            (None, lines) => Some(format!("stats.jsonl has damaged lines: {lines}; no step is lost")),
        }
    }
}

/// Gaps that a sentence lists before it says "and more".
const MAX_SPANS_SHOWN: usize = 5;

fn span_in_words(span: &RangeInclusive<u64>) -> String {
    match span.start() == span.end() {
        true => format!("step {}", span.start()),
        false => format!("steps {} to {}", span.start(), span.end()),
    }
}

/// Appends records to the file.
pub struct StatsWriter<W = File> {
    sink: W,
    path: PathBuf,
    run: RunId,
}

impl StatsWriter {
    /// Opens the file for appending, keeping the trusted records up to and including step `keep_steps`.
    /// Returns what was kept.
    pub fn open(path: &Path, keep_steps: u64, run: RunId, budget: &Budget) -> Result<(Self, Statistics)> {
        refuse_unless_file(path)?;
        let bytes = read_bytes(path, budget)?;
        let (kept, statistics) = keep_until(&bytes, keep_steps, run);
        let kept = kept.concat();
        if !bytes.starts_with(&kept) {
            write_atomic(path, &kept, Durability::Device)?;
        }
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.map_err(|e| OutputError::writing(path, e))?;
        file.set_len(kept.len() as u64).map_err(|e| OutputError::writing(path, e))?;
        Ok((Self { sink: file, path: path.to_path_buf(), run }, statistics))
    }

    /// Forces everything written so far to the device.
    pub fn sync(&self) -> Result<()> {
        self.sink.sync_data().map_err(|e| OutputError::writing(&self.path, e))
    }
}

impl<W: Write> StatsWriter<W> {
    /// Writes to any sink; `path` names it in errors.
    pub fn new(sink: W, path: &Path, run: RunId) -> Self {
        Self { sink, path: path.to_path_buf(), run }
    }

    /// Appends one record as one line with its checksum, in a single write, and flushes it.
    pub fn append(&mut self, record: &StepRecord) -> Result<()> {
        let mut line = seal(&serde_json::to_string(record).expect("plain values serialise"), self.run);
        line.push('\n');
        let outcome = self.sink.write_all(line.as_bytes()).and_then(|()| self.sink.flush());
        outcome.map_err(|e| OutputError::writing(&self.path, e).needing(Some(line.len() as u64)))
    }
}

/// Memory of records in bytes per byte of their text: names of maps are repeated in each.
const BYTES_PER_BYTE: u64 = 16;

/// The records of a file within a memory budget; a file that is missing has none.
pub fn read(path: &Path, run: RunId, budget: &Budget) -> Result<Statistics> {
    Ok(parse(&read_bytes(path, budget)?, run))
}

/// What can be trusted in the content of a file of statistics.
pub fn parse(bytes: &[u8], run: RunId) -> Statistics {
    collect(lines(bytes, run).map(|line| line.record))
}

fn read_bytes(path: &Path, budget: &Budget) -> Result<Vec<u8>> {
    let bytes = match read_input(path, budget) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => return Err(OutputError::reading(path, e)),
    };
    let needed = BYTES_PER_BYTE.saturating_mul(bytes.len() as u64);
    let allowed = budget.allow("the records of its steps", needed);
    allowed.map_err(|source| OutputError::OverBudget { path: path.to_path_buf(), source })?;
    Ok(bytes)
}

/// A whole line, and its record if it can be trusted.
struct Line<'a> {
    bytes: &'a [u8],
    record: Option<StepRecord>,
}

/// All lines that end. A line is trusted when its checksum is right for the run, and its step comes after
/// those before it.
fn lines(bytes: &[u8], run: RunId) -> impl Iterator<Item = Line<'_>> {
    let mut last_step = 0;
    bytes.split_inclusive(|&b| b == b'\n').filter(|line| line.last() == Some(&b'\n')).map(move |line| {
        let record = trusted_record(line, run).filter(|record| record.step > last_step);
        last_step = record.as_ref().map_or(last_step, |record| record.step);
        Line { bytes: line, record }
    })
}

/// Whether a line is whole and of the run. Lines of format 1 have no checksum: any object will do.
pub fn is_trusted(line: &[u8], run: RunId) -> bool {
    let Ok(text) = std::str::from_utf8(line) else { return false };
    let expected = if run.is_none() { Seal::Absent } else { Seal::Whole };
    let is_object = || text.starts_with('{') && serde_json::from_str::<IgnoredAny>(text).is_ok();
    check(text, run) == expected && is_object()
}

/// The record of a line.
fn trusted_record(line: &[u8], run: RunId) -> Option<StepRecord> {
    if !is_trusted(line, run) {
        return None;
    }
    let text = std::str::from_utf8(line).ok()?;
    let mut record: StepRecord = serde_json::from_str(text).ok()?;
    record.extra.shift_remove("checksum");
    Some(record)
}

/// The trusted lines up to a step, and their records. Damage beyond that step does not count: those steps are
/// taken again.
fn keep_until(bytes: &[u8], last_step: u64, run: RunId) -> (Vec<&[u8]>, Statistics) {
    let mut kept = Vec::new();
    let mut statistics = Statistics::default();
    for line in lines(bytes, run) {
        match line.record {
            Some(record) if record.step <= last_step => {
                kept.push(line.bytes);
                statistics.records.push(record);
            }
            Some(_) => break,
            None => statistics.damaged_lines += 1,
        }
    }
    if statistics.lost_steps(last_step).is_empty() {
        statistics.damaged_lines = 0;
    }
    (kept, statistics)
}

fn collect(records: impl Iterator<Item = Option<StepRecord>>) -> Statistics {
    let mut statistics = Statistics::default();
    for record in records {
        match record {
            Some(record) => statistics.records.push(record),
            None => statistics.damaged_lines += 1,
        }
    }
    statistics
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

    const RUN: RunId = RunId::from_number(7);

    fn open(path: &Path, keep_steps: u64) -> (StatsWriter, Statistics) {
        StatsWriter::open(path, keep_steps, RUN, &Budget::default()).unwrap()
    }

    /// Five records in a file, and its bytes.
    fn five(path: &Path) -> Vec<u8> {
        let (mut writer, _) = open(path, 0);
        (1..=5).for_each(|k| writer.append(&record(k)).unwrap());
        fs::read(path).unwrap()
    }

    #[test]
    fn resume_keeps_whole_lines_up_to_the_checkpoint() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stats.jsonl");
        let whole = five(&path);
        for cut in 0..whole.len() {
            fs::write(&path, &whole[..cut]).unwrap();
            let (mut writer, kept) = open(&path, 3);
            assert_eq!(kept.damaged_lines, 0, "a torn line is no damage");
            let kept = kept.records;
            assert!(kept.len() <= 3 && kept.iter().zip(1..).all(|(r, k)| *r == record(k)));
            (kept.len() as u64 + 1..=5).for_each(|k| writer.append(&record(k)).unwrap());
            assert_eq!(fs::read(&path).unwrap(), whole, "cut at {cut}");
        }
    }

    /// Any byte of a line costs at most the lines that it touches; the others stay, and the loss is told.
    #[test]
    fn a_changed_byte_costs_its_line_and_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stats.jsonl");
        let whole = five(&path);
        let line = whole.iter().position(|b| *b == b'\n').unwrap() + 1;
        for at in (0..line - 1).step_by(11).chain([line - 1]) {
            let mut bytes = whole.clone();
            bytes[at] ^= 4;
            fs::write(&path, &bytes).unwrap();
            let found = read(&path, RUN, &Budget::default()).unwrap();
            let lost = if at + 1 == line { 2 } else { 1 };
            assert_eq!((found.records.len(), found.damaged_lines), (5 - lost, 1), "byte {at}");
            let (mut writer, kept) = open(&path, 4);
            assert_eq!(kept.lost_steps(4), [1..=lost as u64]);
            assert!(kept.damage_in_words(4).unwrap().contains("damaged lines: 1"));
            writer.append(&record(5)).unwrap();
            assert!(fs::read(&path).unwrap().ends_with(&whole[whole.len() - line..]), "byte {at}");
            let again = read(&path, RUN, &Budget::default()).unwrap();
            assert_eq!((again.records.len(), again.damaged_lines), (5 - lost, 0), "byte {at}");
        }
    }

    #[test]
    fn lines_of_another_run_and_repeated_lines_are_damage() {
        let folder = tempfile::tempdir().unwrap();
        let whole = five(&folder.path().join("stats.jsonl"));
        let foreign = parse(&whole, RunId::from_number(8));
        assert_eq!((foreign.records.len(), foreign.damaged_lines), (0, 5));
        let twice = parse(&[&whole[..], &whole[..]].concat(), RUN);
        assert_eq!((twice.records.len(), twice.damaged_lines), (5, 5));
        let old: Vec<u8> = (1..=5)
            .flat_map(|k| serde_json::to_vec(&record(k)).into_iter().flatten().chain([b'\n']))
            .collect();
        assert_eq!(parse(&old, RunId::NONE).records.len(), 5, "format 1");
        assert_eq!(parse(&old, RUN).records.len(), 0, "without checksums");
    }

    #[test]
    fn lost_steps_are_spans() {
        let of = |steps: &[u64]| Statistics {
            records: steps.iter().map(|&step| record(step)).collect(),
            damaged_lines: 2,
        };
        assert_eq!(of(&[1, 2, 3]).lost_steps(3), []);
        assert_eq!(of(&[2, 3, 7]).lost_steps(9), [1..=1, 4..=6, 8..=9]);
        assert_eq!(of(&[u64::MAX]).lost_steps(u64::MAX), [1..=u64::MAX - 1]);
        let words = of(&[2, 3, 7]).damage_in_words(9).unwrap();
        assert!(words.contains("records of step 1, steps 4 to 6, steps 8 to 9; damaged lines: 2"), "{words}");
    }

    #[cfg(unix)]
    #[test]
    fn statistics_are_not_written_through_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let [path, precious] = ["stats.jsonl", "precious"].map(|name| folder.path().join(name));
        fs::write(&precious, b"mine").unwrap();
        std::os::unix::fs::symlink(&precious, &path).unwrap();
        assert!(matches!(
            StatsWriter::open(&path, 0, RUN, &Budget::default()),
            Err(OutputError::InTheWay { .. })
        ));
        assert_eq!(fs::read(&precious).unwrap(), b"mine");
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
        let error =
            StatsWriter::new(FullDisk, Path::new("run/stats.jsonl"), RUN).append(&record(1)).unwrap_err();
        assert!(matches!(error, OutputError::DiskFull { .. }));
        assert!(error.to_string().contains("run/stats.jsonl") && error.to_string().contains("--resume"));
        let Ok(device) = OpenOptions::new().write(true).open("/dev/full") else {
            println!("skipped the device test: no /dev/full here");
            return;
        };
        let error = StatsWriter::new(device, Path::new("/dev/full"), RUN).append(&record(1)).unwrap_err();
        assert!(matches!(error, OutputError::DiskFull { .. }), "{error}");
    }
}
