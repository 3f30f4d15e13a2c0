//! A pair that may touch within a step, and cheap ways to tell that it does not.

use rayon::prelude::*;
use stiction_collision::CollisionMesh;
use stiction_numerics::Vec3;

/// A pair of features, and the vector between their closest points at the start, from the second to
/// the first \[m\].
#[derive(Clone, Copy, Debug)]
pub(super) struct NearPair {
    pub features: [u32; 2],
    pub offset: Vec3,
    /// For each way to be settled: it lasts while the ends of both features together have wandered
    /// less far than this \[m\].
    until: [f32; 3],
}

/// Why a pair needs no new contact.
#[derive(Clone, Copy)]
pub(super) enum Settled {
    /// It stays apart.
    Free = 0,
    /// The contact that it has from the start holds it.
    Held = 1,
    /// It has a contact, and nothing of it passes through.
    Open = 2,
}

/// A length in half the memory, rounded down: long lists of pairs are read over and over.
fn rounded_down(length: f64) -> f32 {
    (length * (1.0 - 1e-7)) as f32
}

/// How far the ends of two features have wandered within a step, the least far corner of each,
/// together \[m\].
#[derive(Clone, Copy)]
pub(super) struct Wandered(pub f64);

impl Wandered {
    /// What the farthest corners have to come to together before something that is a length away
    /// can happen: no corner can have moved by more than what the farthest one has wandered then
    /// beyond what the least far one has now.
    pub fn until(self, length: f64) -> f64 {
        self.0 + length
    }
}

/// How far the farthest corner of each feature has wandered within a step \[m\]: looked up for many
/// pairs each.
pub(super) struct Farthest<'a> {
    pub vertices: &'a [f64],
    pub edges: Vec<f64>,
    pub triangles: Vec<f64>,
}

impl<'a> Farthest<'a> {
    /// From the ways of the vertices.
    pub fn new(mesh: &CollisionMesh, vertices: &'a [f64]) -> Farthest<'a> {
        let of = |corners: &[u32]| corners.iter().map(|&v| vertices[v as usize]).fold(0.0, f64::max);
        let edges = mesh.edges().par_iter().with_min_len(PER_TASK).map(|e| of(e)).collect();
        let triangles = mesh.triangles().par_iter().with_min_len(PER_TASK).map(|t| of(t)).collect();
        Farthest { vertices, edges, triangles }
    }
}

impl NearPair {
    /// A pair that was not asked yet.
    pub fn new(features: [u32; 2], offset: Vec3) -> NearPair {
        NearPair { features, offset, until: [0.0; 3] }
    }

    /// Books that the pair is settled until both features have wandered by a length, or that it is
    /// not.
    pub fn settle(&mut self, how: Settled, wandered: Wandered, length: Option<f64>) {
        self.until[how as usize] = rounded_down(wandered.until(length.unwrap_or(0.0)));
    }

    /// Whether it is settled still, when the farthest corners of both features have wandered so far
    /// together \[m\].
    #[inline]
    pub fn is_settled(&self, how: Settled, most: f64) -> bool {
        most < f64::from(self.until[how as usize])
    }

    /// Another one stands for it from now on.
    fn retire(&mut self) {
        self.until[Settled::Free as usize] = f32::INFINITY;
    }

    /// Whether another one stands for it.
    pub fn is_retired(&self) -> bool {
        self.until[Settled::Free as usize] == f32::INFINITY
    }

    /// By how much the slab between the two features across `offset` stays wider than `floor` up to
    /// the given ends of the first and the second feature \[m\]. If it does, the pair is apart by
    /// more than `floor` on the whole straight way, because the width along a fixed axis is a
    /// concave function of time; and so it is for all other ends that are together nearer than
    /// this. `None` says nothing.
    #[inline]
    pub fn clearance(&self, ends: &[Vec3], first: &[u32], second: &[u32], floor: f64) -> Option<f64> {
        let distance = self.offset.norm();
        let apart = distance > floor;
        positive(apart.then(|| width(ends, first, second, &(self.offset / distance)) - floor)?)
    }

