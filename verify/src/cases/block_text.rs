//! A block on a plane whose gravity is tilted: the specimen of the slope and stopping cases.

/// Settings tight enough that friction decides, not the tolerance.
pub(super) fn converged_options(method: &str) -> &'static str {
    match method {
        "admm" => {
            "newton_iterations = 2, max_iterations = 400, sweeps = 20, tolerance = 1e-10, relative_tolerance = 0.0, sleep = 0.0"
        }
        "pd" => "iterations = 400",
        _ => "",
    }
}

/// Slope angle \[degrees\].
pub(super) const SLOPE: f64 = 10.0;
/// Gravity \[m/s²\].
pub(super) const GRAVITY: f64 = 9.81;

/// A stiff block (100 MPa, so that its own shear does not count) of 0.2 × 0.2 × 0.1 m (2 × 2 × 1 cells of tets) that lies on a plane of friction `mu`; gravity points down a slope
/// of 10 degrees along x.
pub(super) fn block_on_slope(method: &str, options: &str, mu: f64, velocity: f64, step: f64) -> String {
    let (sin, cos) = SLOPE.to_radians().sin_cos();
    let (along, down) = (GRAVITY * sin, -GRAVITY * cos);
    let fps = 1.0 / step;
    format!(
        "stiction = 1
        fps = {fps}
        step = {step}
        gravity = [{along}, 0.0, {down}]
        wind = {{ air_density = 0.0 }}
        method = {{ key = '{method}', {options} }}
        [bodies.block]
        kind = 'solid'
        mesh = {{ tet_box = {{ size = [0.2, 0.2, 0.1], cells = [2, 2, 1] }} }}
        material = {{ density = 1000.0, young = 1e8, poisson = 0.3, law = 'corotated', damping_stiffness = 0.002 }}
        translate = [0, 0, 0.05]
        velocity = [{velocity}, 0, 0]
        gap = 0.001
        [colliders.plane]
        plane = {{ normal = [0, 0, 1], offset = 0 }}
        [friction]
        pairs = [{{ a = 'block', b = 'plane', mu = {mu} }}]"
    )
}
