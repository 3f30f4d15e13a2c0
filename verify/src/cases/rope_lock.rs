//! `rope_lock`: a rope wound over, under and over three cylinders holds a heavy soft body by
//! friction alone, or runs out.
//!
//! * Geometry: after Daviet 2020, figure 2. Cylinders of radius R − r = 0.048 m side by side, 2R =
//!   0.1 m apart, the middle one 0.1 m lower; the rope (radius r = 2 mm) takes half a turn on each,
//!   a tail of 0.3 m hangs on the first, and on the last a soft cube (30 mm, 3³ cells) whose top is
//!   tied to the end of the rope, 0.1 m below.
//! * Mesh: segments of about 8 mm. EA = 2000 N, EI = 1e-6 N m², rope 25 g/m, cube 0.15 kg.
//! * Step: h = 1/240 s; ½ s with μ = 2, 1 s in which it falls to 0.5 or 0.2, then 1 s. Settings:
//!   converged, default, and `pd` by iterations. Let go at once, a rope that does not lie tight
//!   swings as it tightens: barriers first push it off the cylinders and the cube up by 17 mm, and
//!   let go from there it sank by 5.6 mm before it stood.
//! * Measured: how far the cube sinks in that second.
//! * Expected: with b the weight per length of the rope, a half turn over a cylinder takes T to
//!   e^{μπ} T + bR·2μ/(1+μ²)·(e^{μπ}+1), one below it to the same with −b; straight parts add ∓b
//!   per length. The tail then holds the cube for μ above 0.317. At 0.5 it locks: sinks less than 1
//!   mm. At 0.2 it runs out: the cube falls more than 0.3 m, the tail's length, in that second.

use crate::error::VerifyError;
use crate::outcome::{Finding, Quantity};
use crate::setup::Setup;
use crate::specimen::{Specimen, critical_friction};
use std::f64::consts::PI;
use stiction::numerics::Vec3;
use stiction::scene::Cells;

const RADIUS: f64 = 0.05;
const LOWER: f64 = 0.1;
const TAIL: f64 = 0.3;
const DROP: f64 = 0.1;
const SEGMENT: f64 = 0.008;
const GRAVITY: f64 = 9.81;
/// Weight of the rope per length \[N/m\].
const ROPE: f64 = 2000.0 * PI * 0.002 * 0.002 * GRAVITY;
/// Friction at the start, and the steps with it, while it falls, and that count.
const FIRM: f64 = 2.0;
const SETTLING: usize = 120;
const FALLING: usize = 240;
const COUNTED: usize = 240;
/// Mass of the cube \[kg\].
const CUBE: f64 = 0.15;

/// Whether the cube outweighs what the tail holds at a friction.
fn runs(mu: f64) -> bool {
    let grip = (mu * PI).exp();
    let own = ROPE * RADIUS * 2.0 * mu / (1.0 + mu * mu) * (grip + 1.0);
    let first = grip * ROPE * TAIL + own;
    let second = grip * (first - ROPE * LOWER) - own;
    let third = grip * (second + ROPE * LOWER) + own;
    third < GRAVITY * CUBE + ROPE * DROP
}

/// The centreline from the tail to the cube, `lift` away from the cylinders.
fn centreline(lift: f64) -> Vec<Vec3> {
    let bend = RADIUS + lift;
    let parts = [TAIL, PI * bend, LOWER, PI * bend, LOWER, PI * bend, DROP];
    let total: f64 = parts.iter().sum();
    let turned = |centre: Vec3, angle: f64| centre + Vec3::new(-angle.cos(), 0.0, angle.sin()) * bend;
    let point = |mut s: f64| {
        let mut part = 0;
        while part < 6 && s > parts[part] {
            s -= parts[part];
            part += 1;
        }
        let middle = |index: usize, z: f64| Vec3::new(2.0 * bend * index as f64, 0.0, z);
        match part {
            0 => Vec3::new(-bend, 0.0, s - TAIL),
            1 => turned(middle(0, 0.0), s / bend),
            2 => Vec3::new(bend, 0.0, -s),
            3 => turned(middle(1, -LOWER), -s / bend),
            4 => Vec3::new(3.0 * bend, 0.0, s - LOWER),
            5 => turned(middle(2, 0.0), s / bend),
            _ => Vec3::new(5.0 * bend, 0.0, -s),
        }
    };
    let count = (total / SEGMENT).round() as usize;
    (0..=count).map(|i| point(total * i as f64 / count as f64)).collect()
}

