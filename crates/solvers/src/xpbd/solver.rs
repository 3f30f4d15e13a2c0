//! One step of compliant position-based cloth with frictional contact.   [Macklin2016, algorithm 1]

use super::constraints::{Constraints, Point};
use super::options::XpbdOptions;
use crate::advance::energies;
use crate::commit::{EndOfStep, EndVelocities, commit, next_state};
use crate::contact_report::report_contacts;
use crate::first_contacts::{near_and_coming, open_penetrations};
use crate::registry::MethodError;
use crate::renew::renew;
use crate::report::{StepReport, timed};
use crate::saved::{RestoreError, SavedState};
use crate::solver::{Solver, StepError, World};
use crate::support;
use stiction_bodies::{Changed, Model, Prescription, State};
use stiction_contact::detect::{Collider, DetectOptions, Known, StepMotion};
use stiction_contact::{ContactSet, NewContact, ProjectOptions};
use stiction_energy::{Compliant, Elasticity, ElasticityError};
use stiction_numerics::{Vec3, ordered_max_by};

/// Compliant position-based dynamics of cloth.
pub struct XpbdSolver {
    options: XpbdOptions,
    elasticity: Elasticity,
    constraints: Constraints,
    collider: Collider,
}

impl XpbdSolver {
    /// A solver for a model of cloth.
    pub fn new(options: XpbdOptions, world: World<'_>) -> Result<XpbdSolver, MethodError> {
        support::check("xpbd", world)?;
        let (model, parameters) = (world.model, world.parameters);
        let elasticity = Elasticity::new(model, parameters)?;
        let constraints = constraints_of(model, &elasticity)?;
        let collider = Collider::new(model, &world.parameters.controls, DetectOptions::default())?;
        Ok(XpbdSolver { options, elasticity, constraints, collider })
    }

    /// x + h v + h² (g + f/m) with inverse masses, f external; prescribed nodes in place, without
    /// any.
    fn predicted(world: World<'_>, state: &State, prescription: &Prescription, h: f64) -> Vec<Point> {
        let gravity = world.parameters.gravity.at(state.time + h);
        let point = |n: usize| match prescription.fixed[n] {
            true => (prescription.target[n], 0.0),
            false => {
                let inverse_mass = 1.0 / world.parameters.mass[n];
                let mut ahead = state.blocks[n] + state.velocities[n] * h + gravity * (h * h);
                if let Some(force) = world.parameters.external.get(n) {
                    ahead += force * (h * h * inverse_mass);
                }
                (ahead, inverse_mass)
            }
        };
        (0..world.model.nodes).map(point).map(|(x, w)| [x.x, x.y, x.z, w]).collect()
    }
}

/// Mean velocities of a step up to the present positions \[m/s\].
fn velocities(points: &[Point], start: &[Vec3], h: f64) -> Vec<Vec3> {
    points.iter().zip(start).map(|(p, x)| (Vec3::new(p[0], p[1], p[2]) - x) / h).collect()
}

/// Contacts of a step.
struct Contacts {
    set: ContactSet,
    /// Sorted keys.
    known: Vec<u64>,
}

impl Contacts {
    fn append(&mut self, mut found: Vec<NewContact>, resolve_time: f64, h: f64) -> Result<(), StepError> {
        open_penetrations(&mut found, resolve_time, h);
        self.known.extend(found.iter().map(|c| c.key));
        self.known.sort_unstable();
        self.set.append(&found, None).map_err(|e| StepError::Contact { reason: e.to_string() })
    }

    /// Sweeps over the positions. The impulses so far are in them, so there is no warm start.
    fn sweep(&mut self, points: &mut [Point], start: &[Vec3], sweeps: usize, h: f64) {
        if self.set.is_empty() {
            return;
        }
        let mut v = velocities(points, start, h);
        self.set.load(&v);
        self.set.sweep(&ProjectOptions { sweeps, ..ProjectOptions::default() });
        self.set.store(&mut v);
        for ((point, v), x) in points.iter_mut().zip(&v).zip(start).filter(|((p, _), _)| p[3] > 0.0) {
            (0..3).for_each(|k| point[k] = x[k] + h * v[k]);
        }
    }
}

