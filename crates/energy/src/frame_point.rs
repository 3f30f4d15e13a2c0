//! A material point of a body on affine frames.
//!
//! `F = Σ_a x_a g_aᵀ`, `E = V ψ(F)`, gradient `V P g_a`, Hessian blocks `V (∂P/∂F : · g_b) g_a`: a
//! linear tetrahedron with as
//! many nodes as the frames of the point have, four each. The shape gradients g_a sum to zero, so
//! translations are free; every affine motion of all nodes gives its own F exactly.   \[Faure2011,
//! eq. 7 and 8, with any solid law\]

use crate::element::{Curvature, Element, LocalHessian, Stencil};
use crate::material_table::SolidValues;
use stiction_numerics::{Mat3, Vec3};
use stiction_scene::resolved::MaterialPoint;

/// Elastic point over the `N` nodes of its frames.
#[derive(Clone, Copy, Debug)]
pub struct FramePoint<const N: usize> {
    /// The nodes.
    pub nodes: [u32; N],
    /// Shape gradients \[1/m\].
    pub gradients: [Vec3; N],
    /// Rest volume \[m³\].
    pub volume: f64,
    /// Its place among the solids of the material table.
    pub material: u32,
}

impl<const N: usize> FramePoint<N> {
    /// A point with exactly `N` nodes; `None` when it has another number.
    pub fn new(point: &MaterialPoint, material: u32) -> Option<Self> {
        let nodes = point.nodes.as_slice().try_into().ok()?;
        let gradients = point.gradients.as_slice().try_into().ok()?;
        Some(FramePoint { nodes, gradients, volume: point.volume, material })
    }

    /// Deformation gradient.
    pub fn deformation(&self, x: &[Vec3; N]) -> Mat3 {
        x.iter().zip(&self.gradients).fold(Mat3::zeros(), |f, (x, g)| f + x * g.transpose())
    }
}

impl<const N: usize> Element<N> for FramePoint<N> {
    fn blocks(&self) -> [u32; N] {
        self.nodes
    }

    fn energy(&self, at: &Stencil<'_, N>) -> f64 {
        let SolidValues { law, lame } = at.materials.solid(self.material);
        self.volume * law.energy(&self.deformation(&at.x), lame)
    }

    fn gradient(&self, at: &Stencil<'_, N>) -> [Vec3; N] {
        let SolidValues { law, lame } = at.materials.solid(self.material);
        let stress = law.stress(&self.deformation(&at.x), lame) * self.volume;
        self.gradients.map(|g| stress * g)
    }

    fn hessian(&self, at: &Stencil<'_, N>, curvature: Curvature) -> LocalHessian<N> {
        let SolidValues { law, lame } = at.materials.solid(self.material);
        let principal = law.hessian(&self.deformation(&at.x), lame, curvature);
        let blocks = principal.weighted(self.volume);
        let shapes = self.gradients.map(|g| principal.v.tr_mul(&g));
        let mut hessian = [[Mat3::zeros(); N]; N];
        for a in 0..N {
            for b in a..N {
                hessian[a][b] = blocks.block(&shapes[a], &shapes[b]);
                if b > a {
                    hessian[b][a] = hessian[a][b].transpose();
                }
            }
        }
        hessian
    }
}

/// Points by the number of their frames, one to six.
#[derive(Clone, Debug, Default)]
pub struct FramePoints {
    /// One frame.
    pub one: Vec<FramePoint<4>>,
    /// Two frames.
    pub two: Vec<FramePoint<8>>,
    /// Three frames.
    pub three: Vec<FramePoint<12>>,
    /// Four frames.
    pub four: Vec<FramePoint<16>>,
    /// Five frames.
    pub five: Vec<FramePoint<20>>,
    /// Six frames.
    pub six: Vec<FramePoint<24>>,
}

impl FramePoints {
    /// The points of a body. Points of more than six frames do not exist: making a scene limits
    /// them.
    pub fn new(points: &[MaterialPoint], material: u32) -> FramePoints {
        let mut out = FramePoints::default();
        for point in points {
            match point.nodes.len() / 4 {
                1 => out.one.extend(FramePoint::new(point, material)),
                2 => out.two.extend(FramePoint::new(point, material)),
                3 => out.three.extend(FramePoint::new(point, material)),
                4 => out.four.extend(FramePoint::new(point, material)),
                5 => out.five.extend(FramePoint::new(point, material)),
                _ => out.six.extend(FramePoint::new(point, material)),
            }
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Checks, TestRandom, check_element};
    use crate::laws::{Lame, SolidLaw};
    use crate::material_table::MaterialTable;

    /// Two frames with random gradients that sum to zero, and their rest places such that F = I
    /// there.
    fn two_frames() -> (FramePoint<8>, [Vec3; 8]) {
        let mut random = TestRandom::new(5);
        let rest: [Vec3; 8] = std::array::from_fn(|_| random.vector());
        let mut gradients: [Vec3; 8] = std::array::from_fn(|_| random.vector());
        let mean = gradients.iter().sum::<Vec3>() / 8.0;
        gradients.iter_mut().for_each(|g| *g -= mean);
        let f = rest.iter().zip(&gradients).fold(Mat3::zeros(), |f, (x, g)| f + x * g.transpose());
        let inverse = f.try_inverse().expect("random gradients span space");
        gradients.iter_mut().for_each(|g| *g = inverse.tr_mul(g));
        let point = FramePoint { nodes: [0, 1, 2, 3, 4, 5, 6, 7], gradients, volume: 0.3, material: 0 };
        (point, rest)
    }

    #[test]
    fn derivatives_and_rigid_motions() {
        let (point, rest) = two_frames();
        for law in [SolidLaw::Corotated, SolidLaw::FixedCorotated, SolidLaw::StableNeoHookean] {
            let materials = MaterialTable::of_solid(law, Lame::solid(2e3, 0.3));
            let near = |random: &mut TestRandom| Stencil {
                x: std::array::from_fn(|a| rest[a] + random.vector() * 0.05),
                frames: &[],
                materials: &materials,
            };
            check_element(&point, near, &Checks::nodes(0.5));
        }
    }

    #[test]
    fn an_affine_motion_of_all_nodes_is_its_own_deformation() {
        let (point, rest) = two_frames();
        let map = Mat3::new(1.2, 0.1, -0.3, 0.0, 0.8, 0.2, 0.4, -0.1, 1.1);
        let moved = rest.map(|x| map * x + Vec3::new(3.0, -1.0, 2.0));
        assert!((point.deformation(&moved) - map).norm() < 1e-11);
    }
}
