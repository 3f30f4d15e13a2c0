//! What would pass through each other moves together for a step, and goes on with all that it is
//! part of.

use std::path::Path;
use stiction_bodies::{Model, Parameters, PlacedBlocks, State, build};
use stiction_contact::detect::{ContactFinder, DetectOptions, FilterReport, StepMotion};
use stiction_numerics::Vec3;
use stiction_scene::load_text;

/// Two sheets, 1 mm apart, over a floor far below.
const SHEETS: &str = "stiction = 1
[bodies.sheet]
kind = 'cloth'
material = 'cotton'
thickness = 0.0004
mesh = { grid = { size = [0.2, 0.2], cells = [8, 8] } }
instances = [{ translate = [0, 0, 0] }, { translate = [0.003, 0.002, 0.001] }]
[colliders.floor]
plane = { normal = [0, 0, 1], offset = -0.1 }
";

const STEP: f64 = 0.02;

struct Filtered {
    model: Model,
    parameters: Parameters,
    start: Vec<Vec3>,
    wanted: Vec<Vec3>,
    ends: Vec<Vec3>,
    report: FilterReport,
    crossings: [usize; 2],
}

/// Filters the step that moves each node, given with its place, by a way.
fn filtered(scene: &str, way: impl Fn(usize, &Vec3) -> Vec3) -> Filtered {
    let scene = load_text("test.toml", scene, Path::new("."), &[] as &[&str]).expect("valid").scene;
    let model = build(&scene).expect("the scene compiles");
    let parameters = Parameters::from_scene(&scene, &model);
    let start = State::initial(&model, &scene);
    let mut finder =
        ContactFinder::new(&model, &parameters.controls, DetectOptions::default()).expect("sound");
    let prescription = model.pins.prescribe(&model, &parameters.controls, &start, STEP);
    let motion = StepMotion {
        start: &start.blocks,
        orientations: &start.orientations,
        prescription: &prescription,
        parameters: &parameters,
        time: 0.0,
        h: STEP,
    };
    let mut wanted = start.blocks.clone();
    for (n, end) in wanted.iter_mut().enumerate().take(model.nodes) {
        let moved = *end + way(n, end);
        *end = if prescription.fixed[n] { prescription.target[n] } else { moved };
    }
    let mut ends = wanted.clone();
    let report = finder.limit_step(&model, &motion, &mut ends).expect("sound");
    let mut crossings = |blocks: &[Vec3]| {
        let at = PlacedBlocks { blocks, orientations: &start.orientations, time: STEP };
        let found = finder.intersections(&model, &parameters.controls, at).expect("sound");
        found.crossings.len() + found.inside.len()
    };
    let crossings = [crossings(&wanted), crossings(&ends)];
    Filtered { model, parameters, start: start.blocks, wanted, ends, report, crossings }
}

/// Nodes of the lower sheet near the middle.
fn in_the_middle(n: usize, x: &Vec3) -> bool {
    n < 81 && x.xy().norm() < 0.03
}

/// Both sheets fly by 0.4 m sideways in the step while the middle of the lower one goes through the
/// upper one.
#[test]
fn only_what_passes_through_is_changed_and_momentum_stays() {
    let fly = Vec3::new(0.4, -0.1, 0.0);
    let got = filtered(SHEETS, |n, x| fly + Vec3::z() * if in_the_middle(n, x) { 0.004 } else { 0.0 });
    assert!(got.crossings[0] > 0 && got.crossings[1] == 0, "{:?}", got.crossings);
    assert!(got.report.left == 0 && got.report.share == 1.0, "{:?}", got.report);
    let nodes = got.model.nodes;
    assert!(got.report.limited > 3 && got.report.limited < nodes, "{:?}", got.report);
    let momentum = |ends: &[Vec3]| -> Vec3 {
        (0..nodes).map(|n| (ends[n] - got.start[n]) * got.parameters.mass[n]).sum()
    };
    let (wanted, kept) = (momentum(&got.wanted), momentum(&got.ends));
    assert!((wanted - kept).norm() < 1e-12 * wanted.norm(), "{wanted} {kept}");
    // Nothing is held back: all go on sideways, by all but the turns of small zones.
    let slowest = (0..nodes).map(|n| (got.ends[n] - got.start[n]).x).fold(f64::INFINITY, f64::min);
    assert!(slowest > 0.395, "{slowest}");
}

