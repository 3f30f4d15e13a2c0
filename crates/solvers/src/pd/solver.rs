//! One step of projective dynamics with frictional contact: what comes before the outer loop of
//! algorithm 2 (`outer_loop.rs`), and how its result is accepted.   [Zhu2024]

use super::constraints::Constraints;
use super::contact_step::ContactStep;
use super::global_step::GlobalStep;
use super::limit_rounds::LimitRounds;
use super::local_step::LocalStep;
use super::options::{Accept, PdOptions};
use super::outer_loop::OuterLoop;
use super::step_data::{RowTargets, nominal_step, outer_forces};
use crate::commit::{EndOfStep, EndVelocities, commit, next_state};
use crate::registry::MethodError;
use crate::report::{StepReport, timed};
use crate::saved::{RestoreError, SavedState};
use crate::solver::{Solver, StepError, World};
use crate::support;
use stiction_bodies::surfaces::VertexSource;
use stiction_bodies::{Changed, Prescription, State};
use stiction_contact::detect::{ContactFinder, DetectOptions, StepMotion};
use stiction_contact::{ContactSet, ImpulseMemory};
use stiction_energy::Elasticity;
use stiction_numerics::Vec3;

/// Projective dynamics with ADMM contact.
pub struct PdSolver {
    options: PdOptions,
    /// Kept for drag alone.
    elasticity: Option<Elasticity>,
    constraints: Constraints,
    local: LocalStep,
    global: GlobalStep,
    finder: ContactFinder,
    /// Contact impulses of the last step.
    memory: ImpulseMemory,
    /// What they did to each node, Bᵀ r \[N s\].
    pushes: Vec<Vec3>,
    /// The contacts of the last step: their memory is used again.
    spare_set: Option<ContactSet>,
    /// Whether sheets that begin inside a body were looked for.
    searched_entangled: bool,
}

/// Nodes that some point of a surface depends on.
fn nodes_of_surfaces(world: World<'_>, finder: &ContactFinder) -> Vec<bool> {
    let surfaces = &world.model.surfaces;
    let mut out = vec![false; world.model.nodes];
    for vertex in (0..surfaces.kinematic_start()).filter(|&v| finder.mesh().vertex_body(v as u32).is_some()) {
        match surfaces.source(vertex) {
            VertexSource::Node(node) => out[node as usize] = true,
            VertexSource::Embedded(terms) => terms.iter().for_each(|t| out[t.0 as usize] = true),
            VertexSource::Rigid { .. } | VertexSource::Kinematic => {}
        }
    }
    out
}

/// What is known before the first iteration of a step.
struct Prepared {
    prescription: Prescription,
    targets: RowTargets,
    /// x̄ \[m\].
    predicted: Vec<Vec3>,
    /// The part of the right-hand side that no iteration changes.
    constant_rhs: Vec<Vec3>,
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
        let finder = ContactFinder::new(world.model, &world.parameters.controls, DetectOptions::default())?;
        Ok(PdSolver {
            options,
            elasticity,
            constraints,
            local,
            global: GlobalStep::new(nodes_of_surfaces(world, &finder)),
            finder,
            memory: ImpulseMemory::default(),
            pushes: vec![Vec3::zeros(); world.model.nodes],
            spare_set: None,
            searched_entangled: false,
        })
    }

    /// Makes weights, constraints and (in the next step) factors for the present values; duals
    /// stay.
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
        self.global = GlobalStep::new(nodes_of_surfaces(world, &self.finder));
        self.spare_set = None;
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
        let constant_rhs = self.constant_rhs(world, state, &prescription, &targets, &predicted, nominal);
        timed(&mut report.seconds.local_projection, || {
            self.local.begin(&self.constraints, &targets, &state.blocks[..model.nodes], nominal);
        });
        timed(&mut report.seconds.detection, || self.follow_entangled(world, state))?;
        Ok(Prepared { prescription, targets, predicted, constant_rhs })
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

    /// The part of the right-hand side that no iteration changes: `M x̄ + h α M x_t` and the
    /// quadratic forms, less the columns of prescribed nodes.
    fn constant_rhs(
        &self,
        world: World<'_>,
        state: &State,
        prescription: &Prescription,
        targets: &RowTargets,
        predicted: &[Vec3],
        h: f64,
    ) -> Vec<Vec3> {
        let (mass, start) = (&world.parameters.mass, &state.blocks[..predicted.len()]);
        let inertia = |n: usize| predicted[n] * mass[n] + start[n] * (h * self.global.mass_damping[n]);
        let inertia: Vec<Vec3> = (0..predicted.len()).map(inertia).collect();
        let mut rhs = LocalStep::with_forms(&self.constraints, targets, start, h, &inertia);
        self.global.subtract_held(predicted, &mut rhs);
        for n in (0..rhs.len()).filter(|&n| prescription.fixed[n]) {
            rhs[n] = predicted[n];
        }
        rhs
    }
}

