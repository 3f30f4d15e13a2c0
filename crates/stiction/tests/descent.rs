//! Method `descent` at its defaults against closed forms.

use std::path::Path;
use stiction::Simulation;
use stiction::numerics::Vec3;
use stiction::scene::load_text;

/// A scene of rigid bodies at 120 steps per second.
fn simulation(text: &str) -> Simulation {
    let head = "stiction = 1\nfps = 120\nstep = 0.008333333333333333\nmethod = { key = 'descent' }\n";
    let loaded = load_text("test.toml", &format!("{head}{text}"), Path::new("."), &[] as &[&str]);
    Simulation::new(loaded.expect("the scene is valid").scene).expect("it is set up")
}

fn run(simulation: &mut Simulation, seconds: f64) {
    for _ in 0..(seconds * 120.0).round() as usize {
        simulation.step().expect("a step");
    }
}

fn centre(simulation: &Simulation, body: usize) -> Vec3 {
    simulation.state.blocks[simulation.model.rigid.centre_block(body)]
}

const DEGREE: f64 = std::f64::consts::PI / 180.0;
const FLOOR: &str = "[colliders.floor]\nplane = { normal = [0, 0, 1], offset = 0.0 }\n";

/// A box of a mass in the scene.
fn block(name: &str, size: [f64; 3], mass: f64, at: [f64; 3], more: &str) -> String {
    format!(
        "[bodies.{name}]\nkind = 'rigid'\nmesh = {{ box = {{ size = {size:?}, cells = [1, 1, 1] }} }}
        mass = {mass:?}\ntranslate = {at:?}\n{more}\n"
    )
}

/// A block on a slope of 10°; how far it goes down in 5 s.
fn slope(friction: f64) -> f64 {
    let (sin, cos) = ((10.0 * DEGREE).sin(), (10.0 * DEGREE).cos());
    let gravity = format!("gravity = [{}, 0, {}]\n", 9.81 * sin, -9.81 * cos);
    let block = block("block", [0.1; 3], 1.0, [0.0, 0.0, 0.05], "");
    let mut scene = simulation(&format!("{gravity}{block}{FLOOR}[friction]\nall = {friction}\n"));
    let start = centre(&scene, 0);
    run(&mut scene, 5.0);
    (centre(&scene, 0) - start).x
}

#[test]
fn a_block_slides_and_holds_on_a_slope() {
    let (slides, holds) = (slope(0.176), slope(0.177));
    println!("slope {slides:e} {holds:e}");
    assert!((slides / 0.03949 - 1.0).abs() < 0.01, "{slides}");
    assert!(holds.abs() < 1e-5, "{holds}");
}

/// Boxes of given masses on each other; how far the top one sinks in 3 s, and how fast it is then.
fn stack(masses: &[f64]) -> (f64, f64) {
    let mut text = String::from("gravity = 9.81\n");
    for (k, mass) in masses.iter().enumerate() {
        text += &block(&format!("b{k}"), [0.1; 3], *mass, [0.0, 0.0, 0.05 + 0.1 * k as f64], "");
    }
    let mut scene = simulation(&format!("{text}{FLOOR}[friction]\nall = 0.5\n"));
    let top = masses.len() - 1;
    let start = centre(&scene, top);
    run(&mut scene, 3.0);
    let speed = scene.state.velocities.iter().map(|v| v.norm()).fold(0.0, f64::max);
    (start.z - centre(&scene, top).z, speed)
}

#[test]
fn stacks_stand() {
    for (masses, most) in [
        (vec![1.0; 20], 0.14e-3),
        (vec![1.0; 100], 0.69e-3),
        (vec![1.0, 8.0, 64.0, 512.0, 4096.0], 0.1e-3),
        (vec![4096.0, 512.0, 64.0, 8.0, 1.0], 0.1e-3),
    ] {
        let (sink, speed) = stack(&masses);
        println!("stack of {}: {sink:e} m, {speed:e} m/s", masses.len());
        assert!(sink > 0.0 && sink < most && speed < 1e-6, "{sink} {speed}");
    }
}

