//! Parameters act: a value set between two steps gives the step of a simulation built with that
//! value, bit for bit.

use std::path::Path;
use stiction::bodies::ParameterValue;
use stiction::numerics::Vec3;
use stiction::output::Sections;
use stiction::scene::load_text;
use stiction::{Simulation, checkpoint};

const METHODS: [&str; 6] = ["newton", "admm", "admm_integrator", "pd", "barrier", "xpbd"];

/// What the floor is: analytic, or a mesh.
const FLOORS: [&str; 2] = ["plane = {}", "mesh = { grid = { size = [3, 3], cells = [2, 2] } }"];

/// Something that a moving pin drags over a moving floor, in wind: strands or a sheet, with a solid
/// where the method takes one.
fn scene(method: &str, floor: &str) -> String {
    let body = match method {
        "admm_integrator" => {
            "[bodies.cloth]
            kind = 'rod'
            mesh = { rod = { start = [0, 0, 0.0015], end = [0.2, 0, 0.0015], segments = 10 } }
            material = { density = 1000.0, young = 1e6, poisson = 0.3, radius = 0.001, damping_mass = 0.2 }"
        }
        _ => {
            "[bodies.cloth]
            kind = 'cloth'
            mesh = { grid = { size = [0.2, 0.1], cells = [6, 3] } }
            translate = [0, 0, 0.0015]
            material = { density = 1000.0, thickness = 0.001, young = 1e5, poisson = 0.3, damping_mass = 0.2 }"
        }
    };
    let held = if method == "admm_integrator" { "{ indices = [0, 1] }" } else { "'left'" };
    let solid = match method {
        "newton" | "admm" | "pd" | "barrier" => {
            "[bodies.cube]
            kind = 'solid'
            mesh = { tet_box = { size = [0.05, 0.05, 0.05], cells = [2, 2, 2] } }
            translate = [0.5, 0, 0.03]
            material = { density = 500.0, young = 1e5, poisson = 0.3 }
            velocity = [0.5, 0, 0]
            [[bodies.cube.pins]]
            select = 'top'
            stiffness = 5.0"
        }
        _ => "",
    };
    format!(
        "stiction = 1
        fps = 100
        method = {{ key = '{method}' }}
        wind = {{ velocity = [1, 0, 0] }}
        {body}
        velocity = [0.4, 0.1, 0]
        self_contact = false
        [[bodies.cloth.pins]]
        select = {held}
        motion = {{ velocity = [0.3, 0, 0], turn = {{ axis = 'z', degrees_per_second = 20 }} }}
        {solid}
        [colliders.floor]
        {floor}
        friction = 0.4
        motion = {{ keys = [
            {{ time = 0 }},
            {{ time = 1, translate = [0.2, 0, 0], rotate = {{ axis = 'z', degrees = 30 }} }},
        ] }}"
    )
}

fn build(method: &str, overrides: &[String]) -> Simulation {
    build_on(FLOORS[0], method, overrides)
}

fn build_on(floor: &str, method: &str, overrides: &[String]) -> Simulation {
    let loaded = load_text("test.toml", &scene(method, floor), Path::new("."), overrides);
    let scene = loaded.unwrap_or_else(|e| panic!("{method}: {e}: {}", e.fix())).scene;
    Simulation::new(scene).unwrap_or_else(|e| panic!("{method}: {e}"))
}

/// State and memory of the method, exact to the bit. Not what the guard against runs that diverge
/// allows: it begins again where a value changes, and a restored one cannot know of the change.
fn everything(simulation: &Simulation) -> Vec<(String, Vec<u8>)> {
    let saved = checkpoint::save(simulation);
    let parts = saved.iter().filter(|(name, _)| *name != "runaway_guard");
    parts.map(|(name, bytes)| (name.to_owned(), bytes.to_vec())).collect()
}

/// A value by its path, as `--set` writes it.
struct Change {
    path: &'static str,
    value: ParameterValue,
    /// Methods whose next step does not depend on it.
    idle: &'static [&'static str],
}

impl Change {
    fn new(path: &'static str, value: impl Into<ParameterValue>) -> Change {
        Change { path, value: value.into(), idle: &[] }
    }

    fn text(&self) -> String {
        format!("{}={}", self.path, self.value)
    }
}

