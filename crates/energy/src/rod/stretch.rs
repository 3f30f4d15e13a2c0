//! Stretching of a rod edge.
//!
//! `E = ½ EA L (l/L − 1)²`    [Bergou2010, section 4.1]
//! EA \[N\] · L rest length \[m\] · l length \[m\]
//!
//! Hessian: `EA/L ttᵀ + EA (1/L − 1/l)(I − ttᵀ)`; the second part is negative under compression,
//! and projecting drops it there: exactly the eigenvalue clamp. At l = 0 the direction is lost: no
//! force, curvature EA/L in all directions.

use crate::element::{Curvature, Element, LocalHessian, Stencil};
use stiction_numerics::{Mat3, Vec3};

/// One rod edge. Blocks: its two nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RodStretch {
    /// Start and end node.
    pub nodes: [u32; 2],
    /// Its place among the rods of the material table.
    pub material: u32,
    /// Rest length L > 0 \[m\].
    pub length: f64,
}

impl Element<2> for RodStretch {
    fn blocks(&self) -> [u32; 2] {
        self.nodes
    }

    fn energy(&self, at: &Stencil<'_, 2>) -> f64 {
        let strain = (at.x[1] - at.x[0]).norm() / self.length - 1.0;
        0.5 * at.materials.rod(self.material).stretch * self.length * strain * strain
    }

    fn gradient(&self, at: &Stencil<'_, 2>) -> [Vec3; 2] {
        let edge = at.x[1] - at.x[0];
        let length = edge.norm();
        if length == 0.0 {
            return [Vec3::zeros(); 2];
        }
        let force = edge * (at.materials.rod(self.material).stretch * (1.0 / self.length - 1.0 / length));
        [-force, force]
    }

    fn hessian(&self, at: &Stencil<'_, 2>, curvature: Curvature) -> LocalHessian<2> {
        let edge = at.x[1] - at.x[0];
        let length = edge.norm();
        let stiffness = at.materials.rod(self.material).stretch;
        let along = stiffness / self.length;
        let block = if length == 0.0 {
            Mat3::from_diagonal_element(along)
        } else {
            let mut across = stiffness * (1.0 / self.length - 1.0 / length);
            if curvature == Curvature::Projected {
                across = across.max(0.0);
            }
            let t = edge / length;
            Mat3::from_diagonal_element(across) + t * t.transpose() * (along - across)
        };
        [[block, -block], [-block, block]]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::{Checks, TestRandom, check_element};
    use crate::material_table::{MaterialTable, RodValues};

    const ROD: RodStretch = RodStretch { nodes: [0, 1], material: 0, length: 0.1 };

    fn materials() -> MaterialTable {
        MaterialTable::of_rod(RodValues { stretch: 3.0, bend: [0.0; 2], twist: 0.0 })
    }

    #[test]
    fn derivatives() {
        let materials = materials();
        let sampler = |random: &mut TestRandom| {
            let direction = random.vector().normalize();
            let start = random.vector();
            let x = [start, start + direction * random.range(0.05, 0.15)];
            Stencil { x, frames: &[] as &[_], materials: &materials }
        };
        check_element(&ROD, sampler, &Checks::nodes(0.1));
    }

    #[test]
    fn a_vanished_edge_stays_finite() {
        let at = Stencil { x: [Vec3::x(); 2], frames: &[], materials: &materials() };
        assert!((ROD.energy(&at) - 0.15).abs() < 1e-15);
        assert_eq!(ROD.gradient(&at), [Vec3::zeros(); 2]);
        assert!(ROD.hessian(&at, Curvature::Projected)[0][1].iter().all(|c| c.is_finite()));
    }
}
