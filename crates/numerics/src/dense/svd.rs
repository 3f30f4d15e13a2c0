//! Singular values of deformation gradients by one-sided Jacobi.
//!
//! Why not `FᵀF` or bidiagonalisation: both square or mix the scales, and a flattened tetrahedron
//! (σ = 1, 1e-7, 1e-9) loses its small singular values. One-sided Jacobi rotates the columns of
//! `F V` until they are
//! orthogonal to working precision *relative to their own lengths*, so every singular value that
//! the columns determine well comes out with high relative accuracy [Demmel & Veselić 1992].

use super::rotation::any_perpendicular;
use crate::types::{Mat2, Mat3, Mat3x2, Vec2, Vec3};

/// `F = U diag(σ) Vᵀ` of a 3×3 matrix with rotations `U`, `V`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Svd3 {
    /// Left rotation, det = +1.
    pub u: Mat3,
    /// Singular values, |σ| descending; the last is negative when det F < 0.
    pub sigma: Vec3,
    /// Right rotation, det = +1.
    pub v: Mat3,
}

/// `F = U[:, 0..2] diag(σ) Vᵀ` of a 3×2 matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Svd3x2 {
    /// Left rotation; the third column is `u₁ × u₂`, the surface normal.
    pub u: Mat3,
    /// Singular values, descending, never negative.
    pub sigma: Vec2,
    /// Right rotation, det = +1.
    pub v: Mat2,
}

/// Columns count as orthogonal when |aᵀb| ≤ this · |a||b|: four units of round-off, what a rotation
/// can reach.
const ORTHOGONAL: f64 = 4.0 * f64::EPSILON;
/// Column lengths² below this (after scaling) count as zero, so that fourth powers stay clear of
/// underflow.
const VANISHING: f64 = 1e-140;
/// Cyclic Jacobi needs three to five sweeps; the cap only guards against non-finite input.
const MAX_SWEEPS: usize = 16;

/// Signed singular value decomposition of a 3×3 matrix; the reflection goes to the smallest σ.
///
/// A non-finite `F` gives non-finite factors.
pub fn svd3(f: &Mat3) -> Svd3 {
    let scale = power_of_two_scale(f.amax());
    let mut a: [Vec3; 3] = [f.column(0) / scale, f.column(1) / scale, f.column(2) / scale];
    let mut v = [Vec3::x(), Vec3::y(), Vec3::z()];
    approach(&mut a, &mut v);
    for _ in 0..MAX_SWEEPS {
        let r01 = orthogonalise::<3, 0, 1>(&mut a, &mut v);
        let r02 = orthogonalise::<3, 0, 2>(&mut a, &mut v);
        let r12 = orthogonalise::<3, 1, 2>(&mut a, &mut v);
        if !(r01 | r02 | r12) {
            break;
        }
    }
    let (u, lengths) = left_frame(&a[0], &a[1]);
    let sigma = Vec3::new(lengths.x, lengths.y, u.column(2).dot(&a[2])) * scale;
    Svd3 { u, sigma, v: Mat3::from_columns(&v) }
}

/// Singular value decomposition of a 3×2 matrix, complete also when `F` has rank one or zero.
pub fn svd3x2(f: &Mat3x2) -> Svd3x2 {
    let scale = power_of_two_scale(f.amax());
    let mut a: [Vec3; 2] = [f.column(0) / scale, f.column(1) / scale];
    let mut v = [Vec2::x(), Vec2::y()];
    for _ in 0..MAX_SWEEPS {
        if !orthogonalise::<2, 0, 1>(&mut a, &mut v) {
            break;
        }
    }
    let (u, lengths) = left_frame(&a[0], &a[1]);
    Svd3x2 { u, sigma: lengths * scale, v: Mat2::from_columns(&v) }
}

