//! Rotations: closest rotation to a matrix, rotation of an axis-angle vector, cross-product
//! matrices.

use super::svd::{svd3, svd3x2};
use crate::types::{Mat2, Mat3, Mat3x2, Vec3};

/// Cross-product matrix, `skew(a) b = a × b`.
pub fn skew(a: &Vec3) -> Mat3 {
    Mat3::new(0.0, -a.z, a.y, a.z, 0.0, -a.x, -a.y, a.x, 0.0)
}

/// Rotation by |w| radians about w/|w|: R = I + sin θ/θ [w] + (1 − cos θ)/θ² [w]², (Rodrigues).
pub fn rotation_from_vector(w: &Vec3) -> Mat3 {
    let square = w.norm_squared();
    let angle = square.sqrt();
    // Below 1e-4 the series to order θ² is exact to round-off (the next term is θ⁴/120 < 1e-18).
    let (a, b) = if angle < 1e-4 {
        (1.0 - square / 6.0, 0.5 - square / 24.0)
    } else {
        let half = (0.5 * angle).sin();
        (angle.sin() / angle, 2.0 * half * half / square)
    };
    let k = skew(w);
    Mat3::identity() + k * a + k * k * b
}

/// Left Jacobian of the rotation vector w: a change dw turns by exp(J dw) afterwards, exp(w + dw) ≈
/// exp(J dw) exp(w).
///
/// J = I + (1 − cos θ)/θ² [w] + (θ − sin θ)/θ³ [w]², θ = |w|; series for small θ, where it cancels.
pub fn rotation_jacobian(w: &Vec3) -> Mat3 {
    let theta = w.norm();
    let (a, b) = if theta < 1e-3 {
        let t2 = theta * theta;
        (0.5 - t2 / 24.0, 1.0 / 6.0 - t2 / 120.0)
    } else {
        ((1.0 - theta.cos()) / (theta * theta), (theta - theta.sin()) / theta.powi(3))
    };
    let cross = skew(w);
    Mat3::identity() + cross * a + cross * cross * b
}

/// A unit vector perpendicular to the unit vector `u`.
pub fn any_perpendicular(u: &Vec3) -> Vec3 {
    // Drop the smallest component: what is left is at least √(2/3) long.
    let (x, y, z) = (u.x.abs(), u.y.abs(), u.z.abs());
    let p = if x <= y && x <= z {
        Vec3::new(0.0, -u.z, u.y)
    } else if y <= z {
        Vec3::new(u.z, 0.0, -u.x)
    } else {
        Vec3::new(-u.y, u.x, 0.0)
    };
    p.normalize()
}

/// Rotation closest to `F` in the Frobenius norm, `U Vᵀ` with det = +1 also for inverted `F`.
pub fn polar3(f: &Mat3) -> Mat3 {
    let d = svd3(f);
    d.u * d.v.transpose()
}

/// Matrix with orthonormal columns closest to the 3×2 matrix `F`.
pub fn polar3x2(f: &Mat3x2) -> Mat3x2 {
    let d = svd3x2(f);
    d.u.fixed_columns::<2>(0) * d.v.transpose()
}

/// Plane rotation closest to `F`; the identity when `F` has no rotational part at all.
pub fn polar2(f: &Mat2) -> Mat2 {
    let (c, s) = (f.m11 + f.m22, f.m21 - f.m12);
    let length = c.hypot(s);
    if length > 0.0 { Mat2::new(c, -s, s, c) / length } else { Mat2::identity() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use nalgebra::Rotation3;

    #[test]
    fn rotation_matches_the_library_at_all_angles() {
        let mut random = Random::new(11);
        for angle in [0.0, 1e-12, 1e-7, 0.99e-4, 1.01e-4, 1e-3, 0.1, 1.0, 3.0, 3.1, std::f64::consts::PI, 6.0]
        {
            let w = random.unit_vector() * angle;
            let expected = Rotation3::from_scaled_axis(w).into_inner();
            assert!((rotation_from_vector(&w) - expected).norm() < 1e-15 * (8.0 + angle), "{angle}");
        }
    }

    #[test]
    fn the_jacobian_is_the_derivative_of_the_rotation() {
        let mut random = Random::new(14);
        for angle in [0.0, 1e-4, 0.9e-3, 1.1e-3, 0.1, 1.0, 3.0] {
            let (w, direction, step) = (random.unit_vector() * angle, random.unit_vector(), 1e-6);
            let turned = |t: f64| rotation_from_vector(&(w + direction * t));
            let difference = (turned(step) - turned(-step)) / (2.0 * step);
            let expected = skew(&(rotation_jacobian(&w) * direction)) * rotation_from_vector(&w);
            assert!((difference - expected).norm() < 1e-9, "{angle}");
        }
    }

    #[test]
    fn polar_factors_recover_the_rotation() {
        let mut random = Random::new(12);
        for _ in 0..100 {
            let r = random.rotation();
            let b = Mat3::from_fn(|_, _| random.range(-1.0, 1.0));
            let s = b * b.transpose() + Mat3::identity() * 0.1;
            assert!((polar3(&(r * s)) - r).norm() < 1e-13);
            let s2: Mat2 = s.fixed_view::<2, 2>(0, 0).into();
            let r2: Mat3x2 = r.fixed_columns::<2>(0).into();
            assert!((polar3x2(&(r2 * s2)) - r2).norm() < 1e-13);
            let angle = random.range(-3.0, 3.0f64);
            let plane = Mat2::new(angle.cos(), -angle.sin(), angle.sin(), angle.cos());
            assert!((polar2(&(plane * s2)) - plane).norm() < 1e-14);
        }
        assert_eq!(polar2(&Mat2::new(1.0, 0.0, 0.0, -1.0)), Mat2::identity());
    }

    #[test]
    fn perpendicular_is_unit_and_perpendicular() {
        let mut random = Random::new(13);
        for _ in 0..100 {
            let u = random.unit_vector();
            let p = any_perpendicular(&u);
            assert!(p.dot(&u).abs() < 1e-15 && (p.norm() - 1.0).abs() < 1e-15);
            assert!((skew(&u) * p - u.cross(&p)).norm() == 0.0);
        }
    }
}
