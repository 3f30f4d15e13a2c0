//! Views of an energy for methods that do not take its gradient and Hessian.
//!
//! * [`crate::Potential`]: value, gradient, Hessian and its projection, assembled over a model:
//!   Newton-like methods
//! * [`Proximal`]: rows `D x` and the stiffness of a corotated law over them: projective methods
//! * [`Compliant`]: a constraint `C(x)` and its compliance: position-based methods
//!
//! A view is a trait of an element; [`crate::Elasticity`] hands out the lists of elements by type.
//! An element implements the views that it honestly has: points on frames have neither of the last
//! two, so no projective method gets them.

use crate::bending::{BendError, QuadraticBend};
use crate::laws::{Lame, Orthotropic};
use crate::material_table::{MaterialTable, SolidValues};
use crate::membrane::{TriangleElement, TriangleRest};
use crate::rod::{RodBendTwist, RodStretch};
use crate::solid::{TetElement, TetRest};
use stiction_numerics::{Mat3, Vec3};

/// What the local step of a projective method needs.
pub trait Proximal {
    /// Rows and stiffness.
    type Form;
    /// At the values of a material table.
    fn proximal(&self, materials: &MaterialTable) -> Self::Form;
}

/// What a position-based method needs.
pub trait Compliant {
    /// Constraint and compliance.
    type Constraint;
    /// At the values of a material table.
    fn compliant(&self, materials: &MaterialTable) -> Self::Constraint;
}

/// Natural bends below this count as flat or straight, relative to a fold without any cancellation.
const FLAT: f64 = 1e-6;

/// A triangle that is linear in the frame of its rotation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SheetForm {
    /// Corners.
    pub nodes: [u32; 3],
    /// Rest shape: the columns of F are the rows of D.
    pub rest: TriangleRest,
    /// A C, rest area included \[J\].
    pub moduli: Orthotropic,
    /// The larger of its two stiffnesses along the axes \[J\].
    pub stiffness: f64,
}

impl Proximal for TriangleElement {
    type Form = SheetForm;

    fn proximal(&self, materials: &MaterialTable) -> SheetForm {
        let (area, law) = (self.rest.area, materials.sheet(self.material).membrane.small_strain());
        let moduli = Orthotropic {
            c11: law.c11 * area,
            c22: law.c22 * area,
            c12: law.c12 * area,
            c33: law.c33 * area,
        };
        SheetForm { nodes: self.nodes, rest: self.rest, moduli, stiffness: moduli.c11.max(moduli.c22) }
    }
}

/// A triangle under its Green strain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SheetConstraint {
    /// Corners.
    pub nodes: [u32; 3],
    /// Rest shape: C = (E₁₁, E₂₂, 2E₁₂).
    pub rest: TriangleRest,
    /// (A K)⁻¹ \[1/J\].
    pub compliance: Mat3,
}

impl Compliant for TriangleElement {
    type Constraint = SheetConstraint;

    fn compliant(&self, materials: &MaterialTable) -> SheetConstraint {
        let law = materials.sheet(self.material).membrane.small_strain();
        let stiffness =
            Mat3::new(law.c11, law.c12, 0.0, law.c12, law.c22, 0.0, 0.0, 0.0, law.c33) * self.rest.area;
        // Positive definite: C₁₁C₂₂ > C₁₂² and C₃₃ > 0.
        let compliance = stiffness.try_inverse().unwrap_or_else(Mat3::zeros);
        SheetConstraint { nodes: self.nodes, rest: self.rest, compliance }
    }
}

/// A tet that is linear in the frame of its rotation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolidForm {
    /// Corners.
    pub nodes: [u32; 4],
    /// Rest shape: the columns of F are the rows of D.
    pub rest: TetRest,
    /// μV \[J\].
    pub shear: f64,
    /// λV \[J\].
    pub volume: f64,
    /// (2μ + λ) V \[J\].
    pub stiffness: f64,
}

impl Proximal for TetElement {
    type Form = SolidForm;

