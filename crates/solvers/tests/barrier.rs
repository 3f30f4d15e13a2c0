//! Method `barrier`: no intersection at any step, balance of forces, friction at its threshold, the
//! same bits on any number of threads.

use std::path::Path;
use stiction_bodies::{Model, Parameters, State, build};
use stiction_contact::detect::{ContactFinder, DetectOptions};
use stiction_numerics::{Random, Vec3};
use stiction_scene::load_text;
use stiction_solvers::{Obstacle, Script, Solver, StepError, StepReport, World, create};

struct Bench {
    model: Model,
    parameters: Parameters,
    state: State,
    solver: Box<dyn Solver>,
}

impl Bench {
    fn new(text: &str) -> Bench {
        let text = format!("stiction = 1\nfps = 100\n{text}");
        let scene =
            load_text("test.toml", &text, Path::new("."), &[] as &[&str]).expect("a good scene").scene;
        let model = build(&scene).expect("a good model");
        let parameters = Parameters::from_scene(&scene, &model);
        let state = State::initial(&model, &scene);
        let solver =
            create(&scene.method, World { model: &model, parameters: &parameters }).expect("a method");
        Bench { model, parameters, state, solver }
    }

    /// Moves every node by at most `size` \[m\].
    fn jitter(&mut self, seed: u64, size: f64) {
        let mut random = Random::new(seed);
        self.state.blocks[..self.model.nodes].iter_mut().for_each(|x| *x += random.vector(-size, size));
    }

    fn step(&mut self, h: f64) -> StepReport {
        let world = World { model: &self.model, parameters: &self.parameters };
        self.solver.step(world, &mut self.state, h).expect("a step")
    }

    /// An independent judgement of the state: nothing crosses, nothing overlaps, nothing is inside.
    fn assert_free(&self, finder: &mut ContactFinder, step: usize) {
        let found = finder
            .intersections(&self.model, &self.parameters.controls, self.state.placed())
            .expect("a mesh");
        assert!(found.is_intersection_free(), "step {step}: {found:?}");
        assert!(found.overlaps.is_empty(), "step {step}: {:?}", found.overlaps);
    }

    fn centre(&self) -> Vec3 {
        let moment: Vec3 = self.parameters.mass[..self.model.nodes]
            .iter()
            .zip(&self.state.blocks)
            .map(|(m, x)| x * *m)
            .sum();
        moment / self.parameters.mass[..self.model.nodes].iter().sum::<f64>()
    }
}

fn counter(report: &StepReport, name: &str) -> Option<f64> {
    report.counters.iter().find(|(key, _)| *key == name).map(|(_, value)| *value)
}

const ON_A_BALL: &str = "
    method = { key = 'barrier' }
    [bodies.cloth]
    kind = 'cloth'
    mesh = { grid = { size = [0.3, 0.3], cells = [10, 10], pattern = 'alternating' } }
    translate = [0.01, 0.02, 0.115]
    material = { preset = 'cotton' }
    friction = 0.3
    gap = 0.002
    [colliders.ball]
    sphere = { centre = [0, 0, 0], radius = 0.1 }
    gap = 0.002";

/// A strip that stands upright falls on a table and folds on itself.
const FOLDING: &str = "
    method = { key = 'barrier' }
    [bodies.cloth]
    kind = 'cloth'
    mesh = { grid = { size = [0.06, 0.3], cells = [3, 15], pattern = 'alternating' } }
    rotate = { axis = [1, 0, 0], degrees = 88 }
    translate = [0.0, 0.0, 0.155]
    material = { preset = 'cotton' }
    friction = 0.3
    gap = 0.002
    [colliders.table]
    plane = { normal = [0, 0, 1], offset = 0.0 }
    gap = 0.002";

#[test]
fn nothing_ever_crosses_and_gaps_stay_open() {
    assert_open_for(1..2);
}

/// Ten starts, each moved by 1 % of the gap.
#[test]
#[ignore = "slow: ten starts per scene"]
fn nothing_ever_crosses_from_ten_starts() {
    assert_open_for(1..11);
}

