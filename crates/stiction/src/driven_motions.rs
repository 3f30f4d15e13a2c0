//! What is driven, as sections of a checkpoint. Runs without drives have none of them.

use crate::error::SimulationError;
use stiction_bodies::{Controls, DrivenMotion, DrivenMotions};
use stiction_numerics::Vec3;
use stiction_output::Sections;
use stiction_scene::motion::{Interpolation, KeyFrame, Motion};
use stiction_solvers::RestoreError;

/// Numbers of a motion before those of its keys: centre, velocity, angular velocity, start, end, smooth, repeat.
const HEAD: usize = 13;
/// Numbers of a key: time, translation, rotation, scale.
const PER_KEY: usize = 8;

/// Adds what is driven: for each kind the numbers of the controls with their count of keys, and the numbers of the motions.
pub fn save(driven: &DrivenMotions, out: &mut Sections) {
    let DrivenMotions { pins, anchors, colliders } = driven;
    for (kind, list) in [("pins", pins), ("anchors", anchors), ("colliders", colliders)] {
        if !list.is_empty() {
            let places = list.iter().flat_map(|d| [d.index as u64, d.motion.keys.len() as u64]);
            out.put_u64s(&format!("driven/{kind}"), &places.collect::<Vec<_>>());
            let numbers = list.iter().flat_map(|d| numbers(&d.motion));
            out.put_f64s(&format!("driven/{kind}/motions"), &numbers.collect::<Vec<_>>());
        }
    }
}

/// What a checkpoint says is driven, for these controls.
pub fn load(sections: &Sections, controls: &Controls) -> Result<DrivenMotions, SimulationError> {
    Ok(DrivenMotions {
        pins: list(sections, "pins", controls.pins.len())?,
        anchors: list(sections, "anchors", controls.anchors.len())?,
        colliders: list(sections, "colliders", controls.colliders.len())?,
    })
}

fn list(sections: &Sections, kind: &str, count: usize) -> Result<Vec<DrivenMotion>, SimulationError> {
    let name = format!("driven/{kind}");
    if !sections.iter().any(|(section, _)| section == name) {
        return Ok(Vec::new());
    }
    let (places, numbers) = (sections.u64s(&name)?, sections.f64s(&format!("{name}/motions"))?);
    let wrong = || SimulationError::Restore(RestoreError::Array { name: name.clone() });
    let (mut out, mut rest) = (Vec::new(), &numbers[..]);
    for place in places.chunks(2) {
        let [index, keys] = *place else { return Err(wrong()) };
        let length = (keys as usize).checked_mul(PER_KEY).and_then(|keys| keys.checked_add(HEAD));
        let (own, after) = length.and_then(|length| rest.split_at_checked(length)).ok_or_else(wrong)?;
        out.push(DrivenMotion { index: index as usize, motion: motion(own) });
        rest = after;
    }
    let sorted = out.windows(2).all(|pair| pair[0].index < pair[1].index);
    let known = out.last().is_none_or(|last| last.index < count);
    if rest.is_empty() && sorted && known { Ok(out) } else { Err(wrong()) }
}

fn numbers(motion: &Motion) -> Vec<f64> {
    let mut out: Vec<f64> = Vec::with_capacity(HEAD + PER_KEY * motion.keys.len());
    let Motion { centre, velocity, angular_velocity, .. } = motion;
    [centre, velocity, angular_velocity].into_iter().for_each(|v| out.extend(v.iter()));
    let smooth = motion.interpolation == Interpolation::Smooth;
    out.extend([motion.start, motion.end, f64::from(u8::from(smooth)), f64::from(u8::from(motion.repeat))]);
    for key in &motion.keys {
        out.push(key.time);
        out.extend(key.translation.iter().chain(&key.rotation));
        out.push(key.scale);
    }
    out
}

fn motion(numbers: &[f64]) -> Motion {
    let vector = |first: usize| Vec3::from_column_slice(&numbers[first..first + 3]);
    let key = |k: &[f64]| KeyFrame {
        time: k[0],
        translation: Vec3::from_column_slice(&k[1..4]),
        rotation: Vec3::from_column_slice(&k[4..7]),
        rotation_axis: Vec3::zeros(),
        scale: k[7],
    };
    Motion {
        centre: vector(0),
        velocity: vector(3),
        angular_velocity: vector(6),
        turn_axis: Vec3::zeros(),
        start: numbers[9],
        end: numbers[10],
        interpolation: if numbers[11] > 0.0 { Interpolation::Smooth } else { Interpolation::Linear },
        repeat: numbers[12] > 0.0,
        keys: numbers[HEAD..].chunks_exact(PER_KEY).map(key).collect(),
    }
}
