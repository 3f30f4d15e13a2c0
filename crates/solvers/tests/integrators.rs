//! Integrators of method `newton`: order, energy, pins and damping inside stages, and resuming.

mod common;

use common::Run;
use stiction_numerics::Vec3;
use stiction_numerics::nalgebra::Complex;

const SECOND_ORDER: [&str; 4] = ["trapezoid", "bdf2", "tr_bdf2", "sdirk2"];

/// Half the elongation at the start \[m\].
const AMPLITUDE: f64 = 0.05;

/// Two masses on a spring that vibrate freely along its axis: u = u₀ cos ωt, ω² = EA/L (1/m₁ +
/// 1/m₂).
struct Vibration {
    run: Run,
    omega: f64,
}

impl Vibration {
    fn new(integrator: &str) -> Vibration {
        let mut run = Run::new(&format!(
            "stiction = 1\ngravity = 0.0\nwind = {{ air_density = 0 }}
            method = {{ key = 'newton', integrator = '{integrator}', tolerance = 1e-13 }}
            [bodies.spring]
            kind = 'rod'
            mesh = {{ rod = {{ start = [0, 0, 0], end = [1, 0, 0], segments = 1 }} }}
            material = {{ density = 1000.0, radius = 0.01, young = 1e4, poisson = 0.3 }}"
        ));
        run.state.blocks[0].x -= AMPLITUDE;
        run.state.blocks[1].x += AMPLITUDE;
        let stiffness = 1e4 * std::f64::consts::PI * 1e-4;
        let [a, b] = [0, 1].map(|node| run.parameters.mass[node]);
        Vibration { omega: (stiffness * (1.0 / a + 1.0 / b)).sqrt(), run }
    }

    /// Elongation over its start, and its rate over ω times that.
    fn phase(&self) -> [f64; 2] {
        let of = |v: &[Vec3]| (v[1].x - v[0].x) / (2.0 * AMPLITUDE);
        [of(&self.run.state.blocks) - 0.5 / AMPLITUDE, of(&self.run.state.velocities) / self.omega]
    }

    /// `steps` steps of ωh = `angle`.
    fn advance(&mut self, steps: usize, angle: f64) {
        (0..steps).for_each(|_| drop(self.run.step(angle / self.omega)));
    }
}

/// Error after ωt = 8 in steps of ωh = `angle`.
fn error(integrator: &str, angle: f64) -> f64 {
    let mut vibration = Vibration::new(integrator);
    vibration.advance((8.0 / angle).round() as usize, angle);
    let [u, rate] = vibration.phase();
    (u - 8.0f64.cos()).hypot(rate + 8.0f64.sin())
}

/// The error of backward Euler is a share 1 − exp(−ωh ωt/2) of the amplitude: 4 % at the smaller
/// step, so its order shows to 0.03.
#[test]
fn a_free_vibration_converges_with_the_order_of_its_integrator() {
    let order = |key: &str, angle: f64| (error(key, angle) / error(key, 0.5 * angle)).log2();
    let first = order("backward_euler", 0.02);
    assert!((first - 1.0).abs() < 0.1, "backward_euler: {first}");
    for key in SECOND_ORDER {
        let second = order(key, 0.1);
        assert!((second - 2.0).abs() < 0.1, "{key}: {second}");
    }
}

/// Share of the energy that is left after 100 steps of ωh = 0.2.
fn energy_left(integrator: &str) -> f64 {
    let mut vibration = Vibration::new(integrator);
    vibration.advance(100, 0.2);
    vibration.phase().iter().map(|c| c * c).sum()
}

/// One step multiplies u + i u̇/ω by R(z), z = iωh, R the stability function of the integrator:
/// |R|² of the energy is left.
#[test]
fn a_free_vibration_keeps_the_energy_that_its_integrator_allows() {
    let (one, z) = (Complex::new(1.0, 0.0), Complex::new(0.0, 0.2));
    let alpha = 1.0 - 0.5f64.sqrt();
    let half = (one + z * 0.25) / (one - z * 0.25);
    // BDF2: (1 − 2z/3) r² − 4/3 r + 1/3 = 0 has two roots; the first step is one of backward Euler.
    let first = one / (one - z);
    let [r, s] = [1.0, -1.0].map(|sign| ((one + z * 2.0).sqrt() * sign + 2.0) / (-z * 2.0 + 3.0));
    let bdf2 = ((first - s) * r.powu(100) + (r - first) * s.powu(100)) / (r - s);
    let cases = [
        ("backward_euler", first.powu(100)),
        ("trapezoid", one),
        ("bdf2", bdf2),
        ("tr_bdf2", ((half * 4.0 - 1.0) / 3.0 / (one - z / 3.0)).powu(100)),
        ("sdirk2", ((one + z * (1.0 - 2.0 * alpha)) / ((one - z * alpha) * (one - z * alpha))).powu(100)),
    ];
    for (key, factor) in cases {
        let (left, expected) = (energy_left(key), factor.norm_sqr());
        assert!((left - expected).abs() < 1e-8, "{key}: {left} of {expected}");
    }
}

