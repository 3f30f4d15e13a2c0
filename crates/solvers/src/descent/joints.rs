//! Joints of a step: springs as stiff as the load needs, with limits, drives and friction.
//!
//! A joint is a list of rows. Each has a value q, its derivative by the velocities of both bodies over
//! the step, a force F(q) along it and a stiffness −dF/dq. Poses are those at the end of the step,
//! R = exp(h ω) R⁻. Forces on the two bodies are equal and opposite and act at one point: momentum is
//! kept.

use super::memory::JointMemory;
use super::motion::{Moving, Twist};
use super::stiffness::follow;
use stiction_bodies::{Joint, JointFrame, JointValues, RigidPose};
use stiction_numerics::nalgebra::UnitQuaternion;
use stiction_numerics::{Mat3, Vec3, any_perpendicular, project_spd3};
use stiction_scene::resolved::{JointKind, Range, TargetAt};

/// A joint that holds in a step.
#[derive(Clone, Debug)]
pub struct StepJoint<'a> {
    /// Its index in the model.
    pub index: usize,
    /// The bodies whose velocity is unknown; `None` where the motion is prescribed, or the world.
    pub bodies: [Option<u32>; 2],
    /// Stiffness of the hard rows \[N/m\].
    pub stiffness: f64,
    joint: &'a Joint,
    values: &'a JointValues,
    target: TargetAt,
    memory: JointMemory,
    /// Turns a stiffness against displacement into one against rotation \[m\].
    radius: f64,
    /// Poses at the end of the step of what moves by prescription.
    known: [Option<RigidPose>; 2],
    /// The coordinate at the start.
    start: f64,
}

/// One direction in which a joint acts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Row {
    /// Derivative of the value by the velocity of the first centre; the second has the opposite.
    pub linear: Vec3,
    /// Derivatives by both angular velocities.
    pub angular: [Vec3; 2],
    /// F \[N\] or \[N m\].
    pub force: f64,
    /// −dF/dq, not negative.
    pub stiffness: f64,
}

/// What a joint does at a trial end.
#[derive(Clone, Debug, Default)]
pub struct JointForces {
    /// Rows.
    pub rows: Vec<Row>,
    /// Geometric stiffness of the levers, projected \[N m\].
    pub geometric: [Mat3; 2],
    /// How far the hard rows are off \[m\].
    pub stretch: f64,
    /// Size of their force \[N\].
    pub load: f64,
    /// The coordinate.
    pub coordinate: f64,
    /// Force or torque of friction.
    pub held: Vec3,
}

/// A force along a coordinate and its stiffness.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Effort {
    force: f64,
    stiffness: f64,
}

impl Effort {
    /// −∂/∂q of ½ k q² cut at a largest force: drives with a limit and friction.
    fn capped(force: f64, stiffness: f64, cap: f64) -> Effort {
        match force.abs() <= cap {
            true => Effort { force, stiffness },
            false => Effort { force: cap.copysign(force), stiffness: 0.0 },
        }
    }

    fn plus(self, other: Effort) -> Effort {
        Effort { force: self.force + other.force, stiffness: self.stiffness + other.stiffness }
    }
}

/// The ends of a joint at a trial end of the step.
struct Ends {
    frames: [JointFrame; 2],
    /// From the centres to the anchors \[m\].
    arms: [Vec3; 2],
    /// Mean angular velocities \[rad/s\].
    spins: [Vec3; 2],
}

impl Ends {
    fn separation(&self) -> Vec3 {
        self.frames[0].anchor - self.frames[1].anchor
    }

    /// The axis of the joint as each end has it.
    fn axes(&self) -> [Vec3; 2] {
        [0, 1].map(|k| self.frames[k].axes * Vec3::x())
    }

    /// A row along `direction` through the anchor of the first end.
    fn point_row(&self, direction: Vec3) -> Row {
        let arm = self.arms[1] + self.separation();
        Row {
            linear: direction,
            angular: [self.arms[0].cross(&direction), -arm.cross(&direction)],
            ..Row::default()
        }
    }
}

fn turning_row(direction: Vec3) -> Row {
    Row { angular: [direction, -direction], ..Row::default() }
}

