//! Local elastic step: z = prox(D x + λ), and what every row gives to the global step.
//!
//! A row hands `h² w (z − λ) + h β K d*` to the right-hand side. d* is the strain of the start of the step turned with the
//! element, `R S_t`, so that damping resists changes of shape and lets rigid rotations pass. (With the plain `D x_t` of the
//! document a spinning body would be braked.)

use super::constraints::{Constraints, Continuum, Spring};
use super::corotated::{SheetProx, SolidProx, polar_sheet, polar_solid};
use super::step_data::RowTargets;
use rayon::prelude::*;
use stiction_numerics::{Mat2, Mat3, Mat3x2, Vec3};

/// Shapes of the elements at the start of a step, for damping.
#[derive(Debug, Default)]
struct StartShapes {
    triangles: Vec<Mat2>,
    tets: Vec<Mat3>,
    springs: Vec<f64>,
}

/// Rows of the local step.
#[derive(Debug)]
pub struct LocalStep {
    /// z.
    pub projected: Vec<Vec3>,
    /// λ_e, carried from step to step.
    pub dual: Vec<Vec3>,
    /// What each row adds to the right-hand side before Dᵀ; D x on the way to it.
    pub flow: Vec<Vec3>,
    shapes: StartShapes,
    h: f64,
}

/// The three row arrays of a range of elements; `flow` holds D x until it is set.
struct Rows<'a> {
    projected: &'a mut [Vec3],
    dual: &'a mut [Vec3],
    flow: &'a mut [Vec3],
}

impl<'a> Rows<'a> {
    fn split_at(self, at: usize) -> (Rows<'a>, Rows<'a>) {
        let (p0, p1) = self.projected.split_at_mut(at);
        let (d0, d1) = self.dual.split_at_mut(at);
        let (f0, f1) = self.flow.split_at_mut(at);
        (Rows { projected: p0, dual: d0, flow: f0 }, Rows { projected: p1, dual: d1, flow: f1 })
    }

    /// Runs `work` on the `K` rows of every element.
    fn for_each<const K: usize>(self, work: impl Fn(usize, Rows<'_>) + Sync) {
        (self.projected.par_chunks_mut(K))
            .zip(self.dual.par_chunks_mut(K))
            .zip(self.flow.par_chunks_mut(K))
            .enumerate()
            .with_min_len(128)
            .for_each(|(e, ((projected, dual), flow))| work(e, Rows { projected, dual, flow }));
    }

    /// λ += D x − z of the iteration before.
    fn update_dual(&mut self) {
        for k in 0..self.flow.len() {
            self.dual[k] += self.flow[k] - self.projected[k];
        }
    }

    /// D x + λ; only before the row is set.
    fn target(&self, k: usize) -> Vec3 {
        self.flow[k] + self.dual[k]
    }

    fn set(&mut self, k: usize, projected: Vec3, weight: f64, damped: Vec3) {
        self.projected[k] = projected;
        self.flow[k] = (projected - self.dual[k]) * weight + damped;
    }
}

impl LocalStep {
    /// No stress and no dual.
    pub fn new(constraints: &Constraints) -> LocalStep {
        let rows = vec![Vec3::zeros(); constraints.selection.rows()];
        LocalStep {
            projected: rows.clone(),
            dual: rows.clone(),
            flow: rows,
            shapes: StartShapes::default(),
            h: 0.0,
        }
    }

