//! `circle_rod`: a straight rod bent to a half and a whole circle by its ends, M = φ EI/L.
//!
//! * Geometry: a straight round rod of radius 2 mm. Its first segment is held; the last one is led,
//!   in 20 poses, along the ends of circular arcs until it has turned by φ.
//! * Mesh: 65 segments, thus 64 joints of length l each: L = 64 l = 1 m from the middle of the
//!   first to the middle of the last segment.
//! * Model: discrete elastic rod, EI = 1 N m².
//! * Solve: equilibrium by Newton without inertia to 1e-8 m at each pose.
//! * Measured: bending energy, moment of the forces at the held end, and the largest distance of a
//!   node from the circle. Expected: EI φ²/2L, φ EI/L and zero. The joint's curvature 2 tan(φl/2L)
//!   exceeds φl/L by (φl/L)²/12 = 8e-4 at φ = 2π, the energy by twice that: 1 % leaves room for
//!   nothing else. The distance is over L, within 1e-4.

use crate::error::VerifyError;
use crate::outcome::{Finding, Quantity};
use crate::specimen::{STATICS, Specimen};
use std::f64::consts::PI;
use stiction::numerics::Vec3;

const JOINTS: usize = 64;
const RADIUS: f64 = 0.002;
const POSES: usize = 20;

/// Nodes of the polygon that turns by `angle` over all joints; the first segment lies along x from
/// the origin.
fn polygon(angle: f64) -> Vec<Vec3> {
    let l = 1.0 / JOINTS as f64;
    let mut nodes = vec![Vec3::zeros()];
    for segment in 0..=JOINTS {
        let direction = angle * segment as f64 / JOINTS as f64;
        nodes.push(nodes[segment] + Vec3::new(direction.cos(), 0.0, direction.sin()) * l);
    }
    nodes
}

/// The rod after its end has turned by `angle`.
fn bent(angle: f64) -> Result<Specimen, VerifyError> {
    let young = 4.0 / (PI * RADIUS.powi(4));
    let straight = polygon(0.0);
    let middle = |nodes: &[Vec3]| 0.5 * (nodes[JOINTS] + nodes[JOINTS + 1]);
    let start = middle(&straight);
    let keys: Vec<String> = (0..=POSES)
        .map(|pose| {
            let turned = angle * pose as f64 / POSES as f64;
            let moved = middle(&polygon(turned)) - start;
            format!(
                "{{ time = {pose}, translate = [{:.17}, 0, {:.17}], rotate = {{ axis = 'y', degrees = {:.17} }} }}",
                moved.x,
                moved.z,
                -turned.to_degrees()
            )
        })
        .collect();
    let scene = format!(
        "{STATICS}
        gravity = 0.0
        [bodies.rod]
        kind = 'rod'
        mesh = {{ rod = {{ end = [{:.17}, 0, 0], segments = {} }} }}
        material = {{ density = 1000.0, radius = {RADIUS}, young = {young}, poisson = 0.3 }}
        [[bodies.rod.pins]]
        select = {{ indices = [0, 1] }}
        [[bodies.rod.pins]]
        select = {{ indices = [{JOINTS}, {}] }}
        motion = {{ keys = [{}] }}",
        straight[JOINTS + 1].x,
        JOINTS + 1,
        JOINTS + 1,
        keys.join(", ")
    );
    let mut rod = Specimen::new(&scene)?;
    for _ in 0..POSES {
        rod.simulation.step()?;
    }
    rod.settle()?;
    Ok(rod)
}

/// Runs the case.
pub fn measure() -> Result<Finding, VerifyError> {
    let mut out = Finding::new();
    for (angle, name) in [(PI, "φ = π"), (2.0 * PI, "φ = 2π")] {
        let rod = bent(angle)?;
        let gradient = rod.elastic_gradient()?;
        // The first segment is pushed on by −∂V/∂x; what holds it is the opposite.
        let moment: Vec3 = (0..2).map(|n| (rod.node(n) - rod.node(1)).cross(&gradient[n])).sum();
        let expected = polygon(angle);
        let astray = expected.iter().enumerate().map(|(n, x)| (rod.node(n) - x).norm()).fold(0.0, f64::max);
        let energy = rod.energy_of("bend_twist")?;
        out.push(Quantity::within(0.01, format!("EI φ²/2L [J] at {name}"), 0.5 * angle * angle, energy));
        out.push(Quantity::within(0.01, format!("M = φ EI/L [N m] at {name}"), angle, moment.norm()));
        out.push(Quantity::within(1e-4, format!("distance from the circle over L at {name}"), 0.0, astray));
    }
    Ok(out)
}
