//! Checkpoints: `checkpoint/a.bin` and `b.bin`, written in turn.
//!
//! The slot that does not hold the newest checkpoint is overwritten, by temporary name, sync and rename.
//! So at any moment at least one whole checkpoint exists, and damage to the newest costs one interval.

use crate::container::{Codec, ContainerReader, ContainerWriter, Filter};
use crate::error::{OutputError, Result};
use crate::files::{Durability, create_folder, write_atomic_with};
use crate::sections::Sections;
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

const MAGIC: [u8; 8] = *b"STCHECK\0";
const VERSION: u32 = 1;
const SLOTS: [&str; 2] = ["a.bin", "b.bin"];
const HEAD: &str = "head";
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
            return damage.map_or(Ok(None), Err);
        };
        newest.check_identity(&path, expected)?;
        Ok(Some(newest))
    }

    /// Reads one slot; `None` when it does not exist.
    fn read(path: &Path) -> Result<Option<Self>> {
        let file = match File::open(path) {
            Ok(file) => BufReader::new(file),
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(OutputError::reading(path, e)),
        };
        let mut reader = ContainerReader::open(file, path, MAGIC, VERSION)?;
        let mut sections = Sections::new();
        let names: Vec<String> = reader.names().map(String::from).collect();
        for name in &names {
            if let Some(section) = name.strip_prefix(PREFIX) {
                sections.put_bytes(section, reader.read(name)?);
            }
        }
        let head = reader.read(HEAD)?;
        Self::from_head(&head, sections)
            .map(Some)
            .ok_or_else(|| OutputError::corrupt(path, "its head is incomplete"))
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

/// The slot to overwrite: one that is missing or damaged, else the one with the smaller step.
fn older_slot(folder: &Path) -> usize {
    let step = |slot: &str| Checkpoint::read(&folder.join(slot)).ok().flatten().map(|c| c.step);
    let steps = SLOTS.map(step);
    usize::from(steps[1] < steps[0])
}
