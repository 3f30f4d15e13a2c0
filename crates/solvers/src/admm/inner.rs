//! The ADMM loop of one Newton iteration.   [Daviet2020, algorithms 2 and 4]

use super::elastic_step::{ElasticSolver, Linearised};
use super::options::AdmmOptions;
use crate::report::{StepSeconds, timed};
use stiction_contact::detect::{Collider, DetectError, StepMotion, pair_gap};
use stiction_contact::{ContactSet, NewContact, ProjectOptions};
use stiction_numerics::{Vec3, ordered_max_by};

use crate::solver::World;

/// What the loop works on.
pub struct Inner<'a> {
    pub options: &'a AdmmOptions,
    pub world: World<'a>,
    pub motion: StepMotion<'a>,
    pub elastic: &'a mut ElasticSolver,
    pub collider: &'a mut Collider,
    pub contacts: &'a mut ContactSet,
    /// Sorted keys of all contacts so far.
    pub known: &'a mut Vec<u64>,
    pub seconds: &'a mut StepSeconds,
}

/// What the loop reached.
#[derive(Clone, Copy, Debug, Default)]
pub struct InnerReport {
    pub iterations: usize,
    pub converged: bool,
    /// h |v − v_prev|∞ \[m\].
    pub moved: f64,
    /// h |v − p|∞ \[m\].
    pub apart: f64,
    /// Share of contacts that sleep at the end.
    pub asleep: f64,
}

/// The three vectors of the iteration.
pub struct Iterate {
    /// v: satisfies the dynamics.
    pub velocity: Vec<Vec3>,
    /// p: satisfies the contacts.
    pub projected: Vec<Vec3>,
    /// λ: scaled dual forces.
    pub dual: Vec<Vec3>,
}

impl Inner<'_> {
    /// Runs the loop from a start velocity.
    pub fn run(
        &mut self,
        system: &Linearised<'_>,
        weights: &[f64],
        iterate: &mut Iterate,
    ) -> Result<InnerReport, DetectError> {
        let mut report = InnerReport::default();
        let mut momentum = Momentum::new(iterate);
        let mut previous = iterate.velocity.clone();
        let mut residual = f64::INFINITY;
        for iteration in 1..=self.options.max_iterations {
            report.iterations = iteration;
            timed(&mut self.seconds.linear_solve, || {
                self.elastic.solve(
                    system,
                    weights,
                    &momentum.projected,
                    &momentum.dual,
                    &mut iterate.velocity,
                );
            });
            if iteration % self.options.detect_every == 0 {
                self.append_new_contacts(&iterate.velocity)?;
            }
            let before = residual;
            self.project(iterate, &momentum, residual, &mut report);
            (report.moved, report.apart) = self.residual(iterate, &previous);
            residual = report.moved + report.apart;
            if self.is_converged(iterate, residual) {
                report.converged = true;
                break;
            }
            momentum.advance(iterate, self.options.accelerate && residual < before);
            previous.copy_from_slice(&iterate.velocity);
        }
        self.catch_late_contacts(iterate, &momentum, &mut report)?;
        Ok(report)
    }

    /// The last projection may send points into each other anew: detects along p and projects again until nothing new is found.
    fn catch_late_contacts(
        &mut self,
        iterate: &mut Iterate,
        momentum: &Momentum,
        report: &mut InnerReport,
    ) -> Result<(), DetectError> {
        for _ in 0..self.options.final_passes {
            if self.append_new_contacts(&iterate.projected)? == 0 {
                break;
            }
            self.project(iterate, momentum, f64::INFINITY, report);
        }
        Ok(())
    }

    /// p ← projection of v − λ on the contact constraints.
    fn project(
        &mut self,
        iterate: &mut Iterate,
        momentum: &Momentum,
        residual: f64,
        report: &mut InnerReport,
    ) {
        let (options, h) = (self.options, self.motion.h);
        let sleep_below = (options.sleep > 0.0 && residual.is_finite()).then(|| options.sleep * residual / h);
        for i in 0..iterate.projected.len() {
            iterate.projected[i] = iterate.velocity[i] - momentum.dual[i];
        }
        let sweep = timed(&mut self.seconds.contact_projection, || {
            let project = ProjectOptions { sweeps: options.sweeps, sleep_below, ..ProjectOptions::default() };
            self.contacts.project(&mut iterate.projected, &project)
        });
        report.asleep = sweep.asleep as f64 / self.contacts.len().max(1) as f64;
    }

    /// Continuous-time detection along a velocity; new contacts join the set. Returns their number.
    fn append_new_contacts(&mut self, velocity: &[Vec3]) -> Result<usize, DetectError> {
        let World { model, parameters } = self.world;
        let found = timed(&mut self.seconds.detection, || {
            self.collider.continuous(model, parameters, &self.motion, velocity, self.known)
        })?;
        let count = found.len();
        append(self.contacts, self.known, prepare(found, self.options, self.world, self.motion.h));
        Ok(count)
    }

    fn residual(&self, iterate: &Iterate, previous: &[Vec3]) -> (f64, f64) {
        let nodes = self.world.model.nodes;
        let h = self.motion.h;
        let moved = ordered_max_by(nodes, |i| (iterate.velocity[i] - previous[i]).amax());
        let apart = ordered_max_by(nodes, |i| (iterate.velocity[i] - iterate.projected[i]).amax());
        (h * moved, h * apart)
    }

    /// δ below the tolerance in metres, and below the relative one where it is set.
    fn is_converged(&self, iterate: &Iterate, residual: f64) -> bool {
        let World { model, parameters } = self.world;
        let (relative, h) = (self.options.relative_tolerance, self.motion.h);
        if residual >= self.options.tolerance {
            return false;
        }
        let moved = h * ordered_max_by(model.nodes, |i| iterate.projected[i].amax());
        // At rest nothing moves; what gravity would do in one step is then the measure.
        let scale = moved.max(h * h * parameters.gravity.norm());
        relative == 0.0 || residual <= relative * scale
    }
}

