//! Point against edge.

use super::ClosestFeature;
use stiction_numerics::Vec3;

/// Closest point of an edge to a point.
#[derive(Clone, Copy, Debug)]
pub struct PointEdge {
    /// Squared distance \[m²\].
    pub distance_squared: f64,
    /// Weights of the two ends; they sum to one.
    pub weights: [f64; 2],
    /// Vector from the closest point of the edge to the point \[m\].
    pub offset: Vec3,
    /// End or interior of the edge.
    pub feature: ClosestFeature,
}

/// Closest point of the edge `a`–`b` to `p`.
///
/// s = (p−a)·e / e², clamped to \[0, 1\]; e = b−a. A zero-length edge answers with end `a`.
#[inline]
pub fn point_edge(p: &Vec3, a: &Vec3, b: &Vec3) -> PointEdge {
    let edge = b - a;
    let from_a = p - a;
    let along = from_a.dot(&edge);
    let length_squared = edge.norm_squared();
    if along <= 0.0 || length_squared == 0.0 {
        return at_end(from_a, 0);
    }
    if along >= length_squared {
        return at_end(p - b, 1);
    }
    let s = along / length_squared;
    let offset = from_a - edge * s;
    PointEdge {
        distance_squared: offset.norm_squared(),
        weights: [1.0 - s, s],
        offset,
        feature: ClosestFeature::Edge(0),
    }
}

#[inline]
fn at_end(offset: Vec3, end: u8) -> PointEdge {
    let weights = if end == 0 { [1.0, 0.0] } else { [0.0, 1.0] };
    PointEdge {
        distance_squared: offset.norm_squared(),
        weights,
        offset,
        feature: ClosestFeature::Vertex(end),
    }
}
