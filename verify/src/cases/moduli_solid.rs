//! `moduli_solid`: Young's modulus and Poisson's ratio of every law of solids, through the
//! assembled model.
//!
//! * Geometry: a block of 0.3 × 0.2 × 0.1 m in 3 × 2 × 2 cells of tets, E = 5e5 Pa, ν = 0.37.
//! * Measured: the block is pulled and pushed by a uniform strain ε = ±1e-5 along x, the sideways
//!   strain ε' is chosen so that the assembled forces do no work on it (free sides). E = dσ/dε by
//!   central differences, with σ the work of the forces on the pull per volume; ν = −dε'/dε.
//!   Uniform stress leaves inner nodes free of force.
//! * Expected: the E and ν of the scene, within 1e-6 (the differences err by ε² = 1e-10, rounding
//!   by 1e-16/ε); forces at inner nodes over the largest force, within 1e-9.

use super::uniform::{Block, Pull};
use crate::error::VerifyError;
use crate::outcome::{Finding, Quantity};
use crate::specimen::{STATICS, Specimen};
use stiction::scene::law::LAWS;

const YOUNG: f64 = 5e5;
const POISSON: f64 = 0.37;
const SIZE: [f64; 3] = [0.3, 0.2, 0.1];

/// Runs the case.
pub fn measure() -> Result<Finding, VerifyError> {
    let mut out = Finding::new();
    for law in LAWS.iter().filter(|row| row.solid).map(|row| row.name) {
        let specimen = Specimen::new(&format!(
            "{STATICS}
            [bodies.block]
            kind = 'solid'
            mesh = {{ tet_box = {{ size = {SIZE:?}, cells = [3, 2, 2] }} }}
            material = {{ density = 1000.0, young = {YOUNG}, poisson = {POISSON}, law = '{law}' }}"
        ))?;
        let block = Block::new(&specimen, SIZE.iter().product())?;
        let found = block.pulled(&Pull { axis: 0, sideways: vec![1, 2] });
        out.push(Quantity::within(1e-6, format!("E [Pa], {law}"), YOUNG, found.young));
        out.push(Quantity::within(1e-6, format!("ν, {law}"), POISSON, found.poisson));
        let inner = |x: &[f64; 3]| (0..3).all(|k| x[k].abs() < 0.5 * SIZE[k] - 1e-9);
        out.push(Quantity::within(
            1e-9,
            format!("force at inner nodes, {law}"),
            0.0,
            block.inner_force(inner),
        ));
    }
    Ok(out)
}
