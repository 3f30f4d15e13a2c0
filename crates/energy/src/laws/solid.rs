//! Isotropic laws of solids.
//!
//! Every law is written three times, always from the same energy: as a function of `F` where that
//! needs no decomposition (energy and stress), and through its principal stretches (second
//! derivatives). Twist and flip eigenvalues are in closed form: dividing `ψ_i ± ψ_j` by `σ_i ± σ_j`
//! numerically would lose them near rest.

use super::lame::Lame;
use super::linear;
use super::mooney_rivlin::MooneyRivlin;
use super::principal3::{PAIRS, PrincipalHessian3};
use crate::element::Curvature;
use stiction_numerics::{Mat3, Svd3, Vec3, svd3};
use stiction_scene::law::{LAWS, Law};

/// Where the polar rotation of a corotated law is undefined (`σ_i + σ_j → 0`), its curvature is
/// kept finite by this floor on the sum of two stretches.
const STRETCH_SUM_FLOOR: f64 = 1e-9;

/// An isotropic solid law `ψ(F)` \[J/m³\]; σ are the principal stretches, `J = det F`,
/// `E = ½(FᵀF − I)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SolidLaw {
    /// `ψ = μ E:E + ½λ (tr E)²`.
    ///
    /// Under inversion: finite and blind to the sign of J. Softens in compression (the force
    /// vanishes again as the element flattens), so elements may pass through themselves; meant for
    /// moderate strains.
    StVenantKirchhoff,
    /// `ψ = ½μ(|F|² − 3) − μ ln J + ½λ ln²J`.
    ///
    /// Under inversion: energy +∞ for J ≤ 0 (a line search never accepts it); stress and Hessian
    /// are not defined there and come out as NaN.
    NeoHookean,
    /// `ψ = ½μ(|F|² − 3) − μ(J−1) + ½λ'(J−1)²`, λ' = λ + μ.
    ///
    /// Under inversion: smooth and finite everywhere; a flat or inverted element is pushed back
    /// towards J = 1. One state is a trap: an element shrunk to a point (F = 0) feels no force, and
    /// small F is drawn towards it.
    /// \[Smith2018, without their logarithm, which would remove the trap; rest-stable by λ'\]
    StableNeoHookean,
    /// `ψ = μ Σ(σ−1)² + ½λ (Σ(σ−1))²`: linear elasticity in the frame of the polar rotation.
    ///
    /// Under inversion: the reflection goes to the smallest stretch, so the energy is smooth
    /// through a flattened state and pulls back. On the set where the two smallest stretches are
    /// opposite (σ₂ = −σ₃) the rotation is not unique: the energy is continuous, the stress jumps.
    Corotated,
    /// `ψ = μ Σ(σ−1)² + ½λ (J−1)²`.
    ///
    /// Under inversion: as `Corotated`; volume is resisted by J itself, also at large strain.
    FixedCorotated,
    /// `ψ = C₁₀(J^(−2/3) I₁ − 3) + C₀₁(J^(−4/3) I₂ − 3) + ½K(J−1)²`, see [`super::mooney_rivlin`].
    ///
    /// Under inversion: energy +∞ for J ≤ 0; stress and Hessian are not defined there and come out
    /// as NaN.
    MooneyRivlin {
        /// C₀₁/(C₁₀ + C₀₁), 0 to 1.
        fraction: f64,
    },
    /// `ψ = μ ε:ε + ½λ (tr ε)²`, `ε = ½(F + Fᵀ) − I`, see [`super::linear`].
    ///
    /// Under inversion: quadratic in F, so finite, and pulls back. Not invariant under rotations: a
    /// rotation by φ costs energy of order φ⁴ and swells the element.
    Linear,
}

impl SolidLaw {
    /// The formulas of a law that a scene names; `None` where the table has none for solids.
    pub fn named(law: Law, mooney_fraction: f64) -> Option<SolidLaw> {
        match law {
            Law::Stvk => Some(SolidLaw::StVenantKirchhoff),
            Law::NeoHookean => Some(SolidLaw::NeoHookean),
            Law::StableNeoHookean => Some(SolidLaw::StableNeoHookean),
            Law::Corotated => Some(SolidLaw::Corotated),
            Law::FixedCorotated => Some(SolidLaw::FixedCorotated),
            Law::MooneyRivlin => Some(SolidLaw::MooneyRivlin { fraction: mooney_fraction }),
            Law::Linear => Some(SolidLaw::Linear),
            Law::Arap | Law::BaraffWitkin => None,
        }
    }

    /// All laws of the table, for tests and benches.
    pub fn all() -> impl Iterator<Item = (Law, SolidLaw)> {
        let fraction = 0.3;
        LAWS.iter().filter_map(move |row| Some((row.law, SolidLaw::named(row.law, fraction)?)))
    }

