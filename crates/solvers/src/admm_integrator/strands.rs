//! Strands and their global systems.
//!
//! Every elastic term copies edges e = x_{i+1} − x_i: a stretch its own, a joint its two. With
//! isotropic weights the global matrix
//!
//! M (1/h² + α/h) + Dᵀ W D   (+ W_c/h² in strands that touch something)
//!
//! is tridiagonal, the same for x, y and z, and one per strand. It changes with the step size and
//! the set of prescribed nodes alone.
//! W edge weights \[N/m\]: w_s + w_b of the joints beside it · W_c contact weights \[kg\] · α mass
//! damping \[1/s\].

use super::options::IntegratorOptions;
use crate::registry::MethodError;
use crate::solver::{StepError, World};
use crate::support;
use rayon::prelude::*;
use std::ops::Range;
use stiction_energy::rod::{RodBendTwist, RodStretch};
use stiction_energy::{Elasticity, MaterialTable};
use stiction_numerics::banded::{BandedCholesky, BandedMatrix};
use stiction_numerics::{Mat3, Vec3};

/// Elements of stretching and bending, as many as the model has edges and joints, and the values
/// that they take.
#[derive(Clone, Copy)]
pub struct RodTerms<'a> {
    pub edges: &'a [RodStretch],
    pub joints: &'a [RodBendTwist],
    pub materials: &'a MaterialTable,
}

impl<'a> RodTerms<'a> {
    /// The terms of an energy.
    pub fn of(elasticity: &'a Elasticity) -> RodTerms<'a> {
        RodTerms {
            edges: elasticity.rod_edges(),
            joints: elasticity.rod_joints(),
            materials: elasticity.materials(),
        }
    }

    /// EA \[N\] of an edge.
    pub fn stretch_stiffness(&self, edge: &RodStretch) -> f64 {
        self.materials.rod(edge.material).stretch
    }
}

/// One strand: its nodes in order, and its edges and joints, which follow each other in the tables.
pub struct StrandSystem {
    pub nodes: Vec<u32>,
    pub edges: Range<usize>,
    pub joints: Range<usize>,
    free: BandedCholesky,
    touched: BandedCholesky,
}

/// All strands with the weights of their terms.
pub struct Strands {
    pub list: Vec<StrandSystem>,
    /// Strand of each node.
    pub of_node: Vec<u32>,
    /// Penalty weights of stretch (per edge) and bending (per joint) \[N/m\].
    pub stretch_weight: Vec<f64>,
    pub bend_weight: Vec<f64>,
    /// Sum of both on each edge \[N/m\].
    edge_weight: Vec<f64>,
    /// Contact weights per node \[kg\].
    pub contact_weight: Vec<f64>,
    /// Step size and prescribed blocks of the present matrices.
    made_for: Option<(f64, Vec<bool>)>,
    /// Times that the matrices were factored.
    pub factored: usize,
}

impl Strands {
    /// The strands of a model, or why this method cannot run it.
    pub fn new(world: World<'_>) -> Result<Strands, MethodError> {
        support::check("admm_integrator", world)?;
        let model = world.model;
        let mut of_node = vec![u32::MAX; model.nodes];
        let (mut list, mut joint) = (Vec::with_capacity(model.rods.strands.len()), 0);
        for (index, strand) in model.rods.strands.iter().enumerate() {
            for &node in &strand.nodes {
                of_node[node as usize] = index as u32;
            }
            let edges = strand.first_edge as usize..strand.first_edge as usize + strand.nodes.len() - 1;
            let joints = joint..joint + strand.nodes.len() - 2;
            joint = joints.end;
            let (free, touched) = (BandedCholesky::default(), BandedCholesky::default());
            list.push(StrandSystem { nodes: strand.nodes.clone(), edges, joints, free, touched });
        }
        Ok(Strands {
            list,
            of_node,
            stretch_weight: Vec::new(),
            bend_weight: Vec::new(),
            edge_weight: Vec::new(),
            contact_weight: Vec::new(),
            made_for: None,
            factored: 0,
        })
    }

    /// Weights and factors are made again in the next step.
    pub fn forget_factors(&mut self) {
        self.made_for = None;
    }

    /// Weights and factors for a step; kept while step size and prescribed nodes stay.
    pub fn prepare(
        &mut self,
        world: World<'_>,
        terms: RodTerms<'_>,
        fixed: &[bool],
        h: f64,
        options: &IntegratorOptions,
    ) -> Result<(), StepError> {
        if self.made_for.as_ref().is_some_and(|(step, held)| *step == h && held == fixed) {
            return Ok(());
        }
        let model = world.model;
        let heaviest =
            |nodes: &[u32]| nodes.iter().map(|&n| world.parameters.mass[n as usize]).fold(0.0, f64::max);
        let cap = |nodes: &[u32]| options.penalty * heaviest(nodes) / (h * h);
        let stiff = |e: &RodStretch| terms.stretch_stiffness(e) / e.length;
        self.stretch_weight = terms.edges.iter().map(|e| stiff(e).min(cap(&e.nodes))).collect();
        let soft = |joint: &RodBendTwist| {
            let bend = terms.materials.rod(joint.material).bend;
            bend[0].max(bend[1]) / joint.rest.length().powi(3)
        };
        self.bend_weight = terms.joints.iter().map(|j| soft(j).min(cap(&j.blocks[..3]))).collect();
        self.edge_weight = self.stretch_weight.clone();
        for (joint, w) in terms.joints.iter().zip(&self.bend_weight) {
            joint.edges.iter().for_each(|&e| self.edge_weight[e as usize] += w);
        }
        self.contact_weight = contact_weights(
            &world.parameters.mass[..model.nodes],
            terms.edges,
            &self.edge_weight,
            h,
            options,
        );
        let alpha: Vec<f64> = world.parameters.materials.iter().map(|m| m.damping().mass).collect();
        let own = |n: u32| {
            let damping = alpha[model.body_of_node[n as usize] as usize];
            world.parameters.mass[n as usize] * (1.0 / (h * h) + damping / h)
        };
        let (edge_weight, contact_weight) = (&self.edge_weight, &self.contact_weight);
        self.list.par_iter_mut().try_for_each(|strand| {
            let contact = |n: u32| contact_weight[n as usize] / (h * h);
            strand.factor(edge_weight, fixed, own, contact)
        })?;
        self.made_for = Some((h, fixed.to_vec()));
        self.factored += 1;
        Ok(())
    }

