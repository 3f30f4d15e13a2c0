//! What a solver keeps between steps, as named arrays of exact numbers.

use std::collections::BTreeMap;
use stiction_contact::ImpulseMemory;
use stiction_numerics::Vec3;

/// Versioned, named arrays: the memory of a solver.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SavedState {
    /// Version of the layout; raised when the meaning of an array changes.
    pub version: u32,
    /// Arrays of numbers, exact to the bit.
    pub numbers: BTreeMap<String, Vec<f64>>,
    /// Arrays of keys and indices.
    pub keys: BTreeMap<String, Vec<u64>>,
}

/// Why a saved state cannot be taken back.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RestoreError {
    /// Made by another version.
    #[error(
        "the saved solver state has version {found}, this program writes version {expected}: start the run again"
    )]
    Version {
        /// Version found.
        found: u32,
        /// Version of this program.
        expected: u32,
    },
    /// An array is missing or of the wrong length.
    #[error("the saved solver state lacks `{name}` or has it with a wrong length: start the run again")]
    Array {
        /// Name of the array.
        name: String,
    },
}

impl SavedState {
    /// An empty state of a version.
    pub fn new(version: u32) -> SavedState {
        SavedState { version, ..SavedState::default() }
    }

    /// Fails unless the version is the expected one.
    pub fn expect_version(&self, expected: u32) -> Result<(), RestoreError> {
        match self.version == expected {
            true => Ok(()),
            false => Err(RestoreError::Version { found: self.version, expected }),
        }
    }

    /// An array of numbers by name.
    pub fn numbers(&self, name: &str) -> Result<&[f64], RestoreError> {
        self.numbers.get(name).map(Vec::as_slice).ok_or_else(|| RestoreError::Array { name: name.to_owned() })
    }

    /// Adds 3-vectors.
    pub fn put_vectors(&mut self, name: &str, vectors: &[Vec3]) {
        self.numbers.insert(name.to_owned(), vectors.iter().flat_map(|v| [v.x, v.y, v.z]).collect());
    }

    /// 3-vectors by name, as many as expected.
    pub fn vectors(&self, name: &str, expected: usize) -> Result<Vec<Vec3>, RestoreError> {
        let flat = self.numbers(name)?;
        match flat.len() == 3 * expected {
            true => Ok(flat.chunks_exact(3).map(Vec3::from_column_slice).collect()),
            false => Err(RestoreError::Array { name: name.to_owned() }),
        }
    }

    /// Adds the contact impulses of the last step.
    pub fn put_impulses(&mut self, memory: &ImpulseMemory) {
        let (keys, impulses): (Vec<u64>, Vec<Vec3>) = memory.entries().iter().copied().unzip();
        self.put_vectors("impulses", &impulses);
        self.keys.insert("contacts".to_owned(), keys);
    }

    /// The contact impulses that [`SavedState::put_impulses`] added.
    pub fn impulses(&self) -> Result<ImpulseMemory, RestoreError> {
        let keys = self.keys("contacts")?;
        let impulses = self.vectors("impulses", keys.len())?;
        Ok(ImpulseMemory::new(keys.iter().copied().zip(impulses).collect()))
    }

    /// An array of keys by name.
    pub fn keys(&self, name: &str) -> Result<&[u64], RestoreError> {
        self.keys.get(name).map(Vec::as_slice).ok_or_else(|| RestoreError::Array { name: name.to_owned() })
    }
}
