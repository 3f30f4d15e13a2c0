//! Geometry: meshes, surfaces carried by other vertices, frames.

use super::WeightedPoint;
use stiction_numerics::{Vec2, Vec3};

/// Geometry with its cells; vertex order is the order of the file.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// Initial positions [m].
    pub vertices: Vec<Vec3>,
    /// Cells.
    pub cells: Cells,
    /// One pattern coordinate per vertex, if known; in metres for generators.
    pub uv: Option<Vec<Vec2>>,
    /// Positions without stress where they differ from `vertices` [m].
    pub rest_vertices: Option<Vec<Vec3>>,
    /// File or generator, for messages.
    pub source: String,
}

/// Cells of a mesh.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cells {
    /// Triangles, counter-clockwise seen from outside.
    Triangles(Vec<[u32; 3]>),
    /// Tets with positive volume: (b−a)·((c−a)×(d−a)) > 0.
    Tets(Vec<[u32; 4]>),
    /// Polylines of at least two vertices; equal ends mean a closed loop.
    Strands(Vec<Vec<u32>>),
}

impl Cells {
    /// Number of triangles, tets or strands.
    pub fn len(&self) -> usize {
        match self {
            Cells::Triangles(c) => c.len(),
            Cells::Tets(c) => c.len(),
            Cells::Strands(c) => c.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A surface whose vertices are fixed linear combinations of the vertices of a body (tet corners,
/// nodes of frames).
#[derive(Clone, Debug, PartialEq)]
pub struct EmbeddedSurface {
    /// The surface, triangles only, at its initial place.
    pub mesh: Mesh,
    /// What carries each surface vertex; weights may be negative outside of a tet.
    pub carriers: Vec<WeightedPoint>,
    /// Largest distance of a surface vertex outside the tet mesh [m].
    pub max_outside: f64,
}

impl EmbeddedSurface {
    /// A point given over surface vertices, as one over the vertices that carry them.
    pub fn carried(&self, point: &WeightedPoint) -> WeightedPoint {
        let mut terms: Vec<(u32, f64)> = Vec::new();
        for &(vertex, weight) in &point.terms {
            for &(node, w) in &self.carriers[vertex as usize].terms {
                match terms.iter_mut().find(|t| t.0 == node) {
                    Some(term) => term.1 += weight * w,
                    None => terms.push((node, weight * w)),
                }
            }
        }
        WeightedPoint { terms }
    }
}

/// The affine frames of a body; nodes 4f to 4f + 3 belong to frame f.
#[derive(Clone, Debug, PartialEq)]
pub struct Frames {
    /// Centre of each frame [m].
    pub centres: Vec<Vec3>,
    /// Share of the body's volume in each node [m³].
    pub node_volumes: Vec<f64>,
    /// Where the body is elastic.
    pub points: Vec<MaterialPoint>,
}

/// A point of an elastic material whose deformation gradient is F = Σ x_a g_aᵀ.
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialPoint {
    /// Nodes a.
    pub nodes: Vec<u32>,
    /// Shape gradients g_a at rest [1/m]; they sum to zero.
    pub gradients: Vec<Vec3>,
    /// Volume that the point stands for [m³].
    pub volume: f64,
}
