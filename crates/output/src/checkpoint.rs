//! Checkpoints: `checkpoint/a.bin` and `b.bin`, written in turn.
//!
//! The slot that does not hold the newest checkpoint is overwritten, by temporary name, sync and
//! rename. So at any moment at least one whole checkpoint exists, and damage to the newest costs
//! one interval.

use crate::container::{Codec, ContainerReader, ContainerWriter, Filter};
use crate::error::{OutputError, Result};
use crate::files::{Durability, create_folder, write_atomic_sized};
use crate::run_id::RunId;
use crate::sections::Sections;
use crate::summary::RunTotals;
use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek};
use std::path::{Path, PathBuf};
use stiction_limits::{Budget, open_input};

pub(crate) const MAGIC: [u8; 8] = *b"STCHECK\0";
/// Those of version 1 cannot be continued: they name no run and no format of the state.
const VERSION: u32 = 2;
pub(crate) const SLOTS: [&str; 2] = ["a.bin", "b.bin"];
const HEAD: &str = "head";
/// Numbers of eight bytes at the start of a head.
const HEAD_NUMBERS: usize = 12;
/// A head holds these numbers, a hash and the name of a build.
const MAX_HEAD: Budget = Budget::of_bytes(1 << 16);
const PREFIX: &str = "section/";

/// What a checkpoint belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointIdentity {
    /// Hash of the scene after all overrides.
    pub scene_hash: String,
    /// Format of the sections: which there are and what their numbers mean. Builds that share it
    /// continue each other's runs.
    pub state_format: u32,
}

/// A saved moment of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Scene and form of the state.
    pub identity: CheckpointIdentity,
    /// The run that it belongs to.
    pub run_id: RunId,
    /// The program that wrote it: another one continues the run, but need not give the same bits.
    pub build: String,
    /// Steps done.
    pub step: u64,
    /// Time reached \[s\].
    pub time: f64,
    /// Frames written so far.
    pub frames: u32,
    /// Wall time spent so far \[s\].
    pub wall_seconds: f64,
    /// Totals over the steps so far.
    pub totals: RunTotals,
    /// The state, named by its owners.
    pub sections: Sections,
}

impl Checkpoint {
    /// Writes into the folder (created if missing), over the older of the two slots.
    pub fn write(&self, folder: &Path) -> Result<()> {
        create_folder(folder)?;
        let path = folder.join(SLOTS[older_slot(folder)]);
        let content = self.container();
        let bytes = Some(content.size());
        write_atomic_sized(&path, Durability::Device, bytes, |file| content.write_to(file))
    }

    /// The newest whole checkpoint, `None` when none was written yet. Damaged files are passed
    /// over; a checkpoint of another scene or another form of the state is an error.
    pub fn read_latest(
        folder: &Path,
        expected: &CheckpointIdentity,
        budget: &Budget,
    ) -> Result<Option<Self>> {
        Ok(Self::read_all(folder, None, expected, budget)?.into_iter().next())
    }

    /// All whole checkpoints, newest first; those of another run than `run` are passed over as
    /// damaged.
    pub(crate) fn read_all(
        folder: &Path,
        run: Option<RunId>,
        expected: &CheckpointIdentity,
        budget: &Budget,
    ) -> Result<Vec<Self>> {
        let mut found: Vec<(PathBuf, Self)> = Vec::new();
        let mut damage = None;
        for slot in SLOTS {
            let path = folder.join(slot);
            match Self::read(&path, budget).and_then(|read| of_run(read, run, &path)) {
                Ok(Some(checkpoint)) => found.push((path, checkpoint)),
                Ok(None) => {}
                Err(error) => damage = Some(error),
            }
        }
        if let (true, Some(error)) = (found.is_empty(), damage) {
            return Err(all_damaged(folder, error));
        }
        found.sort_by_key(|(_, checkpoint)| std::cmp::Reverse(checkpoint.step));
        for (path, checkpoint) in &found {
            checkpoint.check_identity(path, expected)?;
        }
        Ok(found.into_iter().map(|(_, checkpoint)| checkpoint).collect())
    }

    /// Reads one slot; `None` when it does not exist.
    fn read(path: &Path, budget: &Budget) -> Result<Option<Self>> {
        let Some(reader) = open_slot(path)? else { return Ok(None) };
        Self::from_container(reader, path, budget).map(Some)
    }

    /// Reads a checkpoint from the bytes of its file; `path` names it in errors.
    pub fn from_bytes(bytes: &[u8], path: &Path, budget: &Budget) -> Result<Self> {
        let reader = ContainerReader::open(Cursor::new(bytes), path, MAGIC, VERSION)?;
        Self::from_container(reader, path, budget)
    }

