use super::*;
use std::f64::consts::PI;
use stiction_numerics::Random;

/// The torque-free top of the cases below: I = (1, 2, 3), nearly about the middle axis.
fn top() -> (Spin, PrincipalInertia) {
    let inertia = PrincipalInertia::of(&Mat3::from_diagonal(&Vec3::new(1.0, 2.0, 3.0)));
    let spin =
        Spin { orientation: UnitQuaternion::identity(), angular_velocity: Vec3::new(0.01, 2.0 * PI, 0.01) };
    (spin, inertia)
}

fn world_tensor(spin: &Spin, inertia: &PrincipalInertia) -> Mat3 {
    let turn = (spin.orientation * inertia.body_from_principal).to_rotation_matrix().into_inner();
    turn * Mat3::from_diagonal(&inertia.moments) * turn.transpose()
}

fn momentum(spin: &Spin, inertia: &PrincipalInertia) -> Vec3 {
    world_tensor(spin, inertia) * spin.angular_velocity
}

fn energy(spin: &Spin, inertia: &PrincipalInertia) -> f64 {
    0.5 * spin.angular_velocity.dot(&momentum(spin, inertia))
}

/// Angular velocity about the axis of the body that was y at the start.
fn middle_rate(spin: &Spin) -> f64 {
    (spin.orientation.inverse() * spin.angular_velocity).y
}

#[test]
fn principal_axes_rebuild_the_tensor() {
    let mut random = Random::new(5);
    for _ in 0..50 {
        let turn = random.rotation();
        let moments = Vec3::new(random.range(2.0, 3.0), random.range(2.0, 3.0), random.range(1.0, 3.0));
        let tensor = turn * Mat3::from_diagonal(&moments) * turn.transpose();
        let found = PrincipalInertia::of(&tensor);
        let axes = found.body_from_principal.to_rotation_matrix().into_inner();
        let rebuilt = axes * Mat3::from_diagonal(&found.moments) * axes.transpose();
        assert!((rebuilt - tensor).norm() < 1e-14 * tensor.norm());
        assert!((found.at_density(3.0).moments - found.moments * 3.0).norm() == 0.0);
    }
}

/// A body that spins about a principal axis turns uniformly, by any angle in one step.
#[test]
fn spinning_about_a_principal_axis_is_exact() {
    let (mut spin, inertia) = top();
    spin.angular_velocity = Vec3::new(0.0, 0.0, 3.0);
    let turned = FreeRotation::over(&spin, &inertia, 0.5);
    assert!((turned.rotation_vector - Vec3::z() * 1.5).norm() < 1e-14);
    assert!((turned.end.angular_velocity - spin.angular_velocity).norm() < 1e-14);
    let rebuilt = UnitQuaternion::from_scaled_axis(turned.rotation_vector) * spin.orientation;
    assert!(rebuilt.angle_to(&turned.end.orientation) < 1e-14);
}

/// Ten seconds at 1/120 s: the momentum stays to round-off, the energy within 2e-5 of its value.
#[test]
fn momentum_and_energy_are_kept() {
    let (start, inertia) = top();
    let mut spin = start;
    let mut worst = 0.0f64;
    for _ in 0..1200 {
        spin = FreeRotation::over(&spin, &inertia, 1.0 / 120.0).end;
        worst = worst.max((energy(&spin, &inertia) / energy(&start, &inertia) - 1.0).abs());
    }
    let lost = momentum(&spin, &inertia) - momentum(&start, &inertia);
    assert!(lost.norm() < 1e-12 * momentum(&start, &inertia).norm(), "{lost}");
    assert!(worst < 2e-5 && worst > 1e-7, "energy error {worst:e}");
}

