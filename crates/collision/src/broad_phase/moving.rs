//! Candidates of a motion whose ends are known up to a distance.
//!
//! A vertex moves straight from its start to some end within `reach` of a given one (in every
//! coordinate). It gets a box at the start and a box at the end; a pair is a candidate exactly when
//! its boxes cannot be told apart along one axis at both times ([`MovingBox`]). When only a few
//! vertices change their ends, [`BroadPhase::moving_pairs_of`] looks at their elements alone.

use super::sorted::PackedPair;
use super::{BroadPhase, CHUNK, Candidates, Found, Pairing, element_box, grown_box};
use crate::bvh::{Boxes, Extent, MovingBox};
use crate::surface::{CollisionMesh, SurfaceElement, SurfaceError};
use rayon::prelude::*;
use stiction_numerics::Vec3;

/// Parts of a search that one task looks through at least.
const PARTS: usize = 32;

/// Where vertices go.
#[derive(Clone, Copy, Debug)]
pub struct VertexTrajectories<'a> {
    /// Places at the start \[m\].
    pub start: &'a [Vec3],
    /// Middles of the places at the end \[m\].
    pub end: &'a [Vec3],
    /// How far from them a vertex may end, per coordinate \[m\].
    pub reach: &'a [Vec3],
    /// Pairs count that come this near beyond their thickness \[m\].
    pub gap: f64,
}

/// Boxes of vertices and of the tree over a motion.
#[derive(Clone, Debug, Default)]
pub(super) struct MovingBoxes {
    pub vertices: Vec<MovingBox>,
    tree: Boxes<MovingBox>,
}

impl MovingBoxes {
    pub fn memory_bytes(&self) -> usize {
        self.vertices.capacity() * size_of::<MovingBox>() + self.tree.memory_bytes()
    }
}

/// Pairs that may touch, in parts as they were found: most callers look closer first and sort what
/// is left.
pub struct MovingPairs {
    parts: Vec<Found>,
}

impl MovingPairs {
    /// All of them, sorted.
    pub fn candidates(self) -> Candidates {
        Candidates::from_parts(self.parts)
    }

    /// What is left of vertex–triangle pairs and of edge–edge pairs when each part goes through a
    /// sieve, in the place of what the two lists hold. The order is that of the tree: to sort long
    /// lists costs as much as to sieve them, and few of their pairs become contacts.
    pub fn sift_into<T: Copy + Send + Sync>(
        &self,
        (first, second): (&mut Vec<T>, &mut Vec<T>),
        vertex_triangle: impl Fn(&[PackedPair]) -> Vec<T> + Sync,
        edge_edge: impl Fn(&[PackedPair]) -> Vec<T> + Sync,
    ) {
        let (faces, edges): (Vec<_>, Vec<_>) =
            self.parts.par_iter().map(|(first, second)| (vertex_triangle(first), edge_edge(second))).unzip();
        rayon::join(|| refill(first, &faces), || refill(second, &edges));
    }
}

/// Puts all parts into a list, which keeps its memory: fresh memory for a long one costs as much as
/// the copy.
fn refill<T: Copy>(all: &mut Vec<T>, parts: &[Vec<T>]) {
    all.clear();
    all.reserve_exact(parts.iter().map(Vec::len).sum());
    parts.iter().for_each(|part| all.extend_from_slice(part));
}

impl BroadPhase {
    /// Pairs whose gap (distance less both half-thicknesses) may fall to that of the ways on some
    /// of them.
    pub fn moving_pairs(
        &mut self,
        mesh: &CollisionMesh,
        ways: &VertexTrajectories<'_>,
    ) -> Result<MovingPairs, SurfaceError> {
        mesh.check_positions(ways.end)?;
        self.refit(mesh, ways.start, ways.gap)?;
        self.fit_moving(mesh, ways);
        let pairing = self.moving_pairing(mesh);
        let emit = |i: usize, j: usize, found: &mut Found| pairing.emit(i, j, found);
        let may_meet = |a, b| mesh.bodies_may_touch(a, b);
        let parts =
            self.tree.self_pairs_in(&self.moving.tree, None, may_meet, Default::default, emit, |part| part);
        Ok(MovingPairs { parts })
    }

