//! The collision service over a model: what it finds, and that it finds it once.

mod common;

use common::World;
use stiction_bodies::PlacedBlocks;
use stiction_contact::detect::{KnownContacts, StepMotion};
use stiction_contact::{ContactKind, EllipticRule, Friction, NewContact};
use stiction_numerics::{Random, Vec3};
use stiction_scene::resolved::Gravity;

impl World {
    /// Proximity contacts, then continuous ones that are new.
    fn contacts(&mut self, velocity: Vec3) -> (Vec<NewContact>, Vec<NewContact>) {
        let velocities = vec![velocity; self.model.blocks()];
        let near = self.near(&velocities);
        let mut known: Vec<u64> = near.iter().map(|c| c.key).collect();
        known.sort_unstable();
        known.windows(2).for_each(|pair| assert_ne!(pair[0], pair[1], "every contact has its own key"));
        let later = self.approaching(&velocities, KnownContacts::new(&known));
        assert!(later.iter().all(|c| known.binary_search(&c.key).is_err()), "known contacts come once");
        (near, later)
    }
}

const SHEET: &str = "stiction = 1
[bodies.sheet]
kind = 'cloth'
material = 'cotton'
thickness = 0.001
gap = 0.002
mesh = { grid = { size = [1, 1], cells = [8, 8] } }
";

#[test]
fn a_fast_sheet_meets_plane_and_sheet_before_it_passes_them() {
    let below = SHEET.replace("sheet]", "base]") + "translate = [0.03, 0.02, -0.05]\n";
    let text = SHEET.to_owned() + below.strip_prefix("stiction = 1\n").expect("the head stands once");
    let mut still = World::new(&text);
    assert!(still.contacts(Vec3::zeros()).0.is_empty());
    let mut fast = World::new(&text);
    fast.parameters.gravity = Gravity::constant(Vec3::zeros());
    // Both sheets move alike: nothing to find. Then the upper one alone.
    assert!(fast.contacts(Vec3::new(0.0, 0.0, -20.0)).1.is_empty());
    let nodes = fast.model.bodies[1].nodes.clone();
    let mut velocities = vec![Vec3::zeros(); fast.model.blocks()];
    nodes.for_each(|n| velocities[n] = Vec3::new(0.0, 0.0, -20.0));
    let found = fast.approaching(&velocities, KnownContacts::new(&[]));
    assert!(found.len() > 100, "{}", found.len());
    for contact in &found {
        // The gap is that of the start: 50 mm less the thickness of 1 mm, along a vertical normal.
        assert!(contact.normal.z.abs() > 0.999, "{}", contact.normal);
        assert!((contact.gap - 0.049).abs() < 1e-4, "{}", contact.gap);
        let sum: f64 = contact.stencil.weights().iter().sum();
        assert!(sum.abs() < 1e-12, "weights of two free bodies sum to zero");
    }
}

#[test]
fn a_ball_is_met_by_faces_between_their_vertices() {
    let text =
        SHEET.to_owned() + "[colliders.ball]\nsphere = { centre = [0.05, 0.07, -0.1008], radius = 0.1 }\n";
    let (near, _) = World::new(&text).contacts(Vec3::zeros());
    assert!(near.iter().all(|c| c.kind == ContactKind::Analytic));
    let nearest = near.iter().map(|c| c.gap).fold(f64::INFINITY, f64::min);
    // The nearest point of the sheet is straight above the centre: 0.8 mm less half the thickness.
    assert!((nearest - 0.0003).abs() < 1e-9, "{nearest}");
    assert!(near.iter().any(|c| c.stencil.nodes().len() == 3), "a face touches inside");
}

#[test]
fn prescribed_vertices_leave_the_stencil_and_bring_their_velocity() {
    let text = SHEET.to_owned()
        + "[[bodies.sheet.pins]]\nselect = 'left'\nmotion = { velocity = [0, 0, -3] }\n\
           [colliders.floor]\nplane = { offset = -0.001 }\n";
    let (near, _) = World::new(&text).contacts(Vec3::zeros());
    // 81 vertices, 9 of them pinned: a pinned vertex against the floor has nothing that is free.
    assert_eq!(near.len(), 72);
}

#[test]
fn a_grain_makes_an_elliptic_cone_that_follows_the_cloth() {
    let text = SHEET.to_owned()
        + "friction_direction = { along = 0.9, across = 0.1, direction = [1, 0, 0] }\nrotate = { axis = [0, 0, 1], degrees = 30 }\n\
           [colliders.floor]\nplane = { offset = -0.001 }\nfriction = 1.0\n";
    let (near, _) = World::new(&text).contacts(Vec3::zeros());
    assert_eq!(near.len(), 81);
    for contact in &near {
        let Friction::Elliptic(cone) = contact.friction else { panic!("friction has a grain") };
        assert!((cone.friction_tangent - 0.9_f64.sqrt()).abs() < 1e-12);
        assert!((cone.friction_binormal - 0.1_f64.sqrt()).abs() < 1e-12);
        assert!((cone.tangent.x.abs() - 1.0).abs() < 1e-9, "{}", cone.tangent);
    }
}

