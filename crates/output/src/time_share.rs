//! Where the wall time went: one stopwatch that is always in exactly one category.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Instant;

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
}

/// Measures wall time by category. Time not claimed by a category counts as `other`.
#[derive(Clone, Debug)]
pub struct Stopwatch {
    seconds: [f64; 8],
    current: Category,
    since: Instant,
}

impl Default for Stopwatch {
    fn default() -> Self {
        Self { seconds: [0.0; 8], current: Category::Other, since: Instant::now() }
    }
}

impl Stopwatch {
    /// Starts now, in `other`.
    pub fn start() -> Self {
        Self::default()
    }

    /// Books the time so far and goes on in another category; returns the one left.
    pub fn switch(&mut self, to: Category) -> Category {
        let now = Instant::now();
        self.seconds[self.current as usize] += (now - self.since).as_secs_f64();
        self.since = now;
        std::mem::replace(&mut self.current, to)
    }

    /// Runs a piece of work in a category and returns to the one before.
    pub fn time<R>(&mut self, category: Category, work: impl FnOnce(&mut Self) -> R) -> R {
        let before = self.switch(category);
        let result = work(self);
        self.switch(before);
        result
    }

    /// Starts now, with the seconds of an earlier part of the run already booked.
    pub fn resume(earlier: [f64; 8]) -> Self {
        Self { seconds: earlier, ..Self::default() }
    }

    /// Adds seconds that were measured elsewhere, and takes them from the category that is running.
    pub fn transfer(&mut self, category: Category, seconds: f64) {
        self.seconds[category as usize] += seconds;
        self.seconds[self.current as usize] -= seconds;
    }

    /// Seconds per category so far, in the order of [`Category::ALL`].
    pub fn seconds(&self) -> [f64; 8] {
        let mut seconds = self.seconds;
        seconds[self.current as usize] += self.since.elapsed().as_secs_f64();
        seconds
    }

    /// Seconds of all categories together.
    pub fn total(&self) -> f64 {
        self.seconds().iter().sum()
    }

    /// Fractions so far.
    pub fn share(&self) -> TimeShare {
        TimeShare::from_seconds(&self.seconds())
    }

    /// Takes the seconds since the last lap, by name and without zeros, for `StepRecord::seconds`.
    pub fn lap(&mut self, last: &mut [f64; 8]) -> BTreeMap<String, f64> {
        let now = self.seconds();
        let spent = Category::ALL.iter().map(|&c| (c.name().to_string(), now[c as usize] - last[c as usize]));
        let map = spent.filter(|(_, s)| *s > 0.0).collect();
        *last = now;
        map
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
    }

    #[test]
    fn nested_work_is_booked_once() {
        let mut watch = Stopwatch::start();
        let inside = watch.time(Category::LineSearch, |w| w.time(Category::Detection, |w| w.current));
        assert_eq!(inside, Category::Detection);
        assert_eq!(watch.current, Category::Other);
        let mut last = [0.0; 8];
        let lap = watch.lap(&mut last);
        assert!((lap.values().sum::<f64>() - last.iter().sum::<f64>()).abs() < 1e-12);
        assert!((sum(&watch.share()) - 1.0).abs() < 1e-15);
    }

    #[test]
    fn a_resumed_watch_goes_on_and_transfers_keep_the_total() {
        let mut watch = Stopwatch::resume([1.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 3.0]);
        watch.transfer(Category::Assembly, 0.5);
        let seconds = watch.seconds();
        assert_eq!(seconds[..3], [1.0, 0.5, 2.0]);
        assert!(seconds[7] >= 2.5 && watch.total() >= 6.0);
    }
}
