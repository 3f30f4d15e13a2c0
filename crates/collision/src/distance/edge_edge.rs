//! Edge against edge.

use super::{ClosestFeature, PointEdge, point_edge};
use stiction_numerics::Vec3;

/// Closest points of two edges.
#[derive(Clone, Copy, Debug)]
pub struct EdgeEdge {
    /// Squared distance \[m²\].
    pub distance_squared: f64,
    /// Weights of the ends of the first edge; they sum to one.
    pub weights_a: [f64; 2],
    /// Weights of the ends of the second edge; they sum to one.
    pub weights_b: [f64; 2],
    /// Vector from the closest point of the second edge to that of the first \[m\].
    pub offset: Vec3,
    /// End or interior of the first edge.
    pub feature_a: ClosestFeature,
    /// End or interior of the second edge.
    pub feature_b: ClosestFeature,
}

/// Closest points of the edges `a0 a1` and `b0 b1`.
///
/// Stationary candidate: n = e_a×e_b, r = b0−a0, s = (r×e_b)·n/n², u = (r×e_a)·n/n², if both lie
/// inside (0, 1). Otherwise the minimum sits on the boundary of the unit square, i.e. at an end of
/// one edge: four point–edge problems. All are tried and the smallest realised distance wins.
#[inline(always)]
pub fn edge_edge(a0: &Vec3, a1: &Vec3, b0: &Vec3, b1: &Vec3) -> EdgeEdge {
    let mut best = with_end_of_a(point_edge(a0, b0, b1), 0);
    let others = [
        with_end_of_a(point_edge(a1, b0, b1), 1),
        with_end_of_b(point_edge(b0, a0, a1), 0),
        with_end_of_b(point_edge(b1, a0, a1), 1),
    ];
    for other in others {
        if other.distance_squared < best.distance_squared {
            best = other;
        }
    }
    match stationary(a0, a1, b0, b1) {
        Some(inner) if inner.distance_squared <= best.distance_squared => inner,
        _ => best,
    }
}

#[inline]
fn stationary(a0: &Vec3, a1: &Vec3, b0: &Vec3, b1: &Vec3) -> Option<EdgeEdge> {
    let (ea, eb, r) = (a1 - a0, b1 - b0, b0 - a0);
    let normal = ea.cross(&eb);
    let square = normal.norm_squared();
    let s = r.cross(&eb).dot(&normal);
    let u = r.cross(&ea).dot(&normal);
    // false for NaN and for parallel edges, whose cross product vanishes
    if !(s > 0.0 && s < square && u > 0.0 && u < square) {
        return None;
    }
    // For nearly parallel edges s and u lose digits together; projecting a(s) on b and the result
    // back on a is an exact coordinate descent and can only shorten the realised distance.
    let s = s / square;
    let u = ((ea * s - r).dot(&eb) / eb.norm_squared()).clamp(0.0, 1.0);
    let s = ((r + eb * u).dot(&ea) / ea.norm_squared()).clamp(0.0, 1.0);
    if !(s > 0.0 && s < 1.0 && u > 0.0 && u < 1.0) {
        return None;
    }
    let offset = ea * s - eb * u - r;
    Some(EdgeEdge {
        distance_squared: offset.norm_squared(),
        weights_a: [1.0 - s, s],
        weights_b: [1.0 - u, u],
        offset,
        feature_a: ClosestFeature::Edge(0),
        feature_b: ClosestFeature::Edge(0),
    })
}

#[inline]
fn end_weights(end: u8) -> [f64; 2] {
    if end == 0 { [1.0, 0.0] } else { [0.0, 1.0] }
}

#[inline]
fn with_end_of_a(found: PointEdge, end: u8) -> EdgeEdge {
    EdgeEdge {
        distance_squared: found.distance_squared,
        weights_a: end_weights(end),
        weights_b: found.weights,
        offset: found.offset,
        feature_a: ClosestFeature::Vertex(end),
        feature_b: found.feature,
    }
}

#[inline]
fn with_end_of_b(found: PointEdge, end: u8) -> EdgeEdge {
    EdgeEdge {
        distance_squared: found.distance_squared,
        weights_a: found.weights,
        weights_b: end_weights(end),
        offset: -found.offset,
        feature_a: found.feature,
        feature_b: ClosestFeature::Vertex(end),
    }
}
