//! Candidate pairs: what may touch, found through boxes.
//!
//! Each vertex gets a box: its position, or its start and end for a motion, grown by half the gap
//! and its half-thickness. An edge's or triangle's box is the union of its vertices' boxes, and a
//! pair is a *candidate* exactly when the boxes overlap and no filter forbids it. The tree and the
//! brute-force twin share this definition, so their outputs are equal, not just equivalent. As the
//! motion is linear and the hull convex, the union of the boxes at both ends covers the motion.
//!
//! One tree over elements serves all kinds. At a pair of elements each vertex and edge acts only in
//! the element that owns it; separate trees for vertices and edges would be walked three times and
//! hold three times the boxes.

pub mod brute_force;
mod moving;
mod pairing;
mod sorted;

pub use moving::{MovingPairs, VertexTrajectories};
pub use sorted::PackedPair;

use crate::bvh::{Box32, Bvh, Extent};
use crate::surface::{CollisionMesh, SurfaceElement, SurfaceError};
use moving::MovingBoxes;
use pairing::{Found, Pairing, element_box};
use rayon::prelude::*;
use sorted::sorted_pairs;
use stiction_numerics::Vec3;

/// A refitted tree is rebuilt when its cost has grown by this factor.
const REBUILD_AT: f64 = 1.6;

/// Vertices per parallel piece of work.
const CHUNK: usize = 4096;

/// Pairs that may touch, each list sorted and without duplicates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Candidates {
    /// Vertex and triangle.
    pub vertex_triangle: Vec<[u32; 2]>,
    /// Two edges, smaller number first.
    pub edge_edge: Vec<[u32; 2]>,
}

impl Candidates {
    /// Number of pairs of both kinds.
    pub fn len(&self) -> usize {
        self.vertex_triangle.len() + self.edge_edge.len()
    }

    /// Whether there is no pair at all.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Sorts vertex–triangle and edge–edge pairs of many parts, each of them once.
    pub fn from_parts(parts: Vec<(Vec<PackedPair>, Vec<PackedPair>)>) -> Candidates {
        let (vertex_triangle, edge_edge): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        let (vertex_triangle, edge_edge) =
            rayon::join(|| sorted_pairs(&vertex_triangle), || sorted_pairs(&edge_edge));
        Candidates { vertex_triangle, edge_edge }
    }
}

/// Tree and boxes that persist over steps.
#[derive(Clone, Debug)]
pub struct BroadPhase {
    tree: Bvh,
    /// Elements in tree order.
    elements: Vec<SurfaceElement>,
    vertex_count: usize,
    vertex_boxes: Vec<Box32>,
    moving: MovingBoxes,
    /// Subtracted before rounding to `f32`, so that a scene far from zero keeps its digits.
    origin: Vec3,
    rebuilds: usize,
}

impl BroadPhase {
    /// Builds the tree for a mesh at these positions.
    pub fn new(mesh: &CollisionMesh, positions: &[Vec3]) -> Result<Self, SurfaceError> {
        mesh.check_positions(positions)?;
        let mut phase = Self {
            tree: Bvh::build(&[], |_| 0),
            elements: Vec::new(),
            vertex_count: mesh.vertex_count(),
            vertex_boxes: Vec::new(),
            moving: MovingBoxes::default(),
            origin: centre(positions),
            rebuilds: 0,
        };
        phase.set_vertex_boxes(mesh, |v| [positions[v]; 2], 0.0);
        phase.rebuild(mesh);
        Ok(phase)
    }

    /// Pairs whose gap (distance less both half-thicknesses) may be at most `gap` \[m\].
    pub fn proximity_candidates(
        &mut self,
        mesh: &CollisionMesh,
        positions: &[Vec3],
        gap: f64,
    ) -> Result<Candidates, SurfaceError> {
        self.refit(mesh, positions, gap)?;
        Ok(self.candidates(mesh))
    }

    /// Pairs whose gap may fall to `gap` \[m\] at some time while every vertex moves straight from
    /// `start` to `end`.
    pub fn swept_candidates(
        &mut self,
        mesh: &CollisionMesh,
        start: &[Vec3],
        end: &[Vec3],
        gap: f64,
    ) -> Result<Candidates, SurfaceError> {
        mesh.check_positions(start)?;
        mesh.check_positions(end)?;
        self.update(mesh, |v| hull(&start[v], &end[v]), gap);
        Ok(self.candidates(mesh))
    }

