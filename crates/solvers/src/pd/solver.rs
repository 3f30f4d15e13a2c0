//! One step of projective dynamics with frictional contact.   [Zhu2024, algorithm 2, with the slips
//! of its print corrected]
//!
//! Slips: line 1 lacks h² M⁻¹ f_ext; line 6 must read J W_c⁻¹ Jᵀ; line 21 lacks − z. Equations 9
//! and 10 have p − λ_c where line 18 is right with h p + x_t − λ_c; the dual updates of step 4 in
//! the text have e and c swapped; the sliding rule of section 5.1 must shrink the tangential
//! velocity (u_N* < 0). `residuals.rs` says what was unclear about residuals.

use super::closing::Closing;
use super::constraints::Constraints;
use super::contact_step::ContactStep;
use super::global_step::GlobalStep;
use super::local_step::LocalStep;
use super::options::{Accept, PdOptions};
use super::residuals::{LONGEST_PROFILE, PROFILE_NAMES, Residuals, Watch};
use super::step_data::{RowTargets, nominal_step, outer_forces};
use crate::commit::{EndOfStep, EndVelocities, commit, next_state};
use crate::registry::MethodError;
use crate::report::{StepReport, timed};
use crate::saved::{RestoreError, SavedState};
use crate::solver::{Solver, StepError, World};
use crate::support;
use rayon::prelude::*;
use stiction_bodies::surfaces::VertexSource;
use stiction_bodies::{Changed, Prescription, State};
use stiction_contact::detect::{Collider, DetectOptions, StepMotion};
use stiction_contact::{ContactSet, ImpulseMemory};
use stiction_energy::Elasticity;
use stiction_numerics::{Vec3, ordered_max_by};

/// Nodes of which a task gathers the right-hand side, at least: some thirty microseconds, which is
/// what it takes to wake another thread.
const NODES: usize = 2048;

/// Projective dynamics with ADMM contact.
pub struct PdSolver {
    options: PdOptions,
    /// Kept for drag alone.
    elasticity: Option<Elasticity>,
    constraints: Constraints,
    local: LocalStep,
    global: GlobalStep,
    collider: Collider,
    /// Contact impulses of the last step.
    memory: ImpulseMemory,
    /// What they did to each node, Bᵀ r \[N s\].
    pushes: Vec<Vec3>,
    /// The contacts of the last step: their memory is used again.
    used: Option<ContactSet>,
    /// Whether sheets that begin inside a body were looked for.
    looked: bool,
}

/// Nodes that some point of a surface depends on.
fn nodes_of_surfaces(world: World<'_>, collider: &Collider) -> Vec<bool> {
    let surfaces = &world.model.surfaces;
    let mut out = vec![false; world.model.nodes];
    for vertex in (0..surfaces.kinematic_start()).filter(|&v| collider.mesh().vertex_body(v as u32).is_some())
    {
        match surfaces.source(vertex) {
            VertexSource::Node(node) => out[node as usize] = true,
            VertexSource::Embedded(terms) => terms.iter().for_each(|t| out[t.0 as usize] = true),
            VertexSource::Rigid { .. } | VertexSource::Kinematic => {}
        }
    }
    out
}

/// What the loop of a step reached.
#[derive(Default)]
struct LoopReport {
    iterations: usize,
    /// |x − x_prev|∞ and |x − x_t − h p|∞ of the last iteration \[m\].
    moved: f64,
    apart: f64,
    /// Residuals of the last iteration and the combined one, when asked for.
    last: Option<(Residuals, f64)>,
    profile: Vec<(&'static str, f64)>,
}

impl LoopReport {
    /// Books the residuals of an iteration.
    fn watched(&mut self, found: Option<(Residuals, f64)>, iteration: usize) {
        self.last = found;
        if let Some((Residuals { primal, dual }, combined)) = found
            && iteration <= LONGEST_PROFILE
        {
            let names = &PROFILE_NAMES[iteration - 1];
            self.profile.extend(names.iter().map(String::as_str).zip([primal, dual, combined]));
        }
    }

