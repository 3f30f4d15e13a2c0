//! `cantilever_beam`: drop over reach of a heavy beam of tets, Γ = 12 ρ g L³/(E a²) = 1, 10, 100.
//!
//! * Geometry: a beam of length L = 1 m with a square section of side a = 25 mm, clamped by its end
//!   face x = 0, gravity along −z.
//! * Mesh: n cells through the height, 40 n along, cut into linear tets; one cell across the width,
//!   along which nothing varies when
//!   ν = 0. Linear tets are too stiff in bending by an error ~ 1/n², so that n = 12 is needed.
//! * Model: corotated linear law, ρ = 1000 kg/m³, ν = 0, E from Γ. Against a thin rod the beam
//!   gains (a/L)² by shear (0.06 %), and it stretches by up to Γ a²/12L² (0.5 % at Γ = 100).
//! * Solve: equilibria by Newton without inertia to 1e-8 m, gravity raised in four stages.
//! * Measured: drop H over reach W of the middle of the end face. Expected: the heavy elastica
//!   (Romero et al. 2021), within 3 % at
//!   n = 12. Beside it, without a limit: stable neo-Hookean with ν = 0.3 and 8 × 4 cells in the
//!   section.
//! * Order: errors at Γ = 1 over n = 3, 6, 12; displacements of linear tets converge at order 2.
//!   From 6 to 12 within 0.2; from 3 to 6 reported, too coarse to tell.

use crate::curve::Curve;
use crate::error::VerifyError;
use crate::outcome::{Finding, Quantity, order};
use crate::specimen::{STATICS, Specimen};
use stiction::numerics::Vec3;

const GRAVITY: f64 = 9.81;
const DENSITY: f64 = 1000.0;
/// Side of the section \[m\].
const SIDE: f64 = 0.025;

#[derive(Clone, Copy)]
struct Beam {
    gamma: f64,
    /// Cells through the height and across the width.
    cells: [usize; 2],
    law: &'static str,
    poisson: f64,
}

impl Beam {
    fn corotated(gamma: f64, cells: usize) -> Beam {
        Beam { gamma, cells: [cells, 1], law: "corotated", poisson: 0.0 }
    }

    fn drop_over_reach(&self) -> Result<f64, VerifyError> {
        let Beam { gamma, cells: [high, wide], law, poisson } = *self;
        let young = 12.0 * DENSITY * GRAVITY / (gamma * SIDE * SIDE);
        let mut beam = Specimen::new(&format!(
            "{STATICS}
            gravity = 0.0
            [bodies.beam]
            kind = 'solid'
            mesh = {{ tet_box = {{ size = [1, {SIDE}, {SIDE}], cells = [{}, {wide}, {high}] }} }}
            translate = [0.5, 0, 0]
            material = {{ density = {DENSITY}, young = {young}, poisson = {poisson}, law = '{law}' }}
            pins = [{{ select = 'left' }}]",
            40 * high
        ))?;
        beam.load_gradually(Vec3::z() * -GRAVITY, 4)?;
        let rest = &beam.simulation.model.rest;
        let end: Vec<usize> = (0..rest.len()).filter(|&n| rest[n].x > 1.0 - 1e-9).collect();
        let middle = end.iter().map(|&n| beam.node(n)).sum::<Vec3>() / end.len() as f64;
        Ok(-middle.z / middle.x)
    }
}

/// Runs the case.
pub fn measure() -> Result<Finding, VerifyError> {
    let curve = Curve::heavy_cantilever();
    let mut out = Finding::new();
    for gamma in [1.0, 10.0, 100.0] {
        let measured = Beam::corotated(gamma, 12).drop_over_reach()?;
        out.push(Quantity::within(0.03, format!("H/W at Γ = {gamma}"), curve.at(gamma, 1), measured));
    }
    let fine = out[0].measured - out[0].expected;
    let error = |n| Ok::<f64, VerifyError>(Beam::corotated(1.0, n).drop_over_reach()? - curve.at(1.0, 1));
    let (coarse, middle) = (error(3)?, error(6)?);
    out.push(Quantity::reported("order in 1/n from 3 to 6, Γ = 1", 2.0, order(coarse, middle)));
    out.push(Quantity::within_absolute(0.2, "order in 1/n from 6 to 12, Γ = 1", 2.0, order(middle, fine)));
    let real = Beam { gamma: 10.0, cells: [8, 4], law: "stable_neo_hookean", poisson: 0.3 };
    let name = "H/W at Γ = 10, ν = 0.3, n = 8";
    out.push(Quantity::reported(name, curve.at(10.0, 1), real.drop_over_reach()?));
    Ok(out)
}
