//! Method `barrier` at rest: a house of cards stands, and its steps are solved in few iterations.
//! Barriers that jump when a nearest point passes the end of an edge keep Newton's method going
//! round between sets of contacts.

use std::path::Path;
use stiction_bodies::{Parameters, State, build};
use stiction_scene::load;
use stiction_solvers::{World, create};

#[test]
fn steps_of_a_standing_house_of_cards_converge() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes/card_house_hit.toml");
    let scene = load(&path, &["hit=none"]).expect("a scene of the gallery");
    let model = build(&scene).expect("a good model");
    let (parameters, mut state) = (Parameters::from_scene(&scene, &model), State::initial(&model, &scene));
    let world = World { model: &model, parameters: &parameters };
    let mut solver = create(&scene.method, world).expect("a solver");
    let mut iterations = 0;
    for step in 0..10 {
        let report = solver.step(world, &mut state, 0.01).expect("a step");
        assert!(report.converged, "step {step} after {} iterations", report.iterations);
        iterations += report.iterations;
    }
    // Some ten when the cards are set down, two to eight at rest.
    assert!(iterations <= 60, "{iterations}");
}
