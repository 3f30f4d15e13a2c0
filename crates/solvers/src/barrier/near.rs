//! Candidate pairs that serve all queries of a step.
//!
//! A search takes boxes that hold the expected way of every vertex and a margin. As long as every
//! vertex stays in its box, the list holds every pair that a search of its own would find: further
//! iterations look at pairs, not at the tree. The list is forgotten at the start of a step, so that
//! a resumed run finds the same.

use super::packed_pairs::PackedPairs;
use rayon::prelude::*;
use stiction_collision::broad_phase::PackedPair;
use stiction_collision::narrow_phase::{edge_edge_pair, vertex_triangle_pair};
use stiction_collision::{BroadPhase, Candidates, CollisionMesh, SurfaceError};
use stiction_numerics::Vec3;

/// The list and where it holds.
#[derive(Default)]
pub(super) struct NearPairs {
    /// Where the vertices were when it was made \[m\]; empty before the first search.
    reference: Vec<Vec3>,
    /// Lowest and highest corner per vertex \[m\], rounded inward.
    boxes: Vec<[[f32; 3]; 2]>,
    /// Vertex–triangle and edge–edge pairs with their gaps at the reference, as parts of the search
    /// found them. Sorted is what is selected: to sort all takes as long and twice the memory.
    parts: Vec<[PackedPairs; 2]>,
}

/// Which pairs of a list are asked for.
#[derive(Clone, Copy)]
pub(super) enum Wanted {
    /// Those that may be nearer than this \[m\].
    Nearer(f64),
    /// Those that may lose all but this share of their gap.
    Closing(f64),
}

/// Share of a way by which its box is longer, at both ends.
const LONGER: f64 = 0.1;

/// Margin around the boxes in activation gaps.
const MARGIN: f64 = 0.5;

/// Vertices per task.
const CHUNK: usize = 4096;

/// Packed pairs per task \[bytes\]: some eight thousand.
const TASK_BYTES: usize = 24_000;

impl NearPairs {
    pub fn forget(&mut self) {
        *self = NearPairs::default();
    }

    /// Makes the list hold for a way of all vertices, straight from `from` to `to`, and gaps up to
    /// `gap`.
    pub fn cover(
        &mut self,
        phase: &mut BroadPhase,
        mesh: &CollisionMesh,
        [from, to]: [&[Vec3]; 2],
        gap: f64,
    ) -> Result<(), SurfaceError> {
        if self.holds(from, to) {
            return Ok(());
        }
        // The old list goes first: both at once would be the most that a step holds.
        *self = NearPairs::default();
        let margin = MARGIN * gap;
        let longer = |a: &Vec3, b: &Vec3| a - (b - a) * LONGER;
        let corners = |v: usize| {
            let (a, b) = (longer(&from[v], &to[v]), longer(&to[v], &from[v]));
            [a.inf(&b), a.sup(&b)]
        };
        let gaps = ReferenceGaps { mesh, reference: from };
        self.parts = phase.boxed_parts(mesh, corners, gap + 2.0 * margin, |(faces, edges)| {
            [
                PackedPairs::new(faces, |pair| gaps.vertex_triangle(pair)),
                PackedPairs::new(edges, |pair| gaps.edge_edge(pair)),
            ]
        })?;
        self.parts.retain(|part| part.iter().any(|pairs| pairs.bytes() > 0));
        // Searches are rare, and what comes between needs the room.
        phase.release_boxes();
        // A hair inside: the tree rounds its boxes.
        let grow = Vec3::repeat(0.99 * margin);
        let kept = |v: usize| {
            let [low, high] = corners(v);
            [rounded_up(&(low - grow)), rounded_up(&-(high + grow)).map(|c| -c)]
        };
        self.boxes = (0..from.len()).into_par_iter().with_min_len(CHUNK).map(kept).collect();
        self.reference = from.to_vec();
        Ok(())
    }

    /// Whether the list holds every pair that can meet on a straight way.
    pub fn holds(&self, from: &[Vec3], to: &[Vec3]) -> bool {
        let inside = |x: &Vec3, [low, high]: &[[f32; 3]; 2]| {
            (0..3).all(|k| f64::from(low[k]) <= x[k] && x[k] <= f64::from(high[k]))
        };
        let held = |v: usize| inside(&from[v], &self.boxes[v]) && inside(&to[v], &self.boxes[v]);
        self.boxes.len() == from.len() && (0..from.len()).into_par_iter().with_min_len(CHUNK).all(held)
    }

