//! Impulses carried from step to step by the identity of a contact.

use rayon::prelude::*;
use stiction_numerics::Vec3;

/// Keys that one task looks for.
const PER_TASK: usize = 2048;

/// What a step remembers of its contacts: impulses \[N·s\] by key.
///
/// Kept in N·s, not in the scaled form of the sweep, so that a change of the weights needs no
/// further thought:
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

    /// The impulses of many contacts \[N·s\], zero for new ones. Keys that ascend are found near
    /// the one before.
    pub(crate) fn of_keys(&self, count: usize, key: impl Fn(usize) -> u64 + Sync) -> Vec<Vec3> {
        let mut out = vec![Vec3::zeros(); count];
        out.par_chunks_mut(PER_TASK).enumerate().for_each(|(number, part)| {
            let mut at = 0;
            for (k, impulse) in part.iter_mut().enumerate() {
                let key = key(number * PER_TASK + k);
                at = self.first_from(at, key);
                if let Some((_, found)) = self.entries.get(at).filter(|entry| entry.0 == key) {
                    *impulse = *found;
                }
            }
        });
        out
    }

    /// The first entry whose key is not smaller, looked for from a place on in growing strides.
    fn first_from(&self, place: usize, key: u64) -> usize {
        let smaller = |entry: &(u64, Vec3)| entry.0 < key;
        if !self.entries.get(place).is_some_and(smaller) {
            let before = place.checked_sub(1).and_then(|last| self.entries.get(last));
            return match before.is_none_or(smaller) && place < self.entries.len() {
                true => place,
                false => self.entries.partition_point(smaller),
            };
        }
        let (mut low, mut stride) = (place, 1);
        while self.entries.get(low + stride).is_some_and(smaller) {
            (low, stride) = (low + stride, 2 * stride);
        }
        let high = (low + stride).min(self.entries.len());
        low + self.entries[low..high].partition_point(smaller)
    }

    /// Pairs (key, impulse), sorted by key: what a checkpoint stores.
    pub fn entries(&self) -> &[(u64, Vec3)] {
        &self.entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_numerics::Random;

    #[test]
    fn many_keys_at_once_find_what_single_ones_do() {
        let mut random = Random::new(5);
        for round in 0..20 {
            let mut key = || random.below(4000) as u64;
            let entries = (0..200 * round).map(|k| (key(), Vec3::x() * f64::from(k))).collect();
            let memory = ImpulseMemory::new(entries);
            // Runs that ascend, and jumps back between them.
            let mut keys: Vec<u64> = (0..5000).map(|_| key()).collect();
            keys.chunks_mut(700).for_each(<[u64]>::sort_unstable);
            let found = memory.of_keys(keys.len(), |k| keys[k]);
            let single = keys.iter().map(|&key| memory.get(key).unwrap_or_else(Vec3::zeros));
            assert!(single.eq(found));
        }
    }
}
