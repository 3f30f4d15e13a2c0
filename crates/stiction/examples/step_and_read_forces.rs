//! Steps a scene by hand, pushes a block, and reads what it feels.
//!
//! `cargo run --release -p stiction --example step_and_read_forces`

use std::path::Path;
use stiction::numerics::Vec3;
use stiction::scene::load_text;
use stiction::solvers::Wrench;
use stiction::{OpenedScene, Simulation, SimulationError};

/// A block of 4 kg on a floor with friction 0.5. A gallery scene or a file would be opened with
/// `Simulation::open("box_slope", None, &["bodies.box.friction=0.3"])`.
const SCENE: &str = "
stiction = 1
fps = 100
step = 0.01
wind = { air_density = 0.0 }
friction = { pairs = [{ a = 'block', b = 'floor', mu = 0.5 }] }
method = { key = 'admm', tolerance = 1e-8, relative_tolerance = 0.0, max_iterations = 300 }
[bodies.block]
kind = 'solid'
mesh = { tet_box = { size = [0.2, 0.2, 0.1], cells = [2, 2, 1] } }
material = { density = 1000.0, young = 1e6, poisson = 0.3, law = 'corotated', damping_mass = 8.0 }
translate = [0, 0, 0.0505]
[colliders.floor]
plane = { offset = 0 }
";

/// What the floor does to the block while it is pushed sideways with a force \[N\].
pub fn floor_on_block(push: f64) -> Result<Wrench, SimulationError> {
    let loaded = load_text("block.toml", SCENE, Path::new("."), &[] as &[&str])?;
    let opened = OpenedScene::from_loaded("block", loaded);
    let mut simulation = Simulation::of(opened)?.with_threads(2)?;
    let (block, floor) = (simulation.object("block")?, simulation.object("floor")?);
    let nodes = simulation.model.bodies[0].nodes.clone();
    let mut felt = Wrench::default();
    for step in 0..120 {
        // The block settles first. Forces act in the next step only, so they are given again and
        // again.
        if step >= 60 {
            let share = Vec3::x() * (push / nodes.len() as f64);
            for node in nodes.clone() {
                simulation.apply_force(node, share)?;
            }
        }
        let report = simulation.step()?;
        let about = Vec3::zeros();
        felt = report.wrench_between(block, floor, &about);
    }
    Ok(felt)
}

/// Runs the example.
pub fn main() -> Result<(), SimulationError> {
    for push in [0.0, 10.0, 18.0] {
        let Wrench { force, torque } = floor_on_block(push)?;
        println!(
            "pushed with {push} N: the floor answers with ({:.3}, {:.3}, {:.3}) N and ({:.3}, {:.3}, {:.3}) N m",
            force.x, force.y, force.z, torque.x, torque.y, torque.z
        );
    }
    Ok(())
}
