//! Options of method `admm_integrator`.

use crate::checks::{all_positive, at_least_one, none_negative};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Options with their defaults; lengths in metres.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct IntegratorOptions {
    /// Largest number of ADMM iterations per step.
    pub max_iterations: usize,
    /// Iterations at the start of a step that see the contacts only through the impulses of the
    /// step before.
    pub predictions: usize,
    /// Gauss–Seidel sweeps per iteration.
    pub sweeps: usize,
    /// A step is done when positions move less than this from one iteration to the next, and no
    /// copy of an edge or displacement is farther from what it copies \[m\].
    pub tolerance: f64,
    /// Largest penalty weight of an elastic term, in units of the mass of a node over h². The
    /// weight of a soft term is its stiffness.
    pub penalty: f64,
    /// Share of mass in the contact weights, β.
    pub beta: f64,
    /// Smallest share of stiffness in the contact weights, σ.
    pub sigma: f64,
    /// Newton iterations of a local bending problem.
    pub local_iterations: usize,
    /// Newton iterations of the twist of a strand after each step.
    pub twist_iterations: usize,
    /// Most rounds of detection and projection at the end of a step, so that what its motion would
    /// pass through is kept out.
    pub final_passes: usize,
    /// Time over which a penetration is opened \[s\]; not shorter than the step.
    pub resolve_time: f64,
}

impl Default for IntegratorOptions {
    fn default() -> Self {
        IntegratorOptions {
            max_iterations: 40,
            predictions: 10,
            sweeps: 5,
            tolerance: 1e-5,
            penalty: 100.0,
            beta: 25.0,
            sigma: 1e-3,
            local_iterations: 1,
            twist_iterations: 3,
            final_passes: 4,
            resolve_time: 0.05,
        }
    }
}

impl IntegratorOptions {
    /// Names the option that cannot be used, and why.
    pub fn validate(&self) -> Result<(), String> {
        all_positive(&[
            ("tolerance", self.tolerance),
            ("penalty", self.penalty),
            ("beta", self.beta),
            ("sigma", self.sigma),
        ])?;
        none_negative(&[("resolve_time", self.resolve_time)])?;
        at_least_one(&[
            ("max_iterations", self.max_iterations),
            ("sweeps", self.sweeps),
            ("local_iterations", self.local_iterations),
            ("twist_iterations", self.twist_iterations),
        ])
    }
}
