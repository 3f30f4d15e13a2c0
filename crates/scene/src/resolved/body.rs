//! Bodies and what they carry.

use super::{EmbeddedSurface, Frames, FrictionDirection, Mesh, Pin, SceneRigidBody, WeightedPoint};
use crate::file::{KindName, MaterialFile};
use crate::material::{Drag, Material};
use stiction_numerics::Vec3;

/// A body that moves by dynamics.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneBody {
    /// Unique name; instances are called `name.0`, `name.1` and so on.
    pub name: String,
    /// What it is made as.
    pub kind: BodyKind,
    /// Geometry at the start, in the world [m].
    pub mesh: Mesh,
    /// Elastic material; its variant agrees with `kind`.
    pub material: Material,
    /// What it was resolved from.
    pub written_material: WrittenMaterial,
    /// Coulomb friction coefficient of the surface.
    pub friction: f64,
    /// Direction-dependent friction, if any.
    pub friction_direction: Option<FrictionDirection>,
    /// Geometric thickness [m]: shell thickness, rod diameter, 0 for solids unless given.
    pub thickness: f64,
    /// Distance beyond the thickness at which contact begins to act [m].
    pub contact_gap: f64,
    /// Prescribed vertices.
    pub pins: Vec<Pin>,
    /// Initial velocity of the body [m/s]; of its centre of mass if it is rigid.
    pub initial_velocity: Vec3,
    /// Initial angular velocity about the mean of the vertices, or the centre of mass of a rigid
    /// body [rad/s].
    pub spin: Vec3,
    /// Whether the body can touch itself.
    pub self_contact: bool,
    /// Named vertex groups, sorted by name, indices ascending.
    pub groups: Vec<VertexGroup>,
    /// The written body that this one is a copy of.
    pub instance_of: Option<InstanceOf>,
    /// Display colour, sRGB from 0 to 1 as written; runs store it so, exports decode it.
    pub colour: Option<[f32; 3]>,
    /// Surface carried by tets or frames: its vertices and where they sit.
    pub embedded_surface: Option<EmbeddedSurface>,
    /// Frames of a skinned or affine body, whose `mesh` holds their nodes, four by four.
    pub frames: Option<Frames>,
    /// Shape and pose of a rigid body.
    pub rigid: Option<SceneRigidBody>,
    /// Which shape is free of stress.
    pub rest: RestShape,
    /// Pressure inside a closed surface, if any.
    pub inflation: Option<Inflation>,
    /// Warp direction in the world when the mesh has no `uv` (then warp is the direction of u).
    pub warp: Option<Vec3>,
}

impl SceneBody {
    /// Indices of a named group.
    pub fn group(&self, name: &str) -> Option<&[u32]> {
        self.groups.iter().find(|g| g.name == name).map(|g| g.vertices.as_slice())
    }

    /// The mesh that selections are made on and that is drawn: what the body carries if it is on
    /// frames.
    pub fn shape(&self) -> &Mesh {
        match &self.embedded_surface {
            Some(surface) if self.kind.on_frames() => &surface.mesh,
            _ => &self.mesh,
        }
    }

    /// A point over the vertices of [`SceneBody::shape`], as one over the vertices of the body's mesh.
    pub fn carried(&self, point: WeightedPoint) -> WeightedPoint {
        match &self.embedded_surface {
            Some(surface) if self.kind.on_frames() => surface.carried(&point),
            _ => point,
        }
    }

    /// Air drag of the material.
    pub fn drag(&self) -> Drag {
        self.material.drag()
    }
}

/// A material as written: changing a key and resolving again gives what a scene with that key
/// gives.
#[derive(Clone, Debug, PartialEq)]
pub struct WrittenMaterial {
    /// What the body is made as.
    pub kind: KindName,
    /// Its keys, with the name of the preset below them.
    pub keys: MaterialFile,
    /// Whether the rest shape keeps its curvature, if given.
    pub curved: Option<bool>,
}

/// What a body is made as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyKind {
    /// Thin shell on triangles.
    Cloth,
    /// Elastic rods on strands.
    Rod,
    /// Soft solid on tets.
    Solid,
    /// Solid or sheet on affine frames with blended weights.
    Skinned,
    /// Near-rigid solid on one affine frame.
    Affine,
    /// Rigid body: a centre and an orientation.
    Rigid,
}

impl BodyKind {
    /// Whether its nodes are those of affine frames, not vertices of a mesh.
    pub fn on_frames(self) -> bool {
        matches!(self, BodyKind::Skinned | BodyKind::Affine)
    }
}

/// A named set of vertices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VertexGroup {
    /// Name, such as `roots`.
    pub name: String,
    /// Vertex indices, ascending.
    pub vertices: Vec<u32>,
}

/// Where an instance came from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InstanceOf {
    /// Name of the body as written.
    pub name: String,
    /// Number of this copy.
    pub index: u32,
}

/// Which shape is free of stress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RestShape {
    /// `mesh.rest_vertices`, or `mesh.vertices` when there are none.
    Mesh,
    /// The flat pattern in `mesh.uv`, in metres (cloth only).
    Pattern,
}

/// Gauge pressure p inside a closed surface of volume V, as a function of V and the volume V₀ at
/// rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Inflation {
    /// Gauge pressure at the rest volume [Pa].
    pub pressure: f64,
    /// How it changes with the volume.
    pub law: InflationLaw,
}

/// How the pressure in a closed surface changes with its volume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InflationLaw {
    /// p = p₀ + B (1 − V/V₀).
    Linear {
        /// B, resistance to change of volume [Pa].
        bulk_modulus: f64,
    },
    /// A gas at constant temperature: p = (p_a + p₀) V₀/V − p_a.
    Gas {
        /// p_a, pressure outside [Pa].
        ambient: f64,
    },
}
