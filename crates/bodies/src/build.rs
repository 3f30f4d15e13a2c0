//! Compiles a resolved scene to a model.

use crate::colliders::ColliderTable;
use crate::couplings::{AnchorGroup, AnchorSource, Anchors, Coupling};
use crate::derived::Derived;
use crate::directions::SurfaceDirections;
use crate::joints::{Joint, joints};
use crate::mass::lumped_masses;
use crate::model::{Body, Model, Skin};
use crate::partition::Joiner;
use crate::pins::{PinGroup, PinSource, PinTable};
use crate::rigid::{RigidBody, RigidTable};
use crate::rods::RodTable;
use crate::roots::Roots;
use crate::shells::{ShellEdge, bisecting_frames, shell_edges};
use crate::springs::SpringId;
use crate::surfaces::{ObjectSurface, Surfaces};
use stiction_numerics::Vec3;
use stiction_scene::geometry::surface_of_tets;
use stiction_scene::resolved::{self, AttachmentTarget, Cells, MaterialPoint, Pin, Scene, WeightedPoint};

/// Why a scene cannot be compiled.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BuildError {
    /// A vertex belongs to no cell and so has no mass.
    #[error(
        "body `{body}`: vertex {vertex} belongs to no triangle, tet or strand and has no mass; remove it from the mesh"
    )]
    MasslessVertex {
        /// Name of the body.
        body: String,
        /// Vertex in the user's order.
        vertex: usize,
    },
    /// Too many nodes for 32-bit indices.
    #[error("the scene has {0} vertices; at most {max} are supported", max = u32::MAX)]
    TooLarge(usize),
}

/// Compiles a scene.
pub fn build(scene: &Scene) -> Result<Model, BuildError> {
    let vertices: usize = scene.bodies.iter().map(|b| b.mesh.vertices.len()).sum();
    if vertices >= u32::MAX as usize / 2 {
        return Err(BuildError::TooLarge(vertices));
    }
    let nodes: usize = scene.bodies.iter().map(|b| node_places(b).len()).sum();
    let mut rods = RodTable::default();
    let mut shells = Vec::new();
    let mut bodies = Vec::with_capacity(scene.bodies.len());
    let (mut rest, mut initial) = (Vec::with_capacity(nodes), Vec::with_capacity(nodes));
    let mut body_of_node = Vec::with_capacity(nodes);
    for (index, source) in scene.bodies.iter().enumerate() {
        let first = rest.len();
        initial.extend_from_slice(node_places(source));
        rest.extend_from_slice(source.mesh.rest_vertices.as_deref().unwrap_or(node_places(source)));
        body_of_node.resize(rest.len(), index as u32);
        let mut body = compile_body(source, index as u32, first, &rest, &mut rods);
        let first_shell = shells.len();
        if source.material.has_edge_normals() {
            shells.extend(shell_edges(&body.triangles, index as u32));
        }
        body.shell_edges = first_shell..shells.len();
        bodies.push(body);
    }
    let mut rigid = rigid_table(scene, &mut bodies, nodes + rods.edges.len() + shells.len());
    let rigid_of_body: Vec<Option<u32>> = bodies.iter().map(|b| b.rigid).collect();
    let joints = joints(scene, &rigid, &rigid_of_body);
    let mut couplings = couplings(scene, &bodies);
    let roots = Roots::new(scene, &bodies, &mut couplings);
    let mut joiner = joined_by_mesh(&bodies, &rods, &shells, &rigid);
    let by_mesh = joiner.partition();
    join_coupled(&mut joiner, &couplings, &roots, &rigid, &joints);
    let by_coupling = joiner.partition();
    let surfaces = surfaces(scene, &mut bodies, nodes, &rods, &mut rigid);
    let pins = pins(scene, &bodies, &rods, &shells, &initial);
    let anchors = anchors(scene, &bodies);
    let colliders = ColliderTable::new(scene);
    let model = Model {
        bodies,
        nodes,
        rest,
        initial,
        body_of_node,
        rods,
        shell_edges: shells,
        rigid,
        joints,
        surfaces,
        colliders,
        pins,
        anchors,
        couplings,
        roots,
        by_mesh,
        by_coupling,
        derived: Derived::default(),
    };
    refuse_massless(scene, &model)?;
    Ok(model)
}

