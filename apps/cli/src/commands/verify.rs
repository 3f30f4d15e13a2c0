//! `stiction verify`: physics against closed forms and published curves.

use super::print_json;
use crate::args::VerifyOptions;
use crate::failure::Failure;
use indicatif::{ProgressBar, ProgressStyle};
use std::io::IsTerminal;
use std::sync::atomic::{AtomicUsize, Ordering};
use stiction_verify::{Case, Outcome, Verdict, VerifyError, find, run};

impl From<VerifyError> for Failure {
    fn from(error: VerifyError) -> Self {
        Failure::Input(format!("error: {error}"))
    }
}

/// Runs cases and reports what they measured; fails when a quantity is outside of its tolerance.
pub fn verify(options: &VerifyOptions) -> Result<(), Failure> {
    let cases = find(&options.cases)?;
    if options.list {
        cases.iter().for_each(|case| say!("{:34} {:13}  {}", case.name, case.kind.to_string(), case.summary));
        return Ok(());
    }
    if let Some(folder) = options.data.as_ref().filter(|folder| !folder.is_dir()) {
        return Err(Failure::Input(format!("error: `{}` is not a folder: check --data", folder.display())));
    }
    refuse_without_data(options, &cases)?;
    let progress = VerifyProgress::new(cases.len());
    let data = options.data.as_deref();
    let verdicts = run(&cases, &options.method, data, &|case, verdict| progress.done(case, verdict))?;
    progress.finish();
    let outcomes: Vec<&Outcome> = verdicts.iter().flat_map(Verdict::outcomes).collect();
    if options.cases.is_empty() || !outcomes.is_empty() {
        match options.json {
            true => print_json(&serde_json::json!({ "cases": outcomes }))?,
            false => print_table(&cases, &verdicts),
        }
    }
    match outcomes.iter().filter(|outcome| !outcome.pass).count() {
        0 => refuse_skipped(options, &cases, &verdicts),
        failed => Err(Failure::Run(format!("{failed} of {} quantities failed", outcomes.len()))),
    }
}

/// A case that was asked for by name, without the files that it needs, is a wrong request: said
/// before anything is measured.
fn refuse_without_data(options: &VerifyOptions, cases: &[Case]) -> Result<(), Failure> {
    let named = !options.cases.is_empty() && options.data.is_none();
    match cases.iter().find(|case| named && case.needs_data()) {
        Some(case) => {
            let name = case.name;
            Err(Failure::Input(format!("error: {name}: it needs files: give their folder with --data DIR")))
        }
        None => Ok(()),
    }
}

/// So is one whose files are not in the folder that was given, and names of which none can be
/// measured.
fn refuse_skipped(options: &VerifyOptions, cases: &[Case], verdicts: &[Verdict]) -> Result<(), Failure> {
    if options.cases.is_empty() {
        return Ok(());
    }
    let none = verdicts.iter().all(|verdict| matches!(verdict, Verdict::Skipped(_)));
    let skipped = cases.iter().zip(verdicts).find_map(|(case, verdict)| match verdict {
        Verdict::Skipped(reason) if none || case.needs_data() => {
            Some(format!("error: {}: {reason}", case.name))
        }
        _ => None,
    });
    skipped.map_or(Ok(()), |text| Err(Failure::Input(text)))
}

fn print_table(cases: &[Case], verdicts: &[Verdict]) {
    for (case, verdict) in cases.iter().zip(verdicts) {
        match verdict {
            Verdict::Skipped(reason) => say!("{}: skipped, {reason}\n", case.name),
            Verdict::Measured(outcomes) => {
                let method = outcomes.first().map_or("", |outcome| &outcome.method);
                say!("{} ({}, {method}): {}", case.name, case.kind, case.summary);
                say!("  {:>13} {:>13} {:>9} {:>9}", "expected", "measured", "error", "limit");
                outcomes.iter().for_each(print_row);
                say!();
            }
        }
    }
    let outcomes = || verdicts.iter().flat_map(Verdict::outcomes);
    let passed = outcomes().filter(|outcome| outcome.pass).count();
    say!("{passed} of {} quantities pass", outcomes().count());
}

fn print_row(outcome: &Outcome) {
    let limit = outcome.tolerance.map_or("-".to_owned(), |limit| format!("{limit:.1e}"));
    let verdict = match (outcome.pass, outcome.tolerance) {
        (false, _) => "FAIL",
        (true, None) => "    ",
        (true, Some(_)) => "pass",
    };
    say!(
        "  {:>13} {:>13} {:>9.1e} {limit:>9}  {verdict}  {}",
        number(outcome.expected),
        number(outcome.measured),
        outcome.error,
        outcome.quantity
    );
}

/// Six significant digits.
fn number(value: f64) -> String {
    let size = value.abs();
    match size {
        0.0 => "0".to_owned(),
        1e-3..1e5 => format!("{value:.*}", (5 - size.log10().floor() as i32).max(0) as usize),
        _ => format!("{value:.5e}"),
    }
}

/// How many cases are done: a bar on a terminal, lines elsewhere, on standard error.
struct VerifyProgress {
    bar: Option<ProgressBar>,
    cases: usize,
    done: AtomicUsize,
}

impl VerifyProgress {
    fn new(cases: usize) -> VerifyProgress {
        let bar = std::io::stderr().is_terminal().then(|| {
            let bar = ProgressBar::new(cases as u64);
            let style = ProgressStyle::with_template("{bar:32} case {pos}/{len}  {elapsed} elapsed  {msg}");
            style.into_iter().for_each(|style| bar.set_style(style));
            bar
        });
        VerifyProgress { bar, cases, done: AtomicUsize::new(0) }
    }

    fn done(&self, case: &Case, verdict: &Verdict) {
        let count = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        let word = match verdict {
            Verdict::Skipped(_) => "skipped",
            measured if measured.passes() => "passes",
            _ => "FAILS",
        };
        match &self.bar {
            Some(bar) => {
                bar.set_message(format!("{} {word}", case.name));
                bar.inc(1);
            }
            None => note!("case {count}/{}  {} {word}", self.cases, case.name),
        }
    }

    fn finish(&self) {
        self.bar.iter().for_each(ProgressBar::finish_and_clear);
    }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_have_six_digits() {
        assert_eq!(number(12.854), "12.8540");
        assert_eq!(number(0.0), "0");
        assert_eq!(number(5e5), "5.00000e5");
        assert_eq!(number(-0.124562), "-0.124562");
    }
}
