//! Meshes of bands and yarns as written, and the ball with spines.

use schemars::JsonSchema;
use serde::Deserialize;

/// Flat band along a smooth path through points (centripetal Catmull–Rom), cells of equal length;
/// its pattern is the straight band. Groups: roots, tips.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RibbonMesh {
    /// Points that the middle line passes through, at least two.
    pub points: Vec<[f64; 3]>,
    /// Width.
    pub width: f64,
    /// Cells along the band.
    pub along: u32,
    /// Cells across it.
    pub across: u32,
    /// Direction that the band faces at its first point, carried along without twist; z by default.
    pub up: Option<[f64; 3]>,
}

/// Cylinder in plain weave about z: warp yarns along z and one weft yarn that winds round them.
/// Groups: bottom, top, roots, tips.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WovenMesh {
    /// Mean radius.
    pub radius: f64,
    /// Height along z.
    pub height: f64,
    /// Number of warp yarns; odd, so that turns of the weft alternate.
    pub warps: u32,
    /// Turns of the weft over the height.
    pub turns: u32,
    /// Distance of the centre lines where yarns cross: more than their thickness.
    pub spacing: f64,
    /// Segments of every yarn between two crossings; 4 by default.
    pub segments: Option<u32>,
}

/// Patch in plain knitting (stockinette): rows of loops along x, each drawn through the row below
/// it along y. Yarns must be thinner than 0.23 of a loop. Groups: bottom and top (first and last
/// row), left, right (ends of rows).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct KnitMesh {
    /// Width of one loop along x; rows are 0.8 of it apart.
    pub loop_width: f64,
    /// Loops per row.
    pub loops: u32,
    /// Rows.
    pub rows: u32,
    /// Segments per loop; 24 by default.
    pub segments: Option<u32>,
}

/// Ball of tets with soft spines. Group: spines.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct UrchinMesh {
    /// Radius of the ball.
    pub radius: f64,
    /// Cells of the ball from the middle to the surface.
    pub cells: u32,
    /// Number of spines, spread evenly; fewer when the ball has no room for them.
    pub spines: u32,
    /// Length of a spine.
    pub length: f64,
    /// Cells along a spine.
    pub segments: u32,
    /// Width of a spine at its tip over that at its foot; 0.6 by default.
    pub taper: Option<f64>,
}
