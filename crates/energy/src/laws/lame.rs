//! Lamé parameters from the moduli that engineers measure.

/// Lamé parameters: of a solid \[Pa\], or of a membrane under plane stress times its thickness
/// \[N/m\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lame {
    /// First parameter λ.
    pub lambda: f64,
    /// Shear modulus μ.
    pub mu: f64,
}

impl Lame {
    /// Solid: `λ = Eν / ((1+ν)(1−2ν))`, `μ = E / (2(1+ν))` \[Pa\] from Young's modulus E \[Pa\] and
    /// Poisson's ratio ν in (−1, ½).
    pub fn solid(young: f64, poisson: f64) -> Self {
        Lame {
            lambda: young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)),
            mu: young / (2.0 * (1.0 + poisson)),
        }
    }

    /// Membrane of the given thickness \[m\] without stress across it: `λ = Eνh / (1−ν²)`,
    /// `μ = Eh / (2(1+ν))` \[N/m\].
    /// λ differs from that of a solid because the sheet is free to thin.
    pub fn plane_stress(young: f64, poisson: f64, thickness: f64) -> Self {
        Lame {
            lambda: young * poisson * thickness / (1.0 - poisson * poisson),
            mu: young * thickness / (2.0 * (1.0 + poisson)),
        }
    }

    /// The λ' = λ + μ of the stable neo-Hookean laws: their −μ(J−1) term takes μ off the rest
    /// stiffness again.
    pub(crate) fn stable_lambda(&self) -> f64 {
        self.lambda + self.mu
    }
}
