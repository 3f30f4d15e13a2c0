//! Meshes as written: a file, or exactly one generator.

use super::{AxisName, KnitMesh, RibbonMesh, TextOr, UrchinMesh, WovenMesh};
use schemars::JsonSchema;
use serde::Deserialize;

/// A mesh; a bare name means a file.
pub type MeshSource = TextOr<Box<MeshFile>>;

/// Unit of length of a mesh.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema)]
pub enum Unit {
    /// Metre.
    #[serde(rename = "m")]
    Metre,
    /// Decimetre.
    #[serde(rename = "dm")]
    Decimetre,
    /// Centimetre.
    #[serde(rename = "cm")]
    Centimetre,
    /// Millimetre.
    #[serde(rename = "mm")]
    Millimetre,
    /// Inch.
    #[serde(rename = "in")]
    Inch,
    /// Foot.
    #[serde(rename = "ft")]
    Foot,
}

impl Unit {
    /// Metres per unit.
    pub fn metres(self) -> f64 {
        match self {
            Unit::Metre => 1.0,
            Unit::Decimetre => 0.1,
            Unit::Centimetre => 0.01,
            Unit::Millimetre => 0.001,
            Unit::Inch => 0.0254,
            Unit::Foot => 0.3048,
        }
    }
}

/// A file or one generator, with an optional unit.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MeshFile {
    /// OBJ, PLY, STL, Gmsh (2.2, 4.1), legacy VTK or TetGen (.node or .ele) file, relative to the
    /// scene.
    pub file: Option<String>,
    /// Unit of the numbers in the file or generator; metre by default.
    pub unit: Option<Unit>,
    /// Flat rectangle of triangles, middle at the origin.
    pub grid: Option<GridMesh>,
    /// Flat disc of triangles, middle at the origin.
    pub disc: Option<DiscMesh>,
    /// Surface of a box, middle at the origin.
    #[serde(rename = "box")]
    pub box_: Option<BoxMesh>,
    /// Box of tets, middle at the origin.
    pub tet_box: Option<BoxMesh>,
    /// Surface of a ball: `subdivisions` of an icosahedron, or `around` × `along`.
    pub sphere: Option<SphereMesh>,
    /// Ball of tets.
    pub tet_sphere: Option<TetSphereMesh>,
    /// Surface of a torus about z.
    pub torus: Option<TorusMesh>,
    /// Torus of tets about z.
    pub tet_torus: Option<TorusMesh>,
    /// Surface of a cylinder along z, middle at the origin.
    pub cylinder: Option<CylinderMesh>,
    /// Cylinder of tets along z, middle at the origin.
    pub tet_cylinder: Option<CylinderMesh>,
    /// Surface turned about z from a profile.
    pub lathe: Option<LatheMesh>,
    /// Stones of an arch in the xz plane, feet at z = 0.
    pub tet_arch: Option<ArchMesh>,
    /// Surface of a capsule along z, middle at the origin.
    pub capsule: Option<CapsuleMesh>,
    /// One straight strand.
    pub rod: Option<RodMesh>,
    /// One helical strand about z, from z = 0 upwards.
    pub helix: Option<HelixMesh>,
    /// Strands that grow from a surface.
    pub groom: Option<GroomMesh>,
    /// One smooth strand through points.
    pub path: Option<PathMesh>,
    /// Closed band round two circles in the plane xz, width along y, middle at the origin.
    pub belt: Option<BeltMesh>,
    /// Regular lattice of tets that covers a closed surface, to carry it as `surface`.
    pub tet_lattice: Option<TetLatticeMesh>,
    /// Smooth closed surface of round parts that run into each other.
    pub blobs: Option<BlobsMesh>,
    /// A palm tree: a closed trunk along z from z = 0 and leaves from its top, one connected
    /// surface.
    pub palm: Option<PalmMesh>,
    /// Flat band of triangles along a path.
    pub ribbon: Option<RibbonMesh>,
    /// Cylinder of woven yarns along z, middle at the origin.
    pub woven: Option<WovenMesh>,
    /// Knitted patch of yarns in the plane xy, middle at the origin.
    pub knit: Option<KnitMesh>,
    /// Ball of tets with soft spines.
    pub tet_urchin: Option<UrchinMesh>,
}

