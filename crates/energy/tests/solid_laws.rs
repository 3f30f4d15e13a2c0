//! Solid laws on a tetrahedron: derivatives in ordinary, inverted and degenerate states,
//! projection, invariance.

use stiction_energy::check::{Checks, Invariance, TestRandom, check_element};
use stiction_energy::{
    Curvature, Element, Lame, MaterialTable, RestShapeError, SolidLaw, Stencil, TetElement,
};
use stiction_numerics::nalgebra::SMatrix;
use stiction_numerics::{Mat3, Vec3, project_spd};

const REST: [Vec3; 4] = [
    Vec3::new(0.1, 0.0, 0.0),
    Vec3::new(0.5, 0.05, -0.02),
    Vec3::new(0.15, 0.35, 0.04),
    Vec3::new(0.2, 0.1, 0.45),
];
const SIZE: f64 = 0.4;

fn tet() -> TetElement {
    TetElement::new([0, 1, 2, 3], &REST, 0).unwrap()
}

fn of(law: SolidLaw) -> MaterialTable {
    MaterialTable::of_solid(law, Lame::solid(2e4, 0.35))
}

/// A state with the given principal stretches in random directions.
fn stretched<'a>(random: &mut TestRandom, stretches: Vec3, materials: &'a MaterialTable) -> Stencil<'a, 4> {
    let f = random.rotation() * Mat3::from_diagonal(&stretches) * random.rotation();
    let shift = random.vector();
    Stencil { x: REST.map(|x| f * x + shift), frames: &[], materials }
}

/// Linear elasticity alone takes rotations for strain.
fn checks(law: SolidLaw) -> Checks<4> {
    let invariance = if law == SolidLaw::Linear { Invariance::Translation } else { Invariance::Rigid };
    Checks { invariance, ..Checks::nodes(SIZE) }
}

fn check_stretches(law: SolidLaw, stretches: &[[f64; 3]]) {
    let (checks, materials) = (Checks { samples: 4, ..checks(law) }, of(law));
    for s in stretches {
        check_element(&tet(), |random| stretched(random, Vec3::from(*s), &materials), &checks);
    }
}

const ORDINARY: [[f64; 3]; 6] =
    [[1.0, 1.0, 1.0], [1.3, 1.0, 0.8], [1.6, 1.6, 0.5], [0.7, 0.7, 0.7], [2.0, 0.6, 0.59], [0.4, 0.3, 0.2]];
const INVERTED: [[f64; 3]; 4] = [[1.2, 0.9, -0.4], [1.0, 1.0, -0.3], [0.8, 0.5, -0.1], [1.5, 1.2, -0.9]];
const FLAT: [[f64; 3]; 2] = [[1.1, 0.8, 0.0], [0.6, 0.6, 0.0]];
const LINE_OR_POINT: [[f64; 3]; 3] = [[1.1, 0.0, 0.0], [0.0, 0.0, 0.0], [0.9, 0.5, -0.5]];

#[test]
fn derivatives_in_ordinary_states() {
    for (_, law) in SolidLaw::all() {
        check_stretches(law, &ORDINARY);
    }
}

#[test]
fn derivatives_in_random_states() {
    for (_, law) in SolidLaw::all() {
        let (checks, materials) = (checks(law), of(law));
        check_element(
            &tet(),
            |random| {
                let f = loop {
                    let f = Mat3::identity() + Mat3::from_fn(|_, _| random.range(-0.5, 0.5));
                    if f.determinant() > 0.2 {
                        break random.rotation() * f;
                    }
                };
                Stencil { x: REST.map(|x| f * x), frames: &[], materials: &materials }
            },
            &checks,
        );
    }
}

#[test]
fn derivatives_in_inverted_and_flat_states() {
    for (_, law) in SolidLaw::all().filter(|(name, _)| name.is_defined_when_inverted()) {
        check_stretches(law, &INVERTED);
        check_stretches(law, &FLAT);
    }
}

