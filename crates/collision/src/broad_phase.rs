//! Candidate pairs: what may touch, found through boxes.
//!
//! Each vertex gets a box: its position, or its start and end for a motion, grown by half the gap and its
//! half-thickness. An edge's or triangle's box is the union of its vertices' boxes, and a pair is a
//! *candidate* exactly when the boxes overlap and no filter forbids it. The tree and the brute-force twin
//! share this definition, so their outputs are equal, not just equivalent. As the motion is linear and the
//! hull convex, the union of the boxes at both ends covers the motion.
//!
//! One tree over elements serves all kinds. At a pair of elements each vertex and edge acts only in the
//! element that owns it; separate trees for vertices and edges would be walked three times and hold three
//! times the boxes.

use crate::bvh::{Box32, Bvh};
use crate::surface::{CollisionMesh, Element, MeshError, NONE};
use rayon::prelude::*;
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
}

/// Tree and boxes that persist over steps.
#[derive(Clone, Debug)]
pub struct BroadPhase {
    tree: Bvh,
    /// Elements in tree order.
    elements: Vec<Element>,
    vertex_boxes: Vec<Box32>,
    /// Subtracted before rounding to `f32`, so that a scene far from zero keeps its digits.
    origin: Vec3,
    rebuilds: usize,
}

impl BroadPhase {
    /// Builds the tree for a mesh at these positions.
    pub fn new(mesh: &CollisionMesh, positions: &[Vec3]) -> Result<Self, MeshError> {
        mesh.check_positions(positions)?;
        let mut phase = Self {
            tree: Bvh::build(&[], |_| 0),
            elements: Vec::new(),
            vertex_boxes: vec![Box32::EMPTY; mesh.vertex_count()],
            origin: centre(positions),
            rebuilds: 0,
        };
        phase.set_vertex_boxes(mesh, positions, positions, 0.0);
        phase.rebuild(mesh);
        Ok(phase)
    }

    /// Pairs whose gap (distance less both half-thicknesses) may be at most `gap` \[m\].
    pub fn proximity_candidates(
        &mut self,
        mesh: &CollisionMesh,
        positions: &[Vec3],
        gap: f64,
    ) -> Result<Candidates, MeshError> {
        self.refit(mesh, positions, gap)?;
        Ok(self.candidates(mesh))
    }

    /// Pairs whose gap may fall to `gap` \[m\] at some time while every vertex moves straight from `start`
    /// to `end`.
    pub fn swept_candidates(
        &mut self,
        mesh: &CollisionMesh,
        start: &[Vec3],
        end: &[Vec3],
        gap: f64,
    ) -> Result<Candidates, MeshError> {
        mesh.check_positions(start)?;
        mesh.check_positions(end)?;
        self.update(mesh, start, end, gap);
        Ok(self.candidates(mesh))
    }

    /// Edges and triangles whose mid-surfaces may cross, thickness and rest-state exclusions left aside.
    pub fn crossing_candidates(
        &mut self,
        mesh: &CollisionMesh,
        positions: &[Vec3],
    ) -> Result<Vec<[u32; 2]>, MeshError> {
        mesh.check_positions(positions)?;
        self.fill_vertex_boxes(positions, positions, |_| 0.0);
        self.refit_tree(mesh);
        let may_meet = |a, b| mesh.bodies_may_touch(a, b);
        let parts = self.tree.self_pairs(may_meet, Vec::new, |i, j, found: &mut Vec<u64>| {
            let (a, b) = (&self.elements[i], &self.elements[j]);
            if mesh.bodies_may_touch(a.body, b.body) {
                emit_edge_triangle(self, mesh, a, b, j, found);
                emit_edge_triangle(self, mesh, b, a, i, found);
            }
        });
        Ok(sorted(parts))
    }

    /// Moves the boxes to these positions, grown for `gap` \[m\], without a query.
    pub fn refit(&mut self, mesh: &CollisionMesh, positions: &[Vec3], gap: f64) -> Result<(), MeshError> {
        mesh.check_positions(positions)?;
        self.update(mesh, positions, positions, gap);
        Ok(())
    }