    fn from_container<R: Read + Seek>(
        mut reader: ContainerReader<R>,
        path: &Path,
        budget: &Budget,
    ) -> Result<Self> {
        let allowed = budget.allow("the checkpoint", reader.unpacked_bytes_of_all());
        allowed.map_err(|source| OutputError::OverBudget { path: path.to_path_buf(), source })?;
        let mut sections = Sections::new();
        let names: Vec<String> = reader.names().map(String::from).collect();
        for name in &names {
            if let Some(section) = name.strip_prefix(PREFIX) {
                sections.add_bytes(section, reader.read(name, budget)?);
            }
        }
        let head = reader.read(HEAD, &MAX_HEAD)?;
        Self::from_head(&head, sections).ok_or_else(|| OutputError::corrupt(path, "its head is incomplete"))
    }

    fn container(&self) -> ContainerWriter {
        let mut out = ContainerWriter::new(MAGIC, VERSION);
        let mut head = Vec::new();
        let totals = &self.totals;
        let numbers: [u64; HEAD_NUMBERS] = [
            self.step,
            self.time.to_bits(),
            u64::from(self.frames),
            self.wall_seconds.to_bits(),
            self.run_id.number(),
            u64::from(self.identity.state_format),
            totals.contacts_max,
            totals.contacts_mean.to_bits(),
            totals.intersections_max,
            totals.penetration_max_m.to_bits(),
            totals.strain_limit_excess_max.to_bits(),
            self.identity.scene_hash.len() as u64,
        ];
        numbers.iter().for_each(|number| head.extend_from_slice(&number.to_le_bytes()));
        head.extend_from_slice(self.identity.scene_hash.as_bytes());
        head.extend_from_slice(self.build.as_bytes());
        out.add(HEAD, &head, Filter::None, Codec::Raw);
        // Doubles of a moving state hardly compress; storing them raw keeps checkpoints cheap.
        for (name, bytes) in self.sections.iter() {
            out.add(&format!("{PREFIX}{name}"), bytes, Filter::None, Codec::Raw);
        }
        out
    }

    fn from_head(head: &[u8], sections: Sections) -> Option<Self> {
        let (numbers, text) = head.split_at_checked(8 * HEAD_NUMBERS)?;
        let number = |place: usize| {
            let bytes = numbers[8 * place..8 * place + 8].try_into();
            u64::from_le_bytes(bytes.expect("eight bytes"))
        };
        let real = |place: usize| f64::from_bits(number(place));
        let (scene_hash, build) = text.split_at_checked(usize::try_from(number(11)).ok()?)?;
        Some(Self {
            identity: CheckpointIdentity {
                scene_hash: String::from_utf8(scene_hash.to_vec()).ok()?,
                state_format: u32::try_from(number(5)).ok()?,
            },
            run_id: RunId::from_number(number(4)),
            build: String::from_utf8(build.to_vec()).ok()?,
            step: number(0),
            time: real(1),
            frames: u32::try_from(number(2)).ok()?,
            wall_seconds: real(3),
            totals: RunTotals {
                contacts_max: number(6),
                contacts_mean: real(7),
                intersections_max: number(8),
                penetration_max_m: real(9),
                strain_limit_excess_max: real(10),
            },
            sections,
        })
    }

    fn check_identity(&self, path: &Path, expected: &CheckpointIdentity) -> Result<()> {
        let path = path.to_path_buf();
        if self.identity.scene_hash != expected.scene_hash {
            let (found, expected) = (self.identity.scene_hash.clone(), expected.scene_hash.clone());
            return Err(OutputError::OtherScene { path, found, expected });
        }
        if self.identity.state_format != expected.state_format {
            let (found, expected) = (self.identity.state_format, expected.state_format);
            return Err(OutputError::OtherStateFormat { path, found, expected });
        }
        Ok(())
    }
}

/// Number of the frame from which a resumed run computes frame `index` again: the last one of the
/// newest checkpoint that does not cover it yet, else the first.
pub(crate) fn frame_to_resume_from(folder: &Path, run: RunId, index: u32) -> u32 {
    let heads = SLOTS.iter().filter_map(|slot| read_head(&folder.join(slot)));
    let before = heads.filter(|head| head.run_id == run && head.frames <= index);
    before.map(|head| head.frames.saturating_sub(1)).max().unwrap_or(0)
}

/// A checkpoint without its sections.
fn read_head(path: &Path) -> Option<Checkpoint> {
    let head = open_slot(path).ok()??.read(HEAD, &MAX_HEAD).ok()?;
    Checkpoint::from_head(&head, Sections::new())
}

/// A checkpoint of another run is as good as damaged.
fn of_run(read: Option<Checkpoint>, run: Option<RunId>, path: &Path) -> Result<Option<Checkpoint>> {
    match (read, run) {
        (Some(checkpoint), Some(run)) if checkpoint.run_id != run => {
            let reason = format!("it belongs to run {}, the folder to run {run}", checkpoint.run_id);
            Err(OutputError::corrupt(path, reason))
        }
        (read, _) => Ok(read),
    }
}

fn open_slot(path: &Path) -> Result<Option<ContainerReader<BufReader<File>>>> {
    match open_input(path) {
        Ok(file) => ContainerReader::open(BufReader::new(file), path, MAGIC, VERSION).map(Some),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(OutputError::reading(path, e)),
    }
}

