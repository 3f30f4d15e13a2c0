//! Gravity that changes with time acts in every method, and in the energy that a step reports.

use std::path::Path;
use stiction::Simulation;
use stiction::numerics::Vec3;
use stiction::scene::load_text;

const STEP: f64 = 0.01;

/// Something that falls freely, as the method can have it: strands or a sheet.
fn falling(method: &str) -> Simulation {
    let body = match method {
        "admm_integrator" => {
            "kind = 'rod'\nmesh = { rod = { start = [0, 0, 0], end = [0.1, 0, 0], segments = 4 } }\n\
             material = { density = 1000.0, young = 1e6, poisson = 0.3, radius = 0.001 }"
        }
        _ => {
            "kind = 'cloth'\nmesh = { grid = { size = [0.1, 0.1], cells = [2, 2] } }\n\
             material = { density = 1000.0, thickness = 0.001, young = 1e5, poisson = 0.3 }"
        }
    };
    let text = format!(
        "stiction = 1
        fps = 100
        wind = {{ air_density = 0 }}
        method = {{ key = '{method}' }}
        gravity = {{ keys = [{{ time = 0.0, value = 0.0 }}, {{ time = 0.04, value = [3.0, 0.0, -8.0] }}] }}
        [bodies.body]
        {body}
        self_contact = false"
    );
    let scene = load_text("test.toml", &text, Path::new("."), &[] as &[&str]).expect("a good scene").scene;
    Simulation::new(scene).expect("a good simulation")
}

/// Backward Euler takes the force at the end of a step: v = h Σ g(t_k), and x = h Σ v_k.
#[test]
fn all_methods_fall_by_the_gravity_of_each_step() {
    for method in ["newton", "admm", "admm_integrator", "pd", "barrier", "xpbd"] {
        let mut simulation = falling(method);
        let start = simulation.state.blocks[0];
        let (mut velocity, mut fallen) = (Vec3::zeros(), Vec3::zeros());
        for k in 1..=6_i32 {
            let report = simulation.step().expect("a step");
            let now = Vec3::new(3.0, 0.0, -8.0) * (f64::from(k) / 4.0).min(1.0);
            velocity += now * STEP;
            fallen += velocity * STEP;
            let nodes = simulation.model.nodes;
            for n in 0..nodes {
                let off = (simulation.state.velocities[n] - velocity).norm();
                assert!(off < 1e-6, "{method}, step {k}: off by {off:e} m/s");
            }
            let off = (simulation.state.blocks[0] - start - fallen).norm();
            assert!(off < 1e-8, "{method}, step {k}: off by {off:e} m");
            if let Some((_, energy)) = report.energy.iter().find(|(kind, _)| *kind == "gravity") {
                let places = simulation.parameters.mass[..nodes].iter().zip(&simulation.state.blocks);
                let expected: f64 = places.map(|(m, x)| -m * now.dot(x)).sum();
                assert!((energy - expected).abs() < 1e-12, "{method}, step {k}: {energy} against {expected}");
            }
        }
    }
}
