//! Rigid bodies through the whole library: an own solver commits stages of free flight, and runs
//! store, resume and draw them.

use std::ops::ControlFlow;
use std::path::Path;
use stiction::bodies::{Changed, FreeRotation, Spin, State};
use stiction::numerics::Vec3;
use stiction::output::RunReader;
use stiction::scene::{Scene, load_text};
use stiction::solvers::commit::{EndOfStep, EndVelocities, commit, next_state};
use stiction::solvers::{MethodError, RestoreError, SavedState, Solver, StepError, StepReport, World};
use stiction::{RunOptions, Simulation};

/// Bodies that fly freely: one stage per step, exact in a uniform field, rotation by Strang
/// splitting.
struct FreeFlight;

impl Solver for FreeFlight {
    fn key(&self) -> &'static str {
        "free_flight"
    }

    fn step(&mut self, world: World<'_>, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let World { model, parameters } = world;
        let (mut blocks, mut velocities) = (state.blocks.clone(), state.velocities.clone());
        for rigid in 0..model.rigid.len() {
            let (centre, rotation) = (model.rigid.centre_block(rigid), model.rigid.rotation_block(rigid));
            // Velocity Verlet is exact where the force is constant.
            blocks[centre] += velocities[centre] * h + GRAVITY * (0.5 * h * h);
            velocities[centre] += GRAVITY * h;
            let start =
                Spin { orientation: state.orientations[rigid], angular_velocity: velocities[rotation] };
            let turned = FreeRotation::over(&start, &parameters.principal_inertia(model, rigid), h);
            blocks[rotation] = turned.rotation_vector;
            velocities[rotation] = turned.end.angular_velocity;
        }
        let end = EndOfStep { blocks, velocities: EndVelocities::Given(velocities), h };
        let next = next_state(world, state, end);
        commit(world, &next, state)?;
        Ok(StepReport { advanced: h, iterations: 1, converged: true, ..StepReport::default() })
    }

    fn parameters_changed(&mut self, _: World<'_>, _: &Changed) -> Result<(), MethodError> {
        Ok(())
    }

    fn save(&self) -> SavedState {
        SavedState::new(1)
    }

    fn restore(&mut self, saved: &SavedState) -> Result<(), RestoreError> {
        saved.expect_version(1)
    }

    fn reset(&mut self) {}
}

const GRAVITY: Vec3 = Vec3::new(0.0, 0.0, -9.81);

/// A racket (I₁ < I₂ < I₃ about x, y, z) spun nearly about its middle axis, next to a sheet whose
/// vertices come first.
const RACKET: &str = "stiction = 1
    fps = 30
    frames = 12
    step = 0.0083333333333333
    [bodies.a_sheet]
    kind = 'cloth'
    material = 'cotton'
    mesh = { grid = { size = [0.3, 0.3], cells = [2, 2] } }
    translate = [0, 0, -1]
    [bodies.racket]
    kind = 'rigid'
    mass = 0.3
    shapes = [
        { mesh = { cylinder = { radius = 0.12, height = 0.02, around = 32, along = 1, closed = true } }, translate = [0.2, 0, 0] },
        { mesh = { box = { size = [0.25, 0.03, 0.02], cells = [1, 1, 1] } }, translate = [-0.04, 0, 0] },
    ]
    velocity = [0.4, 0, 1.5]
    spin = [0.01, 9.0, 0.01]
    colour = [0.85, 0.3, 0.2]
    [colliders.post]
    capsule = { start = [-0.6, 0, -1], end = [-0.6, 0, 0], radius = 0.05 }";

fn scene(changes: &[&str]) -> Scene {
    load_text("racket.toml", RACKET, Path::new("."), changes).expect("the scene is valid").scene
}

fn flight(changes: &[&str]) -> Simulation {
    Simulation::with_solver(scene(changes), |_| Ok(Box::new(FreeFlight))).expect("a simulation")
}