/// p̂ and λ̂ of the accelerated variant; without acceleration they are p and λ.
struct Momentum {
    projected: Vec<Vec3>,
    dual: Vec<Vec3>,
    last_projected: Vec<Vec3>,
    last_dual: Vec<Vec3>,
    theta: f64,
}

impl Momentum {
    fn new(iterate: &Iterate) -> Momentum {
        let (projected, dual) = (iterate.projected.clone(), iterate.dual.clone());
        Momentum { last_projected: projected.clone(), last_dual: dual.clone(), projected, dual, theta: 1.0 }
    }

    /// λ ← λ̂ + p − v, then p̂ and λ̂ go beyond p and λ when the residual falls, and start anew when it does not.
    fn advance(&mut self, iterate: &mut Iterate, accelerate: bool) {
        for i in 0..iterate.dual.len() {
            iterate.dual[i] = self.dual[i] + iterate.projected[i] - iterate.velocity[i];
        }
        let theta = if accelerate { 0.5 * (1.0 + (1.0 + 4.0 * self.theta * self.theta).sqrt()) } else { 1.0 };
        let beyond = if accelerate { (self.theta - 1.0) / theta } else { 0.0 };
        for i in 0..iterate.dual.len() {
            let (p, dual) = (iterate.projected[i], iterate.dual[i]);
            self.projected[i] = p + (p - self.last_projected[i]) * beyond;
            self.dual[i] = dual + (dual - self.last_dual[i]) * beyond;
        }
        self.last_projected.copy_from_slice(&iterate.projected);
        self.last_dual.copy_from_slice(&iterate.dual);
        self.theta = theta;
    }
}

/// Puts compliance and cohesion on new contacts, and opens penetrations over the wanted time instead of at once.
///
/// Cohesion falls linearly from touching to the contact gap of the pair, ξ = ξ₀ (1 − g/ĝ).   [Daviet2020, section 7.4]
pub fn prepare(
    mut contacts: Vec<NewContact>,
    options: &AdmmOptions,
    world: World<'_>,
    h: f64,
) -> Vec<NewContact> {
    for contact in &mut contacts {
        let [a, b] = contact.bodies;
        let listed = world.parameters.pair_between(a as usize, b as usize);
        contact.compliance = listed.and_then(|pair| pair.compliance).unwrap_or(options.compliance);
        let cohesion = listed.and_then(|pair| pair.cohesion).unwrap_or(options.cohesion);
        if cohesion > 0.0 {
            let reach = pair_gap(world.model, contact.bodies);
            let near = if reach > 0.0 { (1.0 - contact.gap / reach).clamp(0.0, 1.0) } else { 1.0 };
            contact.cohesion = cohesion * near * h;
        }
        if contact.gap < 0.0 {
            contact.normal_offset = contact.gap / options.resolve_time.max(h);
        }
    }
    contacts
}

/// Adds contacts to the set and their keys to the sorted list of known ones.
pub fn append(set: &mut ContactSet, known: &mut Vec<u64>, contacts: Vec<NewContact>) {
    append_remembered(set, known, contacts, None);
}

/// The same, with impulses of the step before.
pub fn append_remembered(
    set: &mut ContactSet,
    known: &mut Vec<u64>,
    contacts: Vec<NewContact>,
    memory: Option<&stiction_contact::ImpulseMemory>,
) {
    known.extend(contacts.iter().map(|c| c.key));
    known.sort_unstable();
    set.append(&contacts, memory).expect("contacts found on a valid model are valid");
}
