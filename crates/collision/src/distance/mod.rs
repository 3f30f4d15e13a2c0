//! Closest points between points, edges and triangles.
//!
//! Every kernel evaluates all candidates (interior stationary point where it exists, and every
//! boundary piece) and keeps the smallest *realised* distance, i.e. the length of the vector
//! between two points that were really built from the returned weights. So the answer is never
//! below the true distance by more than the rounding of one subtraction, and never far above it:
//! region tests by sign, which over-report on obtuse triangles, are not used. Interior points come
//! from cross products, not from Gram determinants, because `|a×b|²` keeps twice the digits of
//! `a²b² − (a·b)²` for nearly parallel `a`, `b`.
//!
//! Zero-length edges and zero-area triangles are legal: their interior candidate does not exist and
//! the boundary pieces answer.

mod edge_edge;
mod lanes;
mod point_edge;
mod point_triangle;

pub use edge_edge::{EdgeEdge, edge_edge};
pub use lanes::{edge_edge_offsets, point_triangle_offsets};
pub use point_edge::{PointEdge, point_edge};
pub use point_triangle::{PointTriangle, point_triangle};

use stiction_numerics::Vec3;

/// The part of a primitive on which a closest point lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClosestFeature {
    /// Corner with this local number.
    Vertex(u8),
    /// Interior of the edge with this local number; edge `k` of a triangle joins corners `k` and
    /// `k+1`.
    Edge(u8),
    /// Interior of the triangle.
    Face,
}

/// Squared distance of two points \[m²\].
#[inline]
pub fn point_point(p: &Vec3, q: &Vec3) -> f64 {
    (p - q).norm_squared()
}

#[cfg(test)]
mod oracle_tests;
