//! `momentum_collision`: two free bodies that collide keep their momentum.
//!
//! * Geometry: two soft cubes (0.1 m, 3³ cells) without gravity; one flies at 1 m/s into the other, off centre and turned; friction 0.5.
//! * Step: h = 1/240, 1/480 and 1/960 s over 0.5 s. Settings: converged, default, and `pd` by iterations.
//! * Measured: largest change of the linear momentum relative to its start (at h = 1/240 s), and of the angular momentum about the origin
//!   over p · 0.1 m at each h; the order of the latter by halving.
//! * Expected: linear momentum kept to 1e-6 (the sweep conserves Σ w p, so it holds to the tolerance; `pd`, which has none, reports it); angular momentum to O(h): order 1 or more
//!   over both halvings together (more counts as 1), within 0.1. `barrier` only reports
//!   it: its bodies rub across a gap, so that friction has a lever of up to 1 mm whatever h.

use crate::error::VerifyError;
use crate::outcome::{Finding, Quantity, order};
use crate::setup::Setup;
use crate::specimen::Specimen;

const DURATION: f64 = 0.5;

fn scene(setup: &Setup<'_>, step: f64) -> String {
    format!(
        "stiction = 1
        fps = {}
        step = {step}
        gravity = 0.0
        wind = {{ air_density = 0.0 }}
        {}
        [bodies.first]
        kind = 'solid'
        mesh = {{ tet_box = {{ size = [0.1, 0.1, 0.1], cells = [3, 3, 3] }} }}
        material = {{ density = 1000.0, young = 1e5, poisson = 0.3, law = 'corotated' }}
        rotate = {{ axis = [1, 2, 3], degrees = 30 }}
        velocity = [1, 0, 0]
        friction = 0.5
        [bodies.second]
        kind = 'solid'
        mesh = {{ tet_box = {{ size = [0.1, 0.1, 0.1], cells = [3, 3, 3] }} }}
        material = {{ density = 1000.0, young = 1e5, poisson = 0.3, law = 'corotated' }}
        translate = [0.2, 0.03, 0.02]
        friction = 0.5",
        1.0 / step,
        setup.method_line()
    )
}

/// What a collision with steps of some size changes.
struct Change {
    linear: f64,
    angular: f64,
    touched: usize,
}

fn collide(setup: &Setup<'_>, step: f64) -> Result<Change, VerifyError> {
    let mut specimen = Specimen::new(&scene(setup, step))?;
    let momenta = |s: &Specimen| {
        (s.state().momentum(&s.simulation.model), s.state().angular_momentum(&s.simulation.model))
    };
    let (linear, angular) = momenta(&specimen);
    let mut change = Change { linear: 0.0, angular: 0.0, touched: 0 };
    for _ in 0..(DURATION / step).round() as usize {
        change.touched += usize::from(specimen.step()?.contacts > 0);
        let (now, turning) = momenta(&specimen);
        change.linear = change.linear.max((now - linear).norm() / linear.norm());
        change.angular = change.angular.max((turning - angular).norm() / (0.1 * linear.norm()));
    }
    Ok(change)
}

/// Runs the case.
pub fn measure(setup: &Setup<'_>) -> Result<Finding, VerifyError> {
    let changes = [240.0, 480.0, 960.0].map(|rate| collide(setup, 1.0 / rate));
    let [coarse, middle, fine] = changes;
    let (coarse, middle, fine) = (coarse?, middle?, fine?);
    let exact = setup.asked_of(&["admm", "barrier"]);
    let mut out = vec![exact.judged(1e-6, "linear momentum lost, relative", 0.0, coarse.linear)];
    for (change, rate) in [(&coarse, 240), (&middle, 480), (&fine, 960)] {
        let name = format!("angular momentum changed over p · 0.1 m, h = 1/{rate} s");
        out.push(Quantity::reported(name, 0.0, change.angular));
    }
    let reached = 0.5 * order(coarse.angular, fine.angular);
    out.push(Quantity::reported("order of angular momentum in h from 1/240 to 1/960 s", 1.0, reached));
    let exact = setup.asked_of(&["admm", "pd"]);
    out.push(exact.judged_absolute(0.1, "the same, at most 1", 1.0, reached.min(1.0)));
    out.push(Quantity::reported("steps with contacts, h = 1/240 s", 0.0, coarse.touched as f64));
    Ok(out)
}
