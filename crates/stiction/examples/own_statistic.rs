//! A statistic of one's own: how much of the cloth's weight the ball carries, frame by frame, next
//! to a run.
//!
//! `cargo run --release -p stiction --example own_statistic`

use std::fmt::Write as _;
use std::path::Path;
use stiction::numerics::Vec3;
use stiction::{Recorder, RunOptions, Simulation, SimulationError};

/// One line of the table.
pub struct Load {
    /// Time \[s\].
    pub time: f64,
    /// Share of the weight that the ball carries.
    pub share: f64,
}

/// Records a run of `sphere_drape` and measures after every frame.
pub fn record(folder: &Path, frames: u64) -> Result<Vec<Load>, SimulationError> {
    let changes = ["bodies.cloth.mesh.grid.cells=[14, 14]"];
    let mut simulation = Simulation::open("sphere_drape", None, &changes)?;
    let cloth = simulation.object("cloth")?;
    let weight = 9.81 * simulation.parameters.body_mass(&simulation.model, 0);
    let mut recorder = Recorder::open(&mut simulation, folder, &RunOptions::default())?;
    let mut loads = Vec::new();
    while simulation.frames < frames {
        let report = recorder.advance(&mut simulation)?;
        let carried = report.wrench_on(cloth, &Vec3::zeros()).force.z;
        loads.push(Load { time: simulation.state.time, share: carried / weight });
    }
    recorder.finish(&simulation)?;
    Ok(loads)
}

/// The table as text.
pub fn table(loads: &[Load]) -> String {
    loads.iter().fold(String::from("time_s,share_of_weight\n"), |mut text, load| {
        let _ = writeln!(text, "{},{}", load.time, load.share);
        text
    })
}

/// Runs the example.
pub fn main() -> Result<(), SimulationError> {
    let folder = std::env::temp_dir().join(format!("stiction_own_statistic_{}", std::process::id()));
    let loads = record(&folder, 30)?;
    print!("{}", table(&loads));
    println!("the run is in {}", folder.display());
    Ok(())
}
