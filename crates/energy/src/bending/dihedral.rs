//! The angle between two triangles, with its gradient and its exact Hessian.
//!
//! Edge a→b, `e = b − a`, `ê = e/l`; flaps p and q with normals `n₁ = e×(p−a)`, `n₂ = (q−a)×e`;
//! `θ = atan2(ê·(n₁×n₂), n₁·n₂)`: zero when flat, positive when the flaps bend away from the
//! normals (a ridge).
//!
//! θ changes by what each triangle turns about the edge, so all derivatives are sums over two
//! *wings*. A wing with apex p has unit normal n, in-plane direction m from the edge towards p,
//! height h and foot `σ = ê·(p−a)/l`. With the two combinations of displacements
//! `w = δp − (1−σ) δa − σ δb` and `v = δb − δa`:
//!
//! * gradient: `δθ = −n·w / h` per wing   (the formulas of Bridson and others, regrouped)
//! * Hessian: `δ²θ = 2 { (n·w)(m·w)/h² + (n·v)(ê·w)/(l h) + (n·v)(m·v)/(2 l²) }` per wing
//!
//! The second line is the symmetric part of the derivative of the first: the wings' antisymmetric
//! parts depend on the edge alone and cancel. Derived from `δn = −Σ ∇λ_k (n·δx_k)`, `δh = m·w`,
//! `δσ = (ê·w + (h/l) m·v)/l`.
//!
//! Every term pairs a normal displacement with one in the plane, so a wing's Hessian is
//! `Z fᵀ + f Zᵀ` with two orthonormal normal columns `Z ⟂ f`. Its eigenvalues are ± the singular
//! values of f; [`PairedTerm::positive_part`] needs a 2×2 square root instead of an
//! eigen-decomposition.

use stiction_numerics::{Mat2, Vec3};

/// Heights below this fraction of the edge count as this fraction, so that slivers stay finite.
const SMALLEST_HEIGHT: f64 = 1e-8;
/// Stands for the length of an edge that vanished.
const SMALLEST_LENGTH: f64 = 1e-60;
/// Smallest trace of a Gram matrix whose square is still a number: below, the form counts as zero.
const SMALLEST_GRAM: f64 = 1e-120;
/// Two orthonormal vectors that span the zero-sum combinations of three vertices.
const ZERO_SUM: [[f64; 3]; 2] = [
    [std::f64::consts::FRAC_1_SQRT_2, -std::f64::consts::FRAC_1_SQRT_2, 0.0],
    [0.408_248_290_463_863, 0.408_248_290_463_863, -0.816_496_580_927_726],
];

/// Signed angle \[rad\] between the triangles (a, b, p) and (b, a, q) over the edge a→b, in (−π,
/// π].
pub fn dihedral_angle(a: Vec3, b: Vec3, p: Vec3, q: Vec3) -> f64 {
    let edge = b - a;
    angle_between(edge, edge.cross(&(p - a)), (q - a).cross(&edge))
}

/// The same from the edge and the two normals of any length.
#[inline]
pub(crate) fn angle_between(edge: Vec3, first: Vec3, second: Vec3) -> f64 {
    // ê·(n₁×n₂) and n₁·n₂ over a common positive factor |e|; atan2(0, 0) = 0 covers collapsed
    // triangles.
    edge.dot(&first.cross(&second)).atan2(first.dot(&second) * edge.norm())
}

/// One triangle as seen from one of its edges: vertices in the order a, b, apex.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wing {
    /// Unit normal, zero if the triangle has no area.
    normal: Vec3,
    /// Unit edge direction a→b.
    along: Vec3,
    /// Unit in-plane direction from the edge towards the apex.
    across: Vec3,
    /// 1/h \[1/m\].
    inverse_height: f64,
    /// 1/l \[1/m\].
    inverse_length: f64,
    /// Coefficients of a, b, apex in w.
    lift: [f64; 3],
}

/// Coefficients of a, b, apex in v.
const SWING: [f64; 3] = [-1.0, 1.0, 0.0];

