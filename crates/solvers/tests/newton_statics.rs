//! Equilibria of loaded bodies by quasi-static Newton steps.

use std::path::Path;
use stiction_bodies::{Parameters, State, build};
use stiction_scene::load_text;
use stiction_solvers::{StepReport, World, create};

/// One quasi-static step of a heavy sheet that sags by more than half of its length.
fn sagged(linear: &str) -> (StepReport, State) {
    let scene = format!(
        "stiction = 1
        fps = 1
        gravity = 9.81
        method = {{ key = 'newton', quasi_static = true, tolerance = 1e-9, max_iterations = 1000, linear = '{linear}' }}
        [bodies.sheet]
        kind = 'cloth'
        mesh = {{ grid = {{ size = [1, 0.25], cells = [16, 4] }} }}
        material = {{ density = 1000.0, thickness = 0.01, young = 1e8, poisson = 0.3, bending = 'hinge' }}
        pins = [{{ select = {{ box = {{ min = [-1, -1, -1], max = [-0.43, 1, 1] }} }} }}]"
    );
    let scene = load_text("sheet.toml", &scene, Path::new("."), &[] as &[&str]).expect("a good scene").scene;
    let model = build(&scene).expect("a good model");
    let parameters = Parameters::from_scene(&scene, &model);
    let world = World { model: &model, parameters: &parameters };
    let mut solver = create(&scene.method, world).expect("the method exists");
    let mut state = State::initial(&model, &scene);
    let report = solver.step(world, &mut state, 1.0).expect("an equilibrium");
    (report, state)
}

/// Conjugate gradients cannot tell whether the exact Hessian is definite and stay with the
/// projected one: slow, the same end.
#[test]
fn the_exact_hessian_finds_the_same_equilibrium_in_fewer_iterations() {
    let ((fast, exact), (slow, projected)) = (sagged("direct"), sagged("pcg"));
    println!("{} iterations against {}", fast.iterations, slow.iterations);
    assert!(fast.converged && slow.converged);
    assert!(3 * fast.iterations < 2 * slow.iterations, "{} against {}", fast.iterations, slow.iterations);
    let tip = exact.blocks[16];
    assert!(tip.z < -0.5 && (tip - projected.blocks[16]).norm() < 1e-6, "{tip} {}", projected.blocks[16]);
}