/// Sweeps of cheap two-sided rotations on the Gram matrix, so that the accurate sweeps find little
/// left to do.
const APPROACH_SWEEPS: usize = 4;
/// Rotation by 45°, taken where the cheap estimate of the angle would overshoot.
const EIGHTH_TURN: (f64, f64) = (std::f64::consts::FRAC_1_SQRT_2, std::f64::consts::FRAC_1_SQRT_2);

/// Brings the columns of `a` near orthogonality at a third of the cost of exact rotations.
///
/// Works on G = aᵀa by Jacobi rotations with an estimated angle, tan θ/2 ≈ γ/(2(α−β)) [McAdams et
/// al. 2011], which needs one division and no root. V is exactly a rotation whatever the estimate;
/// squared small values are lost in G but not in `a`, which is turned by V only at the end.
#[inline(always)]
fn approach(a: &mut [Vec3; 3], v: &mut [Vec3; 3]) {
    let mut g = [
        [a[0].norm_squared(), a[0].dot(&a[1]), a[0].dot(&a[2])],
        [0.0, a[1].norm_squared(), a[1].dot(&a[2])],
        [0.0, 0.0, a[2].norm_squared()],
    ];
    for _ in 0..APPROACH_SWEEPS {
        estimate_rotation::<0, 1, 2>(&mut g, v);
        estimate_rotation::<0, 2, 1>(&mut g, v);
        estimate_rotation::<1, 2, 0>(&mut g, v);
    }
    // Twelve products leave V a few units of round-off from orthogonal: one Newton step for the
    // lengths (no root), one projection, and the cross product bring it back.
    v[0] *= 1.5 - 0.5 * v[0].norm_squared();
    v[1] -= v[0] * v[0].dot(&v[1]);
    v[1] *= 1.5 - 0.5 * v[1].norm_squared();
    v[2] = v[0].cross(&v[1]);
    let f = *a;
    for k in 0..3 {
        a[k] = f[0] * v[k].x + f[1] * v[k].y + f[2] * v[k].z;
    }
}

/// One rotation in the plane (P, Q) of the upper triangle `g`; R is the third index.
#[inline(always)]
fn estimate_rotation<const P: usize, const Q: usize, const R: usize>(
    g: &mut [[f64; 3]; 3],
    v: &mut [Vec3; 3],
) {
    let (alpha, beta, gamma) = (g[P][P], g[Q][Q], g[P][Q]);
    // Half angle (ch, sh) up to length; the estimate is good to third order and safe up to 22.5°.
    let (ch, sh) = (2.0 * (alpha - beta), gamma);
    let (ch2, sh2) = (ch * ch, sh * sh);
    let length = ch2 + sh2;
    let safe = 5.828_427_124_746_19 * sh2 < ch2 && length > 0.0;
    let inverse = 1.0 / length;
    // Columns that are orthogonal already stay untouched: F = I gives exactly U = V = I, hence no
    // stress at rest.
    let orthogonal = gamma.abs() <= f64::EPSILON * (alpha + beta);
    let (c, s) = if orthogonal {
        (1.0, 0.0)
    } else if safe {
        ((ch2 - sh2) * inverse, 2.0 * ch * sh * inverse)
    } else {
        EIGHTH_TURN
    };
    let (cc, ss, cs) = (c * c, s * s, c * s);
    g[P][P] = cc * alpha + 2.0 * cs * gamma + ss * beta;
    g[Q][Q] = ss * alpha - 2.0 * cs * gamma + cc * beta;
    g[P][Q] = (cc - ss) * gamma - cs * (alpha - beta);
    let (pr, qr) = (g[P.min(R)][P.max(R)], g[Q.min(R)][Q.max(R)]);
    g[P.min(R)][P.max(R)] = c * pr + s * qr;
    g[Q.min(R)][Q.max(R)] = c * qr - s * pr;
    (v[P], v[Q]) = (v[P] * c + v[Q] * s, v[Q] * c - v[P] * s);
}

