//! `momentum_free_fall`: free fall and linear momentum to round-off, for cloth, a rod and a solid
//! at once.
//!
//! * Geometry: a sheet (0.2 m, 8 × 8 cells), a rod (0.2 m, 20 segments) and a block of tets (0.1 m,
//!   3³ cells), apart from each other, each thrown with its own velocity and spin, so that all of
//!   them bend and stretch on the way. No air, no contact.
//! * Step: h = 1/120 s, 60 steps; the method's default settings.
//! * Measured per body: momentum after T = ½ s, and the centre of mass. Backward Euler gives
//!   exactly p = p₀ + m g T and, with n = T/h steps, x = x₀ + v₀ T + ½ g T² (1 + 1/n), whatever the
//!   elastic forces, since these sum to zero.
//! * Expected: differences relative to m g T and to ½ g T², within 1e-12: rounding, 1e-16 of
//!   elastic forces that are up to a hundred times the weight, over 60 steps. `barrier`, whose
//!   linear solves may end at 1e-3 of their residual, within 1e-6. `pd` solves for positions, not
//!   for changes of them: 20 solves a step round 5 m by 1e-16 times the condition of the matrix
//!   (some hundred), 5e-14 m, which is 6e-12 m/s in a step and up to 1e-10 of gT over all of them.

use crate::error::VerifyError;
use crate::outcome::{Finding, Quantity};
use crate::specimen::Specimen;
use stiction::numerics::Vec3;

const STEPS: usize = 60;
const STEP: f64 = 1.0 / 120.0;
const GRAVITY: f64 = 9.81;

fn scene(method: &str) -> String {
    format!(
        "stiction = 1
        fps = 120
        gravity = {GRAVITY}
        wind = {{ air_density = 0.0 }}
        method = {{ key = '{method}' }}
        [bodies.block]
        kind = 'solid'
        mesh = {{ tet_box = {{ size = [0.1, 0.1, 0.1], cells = [3, 3, 3] }} }}
        material = {{ density = 1000.0, young = 1e5, poisson = 0.3, law = 'stable_neo_hookean' }}
        translate = [5, 0, 0]
        velocity = [0.3, -0.2, 1.0]
        spin = [1.0, 5.0, 2.0]
        [bodies.rod]
        kind = 'rod'
        mesh = {{ rod = {{ end = [0.2, 0, 0], segments = 20 }} }}
        material = {{ density = 1000.0, radius = 0.003, young = 1e6, poisson = 0.3 }}
        velocity = [0.1, 0.7, 0.0]
        spin = [0.0, 4.0, 7.0]
        [bodies.sheet]
        kind = 'cloth'
        mesh = {{ grid = {{ size = [0.2, 0.2], cells = [8, 8] }} }}
        material = {{ density = 1000.0, thickness = 0.001, young = 1e5, poisson = 0.3 }}
        translate = [-5, 0, 0]
        velocity = [-0.4, 0.0, 2.0]
        spin = [6.0, 3.0, 0.0]"
    )
}

/// Mass, momentum and first moment of a body.
fn sums(specimen: &Specimen, body: usize) -> (f64, Vec3, Vec3) {
    let (model, state) = (&specimen.simulation.model, specimen.state());
    model.bodies[body].nodes.clone().fold((0.0, Vec3::zeros(), Vec3::zeros()), |(mass, p, c), n| {
        let m = specimen.simulation.parameters.mass[n];
        (mass + m, p + state.velocities[n] * m, c + state.blocks[n] * m)
    })
}

/// Runs the case.
pub fn measure(method: &str) -> Result<Finding, VerifyError> {
    let mut specimen = Specimen::new(&scene(method))?;
    let bodies = specimen.simulation.model.bodies.len();
    let before: Vec<(f64, Vec3, Vec3)> = (0..bodies).map(|body| sums(&specimen, body)).collect();
    for _ in 0..STEPS {
        specimen.simulation.step()?;
    }
    let limit = match method {
        "barrier" => 1e-6,
        "pd" => 1e-10,
        _ => 1e-12,
    };
    let time = STEPS as f64 * STEP;
    let gravity = Vec3::z() * -GRAVITY;
    let mut out = Finding::new();
    for (body, (mass, momentum, moment)) in before.into_iter().enumerate() {
        let name = specimen.simulation.model.bodies[body].name.clone();
        let (_, p, c) = sums(&specimen, body);
        let expected = momentum + gravity * (mass * time);
        let lost = (p - expected).norm() / (mass * GRAVITY * time);
        out.push(Quantity::within(limit, format!("momentum lost over mgT, {name}"), 0.0, lost));
        let fallen = gravity * (0.5 * time * time * (1.0 + 1.0 / STEPS as f64));
        let centre = moment / mass + momentum / mass * time + fallen;
        let astray = (c / mass - centre).norm() / (0.5 * GRAVITY * time * time);
        out.push(Quantity::within(limit, format!("centre astray over ½gT², {name}"), 0.0, astray));
    }
    Ok(out)
}
