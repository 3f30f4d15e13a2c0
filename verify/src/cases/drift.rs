//! `momentum_angular` and `energy_drift`: what backward Euler loses, shown by halving the step.
//!
//! * Geometry: a block of tets, 0.4 × 0.1 × 0.1 m in 8 × 2 × 2 cells, ν = 0.3, ρ = 1000 kg/m³,
//!   stable neo-Hookean, neither gravity nor air. For angular momentum E = 2e4 Pa and it turns
//!   about z at 3 rad/s; for energy E = 2e3 Pa and it begins to swing along its axis x
//!   with v = 0.03 m/s · sin(πx/L), its first mode, whose period is about 0.6 s.
//! * Step: h = 2, 1 and ½ ms over 0.1 s; Newton to 1e-12 m, so that only the integrator errs.
//! * Measured: the share of angular momentum about the centre and of total energy that is lost, at
//!   each h.
//! * Expected: losses that halve with h, order 1, within 0.1 (the next term is one power of h
//!   higher); the loss itself is reported. Energy never grows.

use crate::error::VerifyError;
use crate::outcome::{Finding, Quantity, order};
use crate::specimen::Specimen;
use std::f64::consts::PI;
use stiction::numerics::Vec3;

const DURATION: f64 = 0.1;

fn block(step: f64, young: f64, spin: f64) -> Result<Specimen, VerifyError> {
    Specimen::new(&format!(
        "stiction = 1
        fps = {}
        gravity = 0.0
        wind = {{ air_density = 0.0 }}
        method = {{ key = 'newton', tolerance = 1e-12, max_iterations = 100 }}
        [bodies.block]
        kind = 'solid'
        mesh = {{ tet_box = {{ size = [0.4, 0.1, 0.1], cells = [8, 2, 2] }} }}
        material = {{ density = 1000.0, young = {young}, poisson = 0.3, law = 'stable_neo_hookean' }}
        spin = [0, 0, {spin}]",
        1.0 / step
    ))
}

fn run(specimen: &mut Specimen, step: f64) -> Result<(), VerifyError> {
    for _ in 0..(DURATION / step).round() as usize {
        specimen.simulation.step()?;
    }
    Ok(())
}

/// Share of angular momentum that is lost with steps of `step` \[s\].
fn spin_lost(step: f64) -> Result<f64, VerifyError> {
    let mut block = block(step, 2e4, 3.0)?;
    let about_centre = |block: &Specimen| {
        block.state().angular_momentum(&block.simulation.model, &block.simulation.parameters)
    };
    let before: Vec3 = about_centre(&block);
    run(&mut block, step)?;
    Ok((before - about_centre(&block)).norm() / before.norm())
}

/// Share of the total energy that is lost with steps of `step` \[s\].
fn energy_lost(step: f64) -> Result<f64, VerifyError> {
    let mut block = block(step, 2e3, 0.0)?;
    let state = &mut block.simulation.state;
    for (v, x) in state.velocities.iter_mut().zip(&state.blocks) {
        v.x = 0.03 * (PI * x.x / 0.4).sin();
    }
    let total = |block: &Specimen| -> Result<f64, VerifyError> {
        Ok(block.energy_of("solid")?
            + block.state().kinetic_energy(&block.simulation.model, &block.simulation.parameters))
    };
    let before = total(&block)?;
    run(&mut block, step)?;
    Ok(1.0 - total(&block)? / before)
}

fn halved(what: &str, lost: fn(f64) -> Result<f64, VerifyError>) -> Result<Finding, VerifyError> {
    let losses = [lost(2e-3)?, lost(1e-3)?, lost(5e-4)?];
    let mut out = Finding::new();
    for (loss, step) in losses.iter().zip(["2 ms", "1 ms", "½ ms"]) {
        out.push(Quantity::reported(format!("share of {what} lost, h = {step}"), 0.0, *loss));
    }
    out.push(Quantity::within_absolute(0.1, "order in h from 2 to 1 ms", 1.0, order(losses[0], losses[1])));
    out.push(Quantity::within_absolute(0.1, "order in h from 1 to ½ ms", 1.0, order(losses[1], losses[2])));
    Ok(out)
}

/// Runs `momentum_angular`.
pub fn angular() -> Result<Finding, VerifyError> {
    halved("angular momentum", spin_lost)
}

/// Runs `energy_drift`.
pub fn energy() -> Result<Finding, VerifyError> {
    halved("energy", energy_lost)
}
