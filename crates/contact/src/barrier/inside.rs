//! How much the inside of a feature counts beside its border.
//!
//! Every vertex has barriers of its own. The interiors of two edges, or of an edge or a triangle at
//! a round collider, bring one more where they come nearer than their ends do. Counted in full as
//! soon as the nearest point is inside, that barrier jumps when the point reaches an end: the force
//! is then no continuous function of the places, and Newton's method goes round between two sets of
//! contacts for ever. So it counts by its lead,
//!
//! ```text
//! share = q² (3 − 2q),   q = (d_border − d)/(ĝ/4), at most 1
//! ```
//!
//! d distance of the insides \[m\] · d_border distance of the nearest that bounds them \[m\] · ĝ
//! activation gap \[m\]. Where an inside hardly leads, the border
//! stands for it; parallel edges, whose nearest points are anywhere, fade out the same way.

use stiction_numerics::Vec3;

/// Lead, in activation gaps, from which on an inside counts in full.
const FULL_LEAD: f64 = 0.25;

/// The share of a barrier of an inside that leads its border by so much \[m\].
pub fn inside_share(lead: f64, activation_gap: f64) -> f64 {
    let q = (lead / (FULL_LEAD * activation_gap)).clamp(0.0, 1.0);
    q * q * (3.0 - 2.0 * q)
}

/// How much nearer the insides of two edges are than an end of one is to the line of the other
/// \[m\].
///
/// At the nearest points the connection is perpendicular to both edges a and b, so an end that is ℓ
/// away along its edge is `√(d² + (ℓ sin θ)²)` from the other line, θ the angle between them.
///
/// `edges` a and b \[m\] · `weights` of their ends at the nearest points, 0 to 1 · `distance` d
/// \[m\]
pub fn edge_edge_lead([a, b]: [&Vec3; 2], [of_a, of_b]: [[f64; 2]; 2], distance: f64) -> f64 {
    let area = a.cross(b).norm();
    if area == 0.0 {
        return 0.0;
    }
    let [from_a, from_b] = [of_a[0].min(of_a[1]) * area / b.norm(), of_b[0].min(of_b[1]) * area / a.norm()];
    distance.hypot(from_a.min(from_b)) - distance
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_numerics::Random;

    /// Distance of a point from a line through `start`.
    fn to_line(x: &Vec3, start: &Vec3, along: &Vec3) -> f64 {
        (x - start).cross(along).norm() / along.norm()
    }

    #[test]
    fn the_lead_is_that_over_the_nearest_end() {
        let mut random = Random::new(17);
        for _ in 0..100 {
            let (a, b) = (random.vector(-1.0, 1.0), random.vector(-1.0, 1.0));
            let (s, u, d) = (random.uniform(), random.uniform(), 0.01 + random.uniform());
            let normal = a.cross(&b).normalize();
            let (a_start, b_start) = (normal * d - a * s, -b * u);
            let ends = [
                to_line(&a_start, &b_start, &b),
                to_line(&(a_start + a), &b_start, &b),
                to_line(&b_start, &a_start, &a),
                to_line(&(b_start + b), &a_start, &a),
            ];
            let nearest = ends.into_iter().fold(f64::INFINITY, f64::min);
            let lead = edge_edge_lead([&a, &b], [[1.0 - s, s], [1.0 - u, u]], d);
            assert!((lead - (nearest - d)).abs() < 1e-12, "{lead} {nearest} {d}");
        }
    }

    #[test]
    fn a_share_rises_smoothly_and_vanishes_for_parallel_edges() {
        assert_eq!(
            [inside_share(0.0, 1e-3), inside_share(2.5e-4, 1e-3), inside_share(1.0, 1e-3)],
            [0.0, 1.0, 1.0]
        );
        let h = 1e-9;
        for lead in [0.0, 2.5e-4] {
            // Both ends of the rise are flat: third order in h.
            assert!((inside_share(lead + h, 1e-3) - inside_share(lead - h, 1e-3)).abs() < 1e-9);
        }
        let middle = [[0.5; 2]; 2];
        let lead = |tilt: f64| edge_edge_lead([&Vec3::x(), &Vec3::new(1.0, tilt, 0.0)], middle, 1e-3);
        assert_eq!(lead(0.0), 0.0);
        assert!(inside_share(lead(1e-4), 1e-3) < 1e-4 && inside_share(lead(0.1), 1e-3) == 1.0);
    }
}
