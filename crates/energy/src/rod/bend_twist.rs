//! Bending and twisting of a rod at an inner node.
//!
//! `E = 1/(2 l̄) [EI₁ (κ₁−κ̄₁)² + EI₂ (κ₂−κ̄₂)² + GJ (m−m̄)²]`   [Bergou2010, eq. 3–4, diagonal section]
//! κ integrated curvatures towards the material directors (edge averages), m twist \[rad\] · κ̄, m̄
//! natural values · l̄ Voronoi length: half of both rest lengths \[m\] · EI, GJ \[N m²\]
//!
//! Kinematics, derivatives and limit cases: [`super::kinematics`].
//!
//! Projected Hessian: Gauss–Newton, `1/l̄ Σ K_q ∇q∇qᵀ` over q = κ₁, κ₂, m. The rest
//! `Σ (K_q/l̄)(q−q̄) ∇²q` is dropped whole: q does not depend on the lengths of edges, so under load
//! this part always has eigenvalues of both signs, and clamping the full matrix costs some fourteen
//! times as much (measured by the bench `elements_rods`).

use super::kinematics::{Bend, JointGradient, JointShape, Strains};
use crate::bending::local::{mirror, squares};
use crate::element::{Curvature, Element, LocalHessian, Stencil};
use crate::material_table::RodValues;
use stiction_numerics::Vec3;

/// Natural shape and lengths at a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointRest {
    /// Rest lengths of the edges before and after \[m\].
    pub lengths: [f64; 2],
    /// Natural curvatures and twist.
    pub natural: Strains,
}

impl JointRest {
    /// A straight, untwisted joint between edges of the given rest lengths \[m\].
    pub fn straight(lengths: [f64; 2]) -> JointRest {
        let natural = Strains { curvature: [0.0; 2], twist: 0.0 };
        JointRest { lengths, natural }
    }

    /// Voronoi length l̄ \[m\].
    pub fn length(&self) -> f64 {
        0.5 * (self.lengths[0] + self.lengths[1])
    }
}

/// One joint. Blocks: previous, middle and next node, then the twists of the edges before and
/// after.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RodBendTwist {
    /// Three node blocks and two twist blocks.
    pub blocks: [u32; 5],
    /// The two edges in the table of frames.
    pub edges: [u32; 2],
    /// Its place among the rods of the material table.
    pub material: u32,
    /// Natural shape.
    pub rest: JointRest,
}

/// Edge vectors in terms of nodes: e₀ = x₁ − x₀, e₁ = x₂ − x₁.
const EDGE_OF_NODE: [[f64; 3]; 2] = [[-1.0, 1.0, 0.0], [0.0, -1.0, 1.0]];

impl RodBendTwist {
    /// Curvatures and twist at a configuration: with the rest shape and its frames, these are the
    /// natural values.
    pub fn strains(&self, at: &Stencil<'_, 5>) -> Strains {
        self.joint(at).strains
    }

    /// The same joint with the strains at `at` as its natural ones.
    pub fn relaxed_at(self, at: &Stencil<'_, 5>) -> RodBendTwist {
        let rest = JointRest { natural: self.strains(at), ..self.rest };
        RodBendTwist { rest, ..self }
    }

    fn joint(&self, at: &Stencil<'_, 5>) -> JointShape {
        let along = [at.x[1] - at.x[0], at.x[2] - at.x[1]];
        let frames = self.edges.map(|e| &at.frames[e as usize]);
        JointShape::new(along, [at.x[3][0], at.x[4][0]], frames)
    }

    /// K_q/l̄.
    fn stiffness(&self, values: &RodValues) -> [f64; 3] {
        let length = self.rest.length();
        [values.bend[0], values.bend[1], values.twist].map(|k| k / length)
    }

    fn deviation(&self, strains: &Strains) -> [f64; 3] {
        let natural = &self.rest.natural;
        [
            strains.curvature[0] - natural.curvature[0],
            strains.curvature[1] - natural.curvature[1],
            strains.twist - natural.twist,
        ]
    }

    /// ∂E/∂q.
    fn moments(&self, strains: &Strains, values: &RodValues) -> [f64; 3] {
        let (stiffness, deviation) = (self.stiffness(values), self.deviation(strains));
        std::array::from_fn(|q| stiffness[q] * deviation[q])
    }

    /// √(K_q/l̄) ∇q over the five blocks: Gauss–Newton is the sum of their squares.
    fn columns(&self, joint: &JointShape, values: &RodValues) -> [[Vec3; 3]; 5] {
        let stiffness = self.stiffness(values);
        let [first, second, third]: [[Vec3; 5]; 3] = std::array::from_fn(|q| {
            let mut weights = [0.0; 3];
            weights[q] = stiffness[q].sqrt();
            to_blocks(&joint.gradient(weights))
        });
        std::array::from_fn(|a| [first[a], second[a], third[a]])
    }
}

fn to_blocks(slope: &JointGradient) -> [Vec3; 5] {
    let [first, second] = slope.edge;
    let twist = slope.twist.map(|t| Vec3::new(t, 0.0, 0.0));
    [-first, first - second, second, twist[0], twist[1]]
}

fn add_bend(hessian: &mut LocalHessian<5>, bend: &Bend) {
    for (a, b) in (0..3).flat_map(|a| (0..3).map(move |b| (a, b))) {
        for (j, k) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            let weight = EDGE_OF_NODE[j][a] * EDGE_OF_NODE[k][b];
            if weight != 0.0 {
                hessian[a][b] += bend.edge[j][k] * weight;
            }
        }
    }
    for k in 0..2 {
        for a in 0..3 {
            let mixed = bend.mixed[0][k] * EDGE_OF_NODE[0][a] + bend.mixed[1][k] * EDGE_OF_NODE[1][a];
            for i in 0..3 {
                hessian[a][3 + k][(i, 0)] += mixed[i];
                hessian[3 + k][a][(0, i)] += mixed[i];
            }
        }
        hessian[3 + k][3 + k][(0, 0)] += bend.twist[k];
    }
}

impl Element<5> for RodBendTwist {
    fn blocks(&self) -> [u32; 5] {
        self.blocks
    }

    fn energy(&self, at: &Stencil<'_, 5>) -> f64 {
        let stiffness = self.stiffness(at.materials.rod(self.material));
        let deviation = self.deviation(&self.strains(at));
        0.5 * (0..3).map(|q| stiffness[q] * deviation[q] * deviation[q]).sum::<f64>()
    }

    fn gradient(&self, at: &Stencil<'_, 5>) -> [Vec3; 5] {
        let joint = self.joint(at);
        to_blocks(&joint.gradient(self.moments(&joint.strains, at.materials.rod(self.material))))
    }

    fn hessian(&self, at: &Stencil<'_, 5>, curvature: Curvature) -> LocalHessian<5> {
        let (joint, values) = (self.joint(at), at.materials.rod(self.material));
        let mut hessian = squares(&self.columns(&joint, values));
        mirror(&mut hessian);
        if curvature == Curvature::Exact {
            add_bend(&mut hessian, &joint.curvature(self.moments(&joint.strains, values)));
        }
        hessian
    }
}
