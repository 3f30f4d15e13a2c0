//! Bodies on affine frames, and strands that grow on bodies, against closed forms.

mod common;

use common::Run;
use std::path::Path;
use stiction_bodies::{Parameters, build};
use stiction_energy::Elasticity;
use stiction_numerics::{Mat3, Vec3, rotation_from_vector};
use stiction_scene::{Scene, load_text};
use stiction_solvers::{StepReport, World, create};

fn scene(text: &str) -> Scene {
    let loaded = load_text("test.toml", text, Path::new("."), &[] as &[&str]);
    loaded.unwrap_or_else(|e| panic!("{e}: {}", e.fix())).scene
}

impl Run {
    /// Places of all surface vertices.
    fn surface(&self) -> Vec<Vec3> {
        let mut out = Vec::new();
        self.model.surface_positions(&self.parameters.controls, self.state.placed(), &mut out);
        out
    }
}

const BRICK: &str = "stiction = 1
    fps = 100
    [bodies.brick]
    kind = 'affine'
    mesh = { box = { size = [0.2, 0.1, 0.06], cells = [2, 1, 1] } }
    material = { density = 2000.0, young = 1e8, poisson = 0.0 }\n";

/// A brick that tumbles about no principal axis keeps its momenta; backward Euler loses angular
/// momentum at first order in the step.
#[test]
fn a_tumbling_affine_body_keeps_its_momenta() {
    let lost = |h: f64| {
        let mut run = Run::new(&format!(
            "gravity = 0\nwind = {{ air_density = 0 }}\nmethod = {{ key = 'newton', tolerance = 1e-12 }}\n{BRICK}\
             velocity = [0.3, -0.2, 0.5]\nspin = [2.0, 1.0, 3.0]\n"
        ));
        let mass: f64 = run.parameters.mass.iter().sum();
        assert!((mass - 2000.0 * 0.2 * 0.1 * 0.06).abs() < 1e-12);
        let (linear, angular) = (
            run.state.momentum(&run.model, &run.parameters),
            run.state.angular_momentum(&run.model, &run.parameters),
        );
        let inertia = mass / 12.0 * Vec3::new(0.01 + 0.0036, 0.04 + 0.0036, 0.04 + 0.01);
        let spin = inertia.component_mul(&Vec3::new(2.0, 1.0, 3.0));
        assert!((angular - spin).norm() < 1e-12 * spin.norm(), "{angular} against {spin}");
        for _ in 0..(0.1 / h).round() as usize {
            run.step(h);
        }
        assert!((run.state.momentum(&run.model, &run.parameters) - linear).norm() < 1e-10 * linear.norm());
        (run.state.angular_momentum(&run.model, &run.parameters)
            - run.state.blocks[..4].iter().sum::<Vec3>().cross(&linear) / 4.0
            - angular)
            .norm()
            / angular.norm()
    };
    let (coarse, fine) = (lost(0.01), lost(0.005));
    println!("angular momentum lost in 0.1 s: {coarse:e}, {fine:e}");
    assert!(coarse < 0.06 && (coarse / fine - 2.0).abs() < 0.4, "{coarse:e} {fine:e}");
}

/// Contact forces carry the weight of bodies at rest on the ground, and surfaces stay above it.
#[test]
fn bodies_on_frames_rest_with_their_weight() {
    let ground = "[colliders.ground]\nplane = { offset = 0.0 }\nfriction = 0.5\n";
    let brick = format!("{BRICK}translate = [0, 0, 0.0301]\n{ground}");
    let block = format!(
        "stiction = 1\nfps = 100\n[bodies.block]\nkind = 'skinned'\nframes = {{ count = 4 }}
        mesh = {{ tet_box = {{ size = [0.3, 0.1, 0.1], cells = [6, 2, 2] }} }}
        translate = [0, 0, 0.0501]
        material = {{ density = 1000.0, young = 2e5, poisson = 0.3, damping_stiffness = 0.02 }}\n{ground}"
    );
    for text in [brick, block] {
        let mut run =
            Run::new(&format!("method = {{ key = 'admm', max_iterations = 200, tolerance = 1e-9 }}\n{text}"));
        let weight = 9.81 * run.parameters.mass.iter().sum::<f64>();
        let mut report = StepReport::default();
        for _ in 0..60 {
            report = run.step(0.01);
        }
        let lift = report.contact_force[0].z;
        println!("{}: {lift} N on {weight} N", run.model.bodies[0].name);
        assert!((lift / weight - 1.0).abs() < 1e-3, "{lift} against {weight}");
        let first = run.model.surfaces.nodes;
        let lowest = run.surface()[first..].iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
        assert!(lowest > -1e-5, "{lowest}");
        assert!(run.state.velocities.iter().all(|v| v.norm() < 1e-3));
    }
}

fn bar(frames: usize, rest: &str) -> String {
    let places: Vec<String> =
        (0..frames).map(|i| format!("[{}, 0, 0]", -0.5 + i as f64 / (frames - 1) as f64)).collect();
    format!(
        "stiction = 1\nfps = 1
        method = {{ key = 'newton', quasi_static = true, tolerance = 1e-9, max_iterations = 200 }}
        wind = {{ air_density = 0 }}
        [bodies.bar]
        kind = 'skinned'
        mesh = {{ tet_box = {{ size = [1.0, 0.1, 0.1], cells = [48, 3, 3] }} }}
        frames = {{ positions = [{}] }}
        material = {{ density = 1000.0, young = 1e6, poisson = 0.0 }}
        pins = [{{ select = {{ indices = [0] }} }}]\n{rest}",
        places.join(", ")
    )
}

