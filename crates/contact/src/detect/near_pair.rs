//! A pair that may touch within a step, and cheap ways to tell that it does not.

use rayon::prelude::*;
use stiction_numerics::Vec3;

/// A pair of features, and the vector between their closest points at the start, from the second to the first \[m\].
#[derive(Clone, Copy, Debug)]
pub(super) struct NearPair {
    pub features: [u32; 2],
    pub offset: Vec3,
    /// The pair stays free while the ends of both features together have wandered less far than this \[m\].
    pub free_until: f64,
}

impl NearPair {
    /// By how much the slab between the two features across `offset` stays wider than `floor` up to the given ends of the first and the
    /// second feature \[m\]. If it does, the pair is apart by more than `floor` on the whole straight way, because the width along a
    /// fixed axis is a concave function of time; and so it is for all other ends that are together nearer than this. `None` says nothing.
    #[inline]
    pub fn clearance(&self, ends: &[Vec3], first: &[u32], second: &[u32], floor: f64) -> Option<f64> {
        let distance = self.offset.norm();
        let apart = distance > floor;
        positive(apart.then(|| width(ends, first, second, &(self.offset / distance)) - floor)?)
    }

    /// The same across the mean of the directions at the start and at the end, where the vector between the closest points is `offset_at_end` \[m\]:
    /// two features that turn together stay apart across it.
    #[inline]
    pub fn turned_clearance(
        &self,
        [starts, ends]: [&[Vec3]; 2],
        first: &[u32],
        second: &[u32],
        (offset_at_end, floor): (Vec3, f64),
    ) -> Option<f64> {
        let axis = (self.offset.normalize() + offset_at_end.normalize()).normalize();
        let apart = width(starts, first, second, &axis) > floor;
        positive(apart.then(|| width(ends, first, second, &axis) - floor)?)
    }
}

fn positive(length: f64) -> Option<f64> {
    (length > 0.0).then_some(length)
}

/// Width of the slab between two features across a unit axis, less what rounding can be \[m\].
#[inline]
fn width(places: &[Vec3], first: &[u32], second: &[u32], axis: &Vec3) -> f64 {
    let along = |v: &u32| axis.dot(&places[*v as usize]);
    let lowest = first.iter().map(along).fold(f64::INFINITY, f64::min);
    let highest = second.iter().map(along).fold(f64::NEG_INFINITY, f64::max);
    let width = lowest - highest;
    width - 1e-12 * (places[first[0] as usize].amax() + width.abs())
}

fn widen((low, high): (f64, f64), x: f64) -> (f64, f64) {
    (low.min(x), high.max(x))
}

/// The distance at which continuous detection stops a pair that starts at `distance` \[m\], keeping a share of its gap.
pub(super) fn floor(distance: f64, thickness: f64, slack: f64) -> f64 {
    thickness + slack * (distance - thickness).max(0.0)
}

/// By how much one of two features stays above the other by more than `distance` along a coordinate at the end of the way, if it does so at the start
/// \[m\]; it does so all along then.
pub(super) fn passing_clearance(
    [starts, ends]: [&[Vec3]; 2],
    first: &[u32],
    second: &[u32],
    distance: f64,
) -> Option<f64> {
    let bounds = |x: &[Vec3], vertices: &[u32], k: usize| {
        vertices.iter().map(|&v| x[v as usize][k]).fold((f64::INFINITY, f64::NEG_INFINITY), widen)
    };
    // How far the first is above the second, and below it.
    let sides = |x: &[Vec3], k: usize| {
        let (a, b) = (bounds(x, first, k), bounds(x, second, k));
        [a.0 - b.1, b.0 - a.1]
    };
    let along = |k: usize| {
        let (before, after) = (sides(starts, k), sides(ends, k));
        let side = |s: usize| if before[s] > distance { after[s] - distance } else { f64::NEG_INFINITY };
        side(0).max(side(1))
    };
    positive(along(0).max(along(1)).max(along(2)))
}

/// Whether a pair is within a gap beyond its thickness, and a hair more: the narrow phase decides.
pub(super) fn is_within(distance: f64, thickness: f64, gap: f64) -> bool {
    distance <= (thickness + gap) * (1.0 + 1e-9)
}

/// Pairs per task.
const PER_TASK: usize = 4096;

/// Puts new pairs in the place of changed ones; both lists are sorted.
pub(super) fn replace(
    pairs: &mut Vec<NearPair>,
    new: Vec<NearPair>,
    changed: impl Fn([u32; 2]) -> bool + Sync,
) {
    let stays = |pair: &&NearPair| !changed(pair.features);
    let kept = pairs.par_iter().with_min_len(PER_TASK).filter(stays).copied().collect();
    *pairs = kept;
    merge(pairs, new, |pair| pair.features);
}

/// Puts the entries of a sorted list among those of another, which have other keys.
pub(super) fn merge<T: Copy, K: Ord>(into: &mut Vec<T>, new: Vec<T>, key: impl Fn(&T) -> K) {
    if new.is_empty() {
        return;
    }
    let old = std::mem::take(into);
    into.reserve(old.len() + new.len());
    let mut new = new.into_iter().peekable();
    for entry in old {
        while let Some(first) = new.next_if(|n| key(n) < key(&entry)) {
            into.push(first);
        }
        into.push(entry);
    }
    into.extend(new);
}
