//! The global step: one constant scalar matrix per connected part, solved for x, y and z together.
//!
//! `A = M (1 + h α) + Dᵀ (h² W + h β K) D` and `A + W_c`, with W the ADMM weight of projected rows and the full stiffness of quadratic ones.
//! Both are factored: the first serves parts that touch nothing and the prediction of a step, the second all other solves.
//! Prescribed nodes have identity rows; their columns move to the right-hand side.
//!
//! The matrices change only with the step size, the set of prescribed nodes and the set of active attachments. Parts with equal
//! matrices (instances of one body) share their factors.

use super::constraints::Constraints;
use super::options::PdOptions;
use super::step_data::{RowTargets, mass_damping};
use crate::solver::{StepError, World};
use rayon::prelude::*;
use std::sync::Arc;
use stiction_factor::{CscMatrix, ScalarCholesky};
use stiction_numerics::Vec3;

/// Matrices whose entries differ by less than this share of the largest one count as equal.
const SAME: f64 = 1e-10;

/// Factors of one part.
struct Part {
    nodes: Vec<u32>,
    free: Arc<ScalarCholesky>,
    contact: Arc<ScalarCholesky>,
}

/// What the matrices depend on.
#[derive(Clone, Debug, PartialEq)]
struct Signature {
    h: f64,
    fixed: Vec<bool>,
    switches: Vec<bool>,
}

/// Factors of all parts.
#[derive(Default)]
pub struct GlobalStep {
    signature: Option<Signature>,
    parts: Vec<Part>,
    /// Part of each node.
    pub part_of_node: Vec<u32>,
    /// Entries (free node, prescribed node, value) of A.
    held: Vec<(u32, u32, f64)>,
    /// Which nodes can touch something: those of surfaces.
    can_touch: Vec<bool>,
    /// h² W_c per node \[kg\].
    pub weights: Vec<f64>,
    /// α m per node.
    pub mass_damping: Vec<f64>,
    /// Factors made so far.
    pub factored: usize,
}

impl GlobalStep {
    /// Nothing factored yet; nodes that cannot touch anything get no contact weight, which would only slow them down.
    pub fn new(can_touch: Vec<bool>) -> GlobalStep {
        GlobalStep { can_touch, ..GlobalStep::default() }
    }

    /// Number of parts.
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// Entries of all factors, shared ones once.
    pub fn factor_entries(&self) -> usize {
        let mut seen: Vec<&Arc<ScalarCholesky>> = Vec::new();
        for factor in self.parts.iter().flat_map(|p| [&p.free, &p.contact]) {
            if !seen.iter().any(|s| Arc::ptr_eq(s, factor)) {
                seen.push(factor);
            }
        }
        seen.iter().map(|f| f.factor_entries()).sum()
    }

    /// Makes the factors for a step if they are not there yet.
    pub fn prepare(
        &mut self,
        world: World<'_>,
        constraints: &Constraints,
        targets: &RowTargets,
        fixed: &[bool],
        h: f64,
        options: &PdOptions,
    ) -> Result<(), StepError> {
        let nodes = world.model.nodes;
        let signature = Signature { h, fixed: fixed[..nodes].to_vec(), switches: targets.switches() };
        if self.signature.as_ref() == Some(&signature) {
            return Ok(());
        }
        self.mass_damping = mass_damping(world);
        let rows = row_weights(constraints, targets, h);
        let mass: Vec<f64> = (0..nodes).map(|n| world.model.mass[n] + h * self.mass_damping[n]).collect();
        self.weights = contact_weights(world, constraints, &rows, h, options);
        self.weights.iter_mut().zip(&self.can_touch).filter(|(_, can)| !**can).for_each(|(w, _)| *w = 0.0);
        let members = self.divide(world);
        let entries = self.entries(constraints, &rows, &signature.fixed, &members);
        self.factor(&members, entries, &mass, &signature.fixed)?;
        self.signature = Some(signature);
        self.factored += 1;
        Ok(())
    }

    /// Nodes of each part, ascending.
    fn divide(&mut self, world: World<'_>) -> Vec<Vec<u32>> {
        let model = world.model;
        let mut index = vec![u32::MAX; model.by_coupling.parts];
        let mut members: Vec<Vec<u32>> = Vec::new();
        self.part_of_node = (0..model.nodes)
            .map(|node| {
                let slot = &mut index[model.by_coupling.part[node] as usize];
                if *slot == u32::MAX {
                    *slot = members.len() as u32;
                    members.push(Vec::new());
                }
                members[*slot as usize].push(node as u32);
                *slot
            })
            .collect();
        members
    }

    /// Off-diagonal and diagonal entries of Dᵀ(·)D by part in local numbers; those of prescribed nodes go to `held`.
    fn entries(
        &mut self,
        constraints: &Constraints,
        rows: &[f64],
        fixed: &[bool],
        members: &[Vec<u32>],
    ) -> Vec<Vec<(u32, u32, f64)>> {
        let mut local = vec![0u32; self.part_of_node.len()];
        members.iter().for_each(|m| m.iter().enumerate().for_each(|(k, &n)| local[n as usize] = k as u32));
        let mut out = vec![Vec::new(); members.len()];
        self.held.clear();
        for (r, &weight) in rows.iter().enumerate().filter(|(_, w)| **w > 0.0) {
            let row = constraints.selection.row(r);
            for (k, &(a, ca)) in row.iter().enumerate() {
                for &(b, cb) in &row[k..] {
                    let value = weight * ca * cb;
                    let (a_fixed, b_fixed) = (fixed[a as usize], fixed[b as usize]);
                    match (a_fixed, b_fixed) {
                        (false, false) => {
                            let (i, j) = (local[a as usize], local[b as usize]);
                            out[self.part_of_node[a as usize] as usize].push((i.max(j), i.min(j), value));
                        }
                        (false, true) => self.held.push((a, b, value)),
                        (true, false) => self.held.push((b, a, value)),
                        (true, true) => {}
                    }
                }
            }
        }
        out
    }

