//! `anisotropic_ray`, `anisotropic_dissipation`: a sheet with a grain slides down a slope in the
//! direction and with the acceleration that the law gives.
//!
//! * Geometry: square sheet of 0.2 m, 2 × 2 cells, on a slope of 45 degrees (gravity is tilted),
//!   with its grain turned by φ from the line of steepest descent, φ = 0°, 15° … 165°: a grain has
//!   no sign, so these are all 12 directions. Friction along it 0.2, across it 0.6.
//! * Step: h = 0.01 s, 50 steps from rest. Settings: converged, default, and `pd` by iterations.
//! * Measured: direction and size of the velocity of the centre of mass after T = 0.5 s.
//! * Expected, *ray*: friction has the size μ(φ) r_N, 1/μ² = cos²/μ₁² + sin²/μ₂², and points
//!   against the slip. From rest the sheet then moves straight down with a = g (sin θ − μ(φ) cos
//!   θ).
//! * Expected, *maximum dissipation*: friction is the point of the ellipse that takes most work
//!   from the slip direction e, f_k = −μ_k² e_k/s · r_N with
//!   s = √Σ μ_k² e_k². The force depends on the direction alone, so that v = a t e with constant e:
//!   e_k (a + g cos θ μ_k²/s) = g sin θ d_k, solved for a and e; e turns
//!   towards the slippery direction.
//! * Limits: size of the velocity over a T within 2 %, direction within 0.02 rad, the worst over
//!   the 12 directions.

use crate::error::VerifyError;
use crate::outcome::Finding;
use crate::setup::Setup;
use crate::specimen::Specimen;
use std::f64::consts::{FRAC_1_SQRT_2, PI};

const GRAVITY: f64 = 9.81;
const ALONG: f64 = 0.2;
const ACROSS: f64 = 0.6;
const STEPS: usize = 50;
const STEP: f64 = 0.01;

/// The law on the ellipse.
#[derive(Clone, Copy, PartialEq)]
enum Law {
    Ray,
    Dissipation,
}

fn scene(setup: &Setup<'_>, law: Law, angle: f64) -> String {
    let tilted = GRAVITY * FRAC_1_SQRT_2;
    let ellipse = if law == Law::Ray { "ray" } else { "maximum_dissipation" };
    // The plane has no grain: coefficients of the pair are geometric means with its own.
    let plane = 0.5;
    let (along, across) = (ALONG * ALONG / plane, ACROSS * ACROSS / plane);
    format!(
        "stiction = 1
        fps = 100
        step = {STEP}
        gravity = [{tilted}, 0.0, {}]
        wind = {{ air_density = 0.0 }}
        {}
        [friction]
        ellipse = '{ellipse}'
        [bodies.sheet]
        kind = 'cloth'
        mesh = {{ grid = {{ size = [0.2, 0.2], cells = [2, 2] }} }}
        material = {{ density = 400.0, thickness = 0.0005, young = 1e6, poisson = 0.3 }}
        translate = [0, 0, {}]
        gap = 0.001
        friction_direction = {{ direction = [{}, {}, 0.0], along = {along}, across = {across} }}
        [colliders.plane]
        plane = {{ normal = [0, 0, 1], offset = 0 }}
        friction = {plane}",
        -tilted,
        setup.method_line(),
        0.00025 + setup.lift(),
        angle.cos(),
        angle.sin()
    )
}

/// Acceleration \[m/s²\] in the frame of the grain (along, across) when gravity pulls at `angle`
/// from it.
fn acceleration(law: Law, angle: f64) -> [f64; 2] {
    let (pull, load) = (GRAVITY * FRAC_1_SQRT_2, GRAVITY * FRAC_1_SQRT_2);
    let mu = [ALONG, ACROSS];
    let down = [angle.cos(), angle.sin()];
    if law == Law::Ray {
        let radius = 1.0 / (down[0] / mu[0]).hypot(down[1] / mu[1]);
        return down.map(|d| d * (pull - radius * load));
    }
    // Fixed point for s/a, the only unknown besides the direction: e ∝ d_k/(1 + load μ_k²/(s a)).
    let mut product = pull * mu[0];
    for _ in 0..500 {
        let v = [0, 1].map(|k| pull * down[k] / (1.0 + load * mu[k] * mu[k] / product));
        // v = a e, so that s a = √Σ μ_k² v_k².
        product = 0.5 * (product + (mu[0] * v[0]).hypot(mu[1] * v[1]));
    }
    [0, 1].map(|k| pull * down[k] / (1.0 + load * mu[k] * mu[k] / product))
}

fn slide(setup: &Setup<'_>, law: Law) -> Result<Finding, VerifyError> {
    let (mut size, mut turned) = (0.0_f64, 0.0_f64);
    for index in 0..12 {
        let angle = PI * f64::from(index) / 12.0;
        let mut specimen = Specimen::new(&scene(setup, law, angle))?;
        for _ in 0..STEPS {
            specimen.step()?;
        }
        let momentum = specimen.state().momentum(&specimen.simulation.model, &specimen.simulation.parameters);
        let mass: f64 = specimen.simulation.parameters.mass.iter().sum();
        let velocity = momentum / mass;
        // Gravity pulls along x, at −angle from the grain.
        let [along, across] = acceleration(law, -angle);
        let (sin, cos) = angle.sin_cos();
        let (x, y) = (along * cos - across * sin, along * sin + across * cos);
        let time = STEP * STEPS as f64;
        size = size.max((velocity.norm() / (x.hypot(y) * time) - 1.0).abs());
        let between = (velocity.y * x - velocity.x * y).atan2(velocity.x * x + velocity.y * y);
        turned = turned.max(between.abs());
    }
    Ok(vec![
        setup.judged(0.02, "acceleration: largest relative error over 12 directions", 0.0, size),
        setup.judged(0.02, "direction: largest error over 12 directions [rad]", 0.0, turned),
    ])
}

/// Runs `anisotropic_ray`.
pub fn ray(setup: &Setup<'_>) -> Result<Finding, VerifyError> {
    slide(setup, Law::Ray)
}

/// Runs `anisotropic_dissipation`.
pub fn dissipation(setup: &Setup<'_>) -> Result<Finding, VerifyError> {
    slide(setup, Law::Dissipation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closed_form_of_maximum_dissipation_satisfies_its_balance() {
        for index in 0..12 {
            let angle = PI * f64::from(index) / 12.0;
            let a = acceleration(Law::Dissipation, angle);
            let size = a[0].hypot(a[1]);
            let s = (ALONG * a[0] / size).hypot(ACROSS * a[1] / size);
            let load = GRAVITY * FRAC_1_SQRT_2;
            for (k, mu) in [ALONG, ACROSS].into_iter().enumerate() {
                let friction = load * mu * mu * a[k] / size / s;
                let pull = load * [angle.cos(), angle.sin()][k];
                assert!((pull - friction - a[k]).abs() < 1e-9, "{angle} {k}");
            }
        }
        // Along an axis both laws are Coulomb's.
        let both = [Law::Ray, Law::Dissipation].map(|law| acceleration(law, 0.0)[0]);
        assert!((both[0] - both[1]).abs() < 1e-9);
    }
}
