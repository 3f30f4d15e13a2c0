//! The compiled model: what never changes while a scene runs.

use crate::colliders::ColliderTable;
use crate::controls::Controls;
use crate::couplings::{Anchors, Coupling};
use crate::derived::Derived;
use crate::frames::EdgeFrame;
use crate::joints::Joint;
use crate::partition::Partition;
use crate::pins::PinTable;
use crate::rigid::RigidTable;
use crate::rods::RodTable;
use crate::roots::Roots;
use crate::shells::{ShellEdge, bisecting_frames};
use crate::state::PlacedBlocks;
use crate::surfaces::Surfaces;
use std::ops::Range;
use stiction_numerics::{Vec2, Vec3};
use stiction_scene::resolved::{BodyKind, MaterialPoint, RestShape};

/// Topology, rest shapes and maps of a whole scene. Immutable once built.
#[derive(Clone, Debug)]
pub struct Model {
    /// Bodies in the order of the scene.
    pub bodies: Vec<Body>,
    /// Number of nodes; blocks `0..nodes` are positions. Then come angles (twists of rods, normals
    /// of shells), then two blocks per rigid body.
    pub nodes: usize,
    /// Positions without stress per node \[m\].
    pub rest: Vec<Vec3>,
    /// Positions at the start per node \[m\].
    pub initial: Vec<Vec3>,
    /// Body of each node.
    pub body_of_node: Vec<u32>,
    /// Rod edges and joints of all bodies.
    pub rods: RodTable,
    /// Inner edges of the shells that bend by the shape operator, body after body.
    pub shell_edges: Vec<ShellEdge>,
    /// Rigid bodies.
    pub rigid: RigidTable,
    /// Joints of rigid bodies.
    pub joints: Vec<Joint>,
    /// Everything that can touch: vertices, edges and triangles of bodies and mesh colliders.
    pub surfaces: Surfaces,
    /// Prescribed obstacles.
    pub colliders: ColliderTable,
    /// Nodes whose motion is prescribed exactly.
    pub pins: PinTable,
    /// Springs from nodes to moving places (soft pins, attachments to colliders).
    pub anchors: Anchors,
    /// Springs between material points of bodies (attachments, stitches, roots).
    pub couplings: Vec<Coupling>,
    /// Strands that grow on bodies.
    pub roots: Roots,
    /// Blocks joined by the mesh.
    pub by_mesh: Partition,
    /// Blocks joined by the mesh or by couplings.
    pub by_coupling: Partition,
    /// What later crates compile from this model and share.
    pub derived: Derived,
}

/// One body: its name, its ranges in the arrays of the model and its cells in global node indices.
#[derive(Clone, Debug)]
pub struct Body {
    /// Name, unique in the scene.
    pub name: String,
    /// What it is made as.
    pub kind: BodyKind,
    /// Its nodes; a rigid body has none.
    pub nodes: Range<usize>,
    /// Its index in [`Model::rigid`], if it is rigid.
    pub rigid: Option<u32>,
    /// Its rod edges in [`Model::rods`].
    pub edges: Range<usize>,
    /// Its rod joints in [`Model::rods`].
    pub joints: Range<usize>,
    /// Its edges in [`Model::shell_edges`].
    pub shell_edges: Range<usize>,
    /// Cloth triangles, or the boundary of a solid, in node indices, counter-clockwise seen from
    /// outside.
    pub triangles: Vec<[u32; 3]>,
    /// Tets of a solid in node indices.
    pub tets: Vec<[u32; 4]>,
    /// Material points of a body on frames, in node indices.
    pub points: Vec<MaterialPoint>,
    /// Volume that each node of a body on frames carries \[m³\], in the order of its nodes; empty
    /// for other bodies.
    pub node_volumes: Vec<f64>,
    /// The surface that it carries, if any.
    pub skin: Option<Skin>,
    /// Flat pattern per vertex \[m\], if the mesh has one.
    pub uv: Option<Vec<Vec2>>,
    /// Which shape is free of stress.
    pub rest_shape: RestShape,
    /// Warp direction in the rest shape when there is no pattern.
    pub warp: Option<Vec3>,
    /// Name of the body that this one copies, if it is an instance.
    pub instance_of: Option<String>,
    /// Display colour, sRGB from 0 to 1.
    pub colour: Option<[f32; 3]>,
    /// Geometric thickness \[m\].
    pub thickness: f64,
}

/// A carried surface in [`Model::surfaces`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skin {
    /// Its vertices.
    pub vertices: Range<usize>,
    /// Its triangles.
    pub triangles: Range<usize>,
}

impl Model {
    /// Number of blocks: nodes, twists, angles of shell normals, two per rigid body.
    pub fn blocks(&self) -> usize {
        self.nodes + self.frames() + self.rigid.blocks()
    }

