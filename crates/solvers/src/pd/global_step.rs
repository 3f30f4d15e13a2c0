//! The global step: one constant scalar matrix per connected part, solved for x, y and z together.
//!
//! `A = M (1 + h α) + Dᵀ (h² W + h β K) D` and `A + W_c`, with W the ADMM weight of projected rows
//! and the full stiffness of quadratic ones.
//! Both are factored: the first serves parts that touch nothing and the prediction of a step, the
//! second all other solves. Prescribed nodes have identity rows; their columns move to the
//! right-hand side.
//!
//! The matrices change only with the step size, the set of prescribed nodes and the set of active
//! attachments. The factors of the last few sets are kept, so that pins that switch off and on
//! again find theirs. A new set takes the factors of parts whose own pins and attachments are as
//! they were in one of those, and only the others are factored. Parts with equal matrices
//! (instances of one body) share their factors, made from the first of them: so factors depend on
//! the set alone, not on what was before.

use super::constraints::Constraints;
use super::options::PdOptions;
use super::part_matrix::{Ingredients, PartMatrix};
use super::step_data::{RowTargets, mass_damping};
use crate::report::StepReport;
use crate::solver::{StepError, World};
use rayon::prelude::*;
use std::mem::take;
use std::sync::Arc;
use stiction_factor::ScalarCholesky;
use stiction_numerics::Vec3;

/// Parts that one task of a solve takes together, at most: what the factor is read for at once.
const TOGETHER: usize = 4;

/// Bytes of factors that a thread takes at least: some twenty microseconds of work.
const WORTH_A_THREAD: usize = 100_000;

/// Factors of A and of A + W_c.
struct Factors {
    free: ScalarCholesky,
    contact: ScalarCholesky,
}

/// Parts with equal matrices, and their factors, made from the matrices of the first.
struct SharedFactors {
    parts: Vec<u32>,
    factors: Arc<Factors>,
}

/// Sets of factors that are kept in addition to the present one.
const KEPT_SETS: usize = 3;

/// What the matrices depend on.
#[derive(Clone, Debug, PartialEq)]
struct Signature {
    h: f64,
    fixed: Vec<bool>,
    switches: Vec<bool>,
}

impl Signature {
    /// Whether a part with these nodes, and springs or forms with these numbers, has the same
    /// matrices in another set.
    fn agrees_in(&self, other: &Signature, nodes: &[u32], switches: &[u32]) -> bool {
        self.h == other.h
            && nodes.iter().all(|&n| self.fixed[n as usize] == other.fixed[n as usize])
            && switches.iter().all(|&s| self.switches[s as usize] == other.switches[s as usize])
    }
}

/// What belongs to one signature.
struct Matrices {
    signature: Signature,
    shared: Vec<SharedFactors>,
    /// Entries (free node, prescribed node, value) of A.
    held: Vec<(u32, u32, f64)>,
    /// h² W_c per node \[kg\].
    weights: Vec<f64>,
}

/// Factors of all parts.
#[derive(Default)]
pub struct GlobalStep {
    signature: Option<Signature>,
    /// Nodes of each part, ascending.
    parts: Vec<Vec<u32>>,
    shared: Vec<SharedFactors>,
    /// Part of each node.
    pub part_of_node: Vec<u32>,
    held: Vec<(u32, u32, f64)>,
    /// Which nodes can touch something: those of surfaces.
    can_touch: Vec<bool>,
    /// h² W_c per node \[kg\].
    pub weights: Vec<f64>,
    /// Sets that were used before, the last one first.
    kept_sets: Vec<Matrices>,
    /// α m per node.
    pub mass_damping: Vec<f64>,
    /// Parts factored so far, those with equal matrices once.
    pub factored: usize,
}

impl GlobalStep {
    /// Nothing factored yet; nodes that cannot touch anything get no contact weight, which would
    /// only slow them down.
    pub fn new(can_touch: Vec<bool>) -> GlobalStep {
        GlobalStep { can_touch, ..GlobalStep::default() }
    }

    /// Number of parts.
    pub fn parts(&self) -> usize {
        self.parts.len()
    }

    /// Which parts have a prescribed node or one on an attachment to a place.
    pub fn held_parts(&self, world: World<'_>, fixed: &[bool]) -> Vec<bool> {
        let mut held = vec![false; self.parts.len()];
        let prescribed = (0..self.part_of_node.len()).filter(|&n| fixed[n]);
        let attached = world.model.anchors.groups.iter().flat_map(|g| g.nodes.iter().map(|&n| n as usize));
        prescribed.chain(attached).for_each(|n| held[self.part_of_node[n] as usize] = true);
        held
    }

    /// Entries of all factors, shared ones once.
    fn factor_entries(&self) -> usize {
        self.shared.iter().map(|k| k.factors.free.factor_entries() + k.factors.contact.factor_entries()).sum()
    }

