//! The elastic local steps: every term moves its copies of edges to where its own energy and the
//! penalty balance.
//!
//! z ← argmin U(z) + w/2 |z − (D x + u)|²,   u ← u + D x − z
//!
//! Stretch: closed form along the edge. Bending: Newton over the two edges of a joint, with the
//! twists of the start of the step. Damping acts in the local energies: β/2h |z − z_t|² in the norm
//! of the stiffness at the start of the step, as in the other methods.

use super::strands::{EdgeBlocks, RodTerms, Strands};
use crate::solver::World;
use rayon::prelude::*;
use stiction_bodies::State;
use stiction_energy::rod::RodBendTwist;
use stiction_energy::{Curvature, Element, MaterialTable, Stencil};
use stiction_numerics::nalgebra::{SMatrix, SVector};
use stiction_numerics::{Vec3, ordered_max_by};

type Six = SVector<f64, 6>;
type SixBySix = SMatrix<f64, 6, 6>;

/// Copies and dual forces of all terms.
pub struct StrandLocalStep {
    /// Copies z and dual forces w u \[N\] of stretch terms.
    stretch: Vec<Copied>,
    /// The same of the two edges of each joint.
    bend: Vec<[Copied; 2]>,
    /// Lengths at the start of the step \[m\], and the damping blocks β K/h of the joints that have
    /// damping \[N/m\].
    start_length: Vec<f64>,
    viscosity: Vec<Option<(SixBySix, Six)>>,
    /// Step size \[s\].
    h: f64,
}

/// One copy of an edge.
#[derive(Clone, Copy, Debug, Default)]
struct Copied {
    edge: Vec3,
    force: Vec3,
}

impl StrandLocalStep {
    pub fn new(edges: usize, joints: usize) -> StrandLocalStep {
        StrandLocalStep {
            stretch: vec![Copied::default(); edges],
            bend: vec![[Copied::default(); 2]; joints],
            start_length: vec![0.0; edges],
            viscosity: vec![None; joints],
            h: 0.0,
        }
    }

    /// Takes the edges of the start of a step as first copies, and the damping there.
    pub fn begin(&mut self, world: World<'_>, terms: RodTerms<'_>, state: &State, h: f64) {
        self.h = h;
        let damping: Vec<f64> = world.parameters.materials.iter().map(|m| m.damping().bending).collect();
        let body_of = |node: u32| world.model.body_of_node[node as usize] as usize;
        for (k, term) in terms.edges.iter().enumerate() {
            self.stretch[k].edge = edge(&state.blocks, term.nodes);
            self.start_length[k] = self.stretch[k].edge.norm();
        }
        let copies = self.bend.par_iter_mut().zip(&mut self.viscosity).zip(terms.joints);
        copies.for_each(|((copied, viscosity), joint)| {
            let [a, b, c, ..] = joint.blocks;
            copied[0].edge = edge(&state.blocks, [a, b]);
            copied[1].edge = edge(&state.blocks, [b, c]);
            let beta = damping[body_of(b)];
            let edges = six(copied.map(|c| c.edge));
            *viscosity = (beta > 0.0).then(|| {
                let local = LocalBend { joint, state, materials: terms.materials };
                (local.hessian(&edges) * (beta / h), edges)
            });
        });
    }

    /// All local problems at the positions x, then the duals.
    pub fn project(
        &mut self,
        world: World<'_>,
        terms: RodTerms<'_>,
        strands: &Strands,
        state: &State,
        x: &[Vec3],
        iterations: usize,
    ) {
        let h = self.h;
        let damping: Vec<f64> = world.parameters.materials.iter().map(|m| m.damping().stiffness).collect();
        let body_of = |node: u32| world.model.body_of_node[node as usize] as usize;
        let (start_length, viscosity) = (&self.start_length, &self.viscosity);
        self.stretch.par_iter_mut().enumerate().with_min_len(64).for_each(|(k, copied)| {
            let (term, w) = (&terms.edges[k], strands.stretch_weight[k]);
            let along = edge(x, term.nodes);
            let wanted = along + copied.force / w;
            let rate = damping[body_of(term.nodes[0])] / h;
            let stiffness = terms.stretch_stiffness(term) / term.length;
            copied.edge = stretched(stiffness, term.length, wanted, w, rate, start_length[k]);
            copied.force += (along - copied.edge) * w;
        });
        self.bend.par_iter_mut().enumerate().with_min_len(16).for_each(|(k, copied)| {
            let (joint, w) = (&terms.joints[k], strands.bend_weight[k]);
            let [a, b, c, ..] = joint.blocks;
            let along = [edge(x, [a, b]), edge(x, [b, c])];
            let wanted = [0, 1].map(|i| along[i] + copied[i].force / w);
            let local = LocalBend { joint, state, materials: terms.materials };
            let start = six(copied.map(|c| c.edge));
            let moved = local.solve(&six(wanted), &start, w, viscosity[k].as_ref(), iterations);
            for i in 0..2 {
                copied[i].edge = Vec3::from_fn(|r, _| moved[3 * i + r]);
                copied[i].force += (along[i] - copied[i].edge) * w;
            }
        });
    }

