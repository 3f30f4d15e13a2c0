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

/// A box between two jaws that press with N each; how far it sinks in 2 s.
fn gripped(friction: f64) -> f64 {
    let (force, mass) = (10.0, 1.0);
    let mut text = String::from("gravity = 9.81\n");
    text += &block("cube", [0.06; 3], mass, [0.0; 3], "");
    for (name, side) in [("left", -1.0), ("right", 1.0)] {
        text += &block(name, [0.02, 0.06, 0.06], 0.5, [side * 0.04, 0.0, 0.0], "");
        text += &format!(
            "[joints.{name}]\nkind = 'slider'\na = '{name}'\naxis = 'x'
            drive = {{ stiffness = 1e6, target = {}, max_effort = {force} }}\n",
            -side * 0.05
        );
    }
    let mut scene = simulation(&format!("{text}[friction]\nall = {friction}\n"));
    run(&mut scene, 2.0);
    -centre(&scene, 0).z
}

#[test]
fn a_gripper_holds_what_friction_can_carry() {
    // 2 μ N = W.
    let limit = 9.81 / 20.0;
    let (falls, holds) = (gripped(0.98 * limit), gripped(1.02 * limit));
    println!("gripper {falls:e} {holds:e}");
    assert!(falls > 0.1, "{falls}");
    assert!(holds.abs() < 1e-5, "{holds}");
}

/// The pendulum of a hinged bar: 2π √(2l/3g) · (2/π) K(sin² θ₀/2), 1.18034 times as long at 90°.
#[test]
fn a_hinged_bar_swings_with_its_period() {
    let bar = block("bar", [0.3, 0.01, 0.01], 0.1, [0.15, 0.0, 0.0], "");
    let joint = "[joints.hinge]\nkind = 'hinge'\na = 'bar'\nanchor = [0, 0, 0]\naxis = 'y'\n";
    let head = "gravity = 9.81\n";
    let mut scene = simulation(&format!("{head}{bar}{joint}"));
    let mut turns = Vec::new();
    let mut last = 0.0;
    let rate = |scene: &Simulation| scene.state.velocities[scene.model.rigid.rotation_block(0)].y;
    let h = 1.0 / 2000.0;
    for step in 0..4000 {
        scene.step_by(h).expect("a step");
        let now = rate(&scene);
        if last * now < 0.0 {
            turns.push(h * (step as f64 + last / (last - now)));
        }
        last = now;
    }
    let period = 2.0 * (turns[1] - turns[0]);
    let (length, width) = (0.3f64, 0.01f64);
    let inertia = (length * length + width * width) / 12.0 + length * length / 4.0;
    let expected = 1.18034 * std::f64::consts::TAU * (inertia / (9.81 * 0.15)).sqrt();
    println!("pendulum {period} {expected}");
    assert!((period / expected - 1.0).abs() < 0.01, "{period} {expected}");
}

/// Two free boxes that collide keep momentum and angular momentum.
#[test]
fn colliding_bodies_keep_both_momenta() {
    let one = block("one", [0.2, 0.1, 0.15], 1.0, [0.0; 3], "velocity = [1, 0.2, 0]\nspin = [1, 3, -2]");
    let two = block("two", [0.1, 0.2, 0.1], 3.0, [0.3, 0.05, 0.02], "velocity = [-2, 0, 0.1]");
    let mut scene = simulation(&format!("gravity = 0.0\n{one}{two}[friction]\nall = 0.4\n"));
    let momenta = |scene: &Simulation| {
        let (model, parameters) = (&scene.model, &scene.parameters);
        (scene.state.momentum(model, parameters), scene.state.angular_momentum(model, parameters))
    };
    let (linear, angular) = momenta(&scene);
    let mut touched = 0;
    for _ in 0..60 {
        touched += usize::from(!scene.step().expect("a step").contact_samples.is_empty());
    }
    let (end, turned) = momenta(&scene);
    println!("momenta {:e} {:e} touched {touched}", (end - linear).norm(), (turned - angular).norm());
    assert!(touched > 0);
    assert!((end - linear).norm() < 1e-10 * linear.norm().max(1.0));
}

/// A house of three storeys: fifteen cards that lean and lie on each other.
fn card_house(storeys: usize) -> String {
    let angle = 65.0 * DEGREE;
    let (length, thickness, width) = (0.1, 0.001, 0.06);
    let along = Vec3::new(angle.cos(), 0.0, angle.sin());
    let inner = Vec3::new(angle.sin(), 0.0, -angle.cos());
    let middle = along * (0.5 * length) - inner * (0.5 * thickness);
    let (half, height) = (along.x * length, along.z * length + thickness * angle.cos());
    let mut text = String::new();
    let pitch = 2.0 * half + 0.004;
    for storey in 0..storeys {
        let tents = storeys - storey;
        let base = storey as f64 * (height + thickness);
        for tent in 0..tents {
            let x = (tent as f64 - 0.5 * (tents as f64 - 1.0)) * pitch;
            for (name, side) in [("l", 1.0), ("r", -1.0)] {
                let at = [x + side * (middle.x - half), 0.0, base + middle.z];
                let turn = format!("rotate = {{ axis = 'y', degrees = {} }}", -side * 65.0);
                let size = [length, width, thickness];
                text += &block(&format!("{name}{storey}{tent}"), size, 0.002, at, &turn);
            }
            if tent + 1 < tents {
                let at = [x + 0.5 * pitch, 0.0, base + height + 0.5 * thickness];
                let size = [pitch - 4e-4, width, thickness];
                text += &block(&format!("f{storey}{tent}"), size, 0.002, at, "");
            }
        }
    }
    text
}

