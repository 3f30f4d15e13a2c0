//! One Newton iteration: `inner_step` of algorithm 1.   [Ando2024]
//!
//! `H d = f`, H projected elasticity, inertia, barriers and friction, f minus the gradient. Prescribed blocks move by what is
//! left of their way; their part of H d stands on the right-hand side, so the free blocks know where they will be.

use super::anchors::{Forecast, Kept, Memory};
use super::assembly::{ContactMatrix, Elastic, Terms};
use super::contacts::{Configuration, Contact, Detector, Origin, Way};
use super::couples::Bearers;
use super::friction::{Masses, forecast, is_settling};
use super::islands::{Islands, Owners};
use super::line_search::{Limit, constraint_line_search};
use super::linear_solve::{LinearSolves, Solved, System};
use super::options::{BarrierOptions, FrictionModel};
use super::pressure::solve_with_pressure;
use super::strain_limits::{StrainLimits, add_terms};
use crate::incremental::IncrementalPotential;
use crate::report::{StepSeconds, timed};
use crate::solver::{StepError, World};
use rayon::prelude::*;
use stiction_energy::Curvature;
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
    pub linear: &'a mut LinearSolves,
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
    pub solved: Solved,
    /// With what they are expected to carry at the end of the whole direction.
    pub contacts: Vec<Contact>,
    /// Force of each contact on its first object, linear about the start of the iteration \[N\].
    pub forces: Vec<Vec3>,
}