/// Polynomials in F are smooth even where the rotation is not unique.
#[test]
fn polynomial_laws_are_smooth_in_collapsed_states() {
    for law in [SolidLaw::StVenantKirchhoff, SolidLaw::StableNeoHookean] {
        check_stretches(law, &LINE_OR_POINT);
    }
}

#[test]
fn corotated_laws_stay_finite_where_the_rotation_is_not_unique() {
    let mut random = TestRandom::new(5);
    for law in [SolidLaw::Corotated, SolidLaw::FixedCorotated] {
        let materials = of(law);
        for stretches in LINE_OR_POINT {
            let at = stretched(&mut random, Vec3::from(stretches), &materials);
            assert!(tet().energy(&at).is_finite());
            assert!(tet().gradient(&at).iter().all(|g| g.iter().all(|x| x.is_finite())));
            let hessian = tet().hessian(&at, Curvature::Projected);
            assert!(hessian.iter().flatten().all(|b| b.iter().all(|x| x.is_finite())));
        }
    }
}

/// As documented: flat elements open again, a point does not.
#[test]
fn stable_neo_hookean_opens_flat_elements_but_not_points() {
    let lame = Lame::solid(1.0, 0.3);
    let law = SolidLaw::StableNeoHookean;
    let flat = Mat3::from_diagonal(&Vec3::new(1.0, 1.0, 0.0));
    assert!(law.stress(&flat, &lame)[(2, 2)] < 0.0);
    let inverted = Mat3::from_diagonal(&Vec3::new(1.0, 1.0, -0.5));
    assert!(law.stress(&inverted, &lame)[(2, 2)] < 0.0);
    assert_eq!(law.stress(&Mat3::zeros(), &lame), Mat3::zeros());
    let at_point = law.hessian(&Mat3::zeros(), &lame, Curvature::Exact).dense();
    assert!((at_point - SMatrix::identity() * lame.mu).amax() < 1e-15);
}

#[test]
fn neo_hookean_is_infinite_when_inverted_or_flat() {
    let mut random = TestRandom::new(6);
    let materials = of(SolidLaw::NeoHookean);
    for stretches in INVERTED {
        let at = stretched(&mut random, Vec3::from(stretches), &materials);
        assert_eq!(tet().energy(&at), f64::INFINITY);
    }
    let lame = Lame::solid(1.0, 0.3);
    let flat = Mat3::from_diagonal(&Vec3::new(1.0, 1.0, 0.0));
    assert_eq!(SolidLaw::NeoHookean.energy(&flat, &lame), f64::INFINITY);
}

/// The projection of the eigensystem is the projection of the full 9×9 matrix.
#[test]
fn projection_equals_dense_projection() {
    let lame = Lame::solid(3.0, 0.4);
    let mut random = TestRandom::new(7);
    for (name, law) in SolidLaw::all() {
        let inverted = if name.is_defined_when_inverted() { &INVERTED[..] } else { &[] };
        for stretches in ORDINARY.iter().chain(inverted) {
            let s = Mat3::from_diagonal(&Vec3::from(*stretches));
            let f = random.rotation() * s * random.rotation();
            let exact = law.hessian(&f, &lame, Curvature::Exact).dense();
            let projected = law.hessian(&f, &lame, Curvature::Projected).dense();
            let oracle = project_spd(&((exact + exact.transpose()) * 0.5));
            let deviation = (projected - oracle).amax() / exact.amax();
            assert!(deviation < 1e-12, "{law:?} {stretches:?}: {deviation:e}");
        }
    }
}

