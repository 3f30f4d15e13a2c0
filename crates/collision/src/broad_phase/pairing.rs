//! From a pair of elements to pairs of their vertices, edges and triangles.

use super::sorted::PackedPair;
use crate::bvh::{Boxes, Extent};
use crate::surface::{CollisionMesh, NONE, SurfaceElement};

/// Vertex–triangle pairs and edge–edge pairs of one task.
pub(super) type Found = (Vec<PackedPair>, Vec<PackedPair>);

/// What pairs of elements are looked at with.
pub(super) struct Pairing<'a, B> {
    pub mesh: &'a CollisionMesh,
    /// Elements in tree order.
    pub elements: &'a [SurfaceElement],
    /// Boxes of vertices.
    pub vertices: &'a [B],
    /// Boxes of elements.
    pub boxes: &'a Boxes<B>,
}

impl<B: Extent> Pairing<'_, B> {
    /// Pairs of features between the elements at two positions of the tree.
    #[inline]
    pub fn emit(&self, i: usize, j: usize, found: &mut Found) {
        let (a, b) = (&self.elements[i], &self.elements[j]);
        if !self.mesh.bodies_may_touch(a.body, b.body) {
            return;
        }
        if a.triangle == NONE && b.triangle == NONE {
            return self.emit_segments(a, b, &mut found.1);
        }
        self.emit_vertex_triangle(a, b, j, &mut found.0);
        self.emit_vertex_triangle(b, a, i, &mut found.0);
        self.emit_edge_edge(a, b, (i, j), &mut found.1);
    }

    /// Owned vertices of `a` against the triangle `b`, which sits at `position_b` of the tree.
    #[inline]
    fn emit_vertex_triangle(
        &self,
        a: &SurfaceElement,
        b: &SurfaceElement,
        position_b: usize,
        found: &mut Vec<PackedPair>,
    ) {
        if b.triangle == NONE || a.owned & 0b111 == 0 {
            return;
        }
        let triangle_box = self.boxes.element(position_b);
        for k in 0..3 {
            let v = a.vertices[k];
            if a.owned >> k & 1 == 1
                && self.vertices[v as usize].overlaps(triangle_box)
                && !b.vertices.contains(&v)
                && !self.mesh.is_excluded_vertex_triangle(v, b.triangle)
                && !self.mesh.is_rooted(v, b.body)
            {
                found.push(PackedPair::new([v, b.triangle]));
            }
        }
    }

    /// Two segments or points, whose boxes are those of their elements and overlap.
    #[inline]
    fn emit_segments(&self, a: &SurfaceElement, b: &SurfaceElement, found: &mut Vec<PackedPair>) {
        let [first, second] = [a, b].map(|element| [element.vertices[0], element.vertices[1]]);
        let share = first.contains(&second[0]) || first.contains(&second[1]);
        if !share && a.owned >> 3 != 0 && b.owned >> 3 != 0 {
            self.push_edge_edge((a, first, a.edges[0]), (b, second, b.edges[0]), found);
        }
    }

    /// Two edges whose boxes overlap, unless a filter forbids the pair.
    #[inline(always)]
    fn push_edge_edge(
        &self,
        (a, first, e): (&SurfaceElement, [u32; 2], u32),
        (b, second, f): (&SurfaceElement, [u32; 2], u32),
        found: &mut Vec<PackedPair>,
    ) {
        let pair = [e.min(f), e.max(f)];
        let rooted = self.mesh.is_edge_rooted(first, b.body) || self.mesh.is_edge_rooted(second, a.body);
        if !rooted && !self.mesh.is_excluded_edge_edge(pair) {
            found.push(PackedPair::new(pair));
        }
    }

    /// Owned edges of `a` against owned edges of `b`. Most pairs of elements are neighbours, so
    /// shared ends are asked first.
    #[inline]
    fn emit_edge_edge(
        &self,
        a: &SurfaceElement,
        b: &SurfaceElement,
        (position_a, position_b): (usize, usize),
        found: &mut Vec<PackedPair>,
    ) {
        let (owned_a, owned_b) = (a.owned >> 3, b.owned >> 3);
        if owned_a == 0 || owned_b == 0 {
            return;
        }
        let (all_a, all_b) = (self.boxes.element(position_a), self.boxes.element(position_b));
        let side = |element: &SurfaceElement, k: usize| [element.vertices[k], element.vertices[(k + 1) % 3]];
        // Edges of `b` that may meet anything of `a`, with their boxes.
        let mut near = [(0, [0; 2], B::EMPTY); 3];
        let mut count = 0;
        for j in (0..3).filter(|j| owned_b >> j & 1 == 1) {
            let second = side(b, j);
            let own = self.edge_box(second);
            if own.overlaps(all_a) {
                near[count] = (j, second, own);
                count += 1;
            }
        }
        for i in (0..3).filter(|i| count > 0 && owned_a >> i & 1 == 1) {
            let first = side(a, i);
            let own = self.edge_box(first);
            if !own.overlaps(all_b) {
                continue;
            }
            for (j, second, other) in &near[..count] {
                if !first.contains(&second[0]) && !first.contains(&second[1]) && other.overlaps(&own) {
                    self.push_edge_edge((a, first, a.edges[i]), (b, *second, b.edges[*j]), found);
                }
            }
        }
    }

    /// Owned edges of `a` against the triangle `b`.
    #[inline]
    pub fn emit_edge_triangle(
        &self,
        a: &SurfaceElement,
        b: &SurfaceElement,
        position_b: usize,
        found: &mut Vec<PackedPair>,
    ) {
        if b.triangle == NONE {
            return;
        }
        let triangle_box = self.boxes.element(position_b);
        for k in 0..3 {
            if a.owned >> (3 + k) & 1 == 0 {
                continue;
            }
            let ends = self.mesh.edges()[a.edges[k] as usize];
            if !b.vertices.contains(&ends[0])
                && !b.vertices.contains(&ends[1])
                && self.edge_box(ends).overlaps(triangle_box)
                && !self.mesh.is_edge_rooted(ends, b.body)
            {
                found.push(PackedPair::new([a.edges[k], b.triangle]));
            }
        }
    }

    #[inline(always)]
    fn edge_box(&self, edge: [u32; 2]) -> B {
        self.vertices[edge[0] as usize].union(&self.vertices[edge[1] as usize])
    }
}

/// The box of an element from those of the vertices.
#[inline]
pub(super) fn element_box<B: Extent>(element: &SurfaceElement, vertices: &[B]) -> B {
    let [a, b, c] = element.vertices.map(|v| &vertices[v as usize]);
    a.union(b).union(c)
}