    /// Those of them that have a changed vertex, after [`BroadPhase::moving_pairs`] from the same
    /// start.
    pub fn moving_pairs_of(
        &mut self,
        mesh: &CollisionMesh,
        ways: &VertexTrajectories<'_>,
        is_changed: &[bool],
    ) -> Result<MovingPairs, SurfaceError> {
        mesh.check_positions(ways.end)?;
        let changed = |element: &SurfaceElement| element.vertices.iter().any(|&v| is_changed[v as usize]);
        let all = (0..self.elements.len()).into_par_iter().with_min_len(CHUNK);
        let positions: Vec<usize> = all.filter(|&i| changed(&self.elements[i])).collect();
        if self.moving.vertices.is_empty() {
            self.fit_moving(mesh, ways);
        } else {
            self.refit_moving(mesh, ways, is_changed, &positions);
        }
        let pairing = self.moving_pairing(mesh);
        let marks = self.tree.marks(&positions);
        let emit = |i: usize, j: usize, found: &mut Found| {
            if marks.element(i) || marks.element(j) {
                pairing.emit(i, j, found);
            }
        };
        let may_meet = |a, b| mesh.bodies_may_touch(a, b);
        let tree = &self.moving.tree;
        let mut parts =
            self.tree.self_pairs_in(tree, Some(&marks), may_meet, Found::default, emit, |part| part);
        // An element may own edges and vertices beside its changed ones.
        let any = |vertices: &[u32]| vertices.iter().any(|&v| is_changed[v as usize]);
        parts.par_iter_mut().with_min_len(PARTS).for_each(|(vertex_triangle, edge_edge)| {
            vertex_triangle.retain(|pair| {
                let [v, t] = pair.features();
                any(&[v]) || any(&mesh.triangles()[t as usize])
            });
            edge_edge.retain(|pair| pair.features().iter().any(|&e| any(&mesh.edges()[e as usize])));
        });
        Ok(MovingPairs { parts })
    }

    fn moving_pairing<'a>(&'a self, mesh: &'a CollisionMesh) -> Pairing<'a, MovingBox> {
        let MovingBoxes { vertices, tree } = &self.moving;
        Pairing { mesh, elements: &self.elements, vertices, boxes: tree }
    }

    fn fit_moving(&mut self, mesh: &CollisionMesh, ways: &VertexTrajectories<'_>) {
        self.set_moving_boxes(mesh, ways, |_| true);
        let MovingBoxes { vertices, tree } = &mut self.moving;
        let elements = &self.elements;
        self.tree.fit(tree, |position| element_box(&elements[position], vertices));
    }

    /// The same where only some vertices have other ends than before; `positions` are those of
    /// their elements.
    fn refit_moving(
        &mut self,
        mesh: &CollisionMesh,
        ways: &VertexTrajectories<'_>,
        is_changed: &[bool],
        positions: &[usize],
    ) {
        self.set_moving_boxes(mesh, ways, |v| is_changed[v]);
        let MovingBoxes { vertices, tree } = &mut self.moving;
        let elements = &self.elements;
        self.tree.fit_at(tree, positions, |position| element_box(&elements[position], vertices));
    }

    pub(super) fn set_moving_boxes(
        &mut self,
        mesh: &CollisionMesh,
        ways: &VertexTrajectories<'_>,
        is_wanted: impl Fn(usize) -> bool + Sync,
    ) {
        let origin = self.origin;
        let boxes = &mut self.moving.vertices;
        boxes.resize(mesh.vertex_count(), MovingBox::EMPTY);
        boxes.par_chunks_mut(CHUNK).enumerate().for_each(|(number, part)| {
            for (k, slot) in part.iter_mut().enumerate() {
                let v = number * CHUNK + k;
                if !is_wanted(v) {
                    continue;
                }
                let (p, q, reach) = (&ways.start[v], &ways.end[v], &ways.reach[v]);
                let half = mesh.vertex_half_thickness(v as u32) + 0.5 * ways.gap;
                let start = grown_box(p, p, half, &origin);
                *slot = MovingBox::new(&start, &grown_box(&(q - reach), &(q + reach), half, &origin));
            }
        });
    }
}
