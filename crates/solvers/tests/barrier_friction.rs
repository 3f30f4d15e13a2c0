//! Friction of method `barrier` where its normal force changes much within a step.

mod common;

use common::Run;
use stiction_numerics::Vec3;

/// Gravity on a slope of 10 degrees \[m/s²\].
const GRAVITY: [f64; 2] = [1.7034887, -9.6609641];
const FRICTION: f64 = 0.177;

/// A block of 100 MPa on that slope, 0.5 mm above it with a gap of 1 mm, thrown down it at 0.1 m/s.
fn thrown(options: &str) -> Run {
    let [along, down] = GRAVITY;
    Run::new(&format!(
        "stiction = 1
        fps = 50
        gravity = [{along}, 0.0, {down}]
        method = {{ key = 'barrier'{options} }}
        [bodies.block]
        kind = 'solid'
        mesh = {{ tet_box = {{ size = [0.1, 0.1, 0.05], cells = [2, 2, 1] }} }}
        translate = [0, 0, 0.0255]
        velocity = [0.1, 0, 0]
        friction = {FRICTION}
        gap = 0.001
        material = {{ density = 1000.0, young = 1e8, poisson = 0.3 }}
        [colliders.slope]
        plane = {{ normal = [0, 0, 1], offset = 0.0 }}
        friction = {FRICTION}
        gap = 0.001"
    ))
}

/// Centre of mass \[m\].
fn centre(run: &Run) -> Vec3 {
    let moment: Vec3 = run.parameters.mass.iter().zip(&run.state.blocks).map(|(m, x)| x * *m).sum();
    moment / run.parameters.mass.iter().sum::<f64>()
}

/// The barrier first pushes with 4000 times the weight; friction that followed it would stop the
/// block. In n backward Euler steps with friction μ times the normal force the block goes
/// `h Σ (v₀ + k h a) − μ Δz`, `a = g_x + μ g_z`: what lifts it by Δz presses it down by as much.
#[test]
fn a_block_set_down_within_the_gap_slides_on() {
    const STEPS: usize = 20;
    const STEP: f64 = 0.02;
    let mut run = thrown("");
    let start = centre(&run);
    (0..STEPS).for_each(|_| drop(run.step(STEP)));
    let way = centre(&run) - start;
    let n = STEPS as f64;
    let acceleration = GRAVITY[0] + FRICTION * GRAVITY[1];
    let expected = n * STEP * 0.1 + 0.5 * n * (n + 1.0) * STEP * STEP * acceleration - FRICTION * way.z;
    println!("{} m, expected {expected} m", way.x);
    // The tolerance, 1 mm/s, over 0.4 s is the most that can be missed.
    assert!((way.x - expected).abs() < 1e-4, "{} against {expected}", way.x);
    assert!(way.z > 4e-4, "the barrier lifts it by {}", way.z);
}

/// Tangents open the gap by halves, chords to the forces of the last linear solve at once.
#[test]
fn forecasts_find_a_gap_in_few_iterations() {
    let iterations = |options: &str| {
        let report = thrown(options).step(0.02);
        assert!(report.converged, "{options}: {} iterations", report.iterations);
        report.iterations
    };
    let (chords, tangents) = (iterations(""), iterations(", forecast = false, refine_iterations = 64"));
    println!("{chords} iterations by chords, {tangents} by tangents");
    assert!(3 * chords <= 2 * tangents, "{chords} against {tangents}");
}
