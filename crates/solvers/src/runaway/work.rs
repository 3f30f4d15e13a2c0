//! What pins, anchors, colliders and springs that switch on may do in a step.

use crate::solver::World;
use stiction_bodies::State;
use stiction_numerics::Vec3;
use stiction_scene::resolved::is_active;

/// Motion of scripts within a step.
pub struct ScriptMotion {
    /// Longest way of a point that is moved by a script \[m\].
    pub way: f64,
    /// Work on springs to moving places, and energy of springs that switch on \[J\].
    pub spring_work: f64,
}

/// A step that begins where the state is.
pub struct StepTimes {
    /// When the step before began \[s\], if there was one.
    pub since: Option<f64>,
    /// Length \[s\].
    pub h: f64,
}

impl StepTimes {
    /// Whether what is active now was not so in the step before.
    fn switches_on(&self, active: &[(f64, f64)]) -> bool {
        self.since.is_none_or(|time| !is_active(active, time))
    }
}

impl ScriptMotion {
    /// For a step; `corners` span the bodies.
    pub fn new(world: World<'_>, state: &State, step: &StepTimes, corners: [Vec3; 8]) -> ScriptMotion {
        let held = held(world, state, step.h);
        let colliders = colliders(world, [state.time, state.time + step.h], corners);
        let anchored = anchors(world, state, step);
        ScriptMotion {
            way: held.max(colliders).max(anchored.way),
            spring_work: anchored.spring_work + switched_on(world, state, step),
        }
    }
}

/// Longest way to where pins want their nodes and rigid bodies \[m\].
fn held(world: World<'_>, state: &State, h: f64) -> f64 {
    let pins = world.model.pins.groups.iter().enumerate();
    let mut way: f64 = 0.0;
    for (index, group) in pins.filter(|(_, group)| is_active(&group.active, state.time)) {
        let pose = world.parameters.controls.pin(index, group).pose(state.time + h);
        for (&node, reference) in group.nodes.iter().zip(&group.reference) {
            way = way.max((pose.apply(reference) - state.blocks[node as usize]).norm());
        }
        if let Some(rigid) = group.rigid {
            let rigid = rigid as usize;
            let start = world.model.rigid.bodies[rigid].initial.centre;
            let centre = state.blocks[world.model.rigid.centre_block(rigid)];
            way = way.max((pose.apply(&start) - centre).norm());
        }
    }
    way
}

/// Longest way of colliders where the bodies are \[m\].
fn colliders(world: World<'_>, times: [f64; 2], corners: [Vec3; 8]) -> f64 {
    let (table, controls) = (&world.model.colliders, &world.parameters.controls);
    let mut way: f64 = 0.0;
    for index in (0..table.colliders.len()).filter(|&index| table.moves(index, controls)) {
        let motion = controls.collider(index);
        let deforms = table.colliders[index].sequence.is_some();
        let [before, after] = times.map(|time| {
            let mut places: Vec<Vec3> = corners.iter().map(|x| motion.pose(time).apply(x)).collect();
            if deforms {
                table.append_positions(index, controls, time, &mut places);
            }
            places
        });
        way = before.iter().zip(&after).map(|(a, b)| (b - a).norm()).fold(way, f64::max);
    }
    way
}

/// Longest way of the places that springs hold nodes to \[m\], and the work of moving them: force
/// times way, or all of the energy where the spring switches on \[J\].
fn anchors(world: World<'_>, state: &State, step: &StepTimes) -> ScriptMotion {
    let parameters = world.parameters;
    let (mut longest, mut work) = (0.0_f64, 0.0);
    let groups = world.model.anchors.groups.iter().enumerate();
    for (index, group) in groups.filter(|(_, group)| is_active(&group.active, state.time)) {
        let motion = parameters.controls.anchor(index, group);
        let [before, after] = [motion.pose(state.time), motion.pose(state.time + step.h)];
        let stiffness = parameters.springs.stiffness(group.spring);
        let is_new = step.switches_on(&group.active);
        for (&node, reference) in group.nodes.iter().zip(&group.reference) {
            let (from, to) = (before.apply(reference), after.apply(reference));
            let (stretch, way) = ((state.blocks[node as usize] - from).norm(), (to - from).norm());
            longest = longest.max(way);
            work += stiffness * way * (stretch + way);
            if is_new {
                work += 0.5 * stiffness * stretch * stretch;
            }
        }
    }
    ScriptMotion { way: longest, spring_work: work }
}

/// Energy of couplings that switch on with this step \[J\]; those of the start are part of its energy.
fn switched_on(world: World<'_>, state: &State, step: &StepTimes) -> f64 {
    if step.since.is_none() {
        return 0.0;
    }
    let couplings = world.model.couplings.iter().filter(|c| c.is_active(state.time));
    couplings
        .filter(|coupling| step.switches_on(&coupling.active))
        .map(|coupling| {
            let apart: Vec3 = coupling.terms.iter().map(|&(n, c)| state.blocks[n as usize] * c).sum();
            let over = (apart - coupling.offset).norm() - coupling.rest_length;
            0.5 * world.parameters.springs.stiffness(coupling.spring) * over * over
        })
        .sum()
}
