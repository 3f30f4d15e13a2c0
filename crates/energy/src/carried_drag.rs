//! Air drag on triangles of a carried surface: the drag of the triangle, shared among the nodes
//! that carry its centre.

use crate::drag::{Air, DragCoefficients, DragElement, LinearDrag, NodeDrag, TriangleDrag};
use stiction_bodies::Model;
use stiction_numerics::{BlockMatrix, Vec3};

/// Triangles of carried surfaces that feel the air. They run one after the other: their stencils
/// are long and few.
#[derive(Clone, Debug, Default)]
pub struct CarriedDrag {
    triangles: Vec<CarriedTriangle>,
}

#[derive(Clone, Debug)]
struct CarriedTriangle {
    /// What carries each corner.
    corners: [Vec<(u32, f64)>; 3],
    /// What carries the centre.
    centre: Vec<(u32, f64)>,
    /// Index of its body.
    body: usize,
    drag: TriangleDrag,
}

impl CarriedDrag {
    /// Adds the surface that the body of an index carries.
    pub fn add(&mut self, model: &Model, body: usize, coefficients: DragCoefficients) {
        let Some(skin) = &model.bodies[body].skin else { return };
        let surfaces = &model.surfaces;
        for triangle in &surfaces.triangles[skin.triangles.clone()] {
            let corners = triangle.map(|v| surfaces.embedded.terms(v as usize - surfaces.nodes).to_vec());
            let mut centre: Vec<(u32, f64)> = Vec::new();
            for &(node, w) in corners.iter().flatten() {
                match centre.iter_mut().find(|t| t.0 == node) {
                    Some(term) => term.1 += w / 3.0,
                    None => centre.push((node, w / 3.0)),
                }
            }
            centre.sort_by_key(|t| t.0);
            let drag = TriangleDrag { coefficients };
            self.triangles.push(CarriedTriangle { corners, centre, body, drag });
        }
    }

    /// Takes other coefficients, given by body.
    pub fn set_coefficients(&mut self, of_body: impl Fn(usize) -> DragCoefficients) {
        self.triangles.iter_mut().for_each(|t| t.drag.coefficients = of_body(t.body));
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.triangles.is_empty()
    }

    /// Nodes of every triangle, for the pattern.
    pub fn stencils(&self) -> Vec<Vec<u32>> {
        self.triangles.iter().map(|t| t.centre.iter().map(|c| c.0).collect()).collect()
    }

    /// Adds the drag at the given velocities \[N\], and its damping matrix D \[N s/m\].
    pub fn add_to(
        &self,
        blocks: &[Vec3],
        velocities: &[Vec3],
        air: &Air<'_>,
        force: &mut [Vec3],
        slope: &mut BlockMatrix,
    ) {
        for triangle in &self.triangles {
            let drag = triangle.linearised(blocks, velocities, air);
            for (i, &(row, p)) in triangle.centre.iter().enumerate() {
                force[row as usize] += drag.force * p;
                for &(column, q) in &triangle.centre[i..] {
                    slope.add_block(row as usize, column as usize, &(drag.damping * (p * q)));
                }
            }
        }
    }

    /// Adds the drag, lumped at the nodes.
    pub fn add_at_nodes(&self, blocks: &[Vec3], velocities: &[Vec3], air: &Air<'_>, target: &mut [NodeDrag]) {
        for triangle in &self.triangles {
            let LinearDrag { force, damping } = triangle.linearised(blocks, velocities, air);
            for &(node, p) in &triangle.centre {
                target[node as usize] += NodeDrag { force: force * p, damping: damping * p };
            }
        }
    }
}

impl CarriedTriangle {
    fn linearised(&self, blocks: &[Vec3], velocities: &[Vec3], air: &Air<'_>) -> LinearDrag {
        let at = |terms: &[(u32, f64)], of: &[Vec3]| -> Vec3 {
            terms.iter().map(|&(n, w)| of[n as usize] * w).sum()
        };
        let [a, b, c] = &self.corners;
        let x = [at(a, blocks), at(b, blocks), at(c, blocks)];
        let v = [at(a, velocities), at(b, velocities), at(c, velocities)];
        self.drag.linearised(&x, &v, air)
    }
}
