//! `elastica_tip`: a weightless rod with a load at its end, P L²/EI = 1, 5, 10.
//!
//! * Geometry: a straight round rod, free length L = 1 m, radius 2.5 mm, along x; load along −z.
//! * Mesh: 100 free segments of length l and a clamped one; the wall is the middle of the clamped
//!   segment, L = (100 + ½) l (see `cantilever_rod`).
//! * Load: the masses of the model are cleared but for the last node, whose weight is P.
//! * Model: discrete elastic rod, EI = 1 N m²; stretching P/EA = P r²/4EI is below 2e-5.
//! * Solve: equilibria by Newton without inertia to 1e-8 m, the load raised in stages.
//! * Measured: sag w/L, shortening u/L and angle of the last segment (half a segment before the
//!   end: the moment is zero there). Expected: the elastica's curve from its equation, within 1 %.

use super::beam_text::rod_along_x;
use crate::curve::Curve;
use crate::error::VerifyError;
use crate::outcome::{Finding, Quantity};
use crate::specimen::Specimen;
use std::f64::consts::PI;
use stiction::numerics::Vec3;

const SEGMENTS: usize = 100;
const RADIUS: f64 = 0.0025;

/// The rod under a load P L²/EI.
fn loaded(load: f64) -> Result<Specimen, VerifyError> {
    let young = 4.0 / (PI * RADIUS.powi(4));
    let mut rod = Specimen::new(&rod_along_x(SEGMENTS, RADIUS, young))?;
    let tip = SEGMENTS + 1;
    rod.simulation.parameters.mass.fill(0.0);
    rod.simulation.parameters.mass[tip] = 1.0;
    rod.load_gradually(Vec3::z() * -load, 10)?;
    Ok(rod)
}

/// Runs the case.
pub fn measure() -> Result<Finding, VerifyError> {
    let curve = Curve::tip_load();
    let mut out = Finding::new();
    for load in [1.0, 5.0, 10.0] {
        let rod = loaded(load)?;
        let (tip, before) = (rod.node(SEGMENTS + 1), rod.node(SEGMENTS));
        let slope = tip - before;
        let at = |name: &str| format!("{name} at PL²/EI = {load}");
        out.push(Quantity::within(0.01, at("w/L"), curve.at(load, 1), -tip.z));
        out.push(Quantity::within(0.01, at("u/L"), curve.at(load, 2), 1.0 - tip.x));
        out.push(Quantity::within(0.01, at("tip angle [rad]"), curve.at(load, 3), (-slope.z).atan2(slope.x)));
    }
    Ok(out)
}
