//! A solver of one's own: symplectic Euler with elastic forces, in a run like any other.
//!
//! `cargo run --release -p stiction --example own_solver`

use std::ops::ControlFlow;
use std::path::Path;
use stiction::bodies::State;
use stiction::energy::Elasticity;
use stiction::numerics::Vec3;
use stiction::output::RunSummary;
use stiction::scene::load_text;
use stiction::solvers::commit::commit;
use stiction::solvers::{MethodError, RestoreError, SavedState, Solver, StepError, StepReport, World};
use stiction::{RunOptions, Simulation, SimulationError};

/// v ← v + h (g + (f − ∂V/∂x)/m), x ← x + h v, with steps short enough for the stiffest element.
pub struct SymplecticEuler {
    elasticity: Elasticity,
    substeps: usize,
}

impl SymplecticEuler {
    /// For a model, with so many short steps in each.
    pub fn new(world: World<'_>, substeps: usize) -> Result<SymplecticEuler, MethodError> {
        Ok(SymplecticEuler { elasticity: Elasticity::new(world.model, world.parameters)?, substeps })
    }

    fn substep(&self, world: World<'_>, state: &mut State, h: f64) {
        let prescribed = world.model.pins.prescribe(world.model, state, state.time + h);
        let mut gradient = vec![Vec3::zeros(); state.blocks.len()];
        self.elasticity.add_gradient(&state.blocks, &state.frames, state.time, &mut gradient);
        let mut force: Vec<Vec3> = gradient.iter().map(|g| -g).collect();
        world.parameters.add_external(&mut force);
        for n in 0..world.model.nodes {
            if prescribed.fixed[n] {
                state.velocities[n] = (prescribed.target[n] - state.blocks[n]) / h;
            } else {
                let acceleration = world.parameters.gravity + force[n] / world.parameters.mass[n];
                state.velocities[n] += acceleration * h;
            }
            state.blocks[n] += state.velocities[n] * h;
        }
        state.time += h;
    }
}

impl Solver for SymplecticEuler {
    fn key(&self) -> &'static str {
        "symplectic_euler"
    }

    fn step(&mut self, world: World<'_>, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let mut next = state.clone();
        (0..self.substeps).for_each(|_| self.substep(world, &mut next, h / self.substeps as f64));
        // Checks that all is finite before anything is overwritten: a step that fails changes
        // nothing.
        commit(world, &next, state)?;
        Ok(StepReport { advanced: h, converged: true, iterations: self.substeps, ..StepReport::default() })
    }

    fn save(&self) -> SavedState {
        SavedState::new(1)
    }

    fn restore(&mut self, saved: &SavedState) -> Result<(), RestoreError> {
        saved.expect_version(1)
    }

    fn reset(&mut self) {}
}

/// A soft bar that is clamped at one end and bends under its weight.
const SCENE: &str = "
stiction = 1
fps = 50
frames = 20
step = 0.005
wind = { air_density = 0.0 }
method = { key = 'newton', tolerance = 1e-10, max_iterations = 50 }
[bodies.bar]
kind = 'solid'
mesh = { tet_box = { size = [0.4, 0.1, 0.1], cells = [8, 2, 2] } }
material = { density = 1000.0, young = 2e5, poisson = 0.3, law = 'stable_neo_hookean' }
pins = [{ select = 'left' }]
";

/// Height of the lowest node \[m\].
pub fn lowest(simulation: &Simulation) -> f64 {
    simulation.state.positions(&simulation.model).iter().map(|x| x.z).fold(f64::INFINITY, f64::min)
}

/// The bar under our solver.
pub fn simulation() -> Result<Simulation, SimulationError> {
    let scene = load_text("bar.toml", SCENE, Path::new("."), &[] as &[&str])?.scene;
    Simulation::with_solver(scene, |world| Ok(Box::new(SymplecticEuler::new(world, 40)?)))
}

/// The bar under the method that the scene names.
pub fn reference() -> Result<Simulation, SimulationError> {
    Simulation::new(load_text("bar.toml", SCENE, Path::new("."), &[] as &[&str])?.scene)
}

/// Runs it into a folder, with frames, statistics and checkpoints.
pub fn run_into(folder: &Path) -> Result<RunSummary, SimulationError> {
    stiction::run(&mut simulation()?, folder, &RunOptions::default(), |_| ControlFlow::Continue(()))
}

/// Runs the example.
pub fn main() -> Result<(), SimulationError> {
    let folder = std::env::temp_dir().join(format!("stiction_own_solver_{}", std::process::id()));
    let summary = run_into(&folder)?;
    println!("{} frames by {} in {}", summary.frames, summary.method, folder.display());
    Ok(())
}
