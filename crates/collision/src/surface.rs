//! What can touch: triangles, rod segments and free points over one vertex array, with thickness
//! and bodies.
//!
//! The tree works on *elements*: every triangle, every segment that is no side of a triangle, every
//! free point. Each vertex and each edge is owned by exactly one element, so that a pair of vertex
//! and triangle, or of two edges, is found once, through its owners. A free point is also an edge
//! of no length: edge–edge then covers it against rods and other points.
//!
//! Legal and handled: non-manifold edges (an edge is unique whatever its number of faces),
//! duplicate faces, unused vertices (they take no part), faces of zero area and edges of zero
//! length in the given positions. Refused with a [`SurfaceError`]: indices out of range, a face or
//! segment that names a vertex twice, wrong array lengths, thickness that is negative or not
//! finite.

use crate::excluded::ExcludedPairs;
use crate::half_thickness::{FeatureKind, HalfThickness};
use crate::{BroadPhase, narrow_phase};
use stiction_numerics::Vec3;

/// Stands for "no edge" and "no vertex" in elements with fewer than three.
pub const NONE: u32 = u32::MAX;

/// What the filters know of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyTraits {
    /// Whether the body may touch itself; false for rigid bodies.
    pub self_contact: bool,
    /// Whether its motion is prescribed; two prescribed bodies are never paired.
    pub prescribed: bool,
}

impl BodyTraits {
    /// A body that deforms and touches itself.
    pub const DEFORMABLE: Self = Self { self_contact: true, prescribed: false };
    /// A free rigid body.
    pub const RIGID: Self = Self { self_contact: false, prescribed: false };
    /// A collider with given motion.
    pub const PRESCRIBED: Self = Self { self_contact: false, prescribed: true };
}

/// Plain arrays from which a [`CollisionMesh`] is built. Thickness and body are per primitive.
#[derive(Clone, Debug, Default)]
pub struct MeshInput {
    /// Number of vertices that positions will have.
    pub vertex_count: usize,
    /// Corners of triangles.
    pub triangles: Vec<[u32; 3]>,
    /// Half-thickness \[m\] and body of every triangle.
    pub triangle_traits: Vec<(f64, u32)>,
    /// Ends of rod segments.
    pub segments: Vec<[u32; 2]>,
    /// Radius \[m\] and body of every segment.
    pub segment_traits: Vec<(f64, u32)>,
    /// Vertices that are free points.
    pub points: Vec<u32>,
    /// Radius \[m\] and body of every free point.
    pub point_traits: Vec<(f64, u32)>,
    /// The bodies that the primitives name.
    pub bodies: Vec<BodyTraits>,
    /// Pairs of bodies that never touch; a body with itself is allowed here.
    pub exempt: Vec<[u32; 2]>,
}

/// Why a mesh was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SurfaceError {
    /// An index points past the vertices.
    #[error("{object} {index} names vertex {vertex}, but there are {count} vertices; fix the index")]
    VertexOutOfRange {
        /// Kind of primitive.
        object: &'static str,
        /// Number of the primitive.
        index: usize,
        /// The offending vertex.
        vertex: u32,
        /// Number of vertices.
        count: usize,
    },
    /// A primitive names a vertex twice.
    #[error("{object} {index} names vertex {vertex} twice; remove the primitive")]
    RepeatedVertex {
        /// Kind of primitive.
        object: &'static str,
        /// Number of the primitive.
        index: usize,
        /// The repeated vertex.
        vertex: u32,
    },
    /// A list of traits has another length than its primitives.
    #[error("{found} thicknesses and bodies for {expected} {object}s; give one for each")]
    TraitCount {
        /// Kind of primitive.
        object: &'static str,
        /// Number of primitives.
        expected: usize,
        /// Number of traits.
        found: usize,
    },
    /// A half-thickness or radius is negative or not finite.
    #[error("{object} {index} has half-thickness {value} m; it must be finite and not negative")]
    Thickness {
        /// Kind of primitive.
        object: &'static str,
        /// Number of the primitive.
        index: usize,
        /// The value.
        value: f64,
    },
    /// A body index points past the bodies.
    #[error("{object} {index} belongs to body {body}, but there are {count} bodies; fix the body")]
    BodyOutOfRange {
        /// Kind of primitive.
        object: &'static str,
        /// Number of the primitive or exempt pair.
        index: usize,
        /// The offending body.
        body: u32,
        /// Number of bodies.
        count: usize,
    },
    /// There are more primitives than indices can name.
    #[error("{count} {object}s are too many; at most 2^29 are supported")]
    TooMany {
        /// Kind of primitive.
        object: &'static str,
        /// The number.
        count: usize,
    },
    /// The positions do not fit the mesh.
    #[error("{found} positions for a mesh of {expected} vertices; give one for each")]
    PositionCount {
        /// Vertices of the mesh.
        expected: usize,
        /// Length of the array.
        found: usize,
    },
    /// A position is not a number.
    #[error("vertex {vertex} is at a position that is not finite; check the state before collision")]
    Position {
        /// The vertex.
        vertex: usize,
    },
}

