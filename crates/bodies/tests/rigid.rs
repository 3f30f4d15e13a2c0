//! Rigid bodies in a compiled model: blocks, masses, surfaces, momenta, pins and joints.

use std::f64::consts::FRAC_PI_2;
use std::path::Path;
use stiction_bodies::surfaces::VertexSource;
use stiction_bodies::{Model, Parameters, State, build};
use stiction_numerics::nalgebra::UnitQuaternion;
use stiction_numerics::{Random, Vec3};
use stiction_scene::{Scene, load_text};

const SCENE: &str = r#"
stiction = 1
[bodies.a_strand]
kind = "rod"
mesh = { rod = { end = [1, 0, 0], segments = 4 } }
material = { density = 1000, young = 1e6, poisson = 0.3, radius = 0.01 }
[bodies.brick]
kind = "rigid"
mesh = { box = { size = [0.4, 0.2, 0.1], cells = [1, 1, 1] } }
rotate = { axis = [1, 2, 3], degrees = 40 }
translate = [0.5, -1.0, 2.0]
mass = 3
velocity = [1, 2, 3]
spin = [4, -5, 6]
friction = 0.25
[bodies.cloth]
kind = "cloth"
mesh = { grid = { size = [1, 1], cells = [2, 2] } }
material = "cotton"
[bodies.disc]
kind = "rigid"
mesh = { cylinder = { radius = 0.2, height = 0.1, around = 12, along = 1, closed = true } }
material = { density = 500 }
translate = [0, 0, 5]
[colliders.block]
mesh = { box = { size = [1, 1, 1], cells = [1, 1, 1] } }
[joints.axle]
kind = "hinge"
a = "disc"
b = "brick"
anchor = [0, 0, 4]
axis = [0, 1, 1]
friction = 0.5
[joints.rope]
kind = "distance"
a = "disc"
anchor_b = [0, 0, 9]
"#;

struct Made {
    scene: Scene,
    model: Model,
    parameters: Parameters,
    state: State,
}

fn made(text: &str) -> Made {
    let scene = load_text("t.toml", text, Path::new("."), &[] as &[&str]).expect("a scene").scene;
    let model = build(&scene).expect("a model");
    let parameters = Parameters::from_scene(&scene, &model);
    let state = State::initial(&model, &scene);
    Made { scene, model, parameters, state }
}

/// A state in which everything moves and turns within a step.
fn stirred(made: &Made) -> State {
    let mut random = Random::new(17);
    let mut state = made.state.clone();
    for x in &mut state.blocks {
        *x += random.vector(-0.5, 0.5);
    }
    for v in &mut state.velocities {
        *v += random.vector(-1.0, 1.0);
    }
    for q in &mut state.orientations {
        *q = UnitQuaternion::from_scaled_axis(random.vector(-2.0, 2.0));
    }
    state
}

#[test]
fn rigid_blocks_come_last() {
    let made = made(SCENE);
    let model = &made.model;
    let others = model.nodes + model.rods.edges.len() + model.shell_edges.len();
    assert_eq!(model.nodes, 5 + 9);
    assert_eq!(model.blocks(), others + 4);
    assert_eq!(model.dofs(), 3 * model.nodes + 4 + 12);
    assert_eq!((model.rigid.centre_block(1), model.rigid.rotation_block(1)), (others + 2, others + 3));
    assert_eq!(model.bodies[1].rigid, Some(0));
    assert!(model.bodies[1].nodes.is_empty() && model.bodies[1].triangles.is_empty());
    assert!((made.state.blocks[others] - Vec3::new(0.5, -1.0, 2.0)).norm() < 1e-15);
    assert_eq!(made.state.velocities[others], Vec3::new(1.0, 2.0, 3.0));
    assert_eq!(made.state.velocities[others + 1], Vec3::new(4.0, -5.0, 6.0));
    assert!((made.parameters.body_mass(model, 1) - 3.0).abs() < 1e-14);
    assert_eq!(made.parameters.friction[1], 0.25);
}

