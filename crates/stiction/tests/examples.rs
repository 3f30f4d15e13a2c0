//! The examples do what they say.

#[path = "../examples/drive_a_belt.rs"]
mod drive_a_belt;
#[path = "../examples/own_law.rs"]
mod own_law;
#[path = "../examples/own_solver.rs"]
mod own_solver;
#[path = "../examples/own_statistic.rs"]
mod own_statistic;
#[path = "../examples/step_and_read_forces.rs"]
mod step_and_read_forces;

use stiction::output::RunReader;

/// Every main ends well; what they print is looked at by the tests below.
#[test]
fn all_run() {
    drive_a_belt::main().expect("drive_a_belt");
    step_and_read_forces::main().expect("step_and_read_forces");
    own_law::main().expect("own_law");
    own_solver::main().expect("own_solver");
    own_statistic::main().expect("own_statistic");
    for name in ["own_solver", "own_statistic"] {
        let folder = std::env::temp_dir().join(format!("stiction_{name}_{}", std::process::id()));
        std::fs::remove_dir_all(folder).expect("the run that the example wrote");
    }
}

/// Below the limit of friction (19.6 N) the floor holds against the push and carries the weight.
#[test]
fn the_floor_answers_a_push() {
    for push in [0.0, 10.0] {
        let felt = step_and_read_forces::floor_on_block(push).expect("a run");
        let weight = 4.0 * 9.81;
        assert!((felt.force.z / weight - 1.0).abs() < 2e-3, "{felt:?}");
        assert!((felt.force.x + push).abs() < 2e-3 * weight, "{felt:?} against {push}");
        // The push acts at the height of the nodes, 5 cm up on average: the floor turns against it.
        assert!((felt.torque.y + 0.05 * push).abs() < 4e-3 * weight, "{felt:?}");
    }
}

/// Friction of 0.5 brings the block to the speed of the belt within 0.04 s, and to rest as fast.
#[test]
fn the_belt_carries_the_block() {
    let [running, stopped] = drive_a_belt::speeds().expect("a simulation");
    assert!((running - 0.2).abs() < 2e-3 && stopped.abs() < 2e-3, "{running} m/s, then {stopped} m/s");
}

#[test]
fn a_taut_tendon_pulls_and_a_slack_one_does_not_push() {
    use stiction::energy::{Element, NO_MATERIALS, Stencil};
    use stiction::numerics::Vec3;
    let tendon = own_law::Tendon { nodes: [0, 1], stiffness: 2.0, growth: 3.0, rest_length: 0.5 };
    let at = |length: f64| Stencil {
        x: [Vec3::zeros(), Vec3::x() * length],
        frames: &[],
        materials: &NO_MATERIALS,
    };
    assert_eq!(tendon.gradient(&at(0.4))[1], Vec3::zeros());
    let expected = 2.0 / 3.0 * ((3.0_f64 * 0.2).exp() - 1.0);
    assert!((tendon.gradient(&at(0.6))[1].x / expected - 1.0).abs() < 1e-12);
    assert!(own_law::pull_on_cloth(5).expect("a simulation") > 0.0);
}

/// Explicit and implicit steps of the same bar agree to the first order of the longer step.
#[test]
fn the_own_solver_agrees_with_newton() {
    let (mut own, mut reference) =
        (own_solver::simulation().expect("own"), own_solver::reference().expect("newton"));
    let start = own_solver::lowest(&own);
    for _ in 0..5 {
        own.advance_frame().expect("a frame");
        reference.advance_frame().expect("a frame");
    }
    let fallen = [&own, &reference].map(|s| start - own_solver::lowest(s));
    println!("{fallen:?}");
    assert!(fallen[1] > 0.005 && (fallen[0] / fallen[1] - 1.0).abs() < 0.1, "{fallen:?}");
    let folder = tempfile::tempdir().expect("a folder");
    let summary = own_solver::run_into(&folder.path().join("run")).expect("a run");
    assert_eq!((summary.method.as_str(), summary.frames), ("symplectic_euler", 21));
}

#[test]
fn the_own_statistic_goes_with_a_run() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = folder.path().join("run");
    let loads = own_statistic::record(&run, 12).expect("a run");
    assert_eq!(RunReader::open(&run).expect("a run").frame_count(), 13);
    assert!(loads[0].share.abs() < 1e-9, "nothing is touched in the first frame");
    assert!(loads.iter().any(|load| load.share > 0.2), "the ball catches the cloth");
    assert_eq!(own_statistic::table(&loads).lines().count(), 13);
}
