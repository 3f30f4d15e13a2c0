//! Derivatives, invariances and limit cases of the shape-operator element.

use super::*;
use crate::assembly::Configuration;
use crate::check::{Checks, HessianProjection, TestRandom, check_element};
use crate::element::{Curvature, Element, Stencil};
use crate::material_table::MaterialTable;
use stiction_bodies::EdgeFrame;
use stiction_bodies::shells::{bisecting_frames, shell_edges};
use stiction_numerics::Vec3;

fn rest() -> Vec<Vec3> {
    vec![
        Vec3::new(0.0, 0.0, 0.01),
        Vec3::new(0.11, 0.02, 0.0),
        Vec3::new(0.03, 0.09, 0.0),
        Vec3::new(0.13, 0.12, 0.02),
        Vec3::new(-0.08, 0.07, -0.01),
        Vec3::new(0.04, -0.07, 0.0),
    ]
}

struct Patch {
    triangles: Vec<[u32; 3]>,
    edges: Vec<stiction_bodies::ShellEdge>,
    elements: ShapeElements,
    materials: MaterialTable,
}

fn patch(triangles: &[[u32; 3]]) -> Patch {
    let (rest, triangles) = (rest(), triangles.to_vec());
    let edges = shell_edges(&triangles, 0);
    let first = EdgeNumbering { block: rest.len(), frame: 0, factor: 0 };
    let corners = |t: usize| triangles[t].map(|n| rest[n as usize]);
    let elements = ShapeElements::new(&triangles, &edges, first, &rest, corners, 0).unwrap();
    let plate_factors = elements.factors(&Plate::new(1e-3, 0.3).unwrap());
    let materials = MaterialTable { plate_factors, ..MaterialTable::default() };
    Patch { triangles, edges, elements, materials }
}

impl Patch {
    fn frames(&self, positions: &[Vec3]) -> Vec<EdgeFrame> {
        bisecting_frames(&self.edges, |_| &self.triangles[..], positions)
    }

    fn energy(&self, blocks: &[Vec3], frames: &[EdgeFrame]) -> f64 {
        fn sum<const N: usize>(list: &[ShapeOperatorElement<N>], at: &Configuration<'_>) -> f64 {
            list.iter().map(|e| e.energy(&at.gather(e.blocks()))).sum()
        }
        let (e, at) = (&self.elements, &Configuration { blocks, frames, materials: &self.materials });
        sum(&e.four, at) + sum(&e.five, at) + sum(&e.six, at)
    }
}

/// Three flaps; the third is wound against the others.
const FULL: [[u32; 3]; 4] = [[0, 1, 2], [1, 3, 2], [2, 4, 0], [0, 1, 5]];

fn check<const N: usize>(element: &ShapeOperatorElement<N>, frames: &[EdgeFrame], materials: &MaterialTable) {
    let mut checks = Checks { projection: HessianProjection::StandIn, samples: 12, ..Checks::nodes(0.05) };
    for angle in 3..N {
        (checks.sizes[angle], checks.twist[angle]) = (1.0, true);
    }
    let sampler = |random: &mut TestRandom| Stencil {
        x: std::array::from_fn(|i| match rest().get(element.blocks()[i] as usize) {
            Some(place) if i < 3 => place + random.vector() * 0.03,
            _ => Vec3::new(random.range(-1.0, 1.0), 0.0, 0.0),
        }),
        frames,
        materials,
    };
    check_element(element, sampler, &checks);
}

#[test]
fn derivatives_with_three_two_and_one_inner_edges() {
    // Frames of another configuration: the tangents have turned since the start of the step.
    let mut random = TestRandom::new(3);
    let started: Vec<Vec3> = rest().iter().map(|x| x + random.vector() * 0.02).collect();
    for triangles in [&FULL[..], &FULL[..3], &FULL[..2]] {
        let patch = patch(triangles);
        let frames = patch.frames(&started);
        patch.elements.six.iter().for_each(|e| check(e, &frames, &patch.materials));
        patch.elements.five.iter().for_each(|e| check(e, &frames, &patch.materials));
        patch.elements.four.iter().for_each(|e| check(e, &frames, &patch.materials));
        assert_eq!(patch.elements.len(), triangles.len());
    }
}

