//! The state of a run: plain arrays.

use crate::frames::EdgeFrame;
use crate::model::{Body, Model};
use crate::parameters::Parameters;
use crate::rigid::RigidPose;
use stiction_numerics::Vec3;
use stiction_numerics::nalgebra::UnitQuaternion;
use stiction_scene::Scene;

/// Positions, angles, velocities and frames at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Time \[s\].
    pub time: f64,
    /// Positions of the nodes \[m\], then twists of the rod edges and angles of the shell normals
    /// \[rad\] in the first component, then for each rigid body its centre \[m\] and its rotation
    /// vector since the start of the step \[rad\], which is zero between steps.
    pub blocks: Vec<Vec3>,
    /// Their velocities \[m/s\], \[rad/s\]; those of rotations are angular velocities in the world.
    pub velocities: Vec<Vec3>,
    /// Reference frames of the rod edges, then of the shell edges, at `time`.
    pub frames: Vec<EdgeFrame>,
    /// Orientations of the rigid bodies at `time`: they turn directions of a body into directions of the world.
    pub orientations: Vec<UnitQuaternion<f64>>,
}

/// Where the unknowns are at a time: a state, or a trial within a step.
#[derive(Clone, Copy, Debug)]
pub struct PlacedBlocks<'a> {
    /// As in [`State`]; rotation vectors of rigid bodies count from `orientations`.
    pub blocks: &'a [Vec3],
    /// Orientations of the rigid bodies at the start of the step.
    pub orientations: &'a [UnitQuaternion<f64>],
    /// Time \[s\].
    pub time: f64,
}

