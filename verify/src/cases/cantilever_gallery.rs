//! `cantilever_rod_default`, `cantilever_strip_default`, `cantilever_beam_default`: the gallery's
//! cantilevers as a user runs them; `cantilever_rod_settled`, `cantilever_strip_settled`: the first
//! two under the converged settings of methods with contact.
//!
//! * Geometry, mesh, material, step size: those of the gallery scenes `cantilever_rod`,
//!   `cantilever_strip` and `cantilever_beam`, Γ = 10; the method's default settings. Dynamics with
//!   mass damping over the scene's three seconds.
//! * *Settled*: Γ = 1, 10, 100 (rod) and 10 (strip), converged settings (`setup.rs`), mass damping
//!   raised to 8 1/s.
//! * Measured: drop H over reach W of the mean of the free end, at the end of the run.
//! * Expected: the heavy elastica. *Rod*: 40 segments; the wall is the middle of the clamped
//!   segment (see `cantilever_rod`), so that the length
//!   is 0.2025 m and Γ = 10 · 1.0125³; within 1 %. *Strip*: ν = 0, so that the width does
//!   not matter: reported, since the scene is meant to be changed. *Beam*: four linear tets through
//!   the height are too stiff: reported.
//!   *Settled*: rod within 1 %, strip within 2 %; `pd`, which bends strips by hinges, is only
//!   reported there.

use crate::curve::Curve;
use crate::error::VerifyError;
use crate::outcome::{Finding, Quantity};
use crate::setup::Setup;
use crate::specimen::Specimen;
use stiction::gallery;
use stiction::numerics::Vec3;

/// Drop over reach of the gallery scene of that name, with changes, after its last frame; the wall
/// is at `wall` \[m\].
fn drop_over_reach(name: &str, changes: &[String], wall: f64) -> Result<f64, VerifyError> {
    let text = gallery::find(name).map_or("", |scene| scene.text);
    let mut specimen = Specimen::with_changes(text, changes)?;
    for _ in 0..specimen.simulation.settings().frames {
        specimen.simulation.advance_frame()?;
    }
    let rest = &specimen.simulation.model.rest;
    let far = rest.iter().map(|x| x.x).fold(f64::MIN, f64::max);
    let end: Vec<usize> = (0..rest.len()).filter(|&n| rest[n].x > far - 1e-9).collect();
    let tip = end.iter().map(|&n| specimen.node(n)).sum::<Vec3>() / end.len() as f64;
    Ok(-tip.z / (tip.x - wall))
}

fn under(method: &str) -> String {
    format!("method.key={method}")
}

/// Changes that give a gallery scene the method and the settings.
fn settings(setup: &Setup<'_>, body: &str) -> Vec<String> {
    let mut out = vec![under(setup.method), format!("bodies.{body}.material.damping_mass=8.0")];
    out.extend(setup.options().into_iter().map(|(name, value)| format!("method.{name}={value}")));
    out
}

/// Runs `cantilever_rod_settled`.
pub fn rod_settled(setup: &Setup<'_>) -> Result<Finding, VerifyError> {
    let mut out = Finding::new();
    for gamma in [1.0, 10.0, 100.0] {
        let mut changes = settings(setup, "rod");
        changes.push(format!("bodies.rod.material.young={:e}", 1.25568e7 / gamma));
        let expected = Curve::heavy_cantilever().at(gamma * 1.0125_f64.powi(3), 1);
        let measured = drop_over_reach("cantilever_rod", &changes, -0.0025)?;
        out.push(setup.judged(0.01, format!("H/W at Γ = {gamma} · 1.038"), expected, measured));
    }
    Ok(out)
}

/// Runs `cantilever_strip_settled`.
pub fn strip_settled(setup: &Setup<'_>) -> Result<Finding, VerifyError> {
    let measured = drop_over_reach("cantilever_strip", &settings(setup, "strip"), 0.0)?;
    let (name, expected) = ("H/W at Γ = 10", Curve::heavy_cantilever().at(10.0, 1));
    Ok(vec![match setup.method {
        "pd" => Quantity::reported(name, expected, measured),
        _ => setup.judged(0.02, name, expected, measured),
    }])
}

/// Runs `cantilever_rod_default`.
pub fn rod(method: &str) -> Result<Finding, VerifyError> {
    let expected = Curve::heavy_cantilever().at(10.0 * 1.0125_f64.powi(3), 1);
    let measured = drop_over_reach("cantilever_rod", &[under(method)], -0.0025)?;
    Ok(vec![Quantity::within(0.01, "H/W at Γ = 10.38", expected, measured)])
}

/// Runs `cantilever_strip_default`.
pub fn strip(method: &str) -> Result<Finding, VerifyError> {
    let measured = drop_over_reach("cantilever_strip", &[under(method)], 0.0)?;
    Ok(vec![Quantity::reported("H/W at Γ = 10", Curve::heavy_cantilever().at(10.0, 1), measured)])
}

/// Runs `cantilever_beam_default`.
pub fn beam(method: &str) -> Result<Finding, VerifyError> {
    let measured = drop_over_reach("cantilever_beam", &[under(method)], 0.0)?;
    Ok(vec![Quantity::reported("H/W at Γ = 10", Curve::heavy_cantilever().at(10.0, 1), measured)])
}
