//! Method `barrier` over its gallery: at every step of every scene nothing crosses, every gap is open and no strain limit is exceeded, from starts
//! moved by 1 % of the gap. Scenes run at a reduced size; one start each by default, ten in the slow suite.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use stiction_bodies::{Parameters, State, build};
use stiction_contact::detect::{Collider, DetectOptions};
use stiction_numerics::Random;
use stiction_scene::{Material, Scene, load, scene_files};
use stiction_solvers::{StepReport, World, create};

/// A scene made smaller: its name, overrides, steps by default and in the slow suite.
struct Reduced {
    name: &'static str,
    set: &'static [&'static str],
    steps: [usize; 2],
}

const fn reduced(name: &'static str, set: &'static [&'static str], steps: [usize; 2]) -> Reduced {
    Reduced { name, set, steps }
}

const SCENES: &[Reduced] = &[
    reduced("balloon", &["bodies.balloon.mesh.sphere.subdivisions=2"], [4, 40]),
    reduced(
        "card_house_hit",
        &["bodies.card.mesh.grid.cells=[2, 3]", "bodies.ball.mesh.tet_sphere.cells=2"],
        [4, 70],
    ),
    reduced(
        "curtain_15",
        &["bodies.sheet.mesh.grid.cells=[4, 4]", "bodies.sheet.array.count=[1, 4, 1]"],
        [6, 100],
    ),
    reduced("dominoes", &["bodies.tile.array.count=[3, 1, 1]"], [8, 60]),
    reduced("fishing_knot", KNOT, [4, 150]),
    reduced("five_cylinders", CYLINDERS, [4, 120]),
    reduced("garment_fit", &["method.step_schedule=[]"], [2, 25]),
    reduced("hang", &["bodies.sheet.mesh.grid.cells=[8, 8]"], [8, 150]),
    reduced("needle", &["bodies.sheet.mesh.grid.cells=[6, 6]", BALL], [4, 25]),
    reduced(
        "noodles",
        &["bodies.noodle.array.count=[3, 2, 1]", "bodies.noodle.mesh.rod.segments=30"],
        [6, 100],
    ),
    reduced("reef_knot", KNOT, [4, 120]),
    reduced(
        "ribbons",
        &["bodies.ribbon.array.count=[2, 2, 1]", "bodies.ribbon.mesh.grid.cells=[1, 25]", BALL],
        [6, 180],
    ),
    reduced(
        "rods_and_solids",
        &["bodies.rod.array.count=[1, 3, 2]", "bodies.rod.mesh.rod.segments=10"],
        [3, 40],
    ),
    reduced("soft_body_slope", &["method.refine_iterations=16"], [6, 40]),
    reduced("sphere_sheets", &["bodies.sheet.mesh.grid.cells=[8, 8]"], [5, 25]),
    reduced(
        "squishy_balls",
        &["bodies.ball.mesh.tet_urchin.cells=2", "bodies.ball.mesh.tet_urchin.segments=2"],
        [4, 110],
    ),
    reduced("stacked_sheets", &["bodies.sheet.mesh.grid.cells=[8, 8]", BALL], [4, 25]),
    reduced("ten_sheets", &["bodies.sheet.mesh.grid.cells=[5, 5]", BALL], [3, 40]),
    reduced("trampoline", &["bodies.sheet.mesh.grid.cells=[10, 10]", BALL], [5, 30]),
    reduced("triple_belt", BELTS, [2, 25]),
    reduced(
        "twisted_cylinder",
        &["bodies.shell.mesh.cylinder.around=20", "bodies.shell.mesh.cylinder.along=10"],
        [6, 200],
    ),
    reduced("wind_sheets", &["bodies.sheet.mesh.grid.cells=[8, 5]"], [6, 60]),
    reduced(
        "woven_cylinder",
        &["bodies.weave.mesh.woven.warps=9", "bodies.weave.mesh.woven.turns=4"],
        [4, 60],
    ),
    reduced(
        "yarn_curl",
        &["stitches=[]", "bodies.patch.mesh.knit.loops=3", "bodies.patch.mesh.knit.rows=3"],
        [4, 60],
    ),
];

const BALL: &str = "bodies.ball.mesh.tet_sphere.cells=2";

const BELTS: &[&str] = &[
    "bodies.inner.mesh.belt={ radius = 0.152, distance = 0.7, width = 0.15, around = 64, across = 1 }",
    "bodies.middle.mesh.belt={ radius = 0.156, distance = 0.7, width = 0.12, around = 64, across = 1 }",
    "bodies.outer.mesh.belt={ radius = 0.16, distance = 0.7, width = 0.09, around = 64, across = 1 }",
];

const CYLINDERS: &[&str] = &[
    "bodies.a.mesh.cylinder={ radius = 0.12, height = 1.0, around = 10, along = 6 }",
    "bodies.b.mesh.cylinder={ radius = 0.12, height = 1.0, around = 10, along = 6 }",
    "bodies.c.mesh.cylinder={ radius = 0.12, height = 1.0, around = 10, along = 6 }",
    "bodies.d.mesh.cylinder={ radius = 0.12, height = 1.0, around = 10, along = 6 }",
    "bodies.e.mesh.cylinder={ radius = 0.12, height = 1.0, around = 10, along = 6 }",
];

const KNOT: &[&str] = &[
    "bodies.red.mesh.ribbon.along=70",
    "bodies.red.mesh.ribbon.across=2",
    "bodies.blue.mesh.ribbon.along=70",
    "bodies.blue.mesh.ribbon.across=2",
];

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenes"))
}

