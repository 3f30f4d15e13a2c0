//! Checkpoints: `checkpoint/a.bin` and `b.bin`, written in turn.
//!
//! The slot that does not hold the newest checkpoint is overwritten, by temporary name, sync and rename.
//! So at any moment at least one whole checkpoint exists, and damage to the newest costs one interval.

use crate::container::{Codec, ContainerReader, ContainerWriter, Filter};
use crate::error::{OutputError, Result};
use crate::files::{Durability, create_folder, write_atomic_with};
use crate::sections::Sections;
use std::fs::File;
use std::io::{BufReader, Cursor, Read, Seek};
use std::path::{Path, PathBuf};
use stiction_limits::{Budget, open_input};

const MAGIC: [u8; 8] = *b"STCHECK\0";
const VERSION: u32 = 1;
pub(crate) const SLOTS: [&str; 2] = ["a.bin", "b.bin"];
const HEAD: &str = "head";
/// A head holds five numbers, a hash and a version.
const MAX_HEAD: Budget = Budget::of_bytes(1 << 16);
const PREFIX: &str = "section/";

/// What a checkpoint belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckpointIdentity {
    /// Hash of the scene after all overrides.
    pub scene_hash: String,
    /// Version of the program (states of different versions need not agree).
    pub version: String,
}

/// A saved moment of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Checkpoint {
    /// Scene and version it was written for.
    pub identity: CheckpointIdentity,
    /// Steps done.
    pub step: u64,
    /// Time reached \[s\].
    pub time: f64,
    /// Frames written so far.
    pub frames: u32,
    /// Wall time spent so far \[s\].
    pub wall_seconds: f64,
    /// The state, named by its owners.
    pub sections: Sections,
}

impl Checkpoint {
    /// Writes into the folder (created if missing), over the older of the two slots.
    pub fn write(&self, folder: &Path) -> Result<()> {
        create_folder(folder)?;
        let path = folder.join(SLOTS[older_slot(folder)]);
        let content = self.container();
        write_atomic_with(&path, Durability::Device, |file| content.write_to(file))
    }

    /// The newest whole checkpoint, `None` when none was written yet. Damaged files are passed over; a
    /// checkpoint of another scene or version is an error.
    pub fn read_latest(folder: &Path, expected: &CheckpointIdentity) -> Result<Option<Self>> {
        let mut found: Vec<(PathBuf, Self)> = Vec::new();
        let mut damage = None;
        for slot in SLOTS {
            let path = folder.join(slot);
            match Self::read(&path) {
                Ok(Some(checkpoint)) => found.push((path, checkpoint)),
                Ok(None) => {}
                Err(error) => damage = Some(error),
            }
        }
        let Some((path, newest)) = found.into_iter().max_by_key(|(_, c)| c.step) else {
            return damage.map_or(Ok(None), |error| Err(all_damaged(folder, error)));
        };
        newest.check_identity(&path, expected)?;
        Ok(Some(newest))
    }

    /// Reads one slot; `None` when it does not exist.
    fn read(path: &Path) -> Result<Option<Self>> {
        let Some(reader) = open_slot(path)? else { return Ok(None) };
        Self::from_container(reader, path, &Budget::default()).map(Some)
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
        head.extend_from_slice(&self.step.to_le_bytes());
        head.extend_from_slice(&self.time.to_bits().to_le_bytes());
        head.extend_from_slice(&u64::from(self.frames).to_le_bytes());
        head.extend_from_slice(&self.wall_seconds.to_bits().to_le_bytes());
        head.extend_from_slice(&(self.identity.scene_hash.len() as u64).to_le_bytes());
        head.extend_from_slice(self.identity.scene_hash.as_bytes());
        head.extend_from_slice(self.identity.version.as_bytes());
        out.add(HEAD, &head, Filter::None, Codec::Raw);
        // Doubles of a moving state hardly compress; storing them raw keeps checkpoints cheap.
        for (name, bytes) in self.sections.iter() {
            out.add(&format!("{PREFIX}{name}"), bytes, Filter::None, Codec::Raw);
        }
        out
    }

