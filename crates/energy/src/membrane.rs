//! Linear triangle in space: constant 3×2 deformation gradient, one of the membrane laws.
//!
//! Rest coordinates are along the material axes (axis 1 = warp), so laws need no direction of their
//! own. With `g_1, g_2` = rows of `Dm⁻¹` and `g_0 = −(g_1+g_2)`: `F = Σ_a x_a g_aᵀ`, `E = A ψ(F)`,
//! gradient `A P g_a`.

use crate::element::{Curvature, Element, LocalHessian, RestShapeError, Stencil};
use crate::solid::complete_from_first;
use stiction_numerics::{Mat2, Mat3, Mat3x2, Vec2, Vec3};

/// Area below this fraction of the squared longest edge counts as degenerate.
const FLAT_TRIANGLE: f64 = 1e-9;
/// A warp direction closer than this to the normal (sine of the angle) gives no direction in the
/// plane.
const WARP_FLOOR: f64 = 1e-6;

/// Rest shape of a triangle: the geometric factor of its energy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriangleRest {
    /// Inverse of the rest edge matrix `Dm = [X₁−X₀, X₂−X₀]` in material axes \[1/m\].
    pub inverse: Mat2,
    /// Rest area \[m²\].
    pub area: f64,
}

impl TriangleRest {
    /// From rest positions in space \[m\]. `warp` is projected into the triangle; where it is
    /// parallel to the normal, the first edge stands in. `nodes` only name the triangle in an
    /// error.
    pub fn from_positions(nodes: [u32; 3], rest: &[Vec3; 3], warp: &Vec3) -> Result<Self, RestShapeError> {
        let (e1, e2) = (rest[1] - rest[0], rest[2] - rest[0]);
        let cross = e1.cross(&e2);
        let normal = cross.try_normalize(0.0).unwrap_or_else(Vec3::z);
        let tangent = warp - normal * normal.dot(warp);
        let axis = if tangent.norm() > WARP_FLOOR * warp.norm() { tangent } else { e1 };
        let first = axis.try_normalize(0.0).unwrap_or_else(Vec3::x);
        let second = normal.cross(&first);
        let flat = |e: &Vec3| Vec2::new(first.dot(e), second.dot(e));
        Self::from_edges(nodes, Mat2::from_columns(&[flat(&e1), flat(&e2)]))
    }

    /// From a flat sewing pattern \[m\] with a warp direction in its plane. A mirrored pattern is
    /// fine: a surface has no inside.
    pub fn from_pattern(nodes: [u32; 3], pattern: &[Vec2; 3], warp: &Vec2) -> Result<Self, RestShapeError> {
        let first = warp.try_normalize(0.0).unwrap_or_else(Vec2::x);
        let turn = Mat2::new(first.x, first.y, -first.y, first.x);
        Self::from_edges(
            nodes,
            turn * Mat2::from_columns(&[pattern[1] - pattern[0], pattern[2] - pattern[0]]),
        )
    }

    fn from_edges(nodes: [u32; 3], edges: Mat2) -> Result<Self, RestShapeError> {
        let area = 0.5 * edges.determinant().abs();
        let (e1, e2) = (edges.column(0), edges.column(1));
        let longest = e1.norm_squared().max(e2.norm_squared()).max((e1 - e2).norm_squared());
        // Written so that NaN fails too.
        let sound = area > FLAT_TRIANGLE * longest;
        match edges.try_inverse() {
            Some(inverse) if sound => Ok(TriangleRest { inverse, area }),
            _ => Err(RestShapeError::DegenerateTriangle { nodes, area }),
        }
    }
}

/// Elastic triangle over three nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriangleElement {
    /// The nodes.
    pub nodes: [u32; 3],
    /// Geometric factor.
    pub rest: TriangleRest,
    /// Its place among the sheets of the material table.
    pub material: u32,
}

impl TriangleElement {
    /// Deformation gradient at a configuration of the three nodes.
    pub fn deformation(&self, x: &[Vec3; 3]) -> Mat3x2 {
        Mat3x2::from_columns(&[x[1] - x[0], x[2] - x[0]]) * self.rest.inverse
    }
}

impl Element<3> for TriangleElement {
    fn blocks(&self) -> [u32; 3] {
        self.nodes
    }

    fn energy(&self, at: &Stencil<'_, 3>) -> f64 {
        self.rest.area * at.materials.sheet(self.material).membrane.energy(&self.deformation(&at.x))
    }

    fn gradient(&self, at: &Stencil<'_, 3>) -> [Vec3; 3] {
        let stress = at.materials.sheet(self.material).membrane.stress(&self.deformation(&at.x));
        let forces = stress * self.rest.inverse.transpose() * self.rest.area;
        let (f1, f2) = (forces.column(0), forces.column(1));
        [-(f1 + f2), f1.into(), f2.into()]
    }

    fn hessian(&self, at: &Stencil<'_, 3>, curvature: Curvature) -> LocalHessian<3> {
        let law = &at.materials.sheet(self.material).membrane;
        let columns = law.hessian(&self.deformation(&at.x), curvature);
        let shape = |a: usize| self.rest.inverse.row(a).transpose();
        let (first, second) = (shape(0), shape(1));
        let (weighted_first, weighted_second) = (first * self.rest.area, second * self.rest.area);
        let mut hessian = [[Mat3::zeros(); 3]; 3];
        hessian[1][1] = columns.block(&weighted_first, &first);
        hessian[1][2] = columns.block(&weighted_first, &second);
        hessian[2][2] = columns.block(&weighted_second, &second);
        complete_from_first(&mut hessian);
        hessian
    }
}
