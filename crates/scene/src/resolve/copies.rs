//! Copies of a body: lattices and lists.

use super::Context;
use super::check::{count, non_negative, rotation, vec3, velocity, within_reach};
use crate::error::{Problem, Resolved, fault};
use crate::file::{ArrayFile, BodyFile};
use crate::generate::SplitMix;
use crate::geometry::mean;
use crate::resolved::{InstanceOf, SceneBody};
use std::f64::consts::TAU;
use stiction_numerics::Vec3;
use stiction_numerics::nalgebra::{Rotation3, UnitQuaternion};

/// The body itself, or its copies in order.
pub(super) fn copies(
    path: &str,
    body: SceneBody,
    file: &BodyFile,
    context: &mut Context<'_>,
) -> Resolved<Vec<SceneBody>> {
    if file.array.is_some() && !file.instances.is_empty() {
        let problem = Problem::Conflict("a body has an `array` or `instances`, not both".to_owned());
        return fault(path, problem, "take one of them out");
    }
    let count = match (&file.array, file.instances.is_empty()) {
        (Some(array), _) => array.count.into_iter().map(u64::from).fold(1, u64::saturating_mul),
        (None, true) => return Ok(vec![body]),
        (None, false) => file.instances.len() as u64,
    };
    // The body itself has been counted when its mesh was made.
    let vertices =
        body.mesh.vertices.len() + body.embedded_surface.as_ref().map_or(0, |s| s.mesh.vertices.len());
    context.spend_vertices(path, vertices, count.saturating_sub(1))?;
    let mut list = match &file.array {
        Some(array) => lattice(&format!("{path}.array"), &body, array, context.seed)?,
        None => instances(path, &body, file)?,
    };
    // A pin that follows a collider turns about the collider's centre, wherever the copy stands.
    for copy in &mut list {
        for (k, pin) in copy.pins.iter_mut().enumerate().filter(|(k, _)| file.pins[*k].follow.is_some()) {
            pin.motion.centre = body.pins[k].motion.centre;
        }
    }
    Ok(list)
}

fn instances(path: &str, body: &SceneBody, file: &BodyFile) -> Resolved<Vec<SceneBody>> {
    let mut list = Vec::with_capacity(file.instances.len());
    for (index, instance) in file.instances.iter().enumerate() {
        let turn = rotation(&format!("{path}.instances.{index}.rotate"), instance.rotate.as_ref())?;
        let at = |key: &str| format!("{path}.instances.{index}.{key}");
        let shift = within_reach(&at("translate"), instance.translate.unwrap_or_default())?;
        let mut copy = moved(body, index, turn, shift);
        if let Some(given) = instance.velocity {
            copy.initial_velocity = velocity(&at("velocity"), given)?;
        }
        if let Some(given) = instance.spin {
            copy.spin = velocity(&at("spin"), given)?;
        }
        copy.colour = instance.colour.or(copy.colour);
        list.push(copy);
    }
    Ok(list)
}

fn lattice(path: &str, body: &SceneBody, array: &ArrayFile, seed: u64) -> Resolved<Vec<SceneBody>> {
    for n in array.count {
        count(&format!("{path}.count"), "count", n, 1)?;
    }
    within_reach(&format!("{path}.step"), array.step)?;
    let jitter = non_negative(&format!("{path}.jitter"), "jitter", array.jitter.unwrap_or(0.0))?;
    let mut random = SplitMix::new(array.seed.unwrap_or(seed), 4);
    let mut list = Vec::new();
    for k in 0..array.count[2] {
        for j in 0..array.count[1] {
            for i in 0..array.count[0] {
                let step = vec3(array.step).component_mul(&Vec3::new(i.into(), j.into(), k.into()));
                let noise = Vec3::new(random.signed(), random.signed(), random.signed()) * jitter;
                let turn = if array.turn == Some(true) { random_turn(&mut random) } else { Vec3::zeros() };
                let mut copy = moved(body, list.len(), turn, step + noise);
                if !array.colours.is_empty() {
                    copy.colour = Some(array.colours[list.len() % array.colours.len()]);
                }
                list.push(copy);
            }
        }
    }
    Ok(list)
}

/// A random axis with a random angle.
fn random_turn(random: &mut SplitMix) -> Vec3 {
    let (z, around, angle) = (random.signed(), TAU * random.unit(), TAU * random.unit());
    let r = (1.0 - z * z).sqrt();
    Vec3::new(r * around.cos(), r * around.sin(), z) * angle
}

/// A copy turned about the body's middle, then shifted. Pins move along; their axes keep their
/// direction.
fn moved(body: &SceneBody, index: usize, turn: Vec3, shift: Vec3) -> SceneBody {
    let rotation = Rotation3::from_scaled_axis(turn);
    let middle = body.rigid.as_ref().map_or_else(|| mean(&body.shape().vertices), |r| r.centre);
    let place = |p: &mut Vec3| *p = rotation * (*p - middle) + middle + shift;
    let mut copy = body.clone();
    copy.name = format!("{}.{index}", body.name);
    copy.instance_of = Some(InstanceOf { name: body.name.clone(), index: index as u32 });
    match &mut copy.rigid {
        Some(rigid) => {
            place(&mut rigid.centre);
            rigid.orientation = UnitQuaternion::from_rotation_matrix(&rotation) * rigid.orientation;
            copy.mesh.vertices = rigid.world_vertices();
        }
        None => copy.mesh.vertices.iter_mut().for_each(place),
    }
    copy.mesh.rest_vertices.iter_mut().flatten().for_each(place);
    if let Some(surface) = &mut copy.embedded_surface {
        surface.mesh.vertices.iter_mut().for_each(place);
    }
    if let Some(frames) = &mut copy.frames {
        frames.centres.iter_mut().for_each(place);
        frames.points.iter_mut().flat_map(|p| &mut p.gradients).for_each(|g| *g = rotation * *g);
    }
    for pin in &mut copy.pins {
        place(&mut pin.motion.centre);
    }
    copy.warp = copy.warp.map(|w| rotation * w);
    if let Some(grain) = &mut copy.friction_direction {
        grain.turn(&rotation);
    }
    copy
}