/// What owns vertices and edges, and sits in the tree.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SurfaceElement {
    /// Corners; a segment repeats its second end, a point its only vertex.
    pub vertices: [u32; 3],
    /// Edges, or [`NONE`].
    pub edges: [u32; 3],
    /// Triangle index, or [`NONE`].
    pub triangle: u32,
    pub body: u32,
    /// Bits 0–2: owned vertices; bits 3–5: owned edges.
    pub owned: u32,
}

/// Immutable connectivity, thickness and filters of everything that can touch.
#[derive(Clone, Debug)]
pub struct CollisionMesh {
    vertex_count: usize,
    triangles: Vec<[u32; 3]>,
    triangle_edges: Vec<[u32; 3]>,
    edges: Vec<[u32; 2]>,
    half_thickness: HalfThickness,
    vertex_body: Vec<u32>,
    edge_body: Vec<u32>,
    triangle_body: Vec<u32>,
    edge_is_rod: Vec<bool>,
    bodies: Vec<BodyTraits>,
    exempt: Vec<[u32; 2]>,
    /// What each triangle owns, as in [`SurfaceElement::owned`].
    owned_by_triangle: Vec<u8>,
    /// Elements that are no triangles.
    loose: Vec<SurfaceElement>,
    excluded_vertex_triangle: ExcludedPairs,
    excluded_edge_edge: ExcludedPairs,
    /// Body that each vertex is rooted in, or none; empty when no vertex is.
    rooted: Vec<u32>,
}

impl CollisionMesh {
    /// Checks the input and builds edges and owners.
    pub fn new(input: MeshInput) -> Result<Self, SurfaceError> {
        check(&input)?;
        let mut edges = unique_edges(&input);
        edges.shrink_to_fit();
        let edge_of = |a: u32, b: u32| {
            let key = [a.min(b), a.max(b)];
            edges.binary_search(&key).expect("every side was entered") as u32
        };
        let triangle_edges: Vec<[u32; 3]> =
            input.triangles.iter().map(|t| std::array::from_fn(|k| edge_of(t[k], t[(k + 1) % 3]))).collect();
        let segment_edges: Vec<u32> = input.segments.iter().map(|s| edge_of(s[0], s[1])).collect();
        let point_edges: Vec<u32> = input.points.iter().map(|&p| edge_of(p, p)).collect();
        let exempt = sorted_pairs(&input.exempt);
        let mut mesh = Self {
            vertex_count: input.vertex_count,
            half_thickness: HalfThickness::ByBody(Vec::new()),
            vertex_body: vec![NONE; input.vertex_count],
            edge_body: vec![NONE; edges.len()],
            triangle_body: input.triangle_traits.iter().map(|t| t.1).collect(),
            edge_is_rod: vec![false; edges.len()],
            bodies: input.bodies,
            exempt,
            owned_by_triangle: Vec::with_capacity(input.triangles.len()),
            loose: Vec::new(),
            excluded_vertex_triangle: ExcludedPairs::default(),
            excluded_edge_edge: ExcludedPairs::default(),
            rooted: Vec::new(),
            triangles: input.triangles,
            triangle_edges,
            edges,
        };
        let mut thickest = [vec![0.0; mesh.vertex_count], vec![0.0; mesh.edges.len()]];
        mesh.add_triangles(&input.triangle_traits, &mut thickest);
        mesh.add_edges(&segment_edges, &input.segment_traits, true, &mut thickest);
        mesh.add_edges(&point_edges, &input.point_traits, false, &mut thickest);
        let [vertices, edges] = thickest;
        let lists = [vertices, edges, input.triangle_traits.iter().map(|t| t.0).collect()];
        let bodies = [&mesh.vertex_body[..], &mesh.edge_body[..], &mesh.triangle_body[..]];
        mesh.half_thickness = HalfThickness::new(lists, bodies, mesh.bodies.len());
        Ok(mesh)
    }

