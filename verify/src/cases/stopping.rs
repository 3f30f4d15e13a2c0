//! `stopping_block`: a block that slides down a slope of 10 degrees at 0.1 m/s with friction just
//! above critical comes to rest.
//!
//! * Geometry and mesh: see `slope_text.rs`. Step: h = 0.02 s, 16 s. Settings: converged, default,
//!   and `pd` by iterations.
//! * Measured: distance until rest, and the time at which the speed falls below 1 % of its start.
//! * Expected: μ = 0.177, v₀ = 0.1 m/s: v₀²/(2a) = 0.769 m within 1 %, a = g (μ cos θ − sin θ); the
//!   time 0.99 v₀/a within 1 %.

use super::slope_text::{Slope, SlopeBody, centre};
use crate::error::VerifyError;
use crate::outcome::Finding;
use crate::setup::Setup;
use crate::specimen::Specimen;

const STEPS: usize = 800;

/// Runs the case.
pub fn block(setup: &Setup<'_>) -> Result<Finding, VerifyError> {
    let tangent = 10f64.to_radians().tan();
    let slope = Slope { sample: SlopeBody::Block, tangent, mu: 0.177, speed: 0.1, step: 0.02 };
    let mut specimen = Specimen::new(&slope.text(setup, &[]))?;
    let start = centre(&specimen);
    let (mut last, mut slow) = (start, None);
    for step in 1..=STEPS {
        specimen.step()?;
        let now = centre(&specimen);
        if slow.is_none() && (now.x - last.x) / slope.step < 0.01 * slope.speed {
            slow = Some(step as f64 * slope.step);
        }
        last = now;
    }
    let braking = -slope.acceleration();
    let distance = slope.speed * slope.speed / (2.0 * braking);
    let time = 0.99 * slope.speed / braking;
    let mut out = vec![setup.judged(0.01, "stopping distance [m]", distance, last.x - start.x)];
    // A body that creeps for ever never falls below 1 %: the end of the run stands for the time.
    let end = STEPS as f64 * slope.step;
    out.push(setup.judged(0.01, "time to 1 % of the speed [s]", time, slow.unwrap_or(end)));
    Ok(out)
}