impl Newton<'_> {
    /// Moves `now` by γ α d.
    pub fn inner_step(
        &mut self,
        gamma: f64,
        potential: &IncrementalPotential<'_>,
        start: &Configuration<'_>,
        target: &Configuration<'_>,
        now: &mut Configuration<'static>,
    ) -> Result<Iteration, StepError> {
        let way = Way { start, now: &*now, target, anchors: self.anchors };
        // Known to the contacts from here on; the solve needs the room.
        let forecasts = std::mem::take(&mut self.forecasts);
        let (detector, world) = (&mut *self.detector, self.world);
        let mut contacts = timed(&mut self.seconds.detection, || detector.contacts(world, way, &forecasts))?;
        drop(forecasts);
        let fixed = &potential.prescription.fixed;
        let (terms, d, solved) = self.assemble_and_solve(potential, way, &contacts)?;
        let kinematic = target.kinematic.iter().zip(&now.kinematic).map(|(to, from)| to - from).collect();
        let direction = Configuration { blocks: d.into(), kinematic, time: target.time - now.time };
        let (options, detector, limits) = (self.options, &mut *self.detector, self.limits);
        let limit = timed(&mut self.seconds.line_search, || {
            constraint_line_search(options, detector, limits, world.model, &contacts, [now, &direction])
        })?;
        let change = potential.change_size(&direction.blocks);
        let mean_change = mean_over_free(&direction.blocks[..world.model.nodes], fixed);
        let is_settling = self.is_settling(potential, way, (&contacts, &terms), &direction.blocks);
        self.foresee(way, &mut contacts, &terms, &direction.blocks);
        // In the place of the terms.
        let force = |(t, c): (Terms, &Contact)| {
            let alpha = limit.of(c);
            let undone = c.relative(&direction.blocks) * alpha - c.ahead() * (1.0 - alpha);
            -(t.pull + t.hessian.mul(&undone))
        };
        let mut forces: Vec<Vec3> = terms.into_iter().zip(&contacts).map(force).collect();
        forces.shrink_to_fit();
        self.forecasts.replace(contacts.iter().map(|c| (c, c.forecast)));
        go_along(now, &direction, target, fixed, &limit.alpha, (&self.detector.owners, gamma));
        Ok(Iteration { limit, change, mean_change, is_settling, solved, contacts, forces })
    }

    /// Gives contacts the forces of this solve.
    fn foresee(&self, way: Way<'_>, contacts: &mut [Contact], terms: &[Terms], direction: &[Vec3]) {
        let (options, parameters) = (self.options, self.world.parameters);
        contacts.par_iter_mut().zip(terms).with_min_len(CHUNK).for_each(|(c, t)| {
            let [a, b] = c.objects().map(|o| o as usize);
            let force = forecast(options, (c, t), parameters.friction_between(a, b), (way, direction));
            (c.forecast, c.origin) = ((force / c.weight).map(|f| f as f32).into(), Origin::Own);
        });
    }

    /// Whether friction of some contact is not yet what it will be: its slip or its limit.
    fn is_settling(
        &self,
        potential: &IncrementalPotential<'_>,
        way: Way<'_>,
        (contacts, terms): (&[Contact], &[Terms]),
        direction: &[Vec3],
    ) -> bool {
        let (options, world) = (self.options, self.world);
        let masses = Masses { of_block: &world.model.mass, fixed: &potential.prescription.fixed };
        let slowest = options.tolerance / potential.step_size();
        let settling = |(c, t): (&Contact, &Terms)| {
            let [a, b] = c.objects().map(|o| o as usize);
            let mu = world.parameters.friction_between(a, b);
            mu > 0.0 && is_settling(options, (c, t), mu, masses, (way, direction), slowest)
        };
        options.friction != FrictionModel::None
            && contacts.par_iter().zip(terms).with_min_len(CHUNK).any(settling)
    }

    /// The terms of contacts and the direction. A system that single precision made indefinite is assembled again in double.
    fn assemble_and_solve(
        &mut self,
        potential: &IncrementalPotential<'_>,
        way: Way<'_>,
        contacts: &[Contact],
    ) -> Result<(Vec<Terms>, Vec<Vec3>, Solved), StepError> {
        let (rhs, terms) = self.assemble(potential, way, contacts);
        let outcome = self.direction(potential, way, contacts, rhs);
        let failed = matches!(outcome, Err(StepError::LinearSolver { .. }));
        if failed && self.linear.takes_double(self.system) {
            let (rhs, terms) = self.assemble(potential, way, contacts);
            let (d, solved) = self.direction(potential, way, contacts, rhs)?;
            return Ok((terms, d, solved));
        }
        outcome.map(|(d, solved)| (terms, d, solved))
    }

    /// The system and its right-hand side, and the terms of contacts.
    fn assemble(
        &mut self,
        potential: &IncrementalPotential<'_>,
        way: Way<'_>,
        contacts: &[Contact],
    ) -> (Vec<Vec3>, Vec<Terms>) {
        let (options, world, limits) = (self.options, self.world, self.limits);
        let (system, contact_matrix, detector) =
            (&mut *self.system, &mut *self.contact_matrix, &*self.detector);
        self.linear.prepare(options, system);
        let x = &way.now.blocks;
        timed(&mut self.seconds.assembly, || {
            let mut rhs = vec![Vec3::zeros(); x.len()];
            potential.gradient(x, &mut rhs);
            rhs.iter_mut().for_each(|g| *g = -*g);
            potential.hessian(x, Curvature::Projected, system);
            let inertia = potential.step_size().powi(-2);
            let elastic = Elastic { matrix: &*system, inertia, fixed: &potential.prescription.fixed };
            let terms = contact_matrix.evaluate(options, world, elastic, way, contacts);
            let stretched = limits.evaluate(options, elastic, &world.model.mass, x);
            add_terms(&stretched, system, &mut rhs);
            contact_matrix.add(contacts, &terms, system, &mut rhs);
            Bearers::new(options, detector, world.model).add_couples(contacts, &terms, x, &mut rhs);
            (rhs, terms)
        })
    }

    /// The direction d; prescribed blocks have the rest of their way.
    fn direction(
        &mut self,
        potential: &IncrementalPotential<'_>,
        way: Way<'_>,
        contacts: &[Contact],
        mut rhs: Vec<Vec3>,
    ) -> Result<(Vec<Vec3>, Solved), StepError> {
        let (options, nodes) = (self.options, self.world.model.nodes);
        let fixed = &potential.prescription.fixed[..];
        let matrix = self.contact_matrix.with(self.system);
        let (linear, owners) = (&mut *self.linear, &self.detector.owners);
        let outcome = timed(&mut self.seconds.linear_solve, || {
            let left = |i: usize| match fixed[i] {
                true => way.target.blocks[i] - way.now.blocks[i],
                false => Vec3::zeros(),
            };
            let mut d: Vec<Vec3> = (0..rhs.len()).map(left).collect();
            MaskedOperator::new(&matrix, fixed).lift(&mut rhs, &d);
            let mut islands = Islands::new(owners);
            islands.join_contacts(contacts);
            let (of_block, count) = islands.parts();
            let parts = PcgParts { of_block: &of_block, count };
            let system = System { matrix, fixed, parts, nodes };
            let ranks = potential.rank_ones(&way.now.blocks);
            let solved = solve_with_pressure(&ranks, fixed, &mut rhs, &mut d, |rhs, d| {
                linear.solve(options, &system, rhs, d)
            })?;
            Ok((d, solved))
        });
        self.linear.make_room();
        self.contact_matrix.make_room();
        outcome
    }
}

/// Root of the mean square over the nodes that are free.
fn mean_over_free(d: &[Vec3], fixed: &[bool]) -> f64 {
    let free = d.iter().zip(fixed).filter(|(_, fixed)| !**fixed);
    let (sum, count) = free.fold((0.0, 0), |(sum, count), (d, _)| (sum + d.norm_squared(), count + 1));
    (sum / f64::from(count.max(1))).sqrt()
}

/// `now ← now + γ α d` with α by object; prescribed things that go all the way stand exactly where their script wants them.
fn go_along(
    now: &mut Configuration<'static>,
    direction: &Configuration<'_>,
    target: &Configuration<'_>,
    fixed: &[bool],
    alpha: &[f64],
    (owners, gamma): (&Owners, f64),
) {
    for (i, x) in now.blocks.to_mut().iter_mut().enumerate() {
        match alpha[owners.of_block[i] as usize] {
            1.0 if fixed[i] => *x = target.blocks[i],
            share => *x += direction.blocks[i] * (share * gamma),
        }
    }
    for (i, x) in now.kinematic.iter_mut().enumerate() {
        match alpha[owners.of_kinematic[i] as usize] {
            1.0 => *x = target.kinematic[i],
            share => *x += direction.kinematic[i] * share,
        }
    }
    match alpha[owners.clock()] {
        1.0 => now.time = target.time,
        share => now.time += direction.time * share,
    }
}
