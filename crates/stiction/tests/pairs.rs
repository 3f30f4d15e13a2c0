//! Cohesion and compliance of one pair, given in the scene.

use std::path::Path;
use stiction::Simulation;
use stiction::scene::load_text;

/// How far a block of 1 kg under a ceiling falls in ten steps of 10 ms when its pair with the
/// ceiling has these values \[m\].
fn fall(pair: &str, ceiling: f64) -> f64 {
    let text = format!(
        "stiction = 1
        fps = 100
        step = 0.01
        wind = {{ air_density = 0.0 }}
        method = {{ key = 'admm', max_iterations = 200, tolerance = 1e-8 }}
        friction = {{ pairs = [{{ a = 'block', b = 'ceiling', {pair} }}] }}
        [bodies.block]
        kind = 'solid'
        mesh = {{ tet_box = {{ size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }} }}
        material = {{ density = 1000.0, young = 1e6, poisson = 0.3, law = 'corotated' }}
        gap = 0.001
        [colliders.ceiling]
        plane = {{ normal = [0, 0, -1], offset = {} }}
        gap = 0.001",
        -ceiling
    );
    let loaded = load_text("hung", &text, Path::new("."), &[] as &[&str]).expect("the scene is valid");
    let mut simulation = Simulation::new(loaded.scene).expect("admm can run it");
    let highest =
        |s: &Simulation| s.state.blocks[..s.model.nodes].iter().map(|x| x.z).fold(f64::MIN, f64::max);
    let before = highest(&simulation);
    (0..10).for_each(|_| drop(simulation.step().expect("a step")));
    before - highest(&simulation)
}

#[test]
fn cohesion_of_a_pair_carries_a_weight_up_to_its_force() {
    // Four corners carry 9.81 N. Free fall over ten implicit steps: g h² (1 + … + 10).
    let corner = 9.81 / 4.0;
    let free = 9.81 * 1e-4 * 55.0;
    assert!(fall(&format!("cohesion = {}", 1.5 * corner), 0.05) < 1e-4);
    let pulled = fall(&format!("cohesion = {}", 0.5 * corner), 0.05);
    assert!(pulled > 0.5 * free && pulled < free, "{pulled}");
    assert!((fall("mu = 0.3", 0.05) / free - 1.0).abs() < 1e-3);
}

#[test]
fn cohesion_fades_over_the_gap() {
    // Half way through the gap half of the force is left: 1.5 weights carry at distance zero, not
    // there.
    let corner = 9.81 / 4.0;
    assert!(fall(&format!("cohesion = {}", 1.5 * corner), 0.0505) > 0.01);
}
