//! Options of method `admm`, with the defaults of the paper.   [Daviet2020, table 5]

use crate::checks::{all_positive, at_least_one, none_negative};
use crate::object_factors::Coupled;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// How velocities meet the contacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Projection {
    /// ADMM with one weight per node: every contact has its closed form.
    #[default]
    Isotropic,
    /// ADMM with full 3×3 weights: every contact needs a root. A baseline.
    NonIsotropic,
    /// Nested relaxation instead of ADMM. A baseline.
    NlIca,
}

/// What must be below the tolerance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Stop {
    /// The last move, h (|v − v_prev|∞ + |v − p|∞).
    #[default]
    Move,
    /// The distance still to go, by the rate at which the moves shrink. Where they shrink slowly
    /// this takes many more iterations.
    Distance,
}

/// Options with their defaults; lengths in metres.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct AdmmOptions {
    /// Most projected Newton iterations per step, N_PN. Fewer are taken when what is still to come
    /// is below the tolerance.
    pub newton_iterations: usize,
    /// Largest number of ADMM iterations per Newton iteration, N_ADMM.
    pub max_iterations: usize,
    /// Gauss–Seidel sweeps per ADMM iteration, N_GS.
    pub sweeps: usize,
    /// An ADMM solve is done when h (|v − v_prev|∞ + |v − p|∞) is below this \[m\], ε∞.
    pub tolerance: f64,
    /// A second rule as well: the same quantity relative to the largest displacement of the step,
    /// or to g h² where nothing moves faster. 0 switches it off.
    pub relative_tolerance: f64,
    /// Whether the last move or the distance still to go must be below the tolerance.
    pub stop: Stop,
    /// Fraction of mass in the weights, β.
    pub beta: f64,
    /// Smallest fraction of stiffness in the weights, σ.
    pub sigma: f64,
    /// Fraction of the effective inertia in the weights of strands, κ: what a push at one node has
    /// to move, which near a root is many times β masses of nodes. 0 leaves β alone.
    pub strand_inertia: f64,
    /// Continuous detection again after so many ADMM iterations.
    pub detect_every: usize,
    /// Most rounds of detection and projection after the last iteration, so that what it found late
    /// is kept out too.
    pub final_passes: usize,
    /// Nesterov acceleration with restart (algorithm 4).
    pub accelerate: bool,
    /// Contacts whose update is below this fraction of the residual sleep until the next
    /// projection. 0 switches it off.
    pub sleep: f64,
    /// Compliance of every contact \[1/kg\]: the inverse weight of a slack node (section 6.3.2). 0
    /// is rigid; a pair of the scene can give its own.
    pub compliance: f64,
    /// Cohesive force of a contact at distance zero \[N\], falling linearly to nothing at the
    /// contact gap (section 6.3.1); a pair of the scene can give its own.
    pub cohesion: f64,
    /// The method itself, or a baseline to measure it against.
    pub projection: Projection,
    /// How objects that attachments and stitches tie together are factored.
    pub coupled: Coupled,
    /// Time over which a penetration is opened \[s\]; not shorter than the step.
    pub resolve_time: f64,
}

impl Default for AdmmOptions {
    fn default() -> Self {
        AdmmOptions {
            newton_iterations: 2,
            max_iterations: 25,
            sweeps: 10,
            tolerance: 1e-5,
            relative_tolerance: 0.002,
            stop: Stop::default(),
            beta: 25.0,
            sigma: 1e-3,
            strand_inertia: 1.0,
            detect_every: 5,
            final_passes: 8,
            accelerate: true,
            sleep: 0.01,
            compliance: 0.0,
            cohesion: 0.0,
            projection: Projection::Isotropic,
            coupled: Coupled::default(),
            resolve_time: 0.05,
        }
    }
}

impl AdmmOptions {
    /// Names the option that cannot be used, and why.
    pub fn validate(&self) -> Result<(), String> {
        let positive = [("tolerance", self.tolerance), ("beta", self.beta), ("sigma", self.sigma)];
        let not_negative = [
            ("relative_tolerance", self.relative_tolerance),
            ("strand_inertia", self.strand_inertia),
            ("sleep", self.sleep),
            ("compliance", self.compliance),
            ("cohesion", self.cohesion),
            ("resolve_time", self.resolve_time),
        ];
        let counts = [
            ("newton_iterations", self.newton_iterations),
            ("max_iterations", self.max_iterations),
            ("sweeps", self.sweeps),
            ("detect_every", self.detect_every),
        ];
        all_positive(&positive)?;
        none_negative(&not_negative)?;
        at_least_one(&counts)
    }
}
