//! `slope_block` and `slope_block_default`: a block on a slope of 10 degrees, just above and just below the critical friction.
//!
//! * Geometry and mesh: see `block_text.rs`; friction falls from 0.5 to the value under test within ½ s, because an
//!   undeformed block would slip while it sags, and a sheared one springs when it is let go at once.
//! * Step: h = 0.01 s, 500 steps (5 s).
//! * Variants: *converged* (ADMM tolerance 1e-10 m, 400 iterations, no sleeping) and *default* settings of the method.
//! * Measured: distance that the centre of mass has moved along the slope after 5 s.
//! * Expected: tan 10° = 0.17633. At μ = 0.177 the block holds: creep below 10 µm. At μ = 0.176 it slides with
//!   a = g (sin θ − μ cos θ), ½ a t² = 39.49 mm within 1 % (backward Euler adds 1/n = 0.2 %). The default settings are only reported.

use super::block_text::{GRAVITY, SLOPE, block_on_slope, converged_options};
use crate::error::VerifyError;
use crate::outcome::{Finding, Quantity};
use crate::specimen::Specimen;
use stiction::numerics::Vec3;

const STEP: f64 = 0.01;
const STEPS: usize = 500;
const SETTLING: usize = 50;

/// Centre of mass of the only body.
pub(super) fn centre(specimen: &Specimen) -> Vec3 {
    let (model, state) = (&specimen.simulation.model, specimen.state());
    let mass: f64 = model.mass[..model.nodes].iter().sum();
    let moment: Vec3 = model.mass[..model.nodes].iter().zip(&state.blocks).map(|(m, x)| x * *m).sum();
    moment / mass
}

fn drift(method: &str, options: &str, mu: f64) -> Result<f64, VerifyError> {
    let mut specimen = Specimen::new(&block_on_slope(method, options, mu, 0.0, STEP))?;
    for step in 0..SETTLING {
        let share = (step + 1) as f64 / SETTLING as f64;
        specimen.simulation.parameters.friction_table.pairs[0].coefficient = 0.5 + (mu - 0.5) * share;
        specimen.simulation.step()?;
    }
    let start = centre(&specimen);
    for _ in 0..STEPS {
        specimen.simulation.step()?;
    }
    Ok(centre(&specimen).x - start.x)
}

/// ½ a t² of the sliding block \[m\].
fn sliding_distance(mu: f64) -> f64 {
    let (sin, cos) = SLOPE.to_radians().sin_cos();
    let time = STEP * STEPS as f64;
    0.5 * GRAVITY * (sin - mu * cos) * time * time
}

/// Tight settings.
pub fn converged(method: &str) -> Result<Finding, VerifyError> {
    let options = converged_options(method);
    let (held, slid) = (drift(method, options, 0.177)?, drift(method, options, 0.176)?);
    Ok(vec![
        Quantity::within_absolute(1e-5, "creep in 5 s at μ 0.177 [m]", 0.0, held),
        Quantity::within(0.01, "drift in 5 s at μ 0.176 [m]", sliding_distance(0.176), slid),
    ])
}

/// The method's defaults.
pub fn default(method: &str) -> Result<Finding, VerifyError> {
    let (held, slid) = (drift(method, "", 0.177)?, drift(method, "", 0.176)?);
    Ok(vec![
        Quantity::reported("creep in 5 s at μ 0.177 [m]", 0.0, held),
        Quantity::reported("drift in 5 s at μ 0.176 [m]", sliding_distance(0.176), slid),
    ])
}