fn changes(method: &str) -> Vec<Change> {
    let motion = "bodies.cloth.pins.0.motion.velocity";
    let turn = "bodies.cloth.pins.0.motion.turn.degrees_per_second";
    let mut out = vec![
        Change::new("bodies.cloth.material.young", 3e5),
        Change::new("bodies.cloth.material.density", 700.0),
        Change { idle: &["xpbd"], ..Change::new("bodies.cloth.material.damping_mass", 2.0) },
        Change { idle: &["newton"], ..Change::new("bodies.cloth.friction", 0.1) },
        Change { idle: &["newton"], ..Change::new("friction.all", 0.05) },
        Change::new("gravity", Vec3::new(1.0, 0.5, -6.0)),
        Change {
            idle: &["xpbd", "admm_integrator"],
            ..Change::new("wind.velocity", Vec3::new(0.0, 3.0, 1.0))
        },
        Change::new(motion, Vec3::new(0.2, 0.1, 0.05)),
        Change::new(turn, -45.0),
    ];
    if build(method, &[]).model.bodies.len() > 1 {
        out.push(Change::new("bodies.cube.material.young", 4e5));
        out.push(Change::new("bodies.cube.pins.0.stiffness", 40.0));
    }
    out
}

/// Values of the motion of the floor.
fn floor_changes() -> Vec<Change> {
    let change = |path, value: ParameterValue| Change { idle: &["newton"], ..Change::new(path, value) };
    vec![
        change("colliders.floor.motion.velocity", Vec3::new(-0.1, 0.3, 0.0).into()),
        change("colliders.floor.motion.centre", Vec3::new(0.3, 0.1, 0.0).into()),
        change("colliders.floor.motion.keys.1.time", 0.5.into()),
        change("colliders.floor.motion.keys.1.translate", Vec3::new(0.1, -0.2, 0.0).into()),
        change("colliders.floor.motion.keys.1.rotate.degrees", (-60.0).into()),
    ]
}

/// A simulation that is to be changed: how it is built, what it was like after three steps, and how
/// it goes on unchanged.
struct Before {
    floor: &'static str,
    method: &'static str,
    kept: Sections,
    unchanged: Simulation,
}

impl Before {
    fn new(floor: &'static str, method: &'static str) -> Before {
        let mut before = build_on(floor, method, &[]);
        for _ in 0..3 {
            before.step().unwrap_or_else(|e| panic!("{method}: {e}"));
        }
        let kept = checkpoint::save(&before);
        let mut unchanged = build_on(floor, method, &[]);
        checkpoint::restore(&mut unchanged, &kept).expect("restored");
        unchanged.step().expect("a step");
        Before { floor, method, kept, unchanged }
    }

    fn faults(&self, changes: &[Change]) -> Vec<String> {
        let fault = |change: &Change| {
            let fault = fault_after(self, change)?;
            Some(format!("{}, {}, {}: {fault}", self.method, self.floor, change.text()))
        };
        changes.iter().filter_map(fault).collect()
    }
}

/// What is wrong after a change, if anything is.
fn fault_after(before: &Before, change: &Change) -> Option<String> {
    let Before { floor, method, kept, unchanged } = before;
    let text = change.text();
    // The one that lives has made steps, and so has factors and other things that a fresh one has
    // not.
    let mut live = build_on(floor, method, &[]);
    for _ in 0..3 {
        live.step().expect("a step");
    }
    if let Err(error) = live.set_parameter(change.path, change.value.clone()) {
        return Some(error.to_string());
    }
    let mut built = build_on(floor, method, std::slice::from_ref(&text));
    checkpoint::restore(&mut built, kept).expect("restored");
    if live.parameters != built.parameters {
        return Some("other parameters".to_owned());
    }
    for step in 0..2 {
        if let Err(error) = live.step().and(built.step()) {
            return Some(error.to_string());
        }
        let (ours, theirs) = (everything(&live), everything(&built));
        if let Some((part, _)) = ours.iter().zip(&theirs).find(|(a, b)| a != b) {
            return Some(format!("{} differs after step {step}", part.0));
        }
        if step == 0 && (live.state == unchanged.state) != change.idle.contains(method) {
            return Some("it acts where it should not, or does not where it should".to_owned());
        }
    }
    None
}