    /// Pairs whose gap may fall to `gap` \[m\] while every vertex stays between two corners, lowest
    /// and highest \[m\]: vertex–triangle and edge–edge pairs of one part of the tree after the
    /// other, each of them once, handed on as soon as the part is done. What becomes of them, in a
    /// fixed order.
    pub fn boxed_parts<T: Send>(
        &mut self,
        mesh: &CollisionMesh,
        corners: impl Fn(usize) -> [Vec3; 2] + Sync,
        gap: f64,
        take: impl Fn((Vec<PackedPair>, Vec<PackedPair>)) -> T + Sync,
    ) -> Result<Vec<T>, SurfaceError> {
        let is_finite = |vertex: usize| corners(vertex).iter().all(|c| c.sum().is_finite());
        if let Some(vertex) = (0..mesh.vertex_count()).find(|&vertex| !is_finite(vertex)) {
            return Err(SurfaceError::Position { vertex });
        }
        self.update(mesh, corners, gap);
        Ok(self.parts(mesh, take))
    }

    /// Edges and triangles whose mid-surfaces may cross, thickness and rest-state exclusions left aside:
    /// the pairs of one part of the tree after the other, each of them once, handed on as soon as the part
    /// is done. What becomes of them, in a fixed order.
    pub fn crossing_parts<T: Send>(
        &mut self,
        mesh: &CollisionMesh,
        positions: &[Vec3],
        take: impl Fn(Vec<PackedPair>) -> T + Sync,
    ) -> Result<Vec<T>, SurfaceError> {
        mesh.check_positions(positions)?;
        if mesh.triangles().is_empty() {
            return Ok(Vec::new());
        }
        self.fill_vertex_boxes(|v| [positions[v]; 2], |_| 0.0);
        self.refit_tree(mesh);
        let may_meet = |a, b| mesh.bodies_may_touch(a, b);
        let pairing = self.pairing(mesh);
        let emit = |i: usize, j: usize, found: &mut Vec<PackedPair>| {
            let (a, b) = (&self.elements[i], &self.elements[j]);
            if mesh.bodies_may_touch(a.body, b.body) {
                pairing.emit_edge_triangle(a, b, j, found);
                pairing.emit_edge_triangle(b, a, i, found);
            }
        };
        Ok(self.tree.self_pairs_in(self.tree.boxes(), None, may_meet, Vec::new, emit, take))
    }

    /// Moves the boxes to these positions, grown for `gap` \[m\], without a query.
    pub fn refit(&mut self, mesh: &CollisionMesh, positions: &[Vec3], gap: f64) -> Result<(), SurfaceError> {
        mesh.check_positions(positions)?;
        self.update(mesh, |v| [positions[v]; 2], gap);
        Ok(())
    }

    /// Frees the boxes until the next query or refit, which makes them again; the tree keeps its shape.
    /// For a tree that is soon asked again: elements stay.
    pub fn release_boxes(&mut self) {
        (self.vertex_boxes, self.moving) = (Vec::new(), MovingBoxes::default());
        self.tree.release_boxes();
    }

    /// Frees boxes and elements until the next query or refit, for a tree that is asked once a step: what
    /// stays is the shape of the tree, 6 bytes per element.
    pub fn release(&mut self) {
        self.release_boxes();
        self.elements = Vec::new();
    }

    /// The tree, for queries of one's own.
    pub fn tree(&self) -> &Bvh {
        &self.tree
    }

    /// How often the tree was built.
    pub fn rebuilds(&self) -> usize {
        self.rebuilds
    }

    /// Bytes held beside the mesh.
    pub fn memory_bytes(&self) -> usize {
        self.tree.memory_bytes()
            + self.elements.capacity() * size_of::<SurfaceElement>()
            + self.vertex_boxes.capacity() * size_of::<Box32>()
            + self.moving.memory_bytes()
    }

    /// A point in the coordinates of the boxes.
    pub fn to_box_coordinates(&self, p: &Vec3) -> [f32; 3] {
        std::array::from_fn(|k| (p[k] - self.origin[k]) as f32)
    }

    pub(crate) fn element(&self, position: usize) -> &SurfaceElement {
        &self.elements[position]
    }

