//! One Newton iteration: `inner_step` of algorithm 1.   [Ando2024]
//!
//! `H d = f`, H projected elasticity, inertia, barriers and friction, f minus the gradient.
//! Prescribed blocks move by what is left of their way; their part of H d stands on the right-hand
//! side, so the free blocks know where they will be.

use super::anchors::{Forecast, Kept, Memory};
use super::assembly::{ContactMatrix, Elastic, Evaluation, Terms};
use super::contacts::{Configuration, Contact, Detector, Origin, Trajectory};
use super::couples::Bearers;
use super::friction::{Masses, forecast, is_settling};
use super::islands::{Islands, Owners};
use super::line_search::{Limit, constraint_line_search};
use super::linear::{choose_precision, solve_direction};
use super::options::{BarrierOptions, FrictionModel};
use super::strain_limits::{StrainLimits, add_terms};
use crate::incremental::IncrementalPotential;
use crate::report::{StepSeconds, timed};
use crate::solver::{StepError, World};
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use stiction_energy::Curvature;
use stiction_factor::{CoupledSolveInfo, CoupledSolver, CoupledSystem};
use stiction_numerics::{BlockMatrix, MaskedOperator, PcgParts, Vec3};

/// Contacts per task.
const CHUNK: usize = 1024;

/// What iterations share.
pub(super) struct Newton<'a> {
    pub options: &'a BarrierOptions,
    pub world: World<'a>,
    pub detector: &'a mut Detector,
    pub limits: &'a StrainLimits,
    pub anchors: &'a Memory<Kept>,
    /// Forces as the last iteration found them.
    pub forecasts: Memory<Forecast>,
    pub system: &'a mut BlockMatrix,
    pub contact_matrix: &'a mut ContactMatrix,
    pub linear: &'a mut CoupledSolver,
    pub seconds: &'a mut StepSeconds,
}

/// How an iteration went.
pub(super) struct Iteration {
    pub limit: Limit,
    /// Size of the whole direction \[m\].
    pub change: f64,
    /// Root of the mean square of the direction over the nodes that are free \[m\].
    pub mean_change: f64,
    /// Whether friction of a contact still looks for its force.
    pub is_settling: bool,
    pub solved: CoupledSolveInfo,
    /// With what they are expected to carry at the end of the whole direction.
    pub contacts: Vec<Contact>,
    /// Force of each contact on its first object, linear about the start of the iteration \[N\].
    pub forces: Vec<Vec3>,
}