    fn from_head(head: &[u8], sections: Sections) -> Option<Self> {
        let number = |at: usize| Some(u64::from_le_bytes(head.get(at..at + 8)?.try_into().ok()?));
        let text = head.get(40..)?;
        let (scene_hash, version) = text.split_at_checked(usize::try_from(number(32)?).ok()?)?;
        Some(Self {
            identity: CheckpointIdentity {
                scene_hash: String::from_utf8(scene_hash.to_vec()).ok()?,
                version: String::from_utf8(version.to_vec()).ok()?,
            },
            step: number(0)?,
            time: f64::from_bits(number(8)?),
            frames: u32::try_from(number(16)?).ok()?,
            wall_seconds: f64::from_bits(number(24)?),
            sections,
        })
    }

    fn check_identity(&self, path: &Path, expected: &CheckpointIdentity) -> Result<()> {
        let path = path.to_path_buf();
        if self.identity.scene_hash != expected.scene_hash {
            let (found, expected) = (self.identity.scene_hash.clone(), expected.scene_hash.clone());
            return Err(OutputError::OtherScene { path, found, expected });
        }
        if self.identity.version != expected.version {
            let (found, expected) = (self.identity.version.clone(), expected.version.clone());
            return Err(OutputError::OtherVersion { path, found, expected });
        }
        Ok(())
    }
}

fn open_slot(path: &Path) -> Result<Option<ContainerReader<BufReader<File>>>> {
    match open_input(path) {
        Ok(file) => ContainerReader::open(BufReader::new(file), path, MAGIC, VERSION).map(Some),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(OutputError::reading(path, e)),
    }
}

/// The slot to overwrite: one that is missing or has a damaged head, else the one with the smaller step.
fn older_slot(folder: &Path) -> usize {
    let step = |slot: &str| {
        let head = open_slot(&folder.join(slot)).ok()??.read(HEAD, &MAX_HEAD).ok()?;
        Checkpoint::from_head(&head, Sections::new()).map(|c| c.step)
    };
    let steps = SLOTS.map(step);
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
        CheckpointIdentity { scene_hash: "abc".into(), version: "0.1.0".into() }
    }

    fn checkpoint(step: u64) -> Checkpoint {
        let mut sections = Sections::new();
        sections.put_f64s("positions", &[step as f64, 0.1, -0.0]);
        sections.put_str("method", "newton");
        let (time, frames) = (step as f64 / 24.0, step as u32 / 2);
        Checkpoint { identity: identity(), step, time, frames, wall_seconds: 0.5, sections }
    }

    #[test]
    fn the_newest_of_two_slots_is_read() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Checkpoint::read_latest(folder.path(), &identity()).unwrap(), None);
        for step in 1..=5 {
            checkpoint(step).write(folder.path()).unwrap();
            let latest = Checkpoint::read_latest(folder.path(), &identity()).unwrap();
            assert_eq!(latest, Some(checkpoint(step)));
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
    }

    #[test]
    fn another_scene_or_version_is_refused_in_words() {
        let folder = tempfile::tempdir().unwrap();
        checkpoint(1).write(folder.path()).unwrap();
        let other_scene = CheckpointIdentity { scene_hash: "xyz".into(), ..identity() };
        let error = Checkpoint::read_latest(folder.path(), &other_scene).unwrap_err();
        assert!(
            matches!(&error, OutputError::OtherScene { .. }) && error.to_string().contains("xyz"),
            "{error}"
        );
        let other_version = CheckpointIdentity { version: "0.2.0".into(), ..identity() };
        let error = Checkpoint::read_latest(folder.path(), &other_version).unwrap_err();
        assert!(matches!(&error, OutputError::OtherVersion { .. }) && error.to_string().contains("0.2.0"));
    }

    #[test]
    fn two_damaged_slots_are_an_error_not_a_fresh_start() {
        let folder = tempfile::tempdir().unwrap();
        SLOTS.iter().for_each(|slot| fs::write(folder.path().join(slot), b"rubbish").unwrap());
        let error = Checkpoint::read_latest(folder.path(), &identity()).unwrap_err();
        assert!(matches!(error, OutputError::CheckpointsDamaged { .. }), "{error}");
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
            let latest = Checkpoint::read_latest(folder.path(), &identity()).unwrap().unwrap();
            prop_assert_eq!(latest, checkpoint(2));
            checkpoint(4).write(folder.path()).unwrap();
            let latest = Checkpoint::read_latest(folder.path(), &identity()).unwrap().unwrap();
            prop_assert_eq!(latest.step, 4);
            prop_assert_eq!(Checkpoint::read(&folder.path().join(SLOTS[1])).unwrap().unwrap().step, 2);
        }
    }
}
