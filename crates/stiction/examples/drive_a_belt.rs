//! Drives a collider by name: a belt starts, carries a block along by friction, and stops where it is told to.
//!
//! `cargo run --release -p stiction --example drive_a_belt`

use std::path::Path;
use stiction::numerics::Vec3;
use stiction::scene::load_text;
use stiction::{Drive, DrivenPose, OpenedScene, Simulation, SimulationError};

const SCENE: &str = "
stiction = 1
fps = 100
step = 0.01
wind = { air_density = 0.0 }
friction = { pairs = [{ a = 'block', b = 'belt', mu = 0.5 }] }
method = { key = 'admm', tolerance = 1e-8, relative_tolerance = 0.0, max_iterations = 300 }
[bodies.block]
kind = 'solid'
mesh = { tet_box = { size = [0.2, 0.2, 0.1], cells = [2, 2, 1] } }
material = { density = 1000.0, young = 1e6, poisson = 0.3, law = 'corotated' }
translate = [0, 0, 0.0505]
[colliders.belt]
plane = { offset = 0 }
";

/// Velocity of the block along the belt \[m/s\].
fn speed(simulation: &Simulation) -> f64 {
    let mass = simulation.parameters.body_mass(&simulation.model, 0);
    simulation.state.momentum(&simulation.model, &simulation.parameters).x / mass
}

/// Speeds of the block once the belt has run at 0.2 m/s for half a second, and once it has stopped.
pub fn speeds() -> Result<[f64; 2], SimulationError> {
    let loaded = load_text("belt.toml", SCENE, Path::new("."), &[] as &[&str])?;
    let mut simulation = Simulation::of(OpenedScene::from_loaded("belt", loaded))?;
    // Velocities hold until told otherwise.
    let (velocity, angular_velocity) = (Vec3::x() * 0.2, Vec3::zeros());
    simulation.drive_collider("belt", Drive::With { velocity, angular_velocity })?;
    while simulation.state.time < 0.495 {
        simulation.step()?;
    }
    let running = speed(&simulation);
    // A pose is reached at the end of the next step, and held.
    let DrivenPose { position, rotation } = simulation.collider_pose("belt")?;
    let target = DrivenPose { position: position + Vec3::x() * 0.001, rotation };
    simulation.drive_collider("belt", Drive::To(target))?;
    while simulation.state.time < 0.995 {
        simulation.step()?;
    }
    Ok([running, speed(&simulation)])
}

/// Runs the example.
pub fn main() -> Result<(), SimulationError> {
    let [running, stopped] = speeds()?;
    println!(
        "the block moves with {running:.4} m/s on the running belt, with {stopped:.4} m/s on the stopped one"
    );
    Ok(())
}
