//! What a case measured.

use serde::Serialize;

/// One quantity of a case under a method, as it is printed.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Outcome {
    /// Name of the case.
    pub case: String,
    /// Method that ran it.
    pub method: String,
    /// What was measured, with its unit where it has one.
    pub quantity: String,
    /// The value that theory gives.
    pub expected: f64,
    /// The value that was found.
    pub measured: f64,
    /// |measured − expected|, relative to |expected| unless that is zero.
    pub error: f64,
    /// Largest error allowed; none for values that are only reported.
    pub tolerance: Option<f64>,
    /// Whether the error stays within the tolerance; values that are only reported pass when they
    /// are finite.
    pub pass: bool,
}

/// One quantity before it is put under a case and a method.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// What it is.
    pub name: String,
    /// The value that theory gives.
    pub expected: f64,
    /// The value that was found.
    pub measured: f64,
    /// Largest error allowed.
    pub tolerance: Option<f64>,
    /// Whether the error is a difference instead of a ratio.
    absolute: bool,
}

/// What a case finds: its quantities in order.
pub type Finding = Vec<Quantity>;

impl Quantity {
    /// A value with a relative tolerance (absolute where the expected value is zero).
    pub fn within(tolerance: f64, name: impl Into<String>, expected: f64, measured: f64) -> Quantity {
        Quantity { name: name.into(), expected, measured, tolerance: Some(tolerance), absolute: false }
    }

    /// A value with an absolute tolerance.
    pub fn within_absolute(
        tolerance: f64,
        name: impl Into<String>,
        expected: f64,
        measured: f64,
    ) -> Quantity {
        Quantity { absolute: true, ..Quantity::within(tolerance, name, expected, measured) }
    }

    /// A value that is only reported.
    pub fn reported(name: impl Into<String>, expected: f64, measured: f64) -> Quantity {
        Quantity { tolerance: None, ..Quantity::within(0.0, name, expected, measured) }
    }

    /// The same with text before its name.
    pub fn labelled(self, text: &str) -> Quantity {
        Quantity { name: format!("{text}{}", self.name), ..self }
    }

    /// |measured − expected|, relative to |expected| where that makes sense.
    pub fn error(&self) -> f64 {
        let difference = (self.measured - self.expected).abs();
        if self.absolute || self.expected == 0.0 { difference } else { difference / self.expected.abs() }
    }

    /// The quantity as the outcome of a case.
    pub fn outcome(&self, case: &str, method: &str) -> Outcome {
        let error = self.error();
        Outcome {
            case: case.to_owned(),
            method: method.to_owned(),
            quantity: self.name.clone(),
            expected: self.expected,
            measured: self.measured,
            error,
            tolerance: self.tolerance,
            // Comparisons with NaN are false: an undefined error never passes.
            pass: error <= self.tolerance.unwrap_or(f64::MAX),
        }
    }
}

/// Order of convergence from errors at cells of size l and l/2: log₂ of their ratio.
pub fn order(coarse: f64, fine: f64) -> f64 {
    (coarse / fine).abs().log2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_relative_unless_zero_is_expected() {
        assert!((Quantity::within(0.1, "a", 2.0, 2.1).error() - 0.05).abs() < 1e-12);
        assert_eq!(Quantity::within(0.1, "a", 0.0, 0.3).error(), 0.3);
        assert!((Quantity::within_absolute(0.1, "a", 2.0, 2.1).error() - 0.1).abs() < 1e-12);
    }

    #[test]
    fn undefined_values_never_pass() {
        assert!(!Quantity::reported("a", 1.0, f64::NAN).outcome("c", "m").pass);
        assert!(!Quantity::within(f64::MAX, "a", 1.0, f64::INFINITY).outcome("c", "m").pass);
        assert!(Quantity::reported("a", 1.0, 7.0).outcome("c", "m").pass);
        assert!(!Quantity::within(0.01, "a", 1.0, 1.02).outcome("c", "m").pass);
    }

    #[test]
    fn orders_of_powers() {
        let value = |l: f64| 3.0 + 0.7 * l * l;
        assert!((order(value(0.2) - 3.0, value(0.1) - 3.0) - 2.0).abs() < 1e-12);
    }
}
