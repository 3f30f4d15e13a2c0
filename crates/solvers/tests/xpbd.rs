//! Method `xpbd` beside `newton` and in contact.

mod common;

use common::Run;
use stiction_solvers::MethodError;

fn steps(run: &mut Run, count: usize, h: f64) {
    (0..count).for_each(|_| {
        run.step(h);
    });
}

fn lowest(run: &Run) -> f64 {
    run.state.blocks[..run.model.nodes].iter().map(|x| x.z).fold(f64::INFINITY, f64::min)
}

fn strip(method: &str) -> String {
    format!(
        "stiction = 1
        fps = 100
        gravity = 9.81
        method = {{ {method} }}
        [bodies.strip]
        kind = 'cloth'
        mesh = {{ grid = {{ size = [0.1, 0.5], cells = [2, 10], plane = 'xz' }} }}
        material = {{ density = 300.0, thickness = 0.001, young = 2e4, poisson = 0.3, law = 'stvk', \
                      drag_normal = 0, drag_tangential = 0 }}
        self_contact = false
        pins = [{{ select = 'top' }}]"
    )
}

/// With many iterations a step is the minimum of the same energy: a swinging strip is where Newton
/// has it.
#[test]
fn many_iterations_agree_with_newton() {
    let mut reference = Run::new(&strip("key = 'newton', tolerance = 1e-9, max_iterations = 100"));
    let mut run = Run::new(&strip("key = 'xpbd', iterations = 300"));
    let mut few = Run::new(&strip("key = 'xpbd', iterations = 3"));
    for run in [&mut reference, &mut run, &mut few] {
        steps(run, 10, 0.01);
    }
    let stretch = |run: &Run| -0.25 - lowest(run);
    println!("{} against {}, with few iterations {}", stretch(&run), stretch(&reference), stretch(&few));
    assert!(stretch(&reference) > 1e-3);
    assert!((stretch(&run) / stretch(&reference) - 1.0).abs() < 0.02);
    assert!(stretch(&few) > 1.1 * stretch(&reference), "too few iterations are soft");
}

fn drape(friction: f64) -> String {
    format!(
        "stiction = 1
        fps = 100
        gravity = [3.0, 0, -9.0]
        method = {{ key = 'xpbd', iterations = 10 }}
        [bodies.cloth]
        kind = 'cloth'
        mesh = {{ grid = {{ size = [0.3, 0.3], cells = [30, 30] }} }}
        translate = [0, 0, 0.002]
        material = {{ density = 300.0, thickness = 0.001, young = 1e4, poisson = 0.3 }}
        friction = {friction}
        [colliders.floor]
        plane = {{ normal = 'z' }}
        friction = {friction}"
    )
}

/// A sheet on a slope of tan 18° = 1/3 slides at g (sin − μ cos) or stays; the same bits for any
/// number of threads.
#[test]
fn a_sheet_slides_or_stays_as_coulomb_says() {
    let slid = |friction: f64, threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| {
            let mut run = Run::new(&drape(friction));
            steps(&mut run, 10, 0.01);
            let before = run.state.momentum(&run.model, &run.parameters);
            steps(&mut run, 20, 0.01);
            let mass: f64 = run.parameters.mass[..run.model.nodes].iter().sum();
            (((run.state.momentum(&run.model, &run.parameters) - before) / (mass * 0.2)).x, run.state.blocks)
        })
    };
    let (sliding, blocks) = slid(0.1, 1);
    assert!((sliding / (3.0 - 0.1 * 9.0) - 1.0).abs() < 0.02, "{sliding}");
    assert_eq!(blocks, slid(0.1, 3).1);
    assert!(slid(0.5, 2).0.abs() < 0.02);
}

#[test]
fn what_it_cannot_do_is_said() {
    let solid = strip("key = 'xpbd'")
        .replace("kind = 'cloth'", "kind = 'solid'")
        .replace(
            "grid = { size = [0.1, 0.5], cells = [2, 10], plane = 'xz' }",
            "tet_box = { size = [1, 1, 1], cells = [1, 1, 1] }",
        )
        .replace(", law = 'stvk', drag_normal = 0, drag_tangential = 0", "")
        .replace("thickness = 0.001, ", "");
    let refused = Run::try_new(&solid).map(|_| ());
    assert!(matches!(refused, Err(MethodError::Refused { message, .. }) if message.contains("`strip`")));
}
