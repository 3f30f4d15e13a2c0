//! The ADMM loop of one Newton iteration.   [Daviet2020, algorithms 2 and 4, whose lines have no
//! numbers: comments quote them]
//!
//! Slips: S of section 5.2 is B W⁻¹ Bᵀ; the rule for sleeping contacts compares a velocity with a
//! length and lacks h.

use super::contacts::{ContactSearch, StepContacts};
use super::elastic_step::{ElasticSolver, Linearised, PER_TASK};
use super::momentum::{Momentum, ascend};
use super::options::{AdmmOptions, Stop};
use super::rate::Rate;
use super::weights::Weights;
use crate::report::{StepSeconds, timed};
use crate::solver::{StepError, World};
use rayon::prelude::*;
use stiction_contact::ProjectOptions;
use stiction_contact::detect::{ContactFinder, StepMotion};
use stiction_numerics::ordered::ordered_reduce;
use stiction_numerics::{Vec3, ordered_max_by};

/// A solve whose velocities are apart by more than this many tolerances is not a step that could be
/// taken: a heavy body on a light one would be thrown back by forces that come too late. It goes on
/// beyond its cap, as long as δ falls, up to so many caps.
const FAR: f64 = 100.0;
const CAPS: usize = 16;

/// The contact solver for linearised dynamics: what its loop works on.
pub struct AdmmLoop<'a> {
    pub options: &'a AdmmOptions,
    pub world: World<'a>,
    pub motion: StepMotion<'a>,
    pub elastic: &'a mut ElasticSolver,
    pub finder: &'a mut ContactFinder,
    pub contacts: &'a mut StepContacts,
    pub seconds: &'a mut StepSeconds,
}

/// What the loop reached.
#[derive(Clone, Copy, Debug, Default)]
pub struct AdmmReport {
    pub iterations: usize,
    pub converged: bool,
    /// h |v − v_prev|∞ \[m\].
    pub moved: f64,
    /// h |v − p|∞ \[m\].
    pub apart: f64,
    /// Estimated remaining distance to the solution of the linearised step, by the rate at which
    /// δ falls \[m\].
    pub remaining: f64,
    /// Fraction of contacts that sleep at the end.
    pub asleep: f64,
    /// Contacts found after the last iteration.
    pub late: usize,
}

impl AdmmReport {
    /// δ \[m\].
    pub fn delta(&self) -> f64 {
        self.moved + self.apart
    }
}

/// The three vectors of the iteration.
pub struct Iterate {
    /// v: satisfies the dynamics.
    pub velocity: Vec<Vec3>,
    /// p: satisfies the contacts.
    pub projected: Vec<Vec3>,
    /// λ: scaled dual forces; λ̂ where the iteration is accelerated.
    pub dual: Vec<Vec3>,
}

