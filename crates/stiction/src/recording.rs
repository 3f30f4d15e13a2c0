//! What a run stores of a simulation: a layout once, a frame at a time.

use crate::settings::BodyDetails;
use crate::simulation::Simulation;
use crate::tessellate::tessellate;
use stiction_bodies::{Body, ColliderBody, Model, RigidBody, Skin, State};
use stiction_numerics::nalgebra::{Rotation3, UnitQuaternion};
use stiction_numerics::{Mat3, Vec3};
use stiction_output::{
    BodyLayout, Channel, ContactPoint, Frame, Layout, LayoutKind, StoredMotion, StoredPose, UpAxis, narrow,
};
use stiction_scene::motion;
use stiction_scene::resolved::{self, Axis};
use stiction_solvers::StepReport;

/// Colours of bodies that name none: sRGB, told apart also by readers who do not see all colours.
const PALETTE: [[f32; 3]; 8] = [
    [0.27, 0.47, 0.67],
    [0.93, 0.55, 0.25],
    [0.35, 0.62, 0.40],
    [0.80, 0.35, 0.38],
    [0.53, 0.44, 0.66],
    [0.80, 0.68, 0.30],
    [0.36, 0.66, 0.70],
    [0.75, 0.50, 0.65],
];
const COLLIDER_COLOUR: [f32; 3] = [0.62, 0.62, 0.64];

/// Bodies first, then colliders, in the order of the scene.
pub fn layout(simulation: &Simulation) -> Layout {
    let (settings, model) = (simulation.settings(), &simulation.model);
    let up_axis = match settings.up_axis {
        Axis::X => UpAxis::X,
        Axis::Y => UpAxis::Y,
        Axis::Z => UpAxis::Z,
    };
    let mut out = Layout::new(up_axis, settings.fps);
    for (index, (body, details)) in model.bodies.iter().zip(&simulation.body_details).enumerate() {
        out.push(body_layout(model, body, details, index));
    }
    let (focus, reach) = extent(model);
    for index in (0..model.colliders.colliders.len()).filter(|_| settings.output.colliders) {
        out.push(collider_layout(simulation, index, focus, reach));
    }
    out
}

fn body_layout(model: &Model, body: &Body, details: &BodyDetails, index: usize) -> BodyLayout {
    let kind = match body.kind {
        resolved::BodyKind::Cloth => LayoutKind::Cloth,
        resolved::BodyKind::Rod => LayoutKind::Rod,
        resolved::BodyKind::Solid | resolved::BodyKind::Skinned | resolved::BodyKind::Affine => {
            LayoutKind::Solid
        }
        resolved::BodyKind::Rigid => LayoutKind::Rigid,
    };
    let mut out = match (&body.skin, body.rigid) {
        (_, Some(rigid)) => rigid_layout(body, &model.rigid.bodies[rigid as usize]),
        (Some(skin), None) => skin_layout(model, body, details, skin, kind),
        (None, None) => mesh_layout(model, body, details, kind),
    };
    out.thickness = body.thickness as f32;
    out.colour = body.colour.unwrap_or(PALETTE[index % PALETTE.len()]);
    out
}

/// A body drawn by the surface that it carries.
fn skin_layout(
    model: &Model,
    body: &Body,
    details: &BodyDetails,
    skin: &Skin,
    kind: LayoutKind,
) -> BodyLayout {
    let first = skin.vertices.start as u32;
    let mut out = BodyLayout::new(&body.name, kind, skin.vertices.len());
    out.triangles =
        model.surfaces.triangles[skin.triangles.clone()].iter().map(|t| t.map(|v| v - first)).collect();
    out.uv = details.surface_uv.iter().map(|uv| [uv.x as f32, uv.y as f32]).collect();
    out
}

/// A rigid body: its shape is stored once, its pose in every frame.
fn rigid_layout(body: &Body, rigid: &RigidBody) -> BodyLayout {
    let mut out = BodyLayout::new(&body.name, LayoutKind::Rigid, rigid.shape.vertices.len());
    out.motion = StoredMotion::Posed;
    out.shape = narrow(&rigid.shape.vertices);
    out.triangles = rigid.shape.triangles.clone();
    out.uv = body.uv.iter().flatten().map(|uv| [uv.x as f32, uv.y as f32]).collect();
    out
}

/// A body drawn by its own nodes and cells.
fn mesh_layout(model: &Model, body: &Body, details: &BodyDetails, kind: LayoutKind) -> BodyLayout {
    let local = |node: u32| node - body.nodes.start as u32;
    let mut out = BodyLayout::new(&body.name, kind, body.nodes.len());
    out.triangles = body.triangles.iter().map(|t| t.map(local)).collect();
    out.tets = body.tets.iter().map(|t| t.map(local)).collect();
    out.segments = body.edges.clone().map(|e| model.rods.edges[e].nodes.map(local)).collect();
    if !details.strands.is_empty() {
        out.strands = details.strands.clone();
        out.radius = vec![0.5 * body.thickness as f32];
    }
    out.pinned = details.pinned.clone();
    out.uv = body.uv.iter().flatten().map(|uv| [uv.x as f32, uv.y as f32]).collect();
    out
}

