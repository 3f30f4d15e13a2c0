//! Contact forces and torques: bodies at rest are in balance, and action equals reaction.

use std::path::Path;
use stiction::Simulation;
use stiction::numerics::Vec3;
use stiction::scene::load_text;
use stiction::solvers::StepReport;

/// A wide block on the floor away from the origin, and a small one off its middle.
fn stack(method: &str) -> Simulation {
    let text = format!(
        "stiction = 1
        fps = 100
        step = 0.01
        wind = {{ air_density = 0.0 }}
        method = {{ {method} }}
        [bodies.lower]
        kind = 'solid'
        mesh = {{ tet_box = {{ size = [0.2, 0.2, 0.1], cells = [2, 2, 1] }} }}
        material = {{ density = 1000.0, young = 1e6, poisson = 0.3, law = 'corotated', damping_mass = 8.0, damping_stiffness = 0.005 }}
        translate = [0.5, 0.2, 0.0505]
        gap = 0.001
        [bodies.upper]
        kind = 'solid'
        mesh = {{ tet_box = {{ size = [0.1, 0.1, 0.1], cells = [1, 1, 1] }} }}
        material = {{ density = 1000.0, young = 1e6, poisson = 0.3, law = 'corotated', damping_mass = 8.0, damping_stiffness = 0.005 }}
        translate = [0.53, 0.21, 0.1515]
        gap = 0.001
        [colliders.floor]
        plane = {{ offset = 0 }}
        gap = 0.001"
    );
    let loaded = load_text("stack.toml", &text, Path::new("."), &[] as &[&str]).expect("the scene is valid");
    Simulation::new(loaded.scene).expect("it is set up")
}

/// Weight of a body \[N\] and its torque about the origin \[N m\].
fn weight(simulation: &Simulation, body: usize) -> (Vec3, Vec3) {
    let gravity = Vec3::new(0.0, 0.0, -9.81);
    let nodes = simulation.model.bodies[body].nodes.clone();
    let of_node = |n: usize| gravity * simulation.parameters.mass[n];
    let torque = nodes.clone().map(|n| simulation.state.blocks[n].cross(&of_node(n))).sum();
    (nodes.map(of_node).sum(), torque)
}

fn check(method: &str, simulation: &Simulation, report: &StepReport) {
    let origin = Vec3::zeros();
    let object = |name: &str| simulation.object(name).expect("an object");
    let (lower, upper, floor) = (object("lower"), object("upper"), object("floor"));
    let heavy = weight(simulation, 0).0.norm() + weight(simulation, 1).0.norm();
    for (body, number) in [(0, lower), (1, upper)] {
        let (force, torque) = weight(simulation, body);
        let felt = report.wrench_on(number, &origin);
        println!("{method} {body}: {} {}", (felt.force + force).norm(), (felt.torque + torque).norm());
        assert!((felt.force + force).norm() < 2e-3 * heavy, "{method}: {felt:?} against {force}");
        // Arms are half a metre: forces that are off by 0.2 % turn by as much.
        assert!((felt.torque + torque).norm() < 2e-3 * heavy * 0.6, "{method}: {felt:?} against {torque}");
        assert!((felt.force - report.contact_force[number as usize]).norm() < 1e-9 * heavy, "{method}");
    }
    let (up, down) =
        (report.wrench_between(upper, lower, &origin), report.wrench_between(lower, upper, &origin));
    assert_eq!((up.force, up.torque), (-down.force, -down.torque), "{method}: action and reaction");
    assert!(up.force.z > 0.9 * weight(simulation, 1).0.norm(), "{method}");
    // The floor carries both.
    let carried = report.wrench_on(floor, &origin);
    assert!((carried.force.z + heavy).abs() < 4e-3 * heavy, "{method}: {carried:?}");
    let pairs: Vec<[u32; 2]> = report.wrenches(&origin).iter().map(|pair| pair.objects).collect();
    assert_eq!(pairs, [[lower, upper], [lower, floor]], "{method}");
    for contact in &report.contact_samples {
        assert!((contact.normal.norm() - 1.0).abs() < 1e-9 && contact.gap.abs() < 2e-3, "{contact:?}");
        let toward_first = contact.force.dot(&contact.normal);
        assert!(toward_first > -1e-6 * heavy, "{method}: a contact pulls: {contact:?}");
    }
}

#[test]
fn bodies_at_rest_are_in_balance() {
    for method in [
        "key = 'admm', tolerance = 1e-8, relative_tolerance = 0.0, max_iterations = 300",
        "key = 'pd', iterations = 400, tolerance = 1e-9",
        "key = 'barrier', tolerance = 1e-7",
    ] {
        let mut simulation = stack(method);
        let mut report = StepReport::default();
        for _ in 0..150 {
            report = simulation.step().expect("a step");
        }
        check(method, &simulation, &report);
    }
}
