//! The pairs of the narrow phase some thousand at a time, where all at once would be the most that
//! a step holds: a pair takes a hundred bytes, and duplicates come before it.
//!
//! A first look at the candidates keeps those within the gap by their numbers alone and merges
//! duplicates; a second look makes the pairs, section by section.

use super::{CHUNK, PairKind, Place, ProximityPair, edge_edge_pair, narrow_phase, vertex_triangle_pair};
use crate::broad_phase::Candidates;
use crate::surface::CollisionMesh;
use rayon::prelude::*;
use stiction_numerics::Vec3;

/// Pairs at a time.
const SECTION: usize = 8192;

/// A candidate that leads to a pair, and the multiplicity of that pair.
#[derive(Clone, Copy)]
struct Source {
    candidate: u32,
    multiplicity: u32,
}

/// Candidates by number, vertices and triangles first.
struct Numbered<'a> {
    mesh: &'a CollisionMesh,
    candidates: &'a Candidates,
    positions: &'a [Vec3],
}

/// Shows all pairs of [`narrow_phase`] in its order, in sections.
pub fn visit_pairs(
    mesh: &CollisionMesh,
    candidates: &Candidates,
    positions: &[Vec3],
    gap: f64,
    mut visit: impl FnMut(&[ProximityPair]),
) {
    // Few pairs have room all at once, and one look is enough.
    if candidates.len() <= SECTION {
        return visit(&narrow_phase(mesh, candidates, positions, gap));
    }
    let numbered = Numbered { mesh, candidates, positions };
    let sources = numbered.sources(gap);
    let pair = |source: &Source| {
        let multiplicity = source.multiplicity;
        ProximityPair { multiplicity, ..numbered.pair(source.candidate as usize) }
    };
    let mut pairs = Vec::new();
    for section in sources.chunks(SECTION) {
        section.par_iter().map(pair).collect_into_vec(&mut pairs);
        visit(&pairs);
    }
}

/// What a chunk of candidates leads to.
#[derive(Default)]
struct Part {
    /// Candidates that are pairs themselves.
    insides: Vec<u32>,
    /// Pairs with the border of a feature, which other candidates may lead to as well.
    borders: Vec<Place>,
}

impl Numbered<'_> {
    fn pair(&self, number: usize) -> ProximityPair {
        let faces = &self.candidates.vertex_triangle;
        match faces.get(number) {
            Some(&[v, t]) => vertex_triangle_pair(self.mesh, self.positions, v, t),
            None => {
                let [a, b] = self.candidates.edge_edge[number - faces.len()];
                edge_edge_pair(self.mesh, self.positions, a, b)
            }
        }
    }

    /// One candidate for each pair within the gap, in the order of the pairs.
    fn sources(&self, gap: f64) -> Vec<Source> {
        let count = self.candidates.len();
        let parts: Vec<Part> =
            (0..count.div_ceil(CHUNK)).into_par_iter().map(|chunk| self.part(chunk, gap)).collect();
        let mut borders: Vec<Place> = Vec::with_capacity(parts.iter().map(|part| part.borders.len()).sum());
        parts.iter().for_each(|part| borders.extend_from_slice(&part.borders));
        borders.par_sort_unstable();
        let mut sources: Vec<Source> = Vec::new();
        for same in borders.chunk_by(|a, b| (a.kind, a.features) == (b.kind, b.features)) {
            let multiplicity = same.iter().map(Place::multiplicity).sum();
            sources.push(Source { candidate: same[0].index, multiplicity });
        }
        let insides = parts.iter().flat_map(|part| &part.insides);
        sources.extend(insides.map(|&candidate| Source { candidate, multiplicity: 1 }));
        sources
    }

    fn part(&self, chunk: usize, gap: f64) -> Part {
        let mut part = Part::default();
        let faces = self.candidates.vertex_triangle.len();
        for number in chunk * CHUNK..((chunk + 1) * CHUNK).min(self.candidates.len()) {
            let pair = self.pair(number);
            let own = if number < faces { PairKind::VertexTriangle } else { PairKind::EdgeEdge };
            match pair.gap <= gap {
                true if pair.kind == own => part.insides.push(number as u32),
                true => part.borders.push(Place::of((number, &pair))),
                false => {}
            }
        }
        part
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::broad_phase::brute_force;
    use crate::surface::{BodyTraits, MeshInput};
    use stiction_numerics::Random;

    /// Two crumpled sheets through each other: features of all kinds, and duplicates.
    #[test]
    fn sections_hold_what_the_whole_holds() {
        let (side, mut random) = (40u32, Random::new(7));
        let place = |k: u32| [k / (side * side), k / side % side, k % side];
        let count = 2 * side * side;
        let cells = (0..count).filter(|&k| place(k)[1] < side - 1 && place(k)[2] < side - 1);
        let triangles: Vec<[u32; 3]> =
            cells.flat_map(|k| [[k, k + 1, k + side], [k + 1, k + side + 1, k + side]]).collect();
        let input = MeshInput {
            vertex_count: count as usize,
            triangle_traits: triangles.iter().map(|t| (1e-4, place(t[0])[0])).collect(),
            triangles,
            bodies: vec![BodyTraits::DEFORMABLE; 2],
            ..MeshInput::default()
        };
        let mesh = CollisionMesh::new(input).expect("a good mesh");
        let at = |k: u32| {
            let [sheet, i, j] = place(k).map(f64::from);
            Vec3::new(0.01 * i, 0.01 * j, 0.004 * sheet) + random.vector(-2e-3, 2e-3)
        };
        let x: Vec<Vec3> = (0..count).map(at).collect();
        let gap = 0.006;
        let candidates = brute_force::candidates(&mesh, &x, &x, gap);
        let whole = narrow_phase(&mesh, &candidates, &x, gap);
        let (mut joined, mut sections) = (Vec::new(), 0);
        visit_pairs(&mesh, &candidates, &x, gap, |section| {
            joined.extend_from_slice(section);
            sections += 1;
        });
        assert!(sections > 1 && whole.iter().any(|pair| pair.multiplicity > 1), "{sections}");
        assert_eq!(joined, whole);
    }
}
