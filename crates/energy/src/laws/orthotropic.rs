//! Orthotropic St. Venant–Kirchhoff sheet: woven cloth, stiff along warp and weft, soft in shear.
//!
//! `ψ = ½C₁₁E₁₁² + ½C₂₂E₂₂² + C₁₂E₁₁E₂₂ + ½C₃₃(2E₁₂)²`, `S = ∂ψ/∂E`, `P = F S`; axis 1 is warp,
//! axis 2 weft.
//! `∂²ψ/∂f_j∂f_l = S_jl I + Σ_km C_jklm f_k f_mᵀ` (geometric plus material part).

use super::membrane::{MembraneHessian, green_strain};
use crate::element::Curvature;
use stiction_numerics::{Mat2, Mat3, Mat3x2, project_spd};

/// Stiffness of an orthotropic sheet, thickness included \[N/m\]; needs `C₁₁C₂₂ > C₁₂²`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Orthotropic {
    /// Along warp.
    pub c11: f64,
    /// Along weft.
    pub c22: f64,
    /// Coupling of warp and weft.
    pub c12: f64,
    /// Shear: stress over engineering strain 2E₁₂.
    pub c33: f64,
}

impl Orthotropic {
    /// From moduli \[Pa\], `ν₁₂` (contraction along weft under pull along warp) and thickness
    /// \[m\]:
    /// `d = 1 − ν₁₂²E₂/E₁`, `C₁₁ = E₁h/d`, `C₂₂ = E₂h/d`, `C₁₂ = ν₁₂E₂h/d`, `C₃₃ = Gh`.
    pub fn from_moduli(warp: f64, weft: f64, poisson: f64, shear: f64, thickness: f64) -> Self {
        let scale = thickness / (1.0 - poisson * poisson * weft / warp);
        Orthotropic {
            c11: warp * scale,
            c22: weft * scale,
            c12: poisson * weft * scale,
            c33: shear * thickness,
        }
    }

    /// Second Piola–Kirchhoff stress `S` of a Green strain.
    fn material_stress(&self, strain: &Mat2) -> Mat2 {
        let shear = 2.0 * self.c33 * strain[(0, 1)];
        Mat2::new(
            self.c11 * strain[(0, 0)] + self.c12 * strain[(1, 1)],
            shear,
            shear,
            self.c12 * strain[(0, 0)] + self.c22 * strain[(1, 1)],
        )
    }

    /// Energy per area \[J/m²\].
    pub fn energy(&self, f: &Mat3x2) -> f64 {
        let strain = green_strain(f);
        0.5 * self.material_stress(&strain).dot(&strain)
    }

    /// First Piola–Kirchhoff stress \[N/m\].
    pub fn stress(&self, f: &Mat3x2) -> Mat3x2 {
        f * self.material_stress(&green_strain(f))
    }

    /// Second derivative. Projected: negative principal stresses leave the geometric part. That
    /// removes the buckling mode exactly, bounds the exact Hessian from above, and changes nothing
    /// under tension.
    pub fn hessian(&self, f: &Mat3x2, curvature: Curvature) -> MembraneHessian {
        let mut stress = self.material_stress(&green_strain(f));
        if curvature == Curvature::Projected {
            stress = project_spd(&stress);
        }
        let (f1, f2) = (f.column(0), f.column(1));
        let (p11, p12, p22) = (f1 * f1.transpose(), f1 * f2.transpose(), f2 * f2.transpose());
        let geometric = |s: f64| Mat3::from_diagonal_element(s);
        MembraneHessian {
            h11: geometric(stress[(0, 0)]) + p11 * self.c11 + p22 * self.c33,
            h12: geometric(stress[(0, 1)]) + p12 * self.c12 + p12.transpose() * self.c33,
            h22: geometric(stress[(1, 1)]) + p22 * self.c22 + p11 * self.c33,
        }
    }
}