    /// Hands over what was reached, beside a tolerance \[m\].
    fn tell(self, tolerance: f64, report: &mut StepReport) {
        let delta = self.moved + self.apart;
        (report.iterations, report.converged) = (self.iterations, delta < tolerance);
        report.residual.extend([("delta_m", delta), ("moved_m", self.moved), ("apart_m", self.apart)]);
        if let Some((Residuals { primal, dual }, combined)) = self.last {
            report.residual.extend([("primal", primal), ("dual_n", dual), ("combined", combined)]);
        }
        report.counters.extend(self.profile);
    }
}

/// What stays for a step.
struct Prepared {
    prescription: Prescription,
    targets: RowTargets,
    predicted: Vec<Vec3>,
    base: Vec<Vec3>,
}

impl PdSolver {
    /// A solver for a model.
    pub fn new(options: PdOptions, world: World<'_>) -> Result<PdSolver, MethodError> {
        support::check("pd", world)?;
        let names = world.model.bodies.iter().map(|b| b.name.as_str());
        options.check_names(names).map_err(|message| MethodError::Value {
            key: "pd".to_owned(),
            option: "contact_weights".to_owned(),
            message,
        })?;
        let elasticity = Elasticity::new(world.model, world.parameters)?;
        let constraints = Constraints::new(world.model, world.parameters, &elasticity, &options)?;
        let elasticity = elasticity.has_drag().then_some(elasticity);
        let local = LocalStep::new(&constraints);
        let collider = Collider::new(world.model, &world.parameters.controls, DetectOptions::default())?;
        Ok(PdSolver {
            options,
            elasticity,
            constraints,
            local,
            global: GlobalStep::new(nodes_of_surfaces(world, &collider)),
            collider,
            memory: ImpulseMemory::default(),
            pushes: vec![Vec3::zeros(); world.model.nodes],
            used: None,
            looked: false,
        })
    }

    /// Makes weights, constraints and (in the next step) factors for the present values; duals stay.
    fn renew_constraints(&mut self, world: World<'_>) -> Result<(), MethodError> {
        let elasticity = Elasticity::new(world.model, world.parameters)?;
        let constraints = Constraints::new(world.model, world.parameters, &elasticity, &self.options)?;
        if constraints.projected_rows() != self.constraints.projected_rows() {
            let message = "the change adds or removes constraints (bending or a strain limit from nothing): \
                           make a new simulation with that value";
            return Err(MethodError::Refused { key: "pd".to_owned(), message: message.to_owned() });
        }
        let duals = self.local.rows(&self.constraints);
        self.local = LocalStep::new(&constraints);
        self.local.set_duals(&constraints, &duals);
        self.elasticity = elasticity.has_drag().then_some(elasticity);
        self.constraints = constraints;
        self.global = GlobalStep::new(nodes_of_surfaces(world, &self.collider));
        self.used = None;
        Ok(())
    }

    /// Weights, targets, factors and the right-hand side of a step, and what it begins inside of.
    fn prepare(
        &mut self,
        world: World<'_>,
        state: &State,
        h: f64,
        report: &mut StepReport,
    ) -> Result<Prepared, StepError> {
        let model = world.model;
        let prescription = model.pins.prescribe(model, &world.parameters.controls, state, state.time + h);
        let (nominal, fixed) = (nominal_step(h), &prescription.fixed);
        self.constraints.weigh(nominal, self.local.spring_duals());
        let targets = RowTargets::new(&self.constraints, world, state.time, state.time + h);
        timed(&mut report.seconds.linear_solve, || {
            self.global.prepare(world, &self.constraints, &targets, fixed, nominal, &self.options)
        })?;
        let predicted = self.predicted(world, state, &prescription, h);
        let base = self.base(world, state, (fixed, &targets), &predicted, nominal);
        timed(&mut report.seconds.local_projection, || {
            self.local.begin(&self.constraints, &targets, &state.blocks[..model.nodes], nominal);
        });
        timed(&mut report.seconds.detection, || self.follow_entangled(world, state))?;
        Ok(Prepared { prescription, targets, predicted, base })
    }