#[test]
fn a_change_between_two_steps_gives_the_step_of_a_simulation_built_with_it() {
    let of_method = |method| Before::new(FLOORS[0], method).faults(&changes(method));
    let faults: Vec<String> = METHODS.into_iter().flat_map(of_method).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_changed_motion_of_a_collider_gives_the_step_of_a_simulation_built_with_it() {
    let of_floor = |floor| METHODS.map(|method| Before::new(floor, method).faults(&floor_changes()));
    let faults: Vec<String> = FLOORS.into_iter().flat_map(of_floor).flatten().collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A step that is tried again from the same start must not use what was found with the old motion.
#[test]
fn a_changed_motion_acts_after_going_back_to_the_start_of_a_step() {
    for (floor, method) in FLOORS.into_iter().flat_map(|floor| METHODS.map(|method| (floor, method))) {
        let before = Before::new(floor, method);
        let change = &floor_changes()[0];
        let mut live = build_on(floor, method, &[]);
        for _ in 0..4 {
            live.step().expect("a step");
        }
        checkpoint::restore(&mut live, &before.kept).expect("restored");
        live.set_parameter(change.path, change.value.clone()).expect("a good value");
        let mut built = build_on(floor, method, &[change.text()]);
        checkpoint::restore(&mut built, &before.kept).expect("restored");
        live.step().and(built.step()).expect("a step");
        assert_eq!(everything(&live), everything(&built), "{method}, {floor}");
    }
}

#[test]
fn a_motion_that_contradicts_itself_is_refused() {
    let mut simulation = build("pd", &["bodies.cloth.pins.0.motion.end=1".to_owned()]);
    let before = simulation.parameters.clone();
    let mut refused = |path: &str, value: ParameterValue| {
        simulation.set_parameter(path, value).expect_err(path).to_string()
    };
    let text = refused("bodies.cloth.pins.0.motion.start", 2.0.into());
    assert!(text.contains("start at 2 s and end at 1 s"), "{text}");
    let text = refused("bodies.cloth.pins.0.motion.end", (-1.0).into());
    assert!(text.contains("start at 0 s and end at -1 s"), "{text}");
    let text = refused("bodies.cloth.pins.0.motion.start", f64::INFINITY.into());
    assert!(text.contains("it must be finite"), "{text}");
    let text = refused("colliders.floor.motion.keys.1.time", 0.0.into());
    assert!(text.contains("keys must be in order of time"), "{text}");
    let text = refused("colliders.floor.motion.keys.1.scale", 0.0.into());
    assert!(text.contains("at least"), "{text}");
    assert_eq!(simulation.parameters, before);
    simulation.set_parameter("bodies.cloth.pins.0.motion.end", f64::INFINITY).expect("for ever");
    simulation.set_parameter("bodies.cloth.pins.0.motion.start", 2.0).expect("before the end");
}

#[test]
fn a_refused_value_changes_nothing_and_says_what_is_allowed() {
    let mut simulation = build("pd", &[]);
    let before = simulation.parameters.clone();
    let mut refused = |path: &str, value: ParameterValue| {
        simulation.set_parameter(path, value).expect_err(path).to_string()
    };
    let text = refused("bodies.cloth.material.yuong", 1e5.into());
    assert!(text.contains("did you mean `bodies.cloth.material.young`?"), "{text}");
    let text = refused("bodies.cloth.material.density", (-1.0).into());
    assert!(text.contains("kg/m³") && text.contains("greater than 0"), "{text}");
    let text = refused("bodies.cloth.material.poisson", 0.5.into());
    assert!(text.contains("less than 0.5"), "{text}");
    let text = refused("bodies.cloth.material.thickness", 0.002.into());
    assert!(text.contains("cannot change while a simulation lives"), "{text}");
    let text = refused("gravity", f64::NAN.into());
    assert!(text.contains("m/s²"), "{text}");
    let text = refused("wind.velocity", 2.0.into());
    assert!(text.contains("three numbers, not a number"), "{text}");
    assert_eq!(simulation.parameters, before);
}

/// Every listed path can be set to its own value, which changes nothing.
#[test]
fn listed_parameters_can_be_read_and_set() {
    for method in METHODS {
        let mut simulation = build(method, &[]);
        let (before, listed) = (simulation.parameters.clone(), simulation.parameters.list(&simulation.model));
        assert!(listed.len() > 20, "{method}: {}", listed.len());
        for parameter in listed {
            let path = &parameter.path;
            let found = simulation.parameters.get(&simulation.model, path).expect("it was listed");
            assert_eq!(found, parameter);
            if path.ends_with("area_density") || path.ends_with("bending_stiffness") {
                // Written by another key of the material.
                continue;
            }
            simulation.set_parameter(path, parameter.value).unwrap_or_else(|e| panic!("{method}: {e}"));
        }
        assert_eq!(simulation.parameters.materials, before.materials, "{method}");
        assert_eq!(simulation.parameters.mass, before.mass, "{method}");
    }
}