/// Cloth with stiffness damping in a wind, held at an edge that follows a smooth motion.
fn flag(integrator: &str) -> Run {
    Run::new(&format!(
        "stiction = 1\ngravity = 9.81\nwind = {{ velocity = [0, 2, 0] }}
        method = {{ key = 'newton', integrator = '{integrator}', tolerance = 1e-12 }}
        [bodies.flag]
        kind = 'cloth'
        mesh = {{ grid = {{ size = [0.2, 0.2], cells = [3, 3] }} }}
        material = {{ density = 300.0, thickness = 0.001, young = 300.0, poisson = 0.3, law = 'stvk', \
                      damping_stiffness = 0.01, damping_mass = 1.0 }}
        [[bodies.flag.pins]]
        select = 'left'
        motion = {{ interpolation = 'smooth', keys = [{{ time = 0 }}, {{ time = 0.2, translate = [0, 0, 0.05] }}] }}"
    ))
}

fn flag_after(integrator: &str, steps: usize) -> Run {
    let mut run = flag(integrator);
    (0..steps).for_each(|_| drop(run.step(0.1 / steps as f64)));
    run
}

fn apart(a: &Run, b: &Run) -> f64 {
    let each = a.state.blocks.iter().zip(&b.state.blocks).map(|(a, b)| (a - b).norm_squared());
    each.sum::<f64>().sqrt()
}

/// Damping and drag, which are linear about a fixed configuration, and pins keep the order: changes
/// under halving fall by four. Waves cross a cell at √(E/ρ) = 1 m/s, so ωh ≤ 2·√2/0.067 m · h =
/// 0.08 at 50 steps.
#[test]
fn damping_wind_and_pins_keep_the_second_order() {
    for key in SECOND_ORDER {
        let [coarse, middle, fine] = [50, 100, 200].map(|steps| flag_after(key, steps));
        let order = (apart(&coarse, &middle) / apart(&middle, &fine)).log2();
        assert!((order - 2.0).abs() < 0.2, "{key}: {order}");
    }
}

/// A held node has the place and the velocity of its motion z = 0.05 u²(3 − 2u), u = t/0.2, which
/// is 0.375 m/s at 0.1 s. The parabola through three places of a step misses the velocity by z‴
/// h²/12: 75 m/s³ (1 ms)²/12.
#[test]
fn held_nodes_have_the_velocity_of_their_motion() {
    for key in SECOND_ORDER {
        let run = flag_after(key, 100);
        let node = run.model.pins.groups[0].nodes[0] as usize;
        let (z, v) = (run.state.blocks[node].z, run.state.velocities[node].z);
        assert!((z - 0.025).abs() < 1e-12 && (v - 0.375).abs() < 1e-5, "{key}: {z}, {v}");
    }
}

/// A run that is resumed equals one that is not, to the bit; the history of BDF2 is part of what is
/// saved.
#[test]
fn a_resumed_run_equals_an_uninterrupted_one() {
    for key in SECOND_ORDER {
        let (mut whole, mut first) = (flag_after(key, 40), flag(key));
        (0..40).for_each(|_| drop(first.step(0.1 / 40.0)));
        let mut resumed = flag(key);
        resumed.state.copy_from(&first.state);
        resumed.solver.restore(&first.solver.save()).expect("a saved state of the same method");
        for run in [&mut whole, &mut resumed] {
            // Another step size too: BDF2 takes the ratio from its history.
            [0.002, 0.003].into_iter().for_each(|h| drop(run.step(h)));
        }
        assert_eq!(whole.state, resumed.state, "{key}");
        assert_eq!(whole.solver.save(), resumed.solver.save(), "{key}");
        if key == "bdf2" {
            resumed.state.copy_from(&first.state);
            resumed.solver.reset();
            [0.002, 0.003].into_iter().for_each(|h| drop(resumed.step(h)));
            assert!(whole.state != resumed.state, "without its history it is another run");
        }
    }
}
