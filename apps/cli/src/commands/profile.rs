//! `stiction info --profile`: the residuals of one step, iteration by iteration, as a plot.

use crate::failure::Failure;
use std::path::Path;
use stiction::output::plot::{LogPlot, Series};
use stiction::output::{RunReader, StepRecord};

/// Draws the residuals of a step (the last one with a profile when none is named) into an SVG file.
pub fn draw(reader: &RunReader, step: Option<u64>, file: &Path) -> Result<(), Failure> {
    let stats = reader.stats()?;
    let wanted = |record: &&StepRecord| step.is_none_or(|step| record.step == step);
    let profile = stats.iter().rev().filter(wanted).map(|record| (record, profile(record)));
    let Some((record, series)) = profile.into_iter().find(|(_, series)| !series.is_empty()) else {
        let text =
            "the run has no residual profile there: run it with `--set method.profile=true` (method `pd`)";
        return Err(Failure::Input(format!("error: {text}")));
    };
    let plot = LogPlot {
        title: format!("residuals of step {} at {:.4} s", record.step, record.time),
        x_label: "iteration".to_owned(),
        series,
    };
    std::fs::write(file, plot.to_svg())
        .map_err(|error| Failure::Run(format!("error: cannot write `{}`: {error}", file.display())))?;
    say!("residuals of step {} drawn to {}", record.step, file.display());
    Ok(())
}

/// Fields `NAME_001`, `NAME_002`, … of a step as one line per name.
fn profile(record: &StepRecord) -> Vec<Series> {
    let mut lines: Vec<Series> = Vec::new();
    for (key, value) in &record.extra {
        let Some((name, number)) = key.rsplit_once('_') else { continue };
        let digits = number.len() == 3 && number.bytes().all(|b| b.is_ascii_digit());
        let (true, Ok(iteration), Some(value)) = (digits, number.parse::<u32>(), value.as_f64()) else {
            continue;
        };
        let point = (f64::from(iteration), value);
        match lines.iter_mut().find(|line| line.name == name) {
            Some(line) => line.points.push(point),
            None => lines.push(Series { name: name.to_owned(), points: vec![point] }),
        }
    }
    lines.iter_mut().for_each(|line| line.points.sort_by(|a, b| a.0.total_cmp(&b.0)));
    lines
}
