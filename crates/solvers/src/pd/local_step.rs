//! Local elastic step: z = prox(D x + λ), and what every constraint gives to the global step.

use super::batches::{LocalElements, Pass, Totals};
use super::constraints::{Constraints, Spring};
use super::step_data::RowTargets;
use super::tets::TetBatch;
use super::triangles::TriangleBatch;
use rayon::prelude::*;
use stiction_numerics::Vec3;

/// Copies of the strains, with their duals.
#[derive(Debug)]
pub struct LocalStep {
    triangles: LocalElements<TriangleBatch>,
    tets: LocalElements<TetBatch>,
    springs: LocalSprings,
    h: f64,
    /// Whether λ_e += D x − z is due: λ − z is held, and the next pass over the elements adds D x.
    dual_is_due: bool,
}

/// The same of springs.
#[derive(Debug)]
struct LocalSprings {
    /// λ − z within a step, λ between steps.
    held: Vec<Vec3>,
    /// λ before the step, for a step that fails.
    kept: Vec<Vec3>,
    /// Lengths at the start of a step.
    start: Vec<f64>,
    /// D x, then what each row adds to the right-hand side before Dᵀ.
    flow: Vec<Vec3>,
}

impl LocalStep {
    /// No stress and no dual.
    pub fn new(constraints: &Constraints) -> LocalStep {
        let rows = vec![Vec3::zeros(); constraints.springs.len()];
        LocalStep {
            triangles: LocalElements::new(&constraints.triangles),
            tets: LocalElements::new(&constraints.tets),
            springs: LocalSprings { held: rows.clone(), kept: Vec::new(), start: Vec::new(), flow: rows },
            h: 0.0,
            dual_is_due: false,
        }
    }

    /// Keeps λ of the last step, for [`LocalStep::restore_kept_duals`].
    pub fn keep_duals(&mut self) {
        self.triangles.keep_duals();
        self.tets.keep_duals();
        self.springs.kept.clone_from(&self.springs.held);
    }

    /// After a step that failed: λ is what it was when it was kept.
    pub fn restore_kept_duals(&mut self) {
        self.triangles.restore_kept_duals();
        self.tets.restore_kept_duals();
        self.springs.held.clone_from(&self.springs.kept);
        self.dual_is_due = false;
    }

    /// Takes the shapes at the start of a step of length `h`.
    pub fn begin(&mut self, constraints: &Constraints, targets: &RowTargets, start: &[Vec3], h: f64) {
        self.h = h;
        self.triangles.begin(&constraints.triangles, start);
        self.tets.begin(&constraints.tets, start);
        let length =
            |(row, (_, offset)): (usize, &(bool, Vec3))| (constraints.lengths.at(row, start) - offset).norm();
        self.springs.start = targets.springs.iter().enumerate().map(length).collect();
    }

    /// What the quadratic forms add to the right-hand side: `base + Dᵀ(h² k o + h β k D x_t)`.
    pub fn with_forms(
        constraints: &Constraints,
        targets: &RowTargets,
        start: &[Vec3],
        h: f64,
        base: &[Vec3],
    ) -> Vec<Vec3> {
        let mut flow = vec![Vec3::zeros(); constraints.forms.rows()];
        constraints.forms.apply(start, &mut flow);
        for ((row, q), (on, offset)) in flow.iter_mut().zip(&constraints.quadratics).zip(&targets.quadratics)
        {
            *row = match on {
                true => offset * (h * h * q.stiffness) + *row * (h * q.damping),
                false => Vec3::zeros(),
            };
        }
        let mut out = vec![Vec3::zeros(); base.len()];
        constraints.forms.add_transposed(&flow, base, &mut out);
        out
    }

    /// The projection z of `D x + λ`, after the dual update if that is due.
    pub fn project(&mut self, constraints: &Constraints, targets: &RowTargets, x: &[Vec3]) {
        let pass = Pass { x, h: self.h, first: !self.dual_is_due };
        self.triangles.project(&constraints.triangles, &pass);
        self.tets.project(&constraints.tets, &pass);
        self.springs.project(constraints, targets, &pass);
        self.dual_is_due = false;
    }

    /// λ_e += D x − z at the positions that the global step has found. The pass that next sees the
    /// elements carries it out, at the same positions: [`LocalStep::project`] or
    /// [`LocalStep::finish`]. A pass of its own would read all elements once more.
    pub fn update_dual(&mut self) {
        self.dual_is_due = true;
    }

