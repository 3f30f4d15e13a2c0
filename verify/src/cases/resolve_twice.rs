//! `resolve_twice`: one step solved twice from the same state, the second time with doubled caps.
//!
//! * Geometry: a soft block (0.1 m, 3³ cells) slides at 0.5 m/s on a plane (μ = 0.3) below a sheet (0.2 m, 8 × 8 cells) that falls on it.
//! * Step: h = 0.01 s; after every fifth step of the first 50 the next one is solved twice from the same state and the same remembered forces.
//! * Settings of the first solve: *converged*: tolerance 1e-6 m, 400 iterations of 20 sweeps, 4 Newton iterations, no sleeping;
//!   *default*: the method's.
//!   The second solve has twice as many Newton iterations, iterations and sweeps (`pd`: iterations and sweeps, both stopped early at 1e-6 m).
//!   A third one has no tolerance at all.
//! * Measured: largest difference of a coordinate between the ends of the step; the largest over the ten steps.
//! * Expected: below the tolerance with the same tolerance (1e-6 m). The distance to the solve that never stops is reported: the rule looks at the
//!   last change, and a slow iteration has more to go than that.

use crate::error::VerifyError;
use crate::outcome::{Finding, Quantity};
use crate::registry::Kind;
use crate::setup::Setup;
use crate::specimen::Specimen;
use stiction::numerics::Vec3;

const TOLERANCE: f64 = 1e-6;

/// Options with caps times `factor`, and a tolerance where the settings have one.
fn options(setup: &Setup<'_>, factor: usize, tolerance: f64) -> String {
    let converged = setup.kind == Kind::Converged;
    let caps = match (setup.method, converged) {
        ("pd", true) => [("iterations", 400), ("sweeps", 20), ("detect_every", 5)],
        ("pd", false) => [("iterations", 20), ("sweeps", 5), ("detect_every", 5)],
        (_, true) => [("newton_iterations", 4), ("max_iterations", 400), ("sweeps", 20)],
        (_, false) => [("newton_iterations", 2), ("max_iterations", 25), ("sweeps", 10)],
    };
    let mut out = String::new();
    for (name, cap) in caps {
        let cap = if name == "detect_every" { cap } else { factor * cap };
        out += &format!(", {name} = {cap}");
    }
    match (setup.method, converged) {
        ("pd", true) => out += &format!(", stop_early = true, tolerance = {tolerance:e}"),
        (_, true) => out += &format!(", tolerance = {tolerance:e}, relative_tolerance = 0.0, sleep = 0.0"),
        ("admm", false) if tolerance < TOLERANCE => out += &format!(", tolerance = {tolerance:e}"),
        _ => {}
    }
    out
}

fn scene(setup: &Setup<'_>, options: &str) -> String {
    format!(
        "stiction = 1
        fps = 100
        step = 0.01
        wind = {{ air_density = 0.0 }}
        method = {{ key = '{}'{options} }}
        [bodies.block]
        kind = 'solid'
        mesh = {{ tet_box = {{ size = [0.1, 0.1, 0.1], cells = [3, 3, 3] }} }}
        material = {{ density = 1000.0, young = 2e5, poisson = 0.3, law = 'corotated', damping_stiffness = 0.005 }}
        translate = [0, 0, 0.05]
        velocity = [0.5, 0, 0]
        friction = 0.3
        [bodies.sheet]
        kind = 'cloth'
        mesh = {{ grid = {{ size = [0.2, 0.2], cells = [8, 8], pattern = 'alternating' }} }}
        material = {{ density = 400.0, thickness = 0.001, young = 1e5, poisson = 0.3, damping_stiffness = 0.005 }}
        translate = [0.02, 0.01, 0.103]
        friction = 0.3
        [colliders.plane]
        plane = {{ normal = [0, 0, 1], offset = 0 }}
        friction = 0.3",
        setup.method
    )
}

/// Largest difference of a coordinate \[m\].
fn apart(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).amax()).fold(0.0, f64::max)
}

/// Runs the case.
pub fn measure(setup: &Setup<'_>) -> Result<Finding, VerifyError> {
    let text = |factor: usize, tolerance: f64| scene(setup, &options(setup, factor, tolerance));
    let mut first = Specimen::new(&text(1, TOLERANCE))?;
    let mut doubled = Specimen::new(&text(2, TOLERANCE))?;
    let mut endless = Specimen::new(&text(2, 1e-300))?;
    let (mut twice, mut farthest, mut converged) = (0.0_f64, 0.0_f64, 0.0);
    for step in 1..=50 {
        let again = step % 5 == 0;
        if again {
            doubled.continue_from(&first)?;
            endless.continue_from(&first)?;
        }
        let report = first.step()?;
        if again {
            doubled.step()?;
            endless.step()?;
            let nodes = first.simulation.model.nodes;
            twice = twice.max(apart(&first.state().blocks[..nodes], &doubled.state().blocks[..nodes]));
            farthest = farthest.max(apart(&first.state().blocks[..nodes], &endless.state().blocks[..nodes]));
            converged += f64::from(report.converged) / 10.0;
        }
    }
    Ok(vec![
        setup.judged(TOLERANCE, "difference with doubled caps [m]", 0.0, twice),
        Quantity::reported("difference from doubled caps without a tolerance [m]", 0.0, farthest),
        Quantity::reported("share of steps that met the tolerance", 1.0, converged),
    ])
}
