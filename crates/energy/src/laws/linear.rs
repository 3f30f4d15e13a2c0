//! Linear elasticity of solids, for small rotations.
//!
//! `ψ = μ ε:ε + ½λ (tr ε)²`, `ε = ½(F + Fᵀ) − I`, `P = 2μ ε + λ tr(ε) I`.
//!
//! The Hessian is constant: seen in the axes of the world, diagonal entries of δF couple as
//! 2μδ_ij + λ, symmetric pairs have 2μ, antisymmetric pairs (small rotations) nothing. It is positive
//! semi-definite, so there is nothing to project. A finite rotation is taken for strain: by φ about
//! an axis, ε has cos φ − 1 twice on its diagonal.

use super::lame::Lame;
use super::principal3::PrincipalHessian3;
use stiction_numerics::{Mat3, Vec3};

fn strain(f: &Mat3) -> Mat3 {
    (f + f.transpose()) * 0.5 - Mat3::identity()
}

/// Energy density \[J/m³\].
pub(super) fn energy(f: &Mat3, &Lame { lambda, mu }: &Lame) -> f64 {
    let strain = strain(f);
    mu * strain.norm_squared() + 0.5 * lambda * strain.trace().powi(2)
}

/// First Piola–Kirchhoff stress \[Pa\].
pub(super) fn stress(f: &Mat3, &Lame { lambda, mu }: &Lame) -> Mat3 {
    let strain = strain(f);
    strain * (2.0 * mu) + Mat3::identity() * (lambda * strain.trace())
}

/// Second derivative, in the axes of the world.
pub(super) fn hessian(&Lame { lambda, mu }: &Lame) -> PrincipalHessian3 {
    PrincipalHessian3 {
        u: Mat3::identity(),
        v: Mat3::identity(),
        scaling: Mat3::from_element(lambda) + Mat3::from_diagonal_element(2.0 * mu),
        twist: Vec3::zeros(),
        flip: Vec3::repeat(2.0 * mu),
    }
}
