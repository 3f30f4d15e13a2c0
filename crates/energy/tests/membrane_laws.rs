//! Membrane laws on a triangle: derivatives in ordinary, compressed and collapsed states,
//! projection, invariance.

use stiction_energy::check::{Checks, HessianProjection, TestRandom, check_element};
use stiction_energy::{
    BaraffWitkin, Curvature, Element, Lame, MaterialTable, MembraneLaw, Orthotropic, RestShapeError, Stencil,
    TriangleElement, TriangleRest,
};
use stiction_numerics::nalgebra::SMatrix;
use stiction_numerics::{Mat2, Mat3x2, Vec2, Vec3, project_spd};

const PATTERN: [Vec2; 3] = [Vec2::new(0.1, 0.0), Vec2::new(0.4, 0.05), Vec2::new(0.15, 0.35)];
const SIZE: f64 = 0.3;

fn laws() -> [MembraneLaw; 6] {
    let lame = Lame::plane_stress(1e5, 0.3, 1e-3);
    [
        MembraneLaw::StVenantKirchhoff(lame),
        MembraneLaw::Orthotropic(Orthotropic::from_moduli(2e5, 1e5, 0.25, 3e4, 1e-3)),
        MembraneLaw::NeoHookean(lame),
        MembraneLaw::StableNeoHookean(lame),
        MembraneLaw::Corotated(lame),
        MembraneLaw::BaraffWitkin(BaraffWitkin::from_moduli(2e5, 1e5, 3e4, 1e-3)),
    ]
}

fn is_isotropic(law: &MembraneLaw) -> bool {
    !matches!(law, MembraneLaw::Orthotropic(_) | MembraneLaw::BaraffWitkin(_))
}

fn triangle() -> TriangleElement {
    let rest = TriangleRest::from_pattern([0, 1, 2], &PATTERN, &Vec2::new(0.8, 0.6)).unwrap();
    TriangleElement { nodes: [0, 1, 2], rest, material: 0 }
}

fn gradient_of(random: &mut TestRandom, stretches: Vec2) -> Mat3x2 {
    let (sine, cosine) = random.range(-3.0, 3.0).sin_cos();
    let left = random.rotation().fixed_columns::<2>(0).into_owned();
    left * Mat2::from_diagonal(&stretches) * Mat2::new(cosine, -sine, sine, cosine)
}

fn stretched<'a>(random: &mut TestRandom, stretches: Vec2, materials: &'a MaterialTable) -> Stencil<'a, 3> {
    let f = gradient_of(random, stretches);
    let shift = random.vector();
    Stencil { x: PATTERN.map(|p| f * p + shift), frames: &[], materials }
}

fn checks(law: &MembraneLaw) -> Checks<3> {
    let term_by_term = matches!(law, MembraneLaw::BaraffWitkin(_));
    let projection = if term_by_term { HessianProjection::StandIn } else { HessianProjection::Eigenvalues };
    Checks { projection, samples: 6, ..Checks::nodes(SIZE) }
}

const ORDINARY: [[f64; 2]; 7] =
    [[1.0, 1.0], [1.2, 1.0], [1.3, 0.8], [0.8, 0.8], [1.7, 1.7], [0.6, 0.55], [1.4, 0.3]];

#[test]
fn derivatives_in_tension_and_compression() {
    for law in laws() {
        let materials = MaterialTable::of_membrane(law);
        for s in ORDINARY {
            check_element(&triangle(), |random| stretched(random, Vec2::from(s), &materials), &checks(&law));
        }
    }
}

/// Polynomial laws, and threads that keep a length, are smooth when the triangle has collapsed to a
/// line.
#[test]
fn derivatives_in_collapsed_states() {
    for law in [laws()[0], laws()[1], laws()[5]] {
        let materials = MaterialTable::of_membrane(law);
        for s in [[1.2, 0.0], [0.7, 0.0]] {
            // Threads near the collapsed direction are short: a smaller step stays within their
            // smooth range.
            let checks = Checks { step: 1e-4, ..checks(&law) };
            check_element(&triangle(), |random| stretched(random, Vec2::from(s), &materials), &checks);
        }
    }
}