    /// The wanted pairs of a way that the list covers. A gap changes at most by what the features
    /// moved since the reference, and at most by what their vertices moved beside each other: most
    /// pairs are turned down by the first, those that are carried along together by the second,
    /// none of them looked at. An object goes any share of its way, as its island may: beside
    /// another object both count at either end.
    pub fn select(&self, mesh: &CollisionMesh, ways: [&[Vec3]; 2], wanted: Wanted) -> Candidates {
        let sieve = Sieve::new(Travels::new(&self.reference, ways), wanted);
        let gaps = ReferenceGaps { mesh, reference: &self.reference };
        let (edges, triangles) = (mesh.edges(), mesh.triangles());
        let select = |mut kept: (Vec<PackedPair>, Vec<PackedPair>),
                      [faces, edge_pairs]: &[PackedPairs; 2]| {
            faces.for_each(|pair, bounds| {
                let [v, t] = pair;
                let one_object = mesh.vertex_body(v) == Some(mesh.triangle_body(t));
                let features = (&[v][..], &triangles[t as usize][..]);
                if sieve.keeps(bounds, || gaps.vertex_triangle(pair), features, one_object) {
                    kept.0.push(PackedPair::new(pair));
                }
            });
            edge_pairs.for_each(|pair, bounds| {
                let [a, b] = pair;
                let one_object = mesh.edge_body(a) == mesh.edge_body(b);
                let features = (&edges[a as usize][..], &edges[b as usize][..]);
                if sieve.keeps(bounds, || gaps.edge_edge(pair), features, one_object) {
                    kept.1.push(PackedPair::new(pair));
                }
            });
            kept
        };
        let parts = self.parts.par_iter().with_min_len(self.parts_per_task());
        Candidates::from_parts(parts.fold(Default::default, select).collect())
    }

    /// Parts that hold some thousand pairs together: less is not worth a task.
    fn parts_per_task(&self) -> usize {
        let bytes: usize = self.parts.iter().flatten().map(PackedPairs::bytes).sum();
        (TASK_BYTES * self.parts.len()).div_ceil(bytes.max(1)).max(1)
    }
}

/// Tells by gaps at a reference and by what moved since which pairs are wanted.
struct Sieve<'a> {
    travels: Travels<'a>,
    /// Share of a gap that may be lost.
    share: f32,
    /// Gap that is near enough \[m\].
    reach: f32,
}

impl<'a> Sieve<'a> {
    fn new(travels: Travels<'a>, wanted: Wanted) -> Sieve<'a> {
        let (share, reach) = match wanted {
            Wanted::Nearer(gap) => (1.0, gap as f32),
            Wanted::Closing(slack) => (1.0 - slack as f32, 0.0),
        };
        Sieve { travels, share, reach }
    }

    /// Whether two features may come near. Their gap at the reference is known within bounds \[m\];
    /// where these do not decide it is found anew.
    #[inline]
    fn keeps(
        &self,
        bounds: [f32; 2],
        gap: impl Fn() -> f32,
        (a, b): (&[u32], &[u32]),
        one_object: bool,
    ) -> bool {
        let [low, high] = bounds.map(|bound| self.share * bound);
        let by_travel = self.most(self.travels.furthest(a) + self.travels.furthest(b));
        if low > by_travel {
            return false;
        }
        let most = by_travel.min(self.most(self.travels.most_beside(a, b, one_object)));
        low <= most && (high <= most || self.share * gap() <= most)
    }

    /// The share of a gap up to which features come near that moved by so much. Single precision
    /// rounds by 1e-7: a wider net.
    fn most(&self, moved: f32) -> f32 {
        1.0001 * (self.reach + moved) + f32::MIN_POSITIVE
    }
}

/// How far vertices are from a reference at both ends of their ways.
struct Travels<'a> {
    reference: &'a [Vec3],
    ways: [&'a [Vec3]; 2],
    /// The larger of both by vertex \[m\].
    largest: Vec<f32>,
}

impl<'a> Travels<'a> {
    fn new(reference: &'a [Vec3], ways: [&'a [Vec3]; 2]) -> Travels<'a> {
        let largest = |v: usize| {
            let squares = ways.map(|end| (end[v] - reference[v]).norm_squared());
            squares.into_iter().fold(0.0, f64::max).sqrt() as f32
        };
        let largest = (0..ways[0].len()).into_par_iter().with_min_len(CHUNK).map(largest).collect();
        Travels { reference, ways, largest }
    }

    #[inline]
    fn furthest(&self, vertices: &[u32]) -> f32 {
        vertices.iter().map(|&v| self.largest[v as usize]).fold(0.0, f32::max)
    }

    /// The most that vertices of two features moved beside each other, each at an end of its own
    /// \[m²\]. It is largest at the ends of straight ways.
    fn beside(&self, a: &[u32], b: &[u32], ends: [&[Vec3]; 2]) -> f64 {
        let by = |end: &[Vec3], v: u32| end[v as usize] - self.reference[v as usize];
        let of_one = |u: Vec3| b.iter().map(|&v| (u - by(ends[1], v)).norm_squared()).fold(0.0, f64::max);
        a.iter().map(|&v| of_one(by(ends[0], v))).fold(0.0, f64::max)
    }

    /// The same wherever on their ways objects may be \[m\].
    fn most_beside(&self, a: &[u32], b: &[u32], one_object: bool) -> f32 {
        let [from, to] = self.ways;
        let together = self.beside(a, b, [from, from]).max(self.beside(a, b, [to, to]));
        let squared = match one_object {
            true => together,
            false => together.max(self.beside(a, b, [from, to])).max(self.beside(a, b, [to, from])),
        };
        squared.sqrt() as f32
    }
}

