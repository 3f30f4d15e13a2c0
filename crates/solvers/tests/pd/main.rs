//! Method `pd` against closed forms and against Newton.

#[path = "../common/mod.rs"]
mod common;
mod contact;
mod drape;
mod entangled;
mod flight;
mod friction;
mod materials;
mod outcomes;
mod physics;
mod pile;
mod rope;
mod switches;

use common::Run;
use stiction_contact::detect::{ContactFinder, DetectOptions};
use stiction_numerics::Vec3;
use stiction_solvers::StepReport;

impl Run {
    fn centre(&self) -> Vec3 {
        let weighted: Vec3 = self.parameters.mass[..self.model.nodes]
            .iter()
            .zip(&self.state.blocks)
            .map(|(m, x)| x * *m)
            .sum();
        weighted / self.mass()
    }

    fn mass(&self) -> f64 {
        self.parameters.mass[..self.model.nodes].iter().sum()
    }

    /// Lowest vertex along z \[m\].
    fn lowest(&self) -> f64 {
        self.state.blocks[..self.model.nodes].iter().map(|x| x.z).fold(f64::INFINITY, f64::min)
    }

    /// Crossings of mid-surfaces and points inside, in the present state.
    fn crossings(&self) -> usize {
        let mut finder = ContactFinder::new(&self.model, &self.parameters.controls, DetectOptions::default())
            .expect("sound surfaces");
        let report = finder
            .intersections(&self.model, &self.parameters.controls, self.state.placed())
            .expect("a judgement");
        report.crossings.len() + report.inside.len()
    }

    fn velocity(&self) -> Vec3 {
        self.state.momentum(&self.model, &self.parameters) / self.mass()
    }
}

/// A number that a step reported under a name.
fn counter(report: &StepReport, name: &str) -> f64 {
    report.counters.iter().find(|(n, _)| *n == name).map(|(_, value)| *value).expect("a counter of that name")
}