impl<'a> StepJoint<'a> {
    /// The joint in a step, as stiff as its memory and masses say.
    pub fn new(
        index: usize,
        joint: &'a Joint,
        values: &'a JointValues,
        memory: &JointMemory,
        step: &JointStep<'_>,
    ) -> StepJoint<'a> {
        let moving = step.moving;
        let sides = [&joint.a, &joint.b];
        let free = |rigid: &u32| moving.bodies[*rigid as usize].prescribed.is_none();
        let bodies = sides.map(|side| side.rigid.filter(free));
        let known = sides.map(|side| {
            let body = &moving.bodies[side.rigid? as usize];
            body.prescribed.map(|twist| body.end_pose(&twist, moving.h))
        });
        let over =
            |value: &dyn Fn(u32) -> f64| bodies.iter().flatten().map(|&b| value(b)).fold(0.0, f64::max);
        let mass = over(&|b| moving.bodies[b as usize].mass);
        let carried = memory.loads[0].min(memory.loads[1]) / moving.weight;
        let wanted = step.hardness * mass.max(carried) / (moving.h * moving.h);
        let stiffness = if memory.stiffness > 0.0 { follow(memory.stiffness, wanted) } else { wanted };
        let coordinate = joint.coordinate(|rigid| moving.bodies[rigid as usize].pose);
        let start = match joint.kind {
            JointKind::Hinge { .. } => continued(coordinate, memory.angle),
            _ => coordinate,
        };
        let drive = values.drive.as_ref();
        StepJoint {
            index,
            bodies,
            stiffness,
            joint,
            values,
            target: drive.map_or(TargetAt { value: 0.0, rate: 0.0 }, |d| d.target.at(step.end_time)),
            memory: *memory,
            radius: over(&|b| moving.bodies[b as usize].gyration),
            known,
            start,
        }
    }

    /// What the joint does when the bodies move with these mean velocities.
    pub fn forces(&self, moving: &Moving, twist: impl Fn(u32) -> Twist) -> JointForces {
        let ends = self.ends(moving, &twist);
        let mut out = JointForces::default();
        self.hard_rows(&ends, &mut out);
        let hard: Vec3 = out.rows.iter().map(|row| row.linear * row.force).sum();
        let turning: Vec3 = (out.rows.iter().filter(|row| row.linear == Vec3::zeros()))
            .map(|row| row.angular[0] * row.force)
            .sum();
        self.coordinate_row(&ends, moving.h, &mut out);
        if let JointKind::Ball { .. } = self.joint.kind {
            self.ball_friction(&ends, moving.h, &mut out);
        }
        let force: Vec3 = out.rows.iter().map(|row| row.linear * row.force).sum();
        out.geometric = [geometric(&ends.arms[0], &force), geometric(&ends.arms[1], &-force)];
        let limit = if let JointKind::Distance { .. } = self.joint.kind { force } else { Vec3::zeros() };
        out.load = (hard + limit).norm().max(turning.norm() / self.radius);
        out
    }

    fn ends(&self, moving: &Moving, twist: &impl Fn(u32) -> Twist) -> Ends {
        let pose = |k: usize, rigid: u32| match (self.bodies[k], self.known[k]) {
            (Some(body), _) => moving.bodies[body as usize].end_pose(&twist(body), moving.h),
            (None, Some(pose)) => pose,
            (None, None) => moving.bodies[rigid as usize].pose,
        };
        let sides = [&self.joint.a, &self.joint.b];
        let frames = [0, 1].map(|k| sides[k].frame(|rigid| pose(k, rigid)));
        let centre = |k: usize| sides[k].rigid.map_or(frames[k].anchor, |rigid| pose(k, rigid).centre);
        Ends {
            arms: [0, 1].map(|k| frames[k].anchor - centre(k)),
            spins: self.bodies.map(|body| body.map_or(Vec3::zeros(), |b| twist(b).angular)),
            frames,
        }
    }

    /// Rows that hold what the joint does not leave free.
    fn hard_rows(&self, ends: &Ends, out: &mut JointForces) {
        let separation = ends.separation();
        let axes = ends.axes();
        match self.joint.kind {
            JointKind::Ball { .. } | JointKind::Hinge { .. } | JointKind::Fixed => {
                (0..3).for_each(|k| self.hold_point(ends, unit(k), &separation, out));
            }
            JointKind::Slider { .. } => {
                across(&axes[1]).into_iter().for_each(|d| self.hold_point(ends, d, &separation, out));
            }
            JointKind::Distance { .. } => {}
        }
        match self.joint.kind {
            JointKind::Hinge { .. } => {
                let turn = turn_between(&axes[1], &axes[0]);
                across(&axes[1]).into_iter().for_each(|d| self.hold_turn(d, &turn, out));
            }
            JointKind::Slider { .. } | JointKind::Fixed => {
                let turn = (ends.frames[0].axes * ends.frames[1].axes.inverse()).scaled_axis();
                (0..3).for_each(|k| self.hold_turn(unit(k), &turn, out));
            }
            JointKind::Ball { .. } | JointKind::Distance { .. } => {}
        }
    }

    fn hold_point(&self, ends: &Ends, direction: Vec3, separation: &Vec3, out: &mut JointForces) {
        let off = separation.dot(&direction);
        let (force, stiffness) = (-self.stiffness * off, self.stiffness);
        out.rows.push(Row { force, stiffness, ..ends.point_row(direction) });
        out.stretch = out.stretch.max(off.abs());
    }

    fn hold_turn(&self, direction: Vec3, turn: &Vec3, out: &mut JointForces) {
        let off = turn.dot(&direction);
        let stiffness = self.turning_stiffness();
        out.rows.push(Row { force: -stiffness * off, stiffness, ..turning_row(direction) });
        out.stretch = out.stretch.max(off.abs() * self.radius);
    }

    /// \[N m/rad\].
    fn turning_stiffness(&self) -> f64 {
        self.stiffness * self.radius * self.radius
    }

    /// The coordinate that the joint leaves free: limits, drive, friction.
    fn coordinate_row(&self, ends: &Ends, h: f64, out: &mut JointForces) {
        let separation = ends.separation();
        let axes = ends.axes();
        let (row, value, limits, is_angle) = match self.joint.kind {
            JointKind::Fixed => return,
            JointKind::Ball { cone } => {
                let turn = turn_between(&axes[1], &axes[0]);
                let Some(direction) = turn.try_normalize(0.0) else { return };
                let limits = cone.map(|high| Range { low: f64::NEG_INFINITY, high });
                (turning_row(direction), turn.norm(), limits, true)
            }
            JointKind::Hinge { limits } => {
                let turn = ends.frames[1].axes.inverse() * ends.frames[0].axes;
                let y = turn * Vec3::y();
                (turning_row(axes[1]), continued(y.z.atan2(y.y), self.start), limits, true)
            }
            JointKind::Slider { limits } => {
                (ends.point_row(axes[1]), separation.dot(&axes[1]), limits, false)
            }
            JointKind::Distance { limits } => {
                let direction = separation.try_normalize(0.0).unwrap_or(axes[1]);
                (ends.point_row(direction), separation.norm(), Some(limits), false)
            }
        };
        let k = if is_angle { self.turning_stiffness() } else { self.stiffness };
        let mut effort = limits.map_or(Effort::default(), |limits| beyond(value, &limits, k));
        if let Some(limits) = limits {
            let off = value - value.clamp(limits.low, limits.high);
            out.stretch = out.stretch.max(off.abs() * if is_angle { self.radius } else { 1.0 });
        }
        let moved = value - self.start;
        if let Some(drive) = &self.values.drive {
            let TargetAt { value: target, rate } = self.target;
            let force = drive.stiffness * (target - value) + drive.damping * (rate - moved / h);
            let stiffness = drive.stiffness + drive.damping / h;
            effort = effort.plus(Effort::capped(force, stiffness, drive.max_effort));
        }
        if self.values.friction > 0.0 && !matches!(self.joint.kind, JointKind::Ball { .. }) {
            let friction = Effort::capped(self.memory.held.x - k * moved, k, self.values.friction);
            out.held.x = friction.force;
            effort = effort.plus(friction);
        }
        out.coordinate = value;
        out.rows.push(Row { force: effort.force, stiffness: effort.stiffness, ..row });
    }

    /// A torque against any turning, cut at its largest size.
    fn ball_friction(&self, ends: &Ends, h: f64, out: &mut JointForces) {
        let cap = self.values.friction;
        if cap <= 0.0 {
            return;
        }
        let k = self.turning_stiffness();
        let trial = self.memory.held - (ends.spins[0] - ends.spins[1]) * (h * k);
        let share = if trial.norm() > cap { cap / trial.norm() } else { 1.0 };
        out.held = trial * share;
        for axis in 0..3 {
            let row = turning_row(unit(axis));
            out.rows.push(Row { force: out.held[axis], stiffness: k * share, ..row });
        }
    }

    /// What is remembered after a step.
    pub fn remember(&self, forces: &JointForces) -> JointMemory {
        JointMemory {
            stiffness: self.stiffness,
            loads: [forces.load, self.memory.loads[0]],
            angle: forces.coordinate,
            held: forces.held,
        }
    }
}

