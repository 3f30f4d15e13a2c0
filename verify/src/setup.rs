//! A method and the settings under which a case runs it.

use crate::outcome::Quantity;
use crate::registry::Kind;

type Options = &'static [(&'static str, &'static str)];

/// Settings of `admm` so tight that friction decides, not the tolerance.
const ADMM: Options = &[
    ("newton_iterations", "2"),
    ("max_iterations", "400"),
    ("sweeps", "20"),
    ("tolerance", "1e-10"),
    ("relative_tolerance", "0.0"),
    ("sleep", "0.0"),
];
/// Settings of `pd` for the same purpose.
const PD: Options = &[("iterations", "400"), ("sweeps", "20")];
/// Settings of `barrier` for the same purpose; anchored friction does not creep. Its ε goes towards
/// zero as well: below ε friction points along the slip from the anchor, not along the motion, and
/// a block whose underside is strained sideways by a share of ε starts to slide too fast.
const BARRIER: Options = &[
    ("tolerance", "1e-7"),
    ("pcg_tolerance", "1e-8"),
    ("refine_iterations", "64"),
    ("friction", "'anchored'"),
    ("friction_epsilon", "1e-7"),
];

/// A method and its settings.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// Key of the method.
    pub method: &'a str,
    /// Which settings.
    pub kind: Kind,
}

impl Setup<'_> {
    /// Options of the method as names and values of a scene file.
    pub fn options(&self) -> Vec<(&'static str, String)> {
        let fixed = match (self.kind, self.method) {
            (Kind::Iterations(count), "pd") => return vec![("iterations", count.to_string())],
            (Kind::Converged, "admm") => ADMM,
            (Kind::Converged, "pd") => PD,
            (Kind::Converged, "barrier") => BARRIER,
            _ => &[],
        };
        fixed.iter().map(|(name, value)| (*name, (*value).to_owned())).collect()
    }

    /// The table `method` of a scene.
    pub fn method_line(&self) -> String {
        self.method_line_with(&[])
    }

    /// The table `method` of a scene with some options of its own.
    pub fn method_line_with(&self, own: &[(&'static str, String)]) -> String {
        let settings = self.options().into_iter().filter(|(name, _)| !own.iter().any(|(n, _)| n == name));
        let options: String =
            settings.chain(own.to_vec()).map(|(name, value)| format!(", {name} = {value}")).collect();
        format!("method = {{ key = '{}'{options} }}", self.method)
    }

    /// How far above contact a body starts \[m\]: barriers know no touching, so `barrier` begins
    /// within its gap of 1 mm.
    pub fn lift(&self) -> f64 {
        if self.method == "barrier" { 5e-4 } else { 0.0 }
    }

    /// The same setup for a limit that is asked of some methods only: others merely report.
    pub fn asked_of(&self, methods: &[&str]) -> Self {
        if methods.contains(&self.method) { *self } else { Setup { kind: Kind::Default, ..*self } }
    }

    /// A value that converged settings must reach (relative, or absolute where zero is expected);
    /// others only report it.
    pub fn judged(&self, tolerance: f64, name: impl Into<String>, expected: f64, measured: f64) -> Quantity {
        match self.kind {
            Kind::Converged => Quantity::within(tolerance, name, expected, measured),
            Kind::Default | Kind::Iterations(_) => Quantity::reported(name, expected, measured),
        }
    }

    /// The same with a tolerance that is a difference.
    pub fn judged_absolute(
        &self,
        tolerance: f64,
        name: impl Into<String>,
        expected: f64,
        measured: f64,
    ) -> Quantity {
        match self.kind {
            Kind::Converged => Quantity::within_absolute(tolerance, name, expected, measured),
            Kind::Default | Kind::Iterations(_) => Quantity::reported(name, expected, measured),
        }
    }
}
