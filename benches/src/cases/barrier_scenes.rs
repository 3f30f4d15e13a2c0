//! Scenes for the cases of method `barrier`, as text, and what a run of them shows.

use crate::measure::{Spent, measure};
use crate::record::Record;
use crate::registry::Stopped;
use std::path::Path;
use std::time::Instant;
use stiction::scene::{Scene, load_text};
use stiction::solvers::StepReport;
use stiction::{Simulation, gallery};

/// Ten sheets held at their corners, 4 mm apart, under a heavy ball that falls at 2 m/s; `cells`
/// squares along a sheet.
pub fn stack(cells: usize, sheets: usize, options: &str) -> String {
    format!(
        r#"
stiction = 1
fps = 100
step = 0.005
method = {{ key = "barrier" {options} }}
[bodies.sheet]
kind = "cloth"
mesh = {{ grid = {{ size = [0.5, 0.5], cells = [{cells}, {cells}], pattern = "alternating" }} }}
material = {{ preset = "cotton", young = 1.0e6 }}
friction = 0.2
gap = 0.001
pins = [{{ select = {{ any_of = ["top_left", "top_right", "bottom_left", "bottom_right"] }} }}]
array = {{ count = [1, 1, {sheets}], step = [0, 0, -0.004] }}
[bodies.ball]
kind = "solid"
mesh = {{ tet_sphere = {{ radius = 0.08, cells = 4 }} }}
translate = [0.02, 0.01, 0.085]
velocity = [0.0, 0.0, -2.0]
material = {{ density = 4000.0, young = 1.0e6, poisson = 0.35 }}
friction = 0.2
gap = 0.001
"#
    )
}

/// An even number of sheets at a gap \[m\], every other one shifted, with activation gaps of 1 mm:
/// every vertex is in contact.
pub fn pressed(cells: usize, sheets: usize, gap: f64, options: &str) -> String {
    let (spacing, cell) = (0.0003 + gap, 0.5 / cells as f64);
    let sheet = |name: &str, [x, y, z]: [f64; 3]| {
        format!(
            r#"[bodies.{name}]
kind = "cloth"
mesh = {{ grid = {{ size = [0.5, 0.5], cells = [{cells}, {cells}], pattern = "alternating" }} }}
material = {{ density = 500.0, thickness = 0.0003, young = 1.0e6, poisson = 0.3 }}
translate = [{x}, {y}, {z}]
friction = 0.2
gap = 0.001
array = {{ count = [1, 1, {}], step = [0, 0, {}] }}
"#,
            sheets / 2,
            2.0 * spacing
        )
    };
    format!(
        r#"
stiction = 1
fps = 100
step = 0.005
method = {{ key = "barrier" {options} }}
{}{}"#,
        sheet("even", [0.0, 0.0, 0.0]),
        sheet("odd", [0.21 * cell, 0.13 * cell, spacing])
    )
}

/// Two sheets with a strain limit of 5 % fall on the tip of a needle, a thin capsule.
pub fn needle(speed: f64, options: &str) -> String {
    format!(
        r#"
stiction = 1
fps = 200
step = 0.001
method = {{ key = "barrier" {options} }}
[bodies.sheet]
kind = "cloth"
mesh = {{ grid = {{ size = [0.3, 0.3], cells = [16, 16], pattern = "alternating" }} }}
translate = [0.003, 0.002, 0.004]
velocity = [0, 0, -{speed}]
material = {{ density = 1000.0, thickness = 0.0005, young = 1.0e5, poisson = 0.25, strain_limit = 0.05 }}
gap = 0.001
array = {{ count = [1, 1, 2], step = [0, 0, 0.003] }}
[colliders.needle]
capsule = {{ start = [0, 0, -0.4], end = [0, 0, -0.002], radius = 0.001 }}
gap = 0.001
"#
    )
}

/// A block on a slope of atan(1/2), pulled by a tilted gravity.
pub fn slope(friction: f64, options: &str) -> String {
    let (sine, cosine) = (0.2_f64.sqrt(), 0.8_f64.sqrt());
    format!(
        r#"
stiction = 1
fps = 100
step = 0.01
gravity = [{}, 0.0, {}]
method = {{ key = "barrier" {options} }}
[bodies.block]
kind = "solid"
mesh = {{ tet_box = {{ size = [0.1, 0.1, 0.05], cells = [2, 2, 1] }} }}
translate = [0.0, 0.0, 0.0258]
friction = {friction}
gap = 0.001
material = {{ density = 1000.0, young = 1.0e6, poisson = 0.3, damping_stiffness = 0.01 }}
[colliders.slope]
plane = {{ normal = [0, 0, 1], offset = 0.0 }}
friction = {friction}
gap = 0.001
"#,
        9.81 * sine,
        -9.81 * cosine
    )
}

