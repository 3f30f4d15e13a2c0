//! Prescribed motion as written.

use super::TextOr;
use schemars::JsonSchema;
use serde::Deserialize;

/// A rotation about an axis.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RotateFile {
    /// `"x"`, `"y"`, `"z"` or a vector of any length.
    pub axis: TextOr<[f64; 3]>,
    /// Angle [degrees], right-handed.
    pub degrees: f64,
}

/// A pose at a time; what is left out stays as at rest.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KeyFile {
    /// Time [s].
    pub time: f64,
    /// Translation from the initial place [m].
    pub translate: Option<[f64; 3]>,
    /// Rotation from the initial place about `centre`; more than 360 degrees is allowed.
    pub rotate: Option<RotateFile>,
    /// Uniform scale about `centre`; 1 by default.
    pub scale: Option<f64>,
}

/// How values run between keys.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InterpolationName {
    /// Straight lines.
    Linear,
    /// Zero velocity at keys.
    Smooth,
}

/// A rate of turning.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TurnFile {
    /// `"x"`, `"y"`, `"z"` or a vector of any length.
    pub axis: TextOr<[f64; 3]>,
    /// Rate [degrees/s], right-handed.
    pub degrees_per_second: f64,
}

/// Key frames plus constant rates.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MotionFile {
    /// Point about which it turns and scales [m]; the middle of the pinned vertices or shape by
    /// default.
    pub centre: Option<[f64; 3]>,
    /// Key frames in order of time.
    #[serde(default)]
    pub keys: Vec<KeyFile>,
    /// How values run between keys; linear by default.
    pub interpolation: Option<InterpolationName>,
    /// Whether keys repeat; false by default.
    pub repeat: Option<bool>,
    /// Constant velocity [m/s].
    pub velocity: Option<[f64; 3]>,
    /// Constant turning.
    pub turn: Option<TurnFile>,
    /// Time from which the constant rates act [s]; 0 by default.
    pub start: Option<f64>,
    /// Time until which the constant rates act [s]; for ever by default.
    pub end: Option<f64>,
}

/// A span of time.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SpanFile {
    /// Beginning [s]; the start of the run by default.
    pub from: Option<f64>,
    /// End [s]; never by default.
    pub until: Option<f64>,
}