/// The slot to overwrite: one that is missing or has a damaged head, else the one with the smaller
/// step.
fn older_slot(folder: &Path) -> usize {
    let steps = SLOTS.map(|slot| read_head(&folder.join(slot)).map(|head| head.step));
    usize::from(steps[1] < steps[0])
}

/// A file of another format version is reported as such; otherwise nothing usable is left.
fn all_damaged(folder: &Path, error: OutputError) -> OutputError {
    match error {
        OutputError::Corrupt { reason, .. } => {
            OutputError::CheckpointsDamaged { path: folder.to_path_buf(), reason }
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fs;

    fn identity() -> CheckpointIdentity {
        CheckpointIdentity { scene_hash: "abc".into(), state_format: 3 }
    }

    fn checkpoint(step: u64) -> Checkpoint {
        let mut sections = Sections::new();
        sections.put_f64s("positions", &[step as f64, 0.1, -0.0]);
        sections.put_str("method", "newton");
        let (time, frames) = (step as f64 / 24.0, step as u32 / 2);
        Checkpoint {
            identity: identity(),
            run_id: RunId::from_number(5),
            build: "0.1.0+abc".into(),
            step,
            time,
            frames,
            wall_seconds: 0.5,
            totals: RunTotals { contacts_max: 3, contacts_mean: 0.1, ..RunTotals::default() },
            sections,
        }
    }

    fn latest(folder: &Path, expected: &CheckpointIdentity) -> Result<Option<Checkpoint>> {
        Checkpoint::read_latest(folder, expected, &Budget::default())
    }

    #[test]
    fn the_newest_of_two_slots_is_read() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(latest(folder.path(), &identity()).unwrap(), None);
        for step in 1..=5 {
            checkpoint(step).write(folder.path()).unwrap();
            assert_eq!(latest(folder.path(), &identity()).unwrap(), Some(checkpoint(step)));
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn another_scene_or_form_of_the_state_is_refused_in_words() {
        let folder = tempfile::tempdir().unwrap();
        checkpoint(1).write(folder.path()).unwrap();
        let other_scene = CheckpointIdentity { scene_hash: "xyz".into(), ..identity() };
        let error = latest(folder.path(), &other_scene).unwrap_err();
        assert!(
            matches!(&error, OutputError::OtherScene { .. }) && error.to_string().contains("xyz"),
            "{error}"
        );
        let other_format = CheckpointIdentity { state_format: 4, ..identity() };
        let error = latest(folder.path(), &other_format).unwrap_err();
        assert!(matches!(&error, OutputError::OtherStateFormat { found: 3, expected: 4, .. }), "{error}");
    }

    #[test]
    fn two_damaged_slots_are_an_error_not_a_fresh_start() {
        let folder = tempfile::tempdir().unwrap();
        SLOTS.iter().for_each(|slot| fs::write(folder.path().join(slot), b"rubbish").unwrap());
        let error = latest(folder.path(), &identity()).unwrap_err();
        assert!(matches!(error, OutputError::CheckpointsDamaged { .. }), "{error}");
    }

    #[test]
    fn checkpoints_of_another_run_are_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        checkpoint(1).write(folder.path()).unwrap();
        Checkpoint { run_id: RunId::from_number(6), ..checkpoint(2) }.write(folder.path()).unwrap();
        let of = |run| {
            let found = Checkpoint::read_all(
                folder.path(),
                Some(RunId::from_number(run)),
                &identity(),
                &Budget::default(),
            );
            found.map(|all| all.iter().map(|c| c.step).collect::<Vec<_>>())
        };
        assert_eq!((of(5).unwrap(), of(6).unwrap()), (vec![1], vec![2]));
        assert!(of(7).unwrap_err().to_string().contains("belongs to run"));
        assert_eq!(frame_to_resume_from(folder.path(), RunId::from_number(6), 0), 0);
    }

    #[test]
    fn a_damaged_frame_is_computed_again_from_the_checkpoint_before_it() {
        let folder = tempfile::tempdir().unwrap();
        [8, 12].into_iter().for_each(|step| checkpoint(step).write(folder.path()).unwrap());
        let from = |index| frame_to_resume_from(folder.path(), RunId::from_number(5), index);
        assert_eq!([3, 4, 5, 6, 9].map(from), [0, 3, 3, 5, 5]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(25))]
        #[test]
        fn a_cut_newest_falls_back_to_the_one_before(at in any::<prop::sample::Index>()) {
            let folder = tempfile::tempdir().unwrap();
            (1..=3).for_each(|step| checkpoint(step).write(folder.path()).unwrap());
            // Steps 1, 2, 3 go to slots a, b, a.
            let newest = folder.path().join(SLOTS[0]);
            let bytes = fs::read(&newest).unwrap();
            fs::write(&newest, &bytes[..at.index(bytes.len())]).unwrap();
            prop_assert_eq!(latest(folder.path(), &identity()).unwrap().unwrap(), checkpoint(2));
            checkpoint(4).write(folder.path()).unwrap();
            prop_assert_eq!(latest(folder.path(), &identity()).unwrap().unwrap().step, 4);
            prop_assert_eq!(read_head(&folder.path().join(SLOTS[1])).unwrap().step, 2);
        }
    }
}