    /// Energy density \[J/m³\].
    pub fn energy(self, f: &Mat3, lame: &Lame) -> f64 {
        let Lame { lambda, mu } = *lame;
        match self {
            SolidLaw::StVenantKirchhoff => {
                let strain = green_strain(f);
                mu * strain.norm_squared() + 0.5 * lambda * strain.trace().powi(2)
            }
            SolidLaw::NeoHookean => {
                let j = f.determinant();
                if j <= 0.0 {
                    return f64::INFINITY;
                }
                0.5 * mu * (f.norm_squared() - 3.0) - mu * j.ln() + 0.5 * lambda * j.ln().powi(2)
            }
            SolidLaw::StableNeoHookean => {
                let volume = f.determinant() - 1.0;
                0.5 * mu * (f.norm_squared() - 3.0) - mu * volume
                    + 0.5 * lame.stable_lambda() * volume * volume
            }
            SolidLaw::Corotated => {
                let strain = svd3(f).sigma - Vec3::repeat(1.0);
                mu * strain.norm_squared() + 0.5 * lambda * strain.sum().powi(2)
            }
            SolidLaw::FixedCorotated => {
                let strain = svd3(f).sigma - Vec3::repeat(1.0);
                mu * strain.norm_squared() + 0.5 * lambda * (f.determinant() - 1.0).powi(2)
            }
            SolidLaw::MooneyRivlin { fraction } => MooneyRivlin::new(lame, fraction).energy(f),
            SolidLaw::Linear => linear::energy(f, lame),
        }
    }

    /// First Piola–Kirchhoff stress `P = ∂ψ/∂F` \[Pa\].
    pub fn stress(self, f: &Mat3, lame: &Lame) -> Mat3 {
        let Lame { lambda, mu } = *lame;
        match self {
            SolidLaw::StVenantKirchhoff => {
                let strain = green_strain(f);
                f * (strain * (2.0 * mu) + Mat3::identity() * (lambda * strain.trace()))
            }
            SolidLaw::NeoHookean => {
                let j = f.determinant();
                f * mu + cofactor(f) * ((lambda * j.ln() - mu) / j)
            }
            SolidLaw::StableNeoHookean => {
                f * mu + cofactor(f) * (lame.stable_lambda() * (f.determinant() - 1.0) - mu)
            }
            SolidLaw::Corotated => {
                let Svd3 { u, sigma, v } = svd3(f);
                let rotation = u * v.transpose();
                f * (2.0 * mu) + rotation * (lambda * (sigma.sum() - 3.0) - 2.0 * mu)
            }
            SolidLaw::FixedCorotated => {
                let Svd3 { u, v, .. } = svd3(f);
                (f - u * v.transpose()) * (2.0 * mu) + cofactor(f) * (lambda * (f.determinant() - 1.0))
            }
            SolidLaw::MooneyRivlin { fraction } => MooneyRivlin::new(lame, fraction).stress(f),
            SolidLaw::Linear => linear::stress(f, lame),
        }
    }

    /// Second derivative in the principal frame.
    pub fn hessian(self, f: &Mat3, lame: &Lame, curvature: Curvature) -> PrincipalHessian3 {
        let svd = svd3(f);
        let exact = match self {
            // Constant, and positive semi-definite as it is.
            SolidLaw::Linear => return linear::hessian(lame),
            SolidLaw::StVenantKirchhoff => saint_venant_kirchhoff(&svd, lame),
            SolidLaw::NeoHookean => neo_hookean(&svd, lame),
            SolidLaw::StableNeoHookean => stable_neo_hookean(&svd, lame),
            SolidLaw::Corotated => corotated(&svd, lame),
            SolidLaw::FixedCorotated => fixed_corotated(&svd, lame),
            SolidLaw::MooneyRivlin { fraction } => MooneyRivlin::new(lame, fraction).hessian(&svd),
        };
        match curvature {
            Curvature::Exact => exact,
            Curvature::Projected => exact.projected(),
        }
    }
}

/// Green strain `½(FᵀF − I)`.
fn green_strain(f: &Mat3) -> Mat3 {
    (f.transpose() * f - Mat3::identity()) * 0.5
}

/// Cofactor matrix `∂J/∂F = J F⁻ᵀ`, defined for singular F too.
pub(crate) fn cofactor(f: &Mat3) -> Mat3 {
    let (a, b, c) = (f.column(0).into_owned(), f.column(1).into_owned(), f.column(2).into_owned());
    Mat3::from_columns(&[b.cross(&c), c.cross(&a), a.cross(&b)])
}