#[test]
fn collapse_stays_finite_where_the_law_says_so() {
    let mut random = TestRandom::new(4);
    for law in laws().into_iter().filter(|l| !matches!(l, MembraneLaw::NeoHookean(_))) {
        let materials = MaterialTable::of_membrane(law);
        for s in [[1.0, 0.0], [0.0, 0.0]] {
            let (element, at) = (triangle(), stretched(&mut random, Vec2::from(s), &materials));
            assert!(element.energy(&at).is_finite());
            assert!(element.gradient(&at).iter().all(|g| g.iter().all(|x| x.is_finite())), "{law:?} {s:?}");
            let hessian = element.hessian(&at, Curvature::Projected);
            assert!(hessian.iter().flatten().all(|b| b.iter().all(|x| x.is_finite())), "{law:?} {s:?}");
        }
    }
    assert_eq!(laws()[2].energy(&Mat3x2::zeros()), f64::INFINITY);
}

fn dense(law: &MembraneLaw, f: &Mat3x2, curvature: Curvature) -> SMatrix<f64, 6, 6> {
    let h = law.hessian(f, curvature);
    let mut dense = SMatrix::<f64, 6, 6>::zeros();
    for (row, column, block) in [(0, 0, h.h11), (0, 3, h.h12), (3, 0, h.h12.transpose()), (3, 3, h.h22)] {
        dense.fixed_view_mut::<3, 3>(row, column).copy_from(&block);
    }
    (dense + dense.transpose()) * 0.5
}

#[test]
fn isotropic_projection_equals_dense_projection() {
    let mut random = TestRandom::new(5);
    for law in laws().iter().filter(|l| is_isotropic(l)) {
        for s in ORDINARY {
            let f = gradient_of(&mut random, Vec2::from(s));
            let oracle = project_spd(&dense(law, &f, Curvature::Exact));
            let deviation = (dense(law, &f, Curvature::Projected) - oracle).amax() / oracle.amax();
            assert!(deviation < 1e-12, "{law:?} {s:?}: {deviation:e}");
        }
    }
}

/// The shear of Baraff–Witkin alone: its analytic projection is the projection of the full matrix.
#[test]
fn shear_projection_equals_dense_projection() {
    let law = MembraneLaw::BaraffWitkin(BaraffWitkin { stretch_u: 0.0, stretch_v: 0.0, shear: 2.0 });
    let mut random = TestRandom::new(6);
    let mut states: Vec<Mat3x2> = (0..50).map(|_| Mat3x2::from_fn(|_, _| random.range(-1.0, 1.0))).collect();
    states.push(Mat3x2::from_columns(&[Vec3::x(), Vec3::x()]));
    states.push(Mat3x2::from_columns(&[Vec3::x(), -Vec3::x()]));
    for f in states {
        let oracle = project_spd(&dense(&law, &f, Curvature::Exact));
        let deviation = (dense(&law, &f, Curvature::Projected) - oracle).amax() / oracle.amax();
        assert!(deviation < 1e-12, "{f}: {deviation:e}");
    }
}

/// Projected minus exact is positive semi-definite for every law: a projection only ever adds
/// stiffness.
#[test]
fn projections_bound_the_exact_hessian() {
    let mut random = TestRandom::new(7);
    for law in laws() {
        for s in ORDINARY {
            let f = gradient_of(&mut random, Vec2::from(s));
            let projected = dense(&law, &f, Curvature::Projected);
            let excess = projected - dense(&law, &f, Curvature::Exact);
            let low = excess.symmetric_eigenvalues().min();
            assert!(low > -1e-12 * projected.amax(), "{law:?} {s:?}: {low:e}");
        }
    }
}

