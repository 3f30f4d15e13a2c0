//! Method `admm`: what its stopping rules promise.

use std::path::Path;
use stiction_bodies::{Parameters, State, build};
use stiction_numerics::Vec3;
use stiction_scene::load_text;
use stiction_solvers::{StepReport, World, create};

/// A soft block that hits a floor and slides on it; returns the nodes and the report after one step
/// of 10 ms. Large weights make ADMM slow.
fn step(options: &str) -> (Vec<Vec3>, StepReport) {
    let text = format!(
        "stiction = 1
        fps = 100
        wind = {{ air_density = 0.0 }}
        method = {{ key = 'admm', relative_tolerance = 0.0, sleep = 0.0, sweeps = 20, beta = 1e6, max_iterations = 20000{options} }}
        [bodies.block]
        kind = 'solid'
        mesh = {{ tet_box = {{ size = [0.1, 0.1, 0.1], cells = [3, 3, 3] }} }}
        material = {{ density = 1000.0, young = 2e5, poisson = 0.3, law = 'corotated', damping_stiffness = 0.005 }}
        translate = [0, 0, 0.05]
        velocity = [0.5, 0.2, -0.1]
        friction = 0.3
        [colliders.plane]
        plane = {{ normal = [0, 0, 1], offset = 0 }}
        friction = 0.3"
    );
    let scene = load_text("test.toml", &text, Path::new("."), &[] as &[&str]).expect("a good scene").scene;
    let model = build(&scene).expect("a good model");
    let parameters = Parameters::from_scene(&scene, &model);
    let world = World { model: &model, parameters: &parameters };
    let mut solver = create(&scene.method, world).expect("a method");
    let mut state = State::initial(&model, &scene);
    let report = solver.step(world, &mut state, 0.01).expect("a step");
    (state.blocks[..model.nodes].to_vec(), report)
}

fn apart(a: &[Vec3], b: &[Vec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).amax()).fold(0.0, f64::max)
}

/// The tolerance of `stop = "distance"` bounds the distance to the solution, twice: what ADMM and
/// what Newton's iteration leave. The last move bounds neither.
#[test]
fn the_distance_to_the_solution_is_below_the_tolerance() {
    let (solution, exact) = step(", stop = 'distance', newton_iterations = 30, tolerance = 1e-11");
    assert!(exact.converged, "{:?}", exact.residual);
    for tolerance in [1e-5, 1e-6, 1e-7] {
        let with = |stop: &str, newton: usize| {
            step(&format!(", stop = '{stop}', newton_iterations = {newton}, tolerance = {tolerance:e}"))
        };
        let (nodes, report) = with("distance", 30);
        let distance = apart(&nodes, &solution);
        assert!(report.converged && distance < 2.0 * tolerance, "{tolerance}: {distance:e}");
        let (nodes, _) = with("move", 30);
        let by_move = apart(&nodes, &solution);
        println!("{tolerance:e}: distance {distance:e}, by the last move {by_move:e}");
        assert!(by_move > tolerance, "the test is too easy: {by_move:e}");
        // Newton's iteration is part of what must have converged.
        assert!(!with("distance", 2).1.converged);
    }
}