    fn add_triangles(&mut self, traits: &[(f64, u32)], thickest: &mut [Vec<f64>; 2]) {
        for (index, &(thickness, body)) in traits.iter().enumerate() {
            let (vertices, edges) = (self.triangles[index], self.triangle_edges[index]);
            let mut owned = 0;
            for k in 0..3 {
                owned |= u8::from(claim(&mut self.vertex_body, vertices[k], body)) << k;
                owned |= u8::from(claim(&mut self.edge_body, edges[k], body)) << (3 + k);
                thicken(&mut thickest[0], vertices[k], thickness);
                thicken(&mut thickest[1], edges[k], thickness);
            }
            self.owned_by_triangle.push(owned);
        }
    }

    /// Segments and points. One that owns nothing (a side of a triangle) needs no element of its
    /// own.
    fn add_edges(
        &mut self,
        edges: &[u32],
        traits: &[(f64, u32)],
        are_rods: bool,
        thickest: &mut [Vec<f64>; 2],
    ) {
        for (&edge, &(thickness, body)) in edges.iter().zip(traits) {
            let [a, b] = self.edges[edge as usize];
            let mut owned = u32::from(claim(&mut self.vertex_body, a, body));
            owned |= u32::from(claim(&mut self.vertex_body, b, body)) << 1;
            owned |= u32::from(claim(&mut self.edge_body, edge, body)) << 3;
            [a, b].iter().for_each(|&v| thicken(&mut thickest[0], v, thickness));
            thicken(&mut thickest[1], edge, thickness);
            self.edge_is_rod[edge as usize] |= are_rods;
            if owned != 0 {
                let edges = [edge, NONE, NONE];
                self.loose.push(SurfaceElement { vertices: [a, b, b], edges, triangle: NONE, body, owned });
            }
        }
    }

    /// Number of elements: triangles first, then what belongs to none.
    pub(crate) fn element_count(&self) -> usize {
        self.triangles.len() + self.loose.len()
    }

    /// An element by its number.
    pub(crate) fn element(&self, index: usize) -> SurfaceElement {
        match index.checked_sub(self.triangles.len()) {
            Some(loose) => self.loose[loose],
            None => SurfaceElement {
                vertices: self.triangles[index],
                edges: self.triangle_edges[index],
                triangle: index as u32,
                body: self.triangle_body[index],
                owned: u32::from(self.owned_by_triangle[index]),
            },
        }
    }

    /// Number of vertices that positions must have.
    pub fn vertex_count(&self) -> usize {
        self.vertex_count
    }

    /// Corners of the triangles.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Edges of the triangles; edge `k` joins corners `k` and `k+1`.
    pub fn triangle_edges(&self) -> &[[u32; 3]] {
        &self.triangle_edges
    }

    /// Unique edges, smaller vertex first, sorted; a free point is an edge with equal ends.
    pub fn edges(&self) -> &[[u32; 2]] {
        &self.edges
    }

    /// Whether an edge is a rod segment.
    pub fn is_rod(&self, edge: u32) -> bool {
        self.edge_is_rod[edge as usize]
    }