fn assert_open_for(seeds: std::ops::Range<u64>) {
    for (name, scene, steps) in [("ball", ON_A_BALL, 40), ("folding", FOLDING, 50)] {
        for seed in seeds.clone() {
            let mut bench = Bench::new(scene);
            bench.jitter(seed, 2e-5);
            let mut finder =
                ContactFinder::new(&bench.model, &bench.parameters.controls, DetectOptions::default())
                    .expect("a mesh");
            let (mut most, mut iterations) = (0, 0);
            for step in 0..steps {
                let mut left: f64 = 0.01;
                while left > 1e-9 {
                    let report = bench.step(left);
                    left -= report.advanced;
                    assert!(
                        counter(&report, "min_gap_m").is_none_or(|gap| gap > 0.0),
                        "{:?}",
                        report.counters
                    );
                    (most, iterations) = (most.max(report.contacts), iterations + report.iterations);
                    bench.assert_free(&mut finder, step);
                }
            }
            println!("{name} {seed}: {iterations} iterations, at most {most} contacts");
            assert!(most > 20, "{name} {seed}: only {most} contacts");
        }
    }
}

#[test]
fn a_cloth_at_rest_weighs_what_it_weighs() {
    let mut bench = Bench::new(
        "method = { key = 'barrier' }
        [bodies.cloth]
        kind = 'cloth'
        mesh = { grid = { size = [0.2, 0.2], cells = [8, 8] } }
        translate = [0.0, 0.0, 0.003]
        material = { preset = 'cotton', thickness = 0.001 }
        gap = 0.001
        [colliders.table]
        plane = { normal = [0, 0, 1], offset = 0.0 }
        gap = 0.001",
    );
    let reports: Vec<StepReport> = (0..100).map(|_| bench.step(0.01)).collect();
    let weight = bench.parameters.body_mass(&bench.model, 0) * 9.81;
    let last = reports.last().expect("steps were made");
    let force = last.contact_force[0];
    println!("{force:?} against {weight}");
    assert!((force - Vec3::new(0.0, 0.0, weight)).norm() < 0.01 * weight, "{force} against {weight}");
    assert!((last.contact_force[0] + last.contact_force[1]).norm() < 1e-12);
}

/// A block on a slope of atan(1/2), pulled by a tilted gravity.
fn block_on_slope(friction: f64, options: &str) -> Bench {
    let (sine, cosine) = (0.2_f64.sqrt(), 0.8_f64.sqrt());
    Bench::new(&format!(
        "gravity = [{}, 0.0, {}]
        method = {{ key = 'barrier', {options} }}
        [bodies.block]
        kind = 'solid'
        mesh = {{ tet_box = {{ size = [0.1, 0.1, 0.05], cells = [2, 2, 1] }} }}
        translate = [0.0, 0.0, 0.0258]
        friction = {friction}
        gap = 0.001
        material = {{ density = 1000.0, young = 1e6, poisson = 0.3, damping_stiffness = 0.01 }}
        [colliders.slope]
        plane = {{ normal = [0, 0, 1], offset = 0.0 }}
        friction = {friction}
        gap = 0.001",
        9.81 * sine,
        -9.81 * cosine
    ))
}

/// How far it slides in half a second with lagged friction.
fn slide(friction: f64) -> f64 {
    let mut bench = block_on_slope(friction, "friction = 'lagged', refine_iterations = 32, tolerance = 1e-5");
    for _ in 0..10 {
        bench.step(0.01);
    }
    let before = bench.centre().x;
    for _ in 0..50 {
        bench.step(0.01);
    }
    bench.centre().x - before
}

#[test]
fn a_slope_holds_above_its_threshold_and_not_below() {
    let (holds, slides) = (slide(0.52), slide(0.45));
    println!("slid {holds} m at 0.52, {slides} m at 0.45");
    // Lagged friction creeps by at most ε = 0.01 mm per step.
    assert!(holds.abs() < 50.0 * 1.05e-5, "slid {holds} m at 0.52");
    // a = g (sin − μ cos): 0.055 m in half a second from rest.
    assert!(slides > 0.04, "slid only {slides} m at 0.45");
}