fn collider_layout(simulation: &Simulation, index: usize, focus: Vec3, reach: f64) -> BodyLayout {
    let collider = &simulation.model.colliders.colliders[index];
    let shape = tessellate(&collider.shape, focus, reach);
    let mut out = BodyLayout::new(&collider.name, LayoutKind::Collider, shape.vertices.len());
    out.motion = match stored_motion(collider, simulation.parameters.controls.collider(index)) {
        StoredMotion::Fixed if simulation.is_collider_driven(index) => StoredMotion::Posed,
        stored => stored,
    };
    if out.motion != StoredMotion::Free {
        out.shape = narrow(&shape.vertices);
    }
    out.triangles = shape.triangles;
    out.thickness = collider.thickness as f32;
    out.colour = collider.colour.unwrap_or(COLLIDER_COLOUR);
    out
}

/// How a collider is stored: fixed, by pose, or (when it scales or deforms) by its vertices.
fn stored_motion(collider: &ColliderBody, motion: &motion::Motion) -> StoredMotion {
    if collider.sequence.is_some() || motion.keys.iter().any(|k| k.scale != 1.0) {
        StoredMotion::Free
    } else if motion.is_static() {
        StoredMotion::Fixed
    } else {
        StoredMotion::Posed
    }
}

/// Centre of the bodies and a half width that holds them well.
fn extent(model: &Model) -> (Vec3, f64) {
    let mut places = model.initial.clone();
    model.rigid.append_initial(&mut places);
    let Some(first) = places.first() else { return (Vec3::zeros(), 1.0) };
    let (low, high) = places.iter().fold((*first, *first), |(low, high), x| (low.inf(x), high.sup(x)));
    (0.5 * (low + high), 1.5 * (high - low).norm().max(1e-3))
}

/// The present state as a frame. `last` is the report of the step that led here, if there was one.
pub fn frame(simulation: &Simulation, layout: &Layout, last: Option<&StepReport>) -> Frame {
    let (output, model, state) = (simulation.settings().output, &simulation.model, &simulation.state);
    let mut out = Frame::new(layout, simulation.frames as u32, simulation.steps);
    out.time = state.time;
    let positions = drawn(model, state.positions(model));
    out.positions[..positions.len()].copy_from_slice(&narrow(&positions));
    if output.velocities {
        out.velocities = vec![[0.0; 3]; layout.vertex_count()];
        let velocities = narrow(&drawn(model, &state.velocities[..model.nodes]));
        out.velocities[..positions.len()].copy_from_slice(&velocities);
    }
    out.poses = rigid_poses(model, state);
    out.poses.extend(collider_poses(simulation, layout));
    layout.place(&out.poses, &mut out.positions);
    place_free_colliders(simulation, layout, &mut out);
    let mut strain = drawn_scalars(model, &simulation.strain_per_node());
    strain.resize(layout.vertex_count(), 0.0);
    out.channels.push(Channel { name: "strain".to_owned(), values: strain });
    if simulation.has_contact() {
        let mut values = last.map_or_else(Vec::new, |report| contact_pressure(model, &report.contact_load));
        values.resize(layout.vertex_count(), 0.0);
        out.channels.push(Channel { name: "contact_pressure".to_owned(), values });
    }
    if let Some(report) = last.filter(|_| output.contacts) {
        out.contacts = report
            .contact_samples
            .iter()
            .map(|c| ContactPoint { point: one(c.point), normal: one(c.normal), force: one(c.force) })
            .collect();
    }
    out
}

/// Normal contact force per node \[N\] over the area that it stands for, as values of the vertices
/// that are drawn \[Pa\]. The first frame of a run has none of it; it stores zeros all the same,
/// since readers ask it for the names of the channels.
fn contact_pressure(model: &Model, load: &[f64]) -> Vec<f32> {
    let areas = surface_areas(model);
    let pressure = |(load, area): (&f64, &f64)| if *area > 0.0 { (load / area) as f32 } else { 0.0 };
    let of_nodes: Vec<f32> = load.iter().zip(&areas).map(pressure).collect();
    if of_nodes.is_empty() { of_nodes } else { drawn_scalars(model, &of_nodes) }
}

/// Values of the nodes as values of the vertices that are drawn, body after body: the nodes
/// themselves, or what they carry; zero for rigid bodies, which their poses place.
fn drawn(model: &Model, of_nodes: &[Vec3]) -> Vec<Vec3> {
    let mut out = Vec::with_capacity(of_nodes.len());
    for body in &model.bodies {
        out.resize(out.len() + rigid_vertices(model, body), Vec3::zeros());
        match &body.skin {
            None => out.extend_from_slice(&of_nodes[body.nodes.clone()]),
            Some(skin) => out.extend(
                skin.vertices
                    .clone()
                    .map(|v| carriers(model, v).iter().map(|&(n, w)| of_nodes[n as usize] * w).sum::<Vec3>()),
            ),
        }
    }
    out
}