/// A uniform stretch of all frames stores ½ (EA/L) δ² to round-off, turned by any rotation.
#[test]
fn a_stretched_bar_has_the_stiffness_of_its_section() {
    let run = Run::new(&bar(6, ""));
    let elasticity = Elasticity::new(&run.model, &run.parameters).expect("elements");
    let delta = 0.03;
    let turn = rotation_from_vector(&Vec3::new(0.4, -1.0, 0.7));
    let map = turn * Mat3::from_diagonal(&Vec3::new(1.0 + delta, 1.0, 1.0));
    let moved: Vec<Vec3> = run.model.rest.iter().map(|x| map * x).collect();
    let stored = elasticity.energy(&moved, &[], 0.0);
    let expected = 0.5 * 1e6 * 0.01 * delta * delta;
    assert!((stored / expected - 1.0).abs() < 1e-10, "{stored} against {expected}");
}

/// Hung up and held out: with more frames the bar tends to ρ g L²/2E and ρ g A L⁴/8EI.
#[test]
fn more_frames_bring_a_bar_to_its_closed_forms() {
    let end = |frames: usize, gravity: &str| {
        let mut run = Run::new(&format!("gravity = {gravity}\n{}", bar(frames, "")));
        run.step(1.0);
        let first = run.model.surfaces.nodes;
        let start =
            &scene(&bar(frames, "")).bodies[0].embedded_surface.as_ref().expect("skin").mesh.vertices.clone();
        let last = (0..start.len()).max_by(|&a, &b| start[a].x.total_cmp(&start[b].x)).expect("vertices");
        run.surface()[first + last] - start[last]
    };
    let stretched = 1000.0 * 1.0 / (2.0 * 1e6);
    let stretch: Vec<f64> = [5, 9, 17].map(|n| end(n, "[1.0, 0, 0]").x / stretched).into();
    let bent = 1000.0 * 0.1 * 0.01 / (8.0 * 1e6 * 0.1_f64.powi(4) / 12.0);
    let bend: Vec<f64> = [5, 9, 17].map(|n| end(n, "[0, 0, -0.1]").z / -bent).into();
    println!("of the closed form: stretch {stretch:?}, bend {bend:?}");
    for ratios in [&stretch, &bend] {
        let errors: Vec<f64> = ratios.iter().map(|r| (r - 1.0).abs()).collect();
        assert!(errors[1] < 0.7 * errors[0] && errors[2] < 0.7 * errors[1], "{ratios:?}");
    }
    // The held frame keeps the shape of half a spacing: first order in the spacing, to the fourth
    // power of the length in bending.
    assert!((stretch[2] - 1.0).abs() < 0.05 && (bend[2] - 1.0).abs() < 0.3, "{stretch:?} {bend:?}");
}

/// Whatever the ground, the first segment of a strand turns with it.
#[test]
fn roots_follow_their_body_in_place_and_direction() {
    let grounds = [
        "kind = 'solid'\nmesh = { tet_box = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }\nmaterial = { density = 1000.0, young = 1e6, poisson = 0.3 }",
        "kind = 'affine'\nmesh = { box = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }\nmaterial = { density = 1000.0, young = 1e7, poisson = 0.0 }",
        "kind = 'skinned'\nmesh = { tet_box = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }\nframes = { count = 3 }\nmaterial = { density = 1000.0, young = 1e6, poisson = 0.3 }",
        "kind = 'cloth'\nmesh = { grid = { size = [0.1, 0.1], cells = [4, 4] } }\nmaterial = { density = 1000.0, thickness = 0.002, young = 1e7, poisson = 0.3 }",
    ];
    for ground in grounds {
        let mut run = Run::new(&format!(
            "stiction = 1\ngravity = 0\nfps = 100\nwind = {{ air_density = 0 }}
            method = {{ key = 'newton' }}
            [bodies.ground]\n{ground}
            pins = [{{ select = {{ all = true }}, motion = {{ turn = {{ axis = 'x', degrees_per_second = 90 }} }} }}]
            [bodies.fur]
            kind = 'rod'
            mesh = {{ groom = {{ on_body = 'ground', count = 12, length = 0.03, segments = 3, length_jitter = 0.2, seed = 2 }} }}
            material = {{ density = 1300.0, radius = 0.0002, young = 1e9, poisson = 0.3, damping_mass = 2.0 }}\n"
        ));
        assert_eq!(run.model.roots.segments.len(), 12);
        let start = run.state.blocks.clone();
        for _ in 0..50 {
            run.step(0.02);
        }
        let turn = rotation_from_vector(&Vec3::new(std::f64::consts::FRAC_PI_2, 0.0, 0.0));
        for &([first, second], _) in &run.model.roots.segments {
            let place = |n: u32| run.state.blocks[n as usize];
            let wanted = |n: u32| turn * start[n as usize];
            assert!(
                (place(first) - wanted(first)).norm() < 1e-4,
                "{ground}: {}",
                place(first) - wanted(first)
            );
            let (now, then) =
                ((place(second) - place(first)).normalize(), (wanted(second) - wanted(first)).normalize());
            assert!(now.dot(&then) > 0.9995, "{ground}: {}", now.dot(&then));
        }
    }
}

#[test]
fn methods_that_cannot_run_frames_say_so() {
    for key in ["pd", "admm_integrator"] {
        let scene = scene(&format!("method = {{ key = '{key}' }}\n{BRICK}"));
        let model = build(&scene).expect("a good model");
        let parameters = Parameters::from_scene(&scene, &model);
        let Err(error) = create(&scene.method, World { model: &model, parameters: &parameters }) else {
            panic!("{key} must refuse an affine body")
        };
        assert!(error.to_string().contains("`brick`") && error.to_string().contains("`admm`"), "{error}");
    }
}
