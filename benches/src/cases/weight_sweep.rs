//! Iterations to 0.01 mm for various weights, with and without acceleration, on one step of the rope over a cylinder and one of hair.
//! [Daviet2020, figure 16]
//!
//! β scales the share of mass in the weights; the document takes 25. Forces start at zero.

use super::hair_series::hairy_ball;
use crate::record::Record;
use crate::registry::{Settings, Stopped};
use std::path::Path;
use stiction::scene::{Scene, load_text};
use stiction::solvers::{StepReport, World, create};
use stiction::{Simulation, gallery};

/// Values of β.
const BETAS: [f64; 8] = [0.2, 1.0, 5.0, 25.0, 125.0, 625.0, 3125.0, 15625.0];
/// Most iterations.
const CAP: usize = 2000;
const HAIRS: usize = 300;
const COMMON: [&str; 5] = [
    "method.newton_iterations=1",
    "method.relative_tolerance=0.0",
    "method.tolerance=1e-5",
    "method.final_passes=0",
    "method.detect_every=1000000",
];

/// A scene with changes.
type Source = fn(&[&str]) -> Result<Scene, Stopped>;

/// A record per problem and weight.
pub fn run(case: &'static str, _: &Settings) -> Result<Vec<Record>, Stopped> {
    let problems: [(&str, Source, u64); 2] = [("rope", rope, 15), ("hair", |c| hairy_ball(HAIRS, c), 8)];
    let mut records = Vec::new();
    for (name, source, frames) in problems {
        let mut simulation = Simulation::new(source(&[])?)?;
        while simulation.frames < frames {
            simulation.advance_frame()?;
        }
        for beta in BETAS {
            let mut record = Record::new(case, format!("{name}, beta {beta}"));
            record.method = Some("admm");
            for (figure, accelerate) in [("iterations", false), ("iterations_accelerated", true)] {
                let report = solve(&simulation, source, beta, accelerate)?;
                if !accelerate {
                    record.number("contacts", report.contacts as f64);
                }
                record.number(figure, report.iterations as f64);
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

/// One step from the present state.
fn solve(
    simulation: &Simulation,
    source: Source,
    beta: f64,
    accelerate: bool,
) -> Result<StepReport, Stopped> {
    let own = [
        format!("method.beta={beta:?}"),
        format!("method.accelerate={accelerate}"),
        format!("method.max_iterations={CAP}"),
    ];
    let changes: Vec<&str> = COMMON.into_iter().chain(own.iter().map(String::as_str)).collect();
    let scene = source(&changes)?;
    let world = World { model: &simulation.model, parameters: &simulation.parameters };
    let mut solver = create(&scene.method, world)?;
    Ok(solver.step(world, &mut simulation.state.clone(), scene.step_size)?)
}