/// A block on its own corner vertices: all its vertices below are shared with side faces, two of
/// which stand across the grain. Its underside decides.
#[test]
fn the_grain_of_a_block_is_that_of_the_face_below() {
    let text = "stiction = 1
        [bodies.block]
        kind = 'solid'
        mesh = { tet_box = { size = [0.1, 0.1, 0.1], cells = [1, 1, 1] } }
        material = { density = 1000.0, young = 1e6, poisson = 0.3 }
        translate = [0, 0, 0.0505]
        friction_direction = { along = 0.9, across = 0.1, direction = [0.6, 0.8, 0.3] }
        [colliders.floor]
        plane = { offset = 0.0 }
        friction = 1.0";
    let (near, _) = World::new(text).contacts(Vec3::zeros());
    assert_eq!(near.len(), 4);
    for contact in &near {
        let Friction::Elliptic(cone) = contact.friction else { panic!("friction has a grain") };
        assert!((cone.tangent.dot(&Vec3::new(0.6, 0.8, 0.0)).abs() - 1.0).abs() < 1e-12, "{}", cone.tangent);
    }
}

/// The grain of a plane alone, and of a plane that turns: after a quarter turn it points along y.
#[test]
fn the_grain_of_a_collider_turns_with_it() {
    let text = SHEET.to_owned()
        + "[colliders.floor]\nplane = { offset = -0.001 }\nfriction = 1.0\n\
           friction_direction = { along = 0.9, across = 0.1, direction = 'x' }\n\
           motion = { turn = { axis = 'z', degrees_per_second = 90 } }\n[friction]\nellipse = 'maximum_dissipation'\n";
    for (time, expected) in [(0.0, Vec3::x()), (1.0, Vec3::y())] {
        let mut world = World::new(&text);
        world.state.time = time;
        let (near, _) = world.contacts(Vec3::zeros());
        assert_eq!(near.len(), 81);
        for contact in &near {
            let Friction::Elliptic(cone) = contact.friction else { panic!("friction has a grain") };
            // The sheet has no grain: it takes the floor's, and brings its plain coefficient.
            assert!((cone.friction_tangent / cone.friction_binormal - 3.0).abs() < 1e-12);
            assert_eq!(cone.rule, EllipticRule::MaximumDissipation);
            assert!((cone.tangent.dot(&expected).abs() - 1.0).abs() < 1e-9, "{}", cone.tangent);
        }
    }
}

#[test]
fn known_pairs_are_evaluated_anew_at_a_trial_configuration() {
    let below = SHEET.replace("sheet]", "base]") + "translate = [0.01, 0.02, -0.002]\n";
    let mut world =
        World::new(&(SHEET.to_owned() + below.strip_prefix("stiction = 1\n").expect("the head stands once")));
    let blocks = world.state.blocks.clone();
    let controls = &world.parameters.controls;
    let start = world.state.placed();
    let mut pairs = world.finder.pairs(&world.model, controls, start, 0.003).expect("found");
    assert!(!pairs.is_empty());
    let before = pairs.clone();
    let mut trial = blocks;
    world.model.bodies[1].nodes.clone().for_each(|n| trial[n].z += 0.004);
    let trial = PlacedBlocks { blocks: &trial, ..start };
    world.finder.reevaluate(&world.model, controls, &mut pairs, trial);
    for (old, new) in before.iter().zip(&pairs) {
        assert_eq!(old.key(), new.key());
        assert!((new.gap - 0.005).abs() < 1e-3 + (old.gap - 0.001).abs(), "{} {}", old.gap, new.gap);
    }
}

/// A collider that remembers what may touch from the first trial end gives the same contacts at
/// later ends as one that looks anew, whether the later end is near the first or far from it, for
/// all vertices or for a few.
#[test]
fn what_was_found_for_one_end_serves_the_next() {
    let below = SHEET.replace("sheet]", "base]") + "translate = [0.03, 0.02, -0.01]\n";
    let text = SHEET.to_owned()
        + below.strip_prefix("stiction = 1\n").expect("the head stands once")
        + "[colliders.ball]\nsphere = { centre = [0.1, 0, -0.25], radius = 0.2 }\n\
           [colliders.post]\nbox = { centre = [-0.3, 0.2, -0.1], size = [0.1, 0.1, 0.1] }\n\
           motion = { velocity = [0, 0, 5] }\n";
    let mut random = Random::new(8);
    let first: Vec<Vec3> = (0..World::new(&text).model.blocks()).map(|_| random.vector(-2.0, 2.0)).collect();
    let mut seasoned = World::new(&text);
    for (size, every) in [(0.0, 1), (0.05, 1), (4.0, 50), (9.0, 31), (4.0, 1)] {
        let mut stray =
            |i: usize| if i.is_multiple_of(every) { random.vector(-size, size) } else { Vec3::zeros() };
        let later: Vec<Vec3> = first.iter().enumerate().map(|(i, v)| v + stray(i)).collect();
        let contacts = |world: &mut World, warm: bool| {
            if warm {
                world.near(&first);
                world.approaching(&first, KnownContacts::new(&[]));
            }
            (world.near(&later), world.approaching(&later, KnownContacts::new(&[])))
        };
        let (remembered, anew) = (contacts(&mut seasoned, true), contacts(&mut World::new(&text), false));
        assert!(anew.1.len() > 60, "{}", anew.1.len());
        assert!(anew.1.iter().any(|c| c.kind == ContactKind::Analytic));
        assert_eq!(remembered, anew);
    }
}

