//! Joints of rigid bodies: couplings between two frames, each fixed to a body or to the world.
//!
//! The frame of a joint has its x axis along the axis of the joint (hinge, slider, cone); both ends
//! begin with the same frame, so that angles and displacements are zero at the start. What a drive
//! does and how strong friction is are values, in [`crate::Parameters`].

use crate::frames::any_orthogonal;
use crate::rigid::{RigidPose, RigidTable};
use stiction_numerics::nalgebra::{Rotation3, UnitQuaternion};
use stiction_numerics::{Mat3, Vec3};
use stiction_scene::resolved::{self, JointKind, Scene, is_active};

/// A joint between a rigid body and another one, or the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Joint {
    /// Name in the scene.
    pub name: String,
    /// What it leaves free, and its limits.
    pub kind: JointKind,
    /// The end at the first body.
    pub a: JointEnd,
    /// The end at the second body, or at the world.
    pub b: JointEnd,
    /// Whether its two bodies can touch each other.
    pub collide: bool,
    /// Times during which it holds \[s\]; empty means always.
    pub active: Vec<(f64, f64)>,
}

/// One end of a joint: a frame fixed to a rigid body, or to the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointEnd {
    /// Index in [`RigidTable::bodies`], or `None` for the world.
    pub rigid: Option<u32>,
    /// Its origin, in the frame of the body \[m\].
    pub anchor: Vec3,
    /// Turns directions of the joint's frame into directions of the body.
    pub axes: UnitQuaternion<f64>,
}

/// A joint's frame in the world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointFrame {
    /// Its origin \[m\].
    pub anchor: Vec3,
    /// Turns directions of the joint's frame into directions of the world.
    pub axes: UnitQuaternion<f64>,
}

impl JointEnd {
    fn new(rigid: Option<u32>, table: &RigidTable, frame: &JointFrame) -> JointEnd {
        match rigid {
            None => JointEnd { rigid, anchor: frame.anchor, axes: frame.axes },
            Some(index) => {
                let pose = table.bodies[index as usize].initial;
                let axes = pose.orientation.inverse() * frame.axes;
                JointEnd { rigid, anchor: pose.undo(&frame.anchor), axes }
            }
        }
    }

    /// Where the end is, given the poses of all rigid bodies.
    pub fn frame(&self, pose: impl Fn(u32) -> RigidPose) -> JointFrame {
        match self.rigid {
            None => JointFrame { anchor: self.anchor, axes: self.axes },
            Some(index) => {
                let pose = pose(index);
                JointFrame { anchor: pose.apply(&self.anchor), axes: pose.orientation * self.axes }
            }
        }
    }
}

impl Joint {
    /// Whether it holds during a step that begins at `time`.
    pub fn is_active(&self, time: f64) -> bool {
        is_active(&self.active, time)
    }

    /// The rigid bodies that it holds, one or two.
    pub fn rigids(&self) -> impl Iterator<Item = u32> {
        self.a.rigid.into_iter().chain(self.b.rigid)
    }

    /// The coordinate that limits and drives act on: angle of a hinge in (−π, π] \[rad\],
    /// displacement of a slider \[m\], distance \[m\]; the angle between the axes for a ball
    /// \[rad\]; zero for a fixed joint.
    pub fn coordinate(&self, pose: impl Fn(u32) -> RigidPose) -> f64 {
        let (a, b) = (self.a.frame(&pose), self.b.frame(&pose));
        let separation = a.anchor - b.anchor;
        let axis = b.axes * Vec3::x();
        match self.kind {
            JointKind::Ball { .. } => (a.axes * Vec3::x()).angle(&axis),
            JointKind::Hinge { .. } => {
                let across = a.axes * Vec3::y();
                across.dot(&(b.axes * Vec3::z())).atan2(across.dot(&(b.axes * Vec3::y())))
            }
            JointKind::Slider { .. } => separation.dot(&axis),
            JointKind::Fixed => 0.0,
            JointKind::Distance { .. } => separation.norm(),
        }
    }
}

/// The joints of a scene; `rigid_of_body` is the index among the rigid bodies of each body.
pub(crate) fn joints(scene: &Scene, table: &RigidTable, rigid_of_body: &[Option<u32>]) -> Vec<Joint> {
    let one = |source: &resolved::SceneJoint| {
        let axes = axes_along(&source.axis);
        let end =
            |rigid: Option<u32>, anchor: Vec3| JointEnd::new(rigid, table, &JointFrame { anchor, axes });
        Joint {
            name: source.name.clone(),
            kind: source.kind,
            a: end(rigid_of_body[source.body_a], source.anchor_a),
            b: end(source.body_b.and_then(|b| rigid_of_body[b]), source.anchor_b),
            collide: source.collide,
            active: source.active.clone(),
        }
    };
    scene.joints.iter().map(one).collect()
}

/// A frame whose x axis is the given unit vector.
fn axes_along(axis: &Vec3) -> UnitQuaternion<f64> {
    let y = any_orthogonal(*axis);
    let columns = Mat3::from_columns(&[*axis, y, axis.cross(&y)]);
    UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(columns))
}
