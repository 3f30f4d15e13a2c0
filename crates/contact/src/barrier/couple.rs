//! The couple that friction across a gap makes, and forces that carry it.
//!
//! Friction g acts on two places that are `e = d n` apart, `−g` on the first and `g` on the second:
//! a couple `−e × g` that turns the pair as if someone held it from outside, whatever the step. It
//! comes from the slip `P Σ c_i δx_i`, which grows when the pair only turns. A slip that does not,
//!
//! ```text
//! δs = P (Σ c_i δx_i − d δn),   δn = ω × n,   ω = I⁻¹ Σ_k r_k × δx_k
//! ```
//!
//! takes its normal along with a triangle of the pair (or with the mean of several): ω is the turn
//! of its corners, `r_k` from their centre, `I = Σ_k |r_k|² − r_k r_kᵀ`. Its virtual work `−g · δs`
//! has, beside the
//! forces `−c_i g` on all nodes, `d g · (ω × n) = ω · (e × g)`: forces on the corners
//!
//! ```text
//! F_k = θ × r_k,   θ = I⁻¹ (e × g)
//! ```
//!
//! whose sum is zero and whose moment is `m = e × g` about every place. So the forces of a contact
//! have no moment at all, as must be where turning the pair does no work (Noether). With a the area
//! vector of the triangle (twice its area long) and `l_k` its edges, each opposite of a corner, I
//! has the eigenvector a and
//!
//! ```text
//! F_k = a (l_k · m)/|a|² + a × r_k (a · m)/(|a|² Σ|r|²)
//! ```
//!
//! For a vertex at a triangle m lies in its plane, and these are the normal forces
//! `−d (∇λ_k · g) n` that moving barycentric weights λ bring. Two vertices, or a vertex and an
//! edge, cannot carry
//! their couple themselves; triangles beside them can. e, d, r, l \[m\] · g \[N\] · ω \[rad\]

use stiction_numerics::Vec3;

/// A triangle whose area is below this share of the square of its size is a line: it cannot carry a
/// couple.
const LINE: f64 = 1e-4;

/// Forces on the corners of a triangle, of no sum, with a moment \[N m\]; none for a triangle that
/// is a line.
pub fn couple_forces(corners: &[Vec3; 3], moment: &Vec3) -> Option<[Vec3; 3]> {
    let [a, b, c] = corners;
    let edges = [c - b, a - c, b - a];
    let area = edges[1].cross(&edges[2]);
    // Σ|r|² about the centre.
    let size = edges.iter().map(|l| l.norm_squared()).sum::<f64>() / 3.0;
    let square = area.norm_squared();
    if square <= (LINE * size).powi(2) {
        return None;
    }
    let (centre, spin) = ((a + b + c) / 3.0, area * (area.dot(moment) / (square * size)));
    let force = |k: usize| area * (edges[k].dot(moment) / square) + spin.cross(&(corners[k] - centre));
    Some(std::array::from_fn(force))
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_numerics::Random;

    #[test]
    fn forces_have_the_moment_about_every_place_and_no_sum() {
        let mut random = Random::new(81);
        for _ in 0..100 {
            let corners: [Vec3; 3] = std::array::from_fn(|_| random.vector(-1.0, 1.0));
            let (moment, place) = (random.vector(-1.0, 1.0), random.vector(-5.0, 5.0));
            let forces = couple_forces(&corners, &moment).expect("no line");
            let about: Vec3 = corners.iter().zip(&forces).map(|(x, f)| (x - place).cross(f)).sum();
            let size = forces.iter().map(|f| f.norm()).sum::<f64>();
            assert!(forces.iter().sum::<Vec3>().norm() < 1e-13 * size);
            assert!((about - moment).norm() < 1e-9 * size, "{about} {moment}");
        }
        let line = [0.0, 1.0, 3.0].map(|s| Vec3::new(s, 2.0 * s, 1e-9 * s * s));
        assert!(couple_forces(&line, &Vec3::x()).is_none());
    }

    /// The derivative of the slip by differences, weights of the nearest place included: a vertex
    /// at a triangle.
    #[test]
    fn a_vertex_at_a_triangle_gets_what_moving_weights_bring() {
        let mut random = Random::new(82);
        let [a, b, c]: [Vec3; 3] = std::array::from_fn(|_| random.vector(-1.0, 1.0));
        let normal = (b - a).cross(&(c - a)).normalize();
        let (distance, across) = (0.3, random.vector(-1.0, 1.0));
        let g = across - normal * normal.dot(&across);
        let forces = couple_forces(&[a, b, c], &(normal * distance).cross(&g)).expect("no line");
        let area = |[a, b, c]: [Vec3; 3]| normal.dot(&(b - a).cross(&(c - a)));
        for k in 0..3 {
            let weight = |step: f64| {
                let mut corners = [a, b, c];
                corners[k] = a + (b - a) * 0.2 + (c - a) * 0.3 + g * step;
                area(corners) / area([a, b, c])
            };
            let slope = (weight(0.5) - weight(-0.5)) * -distance;
            assert!((forces[k] - normal * slope).norm() < 1e-12, "{} {slope}", forces[k]);
        }
    }
}
