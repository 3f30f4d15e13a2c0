//! `slope_creep`: how far a block that ought to rest on a slope of 26.57 degrees creeps in 10 s,
//! with anchored and with lagged friction.
//!
//! * Geometry and mesh: see `slope_text.rs`; tan θ = 0.5, μ = 0.505; friction falls from 1 to it
//!   within ½ s.
//! * Step: h = 0.01 s, then 1000 steps (10 s). Settings: *converged* and *default* but for the
//!   friction.
//! * Measured: distance that the centre of mass has moved along the slope.
//! * Expected: 0; anchored friction below 0.1 mm. Lagged friction starts every step without a
//!   memory of slip and creeps by up to its ε (10 µm) per step: reported beside it.

use super::slope::settled;
use super::slope_text::{Slope, SlopeBody, centre};
use crate::error::VerifyError;
use crate::outcome::{Finding, Quantity};
use crate::setup::Setup;

const STEPS: usize = 1000;

/// Runs the case.
pub fn measure(setup: &Setup<'_>) -> Result<Finding, VerifyError> {
    let slope = Slope { sample: SlopeBody::Block, tangent: 0.5, mu: 0.505, speed: 0.0, step: 0.01 };
    let creep = |friction: &str| -> Result<f64, VerifyError> {
        let mut specimen = settled(&slope, setup, &[("friction", format!("'{friction}'"))], 1.0)?;
        let start = centre(&specimen);
        for _ in 0..STEPS {
            specimen.step()?;
        }
        Ok(centre(&specimen).x - start.x)
    };
    Ok(vec![
        setup.judged(1e-4, "creep in 10 s, anchored [m]", 0.0, creep("anchored")?),
        Quantity::reported("creep in 10 s, lagged [m]", 0.0, creep("lagged")?),
    ])
}