    fn factor(
        &mut self,
        members: &[Vec<u32>],
        entries: Vec<Vec<(u32, u32, f64)>>,
        mass: &[f64],
        fixed: &[bool],
    ) -> Result<(), StepError> {
        let mut known: Vec<(CscMatrix, Arc<ScalarCholesky>)> = Vec::new();
        let mut shared = |matrix: CscMatrix| -> Result<Arc<ScalarCholesky>, StepError> {
            if let Some((_, factor)) = known.iter().find(|(other, _)| same(other, &matrix)) {
                return Ok(factor.clone());
            }
            let factor = Arc::new(ScalarCholesky::new(&matrix)?);
            known.push((matrix, factor.clone()));
            Ok(factor)
        };
        self.parts.clear();
        for (nodes, triplets) in members.iter().zip(entries) {
            let matrix = |extra: &dyn Fn(usize) -> f64| {
                let mut all = triplets.clone();
                for (k, &node) in nodes.iter().enumerate() {
                    let node = node as usize;
                    let diagonal = if fixed[node] { 1.0 } else { mass[node] + extra(node) };
                    all.push((k as u32, k as u32, diagonal));
                }
                CscMatrix::from_triplets(nodes.len(), &all)
            };
            let free = shared(matrix(&|_| 0.0)?)?;
            let contact = shared(matrix(&|node| self.weights[node])?)?;
            self.parts.push(Part { nodes: nodes.clone(), free, contact });
        }
        Ok(())
    }

    /// Moves the columns of prescribed nodes to the right-hand side.
    pub fn subtract_held(&self, target: &[Vec3], rhs: &mut [Vec3]) {
        for &(free, held, value) in &self.held {
            rhs[free as usize] -= target[held as usize] * value;
        }
    }

    /// Solves part by part with `A` or, where `with_contact` says so, with `A + W_c`; `rhs` becomes the solution.
    pub fn solve(&self, with_contact: &[bool], rhs: &mut [Vec3]) {
        let solved: Vec<Vec<Vec3>> = (self.parts.par_iter().zip(with_contact))
            .map(|(part, contact)| {
                let mut x: Vec<Vec3> = part.nodes.iter().map(|&n| rhs[n as usize]).collect();
                let factor = if *contact { &part.contact } else { &part.free };
                factor.solve_in_place(&mut x);
                x
            })
            .collect();
        for (part, x) in self.parts.iter().zip(&solved) {
            part.nodes.iter().zip(x).for_each(|(&n, value)| rhs[n as usize] = *value);
        }
    }
}

/// h² W + h β K of every row; 0 for what is switched off.
fn row_weights(constraints: &Constraints, targets: &RowTargets, h: f64) -> Vec<f64> {
    let weight = |w: f64, damping: f64| h * h * w + h * damping;
    let triangles = constraints.triangles.iter().flat_map(|c| [weight(c.weight, c.damping); 2]);
    let tets = constraints.tets.iter().flat_map(|c| [weight(c.weight, c.damping); 3]);
    let springs = (constraints.springs.iter().zip(&targets.springs))
        .map(|(s, (on, _))| if *on { weight(s.weight, s.damping) } else { 0.0 });
    let quadratics = (constraints.quadratics.iter().zip(&targets.quadratics))
        .map(|(q, (on, _))| if *on { weight(q.stiffness, q.damping) } else { 0.0 });
    triangles.chain(tets).chain(springs).chain(quadratics).collect()
}

/// h² W_c per node \[kg\]: clamp(β m, σ η, η) with η = m + (Dᵀ(·)D)_vv, or the user's value.   [Zhu2024, section 6.3]
fn contact_weights(
    world: World<'_>,
    constraints: &Constraints,
    rows: &[f64],
    h: f64,
    options: &PdOptions,
) -> Vec<f64> {
    let mass = &world.model.mass[..world.model.nodes];
    if let Some(weight) = options.contact_weight {
        return vec![h * h * weight; mass.len()];
    }
    let mut eta = mass.to_vec();
    for (r, weight) in rows.iter().enumerate() {
        for &(node, c) in constraints.selection.row(r) {
            eta[node as usize] += weight * c * c;
        }
    }
    eta.iter().zip(mass).map(|(eta, m)| (options.sigma * eta).max((options.beta * m).min(*eta))).collect()
}

fn same(a: &CscMatrix, b: &CscMatrix) -> bool {
    if a.size() != b.size() || a.entry_count() != b.entry_count() {
        return false;
    }
    let largest = a.values().iter().fold(0.0, |m: f64, v| m.max(v.abs()));
    let close = |(x, y): (&f64, &f64)| (x - y).abs() <= SAME * largest;
    a.values().iter().zip(b.values()).all(close) && (0..a.size()).all(|j| a.column(j) == b.column(j))
}