    /// Moves the boxes of the vertices alone to a motion, for [`Self::vertex_meets_triangle`] and [`Self::edges_meet`]; the tree
    /// stays as it was.
    pub fn place_vertices(
        &mut self,
        mesh: &CollisionMesh,
        start: &[Vec3],
        end: &[Vec3],
        gap: f64,
    ) -> Result<(), MeshError> {
        mesh.check_positions(start)?;
        mesh.check_positions(end)?;
        self.set_vertex_boxes(mesh, start, end, gap);
        Ok(())
    }

    /// Whether the boxes of a vertex and a triangle overlap.
    #[inline]
    pub fn vertex_meets_triangle(&self, mesh: &CollisionMesh, vertex: u32, triangle: u32) -> bool {
        let [a, b, c] = mesh.triangles()[triangle as usize].map(|v| &self.vertex_boxes[v as usize]);
        self.vertex_boxes[vertex as usize].overlaps(&a.union(b).union(c))
    }

    /// Whether the boxes of two edges overlap.
    #[inline]
    pub fn edges_meet(&self, mesh: &CollisionMesh, first: u32, second: u32) -> bool {
        self.edge_box(mesh.edges()[first as usize]).overlaps(&self.edge_box(mesh.edges()[second as usize]))
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
            + self.elements.capacity() * size_of::<Element>()
            + self.vertex_boxes.capacity() * size_of::<Box32>()
    }

    /// A point in the coordinates of the boxes.
    pub fn to_box_coordinates(&self, p: &Vec3) -> [f32; 3] {
        std::array::from_fn(|k| (p[k] - self.origin[k]) as f32)
    }

    pub(crate) fn element(&self, position: usize) -> &Element {
        &self.elements[position]
    }

    fn update(&mut self, mesh: &CollisionMesh, start: &[Vec3], end: &[Vec3], gap: f64) {
        self.set_vertex_boxes(mesh, start, end, gap);
        self.refit_tree(mesh);
    }

    fn refit_tree(&mut self, mesh: &CollisionMesh) {
        let (elements, boxes) = (&self.elements, &self.vertex_boxes);
        self.tree.refit(|position| element_box(&elements[position], boxes));
        if self.tree.degradation() > REBUILD_AT {
            self.rebuild(mesh);
        }
    }

    fn rebuild(&mut self, mesh: &CollisionMesh) {
        let boxes: Vec<Box32> =
            mesh.elements.iter().map(|element| element_box(element, &self.vertex_boxes)).collect();
        self.tree = Bvh::build(&boxes, |element| mesh.elements[element as usize].body);
        self.elements = self.tree.order().iter().map(|&e| mesh.elements[e as usize]).collect();
        self.rebuilds += 1;
    }

    fn set_vertex_boxes(&mut self, mesh: &CollisionMesh, start: &[Vec3], end: &[Vec3], gap: f64) {
        self.fill_vertex_boxes(start, end, |v| mesh.vertex_half_thickness(v as u32) + 0.5 * gap);
    }

    /// Two primitives within reach r_a + r_b have boxes that overlap when each is grown by its r. The sums
    /// round, by less than 2⁻⁵² of the largest coordinate each: the growth is raised by four times that.
    fn fill_vertex_boxes(&mut self, start: &[Vec3], end: &[Vec3], reach: impl Fn(usize) -> f64 + Sync) {
        let origin = self.origin;
        self.vertex_boxes.par_chunks_mut(CHUNK).enumerate().for_each(|(number, boxes)| {
            for (k, slot) in boxes.iter_mut().enumerate() {
                let v = number * CHUNK + k;
                let (p, q) = (&start[v], &end[v]);
                let (lo, hi) = (p.inf(q), p.sup(q));
                let largest = lo.amax().max(hi.amax()) + origin.amax();
                let grow = reach(v) + 4.0 * f64::EPSILON * largest;
                *slot = Box32 {
                    lo: std::array::from_fn(|k| (lo[k] - origin[k] - grow) as f32),
                    hi: std::array::from_fn(|k| (hi[k] - origin[k] + grow) as f32),
                };
            }
        });
    }