/// Gaps of pairs where the vertices were when the list was made.
struct ReferenceGaps<'a> {
    mesh: &'a CollisionMesh,
    reference: &'a [Vec3],
}

impl ReferenceGaps<'_> {
    fn vertex_triangle(&self, [vertex, triangle]: [u32; 2]) -> f32 {
        vertex_triangle_pair(self.mesh, self.reference, vertex, triangle).gap as f32
    }

    fn edge_edge(&self, [first, second]: [u32; 2]) -> f32 {
        edge_edge_pair(self.mesh, self.reference, first, second).gap as f32
    }
}

/// The nearest numbers in single precision that are not below.
fn rounded_up(x: &Vec3) -> [f32; 3] {
    std::array::from_fn(|k| {
        let near = x[k] as f32;
        if f64::from(near) < x[k] { near.next_up() } else { near }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_collision::{BodyTraits, MeshInput};
    use stiction_numerics::Random;

    /// Vertices along a sheet.
    const SIDE: u32 = 13;

    /// Two sheets with cells of 1 cm, 4 mm apart: one object, or two.
    fn sheets(objects: u32) -> (CollisionMesh, Vec<Vec3>) {
        let count = 2 * SIDE * SIDE;
        let place = |k: u32| [k / (SIDE * SIDE), k / SIDE % SIDE, k % SIDE];
        let cells = (0..count).filter(|&k| place(k)[1] < SIDE - 1 && place(k)[2] < SIDE - 1);
        let triangles: Vec<[u32; 3]> =
            cells.flat_map(|k| [[k, k + 1, k + SIDE], [k + 1, k + SIDE + 1, k + SIDE]]).collect();
        let input = MeshInput {
            vertex_count: count as usize,
            triangle_traits: triangles.iter().map(|t| (0.0, place(t[0])[0] % objects)).collect(),
            triangles,
            bodies: vec![BodyTraits::DEFORMABLE; objects as usize],
            ..MeshInput::default()
        };
        let at = |k: u32| {
            let [sheet, i, j] = place(k).map(f64::from);
            Vec3::new(0.01 * i, 0.01 * j, 0.004 * sheet)
        };
        (CollisionMesh::new(input).expect("a good mesh"), (0..count).map(at).collect())
    }

    impl NearPairs {
        fn all(&self) -> Candidates {
            let pairs = |packed: &PackedPairs| {
                let mut all = Vec::new();
                packed.for_each(|pair, _| all.push(PackedPair::new(pair)));
                all
            };
            Candidates::from_parts(self.parts.iter().map(|[a, b]| (pairs(a), pairs(b))).collect())
        }
    }

    #[test]
    fn what_is_carried_along_is_turned_down_and_what_comes_near_is_not() {
        let ((mesh, start), mut random, gap) = (sheets(1), Random::new(41), 0.0035);
        let mut phase = BroadPhase::new(&mesh, &start).expect("a tree");
        // Far along together, and a little beside each other.
        let end: Vec<Vec3> =
            start.iter().map(|x| x + Vec3::new(0.1, 0.0, -0.02) + random.vector(-8e-4, 8e-4)).collect();
        let mut near = NearPairs::default();
        near.cover(&mut phase, &mesh, [&start, &end], gap).expect("a search");
        let found = near.select(&mesh, [&end, &end], Wanted::Nearer(gap));
        let all = near.all();
        let is_near = |&[v, t]: &[u32; 2]| vertex_triangle_pair(&mesh, &end, v, t).gap < gap;
        let nearer: Vec<[u32; 2]> = all.vertex_triangle.iter().copied().filter(is_near).collect();
        assert!(!nearer.is_empty() && nearer.iter().all(|pair| found.vertex_triangle.contains(pair)));
        let is_near = |&[a, b]: &[u32; 2]| edge_edge_pair(&mesh, &end, a, b).gap < gap;
        let nearer: Vec<[u32; 2]> = all.edge_edge.iter().copied().filter(is_near).collect();
        assert!(!nearer.is_empty() && nearer.iter().all(|pair| found.edge_edge.contains(pair)));
        let counts = |pairs: &Candidates| pairs.vertex_triangle.len() + pairs.edge_edge.len();
        assert!(4 * counts(&found) < counts(&all), "{} of {}", counts(&found), counts(&all));
    }

    /// Gaps are kept in one byte, but what is selected goes by the gaps themselves.
    #[test]
    fn rounded_gaps_select_what_exact_ones_do() {
        let ((mesh, start), mut random) = (sheets(2), Random::new(43));
        let mut phase = BroadPhase::new(&mesh, &start).expect("a tree");
        let [from, to] =
            [0; 2].map(|_| start.iter().map(|x| x + random.vector(-1e-3, 1e-3)).collect::<Vec<Vec3>>());
        let mut near = NearPairs::default();
        near.cover(&mut phase, &mesh, [&from, &to], 0.0035).expect("a search");
        let (all, gaps) = (near.all(), ReferenceGaps { mesh: &mesh, reference: &near.reference });
        for wanted in [Wanted::Nearer(0.0035), Wanted::Nearer(0.002), Wanted::Closing(0.1)] {
            let found = near.select(&mesh, [&from, &to], wanted);
            let sieve = Sieve::new(Travels::new(&near.reference, [&from, &to]), wanted);
            let keeps_face = |pair: &[u32; 2]| {
                let (gap, [v, t]) = (gaps.vertex_triangle(*pair), *pair);
                let one_object = mesh.vertex_body(v) == Some(mesh.triangle_body(t));
                sieve.keeps([gap; 2], || gap, (&[v], &mesh.triangles()[t as usize]), one_object)
            };
            let keeps_edges = |pair: &[u32; 2]| {
                let (gap, ends) = (gaps.edge_edge(*pair), pair.map(|e| &mesh.edges()[e as usize][..]));
                let one_object = mesh.edge_body(pair[0]) == mesh.edge_body(pair[1]);
                sieve.keeps([gap; 2], || gap, (ends[0], ends[1]), one_object)
            };
            let faces: Vec<[u32; 2]> = all.vertex_triangle.iter().copied().filter(keeps_face).collect();
            let edges: Vec<[u32; 2]> = all.edge_edge.iter().copied().filter(keeps_edges).collect();
            assert!(!faces.is_empty() && faces.len() < all.vertex_triangle.len());
            assert!(found == Candidates { vertex_triangle: faces, edge_edge: edges });
        }
    }

    /// Whichever share of a common way its island lets an object go, the pairs that this brings
    /// together are known.
    #[test]
    fn objects_that_go_along_together_may_be_held_back_apart() {
        let trajectory = Vec3::new(0.0, 0.0, -0.02);
        let closing = |objects: u32| {
            let (mesh, start) = sheets(objects);
            let mut phase = BroadPhase::new(&mesh, &start).expect("a tree");
            let end: Vec<Vec3> = start.iter().map(|x| x + trajectory).collect();
            let mut near = NearPairs::default();
            near.cover(&mut phase, &mesh, [&start, &end], 0.0035).expect("a search");
            let found = near.select(&mesh, [&start, &end], Wanted::Closing(0.1));
            let across =
                |[v, t]: &&[u32; 2]| (*v < SIDE * SIDE) != (mesh.triangles()[*t as usize][0] < SIDE * SIDE);
            found.vertex_triangle.iter().filter(across).count()
        };
        assert_eq!(closing(1), 0);
        // Every vertex lies over one triangle of the other sheet at least.
        assert!(closing(2) >= 2 * (SIDE * SIDE) as usize);
    }
}
