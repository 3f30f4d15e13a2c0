//! Friction that depends on the direction: a block on a slope with a grain.

use super::Run;
use stiction_numerics::Vec3;

const SLOPE: f64 = 25.0;
const ALONG: f64 = 0.1;
const ACROSS: f64 = 0.3;

/// A block that rests on a slope of 25 degrees, downhill along x; the grain of the slope makes an
/// angle with x.
fn block(grain_degrees: f64, law: &str) -> String {
    let (sin, cos) = SLOPE.to_radians().sin_cos();
    let (s, c) = grain_degrees.to_radians().sin_cos();
    // Gravity is tilted instead of the plane, so that the grain lies in the xy plane.
    format!(
        "stiction = 1
        fps = 100
        gravity = [{}, 0, {}]
        method = {{ key = 'pd', iterations = 40, sweeps = 10 }}
        friction = {{ ellipse = '{law}' }}
        [bodies.block]
        kind = 'solid'
        mesh = {{ tet_box = {{ size = [0.2, 0.2, 0.1], cells = [2, 2, 1] }} }}
        translate = [0, 0, 0.05]
        material = {{ density = 1000.0, young = 1e6, poisson = 0.3, damping_stiffness = 0.01 }}
        friction = 1.0
        [colliders.slope]
        plane = {{ normal = 'z' }}
        friction = 1.0
        friction_direction = {{ direction = [{c}, {s}, 0], along = {}, across = {} }}",
        9.81 * sin,
        -9.81 * cos,
        ALONG * ALONG,
        ACROSS * ACROSS
    )
}

/// Mean acceleration in the plane after the block has settled \[m/s²\].
fn acceleration(text: &str) -> Vec3 {
    let (h, mut run) = (0.01, Run::new(text));
    (0..20).for_each(|_| drop(run.step(h)));
    let before = run.velocity();
    (0..20).for_each(|_| drop(run.step(h)));
    (run.velocity() - before) / (20.0 * h)
}

/// Friction opposes the motion, which stays straight downhill: a = g (sin α − μ(θ) cos α) with
/// 1/μ² = cos²θ/μ₁² + sin²θ/μ₂².
#[test]
fn the_ray_law_slides_straight_down() {
    let (sin, cos) = SLOPE.to_radians().sin_cos();
    for degrees in [0.0, 30.0, 65.0, 120.0] {
        let a = acceleration(&block(degrees, "ray"));
        let (s, c) = f64::to_radians(degrees).sin_cos();
        let friction = 1.0 / (c / ALONG).hypot(s / ACROSS);
        let exact = 9.81 * (sin - friction * cos);
        assert!((a.x / exact - 1.0).abs() < 0.02 && a.y.abs() < 0.02 * exact, "{degrees}: {a} {exact}");
    }
}

/// Friction does the most work: from rest the block goes along a fixed direction d with
/// `a d = g sin α x − g cos α r(d)`,
/// r = (μ₁² d₁, μ₂² d₂)/|(μ₁ d₁, μ₂ d₂)| in the axes of the grain.
#[test]
fn maximum_dissipation_steers_along_the_grain() {
    let (sin, cos) = SLOPE.to_radians().sin_cos();
    let degrees = 30f64;
    let (s, c) = degrees.to_radians().sin_cos();
    let (along, across) = (Vec3::new(c, s, 0.0), Vec3::new(-s, c, 0.0));
    let mut exact = Vec3::x();
    for _ in 0..200 {
        let (d1, d2) = (exact.dot(&along), exact.dot(&across));
        let size = (ALONG * d1).hypot(ACROSS * d2);
        let braked = along * (ALONG * ALONG * d1 / size) + across * (ACROSS * ACROSS * d2 / size);
        // Damped, else it goes to and fro.
        exact = exact * 0.7 + (Vec3::x() * (9.81 * sin) - braked * (9.81 * cos)) * 0.3;
    }
    let a = acceleration(&block(degrees, "maximum_dissipation"));
    assert!(exact.y.abs() > 0.1, "the law must steer: {exact}");
    assert!((a - exact).norm() < 0.02 * exact.norm(), "{a} {exact}");
}
