//! Prescribed motion: key frames in order, degrees to radians.

use super::check::{between, direction, rotation, vec3, velocity, within_reach};
use crate::error::{Problem, Resolved, fault};
use crate::file::{InterpolationName, MotionFile};
use crate::motion::{Interpolation, KeyFrame, LEAST_KEY_INTERVAL, Motion};
use stiction_numerics::Vec3;

fn refuse_jump(path: &str, keys: &[KeyFrame], time: f64) -> Resolved<()> {
    match keys.last() {
        Some(last) if time - last.time < LEAST_KEY_INTERVAL => {
            let problem = Problem::OutOfRange {
                what: "the time between two key frames".into(),
                value: time - last.time,
                requirement: format!("it must be at least {LEAST_KEY_INTERVAL:e} s"),
            };
            fault(format!("{path}.time"), problem, "`time` is in seconds: move the key frames apart")
        }
        _ => Ok(()),
    }
}

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
        refuse_jump(&at, &keys, key.time)?;
        keys.push(KeyFrame {
            time: key.time,
            translation: within_reach(&format!("{at}.translate"), key.translate.unwrap_or_default())?,
            rotation: rotation(&format!("{at}.rotate"), key.rotate.as_ref())?,
            rotation_axis: match &key.rotate {
                Some(rotate) => direction(&format!("{at}.rotate.axis"), &rotate.axis)?,
                None => Vec3::zeros(),
            },
            scale: between(&format!("{at}.scale"), "scale", key.scale.unwrap_or(1.0), 1e-9, 1e9)?,
        });
    }
    let (turn_axis, angular_velocity) = match &file.turn {
        Some(turn) => {
            let axis = direction(&format!("{path}.turn.axis"), &turn.axis)?;
            let rate = axis * turn.degrees_per_second.to_radians();
            (axis, velocity(&format!("{path}.turn.degrees_per_second"), rate.into())?)
        }
        None => (Vec3::zeros(), Vec3::zeros()),
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
        velocity: velocity(&format!("{path}.velocity"), file.velocity.unwrap_or_default())?,
        angular_velocity,
        turn_axis,
        start,
        end,
    })
}