/// Anchored friction at default settings: just above its limit the block rests without creep in few
/// iterations; just below it the block slides at g (sin θ − μ cos θ).
#[test]
fn anchored_friction_holds_without_creep_and_slides_at_the_right_rate() {
    let mut holds = block_on_slope(0.505, "friction = 'anchored'");
    (0..60).for_each(|_| drop(holds.step(0.01)));
    let before = holds.centre().x;
    let iterations: usize = (0..50).map(|_| holds.step(0.01).iterations).sum();
    let crept = holds.centre().x - before;
    println!("crept {crept} m in 50 steps with {iterations} iterations");
    assert!(crept.abs() < 5e-6 && iterations < 400, "{crept} m, {iterations} iterations");
    let mut slides = block_on_slope(0.495, "friction = 'anchored'");
    let speeds: Vec<f64> = (0..200)
        .map(|_| {
            let before = slides.centre().x;
            slides.step(0.01);
            (slides.centre().x - before) / 0.01
        })
        .collect();
    let rate = (speeds[199] - speeds[99]) / 1.0;
    let expected = 9.81 * (0.2_f64.sqrt() - 0.495 * 0.8_f64.sqrt());
    println!("slides at {rate} m/s², {expected} by Coulomb");
    assert!((rate / expected - 1.0).abs() < 0.02, "{rate} against {expected}");
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let states: Vec<Vec<Vec3>> = [1, 2, 7]
        .into_iter()
        .map(|threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads start");
            pool.install(|| {
                let mut bench = Bench::new(ON_A_BALL);
                (0..12).for_each(|_| drop(bench.step(0.01)));
                bench.state.blocks
            })
        })
        .collect();
    assert!(states[0] == states[1] && states[0] == states[2]);
}

#[test]
fn a_shortened_step_says_how_far_it_got() {
    let text =
        ON_A_BALL.replace("method = { key = 'barrier' }", "method = { key = 'barrier', complete = false }");
    let mut bench = Bench::new(&text);
    let mut shortened = 0;
    for _ in 0..60 {
        let before = bench.state.time;
        let report = bench.step(0.01);
        let beta = counter(&report, "beta").expect("always there");
        assert!((report.advanced - beta * 0.01).abs() < 1e-15 && beta >= 0.25);
        assert!((bench.state.time - before - report.advanced).abs() < 1e-15);
        shortened += usize::from(beta < 1.0);
    }
    println!("{shortened} of 60 steps were shortened");
    assert!(shortened > 0);
}

