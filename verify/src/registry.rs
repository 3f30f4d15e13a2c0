//! The list of cases, and how they are run.

use crate::cases;
use crate::error::VerifyError;
use crate::outcome::{Finding, Outcome, Quantity};
use crate::setup::Setup;
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
    /// A fixed number of iterations per step of `pd`, else its defaults. In the list of cases the
    /// number is 0: the case is measured at each of [`ITERATIONS`].
    Iterations(usize),
}

/// Iterations per step at which `pd` is measured.
pub const ITERATIONS: [usize; 3] = [20, 40, 100];

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Kind::Default => "default",
            Kind::Converged => "converged",
            Kind::Iterations(_) => "by iterations",
        })
    }
}

/// How a case is measured.
#[derive(Clone, Copy)]
pub enum Measure {
    /// By the method `newton` alone: statics, stability, energies of the model.
    Newton(fn() -> Result<Finding, VerifyError>),
    /// By any method.
    Any(fn(&str) -> Result<Finding, VerifyError>),
    /// By any method that has contact; under `newton`, which has none, it is measured by `admm`.
    Contact(fn(&Setup<'_>) -> Result<Finding, VerifyError>),
    /// By the methods named, which alone have what is measured; under `newton` by `admm` where it is not named.
    Only(&'static [&'static str], fn(&Setup<'_>) -> Result<Finding, VerifyError>),
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

/// Runs cases under a method, several at a time; verdicts come in the order of the cases. `done` is
/// called after each case.
pub fn run(
    cases: &[Case],
    method: &str,
    data: Option<&Path>,
    done: &(dyn Fn(&Case, &Verdict) + Sync),
) -> Result<Vec<Verdict>, VerifyError> {
    if !methods().iter().any(|info| info.key == method) {
        let known: Vec<&str> = methods().iter().map(|info| info.key).collect();
        return Err(VerifyError::UnknownMethod { key: method.to_owned(), known: known.join(", ") });
    }
    let run = |case: &Case| {
        let verdict = case.verdict(method, data);
        done(case, &verdict);
        verdict
    };
    Ok(cases.par_iter().map(run).collect())
}

impl Case {
    /// Runs the case under a method. A case that cannot be measured has one outcome, which says why
    /// and does not pass.
    pub fn verdict(&self, method: &str, data: Option<&Path>) -> Verdict {
        let (label, finding) = match (self.measure, data) {
            (Measure::Newton(_), _) if method != "newton" => {
                return Verdict::Skipped(format!("it measures by `newton` alone, not by `{method}`"));
            }
            (Measure::Newton(measure), _) => ("newton", measure()),
            (Measure::Any(measure), _) => (method, measure(method)),
            (Measure::Contact(measure) | Measure::Only(_, measure), _) => {
                let method = match self.measure {
                    Measure::Only(methods, _) if methods.contains(&method) => method,
                    _ if method == "newton" => "admm",
                    _ => method,
                };
                if let Some(reason) = self.refusal(method) {
                    return Verdict::Skipped(reason);
                }
                (method, self.settings(method, measure))
            }
            (Measure::Data(_), None) => {
                return Verdict::Skipped("it needs files: give their folder with --data DIR".to_owned());
            }
            (Measure::Data(measure), Some(folder)) => (self.name, measure(folder)),
        };
        let finding = match finding {
            Ok(finding) => finding,
            Err(error @ VerifyError::NoData { .. }) => return Verdict::Skipped(error.to_string()),
            Err(error) => vec![Quantity::reported(format!("not measured: {error}"), f64::NAN, f64::NAN)],
        };
        Verdict::Measured(finding.iter().map(|quantity| quantity.outcome(self.name, label)).collect())
    }

    /// Why a method with contact does not take part.
    fn refusal(&self, method: &str) -> Option<String> {
        match (self.measure, self.kind) {
            (Measure::Only(methods, _), _) if !methods.contains(&method) => {
                Some(format!("it measures by `{}`, not by `{method}`", methods.join("`, `")))
            }
            (_, Kind::Iterations(_)) if method != "pd" => {
                Some(format!("it counts iterations of `pd`, not of `{method}`"))
            }
            _ => None,
        }
    }

    /// Measures under the settings of the case, or at each number of iterations.
    fn settings(
        &self,
        method: &str,
        measure: fn(&Setup<'_>) -> Result<Finding, VerifyError>,
    ) -> Result<Finding, VerifyError> {
        if !matches!(self.kind, Kind::Iterations(_)) {
            return measure(&Setup { method, kind: self.kind });
        }
        let mut out = Finding::new();
        for count in ITERATIONS {
            let found = measure(&Setup { method, kind: Kind::Iterations(count) })?;
            out.extend(found.into_iter().map(|quantity| quantity.labelled(&format!("at_{count}: "))));
        }
        Ok(out)
    }

    /// Whether the case reads files.
    pub fn needs_data(&self) -> bool {
        matches!(self.measure, Measure::Data(_))
    }
}

impl Verdict {
    /// Whether nothing went wrong.
    pub fn passes(&self) -> bool {
        self.outcomes().iter().all(|outcome| outcome.pass)
    }

    /// What was measured.
    pub fn outcomes(&self) -> &[Outcome] {
        match self {
            Verdict::Measured(outcomes) => outcomes,
            Verdict::Skipped(_) => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAMILIES: &[&str] = &[
        "cantilever",
        "drag",
        "elastica",
        "buckling",
        "bend_twist",
        "circle",
        "momentum",
        "energy",
        "moduli",
        "slope",
        "stopping",
        "rope",
        "cylinder",
        "stick_slip",
        "force_balance",
        "anisotropic",
        "arch",
        "resolve",
        "ccd",
        "coulomb",
    ];

    #[test]
    fn names_are_unique_and_begin_with_a_family() {
        let cases = all();
        for (i, case) in cases.iter().enumerate() {
            assert!(FAMILIES.iter().any(|family| case.name.starts_with(family)), "{}", case.name);
            assert!(cases[..i].iter().all(|other| other.name != case.name), "{}", case.name);
            assert!(!case.summary.is_empty());
        }
    }

    #[test]
    fn unknown_names_list_the_known_ones() {
        let error = find(&["cantilever_bar".to_owned()]).err().expect("no such case").to_string();
        assert!(error.contains("cantilever_bar") && error.contains("cantilever_rod"), "{error}");
        let error = run(&[], "newtn", None, &|_, _| {}).expect_err("no such method").to_string();
        assert!(error.contains("newtn") && error.contains("newton"), "{error}");
    }

    #[test]
    fn a_case_that_cannot_be_measured_fails() {
        let measure: fn() -> Result<Finding, VerifyError> =
            || Err(VerifyError::NotSettled { steps: 3, update: 1.0 });
        let case = Case {
            name: "x",
            kind: Kind::Converged,
            summary: "",
            reduced: false,
            measure: Measure::Newton(measure),
        };
        let verdict = case.verdict("newton", None);
        assert!(!verdict.passes() && verdict.outcomes()[0].quantity.contains("no equilibrium"));
        let wrong: fn() -> Result<Finding, VerifyError> = || Ok(vec![Quantity::within(0.1, "q", 1.0, 2.0)]);
        assert!(!Case { measure: Measure::Newton(wrong), ..case }.verdict("newton", None).passes());
    }

    #[test]
    fn cases_over_data_are_skipped_without_a_folder() {
        for case in all().iter().filter(|case| case.needs_data()) {
            assert!(matches!(case.verdict("newton", None), Verdict::Skipped(_)));
            let empty = Path::new(env!("CARGO_MANIFEST_DIR")).join("data");
            assert!(matches!(case.verdict("newton", Some(&empty)), Verdict::Skipped(_)));
        }
    }
}
