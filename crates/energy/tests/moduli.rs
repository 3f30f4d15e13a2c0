//! Small-strain moduli: every law gives back the E, ν (and G) that it was made from, to 1e-6.

use std::path::Path;
use stiction_energy::{BaraffWitkin, Curvature, Lame, MembraneLaw, Orthotropic, SolidLaw};
use stiction_numerics::{Mat3, Mat3x2, Vec3};
use stiction_scene::Material;
use stiction_scene::law::{LAWS, Law};

/// Central differences over ±STRAIN: the error is of the order STRAIN² = 1e-10.
const STRAIN: f64 = 1e-5;
const TOLERANCE: f64 = 1e-6;

fn assert_close(what: &str, measured: f64, expected: f64) {
    let scale = expected.abs().max(1e-3);
    assert!((measured - expected).abs() < TOLERANCE * scale, "{what}: {measured} instead of {expected}");
}

/// The lateral strain at which `lateral_stress` vanishes, by the secant method.
fn free_lateral_strain(lateral_stress: impl Fn(f64) -> f64) -> f64 {
    let (mut a, mut b) = (0.0, -0.1 * STRAIN);
    let (mut fa, mut fb) = (lateral_stress(a), lateral_stress(b));
    for _ in 0..20 {
        if fa == fb {
            break;
        }
        let next = b - fb * (b - a) / (fb - fa);
        (a, fa) = (b, fb);
        (b, fb) = (next, lateral_stress(next));
    }
    b
}

#[test]
fn solids_under_uniaxial_stress() {
    let (young, poisson) = (5e5, 0.37);
    let lame = Lame::solid(young, poisson);
    for (_, law) in SolidLaw::all() {
        let pulled = |axial: f64| {
            let f = |lateral: f64| Mat3::from_diagonal(&Vec3::new(1.0 + axial, 1.0 + lateral, 1.0 + lateral));
            let lateral = free_lateral_strain(|l| law.stress(&f(l), &lame)[(1, 1)]);
            (law.stress(&f(lateral), &lame)[(0, 0)], lateral)
        };
        let ((pull, thin), (push, thick)) = (pulled(STRAIN), pulled(-STRAIN));
        assert_close(&format!("{law:?} E"), (pull - push) / (2.0 * STRAIN), young);
        assert_close(&format!("{law:?} ν"), (thick - thin) / (2.0 * STRAIN), poisson);
    }
}

#[test]
fn solids_from_the_hessian_at_rest() {
    let (young, poisson) = (5e5, 0.37);
    let lame = Lame::solid(young, poisson);
    for (_, law) in SolidLaw::all() {
        let h = law.hessian(&Mat3::identity(), &lame, Curvature::Exact).dense();
        // Column-major entries: F₀₀ = 0, F₁₁ = 4, F₁₀ = 1, F₀₁ = 3. Shear δF = e₀e₁ᵀ + e₁e₀ᵀ has
        // energy ½·4μ.
        let lambda = h[(0, 4)];
        let mu = (h[(1, 1)] + 2.0 * h[(1, 3)] + h[(3, 3)]) / 4.0;
        assert_close(&format!("{law:?} C₁₁"), h[(0, 0)], lambda + 2.0 * mu);
        assert_close(&format!("{law:?} E"), mu * (3.0 * lambda + 2.0 * mu) / (lambda + mu), young);
        assert_close(&format!("{law:?} ν"), lambda / (2.0 * (lambda + mu)), poisson);
        let rotation = h[(1, 1)] - 2.0 * h[(1, 3)] + h[(3, 3)];
        assert!(rotation.abs() < 1e-9 * young, "{law:?} resists a rotation at rest: {rotation}");
    }
}

/// E along `axis`, and ν and G, of a membrane of unit thickness under plane stress.
fn measured_membrane(law: &MembraneLaw, axis: usize) -> (f64, f64, f64) {
    let other = 1 - axis;
    let pulled = |axial: f64| {
        let f = |lateral: f64| {
            let mut f = Mat3x2::identity();
            f[(axis, axis)] += axial;
            f[(other, other)] += lateral;
            f
        };
        let lateral = free_lateral_strain(|l| law.stress(&f(l))[(other, other)]);
        (law.stress(&f(lateral))[(axis, axis)], lateral)
    };
    let ((pull, thin), (push, thick)) = (pulled(STRAIN), pulled(-STRAIN));
    let sheared = |shear: f64| {
        let mut f = Mat3x2::identity();
        f[(0, 1)] = 0.5 * shear;
        f[(1, 0)] = 0.5 * shear;
        law.stress(&f)[(0, 1)]
    };
    let shear = (sheared(STRAIN) - sheared(-STRAIN)) / (2.0 * STRAIN);
    ((pull - push) / (2.0 * STRAIN), (thick - thin) / (2.0 * STRAIN), shear)
}

