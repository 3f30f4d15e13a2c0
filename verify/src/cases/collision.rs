//! `momentum_collision`: two free bodies that collide keep their momentum.
//!
//! * Geometry: two soft cubes (0.1 m, 3³ cells, a skin of 0.2 µm) without gravity; one flies at 1
//!   m/s into the other, off centre and turned; friction 0.5.
//! * Step: h = 1/3840, 1/7680 and 1/15360 s over 0.13 s, which ends after the cubes have parted.
//!   Settings: converged, default, and `pd` by iterations.
//! * Measured: largest change of the linear momentum relative to its start (at the largest h), and
//!   of the angular momentum about the origin
//!   over p · 0.1 m at each h; the order of the latter by halving. The change L⁺ − L of a step has
//!   two parts,
//!
//!   ```text
//!   Σ m x⁺ × (v⁺ − v)      torque of the impulses of the step about the places where it ends: contact
//!   Σ m (x⁺ − x) × v       backward Euler, which takes spin from whatever turns or vibrates
//!   ```
//!
//!   since x⁺ − x = h v⁺. Elastic forces are taken at x⁺ and have no torque there, so the first
//!   part is the contact's own share.
//! * Expected: linear momentum kept to 1e-6 (the sweep conserves Σ w p, so it holds to the
//!   tolerance; `pd`, which has none, reports it); angular momentum to O(h): order 1 or more over
//!   both halvings together (more counts as 1), within 0.1. The contact's share by its size: the
//!   two places
//!   of a contact slide apart within a step, so its impulse p has a lever of up to h · 1 m/s.
//!   (`barrier`, whose
//!   bodies rub across a gap of up to 1 mm, carries the couple of friction by forces on triangles.)

use crate::error::VerifyError;
use crate::outcome::{Finding, Quantity, order};
use crate::setup::Setup;
use crate::specimen::Specimen;
use stiction::numerics::Vec3;

const DURATION: f64 = 0.13;
/// Steps per second.
const RATES: [u32; 3] = [3840, 7680, 15360];
/// Speed of the cube that flies \[m/s\].
const SPEED: f64 = 1.0;
/// Edge of the cubes \[m\]: the lever that angular momenta are compared with.
const EDGE: f64 = 0.1;

fn scene(setup: &Setup<'_>, rate: u32) -> String {
    let cube = format!(
        "kind = 'solid'
        mesh = {{ tet_box = {{ size = [{EDGE}, {EDGE}, {EDGE}], cells = [3, 3, 3] }} }}
        material = {{ density = 1000.0, young = 1e5, poisson = 0.3, law = 'corotated' }}
        thickness = 2e-7
        friction = 0.5"
    );
    format!(
        "stiction = 1
        fps = {rate}
        gravity = 0.0
        wind = {{ air_density = 0.0 }}
        {}
        [bodies.first]
        {cube}
        rotate = {{ axis = [1, 2, 3], degrees = 30 }}
        velocity = [{SPEED}, 0, 0]
        [bodies.second]
        {cube}
        translate = [0.14, 0.03, 0.02]",
        setup.method_line()
    )
}

/// What a collision with steps of some size changes at most: linear momentum relative to its start,
/// the others over p · 0.1 m.
#[derive(Default)]
struct Change {
    linear: f64,
    angular: f64,
    by_contact: f64,
    touched: usize,
}

fn collide(setup: &Setup<'_>, rate: u32) -> Result<Change, VerifyError> {
    let mut specimen = Specimen::new(&scene(setup, rate))?;
    let momenta = |s: &Specimen| {
        (
            s.state().momentum(&s.simulation.model, &s.simulation.parameters),
            s.state().angular_momentum(&s.simulation.model, &s.simulation.parameters),
        )
    };
    let (linear, angular) = momenta(&specimen);
    let scale = EDGE * linear.norm();
    let mut change = Change::default();
    let mut by_integration = Vec3::zeros();
    for _ in 0..(DURATION * f64::from(rate)).round() as usize {
        let before = specimen.state().clone();
        change.touched += usize::from(specimen.step()?.contacts > 0);
        let after = specimen.state();
        for (j, mass) in specimen.simulation.parameters.mass.iter().enumerate() {
            by_integration += (after.blocks[j] - before.blocks[j]).cross(&before.velocities[j]) * *mass;
        }
        let (now, turning) = momenta(&specimen);
        change.linear = change.linear.max((now - linear).norm() / linear.norm());
        change.angular = change.angular.max((turning - angular).norm() / scale);
        change.by_contact = change.by_contact.max((turning - angular - by_integration).norm() / scale);
    }
    Ok(change)
}

/// Runs the case.
pub fn measure(setup: &Setup<'_>) -> Result<Finding, VerifyError> {
    let changes: Vec<Change> = RATES.iter().map(|&rate| collide(setup, rate)).collect::<Result<_, _>>()?;
    let [coarse, .., fine] = &changes[..] else { unreachable!("there are three step sizes") };
    let summed = setup.asked_of(&["admm", "barrier"]);
    let mut out = vec![summed.judged(1e-6, "linear momentum lost, relative", 0.0, coarse.linear)];
    let exact = setup.asked_of(&["admm", "pd", "barrier"]);
    for (change, rate) in changes.iter().zip(RATES) {
        let name = |what: &str| format!("{what} over p · 0.1 m, h = 1/{rate} s");
        out.push(Quantity::reported(name("angular momentum changed"), 0.0, change.angular));
        out.push(Quantity::reported(name("by contact"), 0.0, change.by_contact));
    }
    let reached = order(coarse.angular, fine.angular) / (RATES.len() - 1) as f64;
    out.push(Quantity::reported("order of angular momentum in h over all halvings", 1.0, reached));
    out.push(exact.judged_absolute(0.1, "the same, at most 1", 1.0, reached.min(1.0)));
    let levers = changes.iter().zip(RATES).map(|(c, rate)| c.by_contact * EDGE * f64::from(rate) / SPEED);
    let lever = levers.fold(0.0, f64::max);
    out.push(exact.judged(1.0, "lever of contact impulses over the way in a step, largest", 0.0, lever));
    out.push(Quantity::reported("steps with contacts at the largest h", 0.0, coarse.touched as f64));
    Ok(out)
}