/// Where the nodes of a body are at the start: a rigid body has none.
fn node_places(body: &resolved::SceneBody) -> &[Vec3] {
    if body.rigid.is_some() { &[] } else { &body.mesh.vertices }
}

/// The rigid bodies of a scene; their blocks begin after all others.
fn rigid_table(scene: &Scene, bodies: &mut [Body], first_block: usize) -> RigidTable {
    let mut table = RigidTable { bodies: Vec::new(), first_block };
    for (index, (body, source)) in bodies.iter_mut().zip(&scene.bodies).enumerate() {
        if let Some(rigid) = &source.rigid {
            body.rigid = Some(table.len() as u32);
            table.bodies.push(RigidBody::new(index as u32, rigid));
        }
    }
    table
}

fn compile_body(
    source: &resolved::SceneBody,
    index: u32,
    first: usize,
    rest: &[Vec3],
    rods: &mut RodTable,
) -> Body {
    let global = |v: u32| v + first as u32;
    let (edge_start, joint_start) = (rods.edges.len(), rods.joints.len());
    let (mut triangles, mut tets) = (Vec::new(), Vec::new());
    match &source.mesh.cells {
        // The tets of frames are no cells: the body is elastic at its material points.
        _ if source.kind.on_frames() => {}
        // The surface of a rigid body is not one of nodes.
        _ if source.rigid.is_some() => {}
        Cells::Triangles(cells) => triangles = cells.iter().map(|t| t.map(global)).collect(),
        Cells::Tets(cells) => {
            tets = cells.iter().map(|t| t.map(global)).collect::<Vec<_>>();
            triangles = surface_of_tets(&tets);
        }
        Cells::Strands(strands) => {
            for strand in strands {
                let nodes: Vec<u32> = strand.iter().map(|&v| global(v)).collect();
                rods.push(&nodes, rest, index);
            }
        }
    }
    Body {
        name: source.name.clone(),
        kind: source.kind,
        nodes: first..first + node_places(source).len(),
        rigid: None,
        edges: edge_start..rods.edges.len(),
        joints: joint_start..rods.joints.len(),
        shell_edges: 0..0,
        triangles,
        tets,
        points: material_points(source, first),
        node_volumes: source.frames.as_ref().map_or_else(Vec::new, |f| f.node_volumes.clone()),
        skin: None,
        uv: source.mesh.uv.clone(),
        rest_shape: source.rest,
        warp: source.warp,
        instance_of: source.instance_of.as_ref().map(|i| i.name.clone()),
        colour: source.colour,
        thickness: source.thickness,
    }
}

/// The material points of a body on frames, in global nodes.
fn material_points(source: &resolved::SceneBody, first: usize) -> Vec<MaterialPoint> {
    let mut points = source.frames.as_ref().map_or_else(Vec::new, |f| f.points.clone());
    points.iter_mut().flat_map(|p| &mut p.nodes).for_each(|n| *n += first as u32);
    points
}

/// Every node must have mass: a step divides by it.
fn refuse_massless(scene: &Scene, model: &Model) -> Result<(), BuildError> {
    let mass = lumped_masses(model, |body| &scene.bodies[body].material);
    match mass[..model.nodes].iter().position(|m| *m <= 0.0) {
        None => Ok(()),
        Some(node) => {
            let body = &model.bodies[model.body_of_node[node] as usize];
            Err(BuildError::MasslessVertex { body: body.name.clone(), vertex: node - body.nodes.start })
        }
    }
}