/// One when the squares of squares of `largest` neither overflow nor underflow, else a power of two
/// near it.
fn power_of_two_scale(largest: f64) -> f64 {
    if (1e-60..1e60).contains(&largest) || largest == 0.0 || !largest.is_finite() {
        return 1.0;
    }
    largest.log2().floor().clamp(-1000.0, 1000.0).exp2()
}

/// Rotates columns `P`, `Q` of `a` (and of `v`) to orthogonality with the longer one first; true if
/// it rotated.
///
/// tan 2θ = 2γ/(α−β), α = |a_P|², β = |a_Q|², γ = a_P·a_Q. Taking cos 2θ = (α−β)/r with its sign,
/// r² = (α−β)² + 4γ², makes the new |a_P|² = (α+β+r)/2 the larger: the columns sort themselves.
#[inline(always)]
fn orthogonalise<const N: usize, const P: usize, const Q: usize>(
    a: &mut [Vec3; N],
    v: &mut [nalgebra::SVector<f64, N>; N],
) -> bool {
    let (alpha, beta, gamma) = (a[P].norm_squared(), a[Q].norm_squared(), a[P].dot(&a[Q]));
    let negligible = gamma * gamma <= ORTHOGONAL * ORTHOGONAL * alpha * beta;
    if negligible || alpha.max(beta) < VANISHING {
        if alpha < beta {
            (a[P], a[Q]) = (a[Q], -a[P]);
            (v[P], v[Q]) = (v[Q], -v[P]);
        }
        return false;
    }
    let (difference, twice) = (alpha - beta, 2.0 * gamma);
    let radius = (difference * difference + twice * twice).sqrt();
    let (c, s) = if difference >= 0.0 {
        (difference + radius, twice)
    } else {
        (twice.abs(), (radius - difference).copysign(gamma))
    };
    let inverse = 1.0 / (c * c + s * s).sqrt();
    let (c, s) = (c * inverse, s * inverse);
    (a[P], a[Q]) = (a[P] * c + a[Q] * s, a[Q] * c - a[P] * s);
    (v[P], v[Q]) = (v[P] * c + v[Q] * s, v[Q] * c - v[P] * s);
    true
}