    /// Bytes that one solve of all parts with A + W_c reads of factors, each factor once per group
    /// of four parts.
    fn factor_bytes_per_solve(&self) -> usize {
        let readings = |parts: usize| 2 * (parts / 4 + [0, 1, 1, 2][parts % 4]);
        self.shared.iter().map(|k| k.factors.contact.factor_bytes() * readings(k.parts.len())).sum()
    }

    /// Adds the factors to a report, and how many were made since there had been `before`.
    pub fn add_to(&self, report: &mut StepReport, before: usize) {
        report.counters.extend([
            ("factorisations", (self.factored - before) as f64),
            ("factor_entries", self.factor_entries() as f64),
            ("factor_bytes_per_solve", self.factor_bytes_per_solve() as f64),
        ]);
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
        if self.signature.as_ref() == Some(&signature) || self.take_kept_set(&signature) {
            return Ok(());
        }
        self.mass_damping = mass_damping(world);
        let rows = row_weights(constraints, targets, h);
        let mass: Vec<f64> =
            (0..nodes).map(|n| world.parameters.mass[n] + h * self.mass_damping[n]).collect();
        self.weights = contact_weights(world, constraints, &rows, h, options);
        self.weights.iter_mut().zip(&self.can_touch).filter(|(_, can)| !**can).for_each(|(w, _)| *w = 0.0);
        let members = self.divide(world);
        self.factor(constraints, &rows, members, &mass, &signature)?;
        self.signature = Some(signature);
        Ok(())
    }

