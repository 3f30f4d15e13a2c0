//! Prescribed motion: key frames plus constant rates, with an exact derivative.
//!
//! x(t) = c + T(t) + R(t) s(t) (X − c), R = exp(ω τ) exp(r(t)), T = keyed + v τ, τ = clamp(t,
//! start, end) − start
//! c centre · T translation · s scale · r keyed rotation vector · v, ω constant rates

use stiction_numerics::nalgebra::Rotation3;
use stiction_numerics::{Mat3, Vec3, rotation_jacobian};

/// How values run between key frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interpolation {
    /// Straight lines: velocity jumps at keys.
    #[default]
    Linear,
    /// Smoothstep u²(3 − 2u): velocity is zero at keys and continuous.
    Smooth,
}

impl Interpolation {
    /// Weight of the next key at a fraction of the way to it.
    pub fn weight(self, fraction: f64) -> f64 {
        match self {
            Interpolation::Linear => fraction,
            Interpolation::Smooth => fraction * fraction * (3.0 - 2.0 * fraction),
        }
    }
}

/// Least time between two key frames [s]: what moves in less has no velocity that fits a number.
pub const LEAST_KEY_INTERVAL: f64 = 1e-9;

/// A pose at a time, relative to the initial place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KeyFrame {
    /// Time [s].
    pub time: f64,
    /// Translation [m].
    pub translation: Vec3,
    /// Rotation vector, axis times angle [rad]; more than one turn is allowed.
    pub rotation: Vec3,
    /// Unit axis of the rotation as written; zero where none is. Keeps the direction while the angle is zero.
    pub rotation_axis: Vec3,
    /// Uniform scale about the centre, positive.
    pub scale: f64,
}

/// Motion of a pin or collider as one piece.
#[derive(Clone, Debug, PartialEq)]
pub struct Motion {
    /// Point about which it turns and scales [m], in the world at time zero.
    pub centre: Vec3,
    /// Key frames in order of time; the first and last are held outside. Empty: none.
    pub keys: Vec<KeyFrame>,
    /// How values run between keys.
    pub interpolation: Interpolation,
    /// Whether the keys repeat with the period last − first.
    pub repeat: bool,
    /// Constant velocity added to the keys [m/s].
    pub velocity: Vec3,
    /// Constant angular velocity applied after the keyed rotation [rad/s].
    pub angular_velocity: Vec3,
    /// Unit axis of the constant turning as written; zero where none is. Keeps the direction while
    /// the rate is zero.
    pub turn_axis: Vec3,
    /// Time from which the constant rates act [s].
    pub start: f64,
    /// Time until which the constant rates act [s]; may be infinite.
    pub end: f64,
}

impl Default for Motion {
    fn default() -> Self {
        Motion {
            centre: Vec3::zeros(),
            keys: Vec::new(),
            interpolation: Interpolation::Linear,
            repeat: false,
            velocity: Vec3::zeros(),
            angular_velocity: Vec3::zeros(),
            turn_axis: Vec3::zeros(),
            start: 0.0,
            end: f64::INFINITY,
        }
    }
}

/// An affine map x = linear · X + offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Rotation times scale.
    pub linear: Mat3,
    /// Offset [m].
    pub offset: Vec3,
}

impl Pose {
    /// Where a point that started at `reference` is.
    pub fn apply(&self, reference: &Vec3) -> Vec3 {
        self.linear * reference + self.offset
    }

    /// Factor by which lengths grow.
    pub fn scale(&self) -> f64 {
        self.linear.column(0).norm()
    }

    /// Where a point that is at `place` started.
    pub fn undo(&self, place: &Vec3) -> Vec3 {
        let scale = self.scale();
        self.linear.transpose() * (place - self.offset) / (scale * scale)
    }
}

/// Largest rates of a motion over a span of time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RateBounds {
    /// Of the centre [m/s].
    pub translation: f64,
    /// Angular [rad/s].
    pub turning: f64,
    /// Of the logarithm of the scale [1/s].
    pub scaling: f64,
}

impl RateBounds {
    /// How fast a point at most this far from the centre moves [m/s]: `|Ṫ| + (|ω| + |ṡ|/s) r`.
    pub fn speed_at(&self, distance: f64) -> f64 {
        self.translation + (self.turning + self.scaling) * distance
    }
}

/// Keyed values and their rates at one time.
struct Keyed {
    translation: [Vec3; 2],
    rotation: [Vec3; 2],
    scale: [f64; 2],
}

impl Motion {
    /// A motion that stays.
    pub fn fixed() -> Self {
        Motion::default()
    }

    /// A motion that stays; what is added to it later turns and scales about `centre` [m].
    pub fn fixed_about(centre: Vec3) -> Self {
        Motion { centre, ..Motion::default() }
    }

    /// Whether nothing ever moves.
    pub fn is_static(&self) -> bool {
        let zero = Vec3::zeros();
        let rests = |k: &KeyFrame| k.translation == zero && k.rotation == zero && k.scale == 1.0;
        self.velocity == zero && self.angular_velocity == zero && self.keys.iter().all(rests)
    }

