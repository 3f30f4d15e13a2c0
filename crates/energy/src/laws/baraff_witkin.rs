//! Baraff–Witkin sheet: threads along warp and weft that resist stretch, and a shear between them.
//!
//! `ψ = ½k_u(|f_u|−1)² + ½k_v(|f_v|−1)² + ½k_s(f_u·f_v)²`   \[Baraff1998; eigenvalues as in
//! Kim2020\]
//!
//! A thread has eigenvalue `k` along itself and `k(1 − 1/|f|)` across. The shear over `(f_u, f_v)`
//! is `k_s(ggᵀ + c X)` with
//! `c = f_u·f_v`, `g = (f_v, f_u)` and `X` the swap of the two columns. In sums `s = f_u+f_v` (X =
//! +1) and differences
//! `d = f_u−f_v` (X = −1) it falls apart: `+c` on sums across s, `−c` on differences across d, and
//! one 2×2 matrix
//! `[[½s²+c, −½|s||d|], [·, ½d²−c]]` on the pair (sum along s, difference along d).

use super::membrane::MembraneHessian;
use crate::element::Curvature;
use stiction_numerics::{Mat2, Mat3, Mat3x2, Vec3, project_spd};

/// Threads shorter than this fraction of their rest length count as this long in the curvature.
const LENGTH_FLOOR: f64 = 1e-9;

/// Stiffness of threads and shear, thickness included \[N/m\]. Poisson's ratio is zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BaraffWitkin {
    /// Stretch along warp.
    pub stretch_u: f64,
    /// Stretch along weft.
    pub stretch_v: f64,
    /// Shear.
    pub shear: f64,
}

impl BaraffWitkin {
    /// From moduli along warp and weft, shear modulus \[Pa\] and thickness \[m\].
    pub fn from_moduli(warp: f64, weft: f64, shear: f64, thickness: f64) -> Self {
        BaraffWitkin { stretch_u: warp * thickness, stretch_v: weft * thickness, shear: shear * thickness }
    }

    /// Energy per area \[J/m²\].
    pub fn energy(&self, f: &Mat3x2) -> f64 {
        let (u, v) = (f.column(0), f.column(1));
        0.5 * (self.stretch_u * (u.norm() - 1.0).powi(2)
            + self.stretch_v * (v.norm() - 1.0).powi(2)
            + self.shear * u.dot(&v).powi(2))
    }

    /// First Piola–Kirchhoff stress \[N/m\].
    pub fn stress(&self, f: &Mat3x2) -> Mat3x2 {
        let (u, v) = (f.column(0).into_owned(), f.column(1).into_owned());
        let shear = self.shear * u.dot(&v);
        let pull = |k: f64, f: &Vec3| f * (k * (1.0 - 1.0 / f.norm().max(LENGTH_FLOOR)));
        Mat3x2::from_columns(&[pull(self.stretch_u, &u) + v * shear, pull(self.stretch_v, &v) + u * shear])
    }

    /// Second derivative. Projected: the negative eigenvalues of each of the three terms are
    /// removed.
    pub fn hessian(&self, f: &Mat3x2, curvature: Curvature) -> MembraneHessian {
        let (u, v) = (f.column(0).into_owned(), f.column(1).into_owned());
        let shear = match curvature {
            Curvature::Exact => shear_exact(&u, &v),
            Curvature::Projected => shear_projected(&u, &v),
        };
        MembraneHessian {
            h11: thread(&u, curvature) * self.stretch_u + shear.h11 * self.shear,
            h12: shear.h12 * self.shear,
            h22: thread(&v, curvature) * self.stretch_v + shear.h22 * self.shear,
        }
    }
}

/// Second derivative of `½(|f|−1)²`.
fn thread(f: &Vec3, curvature: Curvature) -> Mat3 {
    let length = f.norm().max(LENGTH_FLOOR);
    let along = f / length;
    let mut across = 1.0 - 1.0 / length;
    if curvature == Curvature::Projected {
        across = across.max(0.0);
    }
    Mat3::from_diagonal_element(across) + along * along.transpose() * (1.0 - across)
}

/// Second derivative of `½(u·v)²`.
fn shear_exact(u: &Vec3, v: &Vec3) -> MembraneHessian {
    MembraneHessian {
        h11: v * v.transpose(),
        h12: v * u.transpose() + Mat3::from_diagonal_element(u.dot(v)),
        h22: u * u.transpose(),
    }
}

/// The same without negative eigenvalues, from sums and differences as in the head of this file.
fn shear_projected(u: &Vec3, v: &Vec3) -> MembraneHessian {
    let c = u.dot(v);
    let (sum, difference) = (u + v, u - v);
    let (s, d) = (sum.norm(), difference.norm());
    // Where a sum or difference vanishes it has no direction; its row of the 2×2 then decouples and
    // the ±c of the complement, which covers all directions, is all there is.
    let along = |w: Vec3, length: f64| if length > 0.0 { w / length } else { w };
    let (p, q) = (along(sum, s), along(difference, d));
    let coupled = project_spd(&Mat2::new(0.5 * s * s + c, -0.5 * s * d, -0.5 * s * d, 0.5 * d * d - c));
    let (plus, minus) = (c.max(0.0), (-c).max(0.0));
    // Halves: unit modes are (w, ±w)/√2.
    let sums = (Mat3::from_diagonal_element(plus) + p * p.transpose() * (coupled[(0, 0)] - plus)) * 0.5;
    let differences =
        (Mat3::from_diagonal_element(minus) + q * q.transpose() * (coupled[(1, 1)] - minus)) * 0.5;
    let mixed = p * q.transpose() * (0.5 * coupled[(0, 1)]);
    MembraneHessian {
        h11: sums + differences + mixed + mixed.transpose(),
        h12: sums - differences - mixed + mixed.transpose(),
        h22: sums + differences - mixed - mixed.transpose(),
    }
}
