//! Joints between rigid bodies, or between a rigid body and the world.

use crate::motion::Interpolation;
use stiction_numerics::Vec3;

/// A joint. Places and directions are those in the world at the start.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneJoint {
    /// Name, unique among the joints.
    pub name: String,
    /// What it leaves free, and its limits.
    pub kind: JointKind,
    /// Index of the first body in `Scene::bodies`; it is rigid.
    pub body_a: usize,
    /// Index of the second body, which is rigid too, or `None` for the world.
    pub body_b: Option<usize>,
    /// Point of the first body \[m\]; equal to `anchor_b` except for distances.
    pub anchor_a: Vec3,
    /// Point of the second body or of the world \[m\].
    pub anchor_b: Vec3,
    /// Unit axis of a hinge or slider, or of the cone of a ball; the x axis where it has no
    /// meaning.
    pub axis: Vec3,
    /// Spring and damper towards a target, if any.
    pub drive: Option<JointDrive>,
    /// Largest force \[N\] or torque \[N m\] of friction against motion.
    pub friction: f64,
    /// Whether its two bodies can touch each other.
    pub collide: bool,
    /// Times during which it holds \[s\]; empty means always.
    pub active: Vec<(f64, f64)>,
}

/// What a joint leaves free. The coordinate of a hinge is an angle \[rad\], that of a slider a
/// displacement \[m\], both 0 at the start and those of the first body relative to the second; the
/// coordinate of a distance joint is the distance \[m\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointKind {
    /// A shared point.
    Ball {
        /// Largest angle between the axis and its direction at the start, as the second body sees
        /// it \[rad\].
        cone: Option<f64>,
    },
    /// A shared point and axis.
    Hinge {
        /// Range of the angle \[rad\].
        limits: Option<Range>,
    },
    /// Sliding along an axis without turning.
    Slider {
        /// Range of the displacement \[m\].
        limits: Option<Range>,
    },
    /// No relative motion.
    Fixed,
    /// Two points within a range of distances; equal ends hold one distance.
    Distance {
        /// Range of the distance \[m\].
        limits: Range,
    },
}

impl JointKind {
    /// Name in scene files.
    pub fn name(&self) -> &'static str {
        match self {
            JointKind::Ball { .. } => "ball",
            JointKind::Hinge { .. } => "hinge",
            JointKind::Slider { .. } => "slider",
            JointKind::Fixed => "fixed",
            JointKind::Distance { .. } => "distance",
        }
    }
}

/// A closed range of a coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Smallest value.
    pub low: f64,
    /// Largest value, not below `low`.
    pub high: f64,
}

/// effort = stiffness (target − coordinate) + damping (target rate − rate), cut to ± `max_effort`.
#[derive(Clone, Debug, PartialEq)]
pub struct JointDrive {
    /// Stiffness \[N/m\] or \[N m/rad\].
    pub stiffness: f64,
    /// Damping \[N s/m\] or \[N m s/rad\].
    pub damping: f64,
    /// Largest effort \[N\] or \[N m\]; may be infinite.
    pub max_effort: f64,
    /// Where it drives to.
    pub target: DriveTarget,
}

/// The target of a drive over time \[m\] or \[rad\].
#[derive(Clone, Debug, PartialEq)]
pub enum DriveTarget {
    /// start + rate · t.
    Constant {
        /// At time zero.
        start: f64,
        /// Per second.
        rate: f64,
    },
    /// Between keys; the first and the last are held outside.
    Keyed {
        /// In order of time; not empty.
        keys: Vec<DriveKey>,
        /// How the target runs between keys.
        interpolation: Interpolation,
    },
}

/// The target of a drive at a time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DriveKey {
    /// Time \[s\].
    pub time: f64,
    /// Target \[m\] or \[rad\].
    pub target: f64,
}

/// A target and how fast it moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TargetAt {
    /// Target \[m\] or \[rad\].
    pub value: f64,
    /// Its derivative \[m/s\] or \[rad/s\].
    pub rate: f64,
}

impl DriveTarget {
    /// The target at a time \[s\], with its exact derivative; at a key that of the interval that
    /// begins.
    pub fn at(&self, time: f64) -> TargetAt {
        let (keys, interpolation) = match self {
            DriveTarget::Constant { start, rate } => {
                return TargetAt { value: start + rate * time, rate: *rate };
            }
            DriveTarget::Keyed { keys, interpolation } => (keys, interpolation),
        };
        let next = keys.partition_point(|k| k.time <= time);
        if next == 0 || next == keys.len() {
            let held = keys[next.min(keys.len() - 1)];
            return TargetAt { value: held.target, rate: 0.0 };
        }
        let (a, b) = (keys[next - 1], keys[next]);
        let length = b.time - a.time;
        let u = (time - a.time) / length;
        let (weight, slope) = match interpolation {
            Interpolation::Linear => (u, 1.0),
            Interpolation::Smooth => (u * u * (3.0 - 2.0 * u), 6.0 * u * (1.0 - u)),
        };
        let change = b.target - a.target;
        TargetAt { value: a.target + change * weight, rate: change * slope / length }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_hold_their_ends_and_move_at_their_rate() {
        let key = |time, target| DriveKey { time, target };
        for interpolation in [Interpolation::Linear, Interpolation::Smooth] {
            let keys = vec![key(1.0, 2.0), key(2.0, 5.0), key(4.0, -1.0)];
            let target = DriveTarget::Keyed { keys, interpolation };
            assert_eq!(target.at(0.0), TargetAt { value: 2.0, rate: 0.0 });
            assert_eq!(target.at(9.0), TargetAt { value: -1.0, rate: 0.0 });
            for time in [1.1, 1.5, 2.3, 3.9] {
                let step = 1e-6;
                let slope = (target.at(time + step).value - target.at(time - step).value) / (2.0 * step);
                assert!((slope - target.at(time).rate).abs() < 1e-8, "{interpolation:?} at {time}");
            }
        }
        let ramp = DriveTarget::Constant { start: 1.0, rate: -2.0 };
        assert_eq!(ramp.at(3.0), TargetAt { value: -5.0, rate: -2.0 });
    }
}