impl State {
    /// Where its unknowns are.
    pub fn placed(&self) -> PlacedBlocks<'_> {
        PlacedBlocks { blocks: &self.blocks, orientations: &self.orientations, time: self.time }
    }

    /// The state at the start of a scene.
    pub fn initial(model: &Model, scene: &Scene) -> State {
        let mut blocks = model.initial.clone();
        blocks.resize(model.blocks(), Vec3::zeros());
        let mut velocities = vec![Vec3::zeros(); model.blocks()];
        for (body, source) in model.bodies.iter().zip(&scene.bodies) {
            let centre = spin_centre(body, source.material.density(), &blocks);
            for node in body.nodes.clone() {
                velocities[node] = source.initial_velocity + source.spin.cross(&(blocks[node] - centre));
            }
        }
        let frames = model.initial_frames(&blocks);
        for (index, edge) in model.shell_edges.iter().enumerate() {
            // A normal turns with its body.
            let spin = scene.bodies[edge.body as usize].spin;
            velocities[model.shell_angle_block(index)].x =
                spin.dot(&frames[model.shell_frame(index)].tangent);
        }
        for (index, rigid) in model.rigid.bodies.iter().enumerate() {
            let source = &scene.bodies[rigid.body as usize];
            blocks[model.rigid.centre_block(index)] = rigid.initial.centre;
            velocities[model.rigid.centre_block(index)] = source.initial_velocity;
            velocities[model.rigid.rotation_block(index)] = source.spin;
        }
        State { time: 0.0, blocks, velocities, frames, orientations: model.rigid.initial_orientations() }
    }

    /// Positions of the nodes \[m\].
    pub fn positions(&self, model: &Model) -> &[Vec3] {
        &self.blocks[..model.nodes]
    }

    /// The pose of a rigid body.
    pub fn rigid_pose(&self, model: &Model, rigid: usize) -> RigidPose {
        model.rigid.pose(rigid, &self.blocks, &self.orientations)
    }

    /// Linear momentum Σ m v of all nodes and rigid bodies \[kg m/s\].
    pub fn momentum(&self, model: &Model, parameters: &Parameters) -> Vec3 {
        let nodes: Vec3 =
            self.velocities[..model.nodes].iter().zip(&parameters.mass).map(|(v, m)| v * *m).sum();
        (0..model.rigid.len()).fold(nodes, |sum, index| {
            let centre = model.rigid.centre_block(index);
            sum + self.velocities[centre] * parameters.mass[centre]
        })
    }

    /// Angular momentum about the origin \[kg m²/s\]: Σ x × m v of all nodes, and
    /// c × m v + R I Rᵀ ω of rigid bodies; the spin of rod
    /// sections is left out.
    pub fn angular_momentum(&self, model: &Model, parameters: &Parameters) -> Vec3 {
        let nodes = self.blocks[..model.nodes].iter().zip(&self.velocities).zip(&parameters.mass);
        let nodes: Vec3 = nodes.map(|((x, v), m)| x.cross(v) * *m).sum();
        (0..model.rigid.len()).fold(nodes, |sum, index| {
            let centre = model.rigid.centre_block(index);
            let orbit = self.blocks[centre].cross(&self.velocities[centre]) * parameters.mass[centre];
            sum + orbit + self.spin_momentum(model, parameters, index)
        })
    }

    /// Angular momentum of a rigid body about its own centre, R I Rᵀ ω \[kg m²/s\].
    pub fn spin_momentum(&self, model: &Model, parameters: &Parameters, rigid: usize) -> Vec3 {
        let inertia = self.rigid_pose(model, rigid).tensor(&parameters.inertia(model, rigid));
        inertia * self.velocities[model.rigid.rotation_block(rigid)]
    }

    /// Kinetic energy \[J\]: ½ Σ m v², angles included, and ½ ω·I ω of rigid bodies.
    pub fn kinetic_energy(&self, model: &Model, parameters: &Parameters) -> f64 {
        let lumped = 0..model.nodes + model.frames();
        let moving = self.velocities[lumped].iter().zip(&parameters.mass);
        let lumped: f64 = moving.map(|(v, m)| 0.5 * m * v.norm_squared()).sum();
        (0..model.rigid.len()).fold(lumped, |sum, index| {
            let centre = model.rigid.centre_block(index);
            let spin = self.velocities[model.rigid.rotation_block(index)];
            let moving = 0.5 * parameters.mass[centre] * self.velocities[centre].norm_squared();
            sum + moving + 0.5 * spin.dot(&self.spin_momentum(model, parameters, index))
        })
    }

    /// Speed of a body \[m/s\], root mean square over its mass: √(2 T/m); the spin of a rigid body is
    /// part of it.
    pub fn mean_speed(&self, model: &Model, parameters: &Parameters, body: usize) -> f64 {
        let Some(rigid) = model.bodies[body].rigid.map(|rigid| rigid as usize) else {
            return mean_over_mass(model, parameters, body, |node| self.velocities[node]);
        };
        let centre = model.rigid.centre_block(rigid);
        let spin = self.velocities[model.rigid.rotation_block(rigid)];
        let spin = spin.dot(&self.spin_momentum(model, parameters, rigid)) / parameters.mass[centre];
        (self.velocities[centre].norm_squared() + spin).sqrt()
    }

    /// Way of a body from another state to this one \[m\], root mean square over its mass; that of the
    /// centre of a rigid body.
    pub fn mean_way(&self, from: &State, model: &Model, parameters: &Parameters, body: usize) -> f64 {
        let way = |block: usize| self.blocks[block] - from.blocks[block];
        match model.bodies[body].rigid {
            Some(rigid) => way(model.rigid.centre_block(rigid as usize)).norm(),
            None => mean_over_mass(model, parameters, body, way),
        }
    }

    /// Takes the numbers of another state of the same model. The arrays stay where they are, so
    /// views of them stay valid.
    pub fn copy_from(&mut self, other: &State) {
        let State { time, blocks, velocities, frames, orientations } = other;
        self.time = *time;
        self.blocks.copy_from_slice(blocks);
        self.velocities.copy_from_slice(velocities);
        self.frames.copy_from_slice(frames);
        self.orientations.copy_from_slice(orientations);
    }
}

/// √(Σ m |q|² / Σ m) of vectors at the nodes of a body.
fn mean_over_mass(model: &Model, parameters: &Parameters, body: usize, q: impl Fn(usize) -> Vec3) -> f64 {
    let (mut sum, mut total) = (0.0, 0.0);
    for node in model.bodies[body].nodes.clone() {
        let mass = parameters.mass[node];
        sum += mass * q(node).norm_squared();
        total += mass;
    }
    if total > 0.0 { (sum / total).sqrt() } else { 0.0 }
}

/// What a body spins about at the start \[m\]: the mean of its vertices, or the centre of mass of
/// its frames.
fn spin_centre(body: &Body, density: f64, blocks: &[Vec3]) -> Vec3 {
    let weight = |node: usize| body.node_volumes.get(node - body.nodes.start).map_or(1.0, |v| density * v);
    let total: f64 = body.nodes.clone().map(weight).sum();
    body.nodes.clone().map(|n| blocks[n] * weight(n)).sum::<Vec3>() / total.max(f64::MIN_POSITIVE)
}