/// What joints of a step have in common.
pub struct JointStep<'a> {
    /// Everything that moves.
    pub moving: &'a Moving,
    /// Time at the end of the step \[s\].
    pub end_time: f64,
    /// Joints give way by g h² over this under the load that they carry.
    pub hardness: f64,
}

/// The force of a coordinate beyond its limits.
fn beyond(value: f64, limits: &Range, stiffness: f64) -> Effort {
    let off = value - value.clamp(limits.low, limits.high);
    let is_held = off != 0.0 || limits.low == limits.high;
    Effort { force: -stiffness * off, stiffness: if is_held { stiffness } else { 0.0 } }
}

/// −∂(r × f)/∂θ for a lever r that turns with the body, f fixed in the world:
/// (r·f) 1 − ½ (r fᵀ + f rᵀ), its negative part left out.
fn geometric(lever: &Vec3, force: &Vec3) -> Mat3 {
    let outer = lever * force.transpose();
    project_spd3(&(Mat3::identity() * lever.dot(force) - (outer + outer.transpose()) * 0.5))
}

/// The rotation vector that turns one unit vector into another the short way.
fn turn_between(from: &Vec3, to: &Vec3) -> Vec3 {
    UnitQuaternion::rotation_between(from, to)
        .map_or_else(|| any_perpendicular(from) * std::f64::consts::PI, |turn| turn.scaled_axis())
}

/// Two unit vectors across a unit vector.
fn across(axis: &Vec3) -> [Vec3; 2] {
    let first = any_perpendicular(axis);
    [first, axis.cross(&first)]
}

fn unit(axis: usize) -> Vec3 {
    Vec3::from_fn(|k, _| if k == axis { 1.0 } else { 0.0 })
}

/// The angle that differs from `angle` by full turns and is nearest to `near`.
fn continued(angle: f64, near: f64) -> f64 {
    let turn = std::f64::consts::TAU;
    angle + turn * ((near - angle) / turn).round()
}