/// How cells of a grid are cut into triangles.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum GridPattern {
    /// All diagonals in one direction.
    #[default]
    Regular,
    /// Diagonals alternate like the Union Jack.
    Alternating,
    /// Four triangles around a vertex in the middle of each cell.
    Crossed,
    /// Inner vertices moved and diagonals chosen at random.
    Irregular,
}

/// Plane of a flat generator: u along the first axis, v along the second.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PlaneName {
    /// Normal z.
    #[default]
    Xy,
    /// Normal −y.
    Xz,
    /// Normal x.
    Yz,
}

/// Flat rectangle. Groups: left, right (u), bottom, top (v), bottom_left, bottom_right, top_left,
/// top_right.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GridMesh {
    /// Size along u and v.
    pub size: [f64; 2],
    /// Number of cells along u and v.
    pub cells: [u32; 2],
    /// Plane; xy by default.
    pub plane: Option<PlaneName>,
    /// Cut into triangles; regular by default.
    pub pattern: Option<GridPattern>,
    /// Seed of the irregular pattern.
    pub seed: Option<u64>,
}

/// Flat disc of concentric rings. Groups: rim, centre.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiscMesh {
    /// Radius.
    pub radius: f64,
    /// Number of rings; ring k has 6k vertices.
    pub rings: u32,
    /// Plane; xy by default.
    pub plane: Option<PlaneName>,
}

/// Box. Groups: left, right (x), front, back (y), bottom, top (z).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BoxMesh {
    /// Edge lengths.
    pub size: [f64; 3],
    /// Number of cells along each edge.
    pub cells: [u32; 3],
}

/// Surface of a ball.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SphereMesh {
    /// Radius.
    pub radius: f64,
    /// Times that each triangle of an icosahedron is cut into four; 3 by default.
    pub subdivisions: Option<u32>,
    /// Vertices around the equator, instead of `subdivisions`.
    pub around: Option<u32>,
    /// Bands from pole to pole, with `around`; half of it by default.
    pub along: Option<u32>,
}

/// Ball of tets.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TetSphereMesh {
    /// Radius.
    pub radius: f64,
    /// Number of cells from the middle to the surface: 8 n³ tets.
    pub cells: u32,
}

/// Torus.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TorusMesh {
    /// Radius of the centre line.
    pub radius: f64,
    /// Radius of the tube.
    pub tube: f64,
    /// Cells around the axis.
    pub around: u32,
    /// Surface: cells around the tube. Tets: rings of the cross section.
    pub across: u32,
}

/// Cylinder. Groups: bottom, top.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CylinderMesh {
    /// Radius.
    pub radius: f64,
    /// Height along z.
    pub height: f64,
    /// Surface: cells around. Tets: rings of the cross section.
    pub around: u32,
    /// Cells along the height.
    pub along: u32,
    /// Whether the surface has lids; false by default (ignored for tets).
    pub closed: Option<bool>,
}

/// Surface of revolution about z. Groups: bottom (first ring), top (last ring).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LatheMesh {
    /// Points (radius, height) of a smooth curve, from below for normals outward; radius 0 at an
    /// end closes it.
    pub profile: Vec<[f64; 2]>,
    /// Cells around.
    pub around: u32,
    /// Cells along the curve.
    pub along: u32,
}

/// Stones of an arch along a catenary.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArchMesh {
    /// Distance between the feet of the centre line.
    pub span: f64,
    /// Height of the centre line.
    pub rise: f64,
    /// Number of stones, of eight vertices each.
    pub stones: u32,
    /// Width of the square section at the feet.
    pub foot: f64,
    /// Width of the square section at the top.
    pub crown: f64,
    /// Argument of the hyperbolic cosine at the feet; 4/3 by default, small ones make a parabola.
    pub sharpness: Option<f64>,
    /// How far neighbours are moved apart along x and z; 0 by default.
    pub spread: Option<f64>,
}

/// Capsule.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CapsuleMesh {
    /// Radius.
    pub radius: f64,
    /// Height of the straight part.
    pub height: f64,
    /// Cells around.
    pub around: u32,
    /// Cells along the straight part; each cap has a quarter of `around` bands.
    pub along: u32,
}

/// Straight strand. Groups: roots (first vertex), tips (last vertex).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RodMesh {
    /// First end; origin by default.
    pub start: Option<[f64; 3]>,
    /// Other end.
    pub end: [f64; 3],
    /// Number of segments.
    pub segments: u32,
}

