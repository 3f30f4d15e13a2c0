//! Driven colliders and pins move as the same motion written into the scene, under every method.

use std::path::Path;
use stiction::numerics::Vec3;
use stiction::numerics::nalgebra::UnitQuaternion;
use stiction::scene::load_text;
use stiction::{Drive, DrivenPose, Simulation, SimulationError, checkpoint};

const METHODS: [&str; 6] = ["newton", "admm", "admm_integrator", "pd", "barrier", "xpbd"];
const STEP: f64 = 0.01;
/// Where things are driven in a step \[m\], and how far they turn about z \[degrees\].
const WAY: [f64; 3] = [0.003, 0.001, 0.0];
const TURN: f64 = 1.5;

/// A body of a kind that the method takes, pinned at one end, on a floor.
fn scene(method: &str, floor: &str, pin: &str) -> Simulation {
    let (body, held) = match method {
        "admm_integrator" => (
            "kind = 'rod'
            mesh = { rod = { start = [0, 0, 0.0015], end = [0.2, 0, 0.0015], segments = 10 } }
            material = { density = 1000.0, young = 1e6, poisson = 0.3, radius = 0.001 }",
            "{ indices = [0, 1] }",
        ),
        _ => (
            "kind = 'cloth'
            mesh = { grid = { size = [0.2, 0.1], cells = [6, 3] } }
            translate = [0, 0, 0.0015]
            material = { density = 1000.0, thickness = 0.001, young = 1e5, poisson = 0.3 }",
            "'left'",
        ),
    };
    let text = format!(
        "stiction = 1
        fps = 100
        step = {STEP}
        method = {{ key = '{method}' }}
        [bodies.cloth]
        {body}
        self_contact = false
        [[bodies.cloth.pins]]
        select = {held}
        {pin}
        [colliders.floor]
        {floor}
        friction = 0.4"
    );
    let loaded = load_text("driven.toml", &text, Path::new("."), &[] as &[&str]);
    let scene = loaded.unwrap_or_else(|e| panic!("{method}: {e}: {}", e.fix())).scene;
    Simulation::new(scene).unwrap_or_else(|e| panic!("{method}: {e}"))
}

/// A motion that passes the driven poses at the ends of the first steps and then stays.
fn keys(steps: u32) -> String {
    let key = |k: u32| {
        let [x, y, z] = WAY.map(|way| way * f64::from(k));
        let (time, turn) = (STEP * f64::from(k), TURN * f64::from(k));
        format!(
            "{{ time = {time:?}, translate = [{x}, {y}, {z}], rotate = {{ axis = 'z', degrees = {turn} }} }}"
        )
    };
    format!("motion = {{ keys = [{}] }}", (0..=steps).map(key).collect::<Vec<_>>().join(", "))
}

fn next(pose: &DrivenPose) -> Drive {
    let turn = UnitQuaternion::from_scaled_axis(Vec3::z() * TURN.to_radians());
    Drive::To(DrivenPose { position: pose.position + Vec3::from(WAY), rotation: turn * pose.rotation })
}

/// Largest distance between nodes of two simulations \[m\].
fn apart(a: &Simulation, b: &Simulation) -> f64 {
    let nodes = a.state.positions(&a.model).iter().zip(b.state.positions(&b.model));
    nodes.map(|(x, y)| (x - y).norm()).fold(0.0, f64::max)
}

const FLOORS: [&str; 2] = ["plane = {}", "mesh = { grid = { size = [3, 3], cells = [2, 2] } }"];

/// Steps to poses for a while, then nothing more is said: what is driven stays.
fn driven_as_written(
    make: impl Fn(&str, &str) -> Simulation,
    order: impl Fn(&mut Simulation) -> Result<(), SimulationError>,
) {
    for method in METHODS {
        let (mut driven, mut written) = (make(method, ""), make(method, &keys(6)));
        let mut resting = make(method, "");
        for step in 0..9 {
            if step < 6 {
                order(&mut driven).expect("an order");
            }
            for simulation in [&mut driven, &mut written, &mut resting] {
                simulation.step().unwrap_or_else(|e| panic!("{method}: {e}"));
            }
            // The orientations agree to rounding, so the states do to the tolerances of the methods.
            let error = apart(&driven, &written);
            assert!(error < 1e-7, "{method}, step {step}: {error:e} m");
        }
        let moved = apart(&driven, &resting);
        assert!(moved > 1e-4 || method == "newton", "{method}: driving moves {moved:e} m");
    }
}

#[test]
fn a_driven_collider_moves_as_by_keys_of_the_scene() {
    for floor in FLOORS {
        driven_as_written(
            |method, motion| scene(method, &format!("{floor}\n{motion}"), ""),
            |simulation| simulation.drive_collider("floor", next(&simulation.collider_pose("floor")?)),
        );
    }
}

