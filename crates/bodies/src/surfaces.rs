//! Everything that can touch: vertices, triangles and rod segments of bodies and of mesh colliders.
//!
//! Surface vertices `0..nodes` are the nodes themselves; then come the vertices of surfaces
//! embedded in tets or carried by frames, fixed linear combinations of nodes; then those of rigid
//! bodies, which move with their poses; then those of mesh colliders, which depend on time alone.

use crate::directions::SurfaceDirections;
use std::sync::Arc;
use stiction_numerics::Vec3;
use stiction_scene::resolved::RigidShape;

/// A body or a collider: bodies first in the order of the scene, then colliders.
pub type ObjectId = u32;

/// Surface vertices carried by nodes: lists of (node, weight), one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EmbeddedVertices {
    /// End of each list.
    ends: Vec<usize>,
    terms: Vec<(u32, f64)>,
}

impl EmbeddedVertices {
    /// Adds a vertex; its weights sum to one.
    pub fn push(&mut self, terms: impl IntoIterator<Item = (u32, f64)>) {
        self.terms.extend(terms);
        self.ends.push(self.terms.len());
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Nodes and weights of a vertex.
    pub fn terms(&self, vertex: usize) -> &[(u32, f64)] {
        let start = vertex.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.terms[start..self.ends[vertex]]
    }

    /// Appends the places Σ w x of all vertices \[m\].
    pub fn append_positions(&self, blocks: &[Vec3], out: &mut Vec<Vec3>) {
        let place = |v: usize| self.terms(v).iter().map(|&(n, w)| blocks[n as usize] * w).sum::<Vec3>();
        out.extend((0..self.len()).map(place));
    }
}

/// Surface vertices of rigid bodies, body after body.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RigidVertices {
    /// End of each body's vertices.
    ends: Vec<usize>,
    shapes: Vec<Arc<RigidShape>>,
}

impl RigidVertices {
    /// Adds all vertices of a body.
    pub fn push(&mut self, shape: Arc<RigidShape>) {
        self.ends.push(self.len() + shape.vertices.len());
        self.shapes.push(shape);
    }

    /// Number of vertices.
    pub fn len(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Body and place of a vertex.
    pub fn source(&self, vertex: usize) -> VertexSource<'static> {
        let rigid = self.ends.partition_point(|&end| end <= vertex);
        let start = rigid.checked_sub(1).map_or(0, |before| self.ends[before]);
        VertexSource::Rigid { rigid: rigid as u32, local: self.shapes[rigid].vertices[vertex - start] }
    }
}

/// What a surface vertex depends on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum VertexSource<'a> {
    /// A node.
    Node(u32),
    /// Nodes with their weights.
    Embedded(&'a [(u32, f64)]),
    /// A vertex of a rigid body.
    Rigid {
        /// Index in `Model::rigid`.
        rigid: u32,
        /// Place in the frame of the body \[m\].
        local: Vec3,
    },
    /// A vertex of a mesh collider: time alone.
    Kinematic,
}

/// Contact properties of an object.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectSurface {
    /// Name of the body or collider.
    pub name: String,
    /// Half of the thickness, or the radius of a rod \[m\].
    pub half_thickness: f64,
    /// Distance beyond the thicknesses at which contact begins to act \[m\].
    pub contact_gap: f64,
    /// Whether it can touch itself.
    pub self_contact: bool,
    /// Whether it moves as prescribed.
    pub kinematic: bool,
    /// The grain of its friction, if it has one.
    pub directions: Option<SurfaceDirections>,
}

/// Surfaces of a whole model.
#[derive(Clone, Debug, Default)]
pub struct Surfaces {
    /// Number of nodes; surface vertices below are nodes.
    pub nodes: usize,
    /// Embedded vertices, after the nodes.
    pub embedded: EmbeddedVertices,
    /// Vertices of rigid bodies, after the embedded ones.
    pub rigid: RigidVertices,
    /// Object of each surface vertex.
    pub object_of_vertex: Vec<ObjectId>,
    /// Triangles in surface vertices.
    pub triangles: Vec<[u32; 3]>,
    /// Rod segments in surface vertices.
    pub segments: Vec<[u32; 2]>,
    /// Properties per object.
    pub objects: Vec<ObjectSurface>,
    /// Colliders that own vertices, with their first one.
    pub mesh_colliders: Vec<(usize, usize)>,
}

impl Surfaces {
    /// Number of surface vertices.
    pub fn vertices(&self) -> usize {
        self.object_of_vertex.len()
    }

    /// First vertex of a rigid body.
    pub fn rigid_start(&self) -> usize {
        self.nodes + self.embedded.len()
    }

    /// First vertex that depends on time alone.
    pub fn kinematic_start(&self) -> usize {
        self.rigid_start() + self.rigid.len()
    }

    /// What a surface vertex depends on.
    pub fn source(&self, vertex: usize) -> VertexSource<'_> {
        if vertex < self.nodes {
            VertexSource::Node(vertex as u32)
        } else if vertex < self.rigid_start() {
            VertexSource::Embedded(self.embedded.terms(vertex - self.nodes))
        } else if vertex < self.kinematic_start() {
            self.rigid.source(vertex - self.rigid_start())
        } else {
            VertexSource::Kinematic
        }
    }
}