/// z = z₀ + v t − g t²/2, exactly; angular momentum to round-off; energy within the bound of the
/// splitting.
#[test]
fn a_free_body_falls_and_spins() {
    let mut simulation = flight(&["fps=120", "step=1.0"]);
    let momentum = |s: &Simulation| s.state.spin_momentum(&s.model, &s.parameters, 0);
    let spin_energy =
        |s: &Simulation| 0.5 * momentum(s).dot(&s.state.velocities[s.model.rigid.rotation_block(0)]);
    let (start, first, energy) = (simulation.state.clone(), momentum(&simulation), spin_energy(&simulation));
    let (mut worst, mut turned_over) = (0.0f64, false);
    for _ in 0..1200 {
        simulation.step().expect("a step");
        let spin = simulation.state.velocities[simulation.model.rigid.rotation_block(0)];
        turned_over |= simulation.state.orientations[0].inverse_transform_vector(&spin).y < 0.0;
        worst = worst.max((spin_energy(&simulation) / energy - 1.0).abs());
        assert_eq!(simulation.state.blocks[simulation.model.rigid.rotation_block(0)], Vec3::zeros());
    }
    let (model, state) = (&simulation.model, &simulation.state);
    let (centre, t) = (model.rigid.centre_block(0), state.time);
    let expected = start.blocks[centre] + start.velocities[centre] * t + GRAVITY * (0.5 * t * t);
    assert!((t - 10.0).abs() < 1e-9);
    assert!((state.blocks[centre] - expected).norm() < 1e-9 * expected.norm(), "{}", state.blocks[centre]);
    assert!((momentum(&simulation) - first).norm() < 1e-12 * first.norm());
    assert!(worst < 1e-3 && worst > 1e-9, "energy error {worst:e}");
    // A middle axis is unstable: seen from the body, its spin changes sign.
    assert!(turned_over);
}

/// Frames hold the pose; what is drawn and exported is the body where it is, in the user's order of
/// vertices.
#[test]
fn runs_store_resume_and_draw_rigid_bodies() {
    let folder = tempfile::tempdir().expect("a folder");
    let [whole, cut] = ["whole", "cut"].map(|name| folder.path().join(name));
    let go_on = |_: stiction::RunProgress<'_>| ControlFlow::Continue(());
    let done = stiction::run(&mut flight(&[]), &whole, &RunOptions::default(), go_on).expect("a run");
    let stop = |p: stiction::RunProgress<'_>| match p.frame {
        5 => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    stiction::run(&mut flight(&[]), &cut, &RunOptions::default(), stop).expect("the first half");
    let resume = RunOptions { resume: true, ..RunOptions::default() };
    let mut resumed = flight(&[]);
    let summary = stiction::run(&mut resumed, &cut, &resume, go_on).expect("the second half");
    assert_eq!(summary.state_hash, done.state_hash);
    let reader = RunReader::open(&whole).expect("a run folder");
    let body = reader.layout().body("racket").expect("a body").clone();
    assert_eq!((done.vertices, body.range().start), (9 + body.vertex_count() as u64, 9));
    let frame = reader.frame(12).expect("the last frame");
    let mut places = Vec::new();
    let controls = &resumed.parameters.controls;
    resumed.model.surface_positions(controls, resumed.state.placed(), &mut places);
    let drawn = &frame.positions[body.range()];
    for (drawn, place) in drawn.iter().zip(&places[resumed.model.rigid.bodies[0].vertices.clone()]) {
        let away = (0..3).map(|k| (f64::from(drawn[k]) - place[k]).abs()).fold(0.0, f64::max);
        assert!(away < 1e-6, "{away}");
    }
    // Another orientation is another state.
    let hash = stiction::checkpoint::state_hash(&resumed);
    resumed.state.orientations[0] = resumed.state.orientations[0].inverse();
    assert_ne!(hash, stiction::checkpoint::state_hash(&resumed));
}