#[test]
fn a_card_house_stands() {
    let text = format!("gravity = 9.81\n{}{FLOOR}[friction]\nall = 0.6\n", card_house(3));
    let mut scene = simulation(&text);
    let apex = scene.model.rigid.len() - 1;
    let start = centre(&scene, apex);
    run(&mut scene, 1.0);
    let settled = centre(&scene, apex);
    println!("{} cards: {:e}", apex + 1, (settled - start).norm());
    run(&mut scene, 4.0);
    let creep = (centre(&scene, apex) - settled).norm();
    println!("card house {:e} {creep:e}", start.z - settled.z);
    assert!((start.z - settled.z).abs() < 1e-4 && creep < 1e-6);
}

/// A box that slides over flush tiles keeps its speed.
#[test]
fn flush_tiles_do_not_catch() {
    let mut text = String::from("gravity = 9.81\n");
    for k in 0..6 {
        text += &format!(
            "[colliders.t{k}]\nbox = {{ centre = [{}, 0, -0.05], size = [0.5, 1, 0.1] }}\n",
            0.5 * k as f64
        );
    }
    text += &block("slider", [0.1; 3], 1.0, [0.0, 0.0, 0.05], "velocity = [5, 0, 0]");
    let mut scene = simulation(&format!("{text}[friction]\nall = 0.0\n"));
    run(&mut scene, 0.45);
    let speed = scene.state.velocities[scene.model.rigid.centre_block(0)];
    println!("tiles {speed:?}");
    assert!((speed.x / 5.0 - 1.0).abs() < 1e-3 && speed.z.abs() < 1e-2, "{speed}");
}

/// A thin plate that flies at a thin wall does not pass through it.
#[test]
fn thin_plates_stop_fast_plates() {
    for speed in [5.0, 20.0, 300.0] {
        let wall = "[colliders.wall]\nbox = { centre = [0, 0, 0], size = [1, 1, 0.001] }\n";
        let plate = block(
            "plate",
            [0.2, 0.2, 0.001],
            0.1,
            [0.01, 0.02, 0.5],
            &format!("velocity = [0, 0, {}]", -speed),
        );
        let mut scene = simulation(&format!("gravity = 0.0\n{plate}{wall}"));
        let mut lowest = f64::INFINITY;
        for _ in 0..(0.7 / speed * 120.0) as usize + 20 {
            scene.step().expect("a step");
            lowest = lowest.min(centre(&scene, 0).z);
        }
        println!("plate at {speed}: lowest {lowest}");
        assert!(lowest > 0.0009, "{speed} m/s: {lowest}");
    }
}

/// A pile of boxes that falls comes to rest, carries its weight and gains no energy.
#[test]
fn a_pile_comes_to_rest_and_carries_its_weight() {
    let mut text = String::from("gravity = 9.81\n");
    let mut random = stiction::numerics::Random::new(7);
    let count = 60;
    for k in 0..count {
        let at = [k % 3, k / 3 % 3, k / 9].map(|i| 0.13 * i as f64);
        let at = [at[0] + random.range(-0.01, 0.01), at[1] + random.range(-0.01, 0.01), at[2] + 0.2];
        let turn = format!("rotate = {{ axis = 'y', degrees = {} }}", random.range(-20.0, 20.0));
        let size = [0.08, 0.1, 0.06].map(|s| s * random.range(0.8, 1.1));
        text += &block(&format!("b{k}"), size, 1.0, at, &turn);
    }
    let walls =
        "[colliders.walls]\nbox = { centre = [0.13, 0.13, 1], size = [0.5, 0.5, 2] }\ninverted = true\n";
    let mut scene = simulation(&format!("{text}{walls}[friction]\nall = 0.5\n"));
    let energy = |report: &stiction::solvers::StepReport| report.energy.iter().map(|e| e.1).sum::<f64>();
    let mut last = f64::INFINITY;
    let (mut unconverged, mut gained, mut deepest) = (0, 0.0f64, 0.0f64);
    let started = std::time::Instant::now();
    for _ in 0..600 {
        let report = scene.step().expect("a step");
        unconverged += usize::from(!report.converged);
        let now = energy(&report);
        gained = gained.max(now - last);
        last = now;
        deepest = deepest.max(report.penetration);
    }
    let report = scene.step().expect("a step");
    let carried = report.contact_force[count].norm();
    let speed = scene.state.velocities.iter().map(|v| v.norm()).fold(0.0, f64::max);
    let weight = 9.81 * count as f64;
    println!(
        "pile: {:.1} ms a step, unconverged {unconverged}, gained {gained:e} J, deepest {deepest:e}, carried {}, speed {speed:e}",
        started.elapsed().as_secs_f64() * 1e3 / 600.0,
        carried / weight
    );
    assert!((carried / weight - 1.0).abs() < 1e-3 && speed < 1e-3 && deepest < 0.02);
}