#[test]
fn orthotropic_with_equal_axes_is_isotropic() {
    let (young, poisson, thickness) = (1e5, 0.3, 1e-3);
    let shear = young / (2.0 * (1.0 + poisson));
    let woven = MembraneLaw::Orthotropic(Orthotropic::from_moduli(young, young, poisson, shear, thickness));
    let plain = MembraneLaw::StVenantKirchhoff(Lame::plane_stress(young, poisson, thickness));
    let mut random = TestRandom::new(8);
    for s in ORDINARY {
        let f = gradient_of(&mut random, Vec2::from(s));
        assert!((woven.energy(&f) - plain.energy(&f)).abs() <= 1e-12 * young * thickness);
        assert!((woven.stress(&f) - plain.stress(&f)).amax() <= 1e-12 * young * thickness);
        let deviation = dense(&woven, &f, Curvature::Exact) - dense(&plain, &f, Curvature::Exact);
        assert!(deviation.amax() <= 1e-12 * young * thickness);
    }
}

#[test]
fn positions_and_pattern_give_the_same_rest_shape() {
    let warp = Vec2::new(0.8, 0.6);
    let flat = TriangleRest::from_pattern([0, 1, 2], &PATTERN, &warp).unwrap();
    let turn = TestRandom::new(9).rotation();
    let lift = |p: Vec2| turn * Vec3::new(p.x, p.y, 0.2);
    let warp_in_space = turn * Vec3::new(warp.x, warp.y, 5.0);
    let lifted = TriangleRest::from_positions([0, 1, 2], &PATTERN.map(lift), &warp_in_space).unwrap();
    assert!((flat.inverse - lifted.inverse).amax() < 1e-12 * flat.inverse.amax());
    assert!((flat.area - lifted.area).abs() < 1e-14);
}

/// A pull along warp sees C₁₁ and a pull along weft C₂₂, whatever the orientation in the pattern.
#[test]
fn stiffness_follows_the_warp_direction() {
    let (c11, c22) = (300.0, 100.0);
    let law = MembraneLaw::Orthotropic(Orthotropic { c11, c22, c12: 20.0, c33: 10.0 });
    let warp = Vec2::new(0.6, -0.8);
    let rest = TriangleRest::from_pattern([0, 1, 2], &PATTERN, &warp).unwrap();
    let element = TriangleElement { nodes: [0, 1, 2], rest, material: 0 };
    let materials = &MaterialTable::of_membrane(law);
    for (axis, modulus) in [(warp, c11), (Vec2::new(0.8, 0.6), c22)] {
        let stretch: f64 = 1.1;
        let f = Mat2::identity() + axis * axis.transpose() * (stretch - 1.0);
        let x = PATTERN.map(|p| Vec3::new((f * p).x, (f * p).y, 0.0));
        let strain = 0.5 * (stretch * stretch - 1.0);
        let expected = rest.area * 0.5 * modulus * strain * strain;
        assert!((element.energy(&Stencil { x, frames: &[], materials }) / expected - 1.0).abs() < 1e-12);
    }
}

#[test]
fn triangles_without_area_are_refused() {
    let line = [Vec2::zeros(), Vec2::new(1.0, 1.0), Vec2::new(2.0, 2.0)];
    let error = TriangleRest::from_pattern([7, 8, 9], &line, &Vec2::x()).unwrap_err();
    assert!(matches!(error, RestShapeError::DegenerateTriangle { nodes: [7, 8, 9], .. }));
    let in_space = line.map(|p| Vec3::new(p.x, p.y, 1.0));
    assert!(TriangleRest::from_positions([7, 8, 9], &in_space, &Vec3::x()).is_err());
    let broken = [Vec2::zeros(), Vec2::new(f64::NAN, 1.0), Vec2::y()];
    assert!(TriangleRest::from_pattern([7, 8, 9], &broken, &Vec2::x()).is_err());
}

#[test]
fn warp_along_the_normal_falls_back_to_the_first_edge() {
    let rest = [Vec3::zeros(), Vec3::y(), Vec3::z()];
    let along_normal = TriangleRest::from_positions([0, 1, 2], &rest, &Vec3::x()).unwrap();
    let along_edge = TriangleRest::from_positions([0, 1, 2], &rest, &Vec3::y()).unwrap();
    assert_eq!(along_normal, along_edge);
}
