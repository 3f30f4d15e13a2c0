//! Iterations to 0.01 mm for various weights, with and without acceleration, on one step of the
//! rope over a cylinder and one of hair.
//! [Daviet2020, figure 16]
//!
//! β scales the share of mass in the weights; the paper takes 25. κ scales the effective inertia of
//! strands beside it. Forces start at zero. The rule of the paper measures progress: large weights
//! hold velocities back and look converged early. So the error is given too, the largest distance
//! to a solution converged a thousand times further, when the rule ends the iteration and after 25
//! iterations.

use super::convergence::error;
use super::hair_series::hairy_ball;
use crate::record::Record;
use crate::registry::{BenchSettings, Stopped};
use std::path::Path;
use stiction::bodies::State;
use stiction::scene::{Scene, load_text};
use stiction::solvers::{StepReport, World, create};
use stiction::{Simulation, gallery};

/// Values of β, with κ = 0.
const BETAS: [f64; 8] = [0.2, 1.0, 5.0, 25.0, 125.0, 625.0, 3125.0, 15625.0];
/// Values of κ, the share of the effective inertia of strands, with β = 25.
const SHARES: [f64; 5] = [0.25, 0.5, 1.0, 2.0, 4.0];
/// Most iterations.
const CAP: usize = 2000;
const HAIRS: usize = 300;
const COMMON: [&str; 4] = [
    "method.newton_iterations=1",
    "method.relative_tolerance=0.0",
    "method.final_passes=0",
    "method.detect_every=1000000",
];

/// A scene with changes.
type Source = fn(&[&str]) -> Result<Scene, Stopped>;

/// A record per problem and weight.
pub fn run(case: &'static str, _: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    let problems: [(&str, Source, u64); 2] = [("rope", rope, 15), ("hair", |c| hairy_ball(HAIRS, c), 8)];
    let mut records = Vec::new();
    for (name, source, frames) in problems {
        let mut simulation = Simulation::new(source(&[])?)?;
        while simulation.frames < frames {
            simulation.advance_frame()?;
        }
        let reference = Weight { beta: 25.0, share: 0.0, accelerate: true };
        let (reference, _) = solve(&simulation, source, reference, 1e-8, 20 * CAP)?;
        let by_beta = BETAS.map(|beta| (format!("{name}, beta {beta}"), beta, 0.0));
        let by_share = SHARES.map(|share| (format!("{name}, strand_inertia {share}"), 25.0, share));
        for (variant, beta, share) in by_beta.into_iter().chain(by_share) {
            let mut record = Record::new(case, variant);
            record.method = Some("admm");
            for accelerate in [false, true] {
                let weight = Weight { beta, share, accelerate };
                let (state, report) = solve(&simulation, source, weight, 1e-5, CAP)?;
                if !accelerate {
                    record.number("contacts", report.contacts as f64);
                }
                let name = |figure: &str| match accelerate {
                    true => format!("{figure}_accelerated"),
                    false => figure.to_owned(),
                };
                record.number(name("iterations"), report.iterations as f64);
                record.number(name("error_mm"), 1e3 * error(&simulation, &state, &reference));
                let (early, _) = solve(&simulation, source, weight, 1e-5, 25)?;
                record.number(name("error_mm_after_25"), 1e3 * error(&simulation, &early, &reference));
                if !report.converged {
                    record.note = Some(format!("{CAP} iterations did not reach the tolerance"));
                }
            }
            records.push(record);
        }
    }
    Ok(records)
}

fn rope(changes: &[&str]) -> Result<Scene, Stopped> {
    let scene = gallery::find("rope_capstan").ok_or("the gallery has no scene `rope_capstan`")?;
    Ok(load_text("rope_capstan.toml", scene.text, Path::new("."), changes)?.scene)
}

/// What is varied.
#[derive(Clone, Copy)]
struct Weight {
    beta: f64,
    share: f64,
    accelerate: bool,
}

/// One step from the present state, to a tolerance \[m\].
fn solve(
    simulation: &Simulation,
    source: Source,
    Weight { beta, share, accelerate }: Weight,
    tolerance: f64,
    cap: usize,
) -> Result<(State, StepReport), Stopped> {
    let own = [
        format!("method.beta={beta:?}"),
        format!("method.strand_inertia={share:?}"),
        format!("method.accelerate={accelerate}"),
        format!("method.tolerance={tolerance:?}"),
        format!("method.max_iterations={cap}"),
    ];
    let changes: Vec<&str> = COMMON.into_iter().chain(own.iter().map(String::as_str)).collect();
    let scene = source(&changes)?;
    let world = World { model: &simulation.model, parameters: &simulation.parameters };
    let mut solver = create(&scene.method, world)?;
    let mut state = simulation.state.clone();
    let report = solver.step(world, &mut state, scene.step_size)?;
    Ok((state, report))
}
