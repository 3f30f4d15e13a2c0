//! A step that fails leaves the state and the memory of its method as they were, to the bit, and
//! its arrays where they were.

mod common;

use common::Run;
use stiction_bodies::{MotionLimit, Parameters, State};
use stiction_numerics::Vec3;
use stiction_scene::resolved::Gravity;
use stiction_solvers::{SavedState, StepError, World, methods};

/// Steps before the one that fails: enough to touch the floor and to have duals, impulses and
/// anchors.
const STEPS: usize = 6;

/// Step size \[s\].
const H: f64 = 0.01;

/// A body that its method takes, 1 mm above a floor and held at one end by a pin that moves.
fn scene(key: &str, motion: &str) -> String {
    let body = match key {
        "admm_integrator" => {
            "kind = 'rod'
            mesh = { rod = { start = [0, 0, 0.002], end = [0.1, 0, 0.002], segments = 10 } }
            material = { density = 1300.0, radius = 0.001, young = 1e7, poisson = 0.3 }
            pins = [{ select = { indices = [0, 1] }, MOTION }]"
        }
        "descent" => {
            "kind = 'rigid'
            mesh = { box = { size = [0.1, 0.1, 0.02], cells = [1, 1, 1] } }
            mass = 1.0
            translate = [0, 0, 0.0155]
            pins = [{ MOTION }]
            [bodies.rest]
            kind = 'rigid'
            mesh = { box = { size = [0.05, 0.05, 0.05], cells = [1, 1, 1] } }
            mass = 0.5
            translate = [0, 0, 0.051]"
        }
        _ => {
            "kind = 'cloth'
            mesh = { grid = { size = [0.1, 0.1], cells = [4, 4] } }
            material = { density = 300.0, thickness = 0.001, young = 2e4, poisson = 0.3, law = 'stvk' }
            translate = [0, 0, 0.0025]
            velocity = [0, 0, -0.1]
            gap = 0.001
            pins = [{ select = 'left', MOTION }]"
        }
    };
    format!(
        "stiction = 1
        method = {{ key = '{key}' }}
        [bodies.piece]
        {}
        [colliders.floor]
        plane = {{ offset = 0 }}
        gap = 0.001",
        body.replace("MOTION", motion)
    )
}

const LIFT: &str = "motion = { velocity = [0, 0, 0.05] }";

fn try_step(run: &mut Run) -> Result<(), StepError> {
    let world = World { model: &run.model, parameters: &run.parameters };
    run.solver.step(world, &mut run.state, H).map(drop)
}

fn started(key: &str, motion: &str) -> Run {
    let mut run = Run::new(&scene(key, motion));
    (0..STEPS).for_each(|_| drop(run.step(H)));
    run
}

fn bits(vectors: &[Vec3]) -> Vec<u64> {
    vectors.iter().flatten().map(|c| c.to_bits()).collect()
}

/// All numbers of a run, to the bit.
fn all_bits(state: &State, saved: &SavedState) -> Vec<u64> {
    let mut out = vec![state.time.to_bits(), u64::from(saved.version)];
    out.extend(bits(&state.blocks).into_iter().chain(bits(&state.velocities)));
    for frame in &state.frames {
        out.extend(bits(&[frame.tangent, frame.director]));
        out.push(frame.reference_twist.to_bits());
    }
    out.extend(saved.numbers.values().flatten().map(|c| c.to_bits()));
    out.extend(saved.keys.values().flatten());
    out
}

/// Steps until one fails, and checks that nothing was changed by it. `barrier` first comes closer
/// in shorter steps.
fn fails(key: &str, run: &mut Run, steps: usize) -> StepError {
    for _ in 0..steps {
        let before = all_bits(&run.state, &run.solver.save());
        if let Err(error) = try_step(run) {
            let is_same = all_bits(&run.state, &run.solver.save()) == before;
            assert!(is_same, "{key} changed something: {error}");
            return error;
        }
    }
    panic!("{key} made all {steps} steps");
}

/// With the parameters as they were, a run goes on as if its failed step had never been tried.
fn fails_without_trace(spoil: impl Fn(&mut Parameters)) {
    for key in methods().iter().map(|method| method.key) {
        let [mut run, mut twin] = [(); 2].map(|()| started(key, LIFT));
        let good = run.parameters.clone();
        spoil(&mut run.parameters);
        let error = fails(key, &mut run, 1);
        println!("{key}: {error}");
        run.parameters = good;
        for run in [&mut run, &mut twin] {
            (0..2).for_each(|_| drop(run.step(H)));
        }
        let after = |run: &Run| all_bits(&run.state, &run.solver.save());
        assert!(after(&run) == after(&twin), "{key}: a failed step changed what follows it");
    }
}

/// A step that takes a body beyond the limit of the caller fails; without the limit the run goes on as
/// if nothing had happened.
#[test]
fn a_body_that_runs_away_changes_nothing() {
    let limits =
        [MotionLimit { speed: 1e-6, displacement: 1.0 }, MotionLimit { speed: 1.0, displacement: 1e-9 }];
    for key in methods().iter().map(|method| method.key) {
        let [mut run, mut twin] = [(); 2].map(|()| started(key, LIFT));
        for limit in limits {
            run.parameters.motion_limit = Some(limit);
            let error = fails(key, &mut run, 1);
            assert!(matches!(&error, StepError::RanAway { name, .. } if name == "piece"), "{key}: {error}");
        }
        run.parameters.motion_limit = Some(MotionLimit { speed: 10.0, displacement: 1.0 });
        for run in [&mut run, &mut twin] {
            (0..2).for_each(|_| drop(run.step(H)));
        }
        let after = |run: &Run| all_bits(&run.state, &run.solver.save());
        assert!(after(&run) == after(&twin), "{key}: a failed step changed what follows it");
    }
}

#[test]
fn gravity_that_is_no_number_changes_nothing() {
    fails_without_trace(|parameters| parameters.gravity = Gravity::constant(Vec3::repeat(f64::NAN)));
}

/// On one node or body only, and one that is free. (`Simulation::apply_force` refuses such a force.)
#[test]
fn an_external_force_that_is_no_number_changes_nothing() {
    fails_without_trace(|parameters| {
        let blocks = parameters.mass.len();
        parameters.external = vec![Vec3::zeros(); blocks];
        parameters.external[7.min(blocks - 1)] = Vec3::new(0.0, f64::NAN, 0.0);
    });
}

/// A pin that jumps further than numbers reach.
#[test]
fn a_pin_that_cannot_be_followed_changes_nothing() {
    let jump = "motion = { keys = [{ time = 0.065 }, { time = 0.0699, translate = [1, 0, 0] }] }";
    for key in methods().iter().map(|method| method.key) {
        let mut run = started(key, jump);
        // Scene files refuse such a place; a host program can still ask for it.
        run.parameters.controls.pins[0].keys[1].translation.x = 1e308;
        let error = fails(key, &mut run, 100);
        println!("{key}: {error}");
    }
}

/// A step writes into the arrays of the state.
#[test]
fn arrays_of_the_state_never_move() {
    for key in methods().iter().map(|method| method.key) {
        let mut run = Run::new(&scene(key, LIFT));
        let place = |state: &State| {
            [
                state.blocks.as_ptr().cast::<u8>(),
                state.velocities.as_ptr().cast(),
                state.frames.as_ptr().cast(),
            ]
        };
        let before = place(&run.state);
        (0..STEPS).for_each(|_| drop(run.step(H)));
        assert_eq!(place(&run.state), before, "{key}");
    }
}
