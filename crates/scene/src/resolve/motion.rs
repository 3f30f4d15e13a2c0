//! Prescribed motion: key frames in order, degrees to radians.

use super::check::{direction, positive, rotation, vec3};
use crate::error::{Problem, Resolved, fault};
use crate::file::{InterpolationName, MotionFile};
use crate::motion::{Interpolation, KeyFrame, Motion};
use stiction_numerics::Vec3;

/// Resolves a motion; `middle` is the centre when none is given.
pub(super) fn motion(path: &str, file: &MotionFile, middle: Vec3) -> Resolved<Motion> {
    let mut keys: Vec<KeyFrame> = Vec::with_capacity(file.keys.len());
    for (index, key) in file.keys.iter().enumerate() {
        let at = format!("{path}.keys.{index}");
        if let Some(previous) = keys.last().map(|k| k.time).filter(|t| key.time <= *t) {
            return fault(
                format!("{at}.time"),
                Problem::KeyOrder { index, time: key.time, previous },
                "list key frames by increasing time",
            );
        }
        keys.push(KeyFrame {
            time: key.time,
            translation: key.translate.map_or_else(Vec3::zeros, vec3),
            rotation: rotation(&format!("{at}.rotate"), key.rotate.as_ref())?,
            scale: positive(&format!("{at}.scale"), "scale", key.scale.unwrap_or(1.0))?,
        });
    }
    let (turn_axis, turn_rate) = match &file.turn {
        Some(turn) => (direction(&format!("{path}.turn.axis"), &turn.axis)?, turn.degrees_per_second),
        None => (Vec3::zeros(), 0.0),
    };
    let (start, end) = (file.start.unwrap_or(0.0), file.end.unwrap_or(f64::INFINITY));
    if end < start {
        return fault(
            format!("{path}.end"),
            Problem::Conflict(format!("the motion ends at {end} s, before it starts at {start} s")),
            "make `end` larger than `start`",
        );
    }
    Ok(Motion {
        centre: file.centre.map_or(middle, vec3),
        keys,
        interpolation: match file.interpolation {
            Some(InterpolationName::Smooth) => Interpolation::Smooth,
            Some(InterpolationName::Linear) | None => Interpolation::Linear,
        },
        repeat: file.repeat.unwrap_or(false),
        velocity: file.velocity.map_or_else(Vec3::zeros, vec3),
        angular_velocity: turn_axis * turn_rate.to_radians(),
        turn_axis,
        start,
        end,
    })
}
