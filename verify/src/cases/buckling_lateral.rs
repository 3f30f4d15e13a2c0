//! `buckling_lateral`: a narrow heavy strip on edge leaves its plane at w L³/√(EI GJ) = 12.854.
//!
//! * Geometry: a straight rod of length L = 1 m with a rectangular section, 20 mm × 1 mm, gravity
//!   along the long side: bending in the plane of the load is 400 times stiffer than across it.
//! * Mesh: 100 free segments and a clamped one that also holds the twist; the wall is its middle
//!   (see `cantilever_rod`).
//! * Model: discrete elastic rod, EI of the thin direction, GJ of the rectangle (Saint-Venant), ν =
//!   0.3.
//! * Solve: the plane equilibrium under weight w by Newton without inertia to 1e-8 m, then the sign
//!   of the exact Hessian by its factorisation; w is found by halving to 1e-4.
//! * Measured: w L³/√(EI GJ) at which the plane state becomes unstable. Expected: 12.854 (Prandtl,
//!   Michell; load in the axis, stiff plane), within 3 %; the deflection in the plane before
//!   buckling changes it by about EI/EI_stiff = 0.25 %.

use crate::error::VerifyError;
use crate::outcome::{Finding, Quantity};
use crate::specimen::{STATICS, Specimen, threshold};
use stiction::numerics::Vec3;
use stiction::scene::material::Material;

const SEGMENTS: usize = 100;
/// Long and short side of the section \[m\].
const SIDES: [f64; 2] = [0.02, 0.001];
const YOUNG: f64 = 1e9;
const DENSITY: f64 = 1000.0;
/// The critical load.
const CRITICAL: f64 = 12.854;

fn strip() -> Result<Specimen, VerifyError> {
    let start = -0.5 / (SEGMENTS as f64 + 0.5);
    Specimen::new(&format!(
        "{STATICS}
        gravity = 0.0
        [bodies.strip]
        kind = 'rod'
        mesh = {{ rod = {{ start = [{start}, 0, 0], end = [1, 0, 0], segments = {} }} }}
        material = {{ density = {DENSITY}, rectangle = {SIDES:?}, young = {YOUNG}, poisson = 0.3 }}
        pins = [{{ select = {{ indices = [0, 1] }} }}]",
        SEGMENTS + 1
    ))
}

/// Weight per length \[N/m\] at w L³/√(EI GJ) = 1, from the material of the model.
fn unit_weight(strip: &Specimen) -> f64 {
    match &strip.simulation.parameters.materials[0] {
        Material::Rod(rod) => {
            let soft = rod.section.second_moments().into_iter().fold(f64::INFINITY, f64::min);
            (rod.young_bend * soft * rod.shear * rod.section.torsion_constant()).sqrt()
        }
        Material::Cloth(_) | Material::Solid(_) | Material::Rigid(_) => f64::NAN,
    }
}

/// Runs the case.
pub fn measure() -> Result<Finding, VerifyError> {
    let critical = threshold(0.5 * CRITICAL, 1.5 * CRITICAL, |load| {
        let mut strip = strip()?;
        // The first side of the section lies along the first director.
        let along_long_side: Vec3 = strip.state().frames[0].director;
        let mass_per_length = DENSITY * SIDES[0] * SIDES[1];
        strip.set_gravity(-along_long_side * (load * unit_weight(&strip) / mass_per_length));
        strip.settle()?;
        strip.is_stable()
    })?;
    Ok(vec![Quantity::within(0.03, "wL³/√(EI GJ) at buckling", CRITICAL, critical)])
}
