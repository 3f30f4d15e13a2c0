//! One step of compliant position-based cloth with frictional contact.   [Macklin2016, algorithm 1,
//! with contact sweeps after each pass over the constraints]

use super::constraints::ClothConstraints;
use super::options::XpbdOptions;
use crate::advance::energies;
use crate::commit::{EndOfStep, EndVelocities, commit, next_state};
use crate::contact_report::report_contacts;
use crate::first_contacts::{near_and_approaching, open_penetrations};
use crate::registry::MethodError;
use crate::renew::renew;
use crate::report::{StepReport, timed};
use crate::saved::{RestoreError, SavedState};
use crate::solver::{Solver, StepError, World};
use crate::support;
use crate::weighted_node::WeightedNode;
use stiction_bodies::{Changed, Model, Prescription, State};
use stiction_contact::detect::{ContactFinder, DetectOptions, KnownContacts, StepMotion};
use stiction_contact::{ContactSet, NewContact, ProjectOptions};
use stiction_energy::{Compliant, Elasticity, ElasticityError};
use stiction_numerics::{Vec3, ordered_max_by};

/// Compliant position-based dynamics of cloth.
pub struct XpbdSolver {
    options: XpbdOptions,
    elasticity: Elasticity,
    constraints: ClothConstraints,
    finder: ContactFinder,
}

impl XpbdSolver {
    /// A solver for a model of cloth.
    pub fn new(options: XpbdOptions, world: World<'_>) -> Result<XpbdSolver, MethodError> {
        support::check("xpbd", world)?;
        let (model, parameters) = (world.model, world.parameters);
        let elasticity = Elasticity::new(model, parameters)?;
        let constraints = constraints_of(model, &elasticity)?;
        let finder = ContactFinder::new(model, &world.parameters.controls, DetectOptions::default())?;
        Ok(XpbdSolver { options, elasticity, constraints, finder })
    }

    /// x + h v + h² (g + f/m) with inverse masses, f external; prescribed nodes in place, without
    /// any.
    fn predicted(world: World<'_>, state: &State, prescription: &Prescription, h: f64) -> Vec<WeightedNode> {
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

    /// The contacts near the start of a step, and those on the way to the predicted points.
    fn first_contacts(
        &mut self,
        world: World<'_>,
        motion: &StepMotion<'_>,
        points: &[WeightedNode],
        report: &mut StepReport,
    ) -> Result<ContactSweeps, StepError> {
        let nodes = world.model.nodes;
        let mut contacts = ContactSweeps::new(&world.parameters.mass[..nodes]);
        let found = timed(&mut report.seconds.detection, || {
            let velocities = velocities(points, &motion.start[..nodes], motion.h);
            near_and_approaching(&mut self.finder, world, motion, &velocities)
        })?;
        contacts.append(found, self.options.resolve_time, motion.h)?;
        Ok(contacts)
    }

    /// The loop of algorithm 1, with the numbers of its lines. Returns by how much the last
    /// iteration moved a node \[m\].
    fn iterate(
        &mut self,
        world: World<'_>,
        motion: &StepMotion<'_>,
        points: &mut [WeightedNode],
        contacts: &mut ContactSweeps,
        report: &mut StepReport,
    ) -> Result<f64, StepError> {
        let (model, parameters, h) = (world.model, world.parameters, motion.h);
        let start = &motion.start[..model.nodes];
        // Line 4: λ ← 0.
        self.constraints.reset();
        let mut moved = f64::INFINITY;
        // Lines 5, 12 and 13.
        for iteration in 1..=self.options.iterations {
            let before = points.to_vec();
            // Not in the paper: contacts, here and below.
            if iteration % self.options.detect_every == 0 {
                let found = timed(&mut report.seconds.detection, || {
                    let (v, known) = (velocities(points, start, h), &contacts.known);
                    let known = KnownContacts::new(known).with_all_near();
                    self.finder.approaching(model, parameters, motion, &v, known)
                })?;
                contacts.append(found, self.options.resolve_time, h)?;
            }
            // Lines 6 to 11: Δλ (eq. 18), Δx (eq. 17), λ ← λ + Δλ and x ← x + Δx by constraint.
            timed(&mut report.seconds.local_projection, || self.constraints.sweep(points, h));
            timed(&mut report.seconds.contact_projection, || {
                contacts.sweep(points, start, self.options.sweeps, h);
            });
            let change = |n: usize| (0..3).map(|k| (points[n][k] - before[n][k]).abs()).fold(0.0, f64::max);
            moved = ordered_max_by(points.len(), change);
        }
        Ok(moved)
    }
}

/// Mean velocities of a step up to the present positions \[m/s\].
fn velocities(points: &[WeightedNode], start: &[Vec3], h: f64) -> Vec<Vec3> {
    points.iter().zip(start).map(|(p, x)| (Vec3::new(p[0], p[1], p[2]) - x) / h).collect()
}

/// Contacts of a step.
struct ContactSweeps {
    set: ContactSet,
    /// Sorted keys.
    known: Vec<u64>,
}

impl ContactSweeps {
    /// None yet, over nodes of these weights \[kg\].
    fn new(weights: &[f64]) -> ContactSweeps {
        ContactSweeps { set: ContactSet::new(weights), known: Vec::new() }
    }

    fn append(&mut self, mut found: Vec<NewContact>, resolve_time: f64, h: f64) -> Result<(), StepError> {
        open_penetrations(&mut found, resolve_time, h);
        self.known.extend(found.iter().map(|c| c.key));
        self.known.sort_unstable();
        self.set.append(&found, None).map_err(|e| StepError::Contact { reason: e.to_string() })
    }

    /// Sweeps over the positions. The impulses so far are in them, so there is no warm start.
    fn sweep(&mut self, points: &mut [WeightedNode], start: &[Vec3], sweeps: usize, h: f64) {
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
fn constraints_of(model: &Model, elasticity: &Elasticity) -> Result<ClothConstraints, ElasticityError> {
    let mut constraints = ClothConstraints::new(model);
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
        // Lines 1 and 3: x ← x_t + h v + h² M⁻¹ f.
        let mut points = XpbdSolver::predicted(world, state, &prescription, h);
        let mut contacts = self.first_contacts(world, &motion, &points, &mut report)?;
        let moved = self.iterate(world, &motion, &mut points, &mut contacts, &mut report)?;
        report.iterations = self.options.iterations;
        report.converged = moved < self.options.tolerance;
        report.residual.push(("moved_m", moved));
        report_contacts(&contacts.set, world, h, &mut report);
        // Lines 15 and 16: x_{t+1} ← x, v_{t+1} ← (x_{t+1} − x_t)/h.
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
