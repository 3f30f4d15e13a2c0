//! Pairs found by many tasks, in one sorted list.

use rayon::prelude::*;

/// A pair of features by their numbers, in eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PackedPair([u32; 2]);

impl PackedPair {
    /// A pair by its features.
    #[inline]
    pub fn new(pair: [u32; 2]) -> PackedPair {
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

/// Entries from which on a list is put together by several tasks.
const LONG: usize = 8192;

/// Tasks that do so; each looks through all parts and takes what falls into its range.
const RANGES: usize = 4;

/// Parts that one task counts at least.
const PARTS: usize = 64;

/// A range of buckets on its way into the list.
struct Range<'a, T> {
    /// Where its entries go.
    slots: &'a mut [T],
    /// Number of its first bucket.
    first: usize,
    /// Where each of its buckets begins, and the end of the last.
    begins: Vec<usize>,
}

/// All parts in one list, sorted by their pairs, which are unique by ownership: the order is total.
/// One scatter by the first number makes buckets that fit in the cache; sorting those costs half of
/// sorting the whole. The list keeps its memory, since fresh memory costs as much as the scatter.
pub(super) fn sort_into<T: Copy + Send + Sync>(
    all: &mut Vec<T>,
    parts: &[Vec<T>],
    pair: impl Fn(&T) -> PackedPair + Sync,
) {
    all.clear();
    let Some(&any) = parts.iter().flatten().next() else { return };
    let total: usize = parts.iter().map(Vec::len).sum();
    all.resize(total, any);
    let first_of = |entry: &T| pair(entry).features()[0];
    let each_part = || parts.par_iter().with_min_len(PARTS);
    let largest = each_part().filter_map(|part| part.iter().map(first_of).max()).max().unwrap_or(0);
    let wanted = (total / 512).clamp(1, 1 << 14);
    // A power of two per bucket: a shift instead of a division.
    let shift = (largest as usize / wanted + 1).next_power_of_two().trailing_zeros();
    let buckets = (largest as usize >> shift) + 1;
    let bucket_of = |entry: &T| first_of(entry) as usize >> shift;
    let count = |mut counts: Vec<usize>, part: &Vec<T>| {
        part.iter().for_each(|entry| counts[bucket_of(entry)] += 1);
        counts
    };
    let add = |mut a: Vec<usize>, b: Vec<usize>| {
        a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
        a
    };
    let counts = each_part().fold(|| vec![0; buckets], count).reduce(|| vec![0; buckets], add);
    let ranges = if total < LONG { 1 } else { RANGES };
    cut(all, &counts, ranges).into_par_iter().for_each(|mut range| {
        range.fill(parts, bucket_of);
        range.sort(&pair);
    });
}

/// Cuts the slots of all buckets into ranges of about equal length.
fn cut<'a, T>(mut slots: &'a mut [T], counts: &[usize], ranges: usize) -> Vec<Range<'a, T>> {
    let (total, mut first, mut done) = (slots.len(), 0, 0);
    let mut out = Vec::with_capacity(ranges);
    for number in 1..=ranges {
        let mut begins = vec![0];
        let mut length = 0;
        while first + begins.len() <= counts.len() && done + length < total * number / ranges {
            length += counts[first + begins.len() - 1];
            begins.push(length);
        }
        let (own, rest) = slots.split_at_mut(length);
        let next = first + begins.len() - 1;
        out.push(Range { slots: own, first, begins });
        (slots, first, done) = (rest, next, done + length);
    }
    out
}

impl<T: Copy> Range<'_, T> {
    /// Takes the entries of its buckets.
    fn fill(&mut self, parts: &[Vec<T>], bucket_of: impl Fn(&T) -> usize) {
        let mut places = self.begins.clone();
        let buckets = places.len() - 1;
        for entry in parts.iter().flatten() {
            let bucket = bucket_of(entry).wrapping_sub(self.first);
            if bucket < buckets {
                self.slots[places[bucket]] = *entry;
                places[bucket] += 1;
            }
        }
    }

    /// Sorts bucket by bucket.
    fn sort(&mut self, pair: impl Fn(&T) -> PackedPair) {
        for bounds in self.begins.windows(2) {
            self.slots[bounds[0]..bounds[1]].sort_unstable_by_key(&pair);
        }
    }
}

/// Pairs of all parts, sorted.
pub(super) fn sorted_pairs(parts: &[Vec<PackedPair>]) -> Vec<[u32; 2]> {
    let mut all = Vec::new();
    sort_into(&mut all, parts, |pair| *pair);
    // In place: a pair of numbers is what it is made of.
    all.into_iter().map(PackedPair::features).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_numerics::Random;

    #[test]
    fn parts_of_any_shape_become_one_sorted_list() {
        let mut random = Random::new(3);
        let mut all = Vec::new();
        for (count, numbers) in [(0, 1), (5, 9), (3000, 4), (30_000, 5_000), (30_000, 1), (20_000, 100_000)] {
            // Unique by the second number; many first ones are missing or crowded.
            let pair = |k: usize, random: &mut Random| {
                let crowded = random.below(numbers) * random.below(2);
                PackedPair::new([crowded as u32, k as u32])
            };
            let pairs: Vec<PackedPair> = (0..count).map(|k| pair(k, &mut random)).collect();
            let mut parts: Vec<Vec<PackedPair>> = pairs.chunks(97).map(<[_]>::to_vec).collect();
            parts.insert(parts.len() / 2, Vec::new());
            parts.reverse();
            sort_into(&mut all, &parts, |pair| *pair);
            let mut expected = pairs;
            expected.sort_unstable();
            assert_eq!(all, expected);
        }
    }
}
