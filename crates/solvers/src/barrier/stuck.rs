//! Why a step got nowhere: scripted motion that nothing can make way for, or Newton's method
//! itself.

use super::contacts::Configuration;
use super::islands::{Owners, around};
use super::progress::Progress;
use crate::solver::{StepError, World};
use crate::violations::Script;
use stiction_scene::resolved::is_active;

/// A step that got less far than this share is an error.
const LEAST_STEP: f64 = 1e-3;

/// An error when a step from one configuration to another got nowhere.
pub(super) fn require_motion(
    world: World<'_>,
    owners: &Owners,
    progress: &Progress,
    ends: [&Configuration<'_>; 2],
) -> Result<(), StepError> {
    match progress.beta() >= LEAST_STEP {
        true => Ok(()),
        false => Err(stuck(world, owners, progress, ends)),
    }
}

/// Names what is in the way of a step, and what is moved there by a script.
pub(super) fn stuck(
    world: World<'_>,
    owners: &Owners,
    progress: &Progress,
    [start, end]: [&Configuration<'_>; 2],
) -> StepError {
    let (share, step, iterations) = (progress.beta(), end.time - start.time, progress.iterations);
    let last = progress.last.as_ref();
    let Some((culprit, last)) = last.and_then(|last| Some((last.limit.culprit?, last))) else {
        return StepError::Stalled { obstacle: None, share, step, iterations };
    };
    let (obstacle, pair) = (Box::new(culprit.named(world.model)), culprit.objects());
    let scripts_of = |objects: &[u32]| -> Vec<Script> {
        objects.iter().flat_map(|&o| scripts(world, o as usize, [start, end])).collect()
    };
    let mut found = scripts_of(if pair[0] == pair[1] { &pair[..1] } else { &pair });
    if found.is_empty() {
        found = scripts_of(&around(owners, &last.contacts, pair));
    }
    match found.is_empty() {
        true => StepError::Stalled { obstacle: Some(obstacle), share, step, iterations },
        false => StepError::Infeasible { scripts: found, obstacle, share, step, iterations },
    }
}

/// What moves an object by a script within a step.
fn scripts(world: World<'_>, object: usize, [start, end]: [&Configuration<'_>; 2]) -> Vec<Script> {
    let World { model, parameters } = world;
    if let Some(collider) = object.checked_sub(model.bodies.len()) {
        let (controls, times) = (&parameters.controls, [start.time, end.time]);
        let moves = model.colliders.moves_between(collider, controls, times);
        let name = model.surfaces.objects[object].name.clone();
        return if moves { vec![Script::Collider { name }] } else { Vec::new() };
    }
    let body = &model.bodies[object];
    let own = |node: Option<&u32>| node.is_some_and(|&n| body.nodes.contains(&(n as usize)));
    let pins = model.pins.groups.iter().filter(|g| own(g.nodes.first())).enumerate();
    let moving = pins.filter(|(_, pin)| {
        let moves = |&n: &u32| end.blocks[n as usize] != start.blocks[n as usize];
        is_active(&pin.active, start.time) && pin.nodes.iter().any(moves)
    });
    moving.map(|(number, _)| Script::Pin { body: body.name.clone(), number }).collect()
}

#[cfg(test)]
mod tests {
    use super::super::BarrierSolver;
    use super::super::contacts::scripted_vertices;
    use super::super::line_search::{Culprit, Limit};
    use super::super::newton::Iteration;
    use super::*;
    use crate::violations::Obstacle;
    use std::borrow::Cow;
    use std::path::Path;
    use stiction_bodies::{Parameters, State, build};
    use stiction_factor::CoupledSolveInfo;
    use stiction_numerics::Vec3;

    /// What a step of 10 ms says that got nowhere between two sheets, a far one beside them, the
    /// upper one pinned with some motion.
    fn stuck_between_sheets(motion: &str) -> StepError {
        let sheet = |name: &str, z: f64, pins: &str| {
            format!(
                "[bodies.{name}]
                kind = 'cloth'
                mesh = {{ grid = {{ size = [0.1, 0.1], cells = [1, 1] }} }}
                material = {{ preset = 'cotton' }}
                translate = [0, 0, {z}]
                gap = 0.001
                {pins}\n"
            )
        };
        let text = format!(
            "stiction = 1\nmethod = {{ key = 'barrier' }}\n{}{}{}",
            sheet("low", 0.0, ""),
            sheet("up", 0.01, &format!("pins = [{{ select = 'left' }}, {{ select = 'right' {motion} }}]")),
            sheet("far", 5.0, "pins = [{ select = 'left', motion = { velocity = [0, 0, 1] } }]"),
        );
        let loaded = stiction_scene::load_text("test.toml", &text, Path::new("."), &[] as &[&str]);
        let scene = loaded.unwrap_or_else(|error| panic!("{error}: {}", error.fix())).scene;
        let model = build(&scene).expect("a good model");
        let parameters = Parameters::from_scene(&scene, &model);
        let world = World { model: &model, parameters: &parameters };
        let owners = BarrierSolver::new(Default::default(), world).expect("a good scene").detector.owners;
        let state = State::initial(&model, &scene);
        let at = |blocks: Vec<Vec3>, time: f64| Configuration {
            blocks: Cow::Owned(blocks),
            kinematic: scripted_vertices(world, time),
            time,
        };
        let target = model.pins.prescribe(&model, &parameters.controls, &state, 0.01).target;
        let name = |name: &str| model.bodies.iter().position(|b| b.name == name).expect("a body") as u32;
        let culprit = Some(Culprit::Pair([name("low"), name("up")], Vec3::z()));
        let mut progress = Progress::new(owners.clock() + 1);
        progress.advance(Iteration {
            limit: Limit { alpha: vec![0.0; owners.clock() + 1], culprit },
            change: 1.0,
            mean_change: 1.0,
            is_settling: false,
            solved: CoupledSolveInfo::default(),
            contacts: Vec::new(),
            forces: Vec::new(),
        });
        let ends = [&at(state.blocks.clone(), 0.0), &at(target, 0.01)];
        require_motion(world, &owners, &progress, ends).expect_err("it got nowhere")
    }

    #[test]
    fn a_stall_names_what_is_in_the_way() {
        let error = stuck_between_sheets("");
        let StepError::Stalled { obstacle: Some(obstacle), share, iterations: 1, .. } = &error else {
            panic!("{error}")
        };
        let names = ["low".to_owned(), "up".to_owned()];
        assert_eq!((obstacle.as_ref(), *share), (&Obstacle::Pair { objects: names, place: Vec3::z() }, 0.0));
        let words = error.to_string();
        assert!(words.contains("`low` and `up`") && words.contains("smaller step"), "{words}");
    }

    /// The pin that moves is named, not the one beside it that rests nor a far one.
    #[test]
    fn a_script_in_the_way_is_named() {
        let error = stuck_between_sheets(", motion = { velocity = [0, 0, -1] }");
        let StepError::Infeasible { scripts, .. } = &error else { panic!("{error}") };
        assert_eq!(scripts[..], [Script::Pin { body: "up".to_owned(), number: 1 }]);
        assert!(error.to_string().contains("pin 1 of `up`"), "{error}");
    }
}
