//! Rods against closed forms, and derivatives of the joint element.

use super::*;
use crate::check::{Checks, HessianProjection, TestRandom, check_element};
use crate::element::{Curvature, Element, Stencil};
use crate::material_table::{MaterialTable, RodValues};
use std::f64::consts::TAU;
use stiction_bodies::EdgeFrame;
use stiction_bodies::frames::{frames_along, orthonormal_to, refresh_reference_twist, transport_frames};
use stiction_numerics::Vec3;

const EI: [f64; 2] = [2.0, 3.0];
const GJ: f64 = 1.5;

/// A chain of joints; twist blocks come after the nodes, edge after edge.
struct Chain {
    joints: Vec<RodBendTwist>,
    materials: MaterialTable,
}

fn rod_of(bend: [f64; 2]) -> MaterialTable {
    MaterialTable::of_rod(RodValues { stretch: 0.0, bend, twist: GJ })
}

impl Chain {
    fn open(points: &[Vec3], bend: [f64; 2]) -> Chain {
        let nodes = points.len() as u32;
        let length = |i: u32| (points[i as usize + 1] - points[i as usize]).norm();
        let joints = (0..nodes - 2).map(|i| RodBendTwist {
            blocks: [i, i + 1, i + 2, nodes + i, nodes + i + 1],
            edges: [i, i + 1],
            material: 0,
            rest: JointRest::straight([length(i), length(i + 1)]),
        });
        Chain { joints: joints.collect(), materials: rod_of(bend) }
    }

    /// Closed through the first point again: as many edges as points.
    fn ring(points: &[Vec3], bend: [f64; 2]) -> Chain {
        let n = points.len() as u32;
        let length = |i: u32| (points[((i + 1) % n) as usize] - points[(i % n) as usize]).norm();
        let joints = (0..n).map(|i| RodBendTwist {
            blocks: [i, (i + 1) % n, (i + 2) % n, n + i, n + (i + 1) % n],
            edges: [i, (i + 1) % n],
            material: 0,
            rest: JointRest::straight([length(i), length(i + 1)]),
        });
        Chain { joints: joints.collect(), materials: rod_of(bend) }
    }

    fn stencil<'a>(
        &'a self,
        joint: &RodBendTwist,
        blocks: &[Vec3],
        frames: &'a [EdgeFrame],
    ) -> Stencil<'a, 5> {
        Stencil { x: joint.blocks.map(|b| blocks[b as usize]), frames, materials: &self.materials }
    }

    fn energy(&self, blocks: &[Vec3], frames: &[EdgeFrame]) -> f64 {
        self.joints.iter().map(|j| j.energy(&self.stencil(j, blocks, frames))).sum()
    }

    fn total_twist(&self, blocks: &[Vec3], frames: &[EdgeFrame]) -> f64 {
        self.joints.iter().map(|j| j.strains(&self.stencil(j, blocks, frames)).twist).sum()
    }
}

/// Nodes, then twists.
fn with_twists(points: &[Vec3], twists: impl IntoIterator<Item = f64>) -> Vec<Vec3> {
    points.iter().copied().chain(twists.into_iter().map(|t| Vec3::new(t, 0.0, 0.0))).collect()
}

fn helix(count: usize) -> Vec<Vec3> {
    (0..count).map(|i| 0.4 * i as f64).map(|s| Vec3::new(0.1 * s.cos(), 0.1 * s.sin(), 0.03 * s)).collect()
}

fn ring_points(count: usize) -> Vec<Vec3> {
    (0..count).map(|i| TAU * i as f64 / count as f64).map(|s| Vec3::new(s.cos(), s.sin(), 0.0)).collect()
}

/// Frames of a closed ring: parallel along the chain, the seam joint takes the holonomy.
fn ring_frames(points: &[Vec3]) -> Vec<EdgeFrame> {
    let closed: Vec<Vec3> = points.iter().copied().chain([points[0]]).collect();
    let mut frames = frames_along(&closed, Vec3::z());
    refresh_reference_twist(&mut frames, [points.len() as u32 - 1, 0]);
    frames
}

fn random_joint() -> RodBendTwist {
    RodBendTwist {
        blocks: [0, 1, 2, 3, 4],
        edges: [1, 0],
        material: 0,
        rest: JointRest { lengths: [0.1; 2], natural: Strains { curvature: [0.2, -0.3], twist: 0.4 } },
    }
}