impl Newton<'_> {
    /// `inner_step` of algorithm 1, with the numbers of its lines; moves `now` by γ α d. γ is 1 in
    /// the paper's algorithm. It shrinks only while a step that is already whole is refined
    /// (`complete`), which algorithm 1 does not do.
    pub fn inner_step(
        &mut self,
        gamma: f64,
        potential: &IncrementalPotential<'_>,
        start: &Configuration<'_>,
        target: &Configuration<'_>,
        now: &mut Configuration<'static>,
    ) -> Result<Iteration, StepError> {
        let trajectory = Trajectory { start, now: &*now, target, anchors: self.anchors };
        // Contacts know them from here on; the solve needs the memory.
        let forecasts = std::mem::take(&mut self.forecasts);
        let (detector, world) = (&mut *self.detector, self.world);
        let mut contacts =
            timed(&mut self.seconds.detection, || detector.contacts(world, trajectory, &forecasts))?;
        drop(forecasts);
        let fixed = &potential.prescription.fixed;
        // Lines 11 and 12: H, f with κ evaluated on the way, then d = H⁻¹ f.
        let (stiffnesses, d, solved) = self.assemble_and_solve(potential, trajectory, &contacts)?;
        let kinematic = target.kinematic.iter().zip(&now.kinematic).map(|(to, from)| to - from).collect();
        let direction = Configuration { blocks: d.into(), kinematic, time: target.time - now.time };
        let (options, detector, limits) = (self.options, &mut *self.detector, self.limits);
        // Line 13: α from x to x + 1.25 d.
        let limit = timed(&mut self.seconds.line_search, || {
            constraint_line_search(options, detector, limits, world, &contacts, [now, &direction])
        })?;
        let change = potential.change_size(&direction.blocks);
        let mean_change = mean_over_free(&direction.blocks[..world.model.nodes], fixed);
        let solve = ContactsOfSolve {
            evaluation: self.evaluation(potential, trajectory),
            direction: &direction.blocks,
            limit: &limit,
        };
        let slowest = options.tolerance / potential.step_size();
        let (forces, is_settling) = solve.conclude(&mut contacts, &stiffnesses, slowest);
        self.forecasts = Memory::of(&contacts, |contact| contact.forecast);
        // Line 14: x + α d.
        let go = Go { alpha: &limit.alpha, gamma, owners: &self.detector.owners, fixed };
        go.along(&direction, target, now);
        Ok(Iteration { limit, change, mean_change, is_settling, solved, contacts, forces })
    }

    fn evaluation<'a>(
        &'a self,
        potential: &'a IncrementalPotential<'_>,
        trajectory: Trajectory<'a>,
    ) -> Evaluation<'a> {
        let fixed = &potential.prescription.fixed[..];
        Evaluation { options: self.options, world: self.world, fixed, trajectory }
    }

    /// The stiffnesses of contacts and the direction. A system that single precision made
    /// indefinite is assembled again in double.
    fn assemble_and_solve(
        &mut self,
        potential: &IncrementalPotential<'_>,
        trajectory: Trajectory<'_>,
        contacts: &[Contact],
    ) -> Result<(Vec<f64>, Vec<Vec3>, CoupledSolveInfo), StepError> {
        let (rhs, stiffnesses) = self.assemble(potential, trajectory, contacts);
        let outcome = self.direction(potential, trajectory, contacts, rhs);
        let failed = matches!(outcome, Err(StepError::LinearSolver { .. }));
        if failed && self.linear.retries_in_double(self.system) {
            let (rhs, stiffnesses) = self.assemble(potential, trajectory, contacts);
            let (d, solved) = self.direction(potential, trajectory, contacts, rhs)?;
            return Ok((stiffnesses, d, solved));
        }
        outcome.map(|(d, solved)| (stiffnesses, d, solved))
    }

    /// The system and its right-hand side, and the stiffnesses of contacts.
    fn assemble(
        &mut self,
        potential: &IncrementalPotential<'_>,
        trajectory: Trajectory<'_>,
        contacts: &[Contact],
    ) -> (Vec<Vec3>, Vec<f64>) {
        let (options, world, limits) = (self.options, self.world, self.limits);
        let (system, contact_matrix, detector) =
            (&mut *self.system, &mut *self.contact_matrix, &*self.detector);
        choose_precision(self.linear, options, system, contacts.len());
        let x = &trajectory.now.blocks;
        timed(&mut self.seconds.assembly, || {
            let mut rhs = vec![Vec3::zeros(); x.len()];
            potential.gradient(x, &mut rhs);
            rhs.iter_mut().for_each(|g| *g = -*g);
            potential.hessian(x, Curvature::Projected, system);
            let inertia = potential.step_size().powi(-2);
            let elastic = Elastic { matrix: &*system, inertia };
            let evaluation = Evaluation { options, world, fixed: &potential.prescription.fixed, trajectory };
            let stiffnesses = evaluation.stiffnesses(elastic, contacts);
            let stretched = limits.evaluate(options, elastic, &world.parameters.mass, x);
            add_terms(&stretched, system, &mut rhs);
            let bearers = Bearers::new(options, detector, world.model);
            contact_matrix.assemble((evaluation, bearers), (contacts, &stiffnesses), system, &mut rhs);
            (rhs, stiffnesses)
        })
    }

    /// The direction d; prescribed blocks have the rest of their way.
    fn direction(
        &mut self,
        potential: &IncrementalPotential<'_>,
        trajectory: Trajectory<'_>,
        contacts: &[Contact],
        mut rhs: Vec<Vec3>,
    ) -> Result<(Vec<Vec3>, CoupledSolveInfo), StepError> {
        let (options, node_count) = (self.options, self.world.model.nodes);
        let fixed = &potential.prescription.fixed[..];
        let matrix = self.contact_matrix.with(self.system);
        let (linear, owners) = (&mut *self.linear, &self.detector.owners);
        let outcome = timed(&mut self.seconds.linear_solve, || {
            let left = |i: usize| match fixed[i] {
                true => trajectory.target.blocks[i] - trajectory.now.blocks[i],
                false => Vec3::zeros(),
            };
            let mut d: Vec<Vec3> = (0..rhs.len()).map(left).collect();
            MaskedOperator::new(&matrix, fixed).lift(&mut rhs, &d);
            let mut islands = Islands::new(owners);
            islands.join_contacts(contacts);
            let (of_block, count) = islands.parts();
            let parts = PcgParts { of_block: &of_block, count };
            let system = CoupledSystem { matrix, fixed, parts, node_count };
            let ranks = potential.rank_ones(&trajectory.now.blocks);
            let solved = solve_direction(linear, options, &system, &ranks, &mut rhs, &mut d)?;
            Ok((d, solved))
        });
        self.linear.release_factor();
        self.contact_matrix.release_values();
        outcome
    }
}

