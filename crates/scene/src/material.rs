//! Materials of cloth, rods, solids and rigid bodies in SI units. Stretching and bending moduli are
//! separate, since real threads and fabrics are not homogeneous plates.

use crate::law::Law;

/// Material of a body.
#[derive(Clone, Debug, PartialEq)]
pub enum Material {
    /// Thin shell.
    Cloth(ClothMaterial),
    /// Elastic rod.
    Rod(RodMaterial),
    /// Soft solid.
    Solid(SolidMaterial),
    /// Rigid body.
    Rigid(RigidMaterial),
}

impl Material {
    /// Mass per volume [kg/m³].
    pub fn density(&self) -> f64 {
        match self {
            Material::Cloth(m) => m.density,
            Material::Rod(m) => m.density,
            Material::Solid(m) => m.density,
            Material::Rigid(m) => m.density,
        }
    }

    /// Damping coefficients.
    pub fn damping(&self) -> Damping {
        match self {
            Material::Cloth(m) => m.damping,
            Material::Rod(m) => m.damping,
            Material::Solid(m) => m.damping,
            Material::Rigid(_) => Damping::default(),
        }
    }

    /// Whether bending needs the normals at the edges as unknowns.
    pub fn has_edge_normals(&self) -> bool {
        let by_shape =
            |c: &ClothMaterial| c.bending == BendingLaw::ShapeOperator && c.bending_stiffness > 0.0;
        matches!(self, Material::Cloth(cloth) if by_shape(cloth))
    }

    /// Air drag coefficients.
    pub fn drag(&self) -> Drag {
        match self {
            Material::Cloth(m) => m.drag,
            Material::Rod(m) => m.drag,
            Material::Solid(m) => m.drag,
            Material::Rigid(_) => Drag::default(),
        }
    }
}

/// Rayleigh damping, C = α M + β K, with a β of its own for bending (and twisting).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Damping {
    /// α [1/s].
    pub mass: f64,
    /// β of stretching, shear or volume [s].
    pub stiffness: f64,
    /// β of bending and twisting [s].
    pub bending: f64,
}

/// Dimensionless drag coefficients: force ½ ρ C A |w|² along the normal and the tangent of the
/// surface.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Drag {
    /// Pressure drag on the relative normal speed.
    pub normal: f64,
    /// Skin friction on the relative tangential speed.
    pub tangential: f64,
}

/// Material of a thin shell.
#[derive(Clone, Debug, PartialEq)]
pub struct ClothMaterial {
    /// Mass per volume [kg/m³]; mass per area is `density · thickness`.
    pub density: f64,
    /// Thickness for mass and stiffness [m].
    pub thickness: f64,
    /// In-plane law; one that the table has for cloth.
    pub law: Law,
    /// In-plane stiffness.
    pub stretch: MembraneStiffness,
    /// Bending law.
    pub bending: BendingLaw,
    /// Bending stiffness D [N m]; from E_b h³ / (12 (1 − ν²)) unless given outright.
    pub bending_stiffness: f64,
    /// Poisson ratio of the bending stiffness (for the shape operator).
    pub bending_poisson: f64,
    /// Whether the rest shape keeps its curvature; `false` means flat.
    pub rest_curved: bool,
    /// Damping.
    pub damping: Damping,
    /// Largest stretch beyond rest that is allowed, as a fraction; `None` is without limit.
    pub strain_limit: Option<f64>,
    /// Air drag.
    pub drag: Drag,
}

/// In-plane stiffness of a shell, moduli of the bulk material (per thickness).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MembraneStiffness {
    /// Same in all directions.
    Isotropic {
        /// Young's modulus [Pa].
        young: f64,
        /// Poisson ratio, −1 < ν < 0.5.
        poisson: f64,
    },
    /// Woven: warp is the direction of u.
    Orthotropic {
        /// Young's modulus along warp [Pa].
        warp: f64,
        /// Young's modulus along weft [Pa].
        weft: f64,
        /// Shear modulus [Pa].
        shear: f64,
        /// Poisson ratio ν₁₂: contraction along weft under pull along warp; ν₁₂² weft/warp < 1.
        poisson: f64,
    },
}

/// Bending law of a shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BendingLaw {
    /// Dihedral angles.
    Hinge,
    /// Quadratic form, flat rest shape.
    Quadratic,
    /// Triangle-averaged shape operator: independent of the mesh.
    ShapeOperator,
}

/// Material of a rod.
#[derive(Clone, Debug, PartialEq)]
pub struct RodMaterial {
    /// Mass per volume [kg/m³].
    pub density: f64,
    /// Young's modulus for stretching [Pa].
    pub young_stretch: f64,
    /// Young's modulus for bending [Pa].
    pub young_bend: f64,
    /// Shear modulus for twisting [Pa].
    pub shear: f64,
    /// Cross section.
    pub section: RodSection,
    /// Whether the rest shape keeps its curvature and twist; `false` means straight.
    pub rest_curved: bool,
    /// Damping.
    pub damping: Damping,
    /// Air drag.
    pub drag: Drag,
}