/// Two cards lean against each other at 65°; how far the upper edge sinks in 5 s.
fn cards(friction: f64) -> f64 {
    let angle = 65.0 * DEGREE;
    let (length, thickness) = (0.1, 0.001);
    let along = Vec3::new(angle.cos(), 0.0, angle.sin());
    let inner = Vec3::new(angle.sin(), 0.0, -angle.cos());
    let top = along * length - inner * 0.0;
    // The lower inner edge stands on the floor.
    let middle = along * (0.5 * length) - inner * (0.5 * thickness);
    let shift = top.x;
    let card = |name: &str, side: f64| {
        let at = [side * (middle.x - shift), 0.0, middle.z];
        let turn = format!("rotate = {{ axis = 'y', degrees = {} }}", -side * 65.0);
        block(name, [length, 0.06, thickness], 0.002, at, &turn)
    };
    let text = format!("gravity = 9.81\n{}{}", card("left", 1.0), card("right", -1.0));
    let mut scene = simulation(&format!("{text}{FLOOR}[friction]\nall = {friction}\n"));
    let start = centre(&scene, 0);
    run(&mut scene, 5.0);
    start.z - centre(&scene, 0).z
}

#[test]
fn two_cards_fall_and_hold_around_their_limit() {
    // ½ cot θ − T/2L.
    let limit = 0.5 / (65.0 * DEGREE).tan() - 0.001 / 0.2;
    let (falls, holds) = (cards(0.99 * limit), cards(1.01 * limit));
    println!("cards {falls:e} {holds:e}");
    assert!(falls > 0.01 && holds.abs() < 1e-4, "{falls} {holds}");
}

/// A ball that slides with v₀ rolls at 5/7 v₀ from the time 2 v₀/(7 μ g) on.
#[test]
fn a_ball_goes_over_to_rolling() {
    let ball = "[bodies.ball]\nkind = 'rigid'\nmesh = { sphere = { radius = 0.1, subdivisions = 2 } }
        mass = 2.0\ntranslate = [0, 0, 0.1]\nvelocity = [2, 0, 0]\n";
    let mut scene = simulation(&format!("gravity = 9.81\n{ball}{FLOOR}[friction]\nall = 0.3\n"));
    let speed = |scene: &Simulation| scene.state.velocities[scene.model.rigid.centre_block(0)].x;
    let rolling = 2.0 * 2.0 / (7.0 * 0.3 * 9.81);
    let mut path = Vec::new();
    for _ in 0..60 {
        scene.step().expect("a step");
        path.push(speed(&scene));
    }
    let begins = path.iter().position(|v| (v / path[59] - 1.0).abs() < 1e-3).expect("it rolls");
    println!("ball {} {} {}", path[59] / 2.0, begins as f64 / 120.0, rolling);
    assert!((path[59] / 2.0 / (5.0 / 7.0) - 1.0).abs() < 5e-3);
    assert!((begins as f64 / 120.0 - rolling).abs() < 2.0 / 120.0);
}

/// Twenty links with 10⁴ times their mass at the end hang and stretch by less than 0.1 mm.
#[test]
fn a_chain_carries_a_heavy_weight() {
    let mut text = String::from("gravity = 9.81\n");
    let mut joints = String::new();
    for k in 0..20 {
        let z = -0.05 - 0.1 * k as f64;
        text += &block(&format!("b{k}"), [0.02, 0.02, 0.08], 1.0, [0.0, 0.0, z], "");
        let above = if k == 0 { String::new() } else { format!("b = 'b{}'\n", k - 1) };
        joints += &format!(
            "[joints.j{k}]\nkind = 'ball'\na = 'b{k}'\n{above}anchor = [0, 0, {}]\n",
            -0.1 * k as f64
        );
    }
    text += &block("weight", [0.3; 3], 1e4, [0.0, 0.0, -2.15], "");
    joints += "[joints.last]\nkind = 'ball'\na = 'weight'\nb = 'b19'\nanchor = [0, 0, -2.0]\n";
    let mut scene = simulation(&format!("{text}{joints}"));
    let start = centre(&scene, 20);
    run(&mut scene, 2.0);
    let sink = start.z - centre(&scene, 20).z;
    println!("chain {sink:e}");
    assert!(sink > 0.0 && sink < 1e-4, "{sink}");
}
