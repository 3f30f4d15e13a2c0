//! The list of cases, and how they are run.

use crate::cases;
use crate::error::VerifyError;
use crate::outcome::{Finding, Outcome};
use rayon::prelude::*;
use std::path::Path;
use stiction::solvers::methods;

/// Which settings of the method a case uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The method's default settings: what a user gets.
    Default,
    /// Tight tolerance, high caps: what the method can do.
    Converged,
}

/// How a case is measured.
#[derive(Clone, Copy)]
pub enum Measure {
    /// By the method `newton` alone: statics, stability, energies of the model.
    Newton(fn() -> Result<Finding, VerifyError>),
    /// By any method.
    Any(fn(&str) -> Result<Finding, VerifyError>),
    /// Over the files of a folder; no method takes part.
    Data(fn(&Path) -> Result<Finding, VerifyError>),
}

/// A case.
#[derive(Clone, Copy)]
pub struct Case {
    /// Name, `<family>_<variant>`.
    pub name: &'static str,
    /// Settings that it uses.
    pub kind: Kind,
    /// What it shows, in one line.
    pub summary: &'static str,
    /// Whether it is part of the reduced set of continuous integration.
    pub reduced: bool,
    /// How it is measured.
    pub measure: Measure,
}

/// What became of a case.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// It ran.
    Measured(Vec<Outcome>),
    /// It does not apply; the text says why.
    Skipped(String),
    /// It could not be measured; the text says why.
    Failed(String),
}

/// All cases, in the order in which they are reported.
pub fn all() -> Vec<Case> {
    cases::all()
}

/// The cases of the given names, in the order of the list; all of them for no name.
pub fn find(names: &[String]) -> Result<Vec<Case>, VerifyError> {
    let cases = all();
    if let Some(name) = names.iter().find(|name| !cases.iter().any(|case| case.name == **name)) {
        let known: Vec<&str> = cases.iter().map(|case| case.name).collect();
        return Err(VerifyError::UnknownCase { name: name.clone(), known: known.join(", ") });
    }
    Ok(cases.into_iter().filter(|case| names.is_empty() || names.iter().any(|n| n == case.name)).collect())
}

/// Runs cases under a method, several at a time; verdicts come in the order of the cases.
pub fn run(cases: &[Case], method: &str, data: Option<&Path>) -> Result<Vec<Verdict>, VerifyError> {
    if !methods().iter().any(|info| info.key == method) {
        let known: Vec<&str> = methods().iter().map(|info| info.key).collect();
        return Err(VerifyError::UnknownMethod { key: method.to_owned(), known: known.join(", ") });
    }
    Ok(cases.par_iter().map(|case| case.verdict(method, data)).collect())
}

impl Case {
    /// Runs the case under a method.
    pub fn verdict(&self, method: &str, data: Option<&Path>) -> Verdict {
        let (label, finding) = match (self.measure, data) {
            (Measure::Newton(_), _) if method != "newton" => {
                return Verdict::Skipped(format!("it measures by `newton` alone, not by `{method}`"));
            }
            (Measure::Newton(measure), _) => ("newton", measure()),
            (Measure::Any(measure), _) => (method, measure(method)),
            (Measure::Data(_), None) => {
                return Verdict::Skipped("it needs files: give their folder with --data DIR".to_owned());
            }
            (Measure::Data(measure), Some(folder)) => (self.name, measure(folder)),
        };
        match finding {
            Ok(finding) => {
                Verdict::Measured(finding.iter().map(|quantity| quantity.outcome(self.name, label)).collect())
            }
            Err(error @ VerifyError::NoData { .. }) => Verdict::Skipped(error.to_string()),
            Err(error) => Verdict::Failed(error.to_string()),
        }
    }
}

impl Verdict {
    /// Whether nothing went wrong.
    pub fn passes(&self) -> bool {
        match self {
            Verdict::Measured(outcomes) => outcomes.iter().all(|outcome| outcome.pass),
            Verdict::Skipped(_) => true,
            Verdict::Failed(_) => false,
        }
    }

    /// What was measured.
    pub fn outcomes(&self) -> &[Outcome] {
        match self {
            Verdict::Measured(outcomes) => outcomes,
            Verdict::Skipped(_) | Verdict::Failed(_) => &[],
        }
    }
}