    fn update(&mut self, mesh: &CollisionMesh, corners: impl Fn(usize) -> [Vec3; 2] + Sync, gap: f64) {
        self.set_vertex_boxes(mesh, corners, gap);
        self.refit_tree(mesh);
    }

    fn refit_tree(&mut self, mesh: &CollisionMesh) {
        if self.elements.is_empty() {
            self.gather_elements(mesh);
        }
        let (elements, boxes) = (&self.elements, &self.vertex_boxes);
        self.tree.refit(|position| element_box(&elements[position], boxes));
        if self.tree.degradation() > REBUILD_AT {
            self.rebuild(mesh);
        }
    }

    fn rebuild(&mut self, mesh: &CollisionMesh) {
        let own_box = |element: usize| element_box(&mesh.element(element), &self.vertex_boxes);
        let boxes: Vec<Box32> = (0..mesh.element_count()).map(own_box).collect();
        self.tree = Bvh::build(&boxes, |element| mesh.element(element as usize).body);
        self.gather_elements(mesh);
        self.rebuilds += 1;
        // They were in the order of the old tree.
        self.moving = MovingBoxes::default();
    }

    /// Puts the elements into the order of the tree.
    fn gather_elements(&mut self, mesh: &CollisionMesh) {
        self.elements = self.tree.order().iter().map(|&e| mesh.element(e as usize)).collect();
    }

    fn set_vertex_boxes(
        &mut self,
        mesh: &CollisionMesh,
        corners: impl Fn(usize) -> [Vec3; 2] + Sync,
        gap: f64,
    ) {
        self.fill_vertex_boxes(corners, |v| mesh.vertex_half_thickness(v as u32) + 0.5 * gap);
    }

    fn fill_vertex_boxes(
        &mut self,
        corners: impl Fn(usize) -> [Vec3; 2] + Sync,
        reach: impl Fn(usize) -> f64 + Sync,
    ) {
        let origin = self.origin;
        self.vertex_boxes.resize(self.vertex_count, Box32::EMPTY);
        self.vertex_boxes.par_chunks_mut(CHUNK).enumerate().for_each(|(number, boxes)| {
            for (k, slot) in boxes.iter_mut().enumerate() {
                let v = number * CHUNK + k;
                let [low, high] = corners(v);
                *slot = grown_box(&low, &high, reach(v), &origin);
            }
        });
    }

    fn pairing<'a>(&'a self, mesh: &'a CollisionMesh) -> Pairing<'a, Box32> {
        Pairing { mesh, elements: &self.elements, vertices: &self.vertex_boxes, boxes: self.tree.boxes() }
    }

    fn candidates(&self, mesh: &CollisionMesh) -> Candidates {
        Candidates::from_parts(self.parts(mesh, |part| part))
    }

    fn parts<T: Send>(&self, mesh: &CollisionMesh, take: impl Fn(Found) -> T + Sync) -> Vec<T> {
        let pairing = self.pairing(mesh);
        let emit = |i: usize, j: usize, found: &mut Found| pairing.emit(i, j, found);
        let may_meet = |a, b| mesh.bodies_may_touch(a, b);
        self.tree.self_pairs_in(self.tree.boxes(), None, may_meet, Default::default, emit, take)
    }
}

/// Lowest and highest corner of a straight way.
#[inline]
fn hull(start: &Vec3, end: &Vec3) -> [Vec3; 2] {
    [start.inf(end), start.sup(end)]
}

/// A box around `lo..hi` grown by `reach` \[m\]. Two primitives within reach r_a + r_b have boxes
/// that overlap when each is grown by its r. The sums round, by less than 2⁻⁵² of the largest
/// coordinate each: the growth is raised by four times that.
#[inline]
fn grown_box(lo: &Vec3, hi: &Vec3, reach: f64, origin: &Vec3) -> Box32 {
    let largest = lo.amax().max(hi.amax()) + origin.amax();
    let grow = reach + 4.0 * f64::EPSILON * largest;
    Box32 {
        lo: std::array::from_fn(|k| (lo[k] - origin[k] - grow) as f32),
        hi: std::array::from_fn(|k| (hi[k] - origin[k] + grow) as f32),
    }
}

fn centre(positions: &[Vec3]) -> Vec3 {
    let Some(first) = positions.first() else { return Vec3::zeros() };
    let (lo, hi) = positions.iter().fold((*first, *first), |(lo, hi), p| (lo.inf(p), hi.sup(p)));
    (lo + hi) * 0.5
}
