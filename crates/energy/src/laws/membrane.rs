//! In-plane laws of sheets.
//!
//! `F = [f₁ f₂]` maps rest coordinates along the material axes (warp, weft) to space. Stiffness
//! values already include
//! the thickness, so energies are per area \[J/m²\]. A 3×2 gradient has no orientation: inversion
//! does not exist, only collapse (`J = |f₁×f₂| → 0`), and each law states what it does there.

use super::baraff_witkin::BaraffWitkin;
use super::lame::Lame;
use super::orthotropic::Orthotropic;
use super::principal2::PrincipalHessian2;
use crate::element::Curvature;
use stiction_numerics::{Mat2, Mat3, Mat3x2, Vec2, Vec3, svd3x2};
use stiction_scene::Law;
use stiction_scene::material::{ClothMaterial, MembraneStiffness};

/// Stretches below this count as this in the curvature of laws that divide by them.
const STRETCH_FLOOR: f64 = 1e-9;

/// An in-plane law `ψ(F)` \[J/m²\]; σ are the principal stretches, `J = σ₁σ₂`, `E = ½(FᵀF − I)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MembraneLaw {
    /// `ψ = μ E:E + ½λ (tr E)²`. Collapse: finite energy, the force fades away; meant for moderate
    /// compression, which
    /// sheets avoid by buckling.
    StVenantKirchhoff(Lame),
    /// St. Venant–Kirchhoff with different stiffness along warp and weft. Collapse: as the
    /// isotropic law.
    Orthotropic(Orthotropic),
    /// `ψ = ½μ(|F|² − 2) − μ ln J + ½λ ln²J`. Collapse: energy +∞ at J = 0, derivatives there are
    /// not finite.
    NeoHookean(Lame),
    /// `ψ = ½μ(σ₁−σ₂)² + ½λ'(J−1)²`, λ' = λ + μ. Collapse: finite; at J = 0 the direction that
    /// opens the triangle again is
    /// unknown and the area part of the stress is zero.
    StableNeoHookean(Lame),
    /// `ψ = μ Σ(σ−1)² + ½λ (Σ(σ−1))²`; with λ = 0, as rigid as possible. Collapse: finite, pulls
    /// back; at J = 0 as the
    /// stable neo-Hookean law.
    Corotated(Lame),
    /// Stretch along warp and weft plus shear. Collapse: finite, the threads pull back to their
    /// lengths.
    BaraffWitkin(BaraffWitkin),
}

impl MembraneLaw {
    /// The law of a cloth material, thickness included \[N/m\]; `None` where the table has none for
    /// cloth.
    pub fn of(cloth: &ClothMaterial) -> Option<MembraneLaw> {
        let h = cloth.thickness;
        let (young, poisson) = match cloth.stretch {
            MembraneStiffness::Isotropic { young, poisson } => (young, poisson),
            MembraneStiffness::Orthotropic { warp, weft, shear, poisson } => {
                return match cloth.law {
                    Law::Stvk => {
                        let law = Orthotropic::from_moduli(warp, weft, poisson, shear, h);
                        Some(MembraneLaw::Orthotropic(law))
                    }
                    Law::BaraffWitkin => {
                        Some(MembraneLaw::BaraffWitkin(BaraffWitkin::from_moduli(warp, weft, shear, h)))
                    }
                    _ => None,
                };
            }
        };
        let lame = Lame::plane_stress(young, poisson, h);
        match cloth.law {
            Law::Stvk => Some(MembraneLaw::StVenantKirchhoff(lame)),
            Law::NeoHookean => Some(MembraneLaw::NeoHookean(lame)),
            Law::StableNeoHookean => Some(MembraneLaw::StableNeoHookean(lame)),
            Law::Corotated => Some(MembraneLaw::Corotated(lame)),
            // μ|F − R|² pulls with 2μ along an axis and not at all across: E as given, ν = 0.
            Law::Arap => Some(MembraneLaw::Corotated(Lame { lambda: 0.0, mu: 0.5 * young * h })),
            Law::BaraffWitkin => {
                let shear = young / (2.0 * (1.0 + poisson));
                Some(MembraneLaw::BaraffWitkin(BaraffWitkin::from_moduli(young, young, shear, h)))
            }
            Law::FixedCorotated | Law::MooneyRivlin | Law::Linear => None,
        }
    }

    /// Moduli at small strain \[N/m\]: all laws of one sheet agree there.
    pub fn small_strain(&self) -> Orthotropic {
        match self {
            MembraneLaw::Orthotropic(law) => *law,
            MembraneLaw::BaraffWitkin(law) => {
                Orthotropic { c11: law.stretch_u, c22: law.stretch_v, c12: 0.0, c33: law.shear }
            }
            MembraneLaw::StVenantKirchhoff(lame)
            | MembraneLaw::NeoHookean(lame)
            | MembraneLaw::StableNeoHookean(lame)
            | MembraneLaw::Corotated(lame) => {
                let full = 2.0 * lame.mu + lame.lambda;
                Orthotropic { c11: full, c22: full, c12: lame.lambda, c33: lame.mu }
            }
        }
    }

