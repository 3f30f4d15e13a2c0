//! Moving shapes: pose, velocity of surface points, and conservative advancement of a point.

use super::{Shape, SurfacePoint};
use crate::ccd::{Advance, AdvanceOptions};
use stiction_numerics::Vec3;
use stiction_numerics::nalgebra::{Unit, UnitQuaternion};

/// Pose and constant velocity of a body over a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidMotion {
    /// Rotation from the body frame to the world at the start.
    pub world_from_body: UnitQuaternion<f64>,
    /// Origin of the body frame in the world at the start \[m\].
    pub origin: Vec3,
    /// Velocity of the origin \[m/s\].
    pub linear_velocity: Vec3,
    /// Angular velocity in the world \[rad/s\].
    pub angular_velocity: Vec3,
}

impl RigidMotion {
    /// A body at rest.
    pub fn still(world_from_body: UnitQuaternion<f64>, origin: Vec3) -> Self {
        Self { world_from_body, origin, linear_velocity: Vec3::zeros(), angular_velocity: Vec3::zeros() }
    }

    /// The body after a time \[s\]: the screw motion with these velocities, exactly.
    pub fn after(&self, time: f64) -> Self {
        let turn = self.angular_velocity * time;
        let rotation = match Unit::try_new_and_get(turn, 0.0) {
            Some((axis, angle)) => UnitQuaternion::from_axis_angle(&axis, angle),
            None => UnitQuaternion::identity(),
        };
        Self {
            world_from_body: rotation * self.world_from_body,
            origin: self.origin + self.linear_velocity * time,
            ..*self
        }
    }

    /// A world point in the body frame.
    pub fn to_body(&self, world: &Vec3) -> Vec3 {
        self.world_from_body.inverse() * (world - self.origin)
    }

    /// Velocity of the material point that is now at a world point \[m/s\].
    pub fn velocity_at(&self, world: &Vec3) -> Vec3 {
        self.linear_velocity + self.angular_velocity.cross(&(world - self.origin))
    }

    /// Closest point of a shape, with point and normal in the world.
    pub fn closest(&self, shape: &Shape, world: &Vec3) -> SurfacePoint {
        let found = shape.closest(&self.to_body(world));
        SurfacePoint {
            distance: found.distance,
            normal: self.world_from_body * found.normal,
            point: self.origin + self.world_from_body * found.point,
        }
    }
}