/// The same from the Hessian at rest: C₁₁, C₂₂, C₁₂, C₃₃.
fn rest_stiffness(law: &MembraneLaw) -> [f64; 4] {
    let h = law.hessian(&Mat3x2::identity(), Curvature::Exact);
    // Shear δF = ½(e₀e₁ᵀ + e₁e₀ᵀ) has engineering strain 1.
    let shear = 0.25 * (h.h11[(1, 1)] + 2.0 * h.h12[(1, 0)] + h.h22[(0, 0)]);
    [h.h11[(0, 0)], h.h22[(1, 1)], h.h12[(0, 1)], shear]
}

#[test]
fn isotropic_membranes_under_plane_stress() {
    let (young, poisson, thickness) = (8e5, 0.28, 4e-4);
    let lame = Lame::plane_stress(young, poisson, thickness);
    let shear = young / (2.0 * (1.0 + poisson));
    for law in [
        MembraneLaw::StVenantKirchhoff(lame),
        MembraneLaw::NeoHookean(lame),
        MembraneLaw::StableNeoHookean(lame),
        MembraneLaw::Corotated(lame),
    ] {
        for axis in 0..2 {
            let (e, nu, g) = measured_membrane(&law, axis);
            assert_close(&format!("{law:?} E"), e / thickness, young);
            assert_close(&format!("{law:?} ν"), nu, poisson);
            assert_close(&format!("{law:?} G"), g / thickness, shear);
        }
        let [c11, c22, c12, c33] = rest_stiffness(&law);
        assert_close(&format!("{law:?} rest E"), (c11 - c12 * c12 / c22) / thickness, young);
        assert_close(&format!("{law:?} rest ν"), c12 / c22, poisson);
        assert_close(&format!("{law:?} rest G"), c33 / thickness, shear);
    }
}

#[test]
fn woven_membranes_under_plane_stress() {
    let (warp, weft, poisson, shear, thickness) = (9e5, 4e5, 0.31, 7e4, 5e-4);
    let woven = MembraneLaw::Orthotropic(Orthotropic::from_moduli(warp, weft, poisson, shear, thickness));
    let threads = MembraneLaw::BaraffWitkin(BaraffWitkin::from_moduli(warp, weft, shear, thickness));
    for (law, poisson) in [(woven, poisson), (threads, 0.0)] {
        let along_warp = measured_membrane(&law, 0);
        let along_weft = measured_membrane(&law, 1);
        assert_close("E₁", along_warp.0 / thickness, warp);
        assert_close("E₂", along_weft.0 / thickness, weft);
        assert_close("ν₁₂", along_warp.1, poisson);
        assert_close("ν₂₁", along_weft.1, poisson * weft / warp);
        assert_close("G", along_warp.2 / thickness, shear);
        let [c11, c22, c12, c33] = rest_stiffness(&law);
        assert_close("rest E₁", (c11 - c12 * c12 / c22) / thickness, warp);
        assert_close("rest E₂", (c22 - c12 * c12 / c11) / thickness, weft);
        assert_close("rest ν₁₂", c12 / c22, poisson);
        assert_close("rest G", c33 / thickness, shear);
    }
}

/// What scenes name, through their materials: `arap` has the Young's modulus given and no Poisson
/// effect, all others both.
#[test]
fn laws_of_cloth_have_the_moduli_of_their_material() {
    let (young, poisson) = (8e5, 0.28);
    for row in LAWS.iter().filter(|row| row.cloth && row.law != Law::BaraffWitkin) {
        let text = format!(
            "stiction = 1\n[bodies.sheet]\nkind = 'cloth'\nmesh = {{ grid = {{ size = [1, 1], cells = [1, 1] }} }}
            material = {{ density = 500.0, thickness = 4e-4, young = {young}, poisson = {poisson}, law = '{}' }}",
            row.name
        );
        let loaded = stiction_scene::load_text("test.toml", &text, Path::new("."), &[] as &[&str]);
        let scene = loaded.unwrap_or_else(|error| panic!("{}: {error}", row.name)).scene;
        let Material::Cloth(cloth) = &scene.bodies[0].material else { panic!("cloth") };
        let law = MembraneLaw::of(cloth).expect("a law of cloth");
        let ratio = if row.law == Law::Arap { 0.0 } else { poisson };
        let (e, nu, g) = measured_membrane(&law, 0);
        assert_close(&format!("{} E", row.name), e / cloth.thickness, young);
        assert_close(&format!("{} ν", row.name), nu, ratio);
        assert_close(&format!("{} G", row.name), g / cloth.thickness, young / (2.0 * (1.0 + ratio)));
        let small = law.small_strain();
        assert_close(&format!("{} small strain", row.name), small.c12 / small.c22, ratio);
    }
}
