//! A pair that may touch within a step, and cheap ways to tell that it does not.

use stiction_numerics::Vec3;

/// A pair of features, and the vector between their closest points at the start, from the second to the first \[m\].
#[derive(Clone, Copy, Debug)]
pub(super) struct NearPair {
    pub features: [u32; 2],
    pub offset: Vec3,
}

impl NearPair {
    /// Whether the slab between the two features across `offset` stays wider than `floor` \[m\] up to the given ends of the first
    /// and the second feature: then the pair is apart on the whole straight way, because the width along a fixed axis is a
    /// concave function of time. False says nothing.
    #[inline]
    pub fn keeps_apart(&self, ends: &[Vec3], first: &[u32], second: &[u32], floor: f64) -> bool {
        let along = |v: &u32| self.offset.dot(&ends[*v as usize]);
        let lowest = first.iter().map(along).fold(f64::INFINITY, f64::min);
        let highest = second.iter().map(along).fold(f64::NEG_INFINITY, f64::max);
        let distance = self.offset.norm();
        // Rounding of the products, far above what it can be.
        let rounding = 1e-12 * distance * (ends[first[0] as usize].amax() + distance);
        distance > floor && lowest - highest > floor * distance + rounding
    }
}

fn widen((low, high): (f64, f64), x: f64) -> (f64, f64) {
    (low.min(x), high.max(x))
}

/// The distance at which continuous detection stops a pair that starts at `distance` \[m\], keeping a share of its gap.
pub(super) fn floor(distance: f64, thickness: f64, slack: f64) -> f64 {
    thickness + slack * (distance - thickness).max(0.0)
}

/// Whether one of two features stays above the other by more than `distance` \[m\] along a coordinate at both ends of the way, and so
/// all along it.
pub(super) fn passes_by(ends: [&[Vec3]; 2], first: &[u32], second: &[u32], distance: f64) -> bool {
    let bounds = |x: &[Vec3], vertices: &[u32], k: usize| {
        vertices.iter().map(|&v| x[v as usize][k]).fold((f64::INFINITY, f64::NEG_INFINITY), widen)
    };
    (0..3).any(|k| {
        let [a, b] = ends.map(|x| (bounds(x, first, k), bounds(x, second, k)));
        let above = |(first, second): ((f64, f64), (f64, f64))| first.0 - second.1 > distance;
        let below = |(first, second): ((f64, f64), (f64, f64))| second.0 - first.1 > distance;
        (above(a) && above(b)) || (below(a) && below(b))
    })
}

/// Whether a pair is within a gap beyond its thickness, and a hair more: the narrow phase decides.
pub(super) fn is_within(distance: f64, thickness: f64, gap: f64) -> bool {
    distance <= (thickness + gap) * (1.0 + 1e-9)
}