/// A tight pair and a ball in free fall far away: the fall is exact although the pair shortens its
/// own directions.
#[test]
fn a_tight_contact_does_not_hold_up_a_far_body() {
    let mut bench = Bench::new(
        "method = { key = 'barrier', max_iterations = 16 }
        [bodies.sheet]
        kind = 'cloth'
        mesh = { grid = { size = [0.2, 0.2], cells = [6, 6], pattern = 'alternating' } }
        material = { preset = 'cotton' }
        gap = 0.002
        velocity = [0, 0, -8]
        [bodies.far]
        kind = 'solid'
        mesh = { tet_box = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
        translate = [3, 0, 0]
        material = { density = 1000.0, young = 1e5, poisson = 0.3 }
        gap = 0.002
        [colliders.ball]
        sphere = { centre = [0, 0, -0.11], radius = 0.1 }
        gap = 0.002",
    );
    let far = bench.model.bodies.iter().position(|b| b.name == "far").expect("a far body");
    let nodes = bench.model.bodies[far].nodes.clone();
    let lowest =
        |bench: &Bench| bench.state.blocks[nodes.clone()].iter().map(|x| x.z).fold(f64::MAX, f64::min);
    let before = lowest(&bench);
    let report = bench.step(0.005);
    assert!(counter(&report, "smallest_alpha").is_some_and(|alpha| alpha < 0.9), "{:?}", report.counters);
    assert_eq!(report.advanced, 0.005);
    let fallen = before - lowest(&bench);
    assert!((fallen / (9.81 * 0.005 * 0.005) - 1.0).abs() < 1e-3, "{fallen}");
}

/// While staging a stretched sheet finds its rest shape and does not fall; then it falls.
#[test]
fn staging_relaxes_without_weight_or_speed() {
    let mut bench = Bench::new(
        "method = { key = 'barrier', stage_until = 0.095 }
        [bodies.sheet]
        kind = 'cloth'
        mesh = { grid = { size = [0.2, 0.2], cells = [4, 4], pattern = 'alternating' } }
        velocity = [0, 0, 3]
        material = { preset = 'cotton', young = 1e5 }
        gap = 0.002",
    );
    let nodes = bench.model.nodes;
    bench.state.blocks[..nodes].iter_mut().for_each(|x| *x *= 1.2);
    let width = |bench: &Bench| bench.state.blocks[..nodes].iter().map(|x| x.x).fold(0.0, f64::max);
    let stretched = width(&bench);
    (0..10).for_each(|_| drop(bench.step(0.01)));
    assert!(bench.centre().z.abs() < 1e-9 && bench.state.velocities.iter().all(|v| *v == Vec3::zeros()));
    assert!((width(&bench) / stretched - 1.0 / 1.2).abs() < 0.02, "{} of {stretched}", width(&bench));
    (0..5).for_each(|_| drop(bench.step(0.01)));
    assert!(bench.centre().z < -0.01, "{}", bench.centre().z);
}

#[test]
fn a_start_that_intersects_is_refused_with_names() {
    let mut bench = Bench::new(&ON_A_BALL.replace("0.02, 0.115", "0.02, 0.09"));
    let before = bench.state.clone();
    let world = World { model: &bench.model, parameters: &bench.parameters };
    let error = bench.solver.step(world, &mut bench.state, 0.01).expect_err("the cloth is in the ball");
    let text = error.to_string();
    assert!(text.contains("`cloth`") && text.contains("`ball`") && text.contains("at the start"), "{text}");
    assert_eq!(bench.state, before);
}

/// A pinned sheet is lowered through another pinned one: the step must fail and say between what.
#[test]
fn pins_that_force_a_crossing_are_named() {
    let sheet = |name: &str, height: f64, pin: &str| {
        format!(
            "[bodies.{name}]
            kind = 'cloth'
            mesh = {{ grid = {{ size = [0.1, 0.1], cells = [2, 2] }} }}
            translate = [0.0, 0.0, {height}]
            material = {{ preset = 'cotton' }}
            gap = 0.002
            pins = [{{ select = {{ box = {{ min = [-1, -1, -1], max = [1, 1, 1] }} }} {pin} }}]\n"
        )
    };
    let falling = ", motion = { velocity = [0, 0, -1] }";
    let text =
        format!("method = {{ key = 'barrier' }}\n{}{}", sheet("low", 0.0, ""), sheet("high", 0.015, falling));
    let mut bench = Bench::new(&text);
    let world = World { model: &bench.model, parameters: &bench.parameters };
    let error = (0..20).find_map(|_| bench.solver.step(world, &mut bench.state, 0.01).err());
    let error = error.expect("the pins cross");
    let StepError::Infeasible { scripts, obstacle, .. } = &error else { panic!("{error:?}") };
    assert_eq!(scripts[..], [Script::Pin { body: "high".to_owned(), number: 0 }], "{error}");
    let Obstacle::Pair { objects, .. } = obstacle.as_ref() else { panic!("{error}") };
    assert!(objects.contains(&"low".to_owned()) && objects.contains(&"high".to_owned()), "{error}");
}

/// Colliders of both kinds rise into a sheet held at two edges, under both policies: their motion
/// is scripted, the sheet gives way.
#[test]
fn moving_colliders_push_and_never_pass() {
    let ball = "sphere = { centre = [0.013, 0.007, -0.06], radius = 0.05 }";
    let mesh =
        "mesh = { sphere = { radius = 0.05, subdivisions = 2 } }\n    translate = [0.013, 0.007, -0.06]";
    for (kind, shape) in [("ball", ball), ("mesh", mesh)] {
        for complete in [true, false] {
            let mut bench = Bench::new(&format!(
                "method = {{ key = 'barrier', complete = {complete} }}
                [bodies.cloth]
                kind = 'cloth'
                mesh = {{ grid = {{ size = [0.3, 0.3], cells = [8, 8], pattern = 'alternating' }} }}
                material = {{ preset = 'cotton' }}
                gap = 0.002
                pins = [{{ select = 'left' }}, {{ select = 'right' }}]
                [colliders.pusher]
                {shape}
                gap = 0.002
                motion = {{ velocity = [0, 0, 0.6], turn = {{ axis = [0, 0, 1], degrees_per_second = 90 }} }}"
            ));
            let mut finder =
                ContactFinder::new(&bench.model, &bench.parameters.controls, DetectOptions::default())
                    .expect("a mesh");
            let mut touched = 0;
            for step in 0..40 {
                let report = bench.step(0.005);
                touched += usize::from(report.contacts > 0);
                if complete {
                    assert_eq!(report.advanced, 0.005, "{kind}: step {step}");
                }
                bench.assert_free(&mut finder, step);
            }
            let highest =
                bench.state.blocks[..bench.model.nodes].iter().map(|x| x.z).fold(f64::MIN, f64::max);
            println!("{kind}, complete {complete}: {touched} steps with contact, highest node {highest}");
            // The top of the ball stands at −0.01 + 0.6 t.
            assert!(touched > 10 && highest > -0.012 + 0.6 * bench.state.time, "{kind}: {highest}");
        }
    }
}

/// A sheet with a limit of 5 % held at its edges is pushed by a heavy ball: no triangle ever
/// exceeds it.
#[test]
fn a_strain_limit_is_never_broken() {
    let scene = |limit: &str| {
        format!(
            "method = {{ key = 'barrier' }}
            [bodies.sheet]
            kind = 'cloth'
            mesh = {{ grid = {{ size = [0.3, 0.3], cells = [8, 8], pattern = 'alternating' }} }}
            material = {{ preset = 'cotton', young = 1e5 {limit} }}
            gap = 0.002
            pins = [{{ select = 'left' }}, {{ select = 'right' }}]
            [bodies.ball]
            kind = 'solid'
            mesh = {{ tet_sphere = {{ radius = 0.04, cells = 2 }} }}
            translate = [0.0, 0.0, 0.045]
            velocity = [0, 0, -1]
            material = {{ density = 2000.0, young = 1e5, poisson = 0.3 }}
            gap = 0.002"
        )
    };
    let lowest = |limit: &str, free: bool| {
        let mut bench = Bench::new(&scene(limit));
        let sheet = bench.model.bodies.iter().position(|b| b.name == "sheet").expect("a sheet");
        let nodes = bench.model.bodies[sheet].nodes.clone();
        let mut lowest = 0.0_f64;
        for _ in 0..30 {
            let report = bench.step(0.005);
            assert!(report.strain_limit_excess == 0.0);
            lowest = bench.state.blocks[nodes.clone()].iter().map(|x| x.z).fold(lowest, f64::min);
            for triangle in bench.model.bodies[sheet].triangles.iter().filter(|_| !free) {
                for k in 0..3 {
                    let [a, b] = [k, (k + 1) % 3].map(|k| triangle[k] as usize);
                    let length = |x: &[Vec3]| (x[a] - x[b]).norm();
                    assert!(
                        length(&bench.state.blocks) < 1.05 * length(&bench.model.rest),
                        "an edge is too long"
                    );
                }
            }
        }
        lowest
    };
    let (limited, free) = (lowest(", strain_limit = 0.05", false), lowest("", true));
    println!("sinks by {limited} with and {free} without a limit");
    // A taut strip of half-length 0.15 stretched by 5 % reaches 0.15 √(1.05² − 1) = 48 mm.
    assert!(limited > -0.049 && free < -0.06);
}

/// A solver that takes back what another saved goes on with the same bits, also after shortened
/// steps.
#[test]
fn a_restored_solver_goes_on_as_if_nothing_had_happened() {
    let text = "method = { key = 'barrier', complete = false, friction = 'anchored' }
        [bodies.cloth]
        kind = 'cloth'
        mesh = { grid = { size = [0.2, 0.2], cells = [6, 6], pattern = 'alternating' } }
        material = { preset = 'cotton' }
        friction = 0.4
        gap = 0.002
        [colliders.pusher]
        mesh = { sphere = { radius = 0.05, subdivisions = 2 } }
        translate = [0.0, 0.0, -0.06]
        friction = 0.4
        gap = 0.002
        motion = { velocity = [0, 0, 0.5], turn = { axis = [1, 0, 0], degrees_per_second = 200 } }";
    let (mut whole, mut second) = (Bench::new(text), Bench::new(text));
    (0..15).for_each(|_| drop(whole.step(0.005)));
    second.state = whole.state.clone();
    second.solver.restore(&whole.solver.save()).expect("its own state");
    for _ in 0..5 {
        let (a, b) = (whole.step(0.005), second.step(0.005));
        assert!(a.contacts > 0 && a.advanced == b.advanced);
    }
    assert!(whole.state == second.state);
}
