//! `slope_block`, `slope_cloth`: a body on a slope of 10 degrees, just above and just below the
//! critical friction; `slope_steep`: a block on a slope of 26.57 degrees.
//!
//! * Geometry and mesh: see `slope_text.rs`; friction falls from 0.5 (steep: 1) to the value under
//!   test within ½ s, because an undeformed block would slip while it sags, and a sheared one
//!   springs when it is let go at once.
//! * Step: h = 0.01 s, then 500 steps (5 s); steep: 200 steps (2 s).
//! * Settings: *converged*, *default*, and `pd` by iterations.
//! * Measured: distance that the centre of mass has moved along the slope; steep also: growth of
//!   its speed from 0.5 to 2 s, over 1.5 s.
//! * Expected, 10°: tan = 0.17633. At μ = 0.177 the body holds: creep below 10 µm. At μ = 0.176 it
//!   slides with
//!   a = g (sin θ − μ cos θ), ½ a t² = 39.49 mm within 1 % (backward Euler adds 1/n = 0.2 %).
//! * Expected, 26.57°: tan = 0.5. At μ = 0.505 it holds: creep below 0.1 mm; at 0.495 it slides
//!   with a = 0.0439 m/s² within 2 %.

use super::slope_text::{Slope, SlopeBody, centre};
use crate::error::VerifyError;
use crate::outcome::{Finding, Quantity};
use crate::setup::Setup;
use crate::specimen::Specimen;

const STEP: f64 = 0.01;
const SETTLING: usize = 50;

/// The specimen after its friction has fallen from `from` nearly to the slope's, which holds from
/// the next step on.
pub(super) fn settled(
    slope: &Slope,
    setup: &Setup<'_>,
    own: &[(&'static str, String)],
    from: f64,
) -> Result<Specimen, VerifyError> {
    let mut specimen = Specimen::new(&slope.text(setup, own))?;
    for step in 0..SETTLING {
        let share = step as f64 / SETTLING as f64;
        let mu = from + (slope.mu - from) * share;
        specimen.simulation.parameters.friction_table.pairs[0].coefficient = Some(mu);
        specimen.step()?;
    }
    specimen.simulation.parameters.friction_table.pairs[0].coefficient = Some(slope.mu);
    Ok(specimen)
}

fn gentle(setup: &Setup<'_>, sample: SlopeBody) -> Result<Finding, VerifyError> {
    const STEPS: usize = 500;
    let slope = |mu: f64| Slope { sample, tangent: 10f64.to_radians().tan(), mu, speed: 0.0, step: STEP };
    let drift = |mu: f64| -> Result<f64, VerifyError> {
        let mut specimen = settled(&slope(mu), setup, &[], 0.5)?;
        let start = centre(&specimen);
        for _ in 0..STEPS {
            specimen.step()?;
        }
        Ok(centre(&specimen).x - start.x)
    };
    let time = STEP * STEPS as f64;
    let slid = 0.5 * slope(0.176).acceleration() * time * time;
    Ok(vec![
        setup.judged(1e-5, "creep in 5 s at μ 0.177 [m]", 0.0, drift(0.177)?),
        setup.judged(0.01, "drift in 5 s at μ 0.176 [m]", slid, drift(0.176)?),
    ])
}

/// Runs `slope_block`.
pub fn block(setup: &Setup<'_>) -> Result<Finding, VerifyError> {
    gentle(setup, SlopeBody::Block)
}

/// Runs `slope_cloth`.
pub fn cloth(setup: &Setup<'_>) -> Result<Finding, VerifyError> {
    gentle(setup, SlopeBody::Cloth)
}

/// Runs `slope_steep`.
pub fn steep(setup: &Setup<'_>) -> Result<Finding, VerifyError> {
    let slope = |mu: f64| Slope { sample: SlopeBody::Block, tangent: 0.5, mu, speed: 0.0, step: STEP };
    let mut held = settled(&slope(0.505), setup, &[], 1.0)?;
    let mut slid = settled(&slope(0.495), setup, &[], 1.0)?;
    let start = centre(&held);
    let mut places = vec![centre(&slid).x];
    for _ in 0..200 {
        held.step()?;
        slid.step()?;
        places.push(centre(&slid).x);
    }
    let speed = |step: usize| (places[step] - places[step - 1]) / STEP;
    let gained = (speed(200) - speed(50)) / (150.0 * STEP);
    Ok(vec![
        setup.judged(1e-4, "creep in 2 s at μ 0.505 [m]", 0.0, centre(&held).x - start.x),
        setup.judged(0.02, "acceleration at μ 0.495 [m/s²]", slope(0.495).acceleration(), gained),
        Quantity::reported(
            "distance in 2 s at μ 0.495 [m]",
            2.0 * slope(0.495).acceleration(),
            places[200] - places[0],
        ),
    ])
}
