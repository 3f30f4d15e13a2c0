//! `stiction bench`: timings of kernels and whole scenes.

use super::print_json;
use crate::args::BenchOptions;
use crate::failure::Failure;
use crate::out::is_closed;
use serde_json::{Value, json};
use std::time::Instant;
use stiction::Threads;
use stiction_bench::{BenchCase, BenchError, BenchSettings, Figure, FigureLimit, Machine, Record, all, find};

impl From<BenchError> for Failure {
    fn from(error: BenchError) -> Self {
        match error {
            BenchError::Unknown { .. } => Failure::Input(format!("error: {error}")),
            BenchError::Stopped { .. } => Failure::Run(format!("error: {error}")),
        }
    }
}

/// Measures cases one after the other and reports their figures.
pub fn bench(options: &BenchOptions) -> Result<(), Failure> {
    let cases = find(&options.cases)?;
    if options.list {
        all().iter().for_each(|case| say!("{:20} {}", case.name, case.summary));
        return Ok(());
    }
    let settings = BenchSettings { full: options.full, ..BenchSettings::default() };
    Threads::new(options.threads)?.install(|| match options.json {
        true => print_all(&cases, &settings),
        false => print_tables(&cases, &settings),
    })
}

fn print_all(cases: &[BenchCase], settings: &BenchSettings) -> Result<(), Failure> {
    let machine = Machine::now().to_json();
    let (mut records, mut stopped): (Vec<Value>, usize) = (Vec::new(), 0);
    for (k, case) in cases.iter().enumerate() {
        note!("case {}/{}  {}", k + 1, cases.len(), case.name);
        match case.run(settings) {
            Ok(found) => records.extend(found.iter().map(Record::to_json)),
            Err(error) => {
                stopped += 1;
                records.push(json!({ "case": case.name, "error": error.to_string() }));
            }
        }
    }
    print_json(&json!({ "machine": machine, "cases": records }))?;
    end(stopped, cases.len())
}

fn print_tables(cases: &[BenchCase], settings: &BenchSettings) -> Result<(), Failure> {
    say!("{}; wall time: best of the rounds, core time: mean, all threads", Machine::now().sentence());
    let mut stopped = 0;
    for case in cases {
        if is_closed() {
            break;
        }
        let start = Instant::now();
        say!("\n{}: {}", case.name, case.summary);
        match case.run(settings) {
            Ok(records) => records.iter().for_each(print_record),
            Err(error) => {
                stopped += 1;
                say!("  {error}");
            }
        }
        say!("  ({:.1} s, {})", start.elapsed().as_secs_f64(), Machine::now().sentence());
    }
    end(stopped, cases.len())
}

/// Fails when cases did.
fn end(stopped: usize, cases: usize) -> Result<(), Failure> {
    match stopped {
        0 => Ok(()),
        _ => Err(Failure::Run(format!("{stopped} of {cases} cases stopped"))),
    }
}

fn print_record(record: &Record) {
    let method = record.method.map_or(String::new(), |method| format!(", {method}"));
    say!("  {}{method}", record.variant);
    record.figures.iter().for_each(print_figure);
    if let Some(note) = &record.note {
        say!("    {note}");
    }
}

fn print_figure(figure: &Figure) {
    let core = figure
        .core
        .filter(|core| core.is_finite())
        .map_or(String::new(), |core| format!("core {}", number(core)));
    let limit = match figure.limit {
        None => String::new(),
        Some(FigureLimit::AtMost(most)) => format!("at most {most}"),
        Some(FigureLimit::AtLeast(least)) => format!("at least {least}"),
    };
    let verdict = figure.reached().map_or("", |reached| reached.word());
    let line = format!("    {:42} {:>12}  {core:17} {limit:14} {verdict}", figure.name, number(figure.value));
    say!("{}", line.trim_end());
}

/// Whole numbers whole, others with four digits.
fn number(value: f64) -> String {
    let size = value.abs();
    if value.fract() == 0.0 && size < 1e15 {
        return format!("{value}");
    }
    match size {
        1e-3..1e4 => format!("{value:.*}", (3 - size.log10().floor() as i32).max(0) as usize),
        1e4..1e15 => format!("{value:.0}"),
        _ => format!("{value:.3e}"),
    }
}

#[cfg(test)]
mod tests {
    use super::number;

    #[test]
    fn numbers_are_whole_or_have_four_digits() {
        assert_eq!(number(10_201.0), "10201");
        assert_eq!(number(0.123456), "0.1235");
        assert_eq!(number(1234.56), "1235");
        assert_eq!(number(f64::NAN), "NaN");
    }
}