/// Sheets that lie on each other have their contacts from the start: while they move by less than
/// thickness and gap nothing is added, and when they move by more, all that a full search adds. The
/// vertices of the lower sheet lie just beside edges of the upper one; where that slides over them
/// before it comes down, they meet triangles that they were near to, but whose edge was nearest
/// then.
#[test]
fn near_pairs_are_asked_again_when_they_move_far() {
    let below = SHEET.replace("sheet]", "base]") + "translate = [0.03, 0.0005, -0.002]\n";
    let text = SHEET.to_owned() + below.strip_prefix("stiction = 1\n").expect("the head stands once");
    let World { model, parameters, state, mut finder } = World::new(&text);
    let prescription = model.pins.prescribe(&model, &parameters.controls, &state, 0.01);
    let motion = StepMotion {
        start: &state.blocks,
        orientations: &state.orientations,
        prescription: &prescription,
        parameters: &parameters,
        time: 0.0,
        h: 0.01,
    };
    let upper = model.bodies[1].nodes.clone();
    for (sideways, is_far) in [(0.2, false), (3.0, true)] {
        let slide = Vec3::new(0.0, sideways, -0.15);
        let velocity = |n: usize| if upper.contains(&n) { slide } else { Vec3::zeros() };
        let velocities: Vec<Vec3> = (0..model.blocks()).map(velocity).collect();
        let near = finder.proximity(&model, &parameters, &motion, &velocities).expect("found");
        let mut known: Vec<u64> = near.iter().map(|c| c.key).collect();
        known.sort_unstable();
        let all = finder
            .approaching(&model, &parameters, &motion, &velocities, KnownContacts::new(&known))
            .expect("found");
        let further = finder
            .approaching(
                &model,
                &parameters,
                &motion,
                &velocities,
                KnownContacts::new(&known).with_all_near(),
            )
            .expect("found");
        println!("{sideways} m/s: {} near, {} coming, {} asked", near.len(), all.len(), further.len());
        assert!(near.len() > 100 && all.len() > 30, "{} {}", near.len(), all.len());
        assert_eq!(further.len(), if is_far { all.len() } else { 0 });
        assert!(further.iter().all(|c| all.contains(c)));
    }
}

/// Two crossed rods, 20 thicknesses apart, come together within a step. While they end in the
/// contact that they have, they are held, however far they came; when they pass through each other,
/// they are found again.
#[test]
fn a_watched_pair_is_found_again_only_when_it_passes_through() {
    let text = "stiction = 1
        [bodies.below]
        kind = 'rod'
        mesh = { rod = { start = [-0.1, 0, 0], end = [0.1, 0, 0], segments = 1 } }
        material = { density = 1000.0, radius = 0.0005, young = 1e7, poisson = 0.3 }
        [bodies.above]
        kind = 'rod'
        mesh = { rod = { start = [0, -0.1, 0.02], end = [0, 0.1, 0.02], segments = 1 } }
        material = { density = 1000.0, radius = 0.0005, young = 1e7, poisson = 0.3 }\n";
    let World { model, parameters, state, mut finder } = World::new(text);
    let prescription = model.pins.prescribe(&model, &parameters.controls, &state, 0.01);
    let motion = StepMotion {
        start: &state.blocks,
        orientations: &state.orientations,
        prescription: &prescription,
        parameters: &parameters,
        time: 0.0,
        h: 0.01,
    };
    let above = model.bodies.iter().find(|body| body.name == "above").expect("it is there").nodes.clone();
    let mut found = |end: f64, known: KnownContacts<'_>| {
        let fall = Vec3::new(0.0, 0.0, (end - 0.02) / motion.h);
        let velocity = |n: usize| if above.contains(&n) { fall } else { Vec3::zeros() };
        let velocities: Vec<Vec3> = (0..model.blocks()).map(velocity).collect();
        finder.approaching(&model, &parameters, &motion, &velocities, known).expect("found")
    };
    let first = found(-0.01, KnownContacts::new(&[]));
    assert_eq!(first.len(), 1);
    let known = [first[0].key];
    for (end, again) in [(0.0009, 0), (0.0005, 0), (0.00005, 1), (-0.001, 1)] {
        assert_eq!(found(end, KnownContacts::new(&known).rechecked()).len(), again, "ends at {end} m");
    }
}