    /// Energy per area \[J/m²\].
    pub fn energy(&self, f: &Mat3x2) -> f64 {
        match self {
            MembraneLaw::StVenantKirchhoff(lame) => {
                let strain = green_strain(f);
                lame.mu * strain.norm_squared() + 0.5 * lame.lambda * strain.trace().powi(2)
            }
            MembraneLaw::Orthotropic(law) => law.energy(f),
            MembraneLaw::NeoHookean(Lame { lambda, mu }) => {
                let j = area_ratio(f);
                if j <= 0.0 {
                    return f64::INFINITY;
                }
                0.5 * mu * (f.norm_squared() - 2.0) - mu * j.ln() + 0.5 * lambda * j.ln().powi(2)
            }
            MembraneLaw::StableNeoHookean(lame) => {
                let j = area_ratio(f);
                0.5 * lame.mu * (f.norm_squared() - 2.0 * j) + 0.5 * lame.stable_lambda() * (j - 1.0).powi(2)
            }
            MembraneLaw::Corotated(Lame { lambda, mu }) => {
                // (σ₁ ± σ₂)² = |F|² ± 2J
                let (j, square) = (area_ratio(f), f.norm_squared());
                let strain = (square + 2.0 * j).sqrt() - 2.0;
                0.5 * mu * (strain * strain + square - 2.0 * j) + 0.5 * lambda * strain * strain
            }
            MembraneLaw::BaraffWitkin(law) => law.energy(f),
        }
    }

    /// First Piola–Kirchhoff stress `P = ∂ψ/∂F` \[N/m\].
    pub fn stress(&self, f: &Mat3x2) -> Mat3x2 {
        match self {
            MembraneLaw::StVenantKirchhoff(Lame { lambda, mu }) => {
                let strain = green_strain(f);
                f * (strain * (2.0 * mu) + Mat2::identity() * (lambda * strain.trace()))
            }
            MembraneLaw::Orthotropic(law) => law.stress(f),
            MembraneLaw::NeoHookean(Lame { lambda, mu }) => {
                let (j, slope) = area_gradient(f);
                f * *mu + slope * ((lambda * j.ln() - mu) / j)
            }
            MembraneLaw::StableNeoHookean(lame) => {
                let (j, slope) = area_gradient(f);
                f * lame.mu + slope * (lame.stable_lambda() * (j - 1.0) - lame.mu)
            }
            MembraneLaw::Corotated(Lame { lambda, mu }) => {
                // The polar rotation is ∂(σ₁+σ₂)/∂F = (F + ∂J/∂F)/(σ₁+σ₂).
                let (j, slope) = area_gradient(f);
                let sum = (f.norm_squared() + 2.0 * j).sqrt().max(STRETCH_FLOOR);
                let rotation = (f + slope) / sum;
                f * (2.0 * mu) + rotation * (lambda * (sum - 2.0) - 2.0 * mu)
            }
            MembraneLaw::BaraffWitkin(law) => law.stress(f),
        }
    }

    /// Second derivative over the columns of `F`.
    ///
    /// Projected, isotropic laws lose exactly their negative eigenvalues; the orthotropic law drops
    /// compressive stress from its geometric part, Baraff–Witkin clamps stretch and shear one by
    /// one.
    pub fn hessian(&self, f: &Mat3x2, curvature: Curvature) -> MembraneHessian {
        let principal: fn(&Vec2, &Lame) -> PrincipalHessian2;
        let lame = match self {
            MembraneLaw::Orthotropic(law) => return law.hessian(f, curvature),
            MembraneLaw::BaraffWitkin(law) => return law.hessian(f, curvature),
            MembraneLaw::StVenantKirchhoff(lame) => {
                principal = saint_venant_kirchhoff;
                lame
            }
            MembraneLaw::NeoHookean(lame) => {
                principal = neo_hookean;
                lame
            }
            MembraneLaw::StableNeoHookean(lame) => {
                principal = stable_neo_hookean;
                lame
            }
            MembraneLaw::Corotated(lame) => {
                principal = corotated;
                lame
            }
        };
        let svd = svd3x2(f);
        let exact = principal(&svd.sigma, lame);
        match curvature {
            Curvature::Exact => exact.over_columns(&svd),
            Curvature::Projected => exact.projected().over_columns(&svd),
        }
    }
}