    fn candidates(&self, mesh: &CollisionMesh) -> Candidates {
        let may_meet = |a, b| mesh.bodies_may_touch(a, b);
        let parts =
            self.tree.self_pairs(may_meet, Default::default, |i, j, found: &mut (Vec<u64>, Vec<u64>)| {
                let (a, b) = (&self.elements[i], &self.elements[j]);
                if !mesh.bodies_may_touch(a.body, b.body) {
                    return;
                }
                emit_vertex_triangle(self, mesh, a, b, j, &mut found.0);
                emit_vertex_triangle(self, mesh, b, a, i, &mut found.0);
                emit_edge_edge(self, mesh, a, b, (i, j), &mut found.1);
            });
        let (vertex_triangle, edge_edge): (Vec<_>, Vec<_>) = parts.into_iter().unzip();
        let (vertex_triangle, edge_edge) = rayon::join(|| sorted(vertex_triangle), || sorted(edge_edge));
        Candidates { vertex_triangle, edge_edge }
    }

    #[inline]
    fn edge_box(&self, edge: [u32; 2]) -> Box32 {
        self.vertex_boxes[edge[0] as usize].union(&self.vertex_boxes[edge[1] as usize])
    }
}

#[inline]
fn element_box(element: &Element, vertex_boxes: &[Box32]) -> Box32 {
    let [a, b, c] = element.vertices.map(|v| &vertex_boxes[v as usize]);
    a.union(b).union(c)
}

fn centre(positions: &[Vec3]) -> Vec3 {
    let Some(first) = positions.first() else { return Vec3::zeros() };
    let (lo, hi) = positions.iter().fold((*first, *first), |(lo, hi), p| (lo.inf(p), hi.sup(p)));
    (lo + hi) * 0.5
}

/// Owned vertices of `a` against the triangle `b`, which sits at `position_b` of the tree.
#[inline]
fn emit_vertex_triangle(
    phase: &BroadPhase,
    mesh: &CollisionMesh,
    a: &Element,
    b: &Element,
    position_b: usize,
    found: &mut Vec<u64>,
) {
    if b.triangle == NONE || a.owned & 0b111 == 0 {
        return;
    }
    let triangle_box = phase.tree.element_box(position_b);
    for k in 0..3 {
        let v = a.vertices[k];
        if a.owned >> k & 1 == 1
            && phase.vertex_boxes[v as usize].overlaps(triangle_box)
            && !b.vertices.contains(&v)
            && !mesh.is_excluded_vertex_triangle(v, b.triangle)
            && !mesh.is_rooted(v, b.body)
        {
            found.push(pack([v, b.triangle]));
        }
    }
}

/// Owned edges of `a` against owned edges of `b`. Most pairs of elements are neighbours, so shared ends are
/// asked first.
#[inline]
fn emit_edge_edge(
    phase: &BroadPhase,
    mesh: &CollisionMesh,
    a: &Element,
    b: &Element,
    (position_a, position_b): (usize, usize),
    found: &mut Vec<u64>,
) {
    let (owned_a, owned_b) = (a.owned >> 3, b.owned >> 3);
    if owned_a == 0 || owned_b == 0 {
        return;
    }
    let (all_a, all_b) = (phase.tree.element_box(position_a), phase.tree.element_box(position_b));
    let side = |element: &Element, k: usize| [element.vertices[k], element.vertices[(k + 1) % 3]];
    for i in 0..3 {
        let first = side(a, i);
        if owned_a >> i & 1 == 0 {
            continue;
        }
        let first_box = phase.edge_box(first);
        if !first_box.overlaps(all_b) {
            continue;
        }
        for j in 0..3 {
            let second = side(b, j);
            if owned_b >> j & 1 == 0 || first.contains(&second[0]) || first.contains(&second[1]) {
                continue;
            }
            let second_box = phase.edge_box(second);
            if second_box.overlaps(all_a) && second_box.overlaps(&first_box) {
                let (e, f) = (a.edges[i], b.edges[j]);
                let pair = [e.min(f), e.max(f)];
                let rooted = mesh.is_edge_rooted(first, b.body) || mesh.is_edge_rooted(second, a.body);
                if !rooted && !mesh.is_excluded_edge_edge(pair) {
                    found.push(pack(pair));
                }
            }
        }
    }
}