#[test]
fn derivatives() {
    // Frames away from the trial tangents: the transport within the step counts.
    let mut random = TestRandom::new(23);
    let (joint, materials) = (random_joint(), rod_of(EI));
    let sizes = [0.1, 0.1, 0.1, 1.0, 1.0];
    let twist = [false, false, false, true, true];
    for _ in 0..20 {
        let start = [Vec3::new(0.3, 0.1, 1.0), Vec3::new(0.1, 0.4, 1.0)];
        let frames: Vec<EdgeFrame> = (0..2)
            .map(|i| {
                let tangent = (start[1 - i] + random.vector() * 0.4).normalize();
                EdgeFrame::new(tangent, orthonormal_to(random.vector(), tangent))
            })
            .collect();
        let sampler = |random: &mut TestRandom| {
            let x0 = random.vector();
            let x1 = x0 + (start[0] + random.vector() * 0.6) * 0.1;
            let x2 = x1 + (start[1] + random.vector() * 0.6) * 0.1;
            let twists = [0, 1].map(|_| Vec3::new(random.range(-2.0, 2.0), 0.0, 0.0));
            Stencil { x: [x0, x1, x2, twists[0], twists[1]], frames: &frames, materials: &materials }
        };
        let checks =
            Checks { sizes, twist, samples: 4, projection: HessianProjection::StandIn, ..Checks::nodes(0.1) };
        check_element(&joint, sampler, &checks);
    }
}

/// M = φ EI/L: a rod of length L bent by φ in all has the energy EI φ²/(2L).
#[test]
fn a_circular_arc_has_the_energy_of_the_beam() {
    let (radius, angle) = (0.5, 2.0);
    let error = |edges: usize| {
        let points: Vec<Vec3> = (0..=edges)
            .map(|i| angle * i as f64 / edges as f64)
            .map(|s| Vec3::new(radius * s.cos(), radius * s.sin(), 0.0))
            .collect();
        // m1 starts in the plane and stays there: bending is towards m1 alone.
        let frames = frames_along(&points, Vec3::x());
        let energy = Chain::open(&points, EI).energy(&with_twists(&points, vec![0.0; edges]), &frames);
        // Joints stand for the length between the middles of the end edges.
        let length = radius * angle * (edges - 1) as f64 / edges as f64;
        let expected = EI[0] * (length / radius).powi(2) / (2.0 * length);
        (energy / expected - 1.0).abs()
    };
    let (coarse, fine) = (error(20), error(40));
    assert!(coarse < 5e-3 && (coarse / fine - 4.0).abs() < 0.1, "{coarse:e} {fine:e}");
}

/// Twist spread evenly over a straight rod: GJ φ²/(2L), more than a whole turn.
#[test]
fn even_twist_has_the_energy_of_the_bar() {
    let (edges, length, angle) = (21, 2.0, 9.0);
    let points: Vec<Vec3> = (0..=edges).map(|i| Vec3::x() * (length * i as f64 / edges as f64)).collect();
    let frames = frames_along(&points, Vec3::z());
    let twists = (0..edges).map(|i| angle * i as f64 / (edges - 1) as f64);
    let energy = Chain::open(&points, EI).energy(&with_twists(&points, twists), &frames);
    let between_middles = length * (edges - 1) as f64 / edges as f64;
    let expected = GJ * angle * angle / (2.0 * between_middles);
    assert!((energy / expected - 1.0).abs() < 1e-12, "{energy} {expected}");
}

#[test]
fn a_helix_at_its_natural_shape_has_no_energy_and_no_force() {
    let points = helix(12);
    let frames = frames_along(&points, Vec3::z());
    let blocks = with_twists(&points, (0..11).map(|i| 0.3 * i as f64));
    let chain = Chain::open(&points, EI);
    for joint in &chain.joints {
        let at = chain.stencil(joint, &blocks, &frames);
        assert!(joint.energy(&at) > 1e-3);
        let natural = joint.relaxed_at(&at);
        assert_eq!(natural.energy(&at), 0.0);
        assert!(natural.gradient(&at).iter().all(|g| g.norm() == 0.0));
    }
}

/// The reference frames are a choice: turning every director by α_i and every twist by −α_i changes
/// nothing.
#[test]
fn the_choice_of_reference_does_not_matter() {
    let mut random = TestRandom::new(4);
    let points: Vec<Vec3> = ring_points(16).into_iter().map(|p| p + random.vector() * 0.1).collect();
    let chain = Chain::ring(&points, EI);
    let frames = ring_frames(&points);
    let twists: Vec<f64> = (0..16).map(|_| random.range(-0.3, 0.3)).collect();
    let energy = chain.energy(&with_twists(&points, twists.clone()), &frames);
    let turns: Vec<f64> = (0..16).map(|_| random.range(-1.0, 1.0)).collect();
    let turned: Vec<EdgeFrame> = (0..16)
        .map(|i| {
            let (sine, cosine) = turns[i].sin_cos();
            let before = turns[(i + 15) % 16];
            EdgeFrame {
                tangent: frames[i].tangent,
                director: frames[i].director * cosine + frames[i].binormal() * sine,
                reference_twist: frames[i].reference_twist + turns[i] - before,
            }
        })
        .collect();
    let opposite = (0..16).map(|i| twists[i] - turns[i]);
    let again = chain.energy(&with_twists(&points, opposite), &turned);
    assert!((again / energy - 1.0).abs() < 1e-12, "{energy} {again}");
}