fn scene(setup: &Setup<'_>, nodes: usize) -> String {
    let spacing = 2.0 * (RADIUS + setup.lift());
    let density = CUBE / 0.03f64.powi(3);
    let drum = |index: usize, z: f64| {
        let x = spacing * index as f64;
        format!(
            "[colliders.drum_{index}]\ncylinder = {{ start = [{x}, -0.1, {z}], end = [{x}, 0.1, {z}], radius = 0.048 }}\n"
        )
    };
    let drums = format!("{}{}{}", drum(0, 0.0), drum(1, -LOWER), drum(2, 0.0));
    format!(
        "stiction = 1
        fps = 240
        step = 0.0041666666667
        gravity = {GRAVITY}
        wind = {{ air_density = 0.0 }}
        {}
        attachments = [{{ body = 'rope', select = {{ indices = [{}] }}, to_body = 'cube', stiffness = 2000.0 }}]
        [bodies.cube]
        kind = 'solid'
        mesh = {{ tet_box = {{ size = [0.03, 0.03, 0.03], cells = [3, 3, 3] }} }}
        material = {{ density = {density}, young = 5e5, poisson = 0.3, law = 'corotated', damping_mass = 1.0, damping_stiffness = 0.005 }}
        translate = [{}, 0, {}]
        gap = 0.0005
        [bodies.rope]
        kind = 'rod'
        mesh = {{ rod = {{ end = [0, 0, 1], segments = {} }} }}
        material = {{ density = 2000.0, radius = 0.002, young = 1.6e8, young_bending = 8e4, shear = 4e4, damping_mass = 1.0, damping_stiffness = 0.002, damping_bending = 0.01 }}
        gap = 0.0005
        self_contact = false
        {drums}",
        setup.method_line(),
        nodes - 1,
        2.5 * spacing,
        -DROP - 0.003 - 0.015,
        nodes - 1,
    )
}

/// How far the cube sinks in one second at a friction \[m\].
fn sinking(setup: &Setup<'_>, mu: f64) -> Result<f64, VerifyError> {
    let points = centreline(setup.lift());
    let mut specimen = Specimen::edited(&scene(setup, points.len()), |scene| {
        let body = &mut scene.bodies[1];
        body.mesh.cells = Cells::Strands(vec![(0..points.len() as u32).collect()]);
        body.mesh.vertices = points.clone();
        if let stiction::scene::Material::Rod(rod) = &mut body.material {
            rod.rest_curved = false;
        }
    })?;
    for step in 0..SETTLING + FALLING {
        let share = step.saturating_sub(SETTLING) as f64 / FALLING as f64;
        specimen.simulation.parameters.friction.fill(FIRM + (mu - FIRM) * share);
        specimen.step()?;
    }
    specimen.simulation.parameters.friction.fill(mu);
    let before = specimen.node(0).z;
    for _ in 0..COUNTED {
        specimen.step()?;
    }
    Ok(before - specimen.node(0).z)
}

/// Runs the case.
pub fn lock(setup: &Setup<'_>) -> Result<Finding, VerifyError> {
    let critical = critical_friction(0.2, 0.5, 30, |mu| Ok(runs(mu)))?;
    let (held, ran) = (sinking(setup, 0.5)?, sinking(setup, 0.2)?);
    Ok(vec![
        Quantity::reported("friction that just holds, by the closed form", critical, critical),
        setup.judged(1e-3, "sunk in 1 s at μ 0.5 [m]", 0.0, held),
        setup.judged(
            0.0,
            "runs out at μ 0.2 (1 when it sinks by more than the tail)",
            1.0,
            f64::from(ran > TAIL),
        ),
        Quantity::reported("sunk in 1 s at μ 0.2 [m]", ran, ran),
    ])
}
