//! Impulses carried from step to step by the identity of a contact.

use stiction_numerics::Vec3;

/// What a step remembers of its contacts: impulses \[N·s\] by key.
///
/// Kept in N·s, not in the scaled form of the sweep, so that a change of the weights needs no further thought:
/// `r̄_new = r s_new = r̄_old s_new/s_old`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImpulseMemory {
    /// Sorted by key.
    entries: Vec<(u64, Vec3)>,
}

impl ImpulseMemory {
    /// From pairs (key, impulse) in any order; of equal keys the first is kept.
    pub fn new(mut entries: Vec<(u64, Vec3)>) -> Self {
        // Contacts come as a few sorted runs, which the sort finds and merges.
        entries.sort_by_key(|entry| entry.0);
        entries.dedup_by_key(|entry| entry.0);
        Self { entries }
    }

    /// The impulse of a contact \[N·s\], if it existed.
    pub fn get(&self, key: u64) -> Option<Vec3> {
        self.entries.binary_search_by_key(&key, |entry| entry.0).ok().map(|at| self.entries[at].1)
    }

    /// Pairs (key, impulse), sorted by key: what a checkpoint stores.
    pub fn entries(&self) -> &[(u64, Vec3)] {
        &self.entries
    }
}
