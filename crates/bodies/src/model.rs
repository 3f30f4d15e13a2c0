//! The compiled model: what never changes while a scene runs.

use crate::colliders::ColliderTable;
use crate::couplings::{Anchors, Coupling};
use crate::partition::Partition;
use crate::pins::PinTable;
use crate::rods::RodTable;
use crate::surfaces::Surfaces;
use std::ops::Range;
use stiction_numerics::{Vec2, Vec3};
use stiction_scene::resolved::{BodyKind, RestShape};

/// Topology, rest shapes, masses and maps of a whole scene. Immutable once built.
#[derive(Clone, Debug)]
pub struct Model {
    /// Bodies in the order of the scene.
    pub bodies: Vec<Body>,
    /// Number of nodes; blocks `0..nodes` are positions, the rest are twists.
    pub nodes: usize,
    /// Positions without stress per node \[m\].
    pub rest: Vec<Vec3>,
    /// Positions at the start per node \[m\].
    pub initial: Vec<Vec3>,
    /// Lumped mass per block: \[kg\] for nodes, \[kg m²\] for twists.
    pub mass: Vec<f64>,
    /// Body of each node.
    pub body_of_node: Vec<u32>,
    /// Rod edges and joints of all bodies.
    pub rods: RodTable,
    /// Everything that can touch: vertices, edges and triangles of bodies and mesh colliders.
    pub surfaces: Surfaces,
    /// Prescribed obstacles.
    pub colliders: ColliderTable,
    /// Nodes whose motion is prescribed exactly.
    pub pins: PinTable,
    /// Springs from nodes to moving places (soft pins, attachments to colliders).
    pub anchors: Anchors,
    /// Springs between material points of bodies (attachments and stitches).
    pub couplings: Vec<Coupling>,
    /// Blocks joined by the mesh.
    pub by_mesh: Partition,
    /// Blocks joined by the mesh or by couplings.
    pub by_coupling: Partition,
}

/// One body: its name, its ranges in the arrays of the model and its cells in global node indices.
#[derive(Clone, Debug)]
pub struct Body {
    /// Name, unique in the scene.
    pub name: String,
    /// Cloth, rod or solid.
    pub kind: BodyKind,
    /// Its nodes.
    pub nodes: Range<usize>,
    /// Its rod edges in [`Model::rods`].
    pub edges: Range<usize>,
    /// Its rod joints in [`Model::rods`].
    pub joints: Range<usize>,
    /// Cloth triangles, or the boundary of a solid, in node indices, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
    /// Tets of a solid in node indices.
    pub tets: Vec<[u32; 4]>,
    /// Flat pattern per vertex \[m\], if the mesh has one.
    pub uv: Option<Vec<Vec2>>,
    /// Which shape is free of stress.
    pub rest_shape: RestShape,
    /// Warp direction in the rest shape when there is no pattern.
    pub warp: Option<Vec3>,
    /// Name of the body that this one copies, if it is an instance.
    pub instance_of: Option<String>,
    /// Display colour, linear RGB.
    pub colour: Option<[f32; 3]>,
    /// Geometric thickness \[m\].
    pub thickness: f64,
}

impl Model {
    /// Number of blocks: nodes and twists.
    pub fn blocks(&self) -> usize {
        self.mass.len()
    }

    /// Number of scalar unknowns.
    pub fn dofs(&self) -> usize {
        3 * self.nodes + self.rods.edges.len()
    }

    /// Block of the twist of a rod edge.
    pub fn twist_block(&self, edge: usize) -> usize {
        self.nodes + edge
    }

    /// Number of elements: triangles of cloth, tets, rod edges.
    pub fn elements(&self) -> usize {
        let cells = |body: &Body| match body.kind {
            BodyKind::Cloth => body.triangles.len(),
            BodyKind::Solid => body.tets.len(),
            BodyKind::Rod => body.edges.len(),
        };
        self.bodies.iter().map(cells).sum()
    }

    /// Total mass of a body \[kg\].
    pub fn body_mass(&self, body: usize) -> f64 {
        self.mass[self.bodies[body].nodes.clone()].iter().sum()
    }
}
