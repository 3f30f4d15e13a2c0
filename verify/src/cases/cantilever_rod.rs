//! `cantilever_rod`: drop over reach of a heavy rod, Γ = w L³/EI = 1, 10, 100.
//!
//! * Geometry: a straight round rod, free length L = 1 m, radius 2.5 mm, along x, gravity along −z.
//! * Mesh: 100 free segments of length l and a clamped one. Bending at the clamped segment's inner
//!   node is spread over half a segment on either side, so the wall is the middle of the clamped
//!   segment: L = (100 + ½) l.
//! * Model: discrete elastic rod, ρ = 1000 kg/m³, ν = 0.3, E = 4 ρ g L³/(Γ r²). Stretching is then
//!   below Γ r²/4L² = 2e-4.
//! * Solve: equilibria by Newton without inertia to 1e-8 m, gravity raised in stages.
//! * Measured: drop H over reach W of the tip, from the wall. Expected: the heavy elastica (Romero
//!   et al. 2021), within 1 %.
//! * Order: at Γ = 10, the errors at 50 and 100 segments fall by l²: order 2, within 0.2.

use super::beam_text::rod_along_x;
use crate::curve::Curve;
use crate::error::VerifyError;
use crate::outcome::{Finding, Quantity, order};
use crate::specimen::Specimen;
use stiction::numerics::Vec3;

const GRAVITY: f64 = 9.81;

/// Drop over reach at a load, with so many free segments.
fn drop_over_reach(gamma: f64, segments: usize) -> Result<f64, VerifyError> {
    let radius: f64 = 0.0025;
    let young = 4.0 * 1000.0 * GRAVITY / (gamma * radius * radius);
    let mut rod = Specimen::new(&rod_along_x(segments, radius, young))?;
    rod.load_gradually(Vec3::z() * -GRAVITY, 10)?;
    let tip = rod.node(segments + 1);
    Ok(-tip.z / tip.x)
}

/// Runs the case.
pub fn measure() -> Result<Finding, VerifyError> {
    let curve = Curve::heavy_cantilever();
    let mut out = Finding::new();
    for gamma in [1.0, 10.0, 100.0] {
        let measured = drop_over_reach(gamma, 100)?;
        out.push(Quantity::within(0.01, format!("H/W at Γ = {gamma}"), curve.at(gamma, 1), measured));
    }
    let error = |segments| Ok::<f64, VerifyError>(drop_over_reach(10.0, segments)? - curve.at(10.0, 1));
    out.push(Quantity::within_absolute(0.2, "order in l at Γ = 10", 2.0, order(error(50)?, error(100)?)));
    Ok(out)
}