    /// Map from the initial place to the place at a time [s].
    pub fn pose(&self, time: f64) -> Pose {
        let keyed = self.keyed(time);
        let (tau, _) = self.rate_time(time);
        let rotation = exp(&(self.angular_velocity * tau)) * exp(&keyed.rotation[0]);
        let linear = rotation * keyed.scale[0];
        let translation = keyed.translation[0] + self.velocity * tau;
        Pose { linear, offset: self.centre + translation - linear * self.centre }
    }

    /// Place at a time of the point that started at `reference` [m].
    pub fn position(&self, reference: &Vec3, time: f64) -> Vec3 {
        self.pose(time).apply(reference)
    }

    /// Velocity of the point that is at `point` in the world at `time` [m/s]: exact derivative of
    /// the pose.
    ///
    /// At a corner of a linear motion it is the velocity of the interval that begins.
    pub fn velocity_at(&self, point: &Vec3, time: f64) -> Vec3 {
        let keyed = self.keyed(time);
        let (tau, rate) = self.rate_time(time);
        let arm = point - (self.centre + keyed.translation[0] + self.velocity * tau);
        let spin = self.angular_rate(&keyed, tau, rate);
        keyed.translation[1]
            + self.velocity * rate
            + spin.cross(&arm)
            + arm * (keyed.scale[1] / keyed.scale[0])
    }

    /// Where the point about which it turns is at a time [m].
    pub fn centre_at(&self, time: f64) -> Vec3 {
        let (tau, _) = self.rate_time(time);
        self.centre + self.keyed(time).translation[0] + self.velocity * tau
    }

    /// Uniform scale at a time.
    pub fn scale_at(&self, time: f64) -> f64 {
        self.keyed(time).scale[0]
    }

    /// Largest rates between two times. Between keys a smoothstep is at most 1.5 times as fast as
    /// its mean, and `|d exp(r)/dt| ≤ |ṙ|` since the left Jacobian of the exponential map is
    /// nowhere longer than 1.
    pub fn rate_bounds(&self, from: f64, to: f64) -> RateBounds {
        let acts = from < self.end && to > self.start;
        let own = |rate: &Vec3| if acts { rate.norm() } else { 0.0 };
        let mut bounds = RateBounds {
            translation: own(&self.velocity),
            turning: own(&self.angular_velocity),
            scaling: 0.0,
        };
        let peak = if self.interpolation == Interpolation::Smooth { 1.5 } else { 1.0 };
        let mut keyed = RateBounds::default();
        for pair in self.keys.windows(2).filter(|p| self.repeat || (p[0].time < to && p[1].time > from)) {
            let rate = peak / (pair[1].time - pair[0].time);
            let least = pair[0].scale.min(pair[1].scale);
            let change = (pair[1].scale - pair[0].scale).abs();
            keyed.translation =
                keyed.translation.max((pair[1].translation - pair[0].translation).norm() * rate);
            keyed.turning = keyed.turning.max((pair[1].rotation - pair[0].rotation).norm() * rate);
            keyed.scaling = keyed.scaling.max(change * rate / least);
        }
        bounds.translation += keyed.translation;
        bounds.turning += keyed.turning;
        bounds.scaling += keyed.scaling;
        bounds
    }

    /// Velocity at a time of the point that started at `reference` [m/s].
    pub fn velocity_of(&self, reference: &Vec3, time: f64) -> Vec3 {
        self.velocity_at(&self.position(reference, time), time)
    }

    /// ω_total = ω + exp(ω τ) J(r) ṙ, with J the left Jacobian of the exponential map.
    fn angular_rate(&self, keyed: &Keyed, tau: f64, rate: f64) -> Vec3 {
        self.angular_velocity * rate
            + exp(&(self.angular_velocity * tau))
                * (rotation_jacobian(&keyed.rotation[0]) * keyed.rotation[1])
    }

    /// Time for which the constant rates have acted and their rate (0 or 1).
    fn rate_time(&self, time: f64) -> (f64, f64) {
        let tau = time.min(self.end).max(self.start) - self.start;
        (tau, if time >= self.start && time < self.end { 1.0 } else { 0.0 })
    }

    fn keyed(&self, time: f64) -> Keyed {
        let Some((first, last)) = self.keys.first().zip(self.keys.last()) else {
            return Keyed {
                translation: [Vec3::zeros(); 2],
                rotation: [Vec3::zeros(); 2],
                scale: [1.0, 0.0],
            };
        };
        let period = last.time - first.time;
        let time = if self.repeat && period > 0.0 {
            first.time + (time - first.time).rem_euclid(period)
        } else {
            time
        };
        let next = self.keys.partition_point(|k| k.time <= time);
        if next == 0 || next == self.keys.len() {
            let held = if next == 0 { first } else { last };
            return Keyed {
                translation: [held.translation, Vec3::zeros()],
                rotation: [held.rotation, Vec3::zeros()],
                scale: [held.scale, 0.0],
            };
        }
        self.between(&self.keys[next - 1], &self.keys[next], time)
    }