    /// Keeps the present set and takes that of a signature back, if it is there.
    fn take_kept_set(&mut self, wanted: &Signature) -> bool {
        if let Some(signature) = self.signature.take() {
            let (shared, held) = (take(&mut self.shared), take(&mut self.held));
            self.kept_sets.insert(0, Matrices { signature, shared, held, weights: take(&mut self.weights) });
        }
        let found = self.kept_sets.iter().position(|set| set.signature == *wanted);
        let found = found.map(|at| self.kept_sets.remove(at));
        self.kept_sets.truncate(KEPT_SETS);
        let Some(Matrices { signature, shared, held, weights }) = found else { return false };
        (self.signature, self.shared, self.held, self.weights) = (Some(signature), shared, held, weights);
        true
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

    /// Factors part by part, so that only one part is in the making at a time.
    fn factor(
        &mut self,
        constraints: &Constraints,
        row_weights: &[f64],
        members: Vec<Vec<u32>>,
        mass: &[f64],
        signature: &Signature,
    ) -> Result<(), StepError> {
        let fixed = &signature.fixed[..];
        let mut local = vec![0u32; self.part_of_node.len()];
        members.iter().for_each(|m| m.iter().enumerate().for_each(|(k, &n)| local[n as usize] = k as u32));
        let rows_of_part = self.rows_of_parts(constraints, row_weights, members.len());
        let switches_of_part = self.switches_of_parts(constraints, signature, members.len());
        (self.held, self.shared) = (Vec::new(), Vec::new());
        let mut known: Vec<PartMatrix> = Vec::new();
        for (part, (nodes, rows)) in members.iter().zip(rows_of_part).enumerate() {
            let contact = &self.weights;
            let from = Ingredients { constraints, row_weights, fixed, mass, contact, local: &local };
            let matrix = PartMatrix::new(&from, nodes, &rows, &mut self.held);
            match known.iter().position(|other| other.is_like(&matrix)) {
                Some(shared) => self.shared[shared].parts.push(part as u32),
                None => {
                    let factors =
                        match self.kept_factors(part as u32, signature, nodes, &switches_of_part[part]) {
                            Some(factors) => factors,
                            None => {
                                self.factored += 1;
                                let [free, contact] = matrix.assemble()?;
                                let (free, contact) =
                                    (ScalarCholesky::new(&free)?, ScalarCholesky::new(&contact)?);
                                Arc::new(Factors { free, contact })
                            }
                        };
                    self.shared.push(SharedFactors { parts: vec![part as u32], factors });
                    known.push(matrix);
                }
            }
        }
        self.parts = members;
        Ok(())
    }

    /// Factors that were made from this part in a set in which it had the same matrices.
    fn kept_factors(
        &self,
        part: u32,
        signature: &Signature,
        nodes: &[u32],
        switches: &[u32],
    ) -> Option<Arc<Factors>> {
        let alike = self.kept_sets.iter().filter(|set| signature.agrees_in(&set.signature, nodes, switches));
        let made = alike.flat_map(|set| &set.shared).find(|shared| shared.parts[0] == part);
        made.map(|shared| shared.factors.clone())
    }

    /// Switches of springs and quadratic forms, by part.
    fn switches_of_parts(
        &self,
        constraints: &Constraints,
        signature: &Signature,
        parts: usize,
    ) -> Vec<Vec<u32>> {
        let mut out = vec![Vec::new(); parts];
        let mut terms = Vec::new();
        let first = constraints.rows() - signature.switches.len();
        for s in 0..signature.switches.len() {
            constraints.row(first + s, &mut terms);
            if let Some((node, _)) = terms.first() {
                out[self.part_of_node[*node as usize] as usize].push(s as u32);
            }
        }
        out
    }

    /// Rows of D that act, by part.
    fn rows_of_parts(&self, constraints: &Constraints, weights: &[f64], parts: usize) -> Vec<Vec<u32>> {
        let mut out = vec![Vec::new(); parts];
        let mut terms = Vec::new();
        for r in (0..weights.len()).filter(|&r| weights[r] > 0.0) {
            constraints.row(r, &mut terms);
            if let Some((node, _)) = terms.first() {
                out[self.part_of_node[*node as usize] as usize].push(r as u32);
            }
        }
        out
    }

    /// Moves the columns of prescribed nodes to the right-hand side.
    pub fn subtract_held(&self, target: &[Vec3], rhs: &mut [Vec3]) {
        for &(free, held, value) in &self.held {
            rhs[free as usize] -= target[held as usize] * value;
        }
    }

    /// Solves part by part with `A` or, where `with_contact` says so, with `A + W_c`; `rhs` becomes
    /// the solution. Parts of one factor are solved together.
    pub fn solve(&self, with_contact: &[bool], rhs: &mut [Vec3]) {
        let mut tasks: Vec<(&ScalarCholesky, Vec<u32>)> = Vec::new();
        // Grouping does not change a bit, so it may look at the number of threads.
        let together = TOGETHER.min(self.parts.len().div_ceil(rayon::current_num_threads()));
        for shared in &self.shared {
            let (touching, free): (Vec<u32>, Vec<u32>) =
                shared.parts.iter().partition(|&&part| with_contact[part as usize]);
            tasks.extend(touching.chunks(together).map(|some| (&shared.factors.contact, some.to_vec())));
            tasks.extend(free.chunks(together).map(|some| (&shared.factors.free, some.to_vec())));
        }
        let solve = |(factor, parts): &(&ScalarCholesky, Vec<u32>)| {
            let gather = |&part: &u32| -> Vec<Vec3> {
                self.parts[part as usize].iter().map(|&n| rhs[n as usize]).collect()
            };
            let mut systems: Vec<Vec<Vec3>> = parts.iter().map(gather).collect();
            factor.solve_many(&mut systems);
            systems
        };
        // Small factors are read before another thread is awake.
        let least = tasks.len() * WORTH_A_THREAD / self.factor_bytes_per_solve().max(1);
        let solved: Vec<Vec<Vec<Vec3>>> = tasks.par_iter().with_min_len(least.max(1)).map(solve).collect();
        for ((_, parts), systems) in tasks.iter().zip(&solved) {
            for (&part, x) in parts.iter().zip(systems) {
                let nodes = &self.parts[part as usize];
                nodes.iter().zip(x).for_each(|(&n, value)| rhs[n as usize] = *value);
            }
        }
    }
}

/// h² W + h β K of every row; 0 for what is switched off.
fn row_weights(constraints: &Constraints, targets: &RowTargets, h: f64) -> Vec<f64> {
    let switched = targets.springs.iter().chain(&targets.quadratics).map(|(on, _)| *on);
    let elements = constraints.rows() - targets.springs.len() - targets.quadratics.len();
    let on = std::iter::repeat_n(true, elements).chain(switched);
    let weight = |(row, on): (usize, bool)| {
        let (w, damping) = constraints.stiffness(row);
        if on { h * h * w + h * damping } else { 0.0 }
    };
    on.enumerate().map(weight).collect()
}

/// h² W_c per node \[kg\]: clamp(β m, σ η, η) with η = m + (Dᵀ(·)D)_vv, or the user's value.
/// [Zhu2024, section 6.3]
///
/// The floor σ η stays below the mass of the part. A part that is stiff enough to reach it moves as
/// a whole: its nodes resist with that mass, and a weight above holds it back from iteration to
/// iteration until the impulses overshoot and throw it.
fn contact_weights(
    world: World<'_>,
    constraints: &Constraints,
    rows: &[f64],
    h: f64,
    options: &PdOptions,
) -> Vec<f64> {
    let model = world.model;
    let mass = &world.parameters.mass[..model.nodes];
    let part = &model.by_coupling.part[..model.nodes];
    let mut part_mass = vec![0.0; model.by_coupling.parts];
    mass.iter().zip(part).for_each(|(m, part)| part_mass[*part as usize] += m);
    let mut eta = mass.to_vec();
    let mut terms = Vec::new();
    for (r, weight) in rows.iter().enumerate() {
        constraints.row(r, &mut terms);
        terms.iter().for_each(|(node, c)| eta[*node as usize] += weight * c * c);
    }
    let heuristic = |n: usize| {
        let floor = (options.sigma * eta[n]).min(part_mass[part[n] as usize]);
        floor.max((options.beta * mass[n]).min(eta[n]))
    };
    let given: Vec<Option<f64>> = model.bodies.iter().map(|b| options.weight_of(&b.name)).collect();
    (0..mass.len())
        .map(|n| match given[model.body_of_node[n] as usize] {
            Some(weight) => h * h * weight,
            None => heuristic(n),
        })
        .collect()
}
