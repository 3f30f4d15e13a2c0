//! Reductions that give the same bits for any number of threads.
//!
//! The range splits into chunks of fixed size; chunk results combine along a binary tree whose
//! shape depends on the number of chunks only. Threads decide who computes a branch, never what is
//! added to what.

use crate::types::Vec3;
use std::ops::Range;

/// Items per leaf of the reduction tree.
const CHUNK: usize = 2048;
/// Branches with fewer chunks than this run on one thread: a fork costs about as much as two
/// chunks.
const MIN_PARALLEL_CHUNKS: usize = 8;

/// Sum of a slice.
pub fn ordered_sum(values: &[f64]) -> f64 {
    ordered_reduce(values.len(), &|r| values[r].iter().sum(), &|a, b| a + b)
}

/// Sum of `value(i)` over 0..count.
pub fn ordered_sum_by(count: usize, value: impl Fn(usize) -> f64 + Sync) -> f64 {
    ordered_reduce(count, &|r| r.map(&value).sum(), &|a, b| a + b)
}

/// Scalar product of two vectors of blocks. Panics when their lengths differ.
pub fn ordered_dot(a: &[Vec3], b: &[Vec3]) -> f64 {
    assert_eq!(a.len(), b.len(), "ordered_dot needs vectors of one length");
    let leaf = |r: Range<usize>| {
        // One accumulator per component: three independent chains of additions instead of one.
        let sum = a[r.clone()].iter().zip(&b[r]).fold(Vec3::zeros(), |s, (x, y)| s + x.component_mul(y));
        sum.x + sum.y + sum.z
    };
    ordered_reduce(a.len(), &leaf, &|a, b| a + b)
}

/// Largest element; −∞ for an empty slice, NaN if any element is NaN (a diverged residual must
/// show).
pub fn ordered_max(values: &[f64]) -> f64 {
    ordered_max_by(values.len(), |i| values[i])
}

/// Largest `value(i)` over 0..count; −∞ for an empty range, NaN if any value is NaN.
pub fn ordered_max_by(count: usize, value: impl Fn(usize) -> f64 + Sync) -> f64 {
    if count == 0 {
        return f64::NEG_INFINITY;
    }
    let larger = |a: f64, b: f64| if a >= b || a.is_nan() { a } else { b };
    ordered_reduce(count, &|r| r.map(&value).fold(f64::NEG_INFINITY, larger), &larger)
}

/// Combines `leaf(chunk)` over the chunks of 0..count along the fixed tree; `leaf(0..0)` when count
/// is 0.
pub fn ordered_reduce<T: Send>(
    count: usize,
    leaf: &(impl Fn(Range<usize>) -> T + Sync),
    combine: &(impl Fn(T, T) -> T + Sync),
) -> T {
    branch(0..count.div_ceil(CHUNK).max(1), count, leaf, combine)
}

fn branch<T: Send>(
    chunks: Range<usize>,
    count: usize,
    leaf: &(impl Fn(Range<usize>) -> T + Sync),
    combine: &(impl Fn(T, T) -> T + Sync),
) -> T {
    if chunks.len() == 1 {
        return leaf(chunks.start * CHUNK..(chunks.end * CHUNK).min(count));
    }
    let middle = chunks.start + chunks.len() / 2;
    let left = || branch(chunks.start..middle, count, leaf, combine);
    let right = || branch(middle..chunks.end, count, leaf, combine);
    let (a, b) =
        if chunks.len() >= MIN_PARALLEL_CHUNKS { rayon::join(left, right) } else { (left(), right()) };
    combine(a, b)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn same_bits_for_any_thread_count() {
        let mut random = Random::new(1);
        for count in [0, 1, 5, CHUNK, CHUNK + 1, 40 * CHUNK + 17] {
            let a: Vec<Vec3> = (0..count).map(|_| random.vector(-1.0, 1.0)).collect();
            let x: Vec<f64> = a.iter().map(|v| v.x).collect();
            let bits = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                pool.install(|| [ordered_dot(&a, &a), ordered_sum(&x), ordered_max(&x)].map(f64::to_bits))
            };
            assert_eq!(bits(1), bits(2));
            assert_eq!(bits(1), bits(7));
        }
    }

    #[test]
    fn values_are_right() {
        let x: Vec<f64> = (0..100_000).map(|i| i as f64).collect();
        assert_eq!(ordered_sum(&x), 4_999_950_000.0);
        assert_eq!(ordered_sum_by(1000, |i| i as f64), 499_500.0);
        assert_eq!(ordered_max(&x), 99_999.0);
        assert_eq!(ordered_max(&[]), f64::NEG_INFINITY);
        assert_eq!(ordered_sum(&[]), 0.0);
        let mut y = x;
        y[70_000] = f64::NAN;
        assert!(ordered_max(&y).is_nan());
    }
}