    /// The same across an axis that turns from the direction m at the start to the direction n at
    /// the end, where the vector between the closest points is `offset_at_end` \[m\]: two features
    /// that turn together stay apart across it.
    ///
    /// Along a(t) = (1−t) m + t n, |a| ≤ 1, two corners are apart by a·D with D(t) = (1−t) D₀ + t
    /// D₁, a quadratic whose Bernstein coefficients are m·D₀, (m·D₁ + n·D₀)/2 and n·D₁: it stays
    /// above the least of them. Other ends change D₁, and by as much the last coefficient, by half
    /// as much the middle one.   D difference of corners
    #[inline]
    pub fn turned_clearance(
        &self,
        [starts, ends]: [&[Vec3]; 2],
        first: &[u32],
        second: &[u32],
        (offset_at_end, floor): (Vec3, f64),
    ) -> Option<f64> {
        let (m, n) = (self.offset.normalize(), offset_at_end.normalize());
        let beyond = |width: f64| positive(width - floor);
        beyond(slab(|v| m.dot(&starts[v]), first, second, starts))?;
        let between = |v: usize| 0.5 * (m.dot(&ends[v]) + n.dot(&starts[v]));
        let middle = beyond(slab(between, first, second, ends))?;
        let last = beyond(slab(|v| n.dot(&ends[v]), first, second, ends))?;
        Some(last.min(2.0 * middle))
    }
}

fn positive(length: f64) -> Option<f64> {
    (length > 0.0).then_some(length)
}

/// Width of the slab between two features across a unit axis, less what rounding can be \[m\].
#[inline]
fn width(places: &[Vec3], first: &[u32], second: &[u32], axis: &Vec3) -> f64 {
    slab(|v| axis.dot(&places[v]), first, second, places)
}

/// By how much `along` is larger at all corners of the first feature than at those of the second,
/// less what rounding can be of products with places of this size \[m\].
#[inline]
fn slab(along: impl Fn(usize) -> f64, first: &[u32], second: &[u32], places: &[Vec3]) -> f64 {
    let lowest = first.iter().map(|&v| along(v as usize)).fold(f64::INFINITY, f64::min);
    let highest = second.iter().map(|&v| along(v as usize)).fold(f64::NEG_INFINITY, f64::max);
    let width = lowest - highest;
    width - 1e-12 * (places[first[0] as usize].amax() + width.abs())
}

fn widen((low, high): (f64, f64), x: f64) -> (f64, f64) {
    (low.min(x), high.max(x))
}

/// The distance at which continuous detection stops a pair that starts at `distance` \[m\], keeping
/// a share of its gap.
pub(super) fn floor(distance: f64, thickness: f64, slack: f64) -> f64 {
    thickness + slack * (distance - thickness).max(0.0)
}

/// By how much one of two features stays above the other by more than `distance` along a coordinate
/// at the end of the way, if it does so at the start \[m\]; it does so all along then.
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

/// New pairs stand for changed ones from now on. They come last, and the others stay where they
/// are: the lists are long, and to move them costs more than to look at them.
pub(super) fn replace(
    pairs: &mut Vec<NearPair>,
    new: Vec<NearPair>,
    changed: impl Fn([u32; 2]) -> bool + Sync,
) {
    let old = pairs.par_iter_mut().with_min_len(PER_TASK).filter(|pair| changed(pair.features));
    old.for_each(NearPair::retire);
    pairs.extend(new);
}

/// Puts the entries of a sorted list among those of another, which have other keys: from the back,
/// so that nothing is overwritten.
pub(super) fn merge<T: Copy, K: Ord>(into: &mut Vec<T>, new: Vec<T>, key: impl Fn(&T) -> K) {
    let mut old = into.len();
    into.extend_from_slice(&new);
    let mut place = into.len();
    for entry in new.iter().rev() {
        while old > 0 && key(&into[old - 1]) > key(entry) {
            (old, place) = (old - 1, place - 1);
            into[place] = into[old];
        }
        place -= 1;
        into[place] = *entry;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two crossed edges, one above the other, turn together: the slab across their first distance
    /// closes, the one that turns with them does not.
    #[test]
    fn edges_that_turn_together_stay_apart() {
        let start = [Vec3::x(), -Vec3::x(), Vec3::y(), -Vec3::y()];
        let start: Vec<Vec3> =
            start.iter().zip([0.2, 0.2, 0.0, 0.0]).map(|(p, z)| p + Vec3::z() * z).collect();
        let (sin, cos) = 0.2f64.sin_cos();
        let turn = |p: &Vec3| Vec3::new(cos * p.x + sin * p.z, p.y, cos * p.z - sin * p.x);
        let end: Vec<Vec3> = start.iter().map(turn).collect();
        let near = NearPair::new([0, 1], Vec3::z() * 0.2);
        let (first, second) = (&[0, 1][..], &[2, 3][..]);
        assert_eq!(near.clearance(&end, first, second, 0.05), None);
        let turned = |floor: f64| {
            let at_end = Vec3::new(sin, 0.0, cos) * 0.2;
            near.turned_clearance([&start, &end], first, second, (at_end, floor))
        };
        // As far apart at the end as at the start, and by the cosine less between.
        assert!((turned(0.05).expect("apart") - 0.15).abs() < 1e-9);
        assert!((turned(0.195).expect("apart") - 2.0 * (0.2 * cos - 0.195)).abs() < 1e-9);
        assert_eq!(turned(0.2 * cos + 1e-6), None);
    }

    fn pair(number: u32) -> NearPair {
        NearPair::new([number / 3, number % 3], Vec3::zeros())
    }

    #[test]
    fn changed_pairs_give_way_to_new_ones() {
        let numbers = |pairs: &[NearPair]| -> Vec<u32> {
            let left = pairs.iter().filter(|pair| !pair.is_retired());
            left.map(|pair| 3 * pair.features[0] + pair.features[1]).collect()
        };
        for (every, new) in
            [(2, vec![0, 4, 5, 29_999, 30_001]), (7, vec![]), (1, vec![3]), (40_000, vec![1, 2])]
        {
            // Odd numbers, over several tasks.
            let mut pairs: Vec<NearPair> = (0..30_000).filter(|n| n % 2 == 1).map(pair).collect();
            let is_changed = |n: u32| (n / 2).is_multiple_of(every) || new.contains(&n);
            let old = numbers(&pairs).into_iter().filter(|&n| !is_changed(n));
            let expected: Vec<u32> = old.chain(new.iter().copied()).collect();
            replace(&mut pairs, new.iter().map(|&n| pair(n)).collect(), |[a, b]| is_changed(3 * a + b));
            assert_eq!(numbers(&pairs), expected);
        }
    }
}