fn pins(scene: &Scene, bodies: &[Body], rods: &RodTable, shells: &[ShellEdge], initial: &[Vec3]) -> PinTable {
    let mut frames = rods.initial_frames(initial);
    frames.extend(bisecting_frames(shells, |b| &bodies[b as usize].triangles[..], initial));
    let mut groups = Vec::new();
    for (index, (body, source)) in bodies.iter().zip(&scene.bodies).enumerate() {
        for (number, pin) in source.pins.iter().enumerate().filter(|(_, p)| p.stiffness.is_none()) {
            let source = PinSource { body: index, pin: number };
            if body.rigid.is_some() {
                groups.push(rigid_pin(body, pin, source));
                continue;
            }
            let nodes: Vec<u32> = pin.vertices.iter().map(|v| v + body.nodes.start as u32).collect();
            let held = |n: u32| nodes.binary_search(&n).is_ok();
            let held_triangle = |t: u32| body.triangles[t as usize].iter().all(|&n| held(n));
            let rods_held = body.edges.clone().filter(|&e| rods.edges[e].nodes.iter().all(|&n| held(n)));
            let shells_held =
                body.shell_edges.clone().filter(|&e| shells[e].triangles.iter().any(|&t| held_triangle(t)));
            let edges = rods_held
                .chain(shells_held.map(|e| rods.edges.len() + e))
                .filter(|_| pin.hold_twist)
                .map(|e| (e as u32, frames[e].director))
                .collect();
            let reference = nodes.iter().map(|&n| initial[n as usize]).collect();
            groups.push(PinGroup {
                reference,
                edges,
                rigid: None,
                source,
                follow: pin.follow,
                active: pin.active.clone(),
                nodes,
            });
        }
    }
    PinTable { groups }
}

/// A pin that holds a rigid body whole.
fn rigid_pin(body: &Body, pin: &Pin, source: PinSource) -> PinGroup {
    PinGroup {
        nodes: Vec::new(),
        reference: Vec::new(),
        edges: Vec::new(),
        rigid: body.rigid,
        source,
        follow: pin.follow,
        active: pin.active.clone(),
    }
}

fn anchors(scene: &Scene, bodies: &[Body]) -> Anchors {
    let mut groups = Vec::new();
    for (index, (body, source)) in bodies.iter().zip(&scene.bodies).enumerate() {
        for (number, pin) in source.pins.iter().enumerate().filter(|(_, p)| p.stiffness.is_some()) {
            groups.push(AnchorGroup {
                nodes: pin.vertices.iter().map(|v| v + body.nodes.start as u32).collect(),
                reference: pin.vertices.iter().map(|&v| source.mesh.vertices[v as usize]).collect(),
                source: AnchorSource::Pin(PinSource { body: index, pin: number }),
                spring: SpringId::Anchor(groups.len()),
                follow: pin.follow,
                active: pin.active.clone(),
            });
        }
    }
    for (index, attachment) in scene.attachments.iter().enumerate() {
        let AttachmentTarget::Collider { collider, points } = &attachment.target else { continue };
        let body = &bodies[attachment.body];
        let vertices = &scene.bodies[attachment.body].mesh.vertices;
        // Only single vertices are attached to colliders: bodies on frames are pinned instead.
        let attached: Vec<u32> = attachment.points.iter().filter_map(|p| Some(p.terms.first()?.0)).collect();
        let place =
            |(v, point): (&u32, &Vec3)| if attachment.keep_offset { vertices[*v as usize] } else { *point };
        groups.push(AnchorGroup {
            nodes: attached.iter().map(|v| v + body.nodes.start as u32).collect(),
            reference: attached.iter().zip(points).map(place).collect(),
            source: AnchorSource::Attachment(index),
            spring: SpringId::Attachment(index),
            follow: Some(*collider),
            active: attachment.active.clone(),
        });
    }
    Anchors { groups }
}

fn couplings(scene: &Scene, bodies: &[Body]) -> Vec<Coupling> {
    let mut out = Vec::new();
    for (index, attachment) in scene.attachments.iter().enumerate() {
        let AttachmentTarget::Body { body, points } = &attachment.target else { continue };
        for (one, point) in attachment.points.iter().zip(points) {
            let terms = signed_terms(bodies, (attachment.body, one), (*body, point));
            let offset = match attachment.keep_offset {
                true => separation(scene, (attachment.body, one), (*body, point)),
                false => Vec3::zeros(),
            };
            let active = attachment.active.clone();
            out.push(Coupling {
                terms,
                spring: SpringId::Attachment(index),
                offset,
                rest_length: 0.0,
                active,
            });
        }
    }
    for s in &scene.stitches {
        let terms = signed_terms(bodies, (s.body_a, &s.point_a), (s.body_b, &s.point_b));
        let (spring, rest_length, active) = (SpringId::Stitch(s.table), s.rest_length, s.active.clone());
        out.push(Coupling { terms, spring, offset: Vec3::zeros(), rest_length, active });
    }
    out
}

