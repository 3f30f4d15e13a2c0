//! `moduli_membrane`: moduli of every law of cloth in its plane, through the assembled model.
//!
//! * Geometry: a sheet of 0.3 × 0.2 m on an irregular mesh of 6 × 4 cells, thickness 0.4 mm.
//!   Isotropic laws: E = 8e5 Pa, ν = 0.28; `arap` has ν = 0 and G = E/2. Woven cloth (orthotropic
//!   St. Venant–Kirchhoff): E₁ = 9e5, E₂ = 4e5, G = 7e4 Pa, ν = 0.31. Baraff–Witkin cloth of the
//!   same threads has no Poisson effect.
//! * Measured: as in `moduli_solid`, per axis of the plane; G from a uniform shear of ±1e-5 as
//!   dτ/dγ.
//! * Expected: the moduli of the scene, within 1e-6.

use super::uniform::{Block, Pull};
use crate::error::VerifyError;
use crate::outcome::{Finding, Quantity};
use crate::specimen::{STATICS, Specimen};

const SIZE: [f64; 2] = [0.3, 0.2];
const THICKNESS: f64 = 4e-4;
const YOUNG: f64 = 8e5;
const POISSON: f64 = 0.28;
/// Warp, weft, shear \[Pa\] and ν₁₂ of the woven cloth.
const WOVEN: [f64; 4] = [9e5, 4e5, 7e4, 0.31];

/// E and ν along both axes, and G.
struct Expected {
    young: [f64; 2],
    poisson: [f64; 2],
    shear: f64,
}

fn compare(material: &str, name: &str, expected: &Expected, out: &mut Finding) -> Result<(), VerifyError> {
    let specimen = Specimen::new(&format!(
        "{STATICS}
        [bodies.sheet]
        kind = 'cloth'
        mesh = {{ grid = {{ size = {SIZE:?}, cells = [6, 4], pattern = 'irregular' }} }}
        material = {{ density = 500.0, thickness = {THICKNESS}, {material} }}"
    ))?;
    let block = Block::new(&specimen, SIZE[0] * SIZE[1] * THICKNESS)?;
    for axis in 0..2 {
        let found = block.pulled(&Pull { axis, sideways: vec![1 - axis] });
        let along = ["x", "y"][axis];
        out.push(Quantity::within(
            1e-6,
            format!("E along {along} [Pa], {name}"),
            expected.young[axis],
            found.young,
        ));
        out.push(Quantity::within(
            1e-6,
            format!("ν along {along}, {name}"),
            expected.poisson[axis],
            found.poisson,
        ));
    }
    out.push(Quantity::within(1e-6, format!("G [Pa], {name}"), expected.shear, block.sheared(0, 1)));
    Ok(())
}

/// Runs the case.
pub fn measure() -> Result<Finding, VerifyError> {
    let mut out = Finding::new();
    let isotropic =
        Expected { young: [YOUNG; 2], poisson: [POISSON; 2], shear: YOUNG / (2.0 * (1.0 + POISSON)) };
    let material = |law: &str| format!("young = {YOUNG}, poisson = {POISSON}, law = '{law}'");
    for law in ["stvk", "neo_hookean", "stable_neo_hookean", "corotated"] {
        compare(&material(law), law, &isotropic, &mut out)?;
    }
    let rigid = Expected { young: [YOUNG; 2], poisson: [0.0; 2], shear: 0.5 * YOUNG };
    compare(&material("arap"), "arap", &rigid, &mut out)?;
    let [warp, weft, shear, poisson] = WOVEN;
    let threads = format!("young_warp = {warp}, young_weft = {weft}, shear = {shear}, poisson = {poisson}");
    let woven = Expected { young: [warp, weft], poisson: [poisson, poisson * weft / warp], shear };
    compare(&format!("{threads}, law = 'stvk'"), "woven stvk", &woven, &mut out)?;
    let loose = Expected { poisson: [0.0; 2], ..woven };
    compare(&format!("{threads}, law = 'baraff_witkin'"), "baraff_witkin", &loose, &mut out)?;
    Ok(out)
}
