//! `drag_plate`: a plate in still air is slowed, one in wind is carried along, by quadratic drag.
//!
//! * Geometry: a sheet of 15 g/m², 0.5 m square, 4 × 4 cells, flat, across its motion; no gravity.
//!   Drag along the normal C = 1.2, air density 1.2 kg/m³.
//! * Two starts: the plate moves at 5 m/s in still air; the plate rests in a wind of 10 m/s.
//! * Steps: 1, 5, 20 and 40 ms, over 0.2 s; the method's default settings.
//! * Expected: with u = wind − velocity, `m u̇ = −k|u|u`, k = ½ρCA, so that u(t) = u₀/(1 + k|u₀|t/m).
//!   The linearly implicit step has this solution exactly, whatever its length: u/u₀ at the end
//!   within 1e-6, what tolerances of the methods leave.
//! * No step may reverse the motion or overtake the wind: the smallest u/u₀ of all steps is positive,
//!   and never above 1.

use crate::error::VerifyError;
use crate::outcome::{Finding, Quantity};
use crate::setup::Setup;
use crate::specimen::Specimen;
use stiction::numerics::Vec3;

const DURATION: f64 = 0.2;
const STEPS: [f64; 4] = [0.001, 0.005, 0.02, 0.04];
const AIR: f64 = 1.2;
const DRAG: f64 = 1.2;
const DENSITY: f64 = 83.0;
const THICKNESS: f64 = 0.00018;

/// How the plate and the air start \[m/s\].
struct Start {
    name: &'static str,
    velocity: f64,
    wind: f64,
}

const STARTS: [Start; 2] = [
    Start { name: "still air", velocity: -5.0, wind: 0.0 },
    Start { name: "wind", velocity: 0.0, wind: 10.0 },
];

fn scene(setup: &Setup<'_>, start: &Start, step: f64) -> String {
    format!(
        "stiction = 1
        fps = 5
        step = {step}
        gravity = 0.0
        wind = {{ air_density = {AIR}, velocity = [0, 0, {}] }}
        {}
        [bodies.plate]
        kind = 'cloth'
        mesh = {{ grid = {{ size = [0.5, 0.5], cells = [4, 4] }} }}
        material = {{ density = {DENSITY}, thickness = {THICKNESS}, young = 4.6e6, poisson = 0.3, \
                      drag_normal = {DRAG}, drag_tangential = 0.0 }}
        velocity = [0, 0, {}]",
        start.wind,
        setup.method_line(),
        start.velocity
    )
}

/// Wind relative to the plate over its start, mean over the mass.
fn relative(specimen: &Specimen, start: &Start) -> f64 {
    let (model, parameters) = (&specimen.simulation.model, &specimen.simulation.parameters);
    let mass: f64 = parameters.mass[..model.nodes].iter().sum();
    let velocity = specimen.state().momentum(model, parameters).dot(&Vec3::z()) / mass;
    (start.wind - velocity) / (start.wind - start.velocity)
}

/// Runs the case.
pub fn measure(setup: &Setup<'_>) -> Result<Finding, VerifyError> {
    let mut out = Finding::new();
    for start in &STARTS {
        let rate = 0.5 * AIR * DRAG / (DENSITY * THICKNESS) * (start.wind - start.velocity).abs();
        for step in STEPS {
            let mut specimen = Specimen::new(&scene(setup, start, step))?;
            let (mut smallest, mut largest) = (1.0f64, 0.0f64);
            while specimen.state().time < DURATION - 0.5 * step {
                specimen.step()?;
                let now = relative(&specimen, start);
                (smallest, largest) = (smallest.min(now), largest.max(now));
            }
            let label = format!("{}, h = {} ms", start.name, 1e3 * step);
            let expected = 1.0 / (1.0 + rate * DURATION);
            let measured = relative(&specimen, start);
            out.push(Quantity::within(1e-6, format!("relative speed, {label}"), expected, measured));
            let astray = (-smallest).max(largest - 1.0).max(0.0);
            out.push(Quantity::within(0.0, format!("reversed or overtaken, {label}"), 0.0, astray));
        }
    }
    Ok(out)
}
