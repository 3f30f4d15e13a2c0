//! `bend_twist_hanging`: a naturally curved hanging rod leaves its plane at κL = κ_c(Γ), Γ = 30,
//! 100, 300.
//!
//! * Geometry: a round rod of length L = 1 m and radius 1 mm that would be an arc of curvature κ,
//!   clamped at its upper end with a vertical tangent, hanging along −z. It begins straight.
//! * Mesh: 100 free segments and a clamped one that also holds the twist; the wall is its middle
//!   (see `cantilever_rod`).
//! * Model: discrete elastic rod, natural curvature κ, EI = 1 N m², shear modulus E/3, thus GJ/EI =
//!   2/3.
//! * Solve: the plane equilibrium by Newton without inertia to 1e-8 m, from the straight rod, then
//!   the sign of the exact Hessian by its factorisation; κ is found by halving to 1e-4.
//! * Measured: κL at which the plane state becomes unstable under Γ = w L³/EI. Expected: the curve
//!   of the linear stability problem (Romero et al. 2021, after Miller et al. 2014), within 5 %.

use crate::curve::Curve;
use crate::error::VerifyError;
use crate::outcome::{Finding, Quantity};
use crate::specimen::{STATICS, Specimen, threshold};
use std::f64::consts::PI;
use stiction::numerics::Vec3;

const SEGMENTS: usize = 100;
const RADIUS: f64 = 0.001;
const DENSITY: f64 = 1000.0;

/// A straight rod along −z whose natural shape is an arc of `curvature` \[1/m\] in a vertical
/// plane.
fn curved(curvature: f64, gamma: f64) -> Result<Specimen, VerifyError> {
    let l = 1.0 / (SEGMENTS as f64 + 0.5);
    let young = 4.0 / (PI * RADIUS.powi(4));
    let scene = format!(
        "{STATICS}
        gravity = {}
        [bodies.rod]
        kind = 'rod'
        mesh = {{ rod = {{ start = [0, 0, {:.17}], end = [0, 0, -1], segments = {} }} }}
        material = {{ density = {DENSITY}, radius = {RADIUS}, young = {young}, poisson = 0.3, shear = {} }}
        pins = [{{ select = {{ indices = [0, 1] }} }}]",
        gamma / (DENSITY * PI * RADIUS * RADIUS),
        0.5 * l,
        SEGMENTS + 1,
        young / 3.0
    );
    Specimen::edited(&scene, |scene| scene.bodies[0].mesh.rest_vertices = Some(arc(curvature, l)))
}

/// Nodes of an arc in the plane xz whose first segment points along −z; the joint's curvature 2
/// tan(α/2) is κl.
fn arc(curvature: f64, l: f64) -> Vec<Vec3> {
    let turn = 2.0 * (0.5 * curvature * l).atan();
    let mut nodes = vec![Vec3::zeros()];
    for segment in 0..=SEGMENTS {
        let angle = turn * segment as f64;
        nodes.push(nodes[segment] + Vec3::new(angle.sin(), 0.0, -angle.cos()) * l);
    }
    nodes
}

/// Runs the case.
pub fn measure() -> Result<Finding, VerifyError> {
    let curve = Curve::bend_twist();
    let mut out = Finding::new();
    for gamma in [30.0, 100.0, 300.0] {
        let expected = curve.at(gamma, 1);
        let critical = threshold(0.6 * expected, 1.4 * expected, |curvature| {
            let mut rod = curved(curvature, gamma)?;
            rod.settle()?;
            rod.is_stable()
        })?;
        out.push(Quantity::within(0.05, format!("κL at Γ = {gamma}"), expected, critical));
    }
    Ok(out)
}
