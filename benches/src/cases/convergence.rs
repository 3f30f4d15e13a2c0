//! Iterations and projection time to 0.01 mm on the same steps of the hairy ball: ADMM, without sleeping, with full 3×3 weights, and
//! nested relaxation (NL-ICA).   [Daviet2020, table 3]
//!
//! A run of the scene gives states. From each, every variant solves the same first linearised step with the same contacts, found at
//! its start, and with no forces known from before. `error_mm` is the distance to ADMM converged a thousand times further: the rule
//! of the document measures progress, not error, so a method that creeps may stop early.

use super::hair_series::hairy_ball;
use crate::record::{Limit, Record};
use crate::registry::{Settings, Stopped};
use stiction::Simulation;
use stiction::bodies::State;
use stiction::solvers::{StepReport, World, create};

const SHORT: [usize; 2] = [500, 1000];
const FULL: [usize; 3] = [500, 1000, 4000];
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
const VARIANTS: [(&str, &[&str]); 5] = [
    ("ADMM", &[]),
    ("no sleep", &["method.sleep=0.0"]),
    ("non-isotropic", &["method.sleep=0.0", "method.projection=\"non_isotropic\""]),
    ("NL-ICA", &["method.sleep=0.0", "method.projection=\"nl_ica\""]),
    (
        "NL-ICA, 100 times further",
        &[
            "method.sleep=0.0",
            "method.projection=\"nl_ica\"",
            "method.tolerance=1e-7",
            "method.max_iterations=4000",
        ],
    ),
];
/// ADMM is at least so many times faster than NL-ICA.
const RATIO: f64 = 20.0;

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

/// A record per size and variant.
pub fn run(case: &'static str, settings: &Settings) -> Result<Vec<Record>, Stopped> {
    let sizes: &[usize] = if settings.full { &FULL } else { &SHORT };
    let mut records = Vec::new();
    for &rods in sizes {
        records.extend(ball(case, rods, rods == sizes[sizes.len() - 1])?);
    }
    Ok(records)
}

fn ball(case: &'static str, rods: usize, is_largest: bool) -> Result<Vec<Record>, Stopped> {
    let mut simulation = Simulation::new(hairy_ball(rods, &[])?)?;
    let mut sums = [Sums::default(); VARIANTS.len()];
    let mut contacts = 0.0;
    for frame in FRAMES {
        while simulation.frames < frame {
            simulation.advance_frame()?;
        }
        let (reference, report) = solve(&simulation, rods, &["method.tolerance=1e-8"])?;
        contacts += report.contacts as f64;
        for (sum, (_, changes)) in sums.iter_mut().zip(VARIANTS) {
            add(sum, &simulation, rods, changes, &reference)?;
        }
    }
    let steps = FRAMES.len() as f64;
    let mut records = Vec::new();
    for (sum, (name, _)) in sums.iter().zip(VARIANTS) {
        let mut record = Record::new(case, format!("{rods} rods, {name}"));
        record.method = Some("admm");
        record.number("vertices", simulation.model.nodes as f64).number("contacts", contacts / steps);
        record.number("iterations", sum.iterations / steps);
        record.number("ms_projection", 1e3 * sum.projection / steps);
        record.number("ms_linear", 1e3 * sum.solves / steps);
        record.number("converged_share", sum.converged / steps);
        record.number("error_mm", 1e3 * sum.error / steps);
        record.number("delta_mm_after_25", 1e3 * sum.delta_25 / steps);
        record.number("ms_projection_25", 1e3 * sum.projection_25 / steps);
        record.number("projection_time_over_admm", sum.projection / sums[0].projection);
        if name == "NL-ICA" && is_largest {
            record.limit(Limit::AtLeast(RATIO));
        }
        records.push(record);
    }
    Ok(records)
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
    let apart = |i: usize| (state.blocks[i] - reference.blocks[i]).amax();
    sum.error += (0..simulation.model.nodes).map(apart).fold(0.0, f64::max);
    let capped = [changes, &["method.max_iterations=25"]].concat();
    let (_, report) = solve(simulation, rods, &capped)?;
    let delta = report.residual.iter().find(|(name, _)| *name == "delta_m");
    sum.delta_25 += delta.map_or(f64::NAN, |d| d.1);
    sum.projection_25 += report.seconds.contact_projection;
    Ok(())
}