    /// What all constraints give to a node.
    #[inline]
    pub fn force(&self, constraints: &Constraints, node: usize) -> Vec3 {
        self.triangles.force(&constraints.triangles, node)
            + self.tets.force(&constraints.tets, node)
            + constraints.lengths.transposed_at(node, &self.springs.flow)
    }

    /// Carries out the dual update after the last global step.
    pub fn finish(&mut self, constraints: &Constraints, x: &[Vec3]) {
        self.triangles.finish(&constraints.triangles, x);
        self.tets.finish(&constraints.tets, x);
        for (row, held) in self.springs.held.iter_mut().enumerate() {
            *held += constraints.lengths.at(row, x);
        }
        self.dual_is_due = false;
    }

    /// λ of springs between steps.
    pub fn spring_duals(&mut self) -> &mut [Vec3] {
        &mut self.springs.held
    }

    /// λ (between steps) or λ − z of all projected rows.
    pub fn rows(&self, constraints: &Constraints) -> Vec<Vec3> {
        let elements = self.triangles.rows(&constraints.triangles).chain(self.tets.rows(&constraints.tets));
        elements.chain(self.springs.held.iter().copied()).collect()
    }

    /// Takes λ of all projected rows, as between steps.
    pub fn set_duals(&mut self, constraints: &Constraints, rows: &[Vec3]) {
        let (triangles, rest) = rows.split_at(constraints.triangles.rows());
        let (tets, springs) = rest.split_at(constraints.tets.rows());
        self.triangles.set_rows(triangles);
        self.tets.set_rows(tets);
        self.springs.held.copy_from_slice(springs);
        self.dual_is_due = false;
    }

    /// Elastic energy by kind \[J\] at the given positions, and the largest excess over a strain
    /// limit.
    pub fn energies(
        constraints: &Constraints,
        targets: &RowTargets,
        positions: &[Vec3],
    ) -> (Vec<(&'static str, f64)>, f64) {
        let mut kinds: Vec<(&'static str, f64)> = Vec::new();
        let Totals { energy, excess } = constraints.triangles.totals(positions);
        if constraints.triangles.rows() > 0 {
            add(&mut kinds, "membrane", energy);
        }
        if constraints.tets.rows() > 0 {
            add(&mut kinds, "solid", constraints.tets.totals(positions).energy);
        }
        for (e, (spring, (on, offset))) in constraints.springs.iter().zip(&targets.springs).enumerate() {
            let over = (constraints.lengths.at(e, positions) - offset).norm() - spring.length;
            add(&mut kinds, spring.kind, if *on { 0.5 * spring.stiffness * over * over } else { 0.0 });
        }
        for (e, (form, (on, offset))) in constraints.quadratics.iter().zip(&targets.quadratics).enumerate() {
            let squared = (constraints.forms.at(e, positions) - offset).norm_squared();
            add(&mut kinds, form.kind, if *on { 0.5 * form.stiffness * squared } else { 0.0 });
        }
        (kinds, excess)
    }
}

fn add(kinds: &mut Vec<(&'static str, f64)>, kind: &'static str, energy: f64) {
    match kinds.iter_mut().find(|(k, _)| *k == kind) {
        Some((_, sum)) => *sum += energy,
        None => kinds.push((kind, energy)),
    }
}

impl LocalSprings {
    fn project(&mut self, constraints: &Constraints, targets: &RowTargets, pass: &Pass<'_>) {
        let start = &self.start;
        (self.held.par_iter_mut().zip(&mut self.flow).enumerate()).with_min_len(256).for_each(
            |(row, (held, flow))| {
                let strain = constraints.lengths.at(row, pass.x);
                let (on, offset) = targets.springs[row];
                if !on {
                    (*held, *flow) = (-strain, Vec3::zeros());
                    return;
                }
                let dual = if pass.first { *held } else { *held + strain };
                let spring = &constraints.springs[row];
                let (z, damped) = project_spring(spring, strain + dual - offset, start[row] * pass.h);
                *held = dual - offset - z;
                *flow =
                    *held * (-pass.h * pass.h * spring.weight) + damped + offset * (pass.h * spring.damping);
            },
        );
    }
}

/// |z − o| = (k L + w |y − o|)/(k + w) along y − o; returns z − o, and the flow of damping towards the length of the start.
fn project_spring(spring: &Spring, y: Vec3, start: f64) -> (Vec3, Vec3) {
    // A spring of no length may point anywhere.
    let direction = y.try_normalize(0.0).unwrap_or_else(Vec3::x);
    let length =
        (spring.stiffness * spring.length + spring.weight * y.norm()) / (spring.stiffness + spring.weight);
    (direction * length, direction * (start * spring.damping))
}