impl AdmmLoop<'_> {
    /// Algorithm 2 from its loop on, from a start velocity. What comes before it is in
    /// `solver.rs`.
    pub fn run(
        &mut self,
        system: &Linearised<'_>,
        weights: &Weights,
        iterate: &mut Iterate,
    ) -> Result<AdmmReport, StepError> {
        let mut report = AdmmReport::default();
        let mut momentum = self.options.accelerate.then(|| Momentum::new(iterate));
        let mut previous = iterate.velocity.clone();
        let mut residual = f64::INFINITY;
        let mut rate = Rate::default();
        // "for l ≥ 1"
        for iteration in 1..=CAPS * self.options.max_iterations {
            report.iterations = iteration;
            std::mem::swap(&mut previous, &mut iterate.velocity);
            let Iterate { velocity, projected, dual } = &mut *iterate;
            // "Solve (A + W) v = f + W (p + λ)", with p̂ and λ̂ where accelerated
            timed(&mut self.seconds.linear_solve, || {
                let target = momentum.as_ref().map_or(&projected[..], |momentum| &momentum.projected);
                self.elastic.solve(system, weights, target, dual, &previous, velocity)
            })?;
            // "Periodically update continuous-time collision detection"
            if iteration % self.options.detect_every == 0 {
                self.append_new_contacts(velocity)?;
            }
            let before = residual;
            // "p ← v − λ; project p onto feasible set using algorithm 3"
            self.project(iterate, residual, &mut report);
            // "δ ← Δt (|v − v_prev| + |v − p|); if δ < ε or max iterations reached then break"
            (report.moved, report.apart) = self.residual(iterate, &previous);
            residual = report.delta();
            rate.take(residual);
            report.remaining = rate.distance();
            let measure = match self.options.stop {
                Stop::Move => residual,
                Stop::Distance => report.remaining,
            };
            if self.is_converged(iterate, measure) {
                report.converged = true;
                break;
            }
            let is_near = residual < FAR * self.options.tolerance || report.remaining.is_infinite();
            if iteration >= self.options.max_iterations && is_near {
                break;
            }
            // "λ ← λ + (p − v)"; algorithm 4 then adds momentum or resets it
            match &mut momentum {
                Some(momentum) => momentum.ascend(iterate, self.world.model.nodes, residual < before),
                None => ascend(iterate, self.world.model.nodes),
            }
        }
        Ok(report)
    }

    /// The last projection may send points into each other again: detects along p and projects
    /// again until nothing new is found and nothing slips past its contact.
    pub fn catch_late_contacts(
        &mut self,
        iterate: &mut Iterate,
        report: &mut AdmmReport,
    ) -> Result<(), StepError> {
        for _ in 0..self.options.final_passes {
            let late = self.find_contacts(&iterate.projected, ContactSearch::Late)?;
            report.late += late;
            if late == 0 {
                break;
            }
            self.project(iterate, f64::INFINITY, report);
        }
        Ok(())
    }

    /// p ← projection of v − λ on the contact constraints.
    fn project(&mut self, iterate: &mut Iterate, residual: f64, report: &mut AdmmReport) {
        let (options, h) = (self.options, self.motion.h);
        let sleep_below = (options.sleep > 0.0 && residual.is_finite()).then(|| options.sleep * residual / h);
        let Iterate { velocity, projected, dual } = iterate;
        let projected = &mut projected[..self.world.model.nodes];
        let each = projected.par_iter_mut().with_min_len(PER_TASK).enumerate();
        each.for_each(|(i, p)| *p = velocity[i] - dual[i]);
        report.asleep = timed(&mut self.seconds.contact_projection, || {
            let project = ProjectOptions { sweeps: options.sweeps, sleep_below, ..ProjectOptions::default() };
            self.contacts.project(projected, &project)
        });
    }

    /// Continuous-time detection along a velocity; new contacts join the set. Returns their number.
    pub fn append_new_contacts(&mut self, velocity: &[Vec3]) -> Result<usize, StepError> {
        self.find_contacts(velocity, ContactSearch::New)
    }

    fn find_contacts(&mut self, velocity: &[Vec3], search: ContactSearch<'_>) -> Result<usize, StepError> {
        let Self { contacts, finder, seconds, world, motion, options, .. } = self;
        timed(&mut seconds.detection, || contacts.find(*world, motion, finder, velocity, options, search))
    }

    /// h |v − v_prev|∞ and h |v − p|∞ over the nodes \[m\].
    pub fn residual(&self, iterate: &Iterate, previous: &[Vec3]) -> (f64, f64) {
        let h = self.motion.h;
        let Iterate { velocity, projected, .. } = iterate;
        let larger = |a: f64, b: f64| if a >= b || a.is_nan() { a } else { b };
        let both = |a: (f64, f64), b: (f64, f64)| (larger(a.0, b.0), larger(a.1, b.1));
        let node = |i: usize| ((velocity[i] - previous[i]).amax(), (velocity[i] - projected[i]).amax());
        // One pass over the three vectors, which do not fit into caches.
        let (moved, apart) =
            ordered_reduce(self.world.model.nodes, &|r| r.map(node).fold((0.0, 0.0), both), &both);
        (h * moved, h * apart)
    }

    /// δ below the tolerance in metres, and below the relative one where it is set.
    pub fn is_converged(&self, iterate: &Iterate, residual: f64) -> bool {
        let World { model, parameters } = self.world;
        let (relative, h) = (self.options.relative_tolerance, self.motion.h);
        if residual >= self.options.tolerance || residual.is_nan() {
            return false;
        }
        let moved = h * ordered_max_by(model.nodes, |i| iterate.projected[i].amax());
        // At rest nothing moves; what gravity would do in one step is then the measure.
        let gravity = parameters.gravity.at(self.motion.time + h);
        let scale = moved.max(h * h * gravity.norm());
        relative == 0.0 || residual <= relative * scale
    }
}
