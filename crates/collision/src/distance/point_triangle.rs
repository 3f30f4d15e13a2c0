//! Point against triangle.

use super::{ClosestFeature, point_edge};
use stiction_numerics::Vec3;

/// Closest point of a triangle to a point.
#[derive(Clone, Copy, Debug)]
pub struct PointTriangle {
    /// Squared distance \[m²\].
    pub distance_squared: f64,
    /// Weights of the three corners; they sum to one.
    pub weights: [f64; 3],
    /// Vector from the closest point of the triangle to the point \[m\].
    pub offset: Vec3,
    /// Corner, edge interior or face interior.
    pub feature: ClosestFeature,
}

/// Closest point of the triangle `a b c` to `p`.
///
/// Interior candidate: n = e₁×e₂, w_b = n·(q×e₂)/n², w_c = n·(e₁×q)/n² with q = p−a, if all weights
/// are positive. Then the three edges. The smallest realised distance wins; the interior wins ties.
#[inline(always)]
pub fn point_triangle(p: &Vec3, a: &Vec3, b: &Vec3, c: &Vec3) -> PointTriangle {
    let corners = [a, b, c];
    let mut best = interior(p, a, b, c);
    for k in 0..3 {
        let next = (k + 1) % 3;
        let side = point_edge(p, corners[k], corners[next]);
        if best.as_ref().is_none_or(|known| side.distance_squared < known.distance_squared) {
            let mut weights = [0.0; 3];
            weights[k] = side.weights[0];
            weights[next] = side.weights[1];
            let feature = match side.feature {
                ClosestFeature::Vertex(0) => ClosestFeature::Vertex(k as u8),
                ClosestFeature::Vertex(_) => ClosestFeature::Vertex(next as u8),
                _ => ClosestFeature::Edge(k as u8),
            };
            best = Some(PointTriangle {
                distance_squared: side.distance_squared,
                weights,
                offset: side.offset,
                feature,
            });
        }
    }
    best.expect("three edges were tried")
}

#[inline]
fn interior(p: &Vec3, a: &Vec3, b: &Vec3, c: &Vec3) -> Option<PointTriangle> {
    let (e1, e2, q) = (b - a, c - a, p - a);
    let normal = e1.cross(&e2);
    let area_squared = normal.norm_squared();
    let wb = normal.dot(&q.cross(&e2));
    let wc = normal.dot(&e1.cross(&q));
    // also false for NaN and for a vanished area
    if !(wb > 0.0 && wc > 0.0 && wb + wc < area_squared) {
        return None;
    }
    let (wb, wc) = (wb / area_squared, wc / area_squared);
    let offset = q - e1 * wb - e2 * wc;
    Some(PointTriangle {
        distance_squared: offset.norm_squared(),
        weights: [1.0 - wb - wc, wb, wc],
        offset,
        feature: ClosestFeature::Face,
    })
}