    /// Half-thickness at a vertex \[m\]: the largest of the primitives around it.
    pub fn vertex_half_thickness(&self, vertex: u32) -> f64 {
        self.half_thickness.of(FeatureKind::Vertex, vertex, self.vertex_body[vertex as usize])
    }

    /// Half-thickness of an edge \[m\]: the largest of the primitives around it.
    pub fn edge_half_thickness(&self, edge: u32) -> f64 {
        self.half_thickness.of(FeatureKind::Edge, edge, self.edge_body[edge as usize])
    }

    /// Half-thickness of a triangle \[m\].
    pub fn triangle_half_thickness(&self, triangle: u32) -> f64 {
        self.half_thickness.of(FeatureKind::Triangle, triangle, self.triangle_body[triangle as usize])
    }

    /// Body of a vertex; `None` for an unused one.
    pub fn vertex_body(&self, vertex: u32) -> Option<u32> {
        Some(self.vertex_body[vertex as usize]).filter(|&body| body != NONE)
    }

    /// Body of an edge.
    pub fn edge_body(&self, edge: u32) -> u32 {
        self.edge_body[edge as usize]
    }

    /// Body of a triangle.
    pub fn triangle_body(&self, triangle: u32) -> u32 {
        self.triangle_body[triangle as usize]
    }

    /// The bodies.
    pub fn bodies(&self) -> &[BodyTraits] {
        &self.bodies
    }

    /// Whether primitives of these bodies may touch.
    #[inline]
    pub fn bodies_may_touch(&self, a: u32, b: u32) -> bool {
        let (of_a, of_b) = (&self.bodies[a as usize], &self.bodies[b as usize]);
        (a != b || of_a.self_contact)
            && !(of_a.prescribed && of_b.prescribed)
            && (self.exempt.is_empty() || self.exempt.binary_search(&[a.min(b), a.max(b)]).is_err())
    }

    #[inline]
    pub(crate) fn is_excluded_vertex_triangle(&self, vertex: u32, triangle: u32) -> bool {
        self.excluded_vertex_triangle.contains([vertex, triangle])
    }

    #[inline]
    pub(crate) fn is_excluded_edge_edge(&self, edges: [u32; 2]) -> bool {
        self.excluded_edge_edge.contains(edges)
    }

    /// Marks vertices as rooted in a body: they, and edges between two of them, never touch nor
    /// cross its triangles and edges. The first segment of a hair stands in its skin by design.
    pub fn set_rooted(&mut self, roots: &[(u32, u32)]) {
        self.rooted = if roots.is_empty() { Vec::new() } else { vec![NONE; self.vertex_count] };
        roots.iter().for_each(|&(vertex, body)| self.rooted[vertex as usize] = body);
    }

    /// Whether a vertex is rooted in a body.
    #[inline]
    pub fn is_rooted(&self, vertex: u32, body: u32) -> bool {
        !self.rooted.is_empty() && self.rooted[vertex as usize] == body
    }

    /// Whether both ends of an edge are rooted in a body.
    #[inline]
    pub(crate) fn is_edge_rooted(&self, ends: [u32; 2], body: u32) -> bool {
        !self.rooted.is_empty() && ends.iter().all(|&v| self.rooted[v as usize] == body)
    }

    /// Excludes pairs within one body that are closer than their thickness in the rest state: thick
    /// cloth with small triangles would otherwise push its own neighbours apart. Returns the number
    /// of pairs excluded.
    pub fn exclude_rest_neighbours(&mut self, rest: &[Vec3]) -> Result<usize, SurfaceError> {
        let candidates = BroadPhase::new(self, rest)?.proximity_candidates(self, rest, 0.0)?;
        let mut vertex_triangle = candidates.vertex_triangle;
        vertex_triangle.retain(|&[v, t]| {
            self.vertex_body[v as usize] == self.triangle_body(t)
                && narrow_phase::vertex_triangle_gap(self, rest, v, t) <= 0.0
        });
        let mut edge_edge = candidates.edge_edge;
        edge_edge.retain(|&[a, b]| {
            self.edge_body(a) == self.edge_body(b) && narrow_phase::edge_edge_gap(self, rest, a, b) <= 0.0
        });
        let found = vertex_triangle.len() + edge_edge.len();
        self.excluded_vertex_triangle.extend(vertex_triangle);
        self.excluded_edge_edge.extend(edge_edge);
        Ok(found)
    }

