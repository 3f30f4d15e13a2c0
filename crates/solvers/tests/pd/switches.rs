//! Pins that move and switch, and factors that are shared.

use super::{Run, counter};
use stiction_numerics::Vec3;

fn cube(pins: &str) -> String {
    format!(
        "stiction = 1
        fps = 100
        gravity = 9.81
        method = {{ key = 'pd', iterations = 20 }}
        [bodies.cube]
        kind = 'solid'
        mesh = {{ tet_box = {{ size = [0.1, 0.1, 0.1], cells = [2, 2, 2] }} }}
        material = {{ density = 1000.0, young = 1e6, poisson = 0.3 }}
        pins = [{pins}]"
    )
}

/// Held for 0.1 s, then released: a free fall of backward Euler from there, `g h² n (n + 1)/2`.
#[test]
fn a_released_body_falls_freely() {
    for stiffness in ["", ", stiffness = 1e6"] {
        let mut run = Run::new(&cube(&format!(
            "{{ select = {{ all = true }}, active = [{{ until = 0.095 }}]{stiffness} }}"
        )));
        let (h, steps) = (0.01, 20);
        (0..10).for_each(|_| drop(run.step(h)));
        run.state.velocities.iter_mut().for_each(|v| *v = Vec3::zeros());
        run.solver.reset();
        let before = run.centre();
        (0..steps).for_each(|_| drop(run.step(h)));
        let n = f64::from(steps);
        let fallen = before - run.centre();
        let exact = 9.81 * h * h * n * (n + 1.0) / 2.0;
        assert!((fallen.z / exact - 1.0).abs() < 1e-6, "{stiffness}: {fallen} {exact}");
    }
}

/// Pins that move keep the factor; pins that switch need a new one once for each set, and find it
/// again later.
#[test]
fn only_new_sets_of_pins_are_factored() {
    let count = |pins: &str| {
        let mut run = Run::new(&cube(pins));
        (0..30).map(|_| counter(&run.step(0.01), "factorisations")).sum::<f64>()
    };
    assert_eq!(count("{ select = 'top', motion = { velocity = [0.1, 0, 0] } }"), 1.0);
    assert_eq!(count("{ select = 'top', active = [{ until = 0.1 }, { from = 0.2 }] }"), 2.0);
}

/// Of three bodies one has a pin that switches: the factors of the others serve on, with the same
/// bits as in a run that begins there.
#[test]
fn only_what_switches_is_factored() {
    let body = |name: &str, place: f64, pins: &str| {
        format!(
            "[bodies.{name}]
            kind = 'solid'
            mesh = {{ tet_box = {{ size = [0.1, 0.1, {}], cells = [2, 2, 2] }} }}
            material = {{ density = 1000.0, young = 1e6, poisson = 0.3 }}
            translate = [{place}, 0, 0]
            pins = [{pins}]\n",
            0.1 + 0.1 * place
        )
    };
    let scene = format!(
        "stiction = 1\nfps = 100\nmethod = {{ key = 'pd', iterations = 20 }}\n{}{}{}",
        body("first", 0.0, "{ select = 'top' }"),
        body(
            "second",
            1.0,
            "{ select = 'top', active = [{ until = 0.055 }] }, { select = 'bottom', stiffness = 100.0, active = [{ until = 0.105 }] }"
        ),
        body("third", 2.0, "{ select = 'top' }"),
    );
    let mut run = Run::new(&scene);
    let counts: Vec<f64> = (0..15).map(|_| counter(&run.step(0.01), "factorisations")).collect();
    let switched: Vec<(usize, f64)> = counts.into_iter().enumerate().filter(|c| c.1 > 0.0).collect();
    assert_eq!(switched, [(0, 3.0), (6, 1.0), (11, 1.0)]);
    // A solver that never saw the sets before makes all factors anew, and goes on with the same
    // bits.
    let mut again = Run::new(&scene);
    again.state = run.state.clone();
    again.solver.restore(&run.solver.save()).expect("of the same scene");
    assert_eq!(counter(&again.step(0.01), "factorisations"), 3.0);
    run.step(0.01);
    assert_eq!(run.state.blocks, again.state.blocks);
}

/// Copies of a body, turned and moved, have one factor between them.
#[test]
fn copies_share_a_factor() {
    let entries = |copies: &str| {
        let mut run = Run::new(&(cube("") + copies));
        counter(&run.step(0.01), "factor_entries")
    };
    let copies = "\n[[bodies.cube.instances]]\ntranslate = [0, 0, 0]\n[[bodies.cube.instances]]\ntranslate = [3, 1, 0]\n\
                  rotate = { axis = [1, 2, 3], degrees = 77 }\n[[bodies.cube.instances]]\ntranslate = [0, 5, 0]\n";
    assert_eq!(entries(copies), entries(""));
}