    fn between(&self, a: &KeyFrame, b: &KeyFrame, time: f64) -> Keyed {
        let length = b.time - a.time;
        let u = (time - a.time) / length;
        let w = self.interpolation.weight(u);
        let rate = match self.interpolation {
            Interpolation::Linear => 1.0 / length,
            Interpolation::Smooth => 6.0 * u * (1.0 - u) / length,
        };
        let mix = |from: Vec3, to: Vec3| [from + (to - from) * w, (to - from) * rate];
        Keyed {
            translation: mix(a.translation, b.translation),
            rotation: mix(a.rotation, b.rotation),
            scale: [a.scale + (b.scale - a.scale) * w, (b.scale - a.scale) * rate],
        }
    }
}

fn exp(rotation: &Vec3) -> Mat3 {
    Rotation3::from_scaled_axis(*rotation).into_inner()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wild(interpolation: Interpolation) -> Motion {
        let key = |time, t: [f64; 3], r: [f64; 3], scale| KeyFrame {
            time,
            translation: t.into(),
            rotation: r.into(),
            rotation_axis: Vec3::zeros(),
            scale,
        };
        Motion {
            centre: Vec3::new(0.3, -0.2, 0.5),
            keys: vec![
                key(0.0, [0.0; 3], [0.0; 3], 1.0),
                key(1.0, [1.0, 0.5, -0.3], [0.4, 7.0, -1.0], 1.5),
                key(2.5, [0.0, 0.5, 0.3], [-0.4, 2.0, 1.0], 0.7),
            ],
            interpolation,
            repeat: false,
            velocity: Vec3::new(0.1, 0.2, 0.3),
            angular_velocity: Vec3::new(1.0, -0.5, 0.25),
            turn_axis: Vec3::zeros(),
            start: 0.2,
            end: 2.0,
        }
    }

    #[test]
    fn poses_can_be_undone() {
        let point = Vec3::new(1.0, 2.0, -1.0);
        for time in [0.0, 0.7, 2.2] {
            let pose = wild(Interpolation::Smooth).pose(time);
            assert!((pose.undo(&pose.apply(&point)) - point).norm() < 1e-12, "{time}");
        }
    }

    #[test]
    fn velocity_is_the_derivative_of_position() {
        let point = Vec3::new(1.0, 2.0, -1.0);
        for interpolation in [Interpolation::Linear, Interpolation::Smooth] {
            let motion = wild(interpolation);
            for time in [-0.5, 0.1, 0.4, 0.9, 1.3, 1.9, 2.2, 3.0] {
                let h = 1e-5;
                let diff =
                    (motion.position(&point, time + h) - motion.position(&point, time - h)) / (2.0 * h);
                let exact = motion.velocity_of(&point, time);
                // Central differences: error of order h² times third derivatives of a few hundred.
                assert!((diff - exact).norm() < 1e-6 * (1.0 + exact.norm()), "{time}: {diff} {exact}");
            }
        }
    }

    #[test]
    fn repeats_with_its_period() {
        let mut motion = wild(Interpolation::Smooth);
        motion.velocity = Vec3::zeros();
        motion.angular_velocity = Vec3::zeros();
        motion.repeat = true;
        let p = Vec3::new(0.0, 1.0, 0.0);
        assert!((motion.position(&p, 0.7) - motion.position(&p, 5.7)).norm() < 1e-12);
    }

    #[test]
    fn a_fixed_motion_is_static_and_moves_nothing() {
        assert!(Motion::fixed().is_static());
        assert!(!wild(Interpolation::Linear).is_static());
        let p = Vec3::new(0.1, 0.7, 0.9);
        assert_eq!(Motion::fixed().position(&p, 3.0), p);
    }

    #[test]
    fn rates_stay_within_their_bounds() {
        let key = |time: f64, k: f64| KeyFrame {
            time,
            translation: Vec3::new(k, 0.3 * k, -k),
            rotation: Vec3::new(2.0 * k, 1.0, -k),
            rotation_axis: Vec3::zeros(),
            scale: 1.0 + 0.2 * k,
        };
        for interpolation in [Interpolation::Linear, Interpolation::Smooth] {
            let motion = Motion {
                centre: Vec3::new(0.2, -0.1, 0.4),
                keys: vec![key(0.0, 0.0), key(0.4, 1.0), key(1.0, -0.5)],
                interpolation,
                velocity: Vec3::new(0.1, 0.2, 0.0),
                angular_velocity: Vec3::new(0.0, 3.0, 1.0),
                ..Motion::fixed()
            };
            for span in 0..20 {
                let (from, to) = (0.05 * f64::from(span), 0.05 * f64::from(span + 1));
                let bounds = motion.rate_bounds(from, to);
                for k in 0..10 {
                    let time = from + 0.005 * f64::from(k);
                    let point = Vec3::new(0.7, 0.1, -0.3);
                    let arm = (point - motion.centre_at(time)).norm();
                    let speed = motion.velocity_at(&point, time).norm();
                    assert!(speed <= bounds.speed_at(arm) + 1e-12, "{speed} at {time}");
                }
            }
        }
    }
}
