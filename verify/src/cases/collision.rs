//! `momentum_collision`: two free bodies that collide keep their momentum.
//!
//! * Geometry: two soft cubes (0.1 m, 3³ cells) without gravity; one flies at 1 m/s into the other, off centre and turned.
//! * Step: h = 1/240 s, 120 steps, friction 0.5. Settings: converged.
//! * Measured: largest change of the linear momentum relative to its start, and of the angular momentum about the origin.
//! * Expected: linear momentum kept to 1e-6 (the sweep conserves Σ w p, so momentum holds to the tolerance); angular momentum to
//!   O(h): reported.

use super::block_text::converged_options;
use crate::error::VerifyError;
use crate::outcome::{Finding, Quantity};
use crate::specimen::Specimen;

const STEPS: usize = 120;

fn scene(method: &str) -> String {
    let options = converged_options(method);
    format!(
        "stiction = 1
        fps = 240
        step = 0.0041666666667
        gravity = 0.0
        wind = {{ air_density = 0.0 }}
        method = {{ key = '{method}', {options} }}
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
        friction = 0.5"
    )
}

/// Runs the case.
pub fn measure(method: &str) -> Result<Finding, VerifyError> {
    let mut specimen = Specimen::new(&scene(method))?;
    let state = |s: &Specimen| {
        (s.state().momentum(&s.simulation.model), s.state().angular_momentum(&s.simulation.model))
    };
    let (linear, angular) = state(&specimen);
    let (mut lost, mut spun, mut touched) = (0.0_f64, 0.0_f64, 0);
    for _ in 0..STEPS {
        touched += usize::from(specimen.simulation.step()?.contacts > 0);
        let (now, turning) = state(&specimen);
        lost = lost.max((now - linear).norm() / linear.norm());
        spun = spun.max((turning - angular).norm());
    }
    let scale = linear.norm() * 0.1;
    Ok(vec![
        Quantity::within_absolute(1e-6, "linear momentum lost, relative", 0.0, lost),
        Quantity::reported("angular momentum changed over p · 0.1 m", 0.0, spun / scale),
        Quantity::reported("steps with contacts", 0.0, touched as f64),
    ])
}
