//! Method `admm_integrator` against Newton, against closed forms, and against itself.

mod common;

use common::Run;
use stiction_numerics::Vec3;
use stiction_solvers::StepReport;

/// A curl of 4 turns that hangs from its clamped root.
fn curl(method: &str) -> String {
    format!(
        "stiction = 1\nfps = 30\nwind = {{ air_density = 0 }}\n{method}
        [bodies.hair]
        kind = 'rod'
        mesh = {{ helix = {{ radius = 0.01, pitch = -0.02, turns = 4.0, segments = 60 }} }}
        material = {{ preset = 'human_hair', young = 1e8, shear = 8.9e8, damping_mass = 8.0, damping_bending = 0.005 }}
        pins = [{{ select = {{ indices = [0, 1] }} }}]\n"
    )
}

/// The rest shape under gravity is the one that Newton finds: elasticity, natural curvature and
/// twist agree.
#[test]
fn a_hanging_curl_rests_as_under_newton() {
    let mut exact = Run::new(&curl(
        "method = { key = 'newton', quasi_static = true, tolerance = 1e-10, max_iterations = 2000 }",
    ));
    exact.step(1.0);
    let mut relaxed =
        Run::new(&curl("method = { key = 'admm_integrator', max_iterations = 100, tolerance = 1e-8 }"));
    let mut report = StepReport::default();
    for _ in 0..300 {
        report = relaxed.step(1.0 / 60.0);
    }
    let nodes = relaxed.model.nodes;
    let apart = |n: usize| (relaxed.state.blocks[n] - exact.state.blocks[n]).norm();
    let worst = (0..nodes).map(apart).fold(0.0, f64::max);
    let sag = (0..nodes).map(|n| (exact.state.blocks[n] - exact.model.initial[n]).norm()).fold(0.0, f64::max);
    println!("sag {sag}, apart {worst:e} after {} iterations, {:?}", report.iterations, report.residual);
    assert!(sag > 0.01 && worst < 0.01 * sag, "{worst:e} of {sag}");
    assert_eq!(report.counters.iter().find(|c| c.0 == "factorisations").map(|c| c.1), Some(0.0));
}

/// A strand in free fall follows the parabola of backward Euler: x₀ − g h² n(n + 1)/2.
#[test]
fn a_free_strand_falls() {
    let mut run = Run::new(
        "stiction = 1\nfps = 30\nwind = { air_density = 0 }\nmethod = { key = 'admm_integrator' }
        [bodies.hair]
        kind = 'rod'
        mesh = { rod = { start = [0, 0, 1], end = [0.1, 0, 1], segments = 20 } }
        material = { preset = 'human_hair' }\n",
    );
    let h = 0.01;
    for _ in 0..20 {
        run.step(h);
    }
    let expected = 1.0 - 9.81 * h * h * 210.0;
    for n in 0..run.model.nodes {
        assert!((run.state.blocks[n].z - expected).abs() < 1e-9, "{}", run.state.blocks[n].z);
    }
}

const HEAP: &str = "stiction = 1\nfps = 30\nmethod = { key = 'admm_integrator' }
    [bodies.hair]
    kind = 'rod'
    mesh = { groom = { on = { sphere = { radius = 0.05, subdivisions = 2 } }, count = 40, length = 0.08, segments = 12, curl_radius = 0.003, curl_pitch = 0.02, min_up = 0.3, seed = 3 } }
    material = { preset = 'human_hair', young = 1e8, shear = 8.9e8, damping_mass = 1.0 }
    gap = 0.0005
    pins = [{ select = 'roots' }]
    [colliders.ball]
    sphere = { centre = [0, 0, 0], radius = 0.0495 }
    friction = 0.3\n";

/// Hair that falls on the ball it grows on stays outside, to within the gap at which contacts are
/// found, and comes to rest.
#[test]
fn hair_comes_to_rest_on_a_ball() {
    let mut run = Run::new(HEAP);
    let mut report = StepReport::default();
    for _ in 0..80 {
        report = run.step(1.0 / 60.0);
    }
    let nodes = run.model.nodes;
    let deepest = run.state.blocks[..nodes].iter().map(|x| 0.0495 - x.norm()).fold(0.0, f64::max);
    let fastest = run.state.velocities[..nodes].iter().map(|v| v.norm()).fold(0.0, f64::max);
    println!("{} contacts, deepest {deepest:e} m, fastest {fastest} m/s", report.contacts);
    assert!(report.contacts > 20 && deepest < 5e-4, "{deepest:e}");
    assert!(fastest < 0.2, "{fastest}");
}

/// The same bits with one thread and several, and after a restore in the middle.
#[test]
fn runs_repeat_to_the_bit() {
    let run_with = |threads: usize, interrupted: bool| -> Vec<Vec3> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let mut run = Run::new(HEAP);
            for step in 0..16 {
                if interrupted && step == 9 {
                    let (saved, state) = (run.solver.save(), run.state.clone());
                    run = Run::new(HEAP);
                    run.solver.restore(&saved).expect("its own state");
                    run.state = state;
                }
                run.step(1.0 / 60.0);
            }
            run.state.blocks
        })
    };
    let plain = run_with(1, false);
    assert!(plain == run_with(3, false), "threads change the result");
    assert!(plain == run_with(2, true), "a restored run goes another way");
}
