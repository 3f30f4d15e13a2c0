//! Pairs found by many tasks, in one sorted list.

use rayon::prelude::*;

#[inline]
pub(super) fn pack(pair: [u32; 2]) -> u64 {
    u64::from(pair[0]) << 32 | u64::from(pair[1])
}

/// All parts in one sorted list. Pairs are unique by ownership, so the order is total. One scatter by the
/// first number makes buckets that fit in the cache; sorting those costs half of sorting the whole.
pub(super) fn sorted(parts: Vec<Vec<u64>>) -> Vec<[u32; 2]> {
    let total: usize = parts.iter().map(Vec::len).sum();
    let largest = parts.iter().flatten().max().map_or(0, |key| key >> 32) as usize;
    let buckets = (total / 512).clamp(1, 1 << 14);
    let width = largest / buckets + 1;
    let bucket_of = |key: u64| (key >> 32) as usize / width;
    let mut ends = vec![0usize; buckets];
    parts.iter().flatten().for_each(|&key| ends[bucket_of(key)] += 1);
    let mut begin = 0;
    for end in &mut ends {
        begin += std::mem::replace(end, begin);
    }
    let mut all = vec![0u64; total];
    for &key in parts.iter().flatten() {
        let slot = &mut ends[bucket_of(key)];
        all[*slot] = key;
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
    slices.into_par_iter().with_min_len(16).for_each(|bucket| bucket.sort_unstable());
    all.into_iter().map(|key| [(key >> 32) as u32, key as u32]).collect()
}