    /// x̄ = x_t + h v + h² M⁻¹ f, prescribed nodes in place.
    fn predicted(&self, world: World<'_>, state: &State, prescription: &Prescription, h: f64) -> Vec<Vec3> {
        let model = world.model;
        let force = outer_forces(world, self.elasticity.as_ref(), state, h);
        let ahead = |n: usize| match prescription.fixed[n] {
            true => prescription.target[n],
            false => {
                state.blocks[n] + state.velocities[n] * h + force[n] * (h * h / world.parameters.mass[n])
            }
        };
        (0..model.nodes).map(ahead).collect()
    }

    /// The part of the right-hand side that stays for the step: `M x̄ + h α M x_t` and the
    /// quadratic forms, less the columns of prescribed nodes.
    fn base(
        &self,
        world: World<'_>,
        state: &State,
        (fixed, targets): (&[bool], &RowTargets),
        predicted: &[Vec3],
        h: f64,
    ) -> Vec<Vec3> {
        let (mass, start) = (&world.parameters.mass, &state.blocks[..predicted.len()]);
        let inertia = |n: usize| predicted[n] * mass[n] + start[n] * (h * self.global.mass_damping[n]);
        let inertia: Vec<Vec3> = (0..predicted.len()).map(inertia).collect();
        let mut base = LocalStep::with_forms(&self.constraints, targets, start, h, &inertia);
        self.global.subtract_held(predicted, &mut base);
        for n in (0..base.len()).filter(|&n| fixed[n]) {
            base[n] = predicted[n];
        }
        base
    }
}

/// Fixed data of the loop.
struct Loop<'a> {
    options: &'a PdOptions,
    constraints: &'a Constraints,
    targets: &'a RowTargets,
    global: &'a GlobalStep,
    fixed: &'a [bool],
    base: Vec<Vec3>,
    h: f64,
}

impl Loop<'_> {
    /// Where elasticity leads under the contact forces of the step before (`pushes`, \[N s\]): what
    /// rests stays, so that the search for contacts that follows does not take a stack for a heap
    /// of falling sheets.
    fn predict(
        &self,
        local: &mut LocalStep,
        pushes: &[Vec3],
        x: &mut [Vec3],
        report: &mut StepReport,
    ) -> Option<Watch> {
        let mut watch = self.options.profile.then(Watch::default);
        if let Some(watch) = &mut watch {
            watch.before(self.constraints, local, x);
        }
        timed(&mut report.seconds.local_projection, || local.project(self.constraints, self.targets, x));
        if let Some(watch) = &mut watch {
            watch.predicted(self.constraints, local, x.len());
        }
        timed(&mut report.seconds.linear_solve, || {
            self.gather(local, x, |n| pushes[n] * self.h);
            self.global.solve(&vec![false; self.global.parts()], x);
        });
        local.update_dual();
        watch
    }

    /// Algorithm 2 from the predicted positions, which become the solution, with the numbers of its
    /// lines.
    fn run(
        &self,
        local: &mut LocalStep,
        contact: &mut ContactStep<'_>,
        x: &mut Vec<Vec3>,
        mut watch: Option<Watch>,
        report: &mut StepReport,
    ) -> Result<LoopReport, StepError> {
        let mut out = LoopReport::default();
        let mut next = vec![Vec3::zeros(); x.len()];
        // Lines 2 and 23.
        for iteration in 1..=self.options.iterations {
            // Lines 3 to 7.
            if iteration % self.options.detect_every == 0 {
                contact.detect_again(x, &mut report.seconds)?;
            }
            if let Some(watch) = &mut watch {
                watch.before(self.constraints, local, x);
            }
            // Lines 8 to 10: z ← prox(D x + λ_e).
            timed(&mut report.seconds.local_projection, || local.project(self.constraints, self.targets, x));
            // Lines 11 to 15: p ← (x − x_t + λ_c)/h, projected on the contacts.
            contact.project(x, &mut report.seconds);
            // Lines 16 to 19: the right-hand side, and the solution with the factors.
            timed(&mut report.seconds.linear_solve, || {
                let pull = |n: usize| if contact.touched_node(n) { contact.pull(n) } else { Vec3::zeros() };
                self.gather(local, &mut next, pull);
                self.global.solve(&contact.touched, &mut next);
            });
            // Line 21: λ_e ← λ_e + D x − z.
            local.update_dual();
            // Line 22: λ_c ← λ_c + x − x_t − h p.
            contact.update_dual(&next);
            out.iterations = iteration;
            if self.options.stop_early || iteration == self.options.iterations {
                out.moved = ordered_max_by(x.len(), |n| (next[n] - x[n]).amax());
                out.apart = ordered_max_by(x.len(), |n| contact.apart(n, &next).amax());
            }
            std::mem::swap(x, &mut next);
            if let Some(watch) = &mut watch {
                let found = watch.after(self.constraints, local, contact, (x, self.h));
                out.watched(found, iteration);
            }
            if self.options.stop_early && out.moved + out.apart < self.options.tolerance {
                break;
            }
        }
        Ok(out)
    }

    /// The right-hand side, with what contacts give to each free node.
    fn gather(&self, local: &LocalStep, out: &mut [Vec3], of_contacts: impl Fn(usize) -> Vec3 + Sync) {
        out.par_iter_mut().enumerate().with_min_len(NODES).for_each(|(n, b)| {
            *b = self.base[n];
            if !self.fixed[n] {
                *b += local.force(self.constraints, n) + of_contacts(n);
            }
        });
    }
}

