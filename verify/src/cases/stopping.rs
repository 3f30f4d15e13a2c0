//! `stopping_block`: a block that slides down a slope of 10 degrees at 0.1 m/s with friction just above critical comes to rest.
//!
//! * Geometry and mesh: see `block_text.rs`. Step: h = 0.02 s, 16 s. Settings: converged.
//! * Measured: distance until rest, and the time at which the speed falls below 1 % of its start.
//! * Expected: μ = 0.177, v₀ = 0.1 m/s: v₀²/(2a) = 0.769 m within 1 %, a = g (μ cos θ − sin θ); the time 0.99 v₀/a within 1 %.

use super::block_text::{GRAVITY, SLOPE, block_on_slope, converged_options};
use super::slope::centre;
use crate::error::VerifyError;
use crate::outcome::{Finding, Quantity};
use crate::specimen::Specimen;

const STEP: f64 = 0.02;
const STEPS: usize = 800;
const SPEED: f64 = 0.1;
const FRICTION: f64 = 0.177;

/// Runs the case.
pub fn measure(method: &str) -> Result<Finding, VerifyError> {
    let text = block_on_slope(method, converged_options(method), FRICTION, SPEED, STEP);
    let mut specimen = Specimen::new(&text)?;
    let start = centre(&specimen);
    let (mut last, mut slow) = (start, None);
    for step in 1..=STEPS {
        specimen.simulation.step()?;
        let now = centre(&specimen);
        if slow.is_none() && (now.x - last.x) / STEP < 0.01 * SPEED {
            slow = Some(step as f64 * STEP);
        }
        last = now;
    }
    let (sin, cos) = SLOPE.to_radians().sin_cos();
    let braking = GRAVITY * (FRICTION * cos - sin);
    let distance = SPEED * SPEED / (2.0 * braking);
    Ok(vec![
        Quantity::within(0.01, "stopping distance [m]", distance, last.x - start.x),
        Quantity::within(
            0.01,
            "time to 1 % of the speed [s]",
            0.99 * SPEED / braking,
            slow.unwrap_or(f64::NAN),
        ),
    ])
}
