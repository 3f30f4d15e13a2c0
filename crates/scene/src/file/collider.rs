//! Colliders as written: exactly one shape, and how it moves.

use super::{FrictionDirectionFile, MeshSource, MotionFile, NumberOr, RotateFile, TextOr};
use schemars::JsonSchema;
use serde::Deserialize;

/// An obstacle.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ColliderFile {
    /// Half space.
    pub plane: Option<PlaneShape>,
    /// Ball.
    pub sphere: Option<SphereShape>,
    /// Box.
    #[serde(rename = "box")]
    pub box_: Option<BoxShape>,
    /// Closed cylinder.
    pub cylinder: Option<SegmentShape>,
    /// Capsule.
    pub capsule: Option<SegmentShape>,
    /// Triangles or strands.
    pub mesh: Option<MeshSource>,
    /// Solid outside instead of inside; false by default. Not for planes and meshes.
    pub inverted: Option<bool>,
    /// Scale of a mesh, first.
    pub scale: Option<NumberOr<[f64; 3]>>,
    /// Rotation of a mesh about the origin, second.
    pub rotate: Option<RotateFile>,
    /// Translation of the shape, third [m].
    pub translate: Option<[f64; 3]>,
    /// How it moves; it stays by default.
    pub motion: Option<MotionFile>,
    /// Mesh files with the same vertices, one per sample.
    pub sequence: Option<SequenceFile>,
    /// Friction coefficient; 0.5 by default.
    pub friction: Option<f64>,
    /// Friction that depends on the direction; `"u"`, `"v"` and files are for meshes.
    pub friction_direction: Option<FrictionDirectionFile>,
    /// Geometric thickness [m]; 0 by default.
    pub thickness: Option<f64>,
    /// Distance at which contact begins to act [m]; 1 mm by default.
    pub gap: Option<f64>,
    /// Display colour, sRGB from 0 to 1.
    pub colour: Option<[f32; 3]>,
}

/// Half space below a plane.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaneShape {
    /// Normal out of the solid side: `"x"`, `"y"`, `"z"` or a vector; up by default.
    pub normal: Option<TextOr<[f64; 3]>>,
    /// Distance from the origin along the normal [m]; 0 by default.
    pub offset: Option<f64>,
}

/// Ball.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SphereShape {
    /// Centre [m]; origin by default.
    pub centre: Option<[f64; 3]>,
    /// Radius [m].
    pub radius: f64,
}

/// Box.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoxShape {
    /// Centre [m]; origin by default.
    pub centre: Option<[f64; 3]>,
    /// Edge lengths [m].
    pub size: [f64; 3],
    /// Rotation about the centre.
    pub rotate: Option<RotateFile>,
}

/// Cylinder or capsule around a segment.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SegmentShape {
    /// One end of the axis [m].
    pub start: [f64; 3],
    /// Other end of the axis [m].
    pub end: [f64; 3],
    /// Radius [m].
    pub radius: f64,
}

/// Vertices of a mesh over time.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SequenceFile {
    /// File name with `{}` (or `{:04}` for leading zeros) where the number stands, or one point
    /// cache (`.pc2`) that holds all samples.
    pub files: String,
    /// First number; 0 by default.
    pub first: Option<u32>,
    /// Number of files; all samples of a point cache by default.
    pub count: Option<u32>,
    /// Samples per second.
    pub fps: f64,
}
