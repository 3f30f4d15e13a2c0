//! Sheets in the air: whatever the iterations, nothing brakes them before they touch. What is left
//! is rounding, times the ratio of stiffness to mass in the global matrix, h² K/m ≈ 1e5.

use super::Run;
use stiction_numerics::Vec3;

/// A stiff sheet above a ball, with options of the method.
fn sheet(options: &str, gravity: f64) -> Run {
    Run::new(&format!(
        "stiction = 1
        fps = 60
        gravity = {gravity}
        wind = {{ air_density = 0.0 }}
        method = {{ key = 'pd', {options} }}
        [bodies.sheet]
        kind = 'cloth'
        mesh = {{ grid = {{ size = [0.5, 0.5], cells = [12, 12], pattern = 'alternating' }} }}
        translate = [0, 0, 0.3]
        material = {{ density = 300.0, thickness = 0.001, young = 1e7, poisson = 0.3, strain_limit = 0.01 }}
        [colliders.ball]
        sphere = {{ radius = 0.1 }}"
    ))
}

const OPTIONS: [&str; 4] = [
    "iterations = 1",
    "iterations = 20",
    "iterations = 5, elastic_weight = 0.1, beta = 100.0",
    "iterations = 5, contact_weight = 1e4, final_passes = 2",
];

/// Backward Euler falls by g h² n (n + 1)/2 in n steps; ten of 1/60 s take the sheet 0.15 m of the
/// 0.2 m to the ball.
#[test]
fn a_sheet_falls_freely_until_it_touches() {
    for options in OPTIONS {
        let mut run = sheet(options, 9.81);
        let (h, steps) = (1.0 / 60.0, 10);
        (0..steps).for_each(|_| assert_eq!(run.step(h).contacts, 0, "{options}"));
        let fallen = 9.81 * h * h * f64::from(steps * (steps + 1)) / 2.0;
        let off = |x: &Vec3| (x.z - (0.3 - fallen)).abs();
        let worst = run.state.blocks[..run.model.nodes].iter().map(off).fold(0.0, f64::max);
        println!("{options}: {worst} m off");
        assert!(worst < 1e-10, "{options}: {worst} m off");
    }
}

/// A sheet that is thrown at its corners folds as it flies: its momentum stays.
#[test]
fn a_sheet_that_folds_in_flight_keeps_its_momentum() {
    for options in OPTIONS {
        let mut run = sheet(options, 0.0);
        for (x, v) in run.state.blocks.iter().zip(&mut run.state.velocities) {
            *v = Vec3::new(0.2, 0.0, 40.0 * x.x * x.y);
        }
        let before = run.state.momentum(&run.model, &run.parameters);
        (0..15).for_each(|_| assert_eq!(run.step(1.0 / 60.0).contacts, 0, "{options}"));
        let bent = run.state.blocks.iter().map(|x| (x.z - 0.3).abs()).fold(0.0, f64::max);
        let lost = (run.state.momentum(&run.model, &run.parameters) - before).norm() / before.norm();
        println!("{options}: lost {lost}");
        assert!(lost < 1e-8 && bent > 0.02, "{options}: lost {lost}, bent {bent} m");
    }
}