impl Wing {
    /// `normal` is n₁ or n₂ of the module text (any length), `apex` is the flap relative to a.
    #[inline]
    pub(crate) fn new(edge: Vec3, apex: Vec3, normal: Vec3) -> Wing {
        let length = edge.norm().max(SMALLEST_LENGTH);
        let area = normal.norm();
        let height = (area / length).max(SMALLEST_HEIGHT * length);
        let along = edge / length;
        let foot = along.dot(&apex) / length;
        let unit = if area > 0.0 { normal / area } else { Vec3::zeros() };
        // The part of the apex off the edge gives the sign of m without asking which of the two
        // wings this is.
        let across = unit.cross(&along);
        let across = if across.dot(&apex) < 0.0 { -across } else { across };
        Wing {
            normal: unit,
            along,
            across,
            inverse_height: 1.0 / height,
            inverse_length: 1.0 / length,
            lift: [foot - 1.0, -foot, 1.0],
        }
    }

    /// ∂θ/∂(a, b, apex).
    #[inline]
    pub(crate) fn gradient(&self) -> [Vec3; 3] {
        let scaled = self.normal * -self.inverse_height;
        [scaled * self.lift[0], scaled * self.lift[1], scaled]
    }

    /// The in-plane partners f of the two normal columns, times `weight`, with the vertices listed
    /// in the order given by `slots` (slots\[0\] is where a goes, and so on).
    #[inline]
    pub(crate) fn add_paired(&self, weight: f64, slots: [usize; 3], term: &mut PairedTerm) {
        if self.normal == Vec3::zeros() {
            return;
        }
        term.normal = self.normal;
        let (ih, il) = (self.inverse_height, self.inverse_length);
        // A = m·w/h² goes with n·w, B = ê·w/(l h) + m·v/(2 l²) with n·v.
        let with_lift = self.across * (weight * ih * ih);
        let with_swing = self.along * (weight * il * ih);
        let swing_across = self.across * (0.5 * weight * il * il);
        for column in 0..2 {
            let z = slots.map(|slot| ZERO_SUM[column][slot]);
            let lifted = self.lift[0] * z[0] + self.lift[1] * z[1] + z[2];
            let swung = z[1] - z[0];
            let per_lift = with_lift * lifted + with_swing * swung;
            for vertex in 0..3 {
                term.inplane[column][slots[vertex]] +=
                    per_lift * self.lift[vertex] + swing_across * (swung * SWING[vertex]);
            }
        }
    }
}

/// A symmetric 9×9 form `Z fᵀ + f Zᵀ` over the vertices of one triangle: `Z` = zero-sum
/// combinations of displacements along the normal, `f` = in-plane vectors.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PairedTerm {
    normal: Vec3,
    inplane: [[Vec3; 3]; 2],
}

impl PairedTerm {
    /// The columns Z and f: the form is `Σ_i Z_i f_iᵀ + f_i Z_iᵀ`.
    #[inline]
    pub(crate) fn columns(&self) -> ([[Vec3; 3]; 2], [[Vec3; 3]; 2]) {
        (ZERO_SUM.map(|z| z.map(|c| self.normal * c)), self.inplane)
    }