#[test]
fn driven_pins_move_as_by_keys_of_the_scene() {
    for softness in ["", "stiffness = 50.0\n"] {
        let takes = |method: &str| softness.is_empty() || !["admm_integrator", "xpbd"].contains(&method);
        driven_as_written(
            |method, motion| {
                let softness = if takes(method) { softness } else { "" };
                scene(method, FLOORS[0], &format!("{softness}{motion}"))
            },
            |simulation| simulation.drive_pin("cloth", 0, next(&simulation.pin_pose("cloth", 0)?)),
        );
    }
}

/// Velocities hold until told otherwise, and a release gives the motion of the scene back.
#[test]
fn velocities_hold_and_a_release_returns_to_the_scene() {
    let mut simulation = scene("pd", "plane = {}\nmotion = { velocity = [0.1, 0, 0] }", "");
    let (velocity, angular_velocity) = (Vec3::new(0.0, 0.2, 0.0), Vec3::z() * 0.5);
    simulation.step().expect("a step");
    simulation.drive_collider("floor", Drive::With { velocity, angular_velocity }).expect("an order");
    for _ in 0..3 {
        simulation.step().expect("a step");
    }
    let pose = simulation.collider_pose("floor").expect("a collider");
    let expected = Vec3::new(0.1 * STEP, 3.0 * STEP * 0.2, 0.0);
    assert!((pose.position - expected).norm() < 1e-15, "{}", pose.position);
    assert!((pose.rotation.scaled_axis().z - 3.0 * STEP * 0.5).abs() < 1e-15);
    simulation.release_collider("floor").expect("a release");
    let pose = simulation.collider_pose("floor").expect("a collider");
    assert!((pose.position - Vec3::x() * (0.1 * 4.0 * STEP)).norm() < 1e-15, "{}", pose.position);
    simulation.step().expect("a step");
}

/// A checkpoint holds what is driven, to the bit; orders that wait are the caller's.
#[test]
fn checkpoints_hold_what_is_driven() {
    for (floor, method) in FLOORS.into_iter().flat_map(|floor| METHODS.map(|method| (floor, method))) {
        let order = |simulation: &mut Simulation| {
            let pose = simulation.collider_pose("floor").expect("a collider");
            simulation.drive_collider("floor", next(&pose)).expect("an order");
        };
        let mut live = scene(method, floor, "");
        for _ in 0..3 {
            order(&mut live);
            live.step().expect("a step");
        }
        let kept = checkpoint::save(&live);
        let mut resumed = scene(method, floor, "");
        checkpoint::restore(&mut resumed, &kept).expect("restored");
        assert_eq!(resumed.parameters, live.parameters, "{method}");
        for step in 0..3 {
            if step < 2 {
                order(&mut live);
                order(&mut resumed);
            }
            live.step().and(resumed.step()).expect("a step");
            assert!(checkpoint::save(&live) == checkpoint::save(&resumed), "{method}, step {step}");
        }
        // One without drives takes them back.
        checkpoint::restore(&mut live, &checkpoint::save(&scene(method, floor, ""))).expect("restored");
        assert_eq!(live.parameters, scene(method, floor, "").parameters, "{method}");
    }
}

/// A step that fails leaves what is driven as it was, and the order waits.
#[test]
fn a_failed_step_leaves_the_drive_as_it_was() {
    for method in METHODS {
        let (mut failed, mut good) = (scene(method, FLOORS[0], ""), scene(method, FLOORS[0], ""));
        for simulation in [&mut failed, &mut good] {
            let pose = simulation.collider_pose("floor").expect("a collider");
            simulation.drive_collider("floor", next(&pose)).expect("an order");
        }
        let before = (checkpoint::save(&failed), failed.parameters.clone());
        failed.parameters.external = vec![Vec3::repeat(f64::NAN); failed.model.nodes];
        failed.step().expect_err("a step with a force that is no number");
        failed.parameters.external.clear();
        assert!((checkpoint::save(&failed), failed.parameters.clone()) == before, "{method}");
        failed.step().and(good.step()).expect("a step");
        assert!(checkpoint::save(&failed) == checkpoint::save(&good), "{method}");
    }
}

#[test]
fn wrong_drives_are_refused_with_names() {
    let mut simulation = scene("pd", FLOORS[0], "");
    let pose = simulation.collider_pose("floor").expect("a collider");
    let text = |outcome: Result<(), SimulationError>| outcome.expect_err("it is refused").to_string();
    let unknown = text(simulation.drive_collider("flor", Drive::To(pose)));
    assert!(unknown.contains("no collider `flor`; this scene has: floor"), "{unknown}");
    let unknown = text(simulation.drive_pin("cloth", 3, Drive::To(pose)));
    assert!(unknown.contains("body `cloth` has no pin 3: it has 1"), "{unknown}");
    let unknown = text(simulation.drive_pin("coat", 0, Drive::To(pose)));
    assert!(unknown.contains("`coat`; this scene has: cloth"), "{unknown}");
    let wild = Drive::With { velocity: Vec3::repeat(f64::NAN), angular_velocity: Vec3::zeros() };
    assert!(
        text(simulation.drive_collider("floor", wild)).contains("`floor` has numbers that are not finite")
    );
}