/// A turned and shifted frame of the body changes nothing in the world.
#[test]
fn the_frame_of_the_body_does_not_matter() {
    let (plain, inertia) = top();
    let mut random = Random::new(9);
    let turn = UnitQuaternion::from_scaled_axis(random.vector(-2.0, 2.0));
    let matrix = turn.to_rotation_matrix().into_inner();
    let tensor = matrix.transpose() * Mat3::from_diagonal(&Vec3::new(1.0, 2.0, 3.0)) * matrix;
    let other = PrincipalInertia::of(&tensor);
    let mut one = plain;
    let mut two = Spin { orientation: turn, ..plain };
    for _ in 0..100 {
        one = FreeRotation::over(&one, &inertia, 0.01).end;
        two = FreeRotation::over(&two, &other, 0.01).end;
    }
    assert!((one.angular_velocity - two.angular_velocity).norm() < 1e-10);
    assert!((one.orientation * turn).angle_to(&two.orientation) < 1e-10);
}

/// Going back over −h undoes a step.
#[test]
fn a_step_can_be_undone() {
    let (start, inertia) = top();
    let spin = Spin { angular_velocity: Vec3::new(3.0, -2.0, 5.0), ..start };
    let there = FreeRotation::over(&spin, &inertia, 0.1).end;
    let back = FreeRotation::over(&there, &inertia, -0.1).end;
    assert!(back.orientation.angle_to(&spin.orientation) < 1e-13);
    assert!((back.angular_velocity - spin.angular_velocity).norm() < 1e-13);
}

/// Complete elliptic integral K(m) by the arithmetic–geometric mean: π / (2 agm(1, √(1 − m))).
fn elliptic_k(m: f64) -> f64 {
    let (mut a, mut g) = (1.0f64, (1.0 - m).sqrt());
    for _ in 0..40 {
        (a, g) = (0.5 * (a + g), (a * g).sqrt());
    }
    PI / (2.0 * a)
}

/// Period 4 K(m)/p of the spin about the middle axis (Landau & Lifshitz, Mechanics, § 37), for
/// L² > 2 E I₂:
/// p² = (I₃ − I₂)(L² − 2 E I₁)/(I₁ I₂ I₃), m = (I₂ − I₁)(2 E I₃ − L²)/((I₃ − I₂)(L² − 2 E I₁)).
fn dzhanibekov_period(spin: &Spin, inertia: &PrincipalInertia) -> f64 {
    let [i1, i2, i3] = [1.0, 2.0, 3.0];
    let (l2, e2) = (momentum(spin, inertia).norm_squared(), 2.0 * energy(spin, inertia));
    let (first, third) = (l2 - e2 * i1, e2 * i3 - l2);
    let p = ((i3 - i2) * first / (i1 * i2 * i3)).sqrt();
    4.0 * elliptic_k((i2 - i1) * third / ((i3 - i2) * first)) / p
}

/// Times at which the spin about the middle axis changes its sign, linear between steps.
fn flips(h: f64, until: f64) -> Vec<f64> {
    let (mut spin, inertia) = top();
    let mut out = Vec::new();
    let steps = (until / h).round() as usize;
    for step in 0..steps {
        let before = middle_rate(&spin);
        spin = FreeRotation::over(&spin, &inertia, h).end;
        let after = middle_rate(&spin);
        if before * after < 0.0 {
            out.push(h * (step as f64 + before / (before - after)));
        }
    }
    out
}

/// The racket flips after 2.24425 s and then twice in each period of 8.25091 s; errors fall with
/// h².
#[test]
fn the_middle_axis_flips_with_its_period() {
    let (spin, inertia) = top();
    let period = dzhanibekov_period(&spin, &inertia);
    assert!((period - 8.25091).abs() < 1e-5, "{period}");
    let error = |h: f64| {
        let times = flips(h, 12.0);
        assert_eq!(times.len(), 3, "{times:?}");
        [times[0] - 2.24425, times[2] - times[0] - period]
    };
    let (coarse, fine) = (error(1.0 / 120.0), error(1.0 / 480.0));
    assert!(fine[0].abs() < 2e-4 && fine[1].abs() < 5e-4, "{fine:?}");
    for k in 0..2 {
        let ratio = coarse[k] / fine[k];
        assert!((12.0..20.0).contains(&ratio), "{coarse:?} {fine:?}: ratio {ratio}");
    }
}