    /// Two columns Y with `Y Yᵀ` = the form with its negative eigenvalues removed.
    ///
    /// With the Gram matrix `K = fᵀf` and `S = K^½` the positive part is
    /// `½ (Z + f S⁻¹) S (Z + f S⁻¹)ᵀ`. For any definite S this is positive semi-definite, so the
    /// small shift that keeps S invertible costs nothing but its own size.
    #[inline]
    pub(crate) fn positive_part(&self) -> Option<[[Vec3; 3]; 2]> {
        let dot =
            |i: usize, j: usize| (0..3).map(|v| self.inplane[i][v].dot(&self.inplane[j][v])).sum::<f64>();
        let (mut k00, k01, mut k11) = (dot(0, 0), dot(0, 1), dot(1, 1));
        let trace = k00 + k11;
        if trace < SMALLEST_GRAM {
            return None;
        }
        k00 += 1e-14 * trace;
        k11 += 1e-14 * trace;
        let root = (k00 * k11 - k01 * k01).max(1e-28 * trace * trace).sqrt();
        let norm = 1.0 / (k00 + k11 + 2.0 * root).sqrt();
        let s = Mat2::new((k00 + root) * norm, k01 * norm, k01 * norm, (k11 + root) * norm);
        // Cholesky factor of S/2, and S⁻¹ = adj(S)/root.
        let l00 = (0.5 * s.m11).sqrt();
        let l10 = 0.5 * s.m12 / l00;
        let l11 = (0.5 * s.m22 - l10 * l10).max(0.0).sqrt();
        let inverse = [s.m22 / root, -s.m12 / root, s.m11 / root];
        let (z, f) = self.columns();
        let mut y = [[Vec3::zeros(); 3]; 2];
        for v in 0..3 {
            let first = z[0][v] + f[0][v] * inverse[0] + f[1][v] * inverse[1];
            let second = z[1][v] + f[0][v] * inverse[1] + f[1][v] * inverse[2];
            y[0][v] = first * l00 + second * l10;
            y[1][v] = second * l11;
        }
        Some(y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::TestRandom;
    use stiction_numerics::nalgebra::DMatrix;

    #[test]
    fn sign_flat_ridge_and_valley() {
        let (a, b, p) = (Vec3::zeros(), Vec3::x(), Vec3::y());
        assert_eq!(dihedral_angle(a, b, p, -Vec3::y()), 0.0);
        let quarter = std::f64::consts::FRAC_PI_2;
        // The normal of (a, b, p) is +z: a flap that hangs down makes a ridge.
        assert!((dihedral_angle(a, b, p, -Vec3::z()) - quarter).abs() < 1e-15);
        assert!((dihedral_angle(a, b, p, Vec3::z()) + quarter).abs() < 1e-15);
        // Walking the edge the other way and swapping the flaps changes nothing.
        let q = Vec3::new(0.3, -0.8, 0.4);
        assert!((dihedral_angle(a, b, p, q) - dihedral_angle(b, a, q, p)).abs() < 1e-15);
    }

    /// Bends fade away along a flat sheet as exp(−x): far from where it is bent they pass through
    /// every size.
    #[test]
    fn positive_part_of_a_vanishing_bend_is_finite() {
        let (edge, apex) = (Vec3::new(0.01, 0.002, 0.0), Vec3::new(0.004, 0.009, 0.0));
        let wing = Wing::new(edge, apex, edge.cross(&apex));
        for exponent in 0..320 {
            let weight = 10_f64.powi(-exponent);
            let mut term = PairedTerm::default();
            wing.add_paired(weight, [0, 1, 2], &mut term);
            let size = term.positive_part().map_or(0.0, |y| y.iter().flatten().map(Vec3::norm).sum::<f64>());
            // Columns Y of `Y Yᵀ`: the root of the form, which is some weight/h².
            assert!(size <= 1e3 * weight.sqrt(), "weight {weight:e}: columns of {size:e}");
        }
    }

    #[test]
    fn positive_part_removes_exactly_the_negative_eigenvalues() {
        let mut random = TestRandom::new(11);
        for _ in 0..50 {
            let (edge, apex) = (random.vector(), random.vector());
            let wing = Wing::new(edge, apex, edge.cross(&apex));
            let mut term = PairedTerm::default();
            wing.add_paired(random.range(-2.0, 2.0), [1, 2, 0], &mut term);
            let (z, f) = term.columns();
            let flat = |c: &[Vec3; 3], r: usize| c[r / 3][r % 3];
            let exact = DMatrix::from_fn(9, 9, |r, c| {
                (0..2).map(|i| flat(&z[i], r) * flat(&f[i], c) + flat(&f[i], r) * flat(&z[i], c)).sum::<f64>()
            });
            let y = term.positive_part().unwrap();
            let found =
                DMatrix::from_fn(9, 9, |r, c| (0..2).map(|i| flat(&y[i], r) * flat(&y[i], c)).sum::<f64>());
            let eigen = exact.clone().symmetric_eigen();
            let clamped = eigen.eigenvalues.map(|e| e.max(0.0));
            let expected =
                &eigen.eigenvectors * DMatrix::from_diagonal(&clamped) * eigen.eigenvectors.transpose();
            // The shift of 1e-14 in K enters through its square root.
            assert!((found - &expected).amax() < 1e-6 * expected.amax());
        }
    }
}