    fn proximal(&self, materials: &MaterialTable) -> SolidForm {
        let SolidValues { lame: Lame { lambda, mu }, .. } = *materials.solid(self.material);
        let volume = self.rest.volume;
        SolidForm {
            nodes: self.nodes,
            rest: self.rest,
            shear: mu * volume,
            volume: lambda * volume,
            stiffness: (2.0 * mu + lambda) * volume,
        }
    }
}

/// `k/2 (|D x| − L)²` with one row D of scalar coefficients.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LengthForm<const N: usize> {
    /// Nodes and coefficients of D.
    pub row: [(u32, f64); N],
    /// k.
    pub stiffness: f64,
    /// L; zero makes it a quadratic form.
    pub length: f64,
}

/// `EA/(2L) (|d| − L)²` on d = x₁ − x₀.
impl Proximal for RodStretch {
    type Form = LengthForm<2>;

    fn proximal(&self, materials: &MaterialTable) -> LengthForm<2> {
        let [a, b] = self.nodes;
        let stiffness = materials.rod(self.material).stretch / self.length;
        LengthForm { row: [(a, -1.0), (b, 1.0)], stiffness, length: self.length }
    }
}

/// `EI/(2 l̄) (|t₁ − t₀| − κ̄)²` on the difference of the tangents, with rest lengths in their place:
/// a bend of φ gives 2 sin(φ/2). The two moments are averaged; the plane of a natural bend and all
/// twist are left out.
impl Proximal for RodBendTwist {
    type Form = LengthForm<3>;

    fn proximal(&self, materials: &MaterialTable) -> LengthForm<3> {
        let [a, b, c, ..] = self.blocks;
        let [before, after] = self.rest.lengths;
        let bend = materials.rod(self.material).bend;
        let [k1, k2] = self.rest.natural.curvature;
        // Natural values are 2 tan(φ/2).
        let natural = 2.0 * (0.5 * k1.hypot(k2)).atan().sin();
        LengthForm {
            row: [(a, 1.0 / before), (b, -1.0 / before - 1.0 / after), (c, 1.0 / after)],
            stiffness: 0.5 * (bend[0] + bend[1]) / self.rest.length(),
            length: if natural > FLAT { natural } else { 0.0 },
        }
    }
}

/// A hinge as a quadratic form, whatever the bending law of its sheet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fold {
    bend: QuadraticBend,
    /// Rest positions \[m\].
    rest: [Vec3; 4],
    keeps_curvature: bool,
}

impl Fold {
    /// From the rest positions of edge ends and flap vertices.
    pub fn new(
        nodes: [u32; 4],
        rest: [Vec3; 4],
        keeps_curvature: bool,
        material: u32,
    ) -> Result<Fold, BendError> {
        Ok(Fold { bend: QuadraticBend::flattening(nodes, rest, material)?, rest, keeps_curvature })
    }
}

/// A curved rest shape keeps the amount of its curvature, not its side.
impl Proximal for Fold {
    type Form = LengthForm<4>;

    fn proximal(&self, materials: &MaterialTable) -> LengthForm<4> {
        let (weights, rest) = (self.bend.weights(materials), &self.rest);
        let at_rest: Vec3 = (1..4).map(|k| (rest[k] - rest[0]) * weights[k]).sum();
        let scale: f64 = (1..4).map(|k| ((rest[k] - rest[0]) * weights[k]).norm()).sum();
        let flat = !self.keeps_curvature || at_rest.norm() <= FLAT * scale;
        LengthForm {
            row: [0, 1, 2, 3].map(|k| (self.bend.nodes[k], weights[k])),
            stiffness: 1.0,
            length: if flat { 0.0 } else { at_rest.norm() },
        }
    }
}

/// C = Σ d_k x_k with compliance 1: the stiffness is in d.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FoldConstraint {
    /// Edge ends, then flap vertices.
    pub nodes: [u32; 4],
    /// d \[√N/√m\].
    pub weights: [f64; 4],
}

/// Flat at rest.
impl Compliant for Fold {
    type Constraint = FoldConstraint;

    fn compliant(&self, materials: &MaterialTable) -> FoldConstraint {
        FoldConstraint { nodes: self.bend.nodes, weights: self.bend.weights(materials) }
    }
}
