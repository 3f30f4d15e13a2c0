//! What a step reports: how it went and what it reached.

use std::time::Instant;
use stiction_numerics::Vec3;

/// The honest account of one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Time that passed in the step \[s\]; some methods take less than they were offered.
    pub advanced: f64,
    /// Outer iterations of the method.
    pub iterations: usize,
    /// Whether the method's own tolerance was reached.
    pub converged: bool,
    /// Residuals at the end by the method's own names.
    pub residual: Vec<(&'static str, f64)>,
    /// Further counters of the method (inner iterations, line search steps, refactorisations).
    pub counters: Vec<(&'static str, f64)>,
    /// Energy by kind at the end of the step \[J\].
    pub energy: Vec<(&'static str, f64)>,
    /// Number of contacts.
    pub contacts: usize,
    /// Number of contacts by kind, for the kinds that occur.
    pub contacts_by_kind: Vec<(&'static str, usize)>,
    /// How far the deepest gap is below zero \[m\].
    pub penetration: f64,
    /// Net contact force per object (bodies, then colliders) \[N\].
    pub contact_force: Vec<Vec3>,
    /// Normal contact force per node \[N\]; empty where the method has no contact.
    pub contact_load: Vec<f64>,
    /// Contacts that carry a force, with both objects.
    pub contact_samples: Vec<ContactSample>,
    /// Largest excess over a strain limit (0 without limits).
    pub strain_limit_excess: f64,
    /// Where the time went.
    pub seconds: StepSeconds,
}

/// A contact that carries a force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSample {
    /// First and second object: bodies first, then colliders, in the order of the scene.
    pub objects: [u32; 2],
    /// Where the force acts \[m\].
    pub point: Vec3,
    /// Unit normal from the second object to the first.
    pub normal: Vec3,
    /// Distance less both half-thicknesses \[m\]: at the start of the step under methods that
    /// project velocities, at its end under `barrier`.
    pub gap: f64,
    /// Force on the first object; the second one feels the opposite \[N\].
    pub force: Vec3,
}

/// Wall time of a step by kind of work \[s\].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepSeconds {
    /// Collision detection.
    pub detection: f64,
    /// Energies, gradients and matrices.
    pub assembly: f64,
    /// Factorisations and linear solves.
    pub linear_solve: f64,
    /// Projection on contact constraints.
    pub contact_projection: f64,
    /// Local elastic projections.
    pub local_projection: f64,
    /// Step length.
    pub line_search: f64,
}

impl StepSeconds {
    /// Sum of all kinds \[s\].
    pub fn total(&self) -> f64 {
        self.detection
            + self.assembly
            + self.linear_solve
            + self.contact_projection
            + self.local_projection
            + self.line_search
    }
}

/// Runs `work` and adds its wall time to `seconds`.
pub fn timed<T>(seconds: &mut f64, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    *seconds += start.elapsed().as_secs_f64();
    result
}