/// A direction that was found, and what contacts make of it.
struct ContactsOfSolve<'a> {
    evaluation: Evaluation<'a>,
    direction: &'a [Vec3],
    limit: &'a Limit,
}

impl ContactsOfSolve<'_> {
    /// Gives contacts the forces of this solve as forecasts. Returns their forces as far as the
    /// direction is gone along, and whether friction of some contact is not yet what it will be, by
    /// enough to matter beside accelerations of `slowest` \[m/s²\].
    fn conclude(&self, contacts: &mut [Contact], stiffnesses: &[f64], slowest: f64) -> (Vec<Vec3>, bool) {
        let is_settling = AtomicBool::new(false);
        let conclude = |(contact, &kappa): (&mut Contact, &f64)| {
            let terms = self.evaluation.terms(contact, kappa);
            if !is_settling.load(Ordering::Relaxed) && self.is_settling(contact, &terms, slowest) {
                is_settling.store(true, Ordering::Relaxed);
            }
            (contact.forecast, contact.origin) = (self.forecast(contact, &terms), Origin::Own);
            self.force(contact, &terms)
        };
        let each = contacts.par_iter_mut().zip(stiffnesses).with_min_len(CHUNK);
        let forces = each.map(conclude).collect();
        (forces, is_settling.into_inner())
    }

    /// Whether friction of a contact is not yet what it will be: its slip or its limit.
    fn is_settling(&self, contact: &Contact, terms: &Terms, slowest: f64) -> bool {
        let Evaluation { options, world, fixed, trajectory } = self.evaluation;
        let masses = Masses { of_block: &world.parameters.mass, fixed };
        let mu = self.coefficient(contact);
        options.friction != FrictionModel::None
            && mu > 0.0
            && is_settling(options, (contact, terms), mu, masses, (trajectory, self.direction), slowest)
    }

    /// The force at the end of the whole direction, per pair of primitives.
    fn forecast(&self, contact: &Contact, terms: &Terms) -> Forecast {
        let Evaluation { options, trajectory, .. } = self.evaluation;
        let mu = self.coefficient(contact);
        let force = forecast(options, (contact, terms), mu, (trajectory, self.direction));
        (force / contact.weight).map(|f| f as f32).into()
    }

    /// The force where the line search ends, linear about the start of the iteration \[N\].
    fn force(&self, contact: &Contact, terms: &Terms) -> Vec3 {
        let alpha = self.limit.of(contact);
        let undone = contact.relative(self.direction) * alpha - contact.ahead() * (1.0 - alpha);
        -(terms.pull + terms.hessian.mul(&undone))
    }

    fn coefficient(&self, contact: &Contact) -> f64 {
        let [a, b] = contact.objects().map(|o| o as usize);
        self.evaluation.world.parameters.friction_between(a, b)
    }
}

/// Root of the mean square over the nodes that are free.
fn mean_over_free(d: &[Vec3], fixed: &[bool]) -> f64 {
    let free = d.iter().zip(fixed).filter(|(_, fixed)| !**fixed);
    let (sum, count) = free.fold((0.0, 0), |(sum, count), (d, _)| (sum + d.norm_squared(), count + 1));
    (sum / f64::from(count.max(1))).sqrt()
}

/// How far a direction is followed.
struct Go<'a> {
    /// α by object, then of the clock.
    alpha: &'a [f64],
    gamma: f64,
    owners: &'a Owners,
    fixed: &'a [bool],
}

impl Go<'_> {
    /// `now ← now + γ α d` with α by object; prescribed things that go all the way end exactly
    /// where their script says.
    fn along(&self, d: &Configuration<'_>, target: &Configuration<'_>, now: &mut Configuration<'static>) {
        let Go { alpha, gamma, owners, fixed } = *self;
        for (i, x) in now.blocks.to_mut().iter_mut().enumerate() {
            match alpha[owners.of_block[i] as usize] {
                1.0 if fixed[i] => *x = target.blocks[i],
                share => *x += d.blocks[i] * (share * gamma),
            }
        }
        for (i, x) in now.kinematic.iter_mut().enumerate() {
            match alpha[owners.of_kinematic[i] as usize] {
                1.0 => *x = target.kinematic[i],
                share => *x += d.kinematic[i] * share,
            }
        }
        match alpha[owners.clock()] {
            1.0 => now.time = target.time,
            share => now.time += d.time * share,
        }
    }
}
