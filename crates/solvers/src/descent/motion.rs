//! How bodies and colliders move in a step: free motion, prescribed motion, velocities of points.

use super::pieces::{Frame, Owner};
use crate::solver::World;
use stiction_bodies::{FreeRotation, RigidPose, Spin, State};
use stiction_numerics::nalgebra::{Rotation3, UnitQuaternion};
use stiction_numerics::{Mat3, Vec3};
use stiction_scene::motion::Motion;

/// Velocity of a body: of its centre, and angular.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twist {
    /// v \[m/s\].
    pub linear: Vec3,
    /// ω in the world \[rad/s\].
    pub angular: Vec3,
}

impl Twist {
    /// Velocity of the point at a lever from the centre \[m/s\].
    pub fn at(&self, lever: &Vec3) -> Vec3 {
        self.linear + self.angular.cross(lever)
    }
}

/// A body in a step.
#[derive(Clone, Debug)]
pub struct MovingBody {
    /// Pose at the start of the step.
    pub pose: RigidPose,
    /// m \[kg\].
    pub mass: f64,
    /// Inertia tensor in the world at the start of the step \[kg m²\].
    pub inertia: Mat3,
    /// Velocity at the start.
    pub start: Twist,
    /// ũ: the mean velocity over the step without contacts and joints.
    pub free: Twist,
    /// The mean angular velocity over the step without any torque \[rad/s\].
    pub unforced: Vec3,
    /// The mean velocity over the step where a pin prescribes it.
    pub prescribed: Option<Twist>,
    /// Largest distance of its surface from its centre \[m\].
    pub reach: f64,
    /// √(tr I / 2m): turns torques into forces of the same size \[m\].
    pub gyration: f64,
}

impl MovingBody {
    /// The pose at the end of a step with a mean velocity.
    pub fn end_pose(&self, twist: &Twist, h: f64) -> RigidPose {
        RigidPose {
            centre: self.pose.centre + twist.linear * h,
            orientation: UnitQuaternion::from_scaled_axis(twist.angular * h) * self.pose.orientation,
        }
    }
}

/// The rigid bodies at the start of a step of h.
///
/// Gravity and external forces act on the free velocity; without torque a body turns as its Strang
/// splitting says, and ũ reaches that orientation.
pub fn moving_bodies(world: World<'_>, state: &State, h: f64) -> Vec<MovingBody> {
    let World { model, parameters } = world;
    let gravity = parameters.gravity.at(state.time + h);
    let held = model.pins.prescribe(model, &parameters.controls, state, state.time + h);
    let table = &model.rigid;
    let one = |rigid: usize| {
        let (centre, rotation) = (table.centre_block(rigid), table.rotation_block(rigid));
        let orientation = state.orientations[rigid];
        let start = Twist { linear: state.velocities[centre], angular: state.velocities[rotation] };
        let spin = Spin { orientation, angular_velocity: start.angular };
        let turned = FreeRotation::over(&spin, &parameters.principal_inertia(model, rigid), h);
        let turn = orientation.to_rotation_matrix().into_inner();
        let inertia = turn * parameters.inertia(model, rigid) * turn.transpose();
        let mass = parameters.mass[centre];
        let pushed = |block: usize| parameters.external.get(block).copied().unwrap_or(Vec3::zeros());
        let twisted = inertia.try_inverse().unwrap_or(Mat3::zeros()) * pushed(rotation);
        let unforced = turned.rotation_vector / h;
        let free = Twist {
            linear: start.linear + (gravity + pushed(centre) / mass) * h,
            angular: unforced + twisted * h,
        };
        let prescribed = held.fixed[centre].then(|| Twist {
            linear: (held.target[centre] - state.blocks[centre]) / h,
            angular: held.target[rotation] / h,
        });
        MovingBody {
            pose: RigidPose { centre: state.blocks[centre], orientation },
            mass,
            inertia,
            start,
            free,
            unforced,
            prescribed,
            reach: table.bodies[rigid].shape.size(),
            gyration: (inertia.trace() / (2.0 * mass)).sqrt(),
        }
    };
    (0..table.len()).map(one).collect()
}

