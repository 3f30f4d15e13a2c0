//! Options of method `pd`, with the defaults of the paper.   [Zhu2024, table 1 and section 6.3]

use crate::checks::{all_positive, at_least_one, none_negative};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Which of the two positions a step ends with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Accept {
    /// `x_t + h p` at nodes that touch something, `x` elsewhere: satisfies the contacts.
    #[default]
    Projected,
    /// `x`: satisfies the dynamics.
    Position,
}

/// Options with their defaults.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PdOptions {
    /// ADMM iterations per step.
    pub iterations: usize,
    /// Gauss–Seidel sweeps per iteration.
    pub sweeps: usize,
    /// Continuous detection again after so many iterations, CDI.
    pub detect_every: usize,
    /// W_e as a fraction of the stiffness K of each constraint.
    pub elastic_weight: f64,
    /// W_c of every node \[N/m\] in place of the heuristic.
    pub contact_weight: Option<f64>,
    /// W_c \[N/m\] of the nodes of single bodies by name (that of a body with copies means all of
    /// them); wins over the others.
    pub contact_weights: BTreeMap<String, f64>,
    /// Fraction of mass in the heuristic contact weights.
    pub beta: f64,
    /// Smallest fraction of stiffness in them.
    pub sigma: f64,
    /// Compliant treatment of penetrating contacts (section 6.1).
    pub stabilise: bool,
    /// Compliance α of the stabilisation.
    pub alpha: f64,
    /// Spring constant k_s of the stabilisation.
    pub spring: f64,
    /// Rayleigh damping k_d \[s\] added to the damping of the materials.
    pub damping: f64,
    /// Time over which a penetration is opened \[s\] without stabilisation; not shorter than the
    /// step.
    pub resolve_time: f64,
    /// A step counts as converged when the last change of x plus its distance to `x_t + h p` is
    /// below this \[m\].
    pub tolerance: f64,
    /// Whether iterations end at the tolerance.
    pub stop_early: bool,
    /// Reports the residuals of every iteration.
    pub profile: bool,
    /// The accepted state.
    pub accept: Accept,
    /// Most rounds of detection and projection after the last iteration, so that what it sent into
    /// something else is kept out too.
    pub final_passes: usize,
    /// Most rounds after the last iteration that bring sheets back to their strain limits, contacts
    /// kept.
    pub limit_passes: usize,
    /// Ends a step with continuous detection: nodes whose surfaces would cross on the way move
    /// together, as stiff pieces, for this step.
    pub filter: bool,
}

impl Default for PdOptions {
    fn default() -> Self {
        PdOptions {
            iterations: 20,
            sweeps: 5,
            detect_every: 5,
            elastic_weight: 0.5,
            contact_weight: None,
            contact_weights: BTreeMap::new(),
            beta: 25.0,
            sigma: 1e-3,
            stabilise: false,
            alpha: 1e-4,
            spring: 1e6,
            damping: 0.0,
            resolve_time: 0.05,
            tolerance: 1e-5,
            stop_early: false,
            profile: false,
            accept: Accept::Projected,
            final_passes: 0,
            limit_passes: 60,
            filter: false,
        }
    }
}

impl PdOptions {
    /// The user's contact weight of a body \[N/m\], if there is one: by its own name, by that of
    /// the body it is a copy of, or for all.
    pub fn weight_of(&self, body: &str) -> Option<f64> {
        let original = body.rsplit_once('.').map(|(name, _)| name);
        let named = [Some(body), original].into_iter().flatten().find_map(|n| self.contact_weights.get(n));
        named.copied().or(self.contact_weight)
    }

    /// Names in `contact_weights` must be those of bodies.
    pub fn check_names<'a>(&self, bodies: impl Iterator<Item = &'a str> + Clone) -> Result<(), String> {
        let known = |name: &str| {
            bodies
                .clone()
                .any(|b| b == name || b.rsplit_once('.').is_some_and(|(original, _)| original == name))
        };
        match self.contact_weights.keys().find(|name| !known(name)) {
            Some(name) => Err(format!("`contact_weights` names `{name}`, but there is no such body")),
            None => Ok(()),
        }
    }

    /// Names the option that cannot be used, and why.
    pub fn validate(&self) -> Result<(), String> {
        let positive = [
            ("elastic_weight", self.elastic_weight),
            ("contact_weight", self.contact_weight.unwrap_or(1.0)),
            ("beta", self.beta),
            ("sigma", self.sigma),
            ("tolerance", self.tolerance),
        ];
        let not_negative = [
            ("alpha", self.alpha),
            ("spring", self.spring),
            ("damping", self.damping),
            ("resolve_time", self.resolve_time),
        ];
        let counts =
            [("iterations", self.iterations), ("sweeps", self.sweeps), ("detect_every", self.detect_every)];
        all_positive(&positive)?;
        let weights: Vec<(&str, f64)> =
            self.contact_weights.values().map(|weight| ("contact_weights", *weight)).collect();
        all_positive(&weights)?;
        none_negative(&not_negative)?;
        at_least_one(&counts)
    }
}