/// Twist + writhe of a closed ring with fixed material frames is a whole number of turns for ever
/// (Călugăreanu): while the ring moves with θ fixed, its twist changes by minus the change of the
/// writhe, and comes back when the shape does.
#[test]
fn twist_of_a_ring_follows_its_writhe() {
    let count = 48;
    let shape = |amount: f64| -> Vec<Vec3> {
        ring_points(count)
            .iter()
            .enumerate()
            .map(|(i, p)| {
                let s = TAU * i as f64 / count as f64;
                p * (1.0 + 0.3 * amount * (2.0 * s).cos()) + Vec3::z() * (0.8 * amount * (2.0 * s).sin())
            })
            .collect()
    };
    let points = shape(0.0);
    let chain = Chain::ring(&points, EI);
    let mut frames = ring_frames(&points);
    let edges: Vec<[u32; 2]> = (0..count as u32).map(|i| [i, (i + 1) % count as u32]).collect();
    let start = chain.total_twist(&with_twists(&points, vec![0.0; count]), &frames);
    let mut move_to = |amount: f64| {
        let points = shape(amount);
        let blocks = with_twists(&points, vec![0.0; count]);
        let before = chain.energy(&blocks, &frames);
        transport_frames(&mut frames, &points, &edges, &edges);
        // Accepting a step does not change the energy: it was a function of the configuration.
        assert!((chain.energy(&blocks, &frames) - before).abs() < 1e-9 * before);
        chain.total_twist(&blocks, &frames)
    };
    let mut bent = 0.0;
    for i in 1..=100 {
        bent = move_to(i as f64 / 100.0);
    }
    // Gauss integral of the polygon by midpoints: second order in the edge length.
    let (writhe_bent, writhe_flat) = (writhe(&shape(1.0)), writhe(&shape(0.0)));
    let moved = (bent - start) / TAU;
    assert!(moved.abs() > 0.05, "the shape must writhe: {moved}");
    assert!((moved + writhe_bent - writhe_flat).abs() < 1e-9, "{moved} {writhe_bent} {writhe_flat}");
}

/// Exact writhe of a closed polygon: signed solid angles of all pairs of edges over 4π.   [Klenin,
/// Langowski 2000]
fn writhe(points: &[Vec3]) -> f64 {
    let n = points.len();
    let at = |i: usize| points[i % n];
    let mut sum = 0.0;
    for i in 0..n {
        for j in i + 2..n {
            if (j + 1) % n == i {
                continue;
            }
            let (a, b, c, d) = (at(i), at(i + 1), at(j), at(j + 1));
            let normals = [
                (c - a).cross(&(d - a)),
                (d - a).cross(&(d - b)),
                (d - b).cross(&(c - b)),
                (c - b).cross(&(c - a)),
            ];
            if normals.iter().any(|m| m.norm() < 1e-14) {
                continue;
            }
            let unit = normals.map(|m| m.normalize());
            let area: f64 = (0..4).map(|k| unit[k].dot(&unit[(k + 1) % 4]).clamp(-1.0, 1.0).asin()).sum();
            let sign = (d - c).cross(&(b - a)).dot(&(c - a)).signum();
            sum += area * sign;
        }
    }
    sum / TAU
}

/// Ten whole turns put in at one end through many accepted steps are all still there.
#[test]
fn whole_turns_survive_steps() {
    let edges = 10;
    let points: Vec<Vec3> = (0..=edges).map(|i| Vec3::x() * i as f64).collect();
    let chain = Chain::open(&points, EI);
    let mut frames = frames_along(&points, Vec3::z());
    let pairs: Vec<[u32; 2]> = (0..edges as u32).map(|i| [i, i + 1]).collect();
    let turn = TAU * 10.0;
    for step in 1..=200 {
        let share = step as f64 / 200.0;
        let twists = (0..edges).map(|i| turn * share * i as f64 / (edges - 1) as f64);
        let total = chain.total_twist(&with_twists(&points, twists), &frames);
        assert!((total - turn * share).abs() < 1e-9);
        transport_frames(&mut frames, &points, &pairs, &pairs[..edges - 1]);
    }
}

#[test]
fn folded_reversed_and_vanished_edges_stay_finite() {
    let (joint, materials) = (random_joint(), rod_of(EI));
    let frames = [EdgeFrame::new(Vec3::x(), Vec3::y()), EdgeFrame::new(Vec3::x(), Vec3::y())];
    let z = Vec3::zeros();
    let shapes = [
        [z, Vec3::x(), z],
        [z, -Vec3::x(), -Vec3::x() * 2.0],
        [z, z, z],
        [z, Vec3::x(), Vec3::x()],
        [z, Vec3::x(), Vec3::new(0.0, 1e-9, 0.0)],
    ];
    for [a, b, c] in shapes {
        let at = Stencil {
            x: [a, b, c, Vec3::x() * 0.3, Vec3::x() * -0.2],
            frames: &frames,
            materials: &materials,
        };
        assert!(joint.energy(&at).is_finite());
        assert!(joint.gradient(&at).iter().all(|g| g.iter().all(|x| x.is_finite())));
        for curvature in [Curvature::Exact, Curvature::Projected] {
            let hessian = joint.hessian(&at, curvature);
            assert!(hessian.iter().flatten().all(|m| m.iter().all(|x| x.is_finite())), "{a} {b} {c}");
        }
    }
}
