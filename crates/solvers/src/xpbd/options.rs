//! Options of method `xpbd`.

use crate::checks::{all_positive, at_least_one, none_negative};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Options with their defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct XpbdOptions {
    /// Sweeps over the elastic constraints per step, each followed by contact sweeps.
    pub iterations: usize,
    /// Contact sweeps per iteration.
    pub sweeps: usize,
    /// Continuous detection again after so many iterations.
    pub detect_every: usize,
    /// Time over which a penetration is opened \[s\]; not shorter than the step.
    pub resolve_time: f64,
    /// A step counts as converged when the last iteration moved no node farther than this \[m\].
    pub tolerance: f64,
}

impl Default for XpbdOptions {
    fn default() -> Self {
        XpbdOptions { iterations: 20, sweeps: 5, detect_every: 5, resolve_time: 0.05, tolerance: 1e-5 }
    }
}

impl XpbdOptions {
    /// Names the option that cannot be used, and why.
    pub fn validate(&self) -> Result<(), String> {
        all_positive(&[("tolerance", self.tolerance)])?;
        none_negative(&[("resolve_time", self.resolve_time)])?;
        at_least_one(&[
            ("iterations", self.iterations),
            ("sweeps", self.sweeps),
            ("detect_every", self.detect_every),
        ])
    }
}
