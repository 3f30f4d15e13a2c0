//! ADMM beside its baselines on the same steps of the hairy ball: without sleeping, with full 3×3
//! weights, and nested relaxation (NL-ICA).   [Daviet2020, table 3]
//!
//! A run of the scene gives states. From each, every variant solves the same first linearised step
//! with the same contacts, found at its start, and with no forces known from before. Two rules say
//! when a variant is done:
//!
//! * the paper's, δ below 0.01 mm. It measures progress, not error, so a method that creeps stops
//!   early;
//! * the same error: the largest distance to accelerated ADMM converged a thousand times further
//!   falls below 0.1 mm. Variants run with more and more iterations from the same start until it
//!   does, and the time of the last of these runs counts. Nested relaxation gives up after a
//!   hundred times the projection time of ADMM, or after `MOST` iterations; its ratio is then a
//!   lower bound. The error of the run before the last tells whether it still falls.

use super::hair_series::hairy_ball;
use crate::record::{FigureLimit, Record};
use crate::registry::Stopped;
use stiction::Simulation;
use stiction::bodies::State;
use stiction::solvers::{StepReport, World, create};

/// Frames after which a step is taken out of the run.
const FRAMES: [u64; 2] = [3, 6];
/// What all variants share.
const COMMON: [&str; 6] = [
    "method.newton_iterations=1",
    "method.relative_tolerance=0.0",
    "method.tolerance=1e-5",
    "method.final_passes=0",
    "method.detect_every=1000000",
    "method.max_iterations=2000",
];
/// Names of the variants and what sets them apart.
const VARIANTS: [(&str, &[&str]); 4] = [
    ("ADMM", &[]),
    ("no sleep", &["method.sleep=0.0"]),
    ("non-isotropic", &["method.sleep=0.0", "method.projection=\"non_isotropic\""]),
    ("NL-ICA", &["method.sleep=0.0", "method.projection=\"nl_ica\""]),
];
/// ADMM is at least so many times faster than NL-ICA.
const RATIO: f64 = 20.0;
/// The error that counts as the same \[m\].
const ERROR: f64 = 1e-4;
/// Iterations of the first run to that error, how they grow, and most of them.
const FIRST: usize = 8;
const GROWTH: f64 = 1.4;
const MOST: f64 = 4000.0;
/// A variant gives up after so many times the projection time of ADMM.
const PATIENCE: f64 = 100.0;

/// How a variant came to the same error, summed over the steps.
#[derive(Clone, Copy, Default)]
struct ToError {
    iterations: f64,
    projection: f64,
    error: f64,
    error_before: f64,
    natural_map: f64,
    reached: f64,
}

/// Sums over the steps of one size.
#[derive(Clone, Copy, Default)]
struct Sums {
    iterations: f64,
    projection: f64,
    solves: f64,
    converged: f64,
    error: f64,
    delta_25: f64,
    projection_25: f64,
}

/// Two records per variant on a ball of so many rods.
pub fn run(case: &'static str, rods: usize) -> Result<Vec<Record>, Stopped> {
    let mut simulation = Simulation::new(hairy_ball(rods, &[])?)?;
    let mut sums = [Sums::default(); VARIANTS.len()];
    let mut to_error = [ToError::default(); VARIANTS.len()];
    let mut contacts = 0.0;
    for frame in FRAMES {
        while simulation.frames < frame {
            simulation.advance_frame()?;
        }
        let converged = ["method.tolerance=1e-8", "method.max_iterations=3000", "method.accelerate=true"];
        let (reference, report) = solve(&simulation, rods, &converged)?;
        contacts += report.contacts as f64;
        for (sum, (_, changes)) in sums.iter_mut().zip(VARIANTS) {
            add(sum, &simulation, rods, changes, &reference)?;
        }
        let mut patience = f64::INFINITY;
        for (sum, (_, changes)) in to_error.iter_mut().zip(VARIANTS) {
            let spent = add_to_error(sum, &simulation, (rods, changes), &reference, patience)?;
            patience = patience.min(PATIENCE * spent);
        }
    }
    let steps = FRAMES.len() as f64;
    let mut records = Vec::new();
    for (sum, (name, _)) in sums.iter().zip(VARIANTS) {
        let mut record = Record::new(case, name);
        record.method = Some("admm");
        record.number("vertices", simulation.model.nodes as f64).number("contacts", contacts / steps);
        sum.write(&mut record, sums[0].projection);
        records.push(record);
    }
    for (sum, (name, _)) in to_error.iter().zip(VARIANTS) {
        let mut record = Record::new(case, format!("{name}, to the same error"));
        record.method = Some("admm");
        sum.write(&mut record, to_error[0].projection);
        if name == "NL-ICA" {
            record.limit(FigureLimit::AtLeast(RATIO));
        }
        records.push(record);
    }
    Ok(records)
}