/// Cross section of a rod. Axis 1 is the first material director.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RodSection {
    /// Round.
    Circle {
        /// Radius [m].
        radius: f64,
    },
    /// Elliptic.
    Ellipse {
        /// Half axis along director 1 [m].
        radius_1: f64,
        /// Half axis along director 2 [m].
        radius_2: f64,
    },
    /// Rectangular.
    Rectangle {
        /// Full width along director 1 [m].
        width_1: f64,
        /// Full width along director 2 [m].
        width_2: f64,
    },
}

impl RodSection {
    /// Area [m²].
    pub fn area(&self) -> f64 {
        use std::f64::consts::PI;
        match *self {
            RodSection::Circle { radius } => PI * radius * radius,
            RodSection::Ellipse { radius_1, radius_2 } => PI * radius_1 * radius_2,
            RodSection::Rectangle { width_1, width_2 } => width_1 * width_2,
        }
    }

    /// Second moments [m⁴]: `I[0] = ∫ y₁² dA` resists bending *in the plane of* director 1, `I[1]`
    /// of director 2.
    pub fn second_moments(&self) -> [f64; 2] {
        use std::f64::consts::PI;
        match *self {
            RodSection::Circle { radius } => [PI * radius.powi(4) / 4.0; 2],
            RodSection::Ellipse { radius_1: a, radius_2: b } => {
                [PI * a.powi(3) * b / 4.0, PI * a * b.powi(3) / 4.0]
            }
            RodSection::Rectangle { width_1: a, width_2: b } => [a.powi(3) * b / 12.0, a * b.powi(3) / 12.0],
        }
    }

    /// Torsion constant J [m⁴]: polar moment for a circle, Saint-Venant's for the others.
    ///
    /// Ellipse π a³b³/(a²+b²). Rectangle a b³ [1/3 − 64/π⁵ (b/a) Σ_{n odd} tanh(nπa/2b)/n⁵] with
    /// a ≥ b [Timoshenko, Theory of Elasticity, §109].
    pub fn torsion_constant(&self) -> f64 {
        use std::f64::consts::PI;
        match *self {
            RodSection::Circle { radius } => PI * radius.powi(4) / 2.0,
            RodSection::Ellipse { radius_1: a, radius_2: b } => PI * a.powi(3) * b.powi(3) / (a * a + b * b),
            RodSection::Rectangle { width_1, width_2 } => {
                let (a, b) = (width_1.max(width_2), width_1.min(width_2));
                let series: f64 = (0..12)
                    .map(|k| f64::from(2 * k + 1))
                    .map(|n| (n * PI * a / (2.0 * b)).tanh() / n.powi(5))
                    .sum();
                // The closed form is 1/3 − (64/π⁵)(b/a)Σ: 0.1406 for a square, 1/3 for a thin
                // strip.
                a * b.powi(3) * (1.0 / 3.0 - 64.0 / PI.powi(5) * (b / a) * series)
            }
        }
    }

    /// Diameter for contact [m]: the larger width.
    pub fn diameter(&self) -> f64 {
        match *self {
            RodSection::Circle { radius } => 2.0 * radius,
            RodSection::Ellipse { radius_1, radius_2 } => 2.0 * radius_1.max(radius_2),
            RodSection::Rectangle { width_1, width_2 } => width_1.max(width_2),
        }
    }
}

/// Material of a rigid body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidMaterial {
    /// Mass per volume [kg/m³]; the total mass over the volume where a mass is given.
    pub density: f64,
}

/// Material of a soft solid.
#[derive(Clone, Debug, PartialEq)]
pub struct SolidMaterial {
    /// Mass per volume [kg/m³].
    pub density: f64,
    /// Young's modulus [Pa].
    pub young: f64,
    /// Poisson ratio, −1 < ν < 0.5.
    pub poisson: f64,
    /// Law; one that the table has for solids.
    pub law: Law,
    /// Mooney–Rivlin: C₀₁/(C₁₀ + C₀₁), 0 to 1. Other laws do not take it.
    pub mooney_fraction: f64,
    /// Damping.
    pub damping: Damping,
    /// Penalty on change of volume of each tet on top of the law [Pa]; usually 0.
    pub volume_stiffness: f64,
    /// Air drag.
    pub drag: Drag,
}

impl SolidMaterial {
    /// Lamé parameters (λ, μ) [Pa]: λ = E ν/((1+ν)(1−2ν)), μ = E/(2(1+ν)).
    pub fn lame(&self) -> (f64, f64) {
        let (e, nu) = (self.young, self.poisson);
        (e * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)), e / (2.0 * (1.0 + nu)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn torsion_of_rectangles_meets_tabulated_values() {
        // Timoshenko & Goodier, table of β in J = β a b³.
        for (ratio, beta) in [(1.0, 0.1406), (2.0, 0.229), (5.0, 0.291), (10.0, 0.312)] {
            let j = RodSection::Rectangle { width_1: ratio, width_2: 1.0 }.torsion_constant();
            assert!((j / ratio - beta).abs() < 6e-4, "ratio {ratio}: {}", j / ratio);
        }
    }

    #[test]
    fn an_ellipse_with_equal_axes_is_a_circle() {
        let circle = RodSection::Circle { radius: 0.3 };
        let ellipse = RodSection::Ellipse { radius_1: 0.3, radius_2: 0.3 };
        assert!((circle.torsion_constant() - ellipse.torsion_constant()).abs() < 1e-16);
        assert!((circle.second_moments()[0] - ellipse.second_moments()[1]).abs() < 1e-16);
    }
}
