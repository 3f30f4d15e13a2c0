//! Method `barrier`: pressure in closed surfaces against closed forms, stitches against the weight
//! that they carry.

use std::path::Path;
use stiction_bodies::{Model, Parameters, State, build};
use stiction_contact::detect::{ContactFinder, DetectOptions};
use stiction_numerics::Vec3;
use stiction_scene::load_text;
use stiction_solvers::{World, create};

/// The state after `steps` steps of `h` \[s\]; nothing crosses on the way.
fn run(text: &str, steps: usize, h: f64) -> (Model, State) {
    let text = format!("stiction = 1\nfps = 100\n{text}");
    let scene = load_text("test.toml", &text, Path::new("."), &[] as &[&str]).expect("a good scene").scene;
    let model = build(&scene).expect("a good model");
    let parameters = Parameters::from_scene(&scene, &model);
    let mut state = State::initial(&model, &scene);
    let world = World { model: &model, parameters: &parameters };
    let mut solver = create(&scene.method, world).expect("a method");
    let mut finder =
        ContactFinder::new(&model, &parameters.controls, DetectOptions::default()).expect("a mesh");
    for step in 0..steps {
        solver.step(world, &mut state, h).unwrap_or_else(|error| panic!("step {step}: {error}"));
        let found = finder.intersections(&model, &parameters.controls, state.placed()).expect("a mesh");
        assert!(found.is_intersection_free() && found.overlaps.is_empty(), "step {step}: {found:?}");
    }
    (model, state)
}

fn volume(model: &Model, x: &[Vec3]) -> f64 {
    let part = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| x[i as usize]);
        a.dot(&b.cross(&c)) / 6.0
    };
    model.bodies[0].triangles.iter().map(part).sum()
}

const YOUNG: f64 = 1e6;
const POISSON: f64 = 0.3;
const THICKNESS: f64 = 1e-3;
const RADIUS: f64 = 0.1;

fn balloon(inflation: &str) -> String {
    format!(
        "gravity = 0
        method = {{ key = 'barrier', tolerance = 1e-6, refine_iterations = 64 }}
        wind = {{ air_density = 0.0 }}
        [bodies.balloon]
        kind = 'cloth'
        mesh = {{ sphere = {{ radius = {RADIUS}, subdivisions = 3 }} }}
        rest = {{ curved = true }}
        inflation = {{ {inflation} }}
        material = {{ density = 1000.0, thickness = {THICKNESS}, young = {YOUNG}, poisson = {POISSON}, bending_stiffness = 1e-7 }}
        gap = 0.002"
    )
}

/// Strain of a thin sphere under gauge pressure: σ = p R/2t (Laplace), ε = σ (1 − ν)/E.
fn strain(pressure: f64) -> f64 {
    pressure * RADIUS * (1.0 - POISSON) / (2.0 * THICKNESS * YOUNG)
}

#[test]
fn a_balloon_of_given_pressure_obeys_laplace() {
    let pressure = 100.0;
    let (model, state) = run(&balloon(&format!("pressure = {pressure}")), 20, 0.1);
    let grown = (volume(&model, &state.blocks) / volume(&model, &model.rest)).cbrt() - 1.0;
    let expected = strain(pressure);
    println!("strain {grown} against {expected}");
    // Terms of second order in the strain of 0.35 %, and facets of 13 degrees.
    assert!((grown / expected - 1.0).abs() < 0.02, "{grown} against {expected}");
}

#[test]
fn a_sealed_gas_keeps_its_product_of_pressure_and_volume() {
    let (ambient, start) = (101_325.0, 3_000.0);
    let (model, state) = run(&balloon(&format!("pressure = {start}, ambient = {ambient}")), 20, 0.1);
    let ratio = volume(&model, &state.blocks) / volume(&model, &model.rest);
    let strain_now = ratio.cbrt() - 1.0;
    // Balance of what the gas has left and what the skin takes: (p_a + p₀)/r − p_a = 2 t E ε/(R
    // (1 − ν)), solved by bisection.
    let excess = |e: f64| (ambient + start) / (1.0 + e).powi(3) - ambient - e / strain(1.0);
    let (mut low, mut high) = (0.0, 0.1);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if excess(middle) > 0.0 { low = middle } else { high = middle }
    }
    println!(
        "strain {strain_now} against {low}, {} without a skin",
        ((ambient + start) / ambient).cbrt() - 1.0
    );
    assert!((strain_now / low - 1.0).abs() < 0.02, "{strain_now} against {low}");
}

/// A sheet sewn to the lower edge of another one that hangs: the stitches carry its weight. Two
/// fifths pull all the time, the rest in place of stiffer ones at first.
#[test]
fn stitches_carry_the_weight_of_what_is_sewn_on() {
    let (cells, stiffness, rest_length) = (6_usize, 50.0, 0.003);
    let sheet = |name: &str, z: f64, pins: &str| {
        format!(
            "[bodies.{name}]
            kind = 'cloth'
            mesh = {{ grid = {{ size = [0.12, 0.12], cells = [{cells}, {cells}], plane = 'xz' }} }}
            translate = [0, 0, {z}]
            material = {{ density = 1000.0, thickness = 0.001, young = 1e6, poisson = 0.3, damping_mass = 4.0, damping_stiffness = 0.01 }}
            gap = 0.001
            {pins}\n"
        )
    };
    let row = cells + 1;
    let pairs: Vec<String> = (0..row).map(|i| format!("[{}, {i}]", cells * row + i)).collect();
    let seam = |stiffness: f64, active: &str| {
        let pairs = pairs.join(", ");
        format!(
            "[[stitches]]\nbody = 'low'\nto_body = 'high'\nstiffness = {stiffness}\nrest_length = {rest_length}\npairs = [{pairs}]\nactive = [{active}]\n"
        )
    };
    let text = format!(
        "method = {{ key = 'barrier' }}\n{}{}{}{}{}",
        sheet("high", 0.2, "pins = [{ select = 'top' }]"),
        sheet("low", 0.076, ""),
        seam(0.4 * stiffness, ""),
        seam(10.0 * stiffness, "{ until = 0.3 }"),
        seam(0.6 * stiffness, "{ from = 0.3 }"),
    );
    let (model, state) = run(&text, 100, 0.02);
    let [high, low] = ["high", "low"].map(|name| {
        let index = model.bodies.iter().position(|b| b.name == name).expect("a sheet");
        model.bodies[index].nodes.start
    });
    let stretch: f64 = (0..row)
        .map(|i| (state.blocks[high + i] - state.blocks[low + cells * row + i]).norm() - rest_length)
        .sum();
    let (carried, weight) = (stiffness * stretch, 1000.0 * 0.001 * 0.12 * 0.12 * 9.81);
    println!("stitches carry {carried} N of {weight} N");
    assert!((carried / weight - 1.0).abs() < 0.02, "{carried} N against {weight} N");
}
