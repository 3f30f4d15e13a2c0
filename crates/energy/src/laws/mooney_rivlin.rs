//! Mooney–Rivlin rubber, compressible.
//!
//! `ψ = C₁₀(J^(−2/3) I₁ − 3) + C₀₁(J^(−4/3) I₂ − 3) + ½K(J−1)²`   \[Mooney1940; Rivlin1948; volume
//! split off\]
//! I₁ = Σσ² · I₂ = Σ_{i<j} σ_i²σ_j² · J = σ₁σ₂σ₃ · C₁₀ + C₀₁ = μ/2 · K = λ + ⅔μ: rest moduli as
//! given
//!
//! With a = C₁₀ J^(−2/3), b = C₀₁ J^(−4/3) and the derivative of ψ by J at fixed invariants,
//! `c = −⅔ a I₁/J − 4/3 b I₂/J + K(J−1)`:
//!
//! `P = 2a F + 2b (I₁F − F FᵀF) + c cof F`, `ψ_i = 2aσ_i + 2bσ_i(I₁−σ_i²) + c J_i`, J_i = ∂J/∂σ_i;
//! twist and flip of a pair (i, j) with third axis k: `2a + 2b(σ_k² ± σ_iσ_j) ± cσ_k`.
//!
//! Flat or inverted: the energy is +∞ for J ≤ 0, derivatives are not defined there.

use super::lame::Lame;
use super::principal3::PrincipalHessian3;
use super::solid::{assemble, cofactor};
use stiction_numerics::{Mat3, Svd3, Vec3};

/// Constants of the law \[Pa\].
#[derive(Clone, Copy, Debug)]
pub(super) struct MooneyRivlin {
    c10: f64,
    c01: f64,
    bulk: f64,
}

/// a, b and c of the head of this file.
struct Slopes {
    first: f64,
    second: f64,
    volume: f64,
}

impl MooneyRivlin {
    /// Constants for moduli at rest; `fraction` = C₀₁/(C₁₀ + C₀₁).
    pub fn new(&Lame { lambda, mu }: &Lame, fraction: f64) -> MooneyRivlin {
        MooneyRivlin {
            c10: 0.5 * mu * (1.0 - fraction),
            c01: 0.5 * mu * fraction,
            bulk: lambda + mu * (2.0 / 3.0),
        }
    }

    fn slopes(&self, i1: f64, i2: f64, j: f64) -> Slopes {
        let root = j.cbrt();
        let (first, second) = (self.c10 / (root * root), self.c01 / (root * root * root * root));
        let shape = (first * i1 * 2.0 + second * i2 * 4.0) / (3.0 * j);
        Slopes { first, second, volume: self.bulk * (j - 1.0) - shape }
    }

    /// Energy density \[J/m³\].
    pub fn energy(&self, f: &Mat3) -> f64 {
        let j = f.determinant();
        if j <= 0.0 {
            return f64::INFINITY;
        }
        let (i1, i2) = (f.norm_squared(), cofactor(f).norm_squared());
        let root = j.cbrt();
        self.c10 * (i1 / (root * root) - 3.0)
            + self.c01 * (i2 / (root * root * root * root) - 3.0)
            + 0.5 * self.bulk * (j - 1.0).powi(2)
    }

    /// First Piola–Kirchhoff stress \[Pa\].
    pub fn stress(&self, f: &Mat3) -> Mat3 {
        let (j, minors) = (f.determinant(), cofactor(f));
        if j <= 0.0 {
            return Mat3::from_element(f64::NAN);
        }
        let i1 = f.norm_squared();
        let Slopes { first, second, volume } = self.slopes(i1, minors.norm_squared(), j);
        f * (2.0 * (first + second * i1)) - f * (f.transpose() * f) * (2.0 * second) + minors * volume
    }

    /// Second derivative in the principal frame.
    pub fn hessian(&self, svd: &Svd3) -> PrincipalHessian3 {
        let s = &svd.sigma;
        let squares = s.component_mul(s);
        let minors = Vec3::new(s[1] * s[2], s[2] * s[0], s[0] * s[1]);
        let (i1, i2, j) =
            (squares.sum(), minors.norm_squared(), if s[2] > 0.0 { s.product() } else { f64::NAN });
        let Slopes { first, second, volume } = self.slopes(i1, i2, j);
        // Derivatives of a, b and c by J.
        let (first_j, second_j) = (-2.0 / 3.0 * first / j, -4.0 / 3.0 * second / j);
        let volume_j = (10.0 * first * i1 + 28.0 * second * i2) / (9.0 * j * j) + self.bulk;
        // Derivatives of a I₁ + b I₂ by σ at fixed a and b, then by J.
        let mixed = |i: usize| 2.0 * s[i] * (first_j + second_j * (i1 - squares[i]));
        assemble(
            svd,
            |i, k| {
                let common = mixed(i) * minors[k] + mixed(k) * minors[i] + volume_j * minors[i] * minors[k];
                common
                    + match i == k {
                        true => 2.0 * first + 2.0 * second * (i1 - squares[i]),
                        false => 4.0 * second * s[i] * s[k] + volume * s[3 - i - k],
                    }
            },
            |i, k, other| {
                let (product, tilt) = (2.0 * second * s[i] * s[k], volume * s[other]);
                let same = 2.0 * first + 2.0 * second * squares[other];
                (same + product + tilt, same - product - tilt)
            },
        )
    }
}