/// A collider in a step: its map at the start and at the end.
#[derive(Clone, Copy, Debug)]
pub struct MovingCollider {
    /// At the start.
    pub start: Frame,
    /// At the end.
    pub end: Frame,
    /// The step \[s\].
    pub h: f64,
}

impl MovingCollider {
    /// Mean velocity over the step of the point that is at a place at the start \[m/s\].
    pub fn velocity_at(&self, place: &Vec3) -> Vec3 {
        let own = self.start.orientation.inverse() * (place - self.start.origin);
        (self.end.origin + self.end.orientation * own - place) / self.h
    }

    /// Mean angular velocity \[rad/s\].
    pub fn angular(&self) -> Vec3 {
        (self.end.orientation * self.start.orientation.inverse()).scaled_axis() / self.h
    }
}

/// All colliders in a step.
pub fn moving_colliders(world: World<'_>, time: f64, h: f64) -> Vec<MovingCollider> {
    let motions = world.parameters.controls.acting_colliders();
    motions.map(|m| MovingCollider { start: frame_at(m, time), end: frame_at(m, time + h), h }).collect()
}

fn frame_at(motion: &Motion, time: f64) -> Frame {
    let pose = motion.pose(time);
    let turn = Rotation3::from_matrix_unchecked(pose.linear / pose.scale());
    Frame { origin: pose.offset, orientation: UnitQuaternion::from_rotation_matrix(&turn) }
}

/// Everything that moves in a step.
#[derive(Clone, Debug)]
pub struct Moving {
    /// The step \[s\].
    pub h: f64,
    /// Size of gravity; that of the Earth where there is none, so that contacts have a stiffness.
    pub weight: f64,
    /// Direction of gravity; zero where there is none.
    pub down: Vec3,
    /// Rigid bodies.
    pub bodies: Vec<MovingBody>,
    /// Colliders.
    pub colliders: Vec<MovingCollider>,
}

/// Acceleration that stands for gravity where there is none \[m/s²\].
const EARTH: f64 = 9.81;

impl Moving {
    /// At the start of a step of h.
    pub fn new(world: World<'_>, state: &State, h: f64) -> Moving {
        let gravity = world.parameters.gravity.at(state.time + h);
        let size = gravity.norm();
        Moving {
            h,
            weight: if size > 0.0 { size } else { EARTH },
            down: gravity.try_normalize(0.0).unwrap_or(Vec3::zeros()),
            bodies: moving_bodies(world, state, h),
            colliders: moving_colliders(world, state.time, h),
        }
    }

    /// Where the frame of an owner is at the start.
    pub fn frame(&self, owner: Owner) -> Frame {
        match owner {
            Owner::Rigid(body) => {
                let pose = self.bodies[body as usize].pose;
                Frame { origin: pose.centre, orientation: pose.orientation }
            }
            Owner::Collider(collider) => self.colliders[collider as usize].start,
        }
    }

    /// The body if the step must find its velocity.
    pub fn unknown(&self, owner: Owner) -> Option<u32> {
        match owner {
            Owner::Rigid(body) if self.bodies[body as usize].prescribed.is_none() => Some(body),
            _ => None,
        }
    }

    /// Velocity of a point of an owner by what is known at the start \[m/s\].
    pub fn expected_velocity(&self, owner: Owner, place: &Vec3) -> Vec3 {
        match owner {
            Owner::Rigid(body) => {
                let body = &self.bodies[body as usize];
                body.prescribed.unwrap_or(body.free).at(&(place - body.pose.centre))
            }
            Owner::Collider(collider) => self.colliders[collider as usize].velocity_at(place),
        }
    }

    /// Mass of an owner; 0 where it moves by prescription \[kg\].
    pub fn mass(&self, owner: Owner) -> f64 {
        self.unknown(owner).map_or(0.0, |body| self.bodies[body as usize].mass)
    }

    /// How far a contact sinks under the weight that it carries \[m\].
    pub fn sink(&self, hardness: f64) -> f64 {
        self.weight * self.h * self.h / hardness
    }
}
