//! Which paths a model has, and the slot that each of them stands for.

use super::material_keys::{MATERIAL_KEYS, MaterialKey};
use super::motion_keys::MotionKey;
use crate::couplings::AnchorSource;
use crate::model::Model;
use crate::parameters::Parameters;
use crate::pins::PinSource;
use stiction_scene::motion::Motion;
use stiction_scene::resolved::InflationLaw;

/// A value among the parameters; copies of a body share theirs.
#[derive(Clone, Debug)]
pub(super) enum Slot {
    /// A key of the material of some bodies.
    Material { bodies: Vec<usize>, key: &'static MaterialKey },
    /// Friction coefficient of some objects.
    Friction(Vec<usize>),
    /// Coefficient along (0) or across (1) the grain of some objects.
    Grain { objects: Vec<usize>, component: usize },
    /// Friction of every pair.
    FrictionOfAll,
    /// A value of a listed pair, by number of its table in the scene.
    Pair { table: usize, key: PairKey },
    /// Gravity at all times.
    Gravity,
    /// Gravity at a key frame.
    GravityKey(usize),
    /// A value of the wind.
    Wind(WindKey),
    /// A value of the pressure inside some bodies.
    Inflation { bodies: Vec<usize>, key: InflationKey },
    /// Stiffness of some groups of anchors, which are soft pins.
    SoftPin(Vec<usize>),
    /// Stiffness of a table `attachments`.
    Attachment(usize),
    /// Stiffness of a table `stitches`.
    Stitch(usize),
    /// Stiffness of all roots of a body, by number among the rooted bodies.
    Roots(usize),
    /// A value of the motion of some pins, or of a collider.
    Motion { controls: Vec<Control>, key: MotionKey },
}

/// What a motion moves.
#[derive(Clone, Copy, Debug)]
pub(super) enum Control {
    /// A group of exact pins.
    Pin(usize),
    /// A group of anchors.
    Anchor(usize),
    /// A collider.
    Collider(usize),
}

/// Values of a listed pair.
#[derive(Clone, Copy, Debug)]
pub(super) enum PairKey {
    Coefficient,
    Cohesion,
    Compliance,
}

/// Values of the wind.
#[derive(Clone, Copy, Debug)]
pub(super) enum WindKey {
    Velocity,
    GustAmplitude,
    GustFrequency,
    GustLength,
    AirDensity,
}

/// Values of a pressure.
#[derive(Clone, Copy, Debug)]
pub(super) enum InflationKey {
    Pressure,
    Bulk,
    Ambient,
}

/// A path with its slot.
pub(super) type Entry = (String, Slot);

/// All paths of a model, those of the whole scene first, then bodies, colliders and tables.
pub(super) fn entries(parameters: &Parameters, model: &Model) -> Vec<Entry> {
    let mut out = global(parameters);
    for (name, bodies) in written_bodies(model) {
        body(parameters, model, name, &bodies, &mut out);
    }
    for (index, collider) in model.colliders.colliders.iter().enumerate() {
        let path = format!("colliders.{}", collider.name);
        surface(parameters, &path, &[model.bodies.len() + index], &mut out);
        // One that deforms has no motion as one piece.
        if collider.sequence.is_none() {
            let motion = &parameters.controls.colliders[index];
            motions(&format!("{path}.motion"), motion, &[Control::Collider(index)], &mut out);
        }
    }
    let springs = &parameters.springs;
    out.extend(
        (0..springs.attachments.len()).map(|k| (format!("attachments.{k}.stiffness"), Slot::Attachment(k))),
    );
    out.extend((0..springs.stitches.len()).map(|k| (format!("stitches.{k}.stiffness"), Slot::Stitch(k))));
    pairs(parameters, &mut out);
    out
}

/// Bodies by the name under which they were written, in the order of the scene.
pub(super) fn written_bodies(model: &Model) -> Vec<(&str, Vec<usize>)> {
    let mut out: Vec<(&str, Vec<usize>)> = Vec::new();
    for (index, body) in model.bodies.iter().enumerate() {
        let name = body.instance_of.as_deref().unwrap_or(&body.name);
        match out.last_mut().filter(|last| last.0 == name) {
            Some(last) => last.1.push(index),
            None => out.push((name, vec![index])),
        }
    }
    out
}

fn global(parameters: &Parameters) -> Vec<Entry> {
    let mut out = vec![("gravity".to_owned(), Slot::Gravity)];
    if !parameters.gravity.is_constant() {
        let keys = 0..parameters.gravity.keys().len();
        out.extend(keys.map(|k| (format!("gravity.keys.{k}.value"), Slot::GravityKey(k))));
    }
    for (name, key) in [
        ("velocity", WindKey::Velocity),
        ("gust_amplitude", WindKey::GustAmplitude),
        ("gust_frequency", WindKey::GustFrequency),
        ("gust_length", WindKey::GustLength),
        ("air_density", WindKey::AirDensity),
    ] {
        out.push((format!("wind.{name}"), Slot::Wind(key)));
    }
    out.push(("friction.all".to_owned(), Slot::FrictionOfAll));
    out
}

fn body(parameters: &Parameters, model: &Model, name: &str, bodies: &[usize], out: &mut Vec<Entry>) {
    let path = format!("bodies.{name}");
    for key in &MATERIAL_KEYS {
        out.push((format!("{path}.material.{}", key.name), Slot::Material { bodies: bodies.to_vec(), key }));
    }
    surface(parameters, &path, bodies, out);
    if let Some(inflation) = &parameters.inflation[bodies[0]] {
        let (name, key) = match inflation.law {
            InflationLaw::Linear { .. } => ("bulk", InflationKey::Bulk),
            InflationLaw::Gas { .. } => ("ambient", InflationKey::Ambient),
        };
        for (name, key) in [("pressure", InflationKey::Pressure), (name, key)] {
            out.push((format!("{path}.inflation.{name}"), Slot::Inflation { bodies: bodies.to_vec(), key }));
        }
    }
    if let Some(rooted) = model.roots.bodies.iter().position(|rooted| rooted.body == bodies[0]) {
        out.push((format!("{path}.mesh.groom.root_stiffness"), Slot::Roots(rooted)));
    }
    pins(parameters, model, &path, bodies, out);
}

fn surface(parameters: &Parameters, path: &str, objects: &[usize], out: &mut Vec<Entry>) {
    out.push((format!("{path}.friction"), Slot::Friction(objects.to_vec())));
    if parameters.grain_friction[objects[0]].is_some() {
        for (component, name) in ["along", "across"].into_iter().enumerate() {
            let slot = Slot::Grain { objects: objects.to_vec(), component };
            out.push((format!("{path}.friction_direction.{name}"), slot));
        }
    }
}

/// Soft and exact pins of a body and its copies, with their motions unless they follow a collider.
fn pins(parameters: &Parameters, model: &Model, path: &str, bodies: &[usize], out: &mut Vec<Entry>) {
    let soft = model.anchors.groups.iter().enumerate().filter_map(|(g, group)| match group.source {
        AnchorSource::Pin(source) => Some((source, Control::Anchor(g), group.follow)),
        AnchorSource::Attachment(_) => None,
    });
    let exact = model.pins.groups.iter().enumerate().map(|(g, p)| (p.source, Control::Pin(g), p.follow));
    let own: Vec<(PinSource, Control, Option<usize>)> =
        exact.chain(soft).filter(|(source, ..)| bodies.contains(&source.body)).collect();
    let count = own.iter().map(|(source, ..)| source.pin + 1).max().unwrap_or(0);
    for pin in 0..count {
        let of_pin = || own.iter().filter(|(source, ..)| source.pin == pin);
        let controls: Vec<Control> = of_pin().map(|(_, control, _)| *control).collect();
        let anchors: Vec<usize> = (controls.iter())
            .filter_map(|c| if let Control::Anchor(g) = c { Some(*g) } else { None })
            .collect();
        if !anchors.is_empty() {
            out.push((format!("{path}.pins.{pin}.stiffness"), Slot::SoftPin(anchors)));
        }
        if of_pin().all(|(_, _, follow)| follow.is_none()) && !controls.is_empty() {
            let motion = parameters.motion_of(controls[0]);
            motions(&format!("{path}.pins.{pin}.motion"), motion, &controls, out);
        }
    }
}

fn motions(path: &str, motion: &Motion, controls: &[Control], out: &mut Vec<Entry>) {
    // Copies of a body turn about places of their own.
    let is_shared = controls.len() > 1;
    let keys = MotionKey::all(motion).filter(|key| !(is_shared && matches!(key, MotionKey::Centre)));
    out.extend(keys.map(|key| (key.path(path), Slot::Motion { controls: controls.to_vec(), key })));
}

/// Listed pairs: the values that they give.
fn pairs(parameters: &Parameters, out: &mut Vec<Entry>) {
    let pairs = &parameters.friction_table.pairs;
    let tables = pairs.iter().map(|p| p.table + 1).max().unwrap_or(0);
    for table in 0..tables {
        let Some(pair) = pairs.iter().find(|p| p.table == table) else { continue };
        for (name, key, given) in [
            ("mu", PairKey::Coefficient, pair.coefficient.is_some()),
            ("cohesion", PairKey::Cohesion, pair.cohesion.is_some()),
            ("compliance", PairKey::Compliance, pair.compliance.is_some()),
        ] {
            if given {
                out.push((format!("friction.pairs.{table}.{name}"), Slot::Pair { table, key }));
            }
        }
    }
}