/// Builds a Hessian from `ψ_ij` and from (twist, flip) of each pair `(i, j)` with third axis `k`.
pub(super) fn assemble(
    svd: &Svd3,
    scaling: impl Fn(usize, usize) -> f64,
    pair: impl Fn(usize, usize, usize) -> (f64, f64),
) -> PrincipalHessian3 {
    let (mut twist, mut flip) = (Vec3::zeros(), Vec3::zeros());
    for (k, &(i, j)) in PAIRS.iter().enumerate() {
        (twist[k], flip[k]) = pair(i, j, k);
    }
    PrincipalHessian3 { u: svd.u, v: svd.v, scaling: Mat3::from_fn(scaling), twist, flip }
}

/// `ψ_i = μσ³ + cσ`, c = λ tr E − μ; twist and flip `μ(σ_i² ∓ σ_iσ_j + σ_j²) + c`.
fn saint_venant_kirchhoff(svd: &Svd3, &Lame { lambda, mu }: &Lame) -> PrincipalHessian3 {
    let s = &svd.sigma;
    let c = lambda * 0.5 * (s.norm_squared() - 3.0) - mu;
    assemble(
        svd,
        |i, j| lambda * s[i] * s[j] + if i == j { 3.0 * mu * s[i] * s[i] + c } else { 0.0 },
        |i, j, _| {
            let (squares, product) = (mu * (s[i] * s[i] + s[j] * s[j]) + c, mu * s[i] * s[j]);
            (squares - product, squares + product)
        },
    )
}

/// `ψ_i = μσ_i + c/σ_i`, c = λ ln J − μ; twist and flip `μ ± c/(σ_iσ_j)`.
fn neo_hookean(svd: &Svd3, &Lame { lambda, mu }: &Lame) -> PrincipalHessian3 {
    let s = &svd.sigma;
    let inverse = s.map(|x| 1.0 / x);
    let c = lambda * s.product().ln() - mu;
    assemble(
        svd,
        |i, j| lambda * inverse[i] * inverse[j] + if i == j { mu - c * inverse[i] * inverse[i] } else { 0.0 },
        |i, j, _| {
            let part = c * inverse[i] * inverse[j];
            (mu + part, mu - part)
        },
    )
}

/// `ψ_i = μσ_i + c J_i`, J_i = ∂J/∂σ_i, c = λ'(J−1) − μ; twist and flip `μ ± cσ_k`.
fn stable_neo_hookean(svd: &Svd3, lame: &Lame) -> PrincipalHessian3 {
    let c = lame.stable_lambda() * (svd.sigma.product() - 1.0) - lame.mu;
    volumetric(svd, lame.stable_lambda(), lame.mu, c, |_, _| lame.mu)
}

/// `ψ_i = 2μ(σ_i−1) + c J_i`, c = λ(J−1); twist `2μ − 4μ/(σ_i+σ_j) + cσ_k`, flip `2μ − cσ_k`.
fn fixed_corotated(svd: &Svd3, &Lame { lambda, mu }: &Lame) -> PrincipalHessian3 {
    let s = &svd.sigma;
    let c = lambda * (s.product() - 1.0);
    volumetric(svd, lambda, 2.0 * mu, c, |i, j| 2.0 * mu - 4.0 * mu / floored_sum(s[i], s[j]))
}

/// A law `Σφ(σ) + g(J)` with `φ'' = shape`, `g'' = bulk`, `g' = c`: the part of J is common to two
/// laws.
fn volumetric(
    svd: &Svd3,
    bulk: f64,
    shape: f64,
    c: f64,
    twist: impl Fn(usize, usize) -> f64,
) -> PrincipalHessian3 {
    let s = &svd.sigma;
    let slope = Vec3::new(s[1] * s[2], s[2] * s[0], s[0] * s[1]);
    assemble(
        svd,
        |i, j| bulk * slope[i] * slope[j] + if i == j { shape } else { c * s[3 - i - j] },
        |i, j, k| (twist(i, j) + c * s[k], shape - c * s[k]),
    )
}

/// `ψ_i = 2μ(σ_i−1) + λt`, t = Σ(σ−1); twist `2μ + (2λt − 4μ)/(σ_i+σ_j)`, flip `2μ`.
fn corotated(svd: &Svd3, &Lame { lambda, mu }: &Lame) -> PrincipalHessian3 {
    let s = &svd.sigma;
    let c = 2.0 * lambda * (s.sum() - 3.0) - 4.0 * mu;
    assemble(
        svd,
        |i, j| lambda + if i == j { 2.0 * mu } else { 0.0 },
        |i, j, _| (2.0 * mu + c / floored_sum(s[i], s[j]), 2.0 * mu),
    )
}

/// `σ_i + σ_j`, which is ≥ 0 by the order of the stretches, kept away from zero.
fn floored_sum(a: f64, b: f64) -> f64 {
    (a + b).max(STRETCH_SUM_FLOOR)
}