    /// Takes the shapes at the start of a step of length `h`.
    pub fn begin(&mut self, constraints: &Constraints, targets: &RowTargets, start: &[Vec3], h: f64) {
        self.h = h;
        constraints.selection.apply(start, &mut self.flow);
        let [tets, springs] = constraints.row_starts();
        let strain = &self.flow;
        self.shapes.triangles = (constraints.triangles.par_iter().enumerate())
            .map(
                |(e, c)| {
                    if c.damping > 0.0 { polar_sheet(&sheet(&strain[2 * e..])).1 } else { Mat2::zeros() }
                },
            )
            .collect();
        self.shapes.tets = (constraints.tets.par_iter().enumerate())
            .map(|(e, c)| match c.damping > 0.0 {
                true => polar_solid(&solid(&strain[tets + 3 * e..])).1,
                false => Mat3::zeros(),
            })
            .collect();
        self.shapes.springs =
            targets.springs.iter().enumerate().map(|(e, (_, o))| (strain[springs + e] - o).norm()).collect();
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

    /// One pass: the dual update of the iteration before (when asked), then the projection of `D x + λ`.
    pub fn project(
        &mut self,
        constraints: &Constraints,
        targets: &RowTargets,
        positions: &[Vec3],
        update_dual: bool,
    ) {
        constraints.selection.apply(positions, &mut self.flow);
        let [tets, springs] = constraints.row_starts();
        let (h, shapes) = (self.h, &self.shapes);
        let all = Rows { projected: &mut self.projected, dual: &mut self.dual, flow: &mut self.flow };
        let (active, spring_rows) = all.split_at(springs);
        let (triangle_rows, tet_rows) = active.split_at(tets);
        triangle_rows.for_each::<2>(|e, mut rows| {
            if update_dual {
                rows.update_dual();
            }
            project_triangle(&constraints.triangles[e], &shapes.triangles[e], h, &mut rows);
        });
        tet_rows.for_each::<3>(|e, mut rows| {
            if update_dual {
                rows.update_dual();
            }
            project_tet(&constraints.tets[e], &shapes.tets[e], h, &mut rows);
        });
        spring_rows.for_each::<1>(|e, mut rows| {
            if update_dual {
                rows.update_dual();
            }
            let (on, offset) = targets.springs[e];
            project_spring(&constraints.springs[e], on, offset, shapes.springs[e], h, &mut rows);
        });
    }

    /// The dual update alone, after the last global step.
    pub fn finish(&mut self, constraints: &Constraints, positions: &[Vec3]) {
        constraints.selection.apply(positions, &mut self.flow);
        for row in 0..self.flow.len() {
            self.dual[row] += self.flow[row] - self.projected[row];
        }
    }

    /// Elastic energy by kind \[J\] at the given positions, and the largest excess over a strain limit.
    pub fn energies(
        &mut self,
        constraints: &Constraints,
        targets: &RowTargets,
        positions: &[Vec3],
    ) -> (Vec<(&'static str, f64)>, f64) {
        constraints.selection.apply(positions, &mut self.flow);
        let strain = &self.flow;
        let mut forms = vec![Vec3::zeros(); constraints.forms.rows()];
        constraints.forms.apply(positions, &mut forms);
        let [tets, springs] = constraints.row_starts();
        let mut kinds: Vec<(&'static str, f64)> = Vec::new();
        let mut excess: f64 = 0.0;
        let sheets: Vec<(f64, f64)> = (constraints.triangles.par_iter().enumerate())
            .map(|(e, c)| c.prox.energy(&sheet(&strain[2 * e..])))
            .collect();
        for (energy, over) in sheets {
            add(&mut kinds, "membrane", energy);
            excess = excess.max(over);
        }
        let solids: Vec<f64> = (constraints.tets.par_iter().enumerate())
            .map(|(e, c)| c.prox.energy(&solid(&strain[tets + 3 * e..])))
            .collect();
        solids.into_iter().for_each(|energy| add(&mut kinds, "solid", energy));
        for (e, (spring, (on, offset))) in constraints.springs.iter().zip(&targets.springs).enumerate() {
            let over = (strain[springs + e] - offset).norm() - spring.length;
            add(&mut kinds, spring.kind, if *on { 0.5 * spring.stiffness * over * over } else { 0.0 });
        }
        for (e, (form, (on, offset))) in constraints.quadratics.iter().zip(&targets.quadratics).enumerate() {
            let squared = (forms[e] - offset).norm_squared();
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

fn sheet(rows: &[Vec3]) -> Mat3x2 {
    Mat3x2::from_columns(&[rows[0], rows[1]])
}

fn solid(rows: &[Vec3]) -> Mat3 {
    Mat3::from_columns(&[rows[0], rows[1], rows[2]])
}

fn project_triangle(element: &Continuum<SheetProx>, start: &Mat2, h: f64, rows: &mut Rows<'_>) {
    let y = Mat3x2::from_columns(&[rows.target(0), rows.target(1)]);
    let (z, rotation) = element.prox.project(&y);
    let damped = rotation * start * (h * element.damping);
    for k in 0..2 {
        rows.set(k, z.column(k).into(), h * h * element.weight, damped.column(k).into());
    }
}

fn project_tet(element: &Continuum<SolidProx>, start: &Mat3, h: f64, rows: &mut Rows<'_>) {
    let y = Mat3::from_columns(&[rows.target(0), rows.target(1), rows.target(2)]);
    let (z, rotation) = element.prox.project(&y);
    let damped = rotation * start * (h * element.damping);
    for k in 0..3 {
        rows.set(k, z.column(k).into(), h * h * element.weight, damped.column(k).into());
    }
}

/// |z − o| = (k L + w |y − o|)/(k + w) along y − o.
fn project_spring(spring: &Spring, on: bool, offset: Vec3, start: f64, h: f64, rows: &mut Rows<'_>) {
    if !on {
        rows.dual[0] = Vec3::zeros();
        rows.projected[0] = rows.flow[0];
        rows.flow[0] = Vec3::zeros();
        return;
    }
    let y = rows.target(0) - offset;
    // A spring of no length may point anywhere.
    let direction = y.try_normalize(0.0).unwrap_or_else(Vec3::x);
    let length =
        (spring.stiffness * spring.length + spring.weight * y.norm()) / (spring.stiffness + spring.weight);
    let damped = (offset + direction * start) * (h * spring.damping);
    rows.set(0, offset + direction * length, h * h * spring.weight, damped);
}
