//! Bodies, pins, copies, attachments and stitches as written.

use super::{MeshSource, MotionFile, NumberOr, RotateFile, Select, SpanFile, TextOr};
use crate::file::MaterialFile;
use schemars::JsonSchema;
use serde::Deserialize;
use std::collections::BTreeMap;

/// What a body is made as.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum KindName {
    /// Thin shell on triangles.
    Cloth,
    /// Elastic rods on strands.
    Rod,
    /// Soft solid on tets.
    Solid,
    /// Solid (tets) or sheet (triangles with a `thickness`) on affine frames with blended weights.
    Skinned,
    /// Near-rigid solid on one affine frame; a closed surface or tets.
    Affine,
    /// Rigid body with six degrees of freedom; closed surfaces or tets. Not yet simulated by any
    /// method.
    Rigid,
}

/// A body that moves by dynamics.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BodyFile {
    /// Cloth, rod, solid, skinned, affine or rigid.
    pub kind: KindName,
    /// Geometry: a file name or a table. Every body has one, except rigid bodies made of `shapes`.
    pub mesh: Option<MeshSource>,
    /// Rigid: several closed meshes that move as one, instead of `mesh`. Volumes are added, also
    /// where they overlap.
    #[serde(default)]
    pub shapes: Vec<RigidShapeFile>,
    /// A preset name or a table; keys of the table replace those of its `preset`. Rigid bodies need
    /// only its `density`.
    pub material: Option<TextOr<Box<MaterialFile>>>,
    /// Rigid: total mass [kg], spread evenly over the volume, instead of the density of a material.
    pub mass: Option<f64>,
    /// Scale, first; a number or one per axis.
    pub scale: Option<NumberOr<[f64; 3]>>,
    /// Rotation about the origin, second.
    pub rotate: Option<RotateFile>,
    /// Translation, third [m].
    pub translate: Option<[f64; 3]>,
    /// Shape without stress; the mesh as it is by default.
    pub rest: Option<RestFile>,
    /// Friction coefficient; that of the preset, or 0.5, by default.
    pub friction: Option<f64>,
    /// Friction that depends on the direction.
    pub friction_direction: Option<FrictionDirectionFile>,
    /// Geometric thickness for contact [m]; that of the material by default, 0 for solids and rigid
    /// bodies.
    pub thickness: Option<f64>,
    /// Distance at which contact begins to act [m]; 1 mm by default.
    pub gap: Option<f64>,
    /// Prescribed vertices.
    #[serde(default)]
    pub pins: Vec<PinFile>,
    /// Initial velocity [m/s]; of the centre of mass if the body is rigid.
    pub velocity: Option<[f64; 3]>,
    /// Initial angular velocity about the middle, or about the centre of mass of a rigid body
    /// [rad/s].
    pub spin: Option<[f64; 3]>,
    /// Whether the body can touch itself; true by default, never for rigid bodies.
    pub self_contact: Option<bool>,
    /// Named selections.
    #[serde(default)]
    pub groups: BTreeMap<String, Select>,
    /// A lattice of copies.
    pub array: Option<ArrayFile>,
    /// Copies one by one (instead of the body itself).
    #[serde(default)]
    pub instances: Vec<InstanceFile>,
    /// Display colour, sRGB from 0 to 1.
    pub colour: Option<[f32; 3]>,
    /// Surface carried by the tets, placed as the mesh is.
    pub surface: Option<MeshSource>,
    /// Frames of a skinned body.
    pub frames: Option<FramesFile>,
    /// Pressure inside a closed surface.
    pub inflation: Option<InflationFile>,
    /// Warp direction where the mesh has no uv.
    pub warp: Option<[f64; 3]>,
}

/// The affine frames of a skinned body.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FramesFile {
    /// Number of frames, spread evenly over the mesh.
    pub count: Option<u32>,
    /// Places of the frames in the world after placement [m], instead of `count`.
    #[serde(default)]
    pub positions: Vec<[f64; 3]>,
    /// Distance at which the weight of a frame has faded to zero [m]; 4 times the largest distance
    /// of a vertex to its frame by default.
    pub radius: Option<f64>,
}

/// One closed mesh of a rigid body.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RigidShapeFile {
    /// Geometry: a file name or a table.
    pub mesh: MeshSource,
    /// Scale within the body, first; a number or one per axis.
    pub scale: Option<NumberOr<[f64; 3]>>,
    /// Rotation within the body about its origin, second.
    pub rotate: Option<RotateFile>,
    /// Translation within the body, third [m]; the body as a whole is placed afterwards.
    pub translate: Option<[f64; 3]>,
}

/// The shape without stress.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RestFile {
    /// Another mesh with the same cells, placed as the mesh is.
    pub mesh: Option<MeshSource>,
    /// Scale of the rest shape against the mesh: 0.9 means stretched at the start.
    pub scale: Option<f64>,
    /// Take the flat pattern in `uv` (metres) as rest shape; false by default.
    pub pattern: Option<bool>,
    /// Keep the curvature of the rest shape; true by default for rods and solids, false for cloth.
    pub curved: Option<bool>,
}