impl Sums {
    /// Means over the steps; the projection also as a ratio to that of ADMM \[s\].
    fn write(&self, record: &mut Record, admm: f64) {
        let steps = FRAMES.len() as f64;
        record.number("iterations", self.iterations / steps);
        record.number("ms_projection", 1e3 * self.projection / steps);
        record.number("ms_linear", 1e3 * self.solves / steps);
        record.number("converged_share", self.converged / steps);
        record.number("error_mm", 1e3 * self.error / steps);
        record.number("delta_mm_after_25", 1e3 * self.delta_25 / steps);
        record.number("ms_projection_25", 1e3 * self.projection_25 / steps);
        record.number("projection_time_over_admm", self.projection / admm);
    }
}

impl ToError {
    /// Means over the steps; the projection also as a ratio to that of ADMM \[s\].
    fn write(&self, record: &mut Record, admm: f64) {
        let steps = FRAMES.len() as f64;
        record.number("iterations", self.iterations / steps);
        record.number("ms_projection", 1e3 * self.projection / steps);
        record.number("error_mm", 1e3 * self.error / steps);
        record.number("error_mm_before", 1e3 * self.error_before / steps);
        record.number("natural_map_mm", 1e3 * self.natural_map / steps);
        record.number("reached_share", self.reached / steps);
        record.number("projection_time_over_admm", self.projection / admm);
        if self.reached < steps {
            record.note = Some(format!(
                "gave up after {PATIENCE} times the time of ADMM or {MOST} iterations: a lower bound"
            ));
        }
    }
}

/// One step of a variant from the present state: its end and its report.
fn solve(simulation: &Simulation, rods: usize, changes: &[&str]) -> Result<(State, StepReport), Stopped> {
    let scene = hairy_ball(rods, &[&COMMON[..], changes].concat())?;
    let world = World { model: &simulation.model, parameters: &simulation.parameters };
    let mut solver = create(&scene.method, world)?;
    let mut state = simulation.state.clone();
    let report = solver.step(world, &mut state, scene.step_size)?;
    Ok((state, report))
}

fn add(
    sum: &mut Sums,
    simulation: &Simulation,
    rods: usize,
    changes: &[&str],
    reference: &State,
) -> Result<(), Stopped> {
    let (state, report) = solve(simulation, rods, changes)?;
    sum.iterations += report.iterations as f64;
    sum.projection += report.seconds.contact_projection;
    sum.solves += report.seconds.linear_solve;
    sum.converged += f64::from(u8::from(report.converged));
    sum.error += error(simulation, &state, reference);
    let capped = [changes, &["method.max_iterations=25"]].concat();
    let (_, report) = solve(simulation, rods, &capped)?;
    sum.delta_25 += residual(&report, "delta_m");
    sum.projection_25 += report.seconds.contact_projection;
    Ok(())
}

/// Runs with more and more iterations until the error is small enough or the projection has taken
/// too long \[s\]. Returns its time.
fn add_to_error(
    sum: &mut ToError,
    simulation: &Simulation,
    (rods, changes): (usize, &[&str]),
    reference: &State,
    patience: f64,
) -> Result<f64, Stopped> {
    let (mut cap, mut before) = (FIRST as f64, f64::NAN);
    loop {
        let limit = format!("method.max_iterations={}", cap as usize);
        let changes = [changes, &["method.tolerance=1e-12", &limit]].concat();
        let (state, report) = solve(simulation, rods, &changes)?;
        let error = error(simulation, &state, reference);
        let spent = report.seconds.contact_projection;
        if error <= ERROR || spent > patience || cap > MOST {
            sum.iterations += report.iterations as f64;
            sum.projection += spent;
            sum.error += error;
            sum.error_before += before;
            sum.natural_map += residual(&report, "natural_map_m");
            sum.reached += f64::from(u8::from(error <= ERROR));
            return Ok(spent);
        }
        before = error;
        cap *= GROWTH;
    }
}

/// Largest distance of a node from where the reference has it \[m\].
pub fn error(simulation: &Simulation, state: &State, reference: &State) -> f64 {
    let apart = |i: usize| (state.blocks[i] - reference.blocks[i]).amax();
    (0..simulation.model.nodes).map(apart).fold(0.0, f64::max)
}

fn residual(report: &StepReport, name: &str) -> f64 {
    report.residual.iter().find(|(found, _)| *found == name).map_or(f64::NAN, |r| r.1)
}
