//! Linear tetrahedron: constant deformation gradient, one of the solid laws.
//!
//! `F = Σ_a x_a g_aᵀ` with the shape gradients `g_1..3` = rows of `Dm⁻¹`, `g_0 = −(g_1+g_2+g_3)`;
//! `E = V ψ(F)`,
//! gradient `V P g_a`, Hessian blocks `V (∂P/∂F : · g_b) g_a`.

use crate::element::{Curvature, Element, LocalHessian, RestShapeError, Stencil};
use crate::material_table::SolidValues;
use stiction_numerics::{Mat3, Vec3};

/// Volume below this fraction of the cubed longest edge counts as flat.
const FLAT_TET: f64 = 1e-9;

/// Rest shape of a tetrahedron: the geometric factor of its energy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TetRest {
    /// Inverse of the rest edge matrix `Dm = [X₁−X₀, X₂−X₀, X₃−X₀]` \[1/m\].
    pub inverse: Mat3,
    /// Rest volume \[m³\].
    pub volume: f64,
}

impl TetRest {
    /// From rest positions \[m\]; `nodes` only name the tetrahedron in an error.
    pub fn new(nodes: [u32; 4], rest: &[Vec3; 4]) -> Result<Self, RestShapeError> {
        let edges = Mat3::from_columns(&[rest[1] - rest[0], rest[2] - rest[0], rest[3] - rest[0]]);
        let volume = edges.determinant() / 6.0;
        let longest = (edges.column_iter().map(|c| c.norm()).fold(0.0, f64::max))
            .max((rest[1] - rest[2]).norm())
            .max((rest[1] - rest[3]).norm())
            .max((rest[2] - rest[3]).norm());
        // Written so that NaN fails too.
        let sound = volume > FLAT_TET * longest.powi(3);
        match edges.try_inverse() {
            Some(inverse) if sound => Ok(TetRest { inverse, volume }),
            _ => Err(RestShapeError::DegenerateTet { nodes, volume }),
        }
    }
}

/// Elastic tetrahedron over four nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TetElement {
    /// The nodes, positively oriented at rest.
    pub nodes: [u32; 4],
    /// Geometric factor.
    pub rest: TetRest,
    /// Its place among the solids of the material table.
    pub material: u32,
}

impl TetElement {
    /// An element on rest positions \[m\].
    pub fn new(nodes: [u32; 4], rest: &[Vec3; 4], material: u32) -> Result<Self, RestShapeError> {
        Ok(TetElement { nodes, rest: TetRest::new(nodes, rest)?, material })
    }

    /// Deformation gradient at a configuration of the four nodes.
    pub fn deformation(&self, x: &[Vec3; 4]) -> Mat3 {
        Mat3::from_columns(&[x[1] - x[0], x[2] - x[0], x[3] - x[0]]) * self.rest.inverse
    }
}

impl Element<4> for TetElement {
    fn blocks(&self) -> [u32; 4] {
        self.nodes
    }

    fn energy(&self, at: &Stencil<'_, 4>) -> f64 {
        let SolidValues { law, lame } = at.materials.solid(self.material);
        self.rest.volume * law.energy(&self.deformation(&at.x), lame)
    }

    fn gradient(&self, at: &Stencil<'_, 4>) -> [Vec3; 4] {
        let SolidValues { law, lame } = at.materials.solid(self.material);
        let stress = law.stress(&self.deformation(&at.x), lame);
        let forces = stress * self.rest.inverse.transpose() * self.rest.volume;
        let (f1, f2, f3) = (forces.column(0), forces.column(1), forces.column(2));
        [-(f1 + f2 + f3), f1.into(), f2.into(), f3.into()]
    }

    fn hessian(&self, at: &Stencil<'_, 4>, curvature: Curvature) -> LocalHessian<4> {
        let SolidValues { law, lame } = at.materials.solid(self.material);
        let principal = law.hessian(&self.deformation(&at.x), lame, curvature);
        let blocks = principal.weighted(self.rest.volume);
        // Columns: shape gradients of nodes 1..3 in the principal material frame.
        let shapes = (self.rest.inverse * principal.v).transpose();
        let shape: [Vec3; 3] = std::array::from_fn(|a| shapes.column(a).into_owned());
        let mut hessian = [[Mat3::zeros(); 4]; 4];
        for a in 1..4 {
            for b in a..4 {
                hessian[a][b] = blocks.block(&shape[a - 1], &shape[b - 1]);
            }
        }
        complete_from_first(&mut hessian);
        hessian
    }
}

/// Fills the lower triangle by symmetry and row and column 0 by translation invariance (every row
/// sums to zero).
pub(crate) fn complete_from_first<const N: usize>(hessian: &mut LocalHessian<N>) {
    for a in 1..N {
        for b in a + 1..N {
            hessian[b][a] = hessian[a][b].transpose();
        }
    }
    hessian[0][0] = Mat3::zeros();
    for b in 1..N {
        let column = (1..N).fold(Mat3::zeros(), |sum, a| sum + hessian[a][b]);
        hessian[0][b] = -column;
        hessian[b][0] = -column.transpose();
        hessian[0][0] += column;
    }
}
