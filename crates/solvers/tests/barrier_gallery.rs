//! Method `barrier` over its gallery: at every step of every scene nothing crosses, every gap is
//! open and no strain limit is exceeded, from starts moved by 1 % of the gap. Scenes run at a
//! reduced size: by default from one start until contacts or strain limits have been at work for a
//! few steps, in the slow suite from ten starts to their end.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use stiction_bodies::{Parameters, State, build};
use stiction_contact::detect::{ContactFinder, DetectOptions};
use stiction_energy::{Elasticity, TriangleElement};
use stiction_numerics::{Random, Vec3, svd3x2};
use stiction_scene::{Material, Scene, load, scene_files};
use stiction_solvers::{World, create};

/// Steps with something at stake after which a run is over by default.
const BRIEF: usize = 40;

/// Steps with something at stake that every run must have.
const LEAST: usize = 4;

/// A scene made smaller.
struct Reduced {
    /// Name of its test.
    label: &'static str,
    /// Name of the scene.
    scene: &'static str,
    /// Overrides.
    set: &'static [&'static str],
    /// A variant of the scene, or another one beside it.
    also: &'static [&'static str],
}

/// A scene under its own name.
const fn reduced(scene: &'static str, set: &'static [&'static str]) -> Reduced {
    Reduced { label: scene, scene, set, also: &[] }
}

/// A variant of it.
const fn variant(
    label: &'static str,
    scene: &'static str,
    set: &'static [&'static str],
    also: &'static [&'static str],
) -> Reduced {
    Reduced { label, scene, set, also }
}

