//! Shells that bend by the shape operator: their extra unknowns, and how pins hold them.

use std::path::Path;
use stiction_bodies::{Model, Parameters, State, build};
use stiction_numerics::Vec3;
use stiction_scene::{Scene, load_text};

/// A strip of 4 × 2 cells along x from 0 to 4; what is pinned turns by a right angle about y
/// through the origin.
const STRIP: &str = r#"
stiction = 1
gravity = 0.0
[method]
key = "newton"
[bodies.strip]
kind = "cloth"
mesh = { grid = { size = [4.0, 2.0], cells = [4, 2] } }
translate = [2.0, 0.0, 0.0]
spin = [0.0, 0.5, 0.0]
[bodies.strip.material]
density = 1200.0
thickness = 0.1
young = 1e6
poisson = 0.3
bending = "shape_operator"
[[bodies.strip.pins]]
select = { box = { min = [-1.0, -2.0, -1.0], max = [1.1, 2.0, 1.0] } }
[bodies.strip.pins.motion]
keys = [
    { time = 0.0 },
    { time = 1.0, rotate = { axis = [0.0, 1.0, 0.0], degrees = 90.0 } },
]
"#;

fn compiled(overrides: &[&str]) -> (Scene, Model) {
    let scene = load_text("strip.toml", STRIP, Path::new("."), overrides).unwrap().scene;
    let model = build(&scene).unwrap();
    (scene, model)
}

#[test]
fn inner_edges_follow_the_twists_as_scalar_unknowns() {
    let (scene, model) = compiled(&[]);
    // 15 nodes, 16 triangles, 12 of 30 edges on the border.
    assert_eq!((model.nodes, model.shell_edges.len()), (15, 18));
    assert_eq!((model.blocks(), model.dofs(), model.frames()), (33, 45 + 18, 18));
    assert_eq!((model.by_mesh.part.len(), model.by_mesh.parts), (33, 1));
    // ρ h³/12 over a third of two triangles of area ½.
    let parameters = Parameters::from_scene(&scene, &model);
    assert!(parameters.mass[15..].iter().all(|m| (m - 0.1 / 3.0).abs() < 1e-12));
    let state = State::initial(&model, &scene);
    for (index, edge) in model.shell_edges.iter().enumerate() {
        let [a, b] = edge.nodes.map(|n| model.initial[n as usize]);
        let along = (b - a).normalize();
        assert!(
            (state.velocities[model.shell_angle_block(index)] - Vec3::x() * (0.5 * along.y)).norm() < 1e-12
        );
        assert!((state.frames[model.shell_frame(index)].director - Vec3::z()).norm() < 1e-12);
    }
    for other in ["hinge", "quadratic"] {
        let set = format!("bodies.strip.material.bending=\"{other}\"");
        assert_eq!(compiled(&[&set]).1.blocks(), 15);
    }
}

#[test]
fn normals_beside_pinned_triangles_turn_with_the_pin() {
    let (scene, model) = compiled(&[]);
    let parameters = Parameters::from_scene(&scene, &model);
    let state = State::initial(&model, &scene);
    let prescription = model.pins.prescribe(&model, &parameters.controls, &state, 1.0);
    let held = |n: &u32| model.initial[*n as usize].x < 1.1;
    for (index, edge) in model.shell_edges.iter().enumerate() {
        let triangles = edge.triangles.map(|t| model.bodies[0].triangles[t as usize]);
        let clamped = triangles.iter().any(|t| t.iter().all(held));
        let block = model.shell_angle_block(index);
        assert_eq!(prescription.fixed[block], clamped, "{edge:?}");
        if clamped {
            let [a, b] = edge.nodes.map(|n| prescription.target[n as usize]);
            let frame = state.frames[model.shell_frame(index)].transported((b - a).normalize());
            let (sine, cosine) = prescription.target[block].x.sin_cos();
            let normal = frame.director * cosine + frame.binormal() * sine;
            // A right angle about y takes z to x.
            assert!((normal - Vec3::x()).norm() < 1e-9, "{edge:?}: {normal:?}");
        }
    }
    // Two diagonals, the edge between the two cells, and two on the rim.
    assert_eq!(prescription.fixed[15..].iter().filter(|f| **f).count(), 5);
    let (_, loose) = compiled(&["bodies.strip.pins.0.hold_twist=false"]);
    assert!(loose.pins.groups[0].edges.is_empty());
}

#[test]
fn frames_follow_the_edges() {
    let (scene, model) = compiled(&[]);
    let mut state = State::initial(&model, &scene);
    let turned: Vec<Vec3> = model.initial.iter().map(|p| Vec3::new(p.x, -p.z, p.y)).collect();
    model.transport_frames(&mut state.frames, &turned);
    for (index, edge) in model.shell_edges.iter().enumerate() {
        let [a, b] = edge.nodes.map(|n| turned[n as usize]);
        let frame = state.frames[model.shell_frame(index)];
        assert!((frame.tangent - (b - a).normalize()).norm() < 1e-12);
        assert!(frame.director.dot(&frame.tangent).abs() < 1e-12);
    }
}