    /// Refuses positions of the wrong number or that are not finite.
    pub fn check_positions(&self, positions: &[Vec3]) -> Result<(), SurfaceError> {
        if positions.len() != self.vertex_count {
            return Err(SurfaceError::PositionCount { expected: self.vertex_count, found: positions.len() });
        }
        match positions.iter().position(|p| !(p.x + p.y + p.z).is_finite()) {
            Some(vertex) => Err(SurfaceError::Position { vertex }),
            None => Ok(()),
        }
    }
}

/// Whether a vertex or edge belonged to no body before; the first primitive owns.
fn claim(bodies: &mut [u32], feature: u32, body: u32) -> bool {
    let own = &mut bodies[feature as usize];
    let is_new = *own == NONE;
    if is_new {
        *own = body;
    }
    is_new
}

/// Thickness is the largest of the primitives around.
fn thicken(thickest: &mut [f64], feature: u32, thickness: f64) {
    let own = &mut thickest[feature as usize];
    *own = own.max(thickness);
}

fn sorted_pairs(pairs: &[[u32; 2]]) -> Vec<[u32; 2]> {
    let mut sorted: Vec<[u32; 2]> = pairs.iter().map(|&[a, b]| [a.min(b), a.max(b)]).collect();
    sorted.sort_unstable();
    sorted.dedup();
    sorted
}

fn unique_edges(input: &MeshInput) -> Vec<[u32; 2]> {
    let sides = input.triangles.iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]);
    let points = input.points.iter().map(|&p| [p, p]);
    sorted_pairs(&sides.chain(input.segments.iter().copied()).chain(points).collect::<Vec<_>>())
}

fn check(input: &MeshInput) -> Result<(), SurfaceError> {
    check_list("triangle", &input.triangles, &input.triangle_traits, input)?;
    check_list("segment", &input.segments, &input.segment_traits, input)?;
    let points: Vec<[u32; 1]> = input.points.iter().map(|&p| [p]).collect();
    check_list("point", &points, &input.point_traits, input)?;
    for (index, &body) in input.exempt.iter().flatten().enumerate() {
        check_body("exempt pair", index / 2, body, input)?;
    }
    Ok(())
}

fn check_body(object: &'static str, index: usize, body: u32, input: &MeshInput) -> Result<(), SurfaceError> {
    let count = input.bodies.len();
    if (body as usize) < count {
        return Ok(());
    }
    Err(SurfaceError::BodyOutOfRange { object, index, body, count })
}

fn check_list<const N: usize>(
    object: &'static str,
    list: &[[u32; N]],
    traits: &[(f64, u32)],
    input: &MeshInput,
) -> Result<(), SurfaceError> {
    if list.len() > 1 << 29 {
        return Err(SurfaceError::TooMany { object, count: list.len() });
    }
    if list.len() != traits.len() {
        return Err(SurfaceError::TraitCount { object, expected: list.len(), found: traits.len() });
    }
    for (index, corners) in list.iter().enumerate() {
        for (k, &vertex) in corners.iter().enumerate() {
            if vertex as usize >= input.vertex_count {
                return Err(SurfaceError::VertexOutOfRange {
                    object,
                    index,
                    vertex,
                    count: input.vertex_count,
                });
            }
            if corners[..k].contains(&vertex) {
                return Err(SurfaceError::RepeatedVertex { object, index, vertex });
            }
        }
        let (value, body) = traits[index];
        if !(value >= 0.0 && value.is_finite()) {
            return Err(SurfaceError::Thickness { object, index, value });
        }
        check_body(object, index, body, input)?;
    }
    Ok(())
}
