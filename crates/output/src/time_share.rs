//! Where the wall time went, by category.

use serde::{Deserialize, Serialize};

/// The categories of `run.json: time_share`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    /// Collision detection.
    Detection,
    /// Gradients, Hessians, right-hand sides.
    Assembly,
    /// Factorisations and linear solves.
    LinearSolve,
    /// Projection on contact constraints.
    ContactProjection,
    /// Local (per-element) projections.
    LocalProjection,
    /// Line search.
    LineSearch,
    /// Frames, statistics, checkpoints.
    Output,
    /// Everything else.
    Other,
}

impl Category {
    /// All categories in the order of `run.json`.
    pub const ALL: [Self; 8] = [
        Self::Detection,
        Self::Assembly,
        Self::LinearSolve,
        Self::ContactProjection,
        Self::LocalProjection,
        Self::LineSearch,
        Self::Output,
        Self::Other,
    ];

    /// Name in files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Detection => "detection",
            Self::Assembly => "assembly",
            Self::LinearSolve => "linear_solve",
            Self::ContactProjection => "contact_projection",
            Self::LocalProjection => "local_projection",
            Self::LineSearch => "line_search",
            Self::Output => "output",
            Self::Other => "other",
        }
    }
}

/// Fractions of wall time; they sum to 1.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs, reason = "each field is the category of the same name")]
pub struct TimeShare {
    pub detection: f64,
    pub assembly: f64,
    pub linear_solve: f64,
    pub contact_projection: f64,
    pub local_projection: f64,
    pub line_search: f64,
    pub output: f64,
    pub other: f64,
}

impl Default for TimeShare {
    fn default() -> Self {
        Self::from_seconds(&[0.0; 8])
    }
}

impl TimeShare {
    /// Fractions of seconds per category. A run that took no time is all `other`.
    pub fn from_seconds(seconds: &[f64; 8]) -> Self {
        let total: f64 = seconds.iter().sum();
        let mut f = if total > 0.0 { seconds.map(|s| s / total) } else { [0.0; 8] };
        // `other` takes what rounding leaves, so that the sum is 1.
        f[7] = (1.0 - f[..7].iter().sum::<f64>()).max(0.0);
        let [
            detection,
            assembly,
            linear_solve,
            contact_projection,
            local_projection,
            line_search,
            output,
            other,
        ] = f;
        Self {
            detection,
            assembly,
            linear_solve,
            contact_projection,
            local_projection,
            line_search,
            output,
            other,
        }
    }

    /// The fractions in the order of [`Category::ALL`].
    pub fn fractions(&self) -> [f64; 8] {
        [
            self.detection,
            self.assembly,
            self.linear_solve,
            self.contact_projection,
            self.local_projection,
            self.line_search,
            self.output,
            self.other,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(share: &TimeShare) -> f64 {
        let value = serde_json::to_value(share).unwrap();
        value.as_object().unwrap().values().map(|v| v.as_f64().unwrap()).sum()
    }

    #[test]
    fn shares_sum_to_one_and_carry_the_contract_names() {
        let share = TimeShare::from_seconds(&[0.1, 0.2, 0.3, 0.7, 1e-9, 3.0, 0.05, 0.4]);
        assert!((sum(&share) - 1.0).abs() < 1e-15);
        assert!((sum(&TimeShare::default()) - 1.0).abs() < 1e-15);
        let value = serde_json::to_value(share).unwrap();
        let names: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
        assert_eq!(names, Category::ALL.map(Category::name));
        let back = TimeShare::from_seconds(&share.fractions());
        assert!(share.fractions().iter().zip(back.fractions()).all(|(a, b)| (a - b).abs() < 1e-15));
    }
}
