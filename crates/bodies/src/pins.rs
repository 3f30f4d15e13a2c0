//! Prescribed nodes: where they must be at the end of a step.
//!
//! A pin that is active at the start of a step holds its nodes through the whole step. A rod edge
//! whose two nodes are held by one pin keeps its material frame too: the pin's rotation carries the
//! director, and the twist of the edge follows. Likewise a shell edge beside a triangle that one
//! pin holds keeps its normal: the shell is clamped along that edge. (A row of held nodes without
//! such a triangle is a hinge.)

use crate::controls::Controls;
use crate::frames::{EdgeFrame, orthonormal_to};
use crate::model::Model;
use crate::state::State;
use stiction_numerics::Vec3;
use stiction_numerics::nalgebra::{Rotation3, UnitQuaternion};
use stiction_scene::motion::Pose;
use stiction_scene::resolved::is_active;

/// A pin: nodes that move together, or a rigid body.
#[derive(Clone, Debug)]
pub struct PinGroup {
    /// Held nodes.
    pub nodes: Vec<u32>,
    /// Where each of them started \[m\].
    pub reference: Vec<Vec3>,
    /// Held rod and shell edges, by frame, with their director at the start.
    pub edges: Vec<(u32, Vec3)>,
    /// Held rigid body, in `Model::rigid`; then there are no nodes.
    pub rigid: Option<u32>,
    /// Which pin of the scene it is.
    pub source: PinSource,
    /// Collider that it moves with, if it follows one.
    pub follow: Option<usize>,
    /// Times during which the pin holds \[s\]; empty means always.
    pub active: Vec<(f64, f64)>,
}

/// A pin of the scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PinSource {
    /// Its body.
    pub body: usize,
    /// Its number among the pins of the body.
    pub pin: usize,
}

/// All exact pins of a model.
#[derive(Clone, Debug, Default)]
pub struct PinTable {
    /// Pins in the order of the scene.
    pub groups: Vec<PinGroup>,
}

/// Which blocks are prescribed in a step, and where they end.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Prescription {
    /// Whether a block is prescribed.
    pub fixed: Vec<bool>,
    /// Its value at the end of the step where it is.
    pub target: Vec<Vec3>,
}

impl PinTable {
    /// Whether any pin ever switches on or off.
    pub fn switches(&self) -> bool {
        self.groups.iter().any(|g| !g.active.is_empty())
    }

    /// The blocks prescribed over a step from `state.time` to `end`, and their values at `end`.
    pub fn prescribe(&self, model: &Model, controls: &Controls, state: &State, end: f64) -> Prescription {
        let mut out = Prescription { fixed: vec![false; model.blocks()], target: state.blocks.clone() };
        let active = || {
            let groups = self.groups.iter().enumerate().filter(|(_, g)| is_active(&g.active, state.time));
            groups.map(|(index, group)| (group, controls.pin(index, group)))
        };
        for (group, motion) in active() {
            let pose = motion.pose(end);
            for (&node, reference) in group.nodes.iter().zip(&group.reference) {
                out.fixed[node as usize] = true;
                out.target[node as usize] = pose.apply(reference);
            }
        }
        for (group, motion) in active() {
            let turn = motion.pose(end).linear;
            for &(edge, director) in &group.edges {
                let block = model.twist_block(edge as usize);
                out.fixed[block] = true;
                out.target[block].x = held_twist(model, state, &out.target, edge as usize, turn * director);
            }
            if let Some(rigid) = group.rigid {
                prescribe_rigid(model, state, rigid as usize, &motion.pose(end), &mut out);
            }
        }
        out
    }
}

/// Both blocks of a held rigid body: where its centre is, and how far it turns from its present
/// orientation.
fn prescribe_rigid(model: &Model, state: &State, rigid: usize, pose: &Pose, out: &mut Prescription) {
    let initial = model.rigid.bodies[rigid].initial;
    let turn = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(pose.linear));
    let rotation = turn * initial.orientation * state.orientations[rigid].inverse();
    let targets = [
        (model.rigid.centre_block(rigid), pose.apply(&initial.centre)),
        (model.rigid.rotation_block(rigid), rotation.scaled_axis()),
    ];
    for (block, target) in targets {
        out.fixed[block] = true;
        out.target[block] = target;
    }
}

/// The angle that turns the transported reference director of an edge onto `director`, nearest to
/// the current angle.
fn held_twist(model: &Model, state: &State, target: &[Vec3], edge: usize, director: Vec3) -> f64 {
    let [a, b] = model.frame_nodes(edge).map(|n| target[n as usize]);
    let current = state.blocks[model.twist_block(edge)].x;
    let Some(tangent) = (b - a).try_normalize(0.0) else { return current };
    let frame: EdgeFrame = state.frames[edge].transported(tangent);
    let wanted = orthonormal_to(director, tangent);
    let angle = wanted.dot(&frame.binormal()).atan2(wanted.dot(&frame.director));
    let turn = std::f64::consts::TAU;
    angle + turn * ((current - angle) / turn).round()
}