    /// Number of vertices of bodies: nodes, and vertices of rigid bodies.
    pub fn vertices(&self) -> usize {
        self.nodes + self.surfaces.rigid.len()
    }

    /// Number of scalar unknowns.
    pub fn dofs(&self) -> usize {
        3 * self.nodes + self.rods.edges.len() + self.shell_edges.len() + 3 * self.rigid.blocks()
    }

    /// Block of the twist of a rod edge.
    pub fn twist_block(&self, edge: usize) -> usize {
        self.nodes + edge
    }

    /// Block of the angle of the normal of a shell edge.
    pub fn shell_angle_block(&self, edge: usize) -> usize {
        self.nodes + self.shell_frame(edge)
    }

    /// Place of a shell edge among the frames of a state.
    pub fn shell_frame(&self, edge: usize) -> usize {
        self.rods.edges.len() + edge
    }

    /// The nodes of the edge that a frame belongs to: rod edges first, then shell edges.
    pub fn frame_nodes(&self, frame: usize) -> [u32; 2] {
        match frame.checked_sub(self.rods.edges.len()) {
            None => self.rods.edges[frame].nodes,
            Some(edge) => self.shell_edges[edge].nodes,
        }
    }

    /// Number of frames in a state.
    pub fn frames(&self) -> usize {
        self.rods.edges.len() + self.shell_edges.len()
    }

    /// Frames of rods free of twist, frames of shell edges half-way between their triangles.
    pub fn initial_frames(&self, positions: &[Vec3]) -> Vec<EdgeFrame> {
        let mut frames = self.rods.initial_frames(positions);
        let triangles = |body: u32| &self.bodies[body as usize].triangles[..];
        frames.extend(bisecting_frames(&self.shell_edges, triangles, positions));
        frames
    }

    /// Carries all frames to the tangents of an accepted configuration.
    pub fn transport_frames(&self, frames: &mut [EdgeFrame], positions: &[Vec3]) {
        let (rods, shells) = frames.split_at_mut(self.rods.edges.len());
        self.rods.transport(rods, positions);
        for (frame, edge) in shells.iter_mut().zip(&self.shell_edges) {
            let [a, b] = edge.nodes.map(|n| positions[n as usize]);
            if let Some(tangent) = (b - a).try_normalize(0.0) {
                *frame = frame.transported(tangent);
            }
        }
    }

    /// Positions of all surface vertices of a configuration \[m\].
    pub fn surface_positions(&self, controls: &Controls, at: PlacedBlocks<'_>, out: &mut Vec<Vec3>) {
        out.clear();
        self.append_nodes_and_embedded(at.blocks, out);
        self.rigid.append_positions(at.blocks, at.orientations, out);
        for &(collider, _) in &self.surfaces.mesh_colliders {
            self.colliders.append_positions(collider, controls, at.time, out);
        }
    }

    /// Positions of all surface vertices at the start of the scene \[m\].
    pub fn initial_surface(&self, controls: &Controls) -> Vec<Vec3> {
        let mut out = Vec::with_capacity(self.surfaces.vertices());
        self.append_nodes_and_embedded(&self.initial, &mut out);
        self.rigid.append_initial(&mut out);
        for &(collider, _) in &self.surfaces.mesh_colliders {
            self.colliders.append_positions(collider, controls, 0.0, &mut out);
        }
        out
    }

    /// Positions of all surface vertices with bodies free of stress \[m\]: rigid bodies where they
    /// start, colliders before any motion.
    pub fn rest_surface(&self) -> Vec<Vec3> {
        let mut out = Vec::with_capacity(self.surfaces.vertices());
        self.append_nodes_and_embedded(&self.rest, &mut out);
        self.rigid.append_initial(&mut out);
        for &(collider, _) in &self.surfaces.mesh_colliders {
            self.colliders.colliders[collider].append_unmoved(0.0, &mut out);
        }
        out
    }

    fn append_nodes_and_embedded(&self, nodes: &[Vec3], out: &mut Vec<Vec3>) {
        out.extend_from_slice(&nodes[..self.nodes]);
        self.surfaces.embedded.append_positions(nodes, out);
    }

    /// Number of elements: triangles of cloth, tets, rod edges, material points of frames.
    pub fn elements(&self) -> usize {
        let cells = |body: &Body| match body.kind {
            BodyKind::Cloth => body.triangles.len(),
            BodyKind::Solid => body.tets.len(),
            BodyKind::Rod => body.edges.len(),
            BodyKind::Skinned | BodyKind::Affine => body.points.len(),
            BodyKind::Rigid => 0,
        };
        self.bodies.iter().map(cells).sum()
    }
}
