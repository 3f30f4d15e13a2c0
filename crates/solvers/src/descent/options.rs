//! Options of method `descent`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Options with their defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DescentOptions {
    /// A step is done when the force out of balance at every body is below this share of its load.
    pub tolerance: f64,
    /// Largest number of Newton iterations in a round.
    pub max_iterations: usize,
    /// Largest number of rounds, each with the friction shift of the one before.
    pub friction_rounds: usize,
    /// Contacts sink by g h² over this under the weight that they carry.
    pub contact_hardness: f64,
    /// Stiffness of sticking over that of pressing.
    pub stick_ratio: f64,
}

impl Default for DescentOptions {
    fn default() -> Self {
        DescentOptions {
            tolerance: 1e-5,
            max_iterations: 15,
            friction_rounds: 5,
            contact_hardness: 100.0,
            stick_ratio: 2.0,
        }
    }
}

impl DescentOptions {
    /// Names the option that cannot be used, and why.
    pub fn validate(&self) -> Result<(), String> {
        let positive = |name: &str, value: f64| match value.is_finite() && value > 0.0 {
            true => Ok(()),
            false => Err(format!("`{name}` is {value}; give a positive number")),
        };
        positive("tolerance", self.tolerance)?;
        positive("contact_hardness", self.contact_hardness)?;
        positive("stick_ratio", self.stick_ratio)?;
        for (name, count) in
            [("max_iterations", self.max_iterations), ("friction_rounds", self.friction_rounds)]
        {
            if count == 0 {
                return Err(format!("`{name}` is 0; give at least 1"));
            }
        }
        Ok(())
    }
}
