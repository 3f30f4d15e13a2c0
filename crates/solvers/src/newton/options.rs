//! Options of method `newton`.

use crate::linear::LinearChoice;
use crate::stage::Scheme;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Options with their defaults; lengths in metres.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NewtonOptions {
    /// A step is done when the last Newton update is smaller than this everywhere \[m, rad for
    /// twists\].
    pub tolerance: f64,
    /// Largest number of Newton iterations per step.
    pub max_iterations: usize,
    /// Linear solver.
    pub linear: LinearChoice,
    /// Minimise the energy alone, without inertia and damping: quasi-static motion.
    pub quasi_static: bool,
    /// Time integrator. The others are of second order and damp less than the default.
    pub integrator: Scheme,
}

impl Default for NewtonOptions {
    fn default() -> Self {
        NewtonOptions {
            tolerance: 1e-7,
            max_iterations: 50,
            linear: LinearChoice::default(),
            quasi_static: false,
            integrator: Scheme::default(),
        }
    }
}

impl NewtonOptions {
    /// Names the option that cannot be used, and why.
    pub fn validate(&self) -> Result<(), String> {
        if !(self.tolerance.is_finite() && self.tolerance > 0.0) {
            return Err(format!("`tolerance` is {}; give a positive length in metres", self.tolerance));
        }
        if self.max_iterations == 0 {
            return Err("`max_iterations` is 0; give at least 1".to_owned());
        }
        if self.quasi_static && self.integrator != Scheme::BackwardEuler {
            return Err("`quasi_static` has no motion to integrate; leave `integrator` out".to_owned());
        }
        Ok(())
    }
}