const SCENES: &[Reduced] = &[
    reduced("balloon", &["bodies.balloon.mesh.sphere.subdivisions=2"]),
    reduced("card_house_hit", &["bodies.card.mesh.grid.cells=[2, 3]", "bodies.ball.mesh.tet_sphere.cells=2"]),
    reduced("curtain_15", &["bodies.sheet.mesh.grid.cells=[4, 4]", "bodies.sheet.array.count=[1, 4, 1]"]),
    reduced("dominoes", &["bodies.tile.array.count=[3, 1, 1]"]),
    reduced("fishing_knot", KNOT),
    reduced("five_cylinders", CYLINDERS),
    reduced("garment_fit", GARMENT),
    reduced("hang", HANG),
    variant(
        "hang_without_limit",
        "hang",
        HANG,
        &[
            "limit=none",
            "bodies.sheet.pins=[\
        { select = \"top_left\", motion = { keys = [{ time = 0.0 }, { time = 1.0, translate = [0.47, 0.0, 0.0] }] } },\
        { select = \"top_right\", motion = { keys = [{ time = 0.0 }, { time = 1.0, translate = [-0.47, 0.0, 0.0] }] } }]",
        ],
    ),
    reduced("needle", NEEDLE),
    variant("needle_at_5", "needle", NEEDLE, &["speed=5"]),
    variant("needle_at_10", "needle", NEEDLE, &["speed=10"]),
    variant("needle_at_20", "needle", NEEDLE, &["speed=20"]),
    reduced("noodles", &["bodies.noodle.array.count=[3, 2, 1]", "bodies.noodle.mesh.rod.segments=30"]),
    reduced("reef_knot", KNOT),
    reduced(
        "ribbons",
        &["bodies.ribbon.array.count=[2, 2, 1]", "bodies.ribbon.mesh.grid.cells=[1, 25]", BALL],
    ),
    reduced("rods_and_solids", &["bodies.rod.array.count=[1, 3, 2]", "bodies.rod.mesh.rod.segments=10"]),
    reduced("soft_body_slope", &["method.refine_iterations=16"]),
    reduced("sphere_sheets", &["bodies.sheet.mesh.grid.cells=[8, 8]"]),
    reduced(
        "squishy_balls",
        &["bodies.ball.mesh.tet_urchin.cells=2", "bodies.ball.mesh.tet_urchin.segments=2"],
    ),
    reduced("stacked_sheets", &["bodies.sheet.mesh.grid.cells=[8, 8]", BALL]),
    reduced("ten_sheets", &["bodies.sheet.mesh.grid.cells=[5, 5]", BALL]),
    reduced("trampoline", TRAMPOLINE),
    variant("trampoline_at_25", "trampoline", TRAMPOLINE, &["speed=25"]),
    reduced("triple_belt", BELTS),
    reduced(
        "twisted_cylinder",
        &["bodies.shell.mesh.cylinder.around=20", "bodies.shell.mesh.cylinder.along=10"],
    ),
    reduced("wind_sheets", &["bodies.sheet.mesh.grid.cells=[8, 5]"]),
    reduced("woven_cylinder", &["bodies.weave.mesh.woven.warps=9", "bodies.weave.mesh.woven.turns=4"]),
    reduced("yarn_curl", &["stitches=[]", "bodies.patch.mesh.knit.loops=3", "bodies.patch.mesh.knit.rows=3"]),
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

/// Half as many cells along each side, and stitches that fit them.
const GARMENT: &[&str] = &[
    "bodies.front.mesh.grid.cells=[10, 12]",
    "bodies.back.mesh.grid.cells=[10, 12]",
    "colliders.mannequin.mesh.blobs.cells=24",
    "stitches=[{ body = \"front\", to_body = \"back\", stiffness = 20.0, rest_length = 0.0026, pairs = [\
        [0, 0], [11, 11], [22, 22], [33, 33], [44, 44], [55, 55], [66, 66], [77, 77], [88, 88], [10, 10], [21, 21], [32, 32], [43, 43], [54, 54], [65, 65], [76, 76], [87, 87], [98, 98], [132, 132], [133, 133], [134, 134], [135, 135], [139, 139], [140, 140], [141, 141], [142, 142]] }]",
];

const HANG: &[&str] = &["bodies.sheet.mesh.grid.cells=[12, 12]"];

const NEEDLE: &[&str] = &["bodies.sheet.mesh.grid.cells=[6, 6]", BALL];

const TRAMPOLINE: &[&str] = &["bodies.sheet.mesh.grid.cells=[10, 10]", BALL];

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

/// What a run came to.
#[derive(Debug)]
struct Seen {
    steps: usize,
    /// Steps with contacts or strain near its limit.
    at_stake: usize,
    most_contacts: usize,
    /// Smallest gap \[m\] and smallest distance of a strain from its limit.
    gap: f64,
    strain_gap: f64,
}

/// Steps a scene from a start moved by 1 % of its smallest gap until its end, or until enough steps
/// had something at stake.
fn assert_open(scene: &Scene, seed: u64, enough: usize) -> Seen {
    let name = &scene.name;
    let model = build(scene).expect("a good model");
    let parameters = Parameters::from_scene(scene, &model);
    let world = World { model: &model, parameters: &parameters };
    let mut state = State::initial(&model, scene);
    let size = 0.01 * scene.bodies.iter().map(|b| b.contact_gap).fold(f64::INFINITY, f64::min);
    let mut random = Random::new(seed);
    state.blocks[..model.nodes].iter_mut().for_each(|x| *x += random.vector(-size, size));
    let mut solver = create(&scene.method, world).expect("a method");
    let mut finder =
        ContactFinder::new(&model, &parameters.controls, DetectOptions::default()).expect("a mesh");
    let limits = Limits::new(world);
    let end = scene.frames as f64 / scene.fps * (1.0 - 1e-9);
    let mut seen =
        Seen { steps: 0, at_stake: 0, most_contacts: 0, gap: f64::INFINITY, strain_gap: f64::INFINITY };
    while state.time < end && seen.at_stake < enough {
        let step = seen.steps;
        let report = solver
            .step(world, &mut state, scene.step_size)
            .unwrap_or_else(|error| panic!("{name}, start {seed}, step {step}: {error}"));
        let found = finder.intersections(&model, &parameters.controls, state.placed()).expect("a mesh");
        assert!(found.is_intersection_free(), "{name}, start {seed}, step {step}: {found:?}");
        assert!(found.overlaps.is_empty(), "{name}, start {seed}, step {step}: {:?}", found.overlaps);
        let gap =
            report.counters.iter().find(|(name, _)| *name == "min_gap_m").map_or(f64::INFINITY, |c| c.1);
        let (strain_gap, active) = limits.nearest(&state.blocks);
        assert!(gap > 0.0, "{name}, start {seed}, step {step}: a gap of {gap} m");
        assert!(strain_gap > 0.0, "{name}, start {seed}, step {step}: {strain_gap} left to a limit");
        assert!(report.strain_limit_excess == 0.0, "{name}, start {seed}, step {step}");
        seen.steps += 1;
        seen.at_stake += usize::from(report.contacts > 0 || active);
        seen.most_contacts = seen.most_contacts.max(report.contacts);
        (seen.gap, seen.strain_gap) = (seen.gap.min(gap), seen.strain_gap.min(strain_gap));
    }
    seen
}

/// Triangles with a strain limit, measured here and not by the method.
struct Limits {
    triangles: Vec<(TriangleElement, f64)>,
}

impl Limits {
    fn new(world: World<'_>) -> Limits {
        let elasticity = Elasticity::new(world.model, world.parameters).expect("an elastic model");
        let elements = elasticity.triangles();
        let limited = |element: &TriangleElement| {
            let body = world.model.body_of_node[element.nodes[0] as usize] as usize;
            let Material::Cloth(cloth) = &world.parameters.materials[body] else { return None };
            Some((*element, cloth.strain_limit?))
        };
        Limits { triangles: elements.iter().filter_map(limited).collect() }
    }

    /// What is left of the stretch that a triangle may have, where that is least, and whether any
    /// is beyond half of its limit: there barriers begin.
    fn nearest(&self, x: &[Vec3]) -> (f64, bool) {
        let left = self.triangles.iter().map(|(element, limit)| {
            let sigma = svd3x2(&element.deformation(&element.nodes.map(|n| x[n as usize]))).sigma.max();
            (1.0 + limit - sigma, sigma - 1.0 > 0.5 * limit)
        });
        left.fold((f64::INFINITY, false), |(least, any), (gap, active)| (least.min(gap), any || active))
    }
}

/// Runs a scene of the table; every run has to come to where something can fail.
fn run(label: &str, seeds: std::ops::Range<u64>, enough: usize) {
    let Reduced { scene, set, also, .. } = SCENES.iter().find(|s| s.label == label).expect("in the table");
    let scene =
        load(&path(scene), &[*set, *also].concat()).unwrap_or_else(|error| panic!("{label}: {error}"));
    for seed in seeds {
        let begin = std::time::Instant::now();
        let seen = assert_open(&scene, seed, enough);
        println!("{label} {seed}: {seen:?}, {:.1?}", begin.elapsed());
        assert!(seen.at_stake >= LEAST, "{label}, start {seed}: nothing is at stake, so nothing is shown");
    }
}

macro_rules! gallery {
    ($($label:ident)*) => {
        /// One start each.
        mod from_one_start {
            $(
                #[test]
                fn $label() {
                    super::run(stringify!($label), 1..2, super::BRIEF);
                }
            )*
        }

        /// The slow suite, to the end of each scene.
        mod from_ten_starts {
            $(
                #[test]
                #[ignore = "slow: ten starts"]
                fn $label() {
                    super::run(stringify!($label), 1..11, usize::MAX);
                }
            )*
        }

        #[test]
        fn every_scene_of_the_table_has_its_tests() {
            assert!(SCENES.iter().map(|s| s.label).eq([$(stringify!($label)),*]));
        }
    };
}

gallery! {
    balloon card_house_hit curtain_15 dominoes fishing_knot five_cylinders garment_fit hang hang_without_limit needle needle_at_5 needle_at_10 needle_at_20
    noodles reef_knot ribbons rods_and_solids soft_body_slope sphere_sheets squishy_balls stacked_sheets ten_sheets trampoline trampoline_at_25
    triple_belt twisted_cylinder wind_sheets woven_cylinder yarn_curl
}

/// A new scene of this method joins the table above.
#[test]
fn the_table_holds_every_scene_of_the_method() {
    let known: BTreeSet<&str> = SCENES.iter().map(|s| s.scene).collect();
    for file in scene_files(folder()).expect("scenes") {
        let scene = load(&file, &[] as &[&str]).unwrap_or_else(|error| panic!("{error}"));
        assert!(scene.method.key != "barrier" || known.contains(scene.name.as_str()), "add `{}`", scene.name);
    }
}