/// Friction along and across a direction.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FrictionDirectionFile {
    /// `"u"`, `"v"`, an axis or a vector in the initial shape. This or `file`.
    pub direction: Option<TextOr<[f64; 3]>>,
    /// Text file with one vector `x y z` per vertex of the surface, turned and scaled as the mesh
    /// is.
    pub file: Option<String>,
    /// Coefficient along it.
    pub along: f64,
    /// Coefficient across it.
    pub across: f64,
}

/// Pressure p = pressure + bulk (1 − V/V₀), or that of a gas: p = (ambient + pressure) V₀/V −
/// ambient.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InflationFile {
    /// Gauge pressure at the rest volume [Pa].
    pub pressure: Option<f64>,
    /// Resistance to change of volume [Pa]; 0 by default.
    pub bulk: Option<f64>,
    /// Pressure outside [Pa], such as 101325: the inside then holds a fixed amount of gas at
    /// constant temperature. Not with `bulk`.
    pub ambient: Option<f64>,
}

/// Prescribed vertices.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PinFile {
    /// Which vertices; which frames of a skinned or affine body, by their centres. A rigid body is
    /// held whole: leave it out.
    pub select: Option<Select>,
    /// How they move; they stay by default.
    pub motion: Option<MotionFile>,
    /// Move with this collider instead.
    pub follow: Option<String>,
    /// When it holds; always by default.
    #[serde(default)]
    pub active: Vec<SpanFile>,
    /// Spring stiffness per vertex [N/m]; exact by default, always exact for rigid bodies.
    pub stiffness: Option<f64>,
    /// Whether rod edges between pinned vertices keep their twist, and shells their normal along
    /// pinned triangles (a clamp); true by default.
    pub hold_twist: Option<bool>,
}

/// A lattice of copies: copy (i, j, k) is moved by i, j, k times `step`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArrayFile {
    /// Number of copies along each axis.
    pub count: [u32; 3],
    /// Distance between copies along each axis [m].
    pub step: [f64; 3],
    /// Random displacement in each axis up to this [m]; 0 by default.
    pub jitter: Option<f64>,
    /// Random rotation; false by default.
    pub turn: Option<bool>,
    /// Seed; that of the scene by default.
    pub seed: Option<u64>,
    /// Colours that the copies take in turn; the body's by default.
    #[serde(default)]
    pub colours: Vec<[f32; 3]>,
}

/// One copy.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InstanceFile {
    /// Rotation about the middle of the body, first.
    pub rotate: Option<RotateFile>,
    /// Translation, second [m].
    pub translate: Option<[f64; 3]>,
    /// Initial velocity instead of the body's [m/s].
    pub velocity: Option<[f64; 3]>,
    /// Initial angular velocity instead of the body's [rad/s].
    pub spin: Option<[f64; 3]>,
    /// Colour instead of the body's.
    pub colour: Option<[f32; 3]>,
}

/// Springs from vertices of a body to the nearest points of another body or a collider.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AttachmentFile {
    /// The body whose vertices are attached.
    pub body: String,
    /// Which vertices.
    pub select: Select,
    /// Attach to the nearest points of this body.
    pub to_body: Option<String>,
    /// Attach to these vertices of `to_body`, one each, instead of the nearest points.
    pub to_vertices: Option<Vec<u32>>,
    /// Attach to this collider.
    pub to_collider: Option<String>,
    /// Stiffness per vertex [N/m]; 1000 by default.
    pub stiffness: Option<f64>,
    /// Keep the initial offset instead of pulling together; false by default.
    pub keep_offset: Option<bool>,
    /// When it holds; always by default.
    #[serde(default)]
    pub active: Vec<SpanFile>,
}

/// Sewing springs: vertex a to (1 − w) b + w c.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StitchFile {
    /// Body of vertex a.
    pub body: String,
    /// Body of b and c; the same by default.
    pub to_body: Option<String>,
    /// Pairs `[a, b]` of vertices.
    #[serde(default)]
    pub pairs: Vec<[u32; 2]>,
    /// Rows `[a, b, c, w]`: vertex a to (1 − w) b + w c.
    #[serde(default)]
    pub weighted: Vec<(u32, u32, u32, f64)>,
    /// Use the `stitch a b c w` lines of the body's OBJ file; false by default.
    pub from_mesh: Option<bool>,
    /// Stiffness [N/m]; 1000 by default.
    pub stiffness: Option<f64>,
    /// Length free of force [m]; 0 by default.
    pub rest_length: Option<f64>,
    /// When it pulls; always by default. Several entries for the same seam add up, so that it can
    /// be drawn tighter later.
    #[serde(default)]
    pub active: Vec<SpanFile>,
}