impl PdSolver {
    fn try_step(&mut self, world: World<'_>, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let model = world.model;
        let mut report = StepReport { advanced: h, ..StepReport::default() };
        let factored = self.global.factored;
        let Prepared { prescription, targets, predicted: mut x, base } =
            self.prepare(world, state, h, &mut report)?;
        let motion = StepMotion {
            start: &state.blocks,
            orientations: &state.orientations,
            prescription: &prescription,
            parameters: world.parameters,
            time: state.time,
            h,
        };
        let (collider, used) = (&mut self.collider, self.used.take());
        let mut contact = ContactStep::new(&self.options, world, motion, collider, &self.global, used);
        let (options, constraints, global) = (&self.options, &self.constraints, &self.global);
        let (targets, fixed) = (&targets, &prescription.fixed[..]);
        let steps = Loop { options, constraints, targets, global, fixed, base, h };
        let watch = steps.predict(&mut self.local, &self.pushes, &mut x, &mut report);
        contact.detect_first(&x, &self.memory, &mut report.seconds)?;
        let reached = steps.run(&mut self.local, &mut contact, &mut x, watch, &mut report)?;
        self.local.finish(&self.constraints, &x);
        contact.project(&x, &mut report.seconds);
        let late = contact.catch_late(&x, &mut report.seconds)?;
        contact.report(&mut report);
        let (memory, pushes) = (contact.set.remember(), contact.set.pushes());
        let mut ends = contact.ends(&x);
        let rounds = if self.options.accept == Accept::Projected { self.options.limit_passes } else { 0 };
        let limits = &mut self.constraints.limits;
        if rounds > 0 && !limits.is_empty() && !contact.set.is_empty() {
            let start = &state.blocks[..model.nodes];
            let closing = Closing { fixed, mass: &world.parameters.mass, start, h, rounds };
            let done = timed(&mut report.seconds.local_projection, || {
                let held = self.global.held_parts(world, fixed);
                limits.hold(|node| held[self.global.part_of_node[node as usize] as usize]);
                closing.run(limits, &mut contact, &x, &mut ends)
            });
            report.counters.push(("limit_rounds", done as f64));
        }
        let mut blocks = accepted(state, &prescription, &ends);
        // What is let out of a body passes through its surface.
        if self.options.filter && !contact.is_entangled() {
            contact.filter(&mut blocks, &mut report)?;
        }
        self.used = Some(contact.set);
        if self.options.final_passes > 0 {
            report.counters.push(("late_contacts", late as f64));
        }
        self.global.tell(factored, &mut report);
        reached.tell(self.options.tolerance, &mut report);
        let next = next_state(world, state, EndOfStep { blocks, velocities: EndVelocities::Mean, h });
        commit(world, &next, state)?;
        (self.memory, self.pushes) = (memory, pushes);
        self.report_energy(world, state, targets, &mut report);
        Ok(report)
    }
}

