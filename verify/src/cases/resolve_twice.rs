//! `resolve_twice`: one step solved twice from the same state, the second time with doubled caps.
//!
//! * Geometry: a soft block (0.1 m, 3³ cells) slides at 0.5 m/s on a plane (μ = 0.3) below a sheet
//!   (0.2 m, 8 × 8 cells) that falls on it.
//! * Step: h = 0.01 s; every tenth of the first 50 steps is solved twice from the same state and
//!   the same remembered forces.
//! * Settings of the first solve: *converged*: tolerance 1e-6 m on the distance to go
//!   (`stop = "distance"`), at most 1000 iterations of 20 sweeps and 24 Newton iterations (with the
//!   document's 2 the elastic problem itself is not solved), no sleeping; *default*: the method's.
//!   The second solve has twice as many Newton iterations, iterations and sweeps (`pd`: iterations
//!   and sweeps, both stopped early at 1e-6 m). Further solves double the Newton iterations alone,
//!   and all caps without a tolerance.
//! * Measured: largest difference of a coordinate between the ends of the step; the largest over
//!   the five steps.
//! * Expected: below the tolerance with the same tolerance (1e-6 m) for `admm`; `pd` reports. The
//!   distance to the solve that never stops is reported: how far the first one really was from the
//!   solution.

use crate::error::VerifyError;
use crate::outcome::{Finding, Quantity};
use crate::registry::Kind;
use crate::setup::Setup;
use crate::specimen::Specimen;

const TOLERANCE: f64 = 1e-6;

/// Which caps are doubled.
#[derive(Clone, Copy, PartialEq)]
enum Doubled {
    None,
    Newton,
    Iterations,
    Sweeps,
    All,
}

/// Options with caps, some of them doubled, and a tolerance where the settings have one.
fn options(setup: &Setup<'_>, doubled: Doubled, tolerance: f64) -> String {
    let converged = setup.kind == Kind::Converged;
    let caps: &[(Doubled, &str, usize)] = match (setup.method, converged) {
        ("pd", true) => &[(Doubled::Iterations, "iterations", 400), (Doubled::Sweeps, "sweeps", 20)],
        ("pd", false) => &[(Doubled::Iterations, "iterations", 20), (Doubled::Sweeps, "sweeps", 5)],
        (_, true) => &[
            (Doubled::Newton, "newton_iterations", 24),
            (Doubled::Iterations, "max_iterations", 1000),
            (Doubled::Sweeps, "sweeps", 20),
        ],
        (_, false) => &[
            (Doubled::Newton, "newton_iterations", 2),
            (Doubled::Iterations, "max_iterations", 25),
            (Doubled::Sweeps, "sweeps", 10),
        ],
    };
    let mut out = String::new();
    for (which, name, cap) in caps {
        let factor = if doubled == Doubled::All || doubled == *which { 2 } else { 1 };
        out += &format!(", {name} = {}", factor * cap);
    }
    match (setup.method, converged) {
        ("pd", true) => out += &format!(", stop_early = true, tolerance = {tolerance:e}"),
        (_, true) => {
            out += &format!(
                ", stop = 'distance', tolerance = {tolerance:e}, relative_tolerance = 0.0, sleep = 0.0"
            );
        }
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

/// Largest difference of a coordinate of a node \[m\].
fn apart(a: &Specimen, b: &Specimen) -> f64 {
    let nodes = a.simulation.model.nodes;
    let pairs = a.state().blocks[..nodes].iter().zip(&b.state().blocks);
    pairs.map(|(a, b)| (a - b).amax()).fold(0.0, f64::max)
}

/// Runs the case.
pub fn measure(setup: &Setup<'_>) -> Result<Finding, VerifyError> {
    let specimen =
        |doubled: Doubled, tolerance: f64| Specimen::new(&scene(setup, &options(setup, doubled, tolerance)));
    let mut first = specimen(Doubled::None, TOLERANCE)?;
    let others = [
        ("all caps doubled", Doubled::All, TOLERANCE),
        ("Newton iterations doubled", Doubled::Newton, TOLERANCE),
        ("all caps doubled, no tolerance", Doubled::All, 1e-300),
    ];
    let mut again = Vec::new();
    for (name, doubled, tolerance) in others {
        again.push((name, specimen(doubled, tolerance)?, 0.0_f64));
    }
    let mut converged = 0.0;
    for step in 1..=50 {
        if step % 10 != 0 {
            first.step()?;
            continue;
        }
        again.iter_mut().try_for_each(|(_, specimen, _)| specimen.continue_from(&first))?;
        converged += f64::from(first.step()?.converged) / 5.0;
        for (_, specimen, most) in &mut again {
            specimen.step()?;
            *most = most.max(apart(&first, specimen));
        }
    }
    let mut out = Finding::new();
    let exact = setup.asked_of(&["admm"]);
    for (index, (name, _, most)) in again.iter().enumerate() {
        let name = format!("difference with {name} [m]");
        let judged = index == 0;
        out.push(if judged {
            exact.judged(TOLERANCE, name, 0.0, *most)
        } else {
            Quantity::reported(name, 0.0, *most)
        });
    }
    out.push(Quantity::reported("share of steps that met the tolerance", 1.0, converged));
    Ok(out)
}