/// The same for a scalar: a carried vertex takes the mean of its nodes by the size of their
/// weights, which may be negative.
fn drawn_scalars(model: &Model, of_nodes: &[f32]) -> Vec<f32> {
    let mut out = Vec::with_capacity(of_nodes.len());
    for body in &model.bodies {
        out.resize(out.len() + rigid_vertices(model, body), 0.0);
        match &body.skin {
            None => out.extend_from_slice(&of_nodes[body.nodes.clone()]),
            Some(skin) => out.extend(skin.vertices.clone().map(|v| {
                let (sum, total) = carriers(model, v).iter().fold((0.0, 0.0), |(sum, total), &(n, w)| {
                    (sum + w.abs() * f64::from(of_nodes[n as usize]), total + w.abs())
                });
                (sum / f64::max(total, f64::MIN_POSITIVE)) as f32
            })),
        }
    }
    out
}

/// Number of drawn vertices of a body that is rigid, else none.
fn rigid_vertices(model: &Model, body: &Body) -> usize {
    body.rigid.map_or(0, |rigid| model.rigid.bodies[rigid as usize].shape.vertices.len())
}

fn carriers(model: &Model, vertex: usize) -> &[(u32, f64)] {
    model.surfaces.embedded.terms(vertex - model.surfaces.nodes)
}

/// Surface area that each node stands for at rest \[m²\]: a third of its triangles, half of the
/// shadow of its rod edges.
fn surface_areas(model: &Model) -> Vec<f64> {
    let mut areas = vec![0.0; model.nodes];
    let surface = model.rest_surface();
    for body in &model.bodies {
        let carried = body.skin.iter().filter(|_| body.kind.on_frames());
        for triangle in carried.flat_map(|s| &model.surfaces.triangles[s.triangles.clone()]) {
            let [a, b, c] = triangle.map(|v| surface[v as usize]);
            let share = (b - a).cross(&(c - a)).norm() / 6.0;
            for &(n, w) in triangle.iter().flat_map(|&v| carriers(model, v as usize)) {
                areas[n as usize] += share * w.abs();
            }
        }
        for triangle in &body.triangles {
            let [a, b, c] = triangle.map(|n| model.rest[n as usize]);
            let share = (b - a).cross(&(c - a)).norm() / 6.0;
            triangle.iter().for_each(|&n| areas[n as usize] += share);
        }
        for edge in body.edges.clone().map(|e| &model.rods.edges[e]) {
            edge.nodes.iter().for_each(|&n| areas[n as usize] += 0.5 * edge.length * body.thickness);
        }
    }
    areas
}

fn one(v: Vec3) -> [f32; 3] {
    [v.x as f32, v.y as f32, v.z as f32]
}

/// Poses of the rigid bodies, in the order of the scene.
fn rigid_poses(model: &Model, state: &State) -> Vec<StoredPose> {
    let pose = |rigid: usize| {
        let at = state.rigid_pose(model, rigid);
        let q = at.orientation;
        StoredPose {
            translation: one(at.centre),
            rotation_xyzw: [q.i as f32, q.j as f32, q.k as f32, q.w as f32],
        }
    };
    (0..model.rigid.len()).map(pose).collect()
}

/// Poses of the colliders that move as one piece.
fn collider_poses(simulation: &Simulation, layout: &Layout) -> Vec<StoredPose> {
    let (controls, time) = (&simulation.parameters.controls, simulation.state.time);
    let is_posed = |name: &str| layout.body(name).is_some_and(|b| b.motion == StoredMotion::Posed);
    let colliders = simulation.model.colliders.colliders.iter().enumerate();
    let posed = colliders.filter(|(_, c)| is_posed(&c.name)).map(|(c, _)| controls.collider(c).pose(time));
    posed
        .map(|pose| StoredPose { translation: one(pose.offset), rotation_xyzw: quaternion(pose.linear) })
        .collect()
}

fn quaternion(rotation: Mat3) -> [f32; 4] {
    let q = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(rotation));
    [q.i as f32, q.j as f32, q.k as f32, q.w as f32]
}

fn place_free_colliders(simulation: &Simulation, layout: &Layout, out: &mut Frame) {
    let (table, controls) = (&simulation.model.colliders, &simulation.parameters.controls);
    let time = simulation.state.time;
    for (index, collider) in table.colliders.iter().enumerate() {
        let Some(body) = layout.body(&collider.name).filter(|b| b.motion == StoredMotion::Free) else {
            continue;
        };
        let mut positions = Vec::new();
        if collider.mesh().is_some() {
            table.append_positions(index, controls, time, &mut positions);
        } else {
            let (focus, reach) = extent(&simulation.model);
            let pose = controls.collider(index).pose(time);
            positions
                .extend(tessellate(&collider.shape, focus, reach).vertices.iter().map(|x| pose.apply(x)));
        }
        out.positions[body.range()].copy_from_slice(&narrow(&positions));
    }
}
