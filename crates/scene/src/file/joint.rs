//! Joints between rigid bodies as written.

use super::{InterpolationName, SpanFile, TextOr};
use schemars::JsonSchema;
use serde::Deserialize;

/// What a joint leaves free.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum JointKindName {
    /// Both bodies share a point and turn about it freely.
    Ball,
    /// Both bodies share a point and an axis, and turn about it.
    Hinge,
    /// One body slides along an axis of the other, without turning.
    Slider,
    /// No relative motion.
    Fixed,
    /// Two points stay at a distance, or within a range of distances.
    Distance,
}

/// A joint. Places and directions are those in the world at the start, after placement and copies.
/// Simulated by method `descent`.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JointFile {
    /// Ball, hinge, slider, fixed or distance.
    pub kind: JointKindName,
    /// The first rigid body.
    pub a: String,
    /// The second rigid body; the world by default.
    pub b: Option<String>,
    /// The point that both share [m]. Needed by ball and hinge; the centre of mass of `a` by
    /// default for slider and fixed.
    pub anchor: Option<[f64; 3]>,
    /// Distance: the point of `a` [m]; its centre of mass by default.
    pub anchor_a: Option<[f64; 3]>,
    /// Distance: the point of `b` or of the world [m]; the centre of mass of `b` by default.
    pub anchor_b: Option<[f64; 3]>,
    /// Hinge and slider: `"x"`, `"y"`, `"z"` or a vector. Ball: the direction that `cone` limits.
    pub axis: Option<TextOr<[f64; 3]>>,
    /// Smallest and largest coordinate: hinge angle [degrees], slider displacement [m], distance
    /// [m]. The angle and the displacement of `a` relative to `b` are 0 at the start. A distance
    /// joint without limits keeps its distance at the start; `[0, 2]` makes it a rope of 2 m.
    pub limits: Option<[f64; 2]>,
    /// Ball: largest angle between `axis` and its direction at the start, as `b` sees it [degrees].
    pub cone: Option<f64>,
    /// Spring and damper towards a target, for hinge, slider and distance.
    pub drive: Option<JointDriveFile>,
    /// Friction of the joint: largest force [N] (slider, distance) or torque [N m] (ball, hinge)
    /// against motion; 0 by default.
    pub friction: Option<f64>,
    /// Whether the two bodies can touch each other; false by default.
    pub collide: Option<bool>,
    /// When it holds; always by default.
    #[serde(default)]
    pub active: Vec<SpanFile>,
}

/// A drive: effort = stiffness (target − coordinate) + damping (target rate − rate), cut at
/// `max_effort`.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JointDriveFile {
    /// Stiffness [N/m], for a hinge [N m/rad]; 0 by default.
    pub stiffness: Option<f64>,
    /// Damping [N s/m], for a hinge [N m s/rad]; 0 by default.
    pub damping: Option<f64>,
    /// Largest effort [N], for a hinge [N m]; without limit by default.
    pub max_effort: Option<f64>,
    /// Target [m], for a hinge [degrees]. The coordinate at the start by default.
    pub target: Option<f64>,
    /// Rate of the target [m/s], for a hinge [degrees/s]; 0 by default.
    pub velocity: Option<f64>,
    /// Target over time instead of `target` and `velocity`, in order of time.
    #[serde(default)]
    pub keys: Vec<JointKeyFile>,
    /// How the target runs between keys; linear by default.
    pub interpolation: Option<InterpolationName>,
}

/// The target of a drive at a time.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct JointKeyFile {
    /// Time [s].
    pub time: f64,
    /// Target [m], for a hinge [degrees].
    pub target: f64,
}