/// Triangles and hinges of all sheets with the present values of their materials.
fn constraints_of(model: &Model, elasticity: &Elasticity) -> Result<Constraints, ElasticityError> {
    let mut constraints = Constraints::new(model);
    let materials = elasticity.materials();
    constraints.add_membranes(elasticity.triangles().iter().map(|e| e.compliant(materials)));
    let hinges = elasticity.folds(model).map(|fold| Ok(fold?.compliant(materials)));
    constraints.add_hinges(&hinges.collect::<Result<Vec<_>, ElasticityError>>()?);
    Ok(constraints)
}

impl Solver for XpbdSolver {
    fn key(&self) -> &'static str {
        "xpbd"
    }

    fn step(&mut self, world: World<'_>, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let model = world.model;
        let mut report = StepReport { advanced: h, ..StepReport::default() };
        let prescription = model.pins.prescribe(model, &world.parameters.controls, state, state.time + h);
        let motion = StepMotion {
            start: &state.blocks,
            orientations: &state.orientations,
            prescription: &prescription,
            parameters: world.parameters,
            time: state.time,
            h,
        };
        let start = &state.blocks[..model.nodes];
        let mut points = XpbdSolver::predicted(world, state, &prescription, h);
        let mut contacts =
            Contacts { set: ContactSet::new(&world.parameters.mass[..model.nodes]), known: Vec::new() };
        let first = timed(&mut report.seconds.detection, || {
            near_and_coming(&mut self.collider, world, &motion, &velocities(&points, start, h))
        })?;
        contacts.append(first, self.options.resolve_time, h)?;
        self.constraints.reset();
        let mut moved = f64::INFINITY;
        for iteration in 1..=self.options.iterations {
            let before = points.clone();
            if iteration % self.options.detect_every == 0 {
                let found = timed(&mut report.seconds.detection, || {
                    let v = velocities(&points, start, h);
                    self.collider.coming(model, world.parameters, &motion, &v, Known::Held(&contacts.known))
                })?;
                contacts.append(found, self.options.resolve_time, h)?;
            }
            timed(&mut report.seconds.local_projection, || self.constraints.sweep(&mut points, h));
            timed(&mut report.seconds.contact_projection, || {
                contacts.sweep(&mut points, start, self.options.sweeps, h);
            });
            let change = |n: usize| (0..3).map(|k| (points[n][k] - before[n][k]).abs()).fold(0.0, f64::max);
            moved = ordered_max_by(points.len(), change);
        }
        report.iterations = self.options.iterations;
        report.converged = moved < self.options.tolerance;
        report.residual.push(("moved_m", moved));
        report_contacts(&contacts.set, world, h, &mut report);
        let mut blocks = state.blocks.clone();
        blocks.iter_mut().zip(&points).for_each(|(x, p)| *x = Vec3::new(p[0], p[1], p[2]));
        let next = next_state(world, state, EndOfStep { blocks, velocities: EndVelocities::Mean, h });
        commit(world, &next, state)?;
        report.energy = energies(world, &self.elasticity, state);
        Ok(report)
    }

    fn parameters_changed(&mut self, world: World<'_>, changed: &Changed) -> Result<(), MethodError> {
        let _ = renew(&mut self.elasticity, world, changed)?;
        if changed.materials {
            self.constraints = constraints_of(world.model, &self.elasticity)?;
        }
        Ok(())
    }

    fn save(&self) -> SavedState {
        SavedState::new(1)
    }

    fn restore(&mut self, saved: &SavedState) -> Result<(), RestoreError> {
        saved.expect_version(1)
    }

    fn reset(&mut self) {}
}