#[test]
fn winding_of_the_triangles_does_not_matter() {
    let mut random = TestRandom::new(5);
    let mut blocks: Vec<Vec3> = rest().iter().map(|x| x + random.vector() * 0.03).collect();
    let positions = blocks.clone();
    let one = patch(&[[0, 1, 2], [1, 3, 2], [2, 4, 0], [1, 0, 5]]);
    blocks.extend(one.edges.iter().map(|_| Vec3::new(random.range(-0.3, 0.3), 0.0, 0.0)));
    let expected = one.energy(&blocks, &one.frames(&positions));
    for mask in 0..8 {
        let mut triangles = one.triangles.clone();
        (0..3).filter(|k| mask >> k & 1 == 1).for_each(|k| triangles[k + 1].swap(1, 2));
        let other = patch(&triangles);
        let energy = other.energy(&blocks, &other.frames(&positions));
        assert!((energy / expected - 1.0).abs() < 1e-12, "{mask}: {energy} {expected}");
    }
}

#[test]
fn rest_shape_has_no_energy_and_exact_equals_projected() {
    let patch = patch(&FULL);
    let mut blocks = rest();
    let frames = patch.frames(&blocks);
    blocks.resize(rest().len() + patch.edges.len(), Vec3::zeros());
    assert!(patch.energy(&blocks, &frames) < 1e-30);
    let element = patch.elements.six[0];
    let at = Configuration { blocks: &blocks, frames: &frames, materials: &patch.materials }
        .gather(element.blocks());
    let (exact, projected) =
        (element.hessian(&at, Curvature::Exact), element.hessian(&at, Curvature::Projected));
    let scale = exact.iter().flatten().map(|b| b.amax()).fold(0.0, f64::max);
    for (e, p) in exact.iter().flatten().zip(projected.iter().flatten()) {
        assert!((e - p).amax() < 1e-9 * scale);
    }
}

#[test]
fn collapsed_triangles_stay_finite() {
    let patch = patch(&FULL);
    let frames = patch.frames(&rest());
    let element = patch.elements.six[0];
    let mut line: [Vec3; 6] = std::array::from_fn(|i| Vec3::x() * i as f64);
    for shape in [line, [Vec3::zeros(); 6], {
        line[2].y = 1e-13;
        line
    }] {
        let at = Stencil { x: shape, frames: &frames, materials: &patch.materials };
        assert!(element.energy(&at).is_finite());
        assert!(element.gradient(&at).iter().all(|g| g.iter().all(|c| c.is_finite())));
        for curvature in [Curvature::Exact, Curvature::Projected] {
            let hessian = element.hessian(&at, curvature);
            assert!(hessian.iter().flatten().all(|b| b.iter().all(|c| c.is_finite())));
        }
    }
}

/// Folding through half a turn and beyond: the energy grows on, since each side sees half of the
/// fold.
#[test]
fn a_fold_of_half_a_turn_is_no_special_place() {
    let patch = patch(&FULL[..2]);
    let at_rest = rest();
    let (hinge, arm) = (at_rest[1], at_rest[3] - at_rest[1]);
    let axis = (at_rest[2] - hinge).normalize();
    let frames = patch.frames(&at_rest);
    let mut before = 0.0;
    for degrees in (0..=300).step_by(20) {
        let angle = f64::from(degrees).to_radians();
        let mut blocks = at_rest.clone();
        let turned = arm * angle.cos()
            + axis.cross(&arm) * angle.sin()
            + axis * (axis.dot(&arm) * (1.0 - angle.cos()));
        blocks[3] = hinge + turned;
        // The normal turns by half of the fold.
        blocks.push(Vec3::new(0.5 * angle, 0.0, 0.0));
        let energy = patch.energy(&blocks, &frames);
        let expected = before + if degrees == 0 { 0.0 } else { f64::MIN_POSITIVE };
        assert!(energy >= expected, "{degrees}: {energy} after {before}");
        before = energy;
    }
}