fn path(name: &str) -> PathBuf {
    folder().join(format!("{name}.toml"))
}

/// Steps a scene from a start moved by 1 % of its smallest gap; returns the most contacts of a step.
fn assert_open(scene: &Scene, seed: u64, steps: usize) -> usize {
    let name = &scene.name;
    let model = build(scene).expect("a good model");
    let parameters = Parameters::from_scene(scene);
    let world = World { model: &model, parameters: &parameters };
    let mut state = State::initial(&model, scene);
    let size = 0.01 * scene.bodies.iter().map(|b| b.contact_gap).fold(f64::INFINITY, f64::min);
    let mut random = Random::new(seed);
    state.blocks[..model.nodes].iter_mut().for_each(|x| *x += random.vector(-size, size));
    let mut solver = create(&scene.method, world).expect("a method");
    let mut judge = Collider::new(&model, DetectOptions::default()).expect("a mesh");
    let mut most = 0;
    for step in 0..steps {
        let report = solver
            .step(world, &mut state, scene.step_size)
            .unwrap_or_else(|error| panic!("{name}, start {seed}, step {step}: {error}"));
        let found = judge.judge(&model, &state.blocks, state.time).expect("a mesh");
        assert!(found.is_intersection_free(), "{name}, start {seed}, step {step}: {found:?}");
        assert!(found.overlaps.is_empty(), "{name}, start {seed}, step {step}: {:?}", found.overlaps);
        assert!(gap(&report).is_none_or(|gap| gap > 0.0), "{name}, start {seed}, step {step}");
        assert!(report.strain_limit_excess == 0.0, "{name}, start {seed}, step {step}");
        most = most.max(report.contacts);
    }
    most
}

fn gap(report: &StepReport) -> Option<f64> {
    report.counters.iter().find(|(key, _)| *key == "min_gap_m").map(|(_, value)| *value)
}

/// Whether a strain limit could be broken.
fn has_limit(scene: &Scene) -> bool {
    scene.bodies.iter().any(|b| matches!(&b.material, Material::Cloth(cloth) if cloth.strain_limit.is_some()))
}

fn run(Reduced { name, set, steps }: &Reduced, seeds: std::ops::Range<u64>, suite: usize) {
    let scene = load(&path(name), set).unwrap_or_else(|error| panic!("{name}: {error}"));
    for seed in seeds {
        let begin = std::time::Instant::now();
        let most = assert_open(&scene, seed, steps[suite]);
        println!("{name} {seed}: at most {most} contacts, {:.1?}", begin.elapsed());
        assert!(
            suite == 0 || most > 0 || has_limit(&scene),
            "{name}: nothing is at stake, so nothing is shown"
        );
    }
}

#[test]
fn no_scene_of_the_gallery_ever_crosses() {
    SCENES.iter().for_each(|scene| run(scene, 1..2, 0));
}

/// The slow suite, a test for each scene.
mod from_ten_starts {
    macro_rules! ten_starts {
        ($($name:ident)*) => {
            $(
                #[test]
                #[ignore = "slow: ten starts"]
                fn $name() {
                    let scene = super::SCENES.iter().find(|s| s.name == stringify!($name));
                    super::run(scene.expect("a scene of the table"), 1..11, 1);
                }
            )*

            #[test]
            fn every_scene_of_the_table_has_its_test() {
                let tested = [$(stringify!($name)),*];
                assert!(super::SCENES.iter().map(|s| s.name).eq(tested));
            }
        };
    }

    ten_starts! {
        balloon card_house_hit curtain_15 dominoes fishing_knot five_cylinders garment_fit hang needle noodles reef_knot ribbons
        rods_and_solids soft_body_slope sphere_sheets squishy_balls stacked_sheets ten_sheets trampoline triple_belt
        twisted_cylinder wind_sheets woven_cylinder yarn_curl
    }
}

/// A new scene of this method joins the table above.
#[test]
fn the_table_holds_every_scene_of_the_method() {
    let known: BTreeSet<&str> = SCENES.iter().map(|s| s.name).collect();
    for file in scene_files(folder()).expect("scenes") {
        let scene = load(&file, &[] as &[&str]).unwrap_or_else(|error| panic!("{error}"));
        assert!(scene.method.key != "barrier" || known.contains(scene.name.as_str()), "add `{}`", scene.name);
    }
}