impl Solver for PdSolver {
    fn key(&self) -> &'static str {
        "pd"
    }

    fn step(&mut self, world: World<'_>, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        self.local.keep();
        let weighed_for = self.constraints.weighed_for();
        let (looked, entangled) = (self.looked, self.collider.entangled().to_vec());
        let outcome = self.try_step(world, state, h);
        if outcome.is_err() {
            self.local.take_back();
            self.constraints.set_weighed_for(weighed_for);
            self.collider.set_entangled(entangled);
            self.looked = looked;
        }
        outcome
    }

    fn parameters_changed(&mut self, world: World<'_>, changed: &Changed) -> Result<(), MethodError> {
        if changed.elasticity() || changed.masses {
            self.renew_constraints(world)?;
        }
        Ok(())
    }

    fn save(&self) -> SavedState {
        let mut saved = SavedState::new(5);
        let weighed_for = self.constraints.weighed_for();
        saved.numbers.insert("weighed_for".to_owned(), weighed_for.into_iter().collect());
        saved.put_vectors("elastic_dual", &self.local.rows(&self.constraints));
        saved.put_impulses(&self.memory);
        saved.put_vectors("contact_pushes", &self.pushes);
        let entangled = self.collider.entangled().iter().flatten();
        saved.keys.insert("entangled".to_owned(), entangled.map(|&object| u64::from(object)).collect());
        saved
    }

    fn restore(&mut self, saved: &SavedState) -> Result<(), RestoreError> {
        saved.expect_version(5)?;
        let weighed_for = match *saved.numbers("weighed_for")? {
            [] => None,
            [h] => Some(h),
            _ => return Err(RestoreError::Array { name: "weighed_for".to_owned() }),
        };
        let memory = saved.impulses()?;
        let duals = saved.vectors("elastic_dual", self.constraints.projected_rows())?;
        self.constraints.set_weighed_for(weighed_for);
        self.local.set_duals(&self.constraints, &duals);
        self.pushes = saved.vectors("contact_pushes", self.pushes.len())?;
        self.memory = memory;
        let entangled = saved.keys("entangled")?.chunks_exact(2);
        self.collider.set_entangled(entangled.map(|pair| [pair[0] as u32, pair[1] as u32]).collect());
        self.looked = true;
        Ok(())
    }

    fn reset(&mut self) {
        self.local = LocalStep::new(&self.constraints);
        self.memory = ImpulseMemory::default();
        self.pushes.fill(Vec3::zeros());
        self.looked = false;
    }
}

impl PdSolver {
    /// Sheets that begin a little inside a body are let out; the first step looks for them.
    fn follow_entangled(&mut self, world: World<'_>, state: &State) -> Result<(), StepError> {
        let controls = &world.parameters.controls;
        if !self.looked {
            self.collider.find_entangled(world.model, controls, state.placed())?;
            self.looked = true;
        }
        Ok(self.collider.follow_entangled(world.model, controls, state.placed())?)
    }

    /// Energy by kind of the accepted state: that of the constraints, not of the scene's laws.
    fn report_energy(
        &mut self,
        world: World<'_>,
        state: &State,
        targets: &RowTargets,
        report: &mut StepReport,
    ) {
        let model = world.model;
        let positions = &state.blocks[..model.nodes];
        let (mut kinds, excess) = LocalStep::energies(&self.constraints, targets, positions);
        let gravity = world.parameters.gravity.at(state.time);
        let height = world.parameters.mass[..model.nodes]
            .iter()
            .zip(&state.blocks)
            .map(|(m, x)| -m * gravity.dot(x))
            .sum();
        kinds.push(("gravity", height));
        kinds.push(("kinetic", state.kinetic_energy(world.model, world.parameters)));
        report.energy = kinds;
        report.strain_limit_excess = excess;
    }
}

/// The end of a step: prescribed nodes at their targets, free ones at `ends`; angles of rods and
/// shells stay, they are no unknowns here.
fn accepted(state: &State, prescription: &Prescription, ends: &[Vec3]) -> Vec<Vec3> {
    let mut blocks = state.blocks.clone();
    blocks[..ends.len()].copy_from_slice(ends);
    for (n, block) in blocks.iter_mut().enumerate().filter(|(n, _)| prescription.fixed[*n]) {
        *block = prescription.target[n];
    }
    blocks
}
