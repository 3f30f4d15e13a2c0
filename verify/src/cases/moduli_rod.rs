//! `moduli_rod`: stretching, bending and twisting moduli of a rod, through the assembled model.
//!
//! * Geometry: a straight rod of 1 m in 20 segments, elliptic section with half axes 4 mm and 2 mm,
//!   E = 3e9 Pa for stretching, 5e9 Pa for bending, G = 1.5e9 Pa.
//! * Measured: energies of a uniform stretch by 1e-4, of arcs of 1e-3 rad per joint towards either
//!   director, and of a twist of 0.1 rad per joint, turned into moduli by the closed forms V = ½ EA
//!   ε² L, ½ EI α²/l and ½ GJ α²/l per joint.
//! * Expected: the moduli of the scene, within 1e-6 (an arc errs by α²/6 = 2e-7).

use crate::error::VerifyError;
use crate::outcome::{Finding, Quantity};
use crate::specimen::{STATICS, Specimen};
use std::f64::consts::PI;
use stiction::numerics::Vec3;

const SEGMENTS: usize = 20;
/// Half axes along the first and the second director \[m\].
const HALF_AXES: [f64; 2] = [0.004, 0.002];
/// Moduli of stretching, bending and twisting \[Pa\].
const MODULI: [f64; 3] = [3e9, 5e9, 1.5e9];

fn rod() -> Result<Specimen, VerifyError> {
    let [stretching, bending, shear] = MODULI;
    Specimen::new(&format!(
        "{STATICS}
        [bodies.rod]
        kind = 'rod'
        mesh = {{ rod = {{ end = [1, 0, 0], segments = {SEGMENTS} }} }}
        material = {{ density = 1000.0, ellipse = {HALF_AXES:?}, young = {stretching}, young_bending = {bending}, poisson = 0.3, shear = {shear} }}"
    ))
}

/// Bending energy of an arc of `angle` per joint towards a unit vector across the rod \[J\].
fn arc_energy(towards: usize, angle: f64) -> Result<f64, VerifyError> {
    let mut rod = rod()?;
    let frame = rod.state().frames[0];
    let direction = [frame.director, frame.binormal()][towards];
    let l = 1.0 / SEGMENTS as f64;
    let mut at = Vec3::zeros();
    for segment in 0..SEGMENTS {
        let turned = angle * segment as f64;
        at += (frame.tangent * turned.cos() + direction * turned.sin()) * l;
        rod.simulation.state.blocks[segment + 1] = at;
    }
    rod.energy_of("bend_twist")
}

/// Runs the case.
pub fn measure() -> Result<Finding, VerifyError> {
    let l = 1.0 / SEGMENTS as f64;
    let joints = (SEGMENTS - 1) as f64;
    let [a, b] = HALF_AXES;
    let mut out = Finding::new();

    let mut stretched = rod()?;
    stretched.simulation.state.blocks[..=SEGMENTS].iter_mut().for_each(|x| *x *= 1.0 + 1e-4);
    let stretching = stretched.energy_of("stretch")? / (0.5 * PI * a * b * 1e-8);
    out.push(Quantity::within(1e-6, "E of stretching [Pa]", MODULI[0], stretching));

    let angle: f64 = 1e-3;
    let moments = [0.25 * PI * a.powi(3) * b, 0.25 * PI * a * b.powi(3)];
    for (towards, name) in [(0, "first"), (1, "second")] {
        let found = arc_energy(towards, angle)? / (0.5 * moments[towards] * angle * angle / l * joints);
        out.push(Quantity::within(
            1e-6,
            format!("E of bending towards the {name} director [Pa]"),
            MODULI[1],
            found,
        ));
    }

    let mut twisted = rod()?;
    let nodes = twisted.simulation.model.nodes;
    for segment in 0..SEGMENTS {
        twisted.simulation.state.blocks[nodes + segment].x = 0.1 * segment as f64;
    }
    let polar = PI * (a * b).powi(3) / (a * a + b * b);
    let found = twisted.energy_of("bend_twist")? / (0.5 * polar * 0.01 / l * joints);
    out.push(Quantity::within(1e-6, "G of twisting [Pa]", MODULI[2], found));
    Ok(out)
}