    /// Σ w (z − u) per edge \[N\]: what the copies ask of the positions.
    pub fn gather(&self, bend: &[RodBendTwist], strands: &Strands, out: &mut [Vec3]) {
        for (k, copied) in self.stretch.iter().enumerate() {
            out[k] = copied.edge * strands.stretch_weight[k] - copied.force;
        }
        for (k, pair) in self.bend.iter().enumerate() {
            for (i, copied) in pair.iter().enumerate() {
                out[bend[k].edges[i] as usize] += copied.edge * strands.bend_weight[k] - copied.force;
            }
        }
    }

    /// Largest distance between an edge and a copy of it \[m\].
    pub fn primal(&self, RodTerms { edges, joints, .. }: RodTerms<'_>, x: &[Vec3]) -> f64 {
        let own = ordered_max_by(edges.len(), |k| (edge(x, edges[k].nodes) - self.stretch[k].edge).amax());
        let joints = ordered_max_by(joints.len(), |k| {
            let [a, b, c, ..] = joints[k].blocks;
            let pair = [edge(x, [a, b]), edge(x, [b, c])];
            (0..2).map(|i| (pair[i] - self.bend[k][i].edge).amax()).fold(0.0, f64::max)
        });
        own.max(joints)
    }

    /// Dual forces in a fixed order: stretch, then both edges of every joint.
    pub fn forces(&self) -> Vec<Vec3> {
        self.stretch.iter().chain(self.bend.iter().flatten()).map(|c| c.force).collect()
    }

    /// Takes back what [`StrandLocalStep::forces`] gave.
    pub fn set_forces(&mut self, forces: &[Vec3]) {
        let copies = self.stretch.iter_mut().chain(self.bend.iter_mut().flatten());
        copies.zip(forces).for_each(|(copied, force)| copied.force = *force);
    }
}

fn edge(x: &[Vec3], [a, b]: [u32; 2]) -> Vec3 {
    x[b as usize] - x[a as usize]
}

fn six([a, b]: [Vec3; 2]) -> Six {
    Six::from_iterator(a.iter().chain(b.iter()).copied())
}

/// Minimum of k/2 (|z| − L)² + r k/2 (|z| − l_t)² + w/2 |z − y|², along y.
/// k = EA/L · r = β/h · l_t length at the start of the step
fn stretched(k: f64, rest_length: f64, wanted: Vec3, w: f64, rate: f64, start: f64) -> Vec3 {
    let length = wanted.norm();
    if length == 0.0 {
        return wanted;
    }
    wanted * ((k * rest_length + rate * k * start + w * length) / ((k * (1.0 + rate) + w) * length))
}

/// The energy of one joint over its two edges.
struct LocalBend<'a> {
    joint: &'a RodBendTwist,
    state: &'a State,
    materials: &'a MaterialTable,
}

impl<'a> LocalBend<'a> {
    /// The joint with its middle at the origin: its energy depends on edges alone.
    fn stencil(&self, z: &Six) -> Stencil<'a, 5> {
        let [.., before, after] = self.joint.blocks;
        let first = Vec3::new(z[0], z[1], z[2]);
        let second = Vec3::new(z[3], z[4], z[5]);
        let twists = [before, after].map(|t| self.state.blocks[t as usize]);
        let x = [-first, Vec3::zeros(), second, twists[0], twists[1]];
        Stencil { x, frames: &self.state.frames, materials: self.materials }
    }

    fn gradient(&self, z: &Six) -> Six {
        let g = self.joint.gradient(&self.stencil(z));
        six([-g[0], g[2]])
    }

    fn hessian(&self, z: &Six) -> SixBySix {
        let full = self.joint.hessian(&self.stencil(z), Curvature::Projected);
        let blocks: EdgeBlocks = [[full[0][0], -full[0][2]], [-full[2][0], full[2][2]]];
        SixBySix::from_fn(|r, c| blocks[r / 3][c / 3][(r % 3, c % 3)])
    }

    /// Newton on U(z) + ½ (z − z_t)ᵀ C (z − z_t) + w/2 |z − y|², from the copies of the iteration
    /// before. A step is cut to half of the shorter edge: curvature grows without bound as a joint
    /// folds back on itself.
    fn solve(
        &self,
        wanted: &Six,
        start: &Six,
        w: f64,
        viscosity: Option<&(SixBySix, Six)>,
        iterations: usize,
    ) -> Six {
        let mut z = *start;
        for _ in 0..iterations {
            let mut gradient = self.gradient(&z) + (z - wanted) * w;
            let mut hessian = self.hessian(&z) + SixBySix::identity() * w;
            if let Some((c, at)) = viscosity {
                gradient += c * (z - at);
                hessian += c;
            }
            let Some(factor) = hessian.cholesky() else { break };
            let step = factor.solve(&gradient);
            let shorter = z.fixed_rows::<3>(0).norm().min(z.fixed_rows::<3>(3).norm());
            z -= step * (0.5 * shorter / step.norm().max(f64::MIN_POSITIVE)).min(1.0);
        }
        z
    }
}