    /// x from copies and their duals: solves strand after strand in parallel. `copied` holds, per
    /// edge, Σ w (z − u) \[N\] over the terms on it; `pull` the rest of the right-hand side per
    /// node \[N\].
    pub fn solve(&self, copied: &[Vec3], pull: &[Vec3], touched: &[bool], held: &Held<'_>, x: &mut [Vec3]) {
        let solved: Vec<Vec<Vec3>> = (self.list.par_iter().zip(touched))
            .map(|(strand, touched)| strand.solve(&self.edge_weight, copied, pull, *touched, held))
            .collect();
        for (strand, values) in self.list.iter().zip(solved) {
            strand.nodes.iter().zip(values).for_each(|(&n, value)| x[n as usize] = value);
        }
    }
}

/// Prescribed nodes of a step.
pub struct Held<'a> {
    pub fixed: &'a [bool],
    pub target: &'a [Vec3],
}

/// w_j = max(σ η_j, min(β m_j, η_j)) \[kg\], η_j = m_j + h² (Dᵀ W D)_jj   [Daviet2020, section
/// 6.2.6]
fn contact_weights(
    mass: &[f64],
    stretch: &[RodStretch],
    edge_weight: &[f64],
    h: f64,
    options: &IntegratorOptions,
) -> Vec<f64> {
    let mut eta = mass.to_vec();
    for (edge, w) in stretch.iter().zip(edge_weight) {
        edge.nodes.iter().for_each(|&n| eta[n as usize] += h * h * w);
    }
    let weight = |(eta, m): (f64, &f64)| (options.sigma * eta).max((options.beta * m).min(eta));
    eta.into_iter().zip(mass).map(weight).collect()
}

impl StrandSystem {
    fn factor(
        &mut self,
        edge_weight: &[f64],
        fixed: &[bool],
        own: impl Fn(u32) -> f64,
        contact: impl Fn(u32) -> f64,
    ) -> Result<(), StepError> {
        let mut matrix = BandedMatrix::zeros(self.nodes.len(), 1);
        for (i, &n) in self.nodes.iter().enumerate() {
            matrix.add(i, i, if fixed[n as usize] { 1.0 } else { own(n) });
        }
        for (i, e) in self.edges.clone().enumerate() {
            let held = [i, i + 1].map(|k| fixed[self.nodes[k] as usize]);
            for (k, held) in [i, i + 1].into_iter().zip(held) {
                if !held {
                    matrix.add(k, k, edge_weight[e]);
                }
            }
            if held == [false; 2] {
                matrix.add(i + 1, i, -edge_weight[e]);
            }
        }
        let failed = |e: stiction_numerics::banded::BandedNotPositiveDefinite| StepError::LinearSolver {
            reason: e.to_string(),
        };
        self.free.refactor(&matrix).map_err(failed)?;
        for (i, &n) in self.nodes.iter().enumerate().filter(|(_, n)| !fixed[**n as usize]) {
            matrix.add(i, i, contact(n));
        }
        self.touched.refactor(&matrix).map_err(failed)
    }

    fn solve(
        &self,
        edge_weight: &[f64],
        copied: &[Vec3],
        pull: &[Vec3],
        touched: bool,
        held: &Held<'_>,
    ) -> Vec<Vec3> {
        let mut b: Vec<Vec3> = self.nodes.iter().map(|&n| pull[n as usize]).collect();
        for (i, e) in self.edges.clone().enumerate() {
            b[i] -= copied[e];
            b[i + 1] += copied[e];
            // Columns of prescribed nodes stand on the right.
            for (k, other) in [(i, i + 1), (i + 1, i)] {
                let node = self.nodes[other] as usize;
                if held.fixed[node] {
                    b[k] += held.target[node] * edge_weight[e];
                }
            }
        }
        for (b, &n) in b.iter_mut().zip(&self.nodes) {
            if held.fixed[n as usize] {
                *b = held.target[n as usize];
            }
        }
        if touched {
            self.touched.solve3(&mut b)
        } else {
            self.free.solve3(&mut b)
        }
        b
    }
}

/// Rows of a 6×6 matrix over two edges, as 3×3 blocks.
pub type EdgeBlocks = [[Mat3; 2]; 2];
