//! The compliant constraints of cloth and their Gauss–Seidel update.
//!
//! An energy ½ Cᵀ K C is a constraint C with compliance α = K⁻¹. One update solves it alone, with
//! α̃ = α/h², inverse masses w and its gradient J at the present positions:
//!
//! `Δλ = −(Σ w_k J_k J_kᵀ + α̃)⁻¹ (C + α̃ λ)`,   `x_k += w_k J_kᵀ Δλ`,   `λ += Δλ`
//! [Macklin2016, eq. 17, 18]
//!
//! * triangles: C = (E₁₁, E₂₂, 2E₁₂), the Green strain, K = A times the orthotropic moduli: the
//!   three are solved together
//! * hinges: C = Σ d_k x_k, the quadratic form of bending, K = 1 (the stiffness is in d)

use crate::weighted_node::WeightedNode;
use std::ops::Range;
use stiction_bodies::Model;
use stiction_energy::TriangleRest;
use stiction_energy::views::{FoldConstraint, SheetConstraint};
use stiction_numerics::stencil_stages::{StencilKernel, StencilStages};
use stiction_numerics::{Mat3, Vec3};

/// One constraint with its multiplier.
#[derive(Clone, Copy, Debug)]
pub enum Constraint {
    /// Stretch and shear of a triangle.
    Sheet {
        /// Rest shape.
        rest: TriangleRest,
        /// (A K)⁻¹ \[1/J\].
        compliance: Mat3,
        /// λ \[J s²… per unit strain\].
        multiplier: Vec3,
    },
    /// Bending of a hinge.
    Hinge {
        /// d.
        weights: [f64; 4],
        /// λ.
        multiplier: Vec3,
    },
}

/// All constraints in stages that run in parallel.
pub struct ClothConstraints {
    all: Vec<Constraint>,
    stages: StencilStages,
    tallies: Vec<()>,
}

impl ClothConstraints {
    /// No constraint over the nodes of a model.
    pub fn new(model: &Model) -> ClothConstraints {
        ClothConstraints { all: Vec::new(), stages: StencilStages::new(model.nodes), tallies: Vec::new() }
    }

    /// Membranes of sheets.
    pub fn add_membranes(&mut self, membranes: impl Iterator<Item = SheetConstraint>) {
        let mut added = Vec::new();
        for SheetConstraint { nodes, rest, compliance } in membranes {
            self.all.push(Constraint::Sheet { rest, compliance, multiplier: Vec3::zeros() });
            added.push(nodes);
        }
        self.stage(&added);
    }

    /// Hinges, flat at rest.
    pub fn add_hinges(&mut self, hinges: &[FoldConstraint]) {
        let mut added = Vec::with_capacity(hinges.len());
        for &FoldConstraint { nodes, weights } in hinges {
            self.all.push(Constraint::Hinge { weights, multiplier: Vec3::zeros() });
            added.push(nodes);
        }
        self.stage(&added);
    }

    fn stage<const N: usize>(&mut self, stencils: &[[u32; N]]) {
        self.stages
            .append(stencils.len(), |k| &stencils[k])
            .expect("elements name their own nodes once each");
        self.tallies.resize(self.stages.chunk_count(), ());
    }

    /// Multipliers are zero again: a new step begins.
    pub fn reset(&mut self) {
        for constraint in &mut self.all {
            match constraint {
                Constraint::Sheet { multiplier, .. } | Constraint::Hinge { multiplier, .. } => {
                    *multiplier = Vec3::zeros();
                }
            }
        }
    }

    /// One sweep over all constraints for a step of length `h`.
    pub fn sweep(&mut self, points: &mut [WeightedNode], h: f64) {
        let kernel = Update { inverse_h2: 1.0 / (h * h) };
        self.stages.run(points, &mut self.all, &mut self.tallies, &kernel);
    }
}

/// The update of one constraint.
struct Update {
    inverse_h2: f64,
}

fn position(point: &WeightedNode) -> Vec3 {
    Vec3::new(point[0], point[1], point[2])
}

fn shift(point: &mut WeightedNode, by: Vec3) {
    let weight = point[3];
    (0..3).for_each(|k| point[k] += weight * by[k]);
}

impl Update {
    fn sheet(
        &self,
        rest: &TriangleRest,
        compliance: &Mat3,
        multiplier: &mut Vec3,
        nodes: &mut [WeightedNode; 4],
    ) {
        let (e1, e2) = (position(&nodes[1]) - position(&nodes[0]), position(&nodes[2]) - position(&nodes[0]));
        let inverse = &rest.inverse;
        let f = [0, 1].map(|k| e1 * inverse[(0, k)] + e2 * inverse[(1, k)]);
        let strain =
            Vec3::new(0.5 * (f[0].norm_squared() - 1.0), 0.5 * (f[1].norm_squared() - 1.0), f[0].dot(&f[1]));
        let rows = [0, 1].map(|k| [inverse[(k, 0)], inverse[(k, 1)]]);
        let first = [-(rows[0][0] + rows[1][0]), -(rows[0][1] + rows[1][1])];
        let gradients = [first, rows[0], rows[1]];
        // Rows of J_k: ∂E₁₁, ∂E₂₂ and ∂2E₁₂ by x_k.
        let jacobian = gradients.map(|g| [f[0] * g[0], f[1] * g[1], f[0] * g[1] + f[1] * g[0]]);
        let softness = compliance * self.inverse_h2;
        let mut system = softness;
        for (j, node) in jacobian.iter().zip(nodes.iter()) {
            for a in 0..3 {
                (0..3).for_each(|b| system[(a, b)] += node[3] * j[a].dot(&j[b]));
            }
        }
        let Some(cholesky) = system.cholesky() else { return };
        let change = -cholesky.solve(&(strain + softness * *multiplier));
        *multiplier += change;
        for (j, node) in jacobian.iter().zip(nodes.iter_mut()) {
            shift(node, j[0] * change[0] + j[1] * change[1] + j[2] * change[2]);
        }
    }

    fn hinge(&self, weights: &[f64; 4], multiplier: &mut Vec3, nodes: &mut [WeightedNode; 4]) {
        let bend: Vec3 = nodes.iter().zip(weights).map(|(node, d)| position(node) * *d).sum();
        let own: f64 = nodes.iter().zip(weights).map(|(node, d)| node[3] * d * d).sum();
        let change = -(bend + *multiplier * self.inverse_h2) / (own + self.inverse_h2);
        *multiplier += change;
        nodes.iter_mut().zip(weights).for_each(|(node, d)| shift(node, change * *d));
    }
}

impl StencilKernel<WeightedNode, Constraint, ()> for Update {
    fn short(&self, item: &mut Constraint, _: &[u32; 4], nodes: &mut [WeightedNode; 4], _: &mut ()) {
        match item {
            Constraint::Sheet { rest, compliance, multiplier } => {
                self.sheet(rest, compliance, multiplier, nodes);
            }
            Constraint::Hinge { weights, multiplier } => self.hinge(weights, multiplier, nodes),
        }
    }

    fn long(&self, _: &mut Constraint, _: Range<usize>, _: &[u32], _: &mut [WeightedNode], (): &mut ()) {
        unreachable!("triangles and hinges have at most four nodes")
    }
}
