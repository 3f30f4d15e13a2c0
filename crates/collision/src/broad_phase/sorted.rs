//! Pairs found by many tasks, in one sorted list.

use rayon::prelude::*;

/// A pair of features by their numbers, in eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedPair([u32; 2]);

impl PackedPair {
    #[inline]
    pub(super) fn new(pair: [u32; 2]) -> PackedPair {
        PackedPair(pair)
    }

    /// Vertex and triangle, or two edges, smaller number first.
    #[inline]
    pub fn features(self) -> [u32; 2] {
        self.0
    }

    /// One number to compare instead of two.
    #[inline]
    fn key(self) -> u64 {
        u64::from(self.0[0]) << 32 | u64::from(self.0[1])
    }
}

impl Ord for PackedPair {
    #[inline]
    fn cmp(&self, other: &PackedPair) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for PackedPair {
    #[inline]
    fn partial_cmp(&self, other: &PackedPair) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// All parts in one list, sorted by their pairs, which are unique by ownership: the order is total. One scatter by the
/// first number makes buckets that fit in the cache; sorting those costs half of sorting the whole.
pub(super) fn sorted<T: Copy + Send + Sync>(
    parts: &[Vec<T>],
    pair: impl Fn(&T) -> PackedPair + Sync,
) -> Vec<T> {
    let each = || parts.iter().flatten();
    let Some(&any) = each().next() else { return Vec::new() };
    let total: usize = parts.iter().map(Vec::len).sum();
    let first_of = |entry: &T| pair(entry).features()[0] as usize;
    let largest = each().map(first_of).max().unwrap_or(0);
    let buckets = (total / 512).clamp(1, 1 << 14);
    let width = largest / buckets + 1;
    let bucket_of = |entry: &T| first_of(entry) / width;
    let mut ends = vec![0usize; buckets];
    each().for_each(|entry| ends[bucket_of(entry)] += 1);
    let mut begin = 0;
    for end in &mut ends {
        begin += std::mem::replace(end, begin);
    }
    let mut all = vec![any; total];
    for &entry in each() {
        let slot = &mut ends[bucket_of(&entry)];
        all[*slot] = entry;
        *slot += 1;
    }
    let mut rest = all.as_mut_slice();
    let mut slices = Vec::with_capacity(buckets);
    let mut begin = 0;
    for end in ends {
        let (bucket, tail) = rest.split_at_mut(end - begin);
        slices.push(bucket);
        (rest, begin) = (tail, end);
    }
    slices.into_par_iter().with_min_len(16).for_each(|bucket| bucket.sort_unstable_by_key(&pair));
    all
}

/// Pairs of all parts, sorted.
pub(super) fn sorted_pairs(parts: &[Vec<PackedPair>]) -> Vec<[u32; 2]> {
    // In place: a pair of numbers is what it is made of.
    sorted(parts, |pair| *pair).into_iter().map(PackedPair::features).collect()
}