/// The upper sheet comes down by 10 mm, as prescribed, and would leave the lower one behind above
/// it.
#[test]
fn zones_follow_what_is_prescribed() {
    let upper = SHEETS.replace(
        "instances = [{ translate = [0, 0, 0] }, { translate = [0.003, 0.002, 0.001] }]",
        "[bodies.upper]
        kind = 'cloth'
        material = 'cotton'
        thickness = 0.0004
        translate = [0.003, 0.002, 0.001]
        mesh = { grid = { size = [0.2, 0.2], cells = [8, 8] } }
        pins = [{ select = { box = { min = [-1, -1, -1], max = [1, 1, 1] } }, motion = { velocity = [0, 0, -0.5] } }]",
    );
    let got = filtered(&upper, |_, _| Vec3::zeros());
    // Flat sheets that have changed places do not cross at either end: only the way tells.
    assert!(got.crossings == [0, 0] && got.report.left == 0, "{:?} {:?}", got.crossings, got.report);
    // The prescribed nodes of the upper sheet are in the zone as well, and are not held up.
    assert!(got.report.limited > 3 && got.report.limited <= 81, "{:?}", got.report);
    let lower = got.start.iter().zip(&got.ends).take(81).map(|(s, e)| (e - s).z);
    let highest = lower.fold(f64::NEG_INFINITY, f64::max);
    assert!((highest + 0.01).abs() < 1e-9, "{highest}");
}

/// The lower sheet is held at one node and turns about it into the upper one: the zone goes on
/// turning about that node.
#[test]
fn zones_turn_about_what_is_held() {
    let held = SHEETS.replace("instances", "pins = [{ select = { indices = [40] } }]\ninstances");
    let turn = |n: usize, x: &Vec3| match n < 81 {
        true => Vec3::new(-0.1 * x.y, 0.1 * x.x, if in_the_middle(n, x) { 0.004 } else { 0.0 }),
        false => Vec3::zeros(),
    };
    let got = filtered(&held, turn);
    assert!(got.crossings[0] > 0 && got.crossings[1] == 0 && got.report.left == 0, "{:?}", got.report);
    let zone = (0..81).filter(|&n| got.ends[n] != got.wanted[n]);
    let spin = |n: usize| (got.ends[n] - got.start[n]).dot(&Vec3::new(-got.start[n].y, got.start[n].x, 0.0));
    let turned = zone.filter(|&n| got.start[n].xy().norm() > 0.02).map(spin).fold(f64::INFINITY, f64::min);
    assert!(turned > 0.0, "{turned}");
}

/// A skin in tets that would end in the floor is put on it with the nodes that carry it, and slides
/// on.
#[test]
fn carried_vertices_are_pushed_out_and_not_held() {
    let skin = "stiction = 1
[bodies.block]
kind = 'solid'
mesh = { tet_box = { size = [0.1, 0.1, 0.1], cells = [2, 2, 2] } }
surface = { sphere = { radius = 0.045, subdivisions = 2 } }
material = { density = 1000.0, young = 1e6, poisson = 0.3 }
translate = [0, 0, 0.05]
[colliders.floor]
plane = { normal = [0, 0, 1], offset = 0.004 }
";
    let got = filtered(skin, |_, _| Vec3::new(0.03, 0.0, -0.003));
    assert!(got.report.pushed_out > 0 && got.report.limited == 0 && got.report.left == 0, "{:?}", got.report);
    assert!(got.crossings[0] > 0 && got.crossings[1] == 0, "{:?}", got.crossings);
    let slowest = (0..got.model.nodes).map(|n| (got.ends[n] - got.start[n]).x).fold(f64::INFINITY, f64::min);
    assert!((slowest - 0.03).abs() < 1e-12, "{slowest}");
}

/// A zone that would end in the floor is shifted out of it and slides on.
#[test]
fn zones_do_not_end_in_colliders() {
    let low = SHEETS.replace("offset = -0.1", "offset = -0.0001");
    let slide = Vec3::new(0.05, 0.0, 0.0);
    let got =
        filtered(&low, |n, x| slide + Vec3::z() * if n >= 81 && x.xy().norm() < 0.03 { -0.004 } else { 0.0 });
    assert!(got.crossings[0] > 0 && got.crossings[1] == 0, "{:?}", got.crossings);
    assert!(got.report.left == 0 && got.report.share == 1.0, "{:?}", got.report);
    let slowest = (0..got.model.nodes).map(|n| (got.ends[n] - got.start[n]).x).fold(f64::INFINITY, f64::min);
    assert!(slowest > 0.045, "{slowest}");
}