/// Helical strand. Groups: roots, tips.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct HelixMesh {
    /// Radius.
    pub radius: f64,
    /// Rise per turn; negative goes down.
    pub pitch: f64,
    /// Number of turns; negative is left-handed.
    pub turns: f64,
    /// Number of segments.
    pub segments: u32,
    /// Radius at the far end as a fraction of `radius`; 1 by default.
    pub taper: Option<f64>,
    /// Axis; z by default.
    pub axis: Option<AxisName>,
}

/// Palm tree of triangles. Groups: bottom (foot of the trunk), leaves.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PalmMesh {
    /// Height of the trunk.
    pub height: f64,
    /// Radius of the trunk at its foot; 0.6 of it at the top.
    pub radius: f64,
    /// Number of leaves.
    pub leaves: u32,
    /// Length of a leaf along its midrib.
    pub leaf_length: f64,
    /// Largest width of a leaf.
    pub leaf_width: f64,
    /// Cells around and along the trunk.
    pub trunk_cells: [u32; 2],
    /// Cells along a leaf and across each of its halves.
    pub leaf_cells: [u32; 2],
    /// Angle through which a leaf bows down from root to tip, in degrees; 70 by default.
    pub droop: Option<f64>,
    /// Seed of the small differences between leaves.
    pub seed: Option<u64>,
}

/// Strands on a surface: hair, fur, grass. Groups: roots, tips.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GroomMesh {
    /// Surface that they grow from, in the same unit.
    pub on: Option<MeshSource>,
    /// Body that they grow on where it is placed, instead of `on`: their first segments are held to
    /// it as it moves and deforms.
    pub on_body: Option<String>,
    /// Stiffness that holds a root to its body [N/m]; that of its first segment, EA/l, by default.
    pub root_stiffness: Option<f64>,
    /// Number of strands.
    pub count: Option<u32>,
    /// Strands per area, instead of `count` [1/unit²].
    pub density: Option<f64>,
    /// Length along the strand.
    pub length: f64,
    /// Random part of the length, as a fraction; 0 by default.
    pub length_jitter: Option<f64>,
    /// Number of segments of each strand.
    pub segments: u32,
    /// Direction of growth mixed with the normal.
    pub direction: Option<[f64; 3]>,
    /// Weight of `direction` against the normal, 0 to 1; 0.5 by default when a direction is given.
    pub direction_weight: Option<f64>,
    /// Radius of curls; straight by default.
    pub curl_radius: Option<f64>,
    /// Rise per curl along the strand.
    pub curl_pitch: Option<f64>,
    /// Only roots where the dot product of normal and up (z) is at least this; −1 (everywhere) by
    /// default.
    pub min_up: Option<f64>,
    /// Seed.
    pub seed: Option<u64>,
}

/// Smooth strand through points (centripetal Catmull–Rom), cut into segments of equal length.
/// Groups: roots, tips.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PathMesh {
    /// Points that the strand passes through, at least two.
    pub points: Vec<[f64; 3]>,
    /// Number of segments.
    pub segments: u32,
}

/// Closed band. Groups: front (least y), back (largest y).
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BeltMesh {
    /// Radius of both circles.
    pub radius: f64,
    /// Distance of their centres along x.
    pub distance: f64,
    /// Width along y.
    pub width: f64,
    /// Cells around the loop.
    pub around: u32,
    /// Cells across the width.
    pub across: u32,
}

/// Lattice of tets. A body weighs as much as its tets, which reach beyond the surface.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TetLatticeMesh {
    /// Closed surface that it covers, in the same unit.
    pub around: MeshSource,
    /// Number of cubes along the longest side of the surface's bounds; six tets each.
    pub cells: u32,
}

/// Smooth union of balls and capsules: animals, heads, torsos.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlobsMesh {
    /// The parts.
    pub parts: Vec<BlobFile>,
    /// Width over which parts run into each other; half of the smallest radius by default.
    pub blend: Option<f64>,
    /// Cells along the longest side of the bounds.
    pub cells: u32,
}

/// A ball, or a capsule whose radius may change.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BlobFile {
    /// Centre of a ball, or one end of the axis.
    pub start: [f64; 3],
    /// Other end of the axis; a ball by default.
    pub end: Option<[f64; 3]>,
    /// Radius at `start`.
    pub radius: f64,
    /// Radius at `end`; the same by default.
    pub end_radius: Option<f64>,
}