/// Nodes and coefficients of (point a) − (point b), a node named twice merged.
fn signed_terms(bodies: &[Body], a: (usize, &WeightedPoint), b: (usize, &WeightedPoint)) -> Vec<(u32, f64)> {
    let side = |(body, point): (usize, &WeightedPoint), sign: f64| {
        let start = bodies[body].nodes.start as u32;
        point.terms.iter().map(move |&(v, w)| (v + start, sign * w)).collect::<Vec<_>>()
    };
    let mut terms: Vec<(u32, f64)> = side(a, 1.0);
    for (node, weight) in side(b, -1.0) {
        match terms.iter_mut().find(|t| t.0 == node) {
            Some(found) => found.1 += weight,
            None => terms.push((node, weight)),
        }
    }
    terms
}

fn separation(scene: &Scene, a: (usize, &WeightedPoint), b: (usize, &WeightedPoint)) -> Vec3 {
    let place = |(body, point): (usize, &WeightedPoint)| -> Vec3 {
        point.terms.iter().map(|&(v, w)| scene.bodies[body].mesh.vertices[v as usize] * w).sum()
    };
    place(a) - place(b)
}

/// Blocks joined by the meshes; the two blocks of a rigid body belong together.
fn joined_by_mesh(bodies: &[Body], rods: &RodTable, shells: &[ShellEdge], rigid: &RigidTable) -> Joiner {
    let mut joiner = Joiner::new(rigid.first_block + rigid.blocks());
    let nodes = rigid.first_block - rods.edges.len() - shells.len();
    for body in bodies {
        body.tets.iter().for_each(|t| joiner.join_all(*t));
        body.triangles.iter().for_each(|t| joiner.join_all(*t));
        body.points.iter().for_each(|p| joiner.join_all(p.nodes.iter().copied()));
    }
    for (index, edge) in rods.edges.iter().enumerate() {
        joiner.join_all([edge.nodes[0], edge.nodes[1], (nodes + index) as u32]);
    }
    for (index, edge) in shells.iter().enumerate() {
        let block = nodes + rods.edges.len() + index;
        joiner.join_all([edge.nodes[0], edge.nodes[1], block as u32]);
    }
    for index in 0..rigid.len() {
        joiner.join(rigid.centre_block(index) as u32, rigid.rotation_block(index) as u32);
    }
    joiner
}

/// Joins what springs, roots and joints hold together.
fn join_coupled(
    joiner: &mut Joiner,
    couplings: &[Coupling],
    roots: &Roots,
    rigid: &RigidTable,
    joints: &[Joint],
) {
    couplings.iter().for_each(|c| joiner.join_all(c.terms.iter().map(|t| t.0)));
    roots.raised.iter().for_each(|r| joiner.join_all(r.nodes));
    joints.iter().for_each(|j| joiner.join_all(j.rigids().map(|r| rigid.centre_block(r as usize) as u32)));
}

fn surfaces(
    scene: &Scene,
    bodies: &mut [Body],
    nodes: usize,
    rods: &RodTable,
    rigid: &mut RigidTable,
) -> Surfaces {
    let mut out = Surfaces { nodes, ..Surfaces::default() };
    for (index, body) in bodies.iter().enumerate() {
        out.object_of_vertex.extend(body.nodes.clone().map(|_| index as u32));
    }
    for (index, (body, source)) in bodies.iter_mut().zip(&scene.bodies).enumerate() {
        match &source.embedded_surface {
            Some(surface) => body.skin = Some(embed(&mut out, index as u32, body, surface)),
            None => out.triangles.extend_from_slice(&body.triangles),
        }
        out.segments.extend(body.edges.clone().map(|e| rods.edges[e].nodes));
        out.objects.push(ObjectSurface {
            name: source.name.clone(),
            half_thickness: 0.5 * source.thickness,
            contact_gap: source.contact_gap,
            self_contact: source.self_contact,
            kinematic: false,
            directions: body_directions(&out, index as u32, body, source),
        });
    }
    rigid.bodies.iter_mut().for_each(|b| add_rigid(&mut out, b, &scene.bodies[b.body as usize]));
    for (index, collider) in scene.colliders.iter().enumerate() {
        let mut grain = None;
        if let resolved::ColliderShape::Mesh(mesh) = &collider.shape {
            let first = out.vertices();
            let object = (bodies.len() + index) as u32;
            add_collider(&mut out, index, object, mesh);
            grain = collider.friction_direction.as_ref().map(|d| directions(&out, object, first, mesh, d));
        }
        out.objects.push(ObjectSurface {
            name: collider.name.clone(),
            half_thickness: 0.5 * collider.thickness,
            contact_gap: collider.contact_gap,
            self_contact: false,
            kinematic: true,
            directions: grain,
        });
    }
    out.triangles.shrink_to_fit();
    out.object_of_vertex.shrink_to_fit();
    out
}