/// Second derivative of an energy per area over the columns of `F`: `h_jl = ∂²ψ/∂f_j∂f_l`,
/// `h_21 = h_12ᵀ` \[N/m\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MembraneHessian {
    /// First column with itself.
    pub h11: Mat3,
    /// First column (rows) with the second (columns).
    pub h12: Mat3,
    /// Second column with itself.
    pub h22: Mat3,
}

impl MembraneHessian {
    /// Block of two vertices with shape gradients `a` and `b`: `Σ_jl a_j b_l h_jl`.
    pub(crate) fn block(&self, a: &Vec2, b: &Vec2) -> Mat3 {
        self.h11 * (a.x * b.x)
            + self.h22 * (a.y * b.y)
            + self.h12 * (a.x * b.y)
            + self.h12.transpose() * (a.y * b.x)
    }
}

/// Green strain `½(FᵀF − I)` in material axes.
pub(super) fn green_strain(f: &Mat3x2) -> Mat2 {
    (f.transpose() * f - Mat2::identity()) * 0.5
}

fn columns(f: &Mat3x2) -> (Vec3, Vec3) {
    (f.column(0).into_owned(), f.column(1).into_owned())
}

/// `J = |f₁×f₂|`.
fn area_ratio(f: &Mat3x2) -> f64 {
    let (f1, f2) = columns(f);
    f1.cross(&f2).norm()
}

/// J and `∂J/∂F = [f₂×n, n×f₁]`, n the unit normal; zero where there is none.
fn area_gradient(f: &Mat3x2) -> (f64, Mat3x2) {
    let (f1, f2) = columns(f);
    let cross = f1.cross(&f2);
    let j = cross.norm();
    let normal = if j > 0.0 { cross / j } else { Vec3::zeros() };
    (j, Mat3x2::from_columns(&[f2.cross(&normal), normal.cross(&f1)]))
}

/// `ψ_i = μσ³ + cσ`, c = λ tr E − μ.
fn saint_venant_kirchhoff(s: &Vec2, &Lame { lambda, mu }: &Lame) -> PrincipalHessian2 {
    let c = lambda * 0.5 * (s.norm_squared() - 2.0) - mu;
    let (squares, product) = (mu * s.norm_squared() + c, s.x * s.y);
    let diagonal = |x: f64| (3.0 * mu + lambda) * x * x + c;
    PrincipalHessian2 {
        scaling: Mat2::new(diagonal(s.x), lambda * product, lambda * product, diagonal(s.y)),
        twist: squares - mu * product,
        flip: squares + mu * product,
        normal: s.map(|x| mu * x * x + c),
    }
}

/// `ψ_i = μσ_i + c/σ_i`, c = λ ln J − μ.
fn neo_hookean(s: &Vec2, &Lame { lambda, mu }: &Lame) -> PrincipalHessian2 {
    let c = lambda * (s.x * s.y).ln() - mu;
    let inverse = s.map(|x| 1.0 / x);
    let product = inverse.x * inverse.y;
    let diagonal = |i: f64| mu + (lambda - c) * i * i;
    PrincipalHessian2 {
        scaling: Mat2::new(diagonal(inverse.x), lambda * product, lambda * product, diagonal(inverse.y)),
        twist: mu + c * product,
        flip: mu - c * product,
        normal: inverse.map(|i| mu + c * i * i),
    }
}

/// `ψ₁ = μσ₁ + cσ₂`, c = λ'(J−1) − μ.
fn stable_neo_hookean(s: &Vec2, lame: &Lame) -> PrincipalHessian2 {
    let (mu, bulk, j) = (lame.mu, lame.stable_lambda(), s.x * s.y);
    let c = bulk * (j - 1.0) - mu;
    let mixed = bulk * j + c;
    PrincipalHessian2 {
        scaling: Mat2::new(mu + bulk * s.y * s.y, mixed, mixed, mu + bulk * s.x * s.x),
        twist: mu + c,
        flip: mu - c,
        normal: Vec2::new(mu + c * s.y / s.x.max(STRETCH_FLOOR), mu + c * s.x / s.y.max(STRETCH_FLOOR)),
    }
}

/// `ψ_i = 2μ(σ_i−1) + λt`, t = Σ(σ−1).
fn corotated(s: &Vec2, &Lame { lambda, mu }: &Lame) -> PrincipalHessian2 {
    let trace = s.x + s.y - 2.0;
    PrincipalHessian2 {
        scaling: Mat2::new(2.0 * mu + lambda, lambda, lambda, 2.0 * mu + lambda),
        twist: 2.0 * mu + (2.0 * lambda * trace - 4.0 * mu) / (s.x + s.y).max(STRETCH_FLOOR),
        flip: 2.0 * mu,
        normal: s.map(|x| (2.0 * mu * (x - 1.0) + lambda * trace) / x.max(STRETCH_FLOOR)),
    }
}
