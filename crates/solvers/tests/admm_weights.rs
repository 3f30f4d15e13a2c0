//! Method `admm`: weights of strands by their effective inertia.

mod common;

use common::Run;
use stiction_energy::{Curvature, Elasticity};
use stiction_numerics::{BlockMatrix, Mat3, Vec3, eigen_symmetric3};
use stiction_solvers::object_factors::{Coupled, ObjectFactors};

/// A hair of 30 segments, clamped at its root, and a bar that rises against it close to there.
fn hair(options: &str) -> Run {
    Run::new(&format!(
        "stiction = 1
        fps = 100
        wind = {{ air_density = 0.0 }}
        method = {{ key = 'admm', newton_iterations = 1, relative_tolerance = 0.0, max_iterations = 4000, sleep = 0.0{options} }}
        [bodies.hair]
        kind = 'rod'
        mesh = {{ rod = {{ start = [0, 0, 0], end = [0.1, 0, 0], segments = 30 }} }}
        material = {{ preset = 'human_hair' }}
        friction = 0.3
        [[bodies.hair.pins]]
        select = 'roots'
        [colliders.bar]
        cylinder = {{ start = [0.012, -0.05, -0.0045], end = [0.012, 0.05, -0.0045], radius = 0.004 }}
        friction = 0.3
        motion = {{ keys = [ {{ time = 0.0 }}, {{ time = 0.1, translate = [0, 0, 0.005] }} ] }}"
    ))
}

/// What factors tell without solving is what pushes at single nodes find.
#[test]
fn the_effective_inertia_of_a_node_is_what_a_push_has_to_move() {
    let Run { model, parameters, state, .. } = hair("");
    let elasticity = Elasticity::new(&model, &parameters).expect("elements");
    let mut matrix = BlockMatrix::zeros(elasticity.pattern().clone());
    elasticity.add_hessian(&state.blocks, &state.frames, 0.0, Curvature::Projected, &mut matrix);
    let fixed: Vec<bool> = (0..model.blocks()).map(|b| b < 2).collect();
    let mut factors = ObjectFactors::new(matrix.pattern(), &model, Coupled::Jointly).expect("analysed");
    let mass = |b: usize| Mat3::identity() * if b < model.nodes { 1e4 * parameters.mass[b] } else { 0.0 };
    factors.factor(&matrix, mass, &fixed).expect("definite");
    let mut inertia = vec![0.0; model.nodes];
    factors.effective_inertia(&mut inertia);
    for node in 2..model.nodes {
        let push = |c: usize| {
            let mut x = vec![Vec3::zeros(); model.blocks()];
            x[node][c] = 1.0;
            factors.solve_in_place(&mut x);
            x[node]
        };
        let answer = Mat3::from_columns(&[push(0), push(1), push(2)]);
        let expected = 1.0 / eigen_symmetric3(&answer).values.max();
        assert!((inertia[node] / expected - 1.0).abs() < 1e-9, "{node}: {} {expected}", inertia[node]);
    }
    assert!(inertia[2] > 4.0 * inertia[8], "nodes near the clamp are the hardest to move: {inertia:?}");
}

/// The bar pushes where 25 masses of a node are far too little a weight: forces build up slowly. By
/// inertia they do not, and both end at the same place: the distance to go, up to 100 tolerances of
/// 1e-8 m at rates of 0.99, goes on as velocity for up to eight steps.
#[test]
fn inertia_in_the_weights_takes_iterations_off_and_leaves_the_solution() {
    let end = |share: f64| {
        let mut run = hair(&format!(", tolerance = 1e-8, accelerate = false, strand_inertia = {share:?}"));
        let iterations: usize = (0..8).map(|_| run.step(0.01).iterations).sum();
        (iterations, run.state.blocks[..run.model.nodes].to_vec())
    };
    let ((by_mass, first), (by_inertia, second)) = (end(0.0), end(1.0));
    let apart = first.iter().zip(&second).map(|(a, b)| (a - b).amax()).fold(0.0, f64::max);
    println!("{by_mass} iterations by mass, {by_inertia} by inertia; ends {apart:e} m apart");
    assert!(2 * by_inertia < by_mass, "{by_inertia} of {by_mass}");
    assert!(apart < 100.0 * 1e-8 * (1..=8).sum::<u32>() as f64, "{apart:e}");
}
