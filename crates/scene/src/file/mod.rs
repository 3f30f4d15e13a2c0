//! The file layer: what a scene file may say. These types mirror the text; every key is documented
//! here, in `docs/scene.md` and in the generated schema. Nothing is checked beyond names and types.

mod body;
mod collider;
mod either;
mod joint;
mod material;
mod mesh;
mod motion;
mod select;
mod yarn;

pub use body::*;
pub use collider::*;
pub use either::{NumberOr, TextOr, VectorOr};
pub use joint::*;
pub use material::*;
pub use mesh::*;
pub use motion::*;
pub use select::*;
pub use yarn::*;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The format version that this program reads.
pub const FORMAT_VERSION: u32 = 1;

/// A Stiction scene. Lengths in metres, times in seconds, masses in kilograms unless a key says
/// otherwise.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SceneFile {
    /// Format version; this is version 1.
    pub stiction: u32,
    /// Short name; the file name without extension by default.
    pub name: Option<String>,
    /// One sentence for lists.
    pub summary: Option<String>,
    /// Figure, table or case that the scene reproduces.
    pub source: Option<String>,
    /// Direction away from the ground; z by default.
    pub up_axis: Option<AxisName>,
    /// Gravity [m/s²]: a size (downward), a vector, or a table of key frames; 9.81 by default.
    pub gravity: Option<GravityFile>,
    /// Air and wind; still air of 1.204 kg/m³ by default.
    pub wind: Option<WindFile>,
    /// Output frames per second; 30 by default.
    pub fps: Option<f64>,
    /// Number of frames to simulate; 60 by default.
    pub frames: Option<u32>,
    /// Largest time step [s]; one frame by default.
    pub step: Option<f64>,
    /// Method that runs the scene and its options.
    pub method: Option<MethodFile>,
    /// Options for further methods, by key: used when `method.key` names them.
    #[serde(default)]
    pub methods: BTreeMap<String, Map<String, Value>>,
    /// Bodies by name.
    #[serde(default)]
    pub bodies: BTreeMap<String, BodyFile>,
    /// Obstacles by name.
    #[serde(default)]
    pub colliders: BTreeMap<String, ColliderFile>,
    /// Springs that hold vertices to bodies or colliders.
    #[serde(default)]
    pub attachments: Vec<AttachmentFile>,
    /// Sewing springs.
    #[serde(default)]
    pub stitches: Vec<StitchFile>,
    /// Joints between rigid bodies, or between a rigid body and the world, by name.
    #[serde(default)]
    pub joints: BTreeMap<String, JointFile>,
    /// How friction coefficients combine.
    pub friction: Option<FrictionFile>,
    /// `"refuse"`, or `{ resolve = seconds }`; by default as the method prefers.
    pub initial_contact: Option<TextOr<ResolveFile>>,
    /// What a run writes.
    pub output: Option<OutputFile>,
    /// Seed of every random choice; 0 by default.
    pub seed: Option<u64>,
    /// Named changes: `[variants.size.paper]` holds `"path" = value` lines that `--set size=paper`
    /// applies.
    #[serde(default)]
    pub variants: BTreeMap<String, BTreeMap<String, Map<String, Value>>>,
}

/// Name of an axis.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum AxisName {
    /// First.
    X,
    /// Second.
    Y,
    /// Third.
    Z,
}

/// A size, a vector, or key frames.
pub type GravityFile = NumberOr<VectorOr<GravityKeysFile>>;

/// Gravity over time: how a scene is accelerated, or how its weight is switched on.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GravityKeysFile {
    /// Key frames in order of time; the first and last are held outside.
    pub keys: Vec<GravityKeyFile>,
    /// How values run between keys; linear by default.
    pub interpolation: Option<InterpolationName>,
    /// Whether keys repeat; false by default.
    pub repeat: Option<bool>,
}

/// Gravity at a time.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GravityKeyFile {
    /// Time [s].
    pub time: f64,
    /// Gravity [m/s²]: a size (downward) or a vector.
    pub value: NumberOr<[f64; 3]>,
}

/// Air and wind: mean velocity with travelling sinusoidal gusts.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WindFile {
    /// Mean velocity [m/s].
    pub velocity: Option<[f64; 3]>,
    /// Gust amplitude along the wind [m/s]; 0 by default.
    pub gust_amplitude: Option<f64>,
    /// Gust frequency [1/s]; 1 by default.
    pub gust_frequency: Option<f64>,
    /// Gust length along the wind [m]; 1 by default.
    pub gust_length: Option<f64>,
    /// Density of the air [kg/m³]; 1.204 (dry air, 20 °C) by default, 0 for vacuum.
    pub air_density: Option<f64>,
}

/// A method and its options.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
pub struct MethodFile {
    /// Key of the method, such as `newton`.
    pub key: String,
    /// Options of that method.
    #[serde(flatten)]
    pub options: Map<String, Value>,
}

/// How friction coefficients combine.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FrictionFile {
    /// One coefficient for every pair, whatever bodies, colliders, directions and `pairs` say.
    pub all: Option<f64>,
    /// Rule for pairs that are not listed; geometric mean by default.
    pub mix: Option<MixName>,
    /// Law of friction that depends on the direction; `"ray"` by default.
    pub ellipse: Option<EllipseName>,
    /// Coefficients of named pairs.
    #[serde(default)]
    pub pairs: Vec<PairFile>,
}

/// How friction that depends on the direction is cut back to its ellipse while sliding.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EllipseName {
    /// Along the ray from the centre: friction opposes the motion.
    Ray,
    /// To the nearest point: friction does the most work, and may push sideways.
    MaximumDissipation,
}

/// Mixing rule.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MixName {
    /// √(μ₁ μ₂).
    GeometricMean,
    /// (μ₁ + μ₂)/2.
    ArithmeticMean,
    /// The smaller one.
    Minimum,
    /// The larger one.
    Maximum,
}

/// What one pair does, where it differs from the rule and from the method's options.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PairFile {
    /// A body (all its copies) or collider.
    pub a: String,
    /// Another one, or the same for contact of a body with itself.
    pub b: String,
    /// Friction coefficient; by the rule by default.
    pub mu: Option<f64>,
    /// Attraction of a contact at distance zero [N], falling linearly to nothing at the gap; the
    /// method's option by default.
    pub cohesion: Option<f64>,
    /// Compliance of a contact [1/kg]: the inverse weight of a slack node; the method's option by
    /// default.
    pub compliance: Option<f64>,
}

/// Push initial overlaps apart.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ResolveFile {
    /// Time over which gaps open [s].
    pub resolve: f64,
}

/// What a run writes beside positions.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OutputFile {
    /// Velocities; true by default.
    pub velocities: Option<bool>,
    /// Contact points, normals and forces; false by default.
    pub contacts: Option<bool>,
    /// Positions of colliders; true by default.
    pub colliders: Option<bool>,
    /// Checkpoint every so many frames; 1 by default.
    pub checkpoint_every: Option<u32>,
}
