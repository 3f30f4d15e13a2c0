//! Selections of vertices as written. Several keys in one selection must all hold.

use super::TextOr;
use schemars::JsonSchema;
use serde::Deserialize;

/// Vertices of a body; a bare name means a group.
pub type Select = TextOr<SelectFile>;

/// Vertices that satisfy every key given.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SelectFile {
    /// All vertices.
    pub all: Option<bool>,
    /// These vertices, numbered from 0.
    pub indices: Option<Vec<u32>>,
    /// A named group of the body.
    pub group: Option<String>,
    /// Inside an axis-aligned box (faces included).
    #[serde(rename = "box")]
    pub box_: Option<BoxSelect>,
    /// Inside a ball.
    pub sphere: Option<SphereSelect>,
    /// On one side of a plane.
    pub plane: Option<PlaneSelect>,
    /// On the boundary: open edges of triangles, ends of strands, surface of tets.
    pub boundary: Option<bool>,
    /// The nearest vertices to a point.
    pub nearest: Option<NearestSelect>,
    /// Any of these.
    pub any_of: Option<Vec<Select>>,
    /// Turns the result round.
    pub invert: Option<bool>,
}

/// An axis-aligned box.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoxSelect {
    /// Smallest corner [m].
    pub min: [f64; 3],
    /// Largest corner [m].
    pub max: [f64; 3],
    /// Corners are fractions of the body's bounding box, 0 to 1; false by default.
    pub relative: Option<bool>,
}

/// A ball.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SphereSelect {
    /// Centre [m].
    pub centre: [f64; 3],
    /// Radius [m].
    pub radius: f64,
}

/// The side of a plane that its normal points to.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlaneSelect {
    /// `"x"`, `"y"`, `"z"` or a vector.
    pub normal: TextOr<[f64; 3]>,
    /// Distance of the plane from the origin along the normal [m]; 0 by default.
    pub offset: Option<f64>,
}

/// The vertices nearest to a point.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NearestSelect {
    /// The point [m].
    pub point: [f64; 3],
    /// How many; 1 by default.
    pub count: Option<usize>,
}
