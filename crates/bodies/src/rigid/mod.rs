//! Rigid bodies: two blocks each, at the end of the block array.
//!
//! The first block is the centre of mass \[m\], the second the rotation vector θ since the start of
//! the step \[rad\]; the orientation at the start of the step is kept in the state. A point a of
//! the body is at
//!
//! x = c + exp(θ) R a
//!
//! c centre · R orientation at the start of the step · a place in the frame of the body
//!
//! The velocities of the blocks are the velocity v of the centre \[m/s\] and the angular velocity ω
//! in the world \[rad/s\]. When a step is committed, exp(θ) goes into the orientation and θ begins
//! again at zero: it never comes near the angle 2π, where rotation vectors fail.

mod free_rotation;
mod pose;

pub use free_rotation::{FreeRotation, PrincipalInertia, Spin};
pub use pose::RigidPose;

use std::ops::Range;
use std::sync::Arc;
use stiction_numerics::nalgebra::UnitQuaternion;
use stiction_numerics::{Mat3, Vec3};
use stiction_scene::resolved::{self, RigidShape};

/// All rigid bodies of a model, in the order of the scene.
#[derive(Clone, Debug, Default)]
pub struct RigidTable {
    /// The bodies.
    pub bodies: Vec<RigidBody>,
    /// Block of the centre of the first one: the number of all other blocks.
    pub first_block: usize,
}

/// A rigid body: what never changes while a scene runs.
#[derive(Clone, Debug)]
pub struct RigidBody {
    /// Index in `Model::bodies`.
    pub body: u32,
    /// Vertices, triangles and moments at unit density, in the frame of the body; copies share it.
    pub shape: Arc<RigidShape>,
    /// Pose at the start of the scene.
    pub initial: RigidPose,
    /// Its vertices in `Model::surfaces`.
    pub vertices: Range<usize>,
    /// Its triangles in `Model::surfaces`.
    pub triangles: Range<usize>,
    /// Principal moments at unit density \[m⁵\] and their axes.
    pub principal: PrincipalInertia,
}

impl RigidBody {
    /// The body as the scene has it; its place among the surfaces is found later.
    pub(crate) fn new(body: u32, source: &resolved::SceneRigidBody) -> RigidBody {
        RigidBody {
            body,
            initial: RigidPose { centre: source.centre, orientation: source.orientation },
            vertices: 0..0,
            triangles: 0..0,
            principal: PrincipalInertia::of(&source.shape.inertia),
            shape: source.shape.clone(),
        }
    }

    /// Inertia tensor in the frame of the body \[kg m²\] at a density \[kg/m³\].
    pub fn inertia(&self, density: f64) -> Mat3 {
        self.shape.inertia * density
    }
}

impl RigidTable {
    /// Number of bodies.
    pub fn len(&self) -> usize {
        self.bodies.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bodies.is_empty()
    }

    /// Number of blocks: two per body.
    pub fn blocks(&self) -> usize {
        2 * self.bodies.len()
    }

    /// Block of the centre of a body.
    pub fn centre_block(&self, rigid: usize) -> usize {
        self.first_block + 2 * rigid
    }

    /// Block of the rotation vector of a body.
    pub fn rotation_block(&self, rigid: usize) -> usize {
        self.first_block + 2 * rigid + 1
    }

    /// Orientations at the start of the scene.
    pub fn initial_orientations(&self) -> Vec<UnitQuaternion<f64>> {
        self.bodies.iter().map(|b| b.initial.orientation).collect()
    }

    /// The pose of a body at trial blocks, from the orientations at the start of the step.
    pub fn pose(&self, rigid: usize, blocks: &[Vec3], orientations: &[UnitQuaternion<f64>]) -> RigidPose {
        let turn = UnitQuaternion::from_scaled_axis(blocks[self.rotation_block(rigid)]);
        RigidPose { centre: blocks[self.centre_block(rigid)], orientation: turn * orientations[rigid] }
    }

    /// Appends the places of all vertices of all rigid bodies \[m\].
    pub fn append_positions(
        &self,
        blocks: &[Vec3],
        orientations: &[UnitQuaternion<f64>],
        out: &mut Vec<Vec3>,
    ) {
        for (index, body) in self.bodies.iter().enumerate() {
            let pose = self.pose(index, blocks, orientations);
            let turn = pose.orientation.to_rotation_matrix().into_inner();
            out.extend(body.shape.vertices.iter().map(|a| pose.centre + turn * a));
        }
    }

    /// Appends the places of all vertices of all rigid bodies at the start of the scene \[m\].
    pub fn append_initial(&self, out: &mut Vec<Vec3>) {
        for body in &self.bodies {
            out.extend(body.shape.vertices.iter().map(|a| body.initial.apply(a)));
        }
    }

    /// Takes the rotation vectors into the orientations, q ← exp(θ) q, and sets them to zero.
    ///
    /// The product of unit quaternions drifts from unit length by round-off; normalising each time
    /// keeps it there.
    pub fn retract(&self, blocks: &mut [Vec3], orientations: &mut [UnitQuaternion<f64>]) {
        for (index, orientation) in orientations.iter_mut().enumerate().take(self.len()) {
            let vector = std::mem::replace(&mut blocks[self.rotation_block(index)], Vec3::zeros());
            if vector != Vec3::zeros() {
                *orientation = UnitQuaternion::from_scaled_axis(vector) * *orientation;
                orientation.renormalize();
            }
        }
    }
}
