//! Second derivative of an isotropic membrane law in its principal frame.
//!
//! With `F = U diag(σ₁,σ₂) Vᵀ` (3×2, `u₃ = u₁×u₂`) and an energy `ψ(σ₁,σ₂)` there are six modes: a
//! twist with `(ψ₁+ψ₂)/(σ₁+σ₂)`, a flip with `(ψ₁−ψ₂)/(σ₁−σ₂)`, two out of the plane with `ψ_i/σ_i`
//! (the membrane tension, negative where the sheet would buckle), and two scalings, the eigenpairs
//! of `[ψ_ij]`.

use super::membrane::MembraneHessian;
use stiction_numerics::{Mat2, Mat3, Svd3x2, Vec2, project_spd};

/// Second derivative of an isotropic energy density of a 3×2 deformation gradient \[N/m\].
#[derive(Clone, Copy, Debug)]
pub struct PrincipalHessian2 {
    /// `ψ_ij`.
    pub scaling: Mat2,
    /// Eigenvalue of the twist.
    pub twist: f64,
    /// Eigenvalue of the flip.
    pub flip: f64,
    /// Eigenvalues of the motions along the normal, `ψ_i/σ_i`.
    pub normal: Vec2,
}

impl PrincipalHessian2 {
    /// The same Hessian with its negative eigenvalues removed.
    pub fn projected(&self) -> Self {
        PrincipalHessian2 {
            scaling: project_spd(&self.scaling),
            twist: self.twist.max(0.0),
            flip: self.flip.max(0.0),
            normal: self.normal.map(|n| n.max(0.0)),
        }
    }

    /// Turned out of the principal frame, over the columns of `F`.
    pub fn over_columns(&self, svd: &Svd3x2) -> MembraneHessian {
        let (first, second) = (svd.v.row(0).transpose(), svd.v.row(1).transpose());
        MembraneHessian {
            h11: self.block(&svd.u, &first, &first),
            h12: self.block(&svd.u, &first, &second),
            h22: self.block(&svd.u, &second, &second),
        }
    }

    /// Block of two material directions `a`, `b` given in the principal frame.
    fn block(&self, u: &Mat3, a: &Vec2, b: &Vec2) -> Mat3 {
        let (same, swap) = (0.5 * (self.flip + self.twist), 0.5 * (self.flip - self.twist));
        let (p, q) = (a.x * b.x, a.y * b.y);
        let mixed = self.scaling[(0, 1)];
        let local = Mat3::new(
            self.scaling[(0, 0)] * p + same * q,
            mixed * a.x * b.y + swap * a.y * b.x,
            0.0,
            mixed * a.y * b.x + swap * a.x * b.y,
            self.scaling[(1, 1)] * q + same * p,
            0.0,
            0.0,
            0.0,
            self.normal.x * p + self.normal.y * q,
        );
        u * local * u.transpose()
    }
}
