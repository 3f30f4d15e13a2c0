//! The one way in which a step becomes the state.
//!
//! A method finds where the blocks end. [`next_state`] makes the state that follows from them,
//! apart from the old one; a method may still change it. [`commit`] checks that all its numbers are
//! finite and that no body runs away, and only then overwrites the old state. So a step that fails leaves nothing
//! half-written, and a checkpoint of "the last good state" is one. A method changes its own memory
//! (duals, impulses, anchors) after the commit only, or takes it back when the step fails.
//!
//! The arrays of a state are written in place and never move: a host program may keep views of
//! them.

use crate::solver::{StepError, World};
use stiction_bodies::{EdgeFrame, Model, State};
use stiction_numerics::Vec3;

/// Where a step ends.
pub struct EndOfStep {
    /// Blocks at the end \[m\], \[rad\].
    pub blocks: Vec<Vec3>,
    /// Their velocities.
    pub velocities: EndVelocities,
    /// How far time advances \[s\].
    pub h: f64,
}

/// Velocities at the end of a step.
pub enum EndVelocities {
    /// The change of the blocks over the step: (x − x_t)/h, as backward Euler has them.
    Mean,
    /// None: quasi-static steps, staging.
    Zero,
    /// As the method found them \[m/s\], \[rad/s\].
    Given(Vec<Vec3>),
}

/// The state at the end of a step: frames of rods and shells follow the tangents, rotation vectors
/// of rigid bodies go into their orientations.
pub fn next_state(world: World<'_>, state: &State, end: EndOfStep) -> State {
    let EndOfStep { mut blocks, velocities, h } = end;
    let velocities = match velocities {
        EndVelocities::Mean => blocks.iter().zip(&state.blocks).map(|(new, old)| (new - old) / h).collect(),
        EndVelocities::Zero => vec![Vec3::zeros(); blocks.len()],
        EndVelocities::Given(velocities) => velocities,
    };
    let mut frames = state.frames.clone();
    world.model.transport_frames(&mut frames, &blocks);
    let mut orientations = state.orientations.clone();
    world.model.rigid.retract(&mut blocks, &mut orientations);
    State { time: state.time + h, blocks, velocities, frames, orientations }
}

/// Makes `next` the state, or leaves the state as it is where a number of `next` is not finite or a
/// body moves beyond the limit that the caller set.
pub fn commit(world: World<'_>, next: &State, state: &mut State) -> Result<(), StepError> {
    require_finite(world.model, next)?;
    require_bounded(world, next, state)?;
    state.copy_from(next);
    Ok(())
}

/// Fails at the first block that is not finite, before work that needs finite positions.
pub fn require_finite_blocks(model: &Model, blocks: &[Vec3]) -> Result<(), StepError> {
    let wrong = blocks.iter().position(|x| !is_finite(x));
    wrong.map_or(Ok(()), |block| Err(not_finite("position", &block_name(model, block))))
}

fn require_finite(model: &Model, state: &State) -> Result<(), StepError> {
    require_finite_blocks(model, &state.blocks)?;
    if let Some(block) = state.velocities.iter().position(|v| !is_finite(v)) {
        return Err(not_finite("velocity", &block_name(model, block)));
    }
    let is_finite_frame =
        |f: &EdgeFrame| is_finite(&f.tangent) && is_finite(&f.director) && f.reference_twist.is_finite();
    if let Some(frame) = state.frames.iter().position(|f| !is_finite_frame(f)) {
        return Err(not_finite("material frame", &block_name(model, model.nodes + frame)));
    }
    if let Some(rigid) = state.orientations.iter().position(|q| !q.coords.iter().all(|c| c.is_finite())) {
        return Err(not_finite("orientation", &rigid_name(model, rigid)));
    }
    match state.time.is_finite() {
        true => Ok(()),
        false => Err(StepError::NotFinite { what: "the time at the end of the step".to_owned() }),
    }
}

/// Fails at the first body that moves beyond the limit, if there is one (see [`crate::runaway`]).
fn require_bounded(world: World<'_>, next: &State, state: &State) -> Result<(), StepError> {
    let (model, parameters) = (world.model, world.parameters);
    let Some(limit) = parameters.motion_limit else { return Ok(()) };
    let h = next.time - state.time;
    for (body, described) in model.bodies.iter().enumerate() {
        let speed = next.mean_speed(model, parameters, body);
        let way = next.mean_way(state, model, parameters, body);
        // Squares of numbers that are finite may not be: a comparison with NaN or ∞ fails too.
        let (speed, most) = match (speed <= limit.speed, way <= limit.displacement) {
            (true, true) => continue,
            (false, _) => (speed, limit.speed),
            (true, false) => (way / h, limit.displacement / h),
        };
        let cause = String::new();
        return Err(StepError::RanAway { body, name: described.name.clone(), speed, most, cause });
    }
    Ok(())
}

fn is_finite(v: &Vec3) -> bool {
    v.iter().all(|c| c.is_finite())
}

fn not_finite(quantity: &str, owner: &str) -> StepError {
    StepError::NotFinite { what: format!("the {quantity} of {owner} at the end of the step") }
}

fn rigid_name(model: &Model, rigid: usize) -> String {
    format!("the rigid body `{}`", model.bodies[model.rigid.bodies[rigid].body as usize].name)
}

/// "node 3 of `sheet`", counted from 0 within its body.
fn block_name(model: &Model, block: usize) -> String {
    let body_of = |node: usize| &model.bodies[model.body_of_node[node] as usize];
    if let Some(beyond) = block.checked_sub(model.rigid.first_block) {
        return rigid_name(model, beyond / 2);
    }
    match block.checked_sub(model.nodes) {
        None => {
            let body = body_of(block);
            format!("node {} of `{}`", block - body.nodes.start, body.name)
        }
        Some(frame) => {
            let [a, b] = model.frame_nodes(frame).map(|n| n as usize);
            let body = body_of(a);
            let start = body.nodes.start;
            format!("the edge from node {} to node {} of `{}`", a - start, b - start, body.name)
        }
    }
}