impl PdSolver {
    fn try_step(&mut self, world: World<'_>, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let mut report = StepReport { advanced: h, ..StepReport::default() };
        let factored = self.global.factored;
        // Line 1 of algorithm 2.
        let Prepared { prescription, targets, predicted: mut x, constant_rhs } =
            self.prepare(world, state, h, &mut report)?;
        let motion = StepMotion {
            start: &state.blocks,
            orientations: &state.orientations,
            prescription: &prescription,
            parameters: world.parameters,
            time: state.time,
            h,
        };
        let (finder, spare) = (&mut self.finder, self.spare_set.take());
        let mut contact = ContactStep::new(&self.options, world, motion, finder, &self.global, spare);
        let (options, constraints, global) = (&self.options, &self.constraints, &self.global);
        let (targets, fixed) = (&targets, &prescription.fixed[..]);
        let outer = OuterLoop { options, constraints, targets, global, fixed, constant_rhs, h };
        let monitor = outer.predict(&mut self.local, &self.pushes, &mut x, &mut report);
        contact.detect_first(&x, &self.memory, &mut report.seconds)?;
        // Lines 2 to 23.
        let reached = outer.run(&mut self.local, &mut contact, &mut x, monitor, &mut report)?;
        self.local.finish(&self.constraints, &x);
        contact.project(&x, &mut report.seconds);
        let late = contact.catch_late(&x, &mut report.seconds)?;
        contact.report(&mut report);
        let (memory, pushes) = (contact.set.remember(), contact.set.pushes());
        let mut ends = contact.ends(&x);
        if self.options.accept == Accept::Projected && !contact.set.is_empty() {
            let most = self.options.limit_passes;
            let rounds = LimitRounds { world, motion: &motion, global: &self.global, most };
            rounds.run(&mut self.constraints.limits, &mut contact, &x, &mut ends, &mut report);
        }
        let mut blocks = accepted(state, &prescription, &ends);
        // What is let out of a body passes through its surface.
        if self.options.filter && !contact.is_entangled() {
            contact.filter(&mut blocks, &mut report)?;
        }
        self.spare_set = Some(contact.set);
        if self.options.final_passes > 0 {
            report.counters.push(("late_contacts", late as f64));
        }
        self.global.add_to(&mut report, factored);
        reached.add_to(&mut report, self.options.tolerance);
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
        self.local.keep_duals();
        let weighed_for = self.constraints.weighed_for();
        let (searched, entangled) = (self.searched_entangled, self.finder.entangled().to_vec());
        let outcome = self.try_step(world, state, h);
        if outcome.is_err() {
            self.local.restore_kept_duals();
            self.constraints.set_weighed_for(weighed_for);
            self.finder.set_entangled(entangled);
            self.searched_entangled = searched;
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
        let entangled = self.finder.entangled().iter().flatten();
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
        self.finder.set_entangled(entangled.map(|pair| [pair[0] as u32, pair[1] as u32]).collect());
        self.searched_entangled = true;
        Ok(())
    }

    fn reset(&mut self) {
        self.local = LocalStep::new(&self.constraints);
        self.memory = ImpulseMemory::default();
        self.pushes.fill(Vec3::zeros());
        self.searched_entangled = false;
    }
}

impl PdSolver {
    /// Sheets that begin a little inside a body are let out; the first step looks for them.
    fn follow_entangled(&mut self, world: World<'_>, state: &State) -> Result<(), StepError> {
        let controls = &world.parameters.controls;
        if !self.searched_entangled {
            self.finder.find_entangled(world.model, controls, state.placed())?;
            self.searched_entangled = true;
        }
        Ok(self.finder.follow_entangled(world.model, controls, state.placed())?)
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