/// Owned edges of `a` against the triangle `b`.
#[inline]
fn emit_edge_triangle(
    phase: &BroadPhase,
    mesh: &CollisionMesh,
    a: &Element,
    b: &Element,
    position_b: usize,
    found: &mut Vec<u64>,
) {
    if b.triangle == NONE {
        return;
    }
    let triangle_box = phase.tree.element_box(position_b);
    for k in 0..3 {
        if a.owned >> (3 + k) & 1 == 0 {
            continue;
        }
        let ends = mesh.edges()[a.edges[k] as usize];
        if !b.vertices.contains(&ends[0])
            && !b.vertices.contains(&ends[1])
            && phase.edge_box(ends).overlaps(triangle_box)
            && !mesh.is_edge_rooted(ends, b.body)
        {
            found.push(pack([a.edges[k], b.triangle]));
        }
    }
}

#[inline]
fn pack(pair: [u32; 2]) -> u64 {
    u64::from(pair[0]) << 32 | u64::from(pair[1])
}

/// All parts in one sorted list. Pairs are unique by ownership, so the order is total. One scatter by the
/// first number makes buckets that fit in the cache; sorting those costs half of sorting the whole.
fn sorted(parts: Vec<Vec<u64>>) -> Vec<[u32; 2]> {
    let total: usize = parts.iter().map(Vec::len).sum();
    let largest = parts.iter().flatten().max().map_or(0, |key| key >> 32) as usize;
    let buckets = (total / 512).clamp(1, 1 << 14);
    let width = largest / buckets + 1;
    let bucket_of = |key: u64| (key >> 32) as usize / width;
    let mut ends = vec![0usize; buckets];
    parts.iter().flatten().for_each(|&key| ends[bucket_of(key)] += 1);
    let mut begin = 0;
    for end in &mut ends {
        begin += std::mem::replace(end, begin);
    }
    let mut all = vec![0u64; total];
    for &key in parts.iter().flatten() {
        let slot = &mut ends[bucket_of(key)];
        all[*slot] = key;
        *slot += 1;
    }
    let mut rest = all.as_mut_slice();
    let mut slices = Vec::with_capacity(buckets);
    let mut begin = 0;
    for end in ends {
        let (bucket, tail) = rest.split_at_mut(end - begin);
        slices.push(bucket);
        (rest, begin) = (tail, end);
    }
    slices.into_par_iter().with_min_len(16).for_each(|bucket| bucket.sort_unstable());
    all.into_iter().map(|key| [(key >> 32) as u32, key as u32]).collect()
}

/// The same candidates by comparing everything with everything: the oracle of the tree.
pub mod brute_force {
    use super::*;

    /// Twin of [`BroadPhase::proximity_candidates`] (equal `start` and `end`) and
    /// [`BroadPhase::swept_candidates`].
    pub fn candidates(mesh: &CollisionMesh, start: &[Vec3], end: &[Vec3], gap: f64) -> Candidates {
        let mut phase = BroadPhase::new(mesh, start).expect("valid positions");
        phase.set_vertex_boxes(mesh, start, end, gap);
        let boxes = |corners: &[u32]| {
            corners.iter().fold(Box32::EMPTY, |sum, &v| sum.union(&phase.vertex_boxes[v as usize]))
        };
        let mut found = Candidates::default();
        for v in 0..mesh.vertex_count() as u32 {
            let Some(body) = mesh.vertex_body(v) else { continue };
            for (t, corners) in mesh.triangles().iter().enumerate() {
                let t = t as u32;
                if !corners.contains(&v)
                    && mesh.bodies_may_touch(body, mesh.triangle_body(t))
                    && !mesh.is_excluded_vertex_triangle(v, t)
                    && !mesh.is_rooted(v, mesh.triangle_body(t))
                    && boxes(&[v]).overlaps(&boxes(corners))
                {
                    found.vertex_triangle.push([v, t]);
                }
            }
        }
        for (e, first) in mesh.edges().iter().enumerate() {
            for (f, second) in mesh.edges().iter().enumerate().skip(e + 1) {
                let pair = [e as u32, f as u32];
                if !first.iter().any(|v| second.contains(v))
                    && mesh.bodies_may_touch(mesh.edge_body(pair[0]), mesh.edge_body(pair[1]))
                    && !mesh.is_excluded_edge_edge(pair)
                    && !mesh.is_edge_rooted(*first, mesh.edge_body(pair[1]))
                    && !mesh.is_edge_rooted(*second, mesh.edge_body(pair[0]))
                    && boxes(first).overlaps(&boxes(second))
                {
                    found.edge_edge.push(pair);
                }
            }
        }
        found
    }
}