/// The 9×9 matrix is the derivative of the stress, entry order included.
#[test]
fn dense_hessian_is_the_derivative_of_the_stress() {
    let lame = Lame::solid(3.0, 0.2);
    let mut random = TestRandom::new(8);
    let step = 1e-5;
    for (_, law) in SolidLaw::all() {
        let f = Mat3::identity() + Mat3::from_fn(|_, _| random.range(-0.2, 0.2));
        let dense: SMatrix<f64, 9, 9> = law.hessian(&f, &lame, Curvature::Exact).dense();
        for entry in 0..9 {
            let (mut plus, mut minus) = (f, f);
            plus[entry] += step;
            minus[entry] -= step;
            let slope = (law.stress(&plus, &lame) - law.stress(&minus, &lame)) / (2.0 * step);
            let column = dense.column(entry);
            let deviation = (0..9).map(|k| (slope[k] - column[k]).abs()).fold(0.0, f64::max);
            // Central differences: step² times third derivatives of order ten moduli.
            assert!(deviation < 1e-8 * dense.amax(), "{law:?}: {deviation:e}");
        }
    }
}

#[test]
fn flat_and_inside_out_tets_are_refused() {
    let mut flat = REST;
    flat[3] = (REST[0] + REST[1] + REST[2]) / 3.0;
    let mut swapped = REST;
    swapped.swap(0, 1);
    let mut broken = REST;
    broken[2].x = f64::NAN;
    for rest in [flat, swapped, broken] {
        let error = TetElement::new([3, 1, 4, 9], &rest, 0).unwrap_err();
        assert!(matches!(error, RestShapeError::DegenerateTet { nodes: [3, 1, 4, 9], .. }));
    }
}

/// A law is infinite when inverted or flat exactly where the table says so.
#[test]
fn the_table_says_what_happens_when_inverted() {
    let lame = Lame::solid(1.0, 0.3);
    for (name, law) in SolidLaw::all() {
        for stretches in [Vec3::new(1.1, 0.9, -0.5), Vec3::new(1.1, 0.9, 0.0)] {
            let f = Mat3::from_diagonal(&stretches);
            assert_eq!(law.energy(&f, &lame).is_finite(), name.is_defined_when_inverted(), "{law:?}");
            assert_eq!(law.stress(&f, &lame).iter().all(|p| p.is_finite()), name.is_defined_when_inverted());
        }
    }
}

/// Rubber without its second invariant at constant volume, and the pull of an incompressible sheet:
/// for stretches λ, λ, λ⁻² the pressure-free stress is `P₁ = 2(λ − λ⁻⁵)(C₁₀ + C₀₁ λ²)`
/// [equibiaxial test of Mooney–Rivlin rubber]
#[test]
fn mooney_rivlin_has_the_stress_of_an_equibiaxial_test() {
    let lame = Lame { lambda: 0.0, mu: 1.0 };
    for fraction in [0.0, 0.2, 1.0] {
        let (c10, c01) = (0.5 * (1.0 - fraction), 0.5 * fraction);
        for stretch in [0.8f64, 1.3, 2.0] {
            let f = Mat3::from_diagonal(&Vec3::new(stretch, stretch, stretch.powi(-2)));
            let p = SolidLaw::MooneyRivlin { fraction }.stress(&f, &lame);
            // The pressure that frees the thin side: P₃σ₃ off every P_iσ_i.
            let pull = p[(0, 0)] - p[(2, 2)] * f[(2, 2)] / stretch;
            let expected = 2.0 * (stretch - stretch.powi(-5)) * (c10 + c01 * stretch * stretch);
            assert!(
                (pull - expected).abs() < 1e-12 * expected.abs(),
                "{fraction} {stretch}: {pull} {expected}"
            );
        }
    }
}

/// As documented: a rotation costs energy of fourth order in its angle, ψ = μ·2(1 − cos φ)² +
/// ½λ·4(1 − cos φ)².
#[test]
fn linear_elasticity_takes_rotations_for_strain() {
    let lame = Lame { lambda: 3.0, mu: 2.0 };
    let angle: f64 = 0.4;
    let (sine, cosine) = angle.sin_cos();
    let turn = Mat3::new(cosine, -sine, 0.0, sine, cosine, 0.0, 0.0, 0.0, 1.0);
    let swell = 1.0 - cosine;
    let expected = (2.0 * lame.mu + 2.0 * lame.lambda) * swell * swell;
    assert!((SolidLaw::Linear.energy(&turn, &lame) - expected).abs() < 1e-14);
}
