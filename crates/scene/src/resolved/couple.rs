//! What holds bodies: pins, springs, roots, stitches.

use crate::motion::Motion;
use stiction_numerics::Vec3;

/// Prescribed vertices.
#[derive(Clone, Debug, PartialEq)]
pub struct Pin {
    /// Vertices, ascending.
    pub vertices: Vec<u32>,
    /// How they move from their initial places.
    pub motion: Motion,
    /// Collider whose motion this is, if the pin follows one.
    pub follow: Option<usize>,
    /// Times during which the pin holds [s], ascending and apart; empty means always.
    pub active: Vec<(f64, f64)>,
    /// Spring stiffness per vertex [N/m]; `None` holds exactly.
    pub stiffness: Option<f64>,
    /// Whether rod edges between two pinned vertices keep (and turn with) their material frame, and
    /// shell edges beside pinned triangles their normal.
    pub hold_twist: bool,
}

impl Pin {
    /// Whether the pin holds at a time; intervals are closed at the start and open at the end.
    pub fn is_active(&self, time: f64) -> bool {
        is_active(&self.active, time)
    }
}

/// Whether a time falls in one of the intervals `[a, b)`; an empty list means always.
pub fn is_active(intervals: &[(f64, f64)], time: f64) -> bool {
    intervals.is_empty() || intervals.iter().any(|&(a, b)| a <= time && time < b)
}

/// Springs from vertices of one body to fixed material points elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct Attachment {
    /// Index of the body in `Scene::bodies`.
    pub body: usize,
    /// Attached points, each over the vertices of the body (nodes of its frames).
    pub points: Vec<WeightedPoint>,
    /// One target point per attached point.
    pub target: AttachmentTarget,
    /// Stiffness per vertex [N/m].
    pub stiffness: f64,
    /// Offset kept between vertex and target: `false` pulls them together.
    pub keep_offset: bool,
    /// Times during which it holds [s]; empty means always.
    pub active: Vec<(f64, f64)>,
}

/// What vertices are attached to, one point for each.
#[derive(Clone, Debug, PartialEq)]
pub enum AttachmentTarget {
    /// Material points of a body.
    Body {
        /// Index in `Scene::bodies`.
        body: usize,
        /// Points.
        points: Vec<WeightedPoint>,
    },
    /// Points that move with a collider, at their place at time zero [m].
    Collider {
        /// Index in `Scene::colliders`.
        collider: usize,
        /// Points in the world at time zero.
        points: Vec<Vec3>,
    },
}

/// A material point: Σ weight · vertex, weights sum to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct WeightedPoint {
    /// Pairs of vertex index and weight.
    pub terms: Vec<(u32, f64)>,
}

/// Strands of a body that are rooted in another one.
#[derive(Clone, Debug, PartialEq)]
pub struct Rooting {
    /// Index of the body of strands.
    pub body: usize,
    /// Index of the body that they grow on.
    pub ground: usize,
    /// Stiffness that holds the roots [N/m]; `None` takes that of each first segment.
    pub stiffness: Option<f64>,
    /// One root per strand.
    pub roots: Vec<Root>,
}

/// The root of a strand: its first segment follows the ground in place and direction.
#[derive(Clone, Debug, PartialEq)]
pub struct Root {
    /// First and second vertex of the strand.
    pub vertices: [u32; 2],
    /// Where the first vertex sits, over the vertices of the ground.
    pub seat: WeightedPoint,
    /// Where the second vertex is held, over the vertices of the ground (less `raised`).
    pub ahead: WeightedPoint,
    /// Over a shell: the triangle above which the second vertex stands, and how far along its
    /// normal [m].
    pub raised: Option<([u32; 3], f64)>,
    /// Length of the first segment at the start [m].
    pub length: f64,
}

/// A sewing spring between two material points.
#[derive(Clone, Debug, PartialEq)]
pub struct Stitch {
    /// Number of the table in the scene that sews it; a table may sew many.
    pub table: usize,
    /// Index of the first body.
    pub body_a: usize,
    /// Point of the first body.
    pub point_a: WeightedPoint,
    /// Index of the second body; may be the same.
    pub body_b: usize,
    /// Point of the second body.
    pub point_b: WeightedPoint,
    /// Stiffness [N/m].
    pub stiffness: f64,
    /// Length at which it is free of force [m].
    pub rest_length: f64,
    /// Times during which it pulls [s]; empty means always.
    pub active: Vec<(f64, f64)>,
}

/// A body or a collider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Surface {
    /// Index in `Scene::bodies`.
    Body(usize),
    /// Index in `Scene::colliders`.
    Collider(usize),
}
