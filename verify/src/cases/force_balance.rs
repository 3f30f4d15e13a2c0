//! `force_balance_rest`: contact forces of bodies at rest sum to their weight.
//!
//! * Geometry: a soft block (0.2 × 0.2 × 0.1 m, 4 × 4 × 2 cells of tets) on a plane, and a
//!   cotton-like sheet (0.2 m, 10 × 10 cells) on the same plane beside it. Mass damping 4 1/s
//!   brings both to rest.
//! * Step: h = 0.01 s, 200 steps. Settings: converged, default, and `pd` by iterations.
//! * Measured: net contact force per body in the last step, as the step report gives it.
//! * Expected: −m g, within 0.1 % of the weight in every component.

use crate::error::VerifyError;
use crate::outcome::Finding;
use crate::setup::Setup;
use crate::specimen::Specimen;
use stiction::numerics::Vec3;

const STEPS: usize = 200;

fn scene(setup: &Setup<'_>) -> String {
    format!(
        "stiction = 1
        fps = 100
        step = 0.01
        wind = {{ air_density = 0.0 }}
        {}
        [bodies.block]
        kind = 'solid'
        mesh = {{ tet_box = {{ size = [0.2, 0.2, 0.1], cells = [4, 4, 2] }} }}
        material = {{ density = 1000.0, young = 1e5, poisson = 0.3, law = 'corotated', damping_mass = 4.0, damping_stiffness = 0.005 }}
        translate = [0, 0, 0.0505]
        [bodies.sheet]
        kind = 'cloth'
        mesh = {{ grid = {{ size = [0.2, 0.2], cells = [10, 10] }} }}
        material = {{ density = 400.0, thickness = 0.0005, young = 1e5, poisson = 0.3, damping_mass = 4.0, damping_stiffness = 0.005 }}
        translate = [0.5, 0, 0.001]
        [colliders.plane]
        plane = {{ normal = [0, 0, 1], offset = 0 }}",
        setup.method_line()
    )
}

/// Runs the case.
pub fn rest(setup: &Setup<'_>) -> Result<Finding, VerifyError> {
    let mut specimen = Specimen::new(&scene(setup))?;
    let mut forces = Vec::new();
    for _ in 0..STEPS {
        forces = specimen.step()?.contact_force;
    }
    let (model, gravity) = (&specimen.simulation.model, specimen.simulation.parameters.gravity.at(0.0));
    let mut out = Finding::new();
    for (index, body) in model.bodies.iter().enumerate() {
        let weight = gravity * specimen.simulation.parameters.body_mass(model, index);
        let force = forces.get(index).copied().unwrap_or_else(|| Vec3::repeat(f64::NAN));
        let astray = (force + weight).amax() / weight.norm();
        out.push(setup.judged(1e-3, format!("|F + mg| over mg, {}", body.name), 0.0, astray));
    }
    Ok(out)
}