/// The two blocks of a body are one part; joints join parts, as couplings do.
#[test]
fn joints_couple_the_parts_of_their_bodies() {
    let Made { model, parameters, .. } = made(SCENE);
    let part = |p: &stiction_bodies::partition::Partition, rigid: usize| {
        let (c, r) = (p.part[model.rigid.centre_block(rigid)], p.part[model.rigid.rotation_block(rigid)]);
        assert_eq!(c, r);
        c
    };
    assert_ne!(part(&model.by_mesh, 0), part(&model.by_mesh, 1));
    assert_eq!(part(&model.by_coupling, 0), part(&model.by_coupling, 1));
    assert_eq!(model.by_mesh.parts, model.by_coupling.parts + 1);
    assert_eq!(parameters.joints[0].friction, 0.5);
}

/// Places of surface vertices follow from the pose, also within a step, and agree with their
/// sources.
#[test]
fn surfaces_follow_the_poses() {
    let made = made(SCENE);
    let (model, state) = (&made.model, stirred(&made));
    let mut places = Vec::new();
    model.surface_positions(&made.parameters.controls, state.placed(), &mut places);
    assert_eq!(places.len(), model.surfaces.vertices());
    for (index, place) in places.iter().enumerate() {
        match model.surfaces.source(index) {
            VertexSource::Rigid { rigid, local } => {
                let pose = state.rigid_pose(model, rigid as usize);
                assert!((pose.apply(&local) - place).norm() < 1e-14);
                assert!((pose.undo(place) - local).norm() < 1e-14);
                assert!(model.rigid.bodies[rigid as usize].vertices.contains(&index));
            }
            VertexSource::Node(node) => assert_eq!(state.blocks[node as usize], *place),
            VertexSource::Kinematic => assert!(index >= model.surfaces.kinematic_start()),
            VertexSource::Embedded(_) => panic!("nothing is embedded"),
        }
    }
    let mut initial = Vec::new();
    model.surface_positions(&made.parameters.controls, made.state.placed(), &mut initial);
    assert_eq!(initial, model.initial_surface(&made.parameters.controls));
    for rigid in &model.rigid.bodies {
        let written = &made.scene.bodies[rigid.body as usize].mesh.vertices;
        for (place, written) in initial[rigid.vertices.clone()].iter().zip(written) {
            assert!((place - written).norm() < 1e-15);
        }
        for triangle in &model.surfaces.triangles[rigid.triangles.clone()] {
            assert!(triangle.iter().all(|&v| rigid.vertices.contains(&(v as usize))));
        }
    }
}

/// Momentum, angular momentum and energy of a box equal sums over many small pieces of it.
#[test]
fn momenta_and_energy_are_those_of_the_pieces() {
    let text = SCENE.split("[bodies.cloth]").next().expect("two parts");
    let text = text.replace("[bodies.a_strand]\nkind = \"rod\"", "").replace("mesh = { rod = { end = [1, 0, 0], segments = 4 } }\nmaterial = { density = 1000, young = 1e6, poisson = 0.3, radius = 0.01 }", "");
    let made = made(&text);
    let state = stirred(&made);
    let pose = state.rigid_pose(&made.model, 0);
    let (v, w) = (state.velocities[0], state.velocities[1]);
    let turn = made.scene.bodies[0].rigid.as_ref().expect("rigid");
    // Pieces of the box in its own axes, which the mesh was turned out of.
    let own = UnitQuaternion::from_scaled_axis(Vec3::new(1.0, 2.0, 3.0).normalize() * 40f64.to_radians());
    assert_eq!(turn.orientation, UnitQuaternion::identity());
    let n = 40;
    let piece = 3.0 / f64::from(n * n * n);
    let (mut linear, mut angular, mut energy) = (Vec3::zeros(), Vec3::zeros(), 0.0);
    for k in 0..n * n * n {
        let at = |k: i32, size: f64| ((f64::from(k) + 0.5) / f64::from(n) - 0.5) * size;
        let local = own * Vec3::new(at(k % n, 0.4), at(k / n % n, 0.2), at(k / (n * n), 0.1));
        let lever = pose.lever(&local);
        let velocity = v + w.cross(&lever);
        linear += velocity * piece;
        angular += (pose.centre + lever).cross(&velocity) * piece;
        energy += 0.5 * piece * velocity.norm_squared();
    }
    let Made { model, parameters, .. } = &made;
    // The midpoint rule over n pieces per axis misses 1/n² of the second moments.
    let tolerance = 1.0 / f64::from(n * n);
    assert!((state.momentum(model, parameters) - linear).norm() < 1e-12 * linear.norm());
    assert!((state.angular_momentum(model, parameters) - angular).norm() < tolerance * angular.norm());
    assert!((state.kinetic_energy(model, parameters) - energy).abs() < tolerance * energy);
}

