//! External forces act under every method as a force must, for one step.

use std::path::Path;
use stiction::numerics::Vec3;
use stiction::scene::load_text;
use stiction::{Simulation, SimulationError};

const STEP: f64 = 0.01;

/// A free body without weight or air, of a kind that the method runs.
fn free_body(method: &str) -> Simulation {
    let body = match method {
        "admm_integrator" => {
            "kind = 'rod'
            mesh = { rod = { start = [0, 0, 1], end = [0.1, 0, 1], segments = 8 } }
            material = { preset = 'human_hair' }"
        }
        "xpbd" => {
            "kind = 'cloth'
            mesh = { grid = { size = [0.2, 0.2], cells = [4, 4] } }
            material = { density = 300.0, thickness = 0.001, young = 1e5, poisson = 0.3 }"
        }
        _ => {
            "kind = 'solid'
            mesh = { tet_box = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }
            material = { density = 1000.0, young = 1e6, poisson = 0.3, law = 'corotated' }"
        }
    };
    let text = format!(
        "stiction = 1\nfps = 100\nstep = {STEP}\ngravity = 0.0\nwind = {{ air_density = 0.0 }}
        method = {{ key = '{method}' }}\n[bodies.free]\n{body}\n"
    );
    let loaded = load_text("free.toml", &text, Path::new("."), &[] as &[&str]).expect("the scene is valid");
    Simulation::new(loaded.scene).expect("it is set up")
}

fn mass(simulation: &Simulation) -> f64 {
    simulation.parameters.body_mass(&simulation.model, 0)
}

/// Velocity of the centre of mass \[m/s\].
fn drift(simulation: &Simulation) -> Vec3 {
    simulation.state.momentum(&simulation.model, &simulation.parameters) / mass(simulation)
}

const METHODS: [&str; 6] = ["newton", "admm", "admm_integrator", "pd", "barrier", "xpbd"];

/// A body that is pushed with F in all accelerates by F/m, and goes on at its speed once the push
/// is over.
#[test]
fn a_free_body_accelerates_by_force_over_mass() {
    // Rigid bodies have no nodes to push.
    assert_eq!(METHODS.len() + 1, stiction::solvers::methods().len(), "every method is tried");
    for method in METHODS {
        let mut simulation = free_body(method);
        let force = Vec3::new(0.3, -0.2, 0.5) * mass(&simulation);
        // Shares by mass push every node alike: nothing is deformed, and only the tolerance of
        // the linear solver is left.
        let share = |n: usize| force * (simulation.parameters.mass[n] / mass(&simulation));
        let forces: Vec<Vec3> = (0..simulation.model.nodes).map(share).collect();
        let expected = force / mass(&simulation) * STEP;
        for times in [1.0, 2.0] {
            simulation.apply_forces("free", &forces).expect("forces");
            simulation.step().expect("a step");
            let error = (drift(&simulation) - expected * times).norm() / expected.norm();
            assert!(error < 1e-6, "{method}: {} against {expected}", drift(&simulation));
        }
        simulation.step().expect("a step without forces");
        let error = (drift(&simulation) - expected * 2.0).norm() / expected.norm();
        assert!(error < 1e-6, "{method}: the force of an earlier step still acts");
    }
}

/// Pulled at one node, the body as a whole still accelerates by F/m: elastic forces sum to zero.
#[test]
fn a_pull_at_one_node_moves_the_centre_of_mass_alike() {
    for method in METHODS.into_iter().filter(|m| *m != "admm_integrator") {
        let mut simulation = free_body(method);
        let force = Vec3::new(0.02, 0.01, 0.03) * mass(&simulation);
        simulation.apply_force(3, force).expect("a node");
        simulation.step().expect("a step");
        let expected = force / mass(&simulation) * STEP;
        let error = (drift(&simulation) - expected).norm() / expected.norm();
        println!("{method}: {error:e}");
        assert!(error < 1e-4, "{method}: {} against {expected}", drift(&simulation));
    }
}

/// Forces of zero leave every bit as it is without any.
#[test]
fn forces_of_zero_change_no_bit() {
    for method in METHODS {
        let (mut pushed, mut alone) = (free_body(method), free_body(method));
        for simulation in [&mut pushed, &mut alone] {
            simulation.state.velocities[2] += Vec3::new(0.1, 0.2, 0.3);
        }
        let zeros = vec![Vec3::zeros(); pushed.model.nodes];
        for _ in 0..3 {
            pushed.apply_forces("free", &zeros).expect("forces");
            pushed.step().expect("a step");
            alone.step().expect("a step");
        }
        assert_eq!(pushed.state, alone.state, "{method}");
    }
}

#[test]
fn wrong_forces_are_refused_and_leave_no_trace() {
    let mut simulation = free_body("newton");
    let nodes = simulation.model.nodes;
    let text = |outcome: Result<(), SimulationError>| outcome.expect_err("it is refused").to_string();
    let beyond = simulation.apply_force(nodes, Vec3::x());
    assert!(text(beyond).contains(&format!("nodes 0 to {}", nodes - 1)));
    assert!(text(simulation.apply_force(0, Vec3::repeat(f64::NAN))).contains("node 0 is not finite"));
    assert!(text(simulation.apply_forces("fre", &[])).contains("`fre`; this scene has: free"));
    assert!(text(simulation.apply_forces("free", &[Vec3::x()])).contains("1 forces were given"));
    let mut forces = vec![Vec3::x(); nodes];
    forces[nodes - 1].y = f64::INFINITY;
    assert!(text(simulation.apply_forces("free", &forces)).contains("not finite"));
    simulation.step().expect("a step");
    assert_eq!(drift(&simulation), Vec3::zeros());
}