/// How far a point may move straight from `start` to `end` while the shape moves over `duration`
/// \[s\].
///
/// Conservative advancement on the signed distance φ, which is 1-Lipschitz in the point seen from
/// the body:
/// with p(t) the point, o(t) the origin, the body sees it move at most with speed L = |ṗ − ȯ| +
/// |ω|·max|p − o| per unit of the step. From clearance φ − floor the point is safe for (φ −
/// floor)/L. As p − o is linear in t its length is largest at an end.
///
/// Rounding: a rotation and a distance are good to a few u·|p − o|; the margin of
/// 64u·(|p−o| + |o| + |p|) is asked on top of the floor. Translation alone against a plane needs two advances; round
/// shapes and rotation need a few more.
pub fn point_advance(
    shape: &Shape,
    motion: &RigidMotion,
    duration: f64,
    start: &Vec3,
    end: &Vec3,
    options: &AdvanceOptions,
) -> Advance {
    let gap_at = |t: f64| {
        let p = start * (1.0 - t) + end * t;
        shape.signed_distance(&motion.after(duration * t).to_body(&p))
    };
    let relative_start = start - motion.origin;
    let relative_end = end - motion.origin - motion.linear_velocity * duration;
    let reach = relative_start.norm().max(relative_end.norm());
    let turn = motion.angular_velocity.norm() * duration.abs();
    let speed = ((relative_end - relative_start).norm() + turn * reach) * (1.0 + 1e-12);
    let size = reach + start.amax() + end.amax() + motion.origin.amax();
    let rounding = 32.0 * f64::EPSILON * size * (1.0 + turn);

    let first = gap_at(0.0);
    if !(first > options.min_separation) {
        return Advance::TooClose { distance: first };
    }
    let clearance = first - options.min_separation;
    let floor = options.min_separation + options.slack * clearance + rounding;
    let enough = floor + 0.05 * options.slack * clearance;
    let (mut time, mut gap) = (0.0, first);
    for _ in 0..options.max_iterations {
        let step = (gap - floor) / speed;
        // also taken when nothing moves: the step is then infinite
        if time + step >= options.end_time {
            return Advance::Free;
        }
        if !(step > 0.0) {
            break;
        }
        time += step;
        gap = gap_at(time);
        if gap <= enough {
            break;
        }
    }
    Advance::Blocked { time }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    fn spinning() -> RigidMotion {
        RigidMotion {
            world_from_body: UnitQuaternion::from_euler_angles(0.3, -0.2, 0.9),
            origin: Vec3::new(1.0, -2.0, 0.5),
            linear_velocity: Vec3::new(0.4, 0.1, -0.7),
            angular_velocity: Vec3::new(0.5, 1.5, -0.8),
        }
    }

    #[test]
    fn surface_velocity_is_the_derivative_of_the_motion() {
        let (motion, body, step) = (spinning(), Vec3::new(0.3, 0.4, -0.2), 1e-6);
        let world = |m: &RigidMotion| m.origin + m.world_from_body * body;
        let difference = (world(&motion.after(step)) - world(&motion.after(-step))) / (2.0 * step);
        assert!((difference - motion.velocity_at(&world(&motion))).norm() < 1e-9);
    }

    #[test]
    fn closest_in_the_world_agrees_with_the_body() {
        let (motion, shape) = (spinning(), Shape::Box { half_extents: Vec3::new(0.2, 0.4, 0.6) });
        let p = Vec3::new(1.5, -1.0, 0.9);
        let found = motion.closest(&shape, &p);
        assert!((p - found.point - found.normal * found.distance).norm() < 1e-14);
    }

    #[test]
    fn a_falling_point_stops_above_the_plane() {
        let ground = RigidMotion::still(UnitQuaternion::identity(), Vec3::zeros());
        let (start, end) = (Vec3::z(), -Vec3::z());
        let found = point_advance(&Shape::Plane, &ground, 1.0, &start, &end, &AdvanceOptions::default());
        let Advance::Blocked { time } = found else { panic!("must block: {found:?}") };
        assert!(time <= 0.45 && time > 0.44, "floor at a tenth of the height: {time}");
        let beside = point_advance(
            &Shape::Plane,
            &ground,
            1.0,
            &start,
            &Vec3::new(5.0, 0.0, 1.0),
            &AdvanceOptions { max_iterations: 400, ..Default::default() },
        );
        assert!(beside.safe_time() > 0.0);
    }

    #[test]
    fn a_turning_box_sweeps_a_resting_point_away() {
        let bar = Shape::Box { half_extents: Vec3::new(1.0, 0.05, 0.05) };
        let motion = RigidMotion {
            angular_velocity: Vec3::z() * PI,
            ..RigidMotion::still(UnitQuaternion::identity(), Vec3::zeros())
        };
        let p = Vec3::new(0.0, 0.8, 0.0);
        let options = AdvanceOptions { slack: 0.01, max_iterations: 1000, ..Default::default() };
        let Advance::Blocked { time } = point_advance(&bar, &motion, 1.0, &p, &p, &options) else {
            panic!("the bar passes the point")
        };
        // the bar's flank reaches the point when its axis is asin(0.05/0.8) short of it
        let hit = 0.5 - (0.05_f64 / 0.8).asin() / PI;
        assert!(time < hit && time > hit - 0.01, "{time} against {hit}");
    }

    #[test]
    fn never_later_than_a_dense_sampling() {
        let options = AdvanceOptions { max_iterations: 200, ..Default::default() };
        let half_extents = Vec3::new(0.3, 0.2, 0.5);
        for (k, shape) in [
            Shape::Sphere { radius: 0.4 },
            Shape::Box { half_extents },
            Shape::Cylinder { radius: 0.3, half_length: 0.4 },
            Shape::Capsule { radius: 0.2, half_length: 0.4 },
            Shape::InvertedBox { half_extents: half_extents * 6.0 },
        ]
        .iter()
        .enumerate()
        {
            for round in 0..40 {
                let angle = (round + 7 * k) as f64;
                let aside = Vec3::new(angle.sin(), (1.7 * angle).cos(), (0.6 * angle).sin());
                let (start, end) = (Vec3::new(1.0, -2.0, 0.5) + aside, Vec3::new(1.4, -1.9, -0.2) - aside);
                let motion = spinning();
                let safe = point_advance(shape, &motion, 1.0, &start, &end, &options).safe_time();
                for sample in 0..=500 {
                    let t = safe * sample as f64 / 500.0;
                    let p = start * (1.0 - t) + end * t;
                    let gap = shape.signed_distance(&motion.after(t).to_body(&p));
                    assert!(safe == 0.0 || gap > 0.0, "{shape:?} round {round} at {t} of {safe}");
                }
            }
        }
    }
}