/// A simulation of a scene's text.
pub fn simulation(text: &str) -> Result<Simulation, Stopped> {
    let scene = load_text("bench.toml", text, Path::new("."), &[] as &[&str])?.scene;
    Ok(Simulation::new(scene)?)
}

/// A scene of the gallery with overrides.
pub fn gallery_scene(name: &str, set: &[&str]) -> Result<Scene, Stopped> {
    let found = gallery::find(name).ok_or_else(|| format!("the gallery lacks {name}"))?;
    Ok(load_text(&format!("{name}.toml"), found.text, Path::new("."), set)?.scene)
}

/// A run that may end early.
pub struct RunOutcome {
    /// Time of all frames.
    pub spent: Spent,
    /// Steps that were made.
    pub reports: Vec<StepReport>,
    /// Why it ended early.
    pub failure: Option<String>,
}

/// Frames of a simulation, or as many as there are before a step fails.
pub fn run(simulation: &mut Simulation, frames: usize) -> RunOutcome {
    run_for(simulation, frames, f64::INFINITY).0
}

/// The same, no frame begun after some time \[s\] but the first; and how many frames there were.
pub fn run_for(simulation: &mut Simulation, frames: usize, longest: f64) -> (RunOutcome, usize) {
    let (mut reports, mut failure, mut done) = (Vec::new(), None, 0);
    let begin = Instant::now();
    let (spent, ()) = measure(0.0, || {
        while done < frames && (done == 0 || begin.elapsed().as_secs_f64() < longest) {
            match simulation.advance_frame() {
                // Contacts for display are of use to a picture alone: runs that keep all reports
                // would measure their memory.
                Ok(mut frame) => {
                    frame.iter_mut().for_each(|report| report.contact_samples = Vec::new());
                    reports.extend(frame);
                }
                Err(error) => {
                    failure = Some(error.to_string());
                    return;
                }
            }
            done += 1;
        }
    });
    (RunOutcome { spent, reports, failure }, done)
}

/// A counter of a report.
pub fn counter(report: &StepReport, name: &str) -> Option<f64> {
    report.counters.iter().find(|(key, _)| *key == name).map(|(_, value)| *value)
}

/// Steps, iterations, gaps and times of a run.
pub fn describe(record: &mut Record, simulation: &Simulation, outcome: &RunOutcome, frames: usize) {
    let reports = &outcome.reports;
    let total = |name: &str| reports.iter().filter_map(|r| counter(r, name)).sum::<f64>();
    let iterations: usize = reports.iter().map(|r| r.iterations).sum();
    record.method = Some("barrier");
    record.number("vertices", simulation.model.nodes as f64);
    record.number("contacts", reports.iter().map(|r| r.contacts).max().unwrap_or(0) as f64);
    record.time("ms_per_frame", outcome.spent.per(1e-3, frames));
    record.number("steps", reports.len() as f64);
    record.number("newton_iterations", iterations as f64);
    record.time("ms_per_iteration", outcome.spent.per(1e-3, iterations));
    record.number("pcg_iterations", total("pcg_iterations"));
    record.number("direct_solves", total("direct_solves"));
    record.number("converged_steps", reports.iter().filter(|r| r.converged).count() as f64);
    let gaps = reports.iter().filter_map(|r| counter(r, "min_gap_m"));
    record.number("min_gap_mm", 1e3 * gaps.fold(f64::INFINITY, f64::min));
    let fifths = ["gaps_to_20", "gaps_to_40", "gaps_to_60", "gaps_to_80", "gaps_to_100"].map(total);
    let all = fifths.iter().sum::<f64>().max(1.0);
    for (name, count) in ["0_20", "20_40", "40_60", "60_80", "80_100"].iter().zip(fifths) {
        record.number(format!("gaps_{name}_percent"), 100.0 * count / all);
    }
    record.note.clone_from(&outcome.failure);
}
