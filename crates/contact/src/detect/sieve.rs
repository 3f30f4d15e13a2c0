//! Which candidates of a search are near at the start of a step or may come together within it:
//! four at a time.

use super::near_pair::NearPair;
use stiction_collision::CollisionMesh;
use stiction_collision::broad_phase::{MovingPairs, PackedPair};
use stiction_collision::distance::{edge_edge_offsets, point_triangle_offsets};
use stiction_numerics::lane_vectors::{Column, all, column_of, dot, gather};
use stiction_numerics::{Lanes, Vec3, VectorWork, vectorised};

/// What candidates are judged by.
pub(super) struct Sieve<'a> {
    pub mesh: &'a CollisionMesh,
    pub start: &'a [Vec3],
    /// Middle of the box in which a vertex ends.
    pub end: &'a [Vec3],
    /// How far from it the box reaches \[m\].
    pub reach: &'a [Vec3],
    /// Largest contact gap of a pair of objects \[m\].
    pub widest_gap: f64,
    /// Share of a pair's start distance that continuous detection keeps.
    pub slack: f64,
}

/// How the four vertices of a pair are shared out between its two features.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    VertexTriangle,
    EdgeEdge,
}

/// Four pairs, the last one repeated where there are fewer.
struct Four {
    features: [[u32; 2]; 4],
    /// By corner, then by lane.
    corners: [[u32; 4]; 4],
    thickness: Lanes,
}

/// One part of a search.
struct Part<'a> {
    sieve: &'a Sieve<'a>,
    pairs: &'a [PackedPair],
    kind: Kind,
}

impl Sieve<'_> {
    /// Puts vertex–triangle and edge–edge pairs that are left in the place of what the two lists
    /// hold.
    pub fn sift_into(&self, lists: (&mut Vec<NearPair>, &mut Vec<NearPair>), found: &MovingPairs) {
        let of = |kind: Kind| move |pairs: &[PackedPair]| vectorised(Part { sieve: self, pairs, kind });
        found.sift_into(lists, of(Kind::VertexTriangle), of(Kind::EdgeEdge));
    }

    /// Which of four pairs with these offsets stay: within the gap at the start, or not told apart
    /// by the slab across the offset for all ends within reach (see [`NearPair::clearance`]).
    #[inline(always)]
    fn stays(&self, four: &Four, kind: Kind, offset: &Column) -> [bool; 4] {
        let distance = dot(offset, offset).sqrt();
        let thickness = four.thickness;
        // A hair more than the gap: the narrow phase decides.
        let near = (thickness + Lanes::splat(self.widest_gap)) * (1.0 + 1e-9);
        let floor = thickness + (distance - thickness).max(Lanes::default()) * self.slack;
        let [a, b, c, d] = &four.corners;
        let (lowest, highest) = match kind {
            Kind::VertexTriangle => (
                self.along(offset, a, -1.0),
                self.along(offset, b, 1.0).max(self.along(offset, c, 1.0)).max(self.along(offset, d, 1.0)),
            ),
            Kind::EdgeEdge => (
                self.along(offset, a, -1.0).min(self.along(offset, b, -1.0)),
                self.along(offset, c, 1.0).max(self.along(offset, d, 1.0)),
            ),
        };
        // Rounding of the products, far above what it can be.
        let size = largest(&gather(a, self.end)) + largest(&gather(a, self.reach)) + distance;
        let rounding = size * distance * 2e-12;
        let (far, open) = (distance.above(near), distance.above(floor));
        let apart = (lowest - highest).above(floor * distance + rounding);
        let gone = all(all(far, open), apart);
        [!gone[0], !gone[1], !gone[2], !gone[3]]
    }

    /// The farthest end of four corners to one side along an offset, times its length.
    #[inline(always)]
    fn along(&self, offset: &Column, corner: &[u32; 4], side: f64) -> Lanes {
        let spread = [absolute(offset[0]), absolute(offset[1]), absolute(offset[2])];
        dot(offset, &gather(corner, self.end)) + dot(&spread, &gather(corner, self.reach)) * side
    }

    #[inline(always)]
    fn four(&self, pairs: &[PackedPair], kind: Kind) -> Four {
        let mesh = self.mesh;
        let mut four = Four { features: [[0; 2]; 4], corners: [[0; 4]; 4], thickness: Lanes::default() };
        for lane in 0..4 {
            let [i, j] = pairs[lane.min(pairs.len() - 1)].features();
            let (corners, thickness) = match kind {
                Kind::VertexTriangle => {
                    let [a, b, c] = mesh.triangles()[j as usize];
                    ([i, a, b, c], mesh.vertex_half_thickness(i) + mesh.triangle_half_thickness(j))
                }
                Kind::EdgeEdge => {
                    let ([a, b], [c, d]) = (mesh.edges()[i as usize], mesh.edges()[j as usize]);
                    ([a, b, c, d], mesh.edge_half_thickness(i) + mesh.edge_half_thickness(j))
                }
            };
            four.features[lane] = [i, j];
            (0..4).for_each(|k| four.corners[k][lane] = corners[k]);
            four.thickness.0[lane] = thickness;
        }
        four
    }
}

#[inline(always)]
fn absolute(x: Lanes) -> Lanes {
    x.max(-x)
}

/// Largest component.
#[inline(always)]
fn largest(x: &Column) -> Lanes {
    absolute(x[0]).max(absolute(x[1])).max(absolute(x[2]))
}

impl VectorWork for Part<'_> {
    type Output = Vec<NearPair>;

    #[inline(always)]
    fn run(self) -> Vec<NearPair> {
        let Part { sieve, pairs, kind } = self;
        let mut out = Vec::new();
        for chunk in pairs.chunks(Lanes::COUNT) {
            let four = sieve.four(chunk, kind);
            let [a, b, c, d] = four.corners;
            let x = [
                gather(&a, sieve.start),
                gather(&b, sieve.start),
                gather(&c, sieve.start),
                gather(&d, sieve.start),
            ];
            let offset = match kind {
                Kind::VertexTriangle => point_triangle_offsets(&x),
                Kind::EdgeEdge => edge_edge_offsets(&x),
            };
            let stays = sieve.stays(&four, kind, &offset);
            for lane in (0..chunk.len()).filter(|&lane| stays[lane]) {
                let (features, offset) = (four.features[lane], column_of(&offset, lane));
                out.push(NearPair::new(features, offset));
            }
        }
        out
    }
}
