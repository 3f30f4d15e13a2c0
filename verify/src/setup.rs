//! A method and the settings under which a case runs it.

use crate::outcome::Quantity;
use crate::registry::Kind;

/// Settings of `admm` so tight that friction decides, not the tolerance.
const ADMM: &str = "newton_iterations = 2, max_iterations = 400, sweeps = 20, tolerance = 1e-10, relative_tolerance = 0.0, sleep = 0.0";
/// Settings of `pd` for the same purpose.
const PD: &str = "iterations = 400, sweeps = 20";
/// Settings of `barrier` for the same purpose.
const BARRIER: &str = "tolerance = 1e-7, pcg_tolerance = 1e-8, refine_iterations = 64";

/// A method and its settings.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'a> {
    /// Key of the method.
    pub method: &'a str,
    /// Which settings.
    pub kind: Kind,
}

impl Setup<'_> {
    /// The table `method` of a scene, with further options `more` (each with a comma before it).
    pub fn method_line(&self, more: &str) -> String {
        let options = match (self.kind, self.method) {
            (Kind::Converged, "admm") => ADMM.to_owned(),
            (Kind::Converged, "pd") => PD.to_owned(),
            (Kind::Converged, "barrier") => BARRIER.to_owned(),
            (Kind::Iterations(count), "pd") => format!("iterations = {count}"),
            _ => String::new(),
        };
        let comma = if options.is_empty() { "" } else { ", " };
        format!("method = {{ key = '{}'{comma}{options}{more} }}", self.method)
    }

    /// How far above contact a body starts \[m\]: barriers know no touching, so `barrier` begins within its gap of 1 mm.
    pub fn lift(&self) -> f64 {
        if self.method == "barrier" { 5e-4 } else { 0.0 }
    }

    /// A value that converged settings must reach (relative, or absolute where zero is expected); others only report it.
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