/// q ← exp(θ) q: the pose stays, the rotation vector begins again at zero.
#[test]
fn retraction_keeps_the_pose() {
    let made = made(SCENE);
    let mut state = stirred(&made);
    let before: Vec<_> = (0..2).map(|rigid| state.rigid_pose(&made.model, rigid)).collect();
    let old = state.blocks.clone();
    made.model.rigid.retract(&mut state.blocks, &mut state.orientations);
    for (rigid, pose) in before.iter().enumerate() {
        let after = state.rigid_pose(&made.model, rigid);
        assert_eq!(state.blocks[made.model.rigid.rotation_block(rigid)], Vec3::zeros());
        assert!(after.orientation.angle_to(&pose.orientation) < 1e-15);
        assert_eq!(after.centre, pose.centre);
        assert!((state.orientations[rigid].norm() - 1.0).abs() < 1e-15);
    }
    let others = made.model.rigid.first_block;
    assert_eq!(old[..others], state.blocks[..others]);
}

/// A pin drives both blocks of a body to the pose of its motion, from whatever orientation it has.
#[test]
fn pins_prescribe_poses() {
    let pin = "pins = [{ motion = { velocity = [0, 0, 1], turn = { axis = 'x', degrees_per_second = 45 } } }]\nfriction = 0.25";
    let made = made(&SCENE.replace("friction = 0.25", pin));
    let mut state = made.state.clone();
    state.time = 1.5;
    state.orientations[0] = UnitQuaternion::from_scaled_axis(Vec3::new(0.3, 0.2, -0.1));
    let prescription = made.model.pins.prescribe(&made.model, &made.parameters.controls, &state, 2.0);
    let [centre, rotation] = [made.model.rigid.centre_block(0), made.model.rigid.rotation_block(0)];
    assert!(prescription.fixed[centre] && prescription.fixed[rotation]);
    assert!(!prescription.fixed[made.model.rigid.centre_block(1)]);
    let pose = made.model.rigid.pose(0, &prescription.target, &state.orientations);
    let expected = UnitQuaternion::from_scaled_axis(Vec3::x() * FRAC_PI_2);
    assert!((pose.centre - Vec3::new(0.5, -1.0, 4.0)).norm() < 1e-14);
    assert!(pose.orientation.angle_to(&expected) < 1e-14);
}

/// Joint frames agree at the start; coordinates measure what is free.
#[test]
fn joint_coordinates_follow_the_bodies() {
    let made = made(SCENE);
    let (model, mut state) = (&made.model, made.state.clone());
    let pose = |state: &State| {
        let poses: Vec<_> = (0..2).map(|rigid| state.rigid_pose(model, rigid)).collect();
        move |rigid: u32| poses[rigid as usize]
    };
    let [axle, rope] = [&model.joints[0], &model.joints[1]];
    let (a, b) = (axle.a.frame(pose(&state)), axle.b.frame(pose(&state)));
    assert!((a.anchor - Vec3::new(0.0, 0.0, 4.0)).norm() < 1e-15 && (a.anchor - b.anchor).norm() < 1e-15);
    let axis = Vec3::new(0.0, 1.0, 1.0).normalize();
    assert!((a.axes * Vec3::x() - axis).norm() < 1e-15);
    assert!(axle.coordinate(pose(&state)).abs() < 1e-15);
    assert!((rope.coordinate(pose(&state)) - 4.0).abs() < 1e-15);
    // The disc turns about the axle by a given angle.
    for angle in [0.3, -2.0, 3.0] {
        let turn = UnitQuaternion::from_scaled_axis(axis * angle);
        let centre = model.rigid.centre_block(1);
        state.blocks[centre] = a.anchor + turn * (made.state.blocks[centre] - a.anchor);
        state.orientations[1] = turn;
        assert!((axle.coordinate(pose(&state)) - angle).abs() < 1e-14);
        let moved = axle.a.frame(pose(&state));
        assert!((moved.anchor - a.anchor).norm() < 1e-14);
    }
}