/// The grain of a body's friction on its nodes, or on its embedded surface.
fn body_directions(
    out: &Surfaces,
    object: u32,
    body: &Body,
    source: &resolved::SceneBody,
) -> Option<SurfaceDirections> {
    let direction = source.friction_direction.as_ref().filter(|_| source.rigid.is_none())?;
    let (mesh, first) = match &source.embedded_surface {
        Some(surface) => (&surface.mesh, out.vertices() - surface.mesh.vertices.len()),
        None => (&source.mesh, body.nodes.start),
    };
    Some(directions(out, object, first, mesh, direction))
}

/// The grain of an object whose surface vertices begin at `first`.
fn directions(
    out: &Surfaces,
    object: u32,
    first: usize,
    mesh: &resolved::Mesh,
    direction: &resolved::FrictionDirection,
) -> SurfaceDirections {
    let own = out.triangles.iter().filter(|t| out.object_of_vertex[t[0] as usize] == object);
    let triangles: Vec<[u32; 3]> = own.copied().collect();
    SurfaceDirections::new(&direction.field, first, &triangles, &mesh.vertices, mesh.uv.as_deref())
}

/// The vertices and triangles of a rigid body, with the grain of its friction.
fn add_rigid(out: &mut Surfaces, rigid: &mut RigidBody, source: &resolved::SceneBody) {
    let (first, first_triangle) = (out.vertices(), out.triangles.len());
    out.rigid.push(rigid.shape.clone());
    out.object_of_vertex.extend(rigid.shape.vertices.iter().map(|_| rigid.body));
    out.triangles.extend(rigid.shape.triangles.iter().map(|t| t.map(|v| v + first as u32)));
    rigid.vertices = first..out.vertices();
    rigid.triangles = first_triangle..out.triangles.len();
    let grain = source.friction_direction.as_ref();
    out.objects[rigid.body as usize].directions =
        grain.map(|d| directions(out, rigid.body, first, &source.mesh, d));
}

fn embed(out: &mut Surfaces, object: u32, body: &Body, surface: &resolved::EmbeddedSurface) -> Skin {
    let (first, first_triangle) = (out.vertices(), out.triangles.len());
    for point in &surface.carriers {
        out.embedded.push(point.terms.iter().map(|&(v, w)| (v + body.nodes.start as u32, w)));
        out.object_of_vertex.push(object);
    }
    if let Cells::Triangles(triangles) = &surface.mesh.cells {
        out.triangles.extend(triangles.iter().map(|t| t.map(|v| v + first as u32)));
    }
    Skin { vertices: first..out.vertices(), triangles: first_triangle..out.triangles.len() }
}

fn add_collider(out: &mut Surfaces, collider: usize, object: u32, mesh: &resolved::Mesh) {
    let first = out.vertices();
    out.mesh_colliders.push((collider, first));
    out.object_of_vertex.extend(mesh.vertices.iter().map(|_| object));
    let global = |v: u32| v + first as u32;
    match &mesh.cells {
        Cells::Triangles(cells) => out.triangles.extend(cells.iter().map(|t| t.map(global))),
        Cells::Tets(cells) => out.triangles.extend(surface_of_tets(cells).iter().map(|t| t.map(global))),
        Cells::Strands(strands) => {
            out.segments
                .extend(strands.iter().flat_map(|s| s.windows(2)).map(|w| [global(w[0]), global(w[1])]));
        }
    }
}