/// Orthonormal frame (a/|a|, b/|b|, their cross product) of two orthogonal columns, completed where
/// one vanishes, and the two lengths.
fn left_frame(a: &Vec3, b: &Vec3) -> (Mat3, Vec2) {
    let (la, lb) = (a.norm(), b.norm());
    let u0 = if la > 0.0 { a / la } else { Vec3::x() };
    // The projection only removes round-off; it is relative to |b| and so keeps a tiny b exact.
    let rest = if lb > 0.0 { b / lb } else { any_perpendicular(&u0) };
    let u1 = (rest - u0 * u0.dot(&rest)).normalize();
    (Mat3::from_columns(&[u0, u1, u0.cross(&u1)]), Vec2::new(la, lb))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn check3(f: &Mat3) -> Svd3 {
        let d = svd3(f);
        let size = f.norm().max(f64::MIN_POSITIVE);
        assert!(
            (d.u * Mat3::from_diagonal(&d.sigma) * d.v.transpose() - f).norm() <= 2e-15 * size,
            "{f} {d:?}"
        );
        for r in [d.u, d.v] {
            assert!((r.transpose() * r - Mat3::identity()).norm() < 4e-15);
            assert!((r.determinant() - 1.0).abs() < 4e-15);
        }
        let slack = 1e-15 * size;
        assert!(d.sigma.x >= d.sigma.y && d.sigma.y + slack >= d.sigma.z.abs() && d.sigma.y >= 0.0, "{d:?}");
        d
    }

    #[test]
    fn svd3_reconstructs_random_matrices() {
        let mut random = Random::new(3);
        for _ in 0..2000 {
            check3(&Mat3::from_fn(|_, _| random.range(-1.0, 1.0)));
        }
    }

    #[test]
    fn svd3_reflection_goes_to_the_smallest_value() {
        let mut random = Random::new(4);
        for _ in 0..200 {
            let f = random.rotation() * Mat3::from_diagonal(&Vec3::new(2.0, -1.0, 0.5)) * random.rotation();
            let d = check3(&f);
            assert!((d.sigma - Vec3::new(2.0, 1.0, -0.5)).norm() < 1e-14);
        }
    }

    /// Graded columns determine all σ to high relative accuracy: F = Q D with a well conditioned Q.
    #[test]
    fn svd3_keeps_small_values_of_graded_columns() {
        let mut random = Random::new(5);
        let exact = Vec3::new(1.0, 1e-7, 1e-9);
        for _ in 0..200 {
            let d = svd3(&(random.rotation() * Mat3::from_diagonal(&exact)));
            for k in 0..3 {
                assert!((d.sigma[k] / exact[k] - 1.0).abs() < 4e-15, "{:?}", d.sigma);
            }
        }
    }

    /// Mixed on both sides, storing F in f64 already moves σ by ε|F|: no method can do better than
    /// that.
    #[test]
    fn svd3_small_values_are_exact_to_storage_round_off() {
        let mut random = Random::new(6);
        let exact = Vec3::new(1.0, 1e-7, 1e-9);
        for _ in 0..200 {
            let f = random.rotation() * Mat3::from_diagonal(&exact) * random.rotation();
            assert!((svd3(&f).sigma - exact).amax() < 4.0 * f64::EPSILON, "{:?}", svd3(&f).sigma);
        }
    }

    #[test]
    fn svd3_handles_rank_deficiency_and_extreme_scales() {
        check3(&Mat3::zeros());
        assert_eq!(
            check3(&Mat3::identity()),
            Svd3 { u: Mat3::identity(), sigma: Vec3::repeat(1.0), v: Mat3::identity() }
        );
        check3(&-Mat3::identity());
        check3(&(Vec3::new(1.0, 2.0, 3.0) * Vec3::new(-1.0, 0.5, 2.0).transpose()));
        check3(&Mat3::new(0.0, 0.0, 0.0, 0.0, 0.0, 7.0, 0.0, 0.0, 0.0));
        for scale in [1e-200, 1e-80, 1e80, 1e200] {
            let d = svd3(&(Mat3::new(1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0) * scale));
            assert!((d.sigma.x / scale - 17.412505166808597).abs() < 1e-12, "{scale} {d:?}");
            assert!((d.sigma.z / scale + 0.19686652).abs() < 1e-6, "{scale} {d:?}");
        }
        assert!(!svd3(&Mat3::from_element(f64::NAN)).sigma.x.is_finite());
    }

    #[test]
    fn svd3x2_reconstructs_and_completes_the_frame() {
        let mut random = Random::new(8);
        let mut cases: Vec<Mat3x2> =
            (0..500).map(|_| Mat3x2::from_fn(|_, _| random.range(-1.0, 1.0))).collect();
        cases.push(Mat3x2::zeros());
        cases.push(Vec3::new(1.0, -2.0, 0.5) * Vec2::new(3.0, 1.0).transpose());
        cases.push(Mat3x2::from_columns(&[Vec3::zeros(), Vec3::y()]));
        cases.push(Mat3x2::from_columns(&[Vec3::x() * 1e-9, Vec3::y()]));
        for f in cases {
            let d = svd3x2(&f);
            let back = d.u.fixed_columns::<2>(0) * Mat2::from_diagonal(&d.sigma) * d.v.transpose();
            assert!((back - f).norm() <= 2e-15 * f.norm(), "{f} {d:?}");
            assert!((d.u.transpose() * d.u - Mat3::identity()).norm() < 4e-15);
            assert!((d.u.determinant() - 1.0).abs() < 4e-15 && (d.v.determinant() - 1.0).abs() < 4e-15);
            assert!(d.sigma.x >= d.sigma.y && d.sigma.y >= 0.0);
        }
    }
}
