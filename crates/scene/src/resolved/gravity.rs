//! Gravity, constant or over time.

use crate::motion::Interpolation;
use stiction_numerics::Vec3;

/// Gravity g(t): one value, or key frames whose first and last values are held outside.
///
/// Bodies in a box that accelerates by a(t) move in the frame of the box as under g − a(t).
#[derive(Clone, Debug, PartialEq)]
pub struct Gravity {
    /// Values in order of time; never empty. One key is a constant.
    keys: Vec<GravityKey>,
    /// How values run between keys.
    interpolation: Interpolation,
    /// Whether the keys repeat with the period last − first.
    repeat: bool,
}

/// Gravity at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GravityKey {
    /// Time [s].
    pub time: f64,
    /// Gravity [m/s²].
    pub value: Vec3,
}

impl Gravity {
    /// The same at all times.
    pub fn constant(value: Vec3) -> Gravity {
        let keys = vec![GravityKey { time: 0.0, value }];
        Gravity { keys, interpolation: Interpolation::Linear, repeat: false }
    }

    /// By key frames in order of time; `None` where there are none or they are out of order.
    pub fn keyed(keys: Vec<GravityKey>, interpolation: Interpolation, repeat: bool) -> Option<Gravity> {
        let in_order = keys.windows(2).all(|pair| pair[0].time < pair[1].time);
        (!keys.is_empty() && in_order).then_some(Gravity { keys, interpolation, repeat })
    }

    /// Its keys, in order of time; one where it is constant.
    pub fn keys(&self) -> &[GravityKey] {
        &self.keys
    }

    /// Sets the value of a key [m/s²].
    pub fn set_value(&mut self, key: usize, value: Vec3) {
        self.keys[key].value = value;
    }

    /// Whether it is the same at all times.
    pub fn is_constant(&self) -> bool {
        self.keys.len() == 1
    }

    /// Gravity at a time [m/s²].
    pub fn at(&self, time: f64) -> Vec3 {
        let (first, last) = (self.keys[0], self.keys[self.keys.len() - 1]);
        let period = last.time - first.time;
        let time = match self.repeat && period > 0.0 {
            true => first.time + (time - first.time).rem_euclid(period),
            false => time,
        };
        let next = self.keys.partition_point(|k| k.time <= time);
        if next == 0 {
            return first.value;
        }
        let from = self.keys[next - 1];
        let Some(to) = self.keys.get(next) else { return from.value };
        let weight = self.interpolation.weight((time - from.time) / (to.time - from.time));
        from.value + (to.value - from.value) * weight
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keyed(interpolation: Interpolation, repeat: bool) -> Gravity {
        let key = |time: f64, z: f64| GravityKey { time, value: Vec3::new(0.0, 0.0, z) };
        let keys = vec![key(1.0, -10.0), key(2.0, 0.0), key(4.0, -10.0)];
        Gravity::keyed(keys, interpolation, repeat).expect("keys in order")
    }

    #[test]
    fn a_constant_is_itself_at_all_times() {
        let value = Vec3::new(0.1, -0.2, -9.81);
        for time in [-1.0, 0.0, 0.3, 1e6] {
            assert_eq!(Gravity::constant(value).at(time), value);
        }
    }

    #[test]
    fn keys_are_met_and_held_outside() {
        let at = |time: f64| keyed(Interpolation::Linear, false).at(time).z;
        assert_eq!([0.0, 1.0, 1.25, 2.0, 3.0, 9.0].map(at), [-10.0, -10.0, -7.5, 0.0, -5.0, -10.0]);
        // Smoothstep of a quarter: 1/16 (3 − 1/2).
        let smooth = keyed(Interpolation::Smooth, false).at(1.25).z;
        assert!((smooth + 10.0 * (1.0 - 0.15625)).abs() < 1e-12, "{smooth}");
    }

    #[test]
    fn repeated_keys_have_their_period() {
        let gravity = keyed(Interpolation::Linear, true);
        for time in [0.2, 1.3, 2.9] {
            assert!((gravity.at(time) - gravity.at(time + 6.0)).norm() < 1e-12, "{time}");
        }
    }

    #[test]
    fn keys_out_of_order_are_refused() {
        let key = |time: f64| GravityKey { time, value: Vec3::zeros() };
        assert!(Gravity::keyed(vec![key(1.0), key(1.0)], Interpolation::Linear, false).is_none());
        assert!(Gravity::keyed(Vec::new(), Interpolation::Linear, false).is_none());
    }
}
