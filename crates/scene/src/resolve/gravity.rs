//! Gravity: a size, a vector, or key frames.

use super::check::{between, bounded};
use super::{Context, MAX_ACCELERATION};
use crate::error::{Problem, Resolved, fault};
use crate::file::{GravityFile, GravityKeysFile, InterpolationName, NumberOr, VectorOr};
use crate::motion::Interpolation;
use crate::resolved::{Gravity, GravityKey};
use stiction_numerics::Vec3;

/// Gravity where a scene gives none [m/s²].
const STANDARD: f64 = 9.81;

/// Gravity of a scene.
pub(super) fn gravity(file: Option<&GravityFile>, context: &Context<'_>) -> Resolved<Gravity> {
    match file {
        None => Ok(Gravity::constant(context.up * -STANDARD)),
        Some(NumberOr::Number(size)) => Ok(Gravity::constant(downward("gravity", *size, context)?)),
        Some(NumberOr::Full(VectorOr::Vector(vector))) => Ok(Gravity::constant(full("gravity", *vector)?)),
        Some(NumberOr::Full(VectorOr::Full(keys))) => keyed(keys, context),
    }
}

fn downward(path: &str, size: f64, context: &Context<'_>) -> Resolved<Vec3> {
    Ok(context.up * -between(path, "gravity", size, 0.0, MAX_ACCELERATION)?)
}

fn full(path: &str, vector: [f64; 3]) -> Resolved<Vec3> {
    bounded(path, "gravity", vector, MAX_ACCELERATION, "m/s²")
}

fn keyed(file: &GravityKeysFile, context: &Context<'_>) -> Resolved<Gravity> {
    let mut keys: Vec<GravityKey> = Vec::with_capacity(file.keys.len());
    for (index, key) in file.keys.iter().enumerate() {
        let at = format!("gravity.keys.{index}");
        if let Some(previous) = keys.last().map(|k| k.time).filter(|t| key.time <= *t) {
            let problem = Problem::KeyOrder { index, time: key.time, previous };
            return fault(format!("{at}.time"), problem, "list key frames by increasing time");
        }
        let value = match &key.value {
            NumberOr::Number(size) => downward(&format!("{at}.value"), *size, context)?,
            NumberOr::Full(vector) => full(&format!("{at}.value"), *vector)?,
        };
        keys.push(GravityKey { time: key.time, value });
    }
    let interpolation = match file.interpolation {
        Some(InterpolationName::Smooth) => Interpolation::Smooth,
        Some(InterpolationName::Linear) | None => Interpolation::Linear,
    };
    match Gravity::keyed(keys, interpolation, file.repeat.unwrap_or(false)) {
        Some(gravity) => Ok(gravity),
        None => fault(
            "gravity.keys",
            Problem::Conflict("gravity over time has no key frames".to_owned()),
            "write `gravity = { keys = [{ time = 0, value = 9.81 }, ...] }`, or one number",
        ),
    }
}
