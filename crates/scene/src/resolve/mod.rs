//! From what was written to what is meant: checks every value once and turns names into indices.

mod body;
mod check;
mod collider;
mod copies;
mod couple;
mod crowding;
mod frames;
mod grain;
mod gravity;
mod inflation;
mod joint;
mod mass;
mod material;
mod mesh;
mod motion;
mod rigid;
mod roots;
mod select;
mod sequence;
mod shapes;
mod size;
mod yarn;

use crate::document::{Document, sorted, typed};
use crate::error::{Problem, Resolved, fault, suggest};
use crate::file::{AxisName, FORMAT_VERSION, OutputFile, SceneFile, TextOr};
use crate::resolved::{Axis, InitialContact, MethodChoice, OutputChoice, Scene, Wind};
pub use material::resolve_material;

use check::{non_negative, positive, velocity};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::path::Path;
use stiction_limits::Budget;
use stiction_numerics::Vec3;

/// What resolving needs as well as the values: where files are, what was read, what may be taken.
pub(crate) struct Context<'a> {
    pub base: &'a Path,
    /// Memory that the scene may take; what is read and generated is taken out of it.
    pub budget: Budget,
    /// Content hash of every mesh file read.
    pub files: BTreeMap<String, String>,
    pub seed: u64,
    pub up: Vec3,
    /// Surfaces of the bodies placed so far, for grooms that grow on them.
    pub grounds: BTreeMap<String, GrowthSurface>,
}

impl Context<'_> {
    /// The fix for a file that is not there.
    pub fn relative_help(&self) -> String {
        let folder = if self.base.as_os_str().is_empty() { Path::new(".") } else { self.base };
        format!("paths are relative to the scene's folder, `{}`", folder.display())
    }
}

/// A surface that strands can grow on.
#[derive(Clone, Debug)]
pub(crate) struct GrowthSurface {
    pub vertices: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
}

impl Context<'_> {
    /// The surface of a body that is already placed.
    fn ground(&self, path: &str, name: &str) -> Resolved<GrowthSurface> {
        match self.grounds.get(name) {
            Some(ground) => Ok(ground.clone()),
            None => {
                let problem = Problem::UnknownName { kind: "body to grow on", name: name.to_owned() };
                fault(path, problem, suggest(name, self.grounds.keys().map(String::as_str)))
            }
        }
    }
}

/// Largest gravity [m/s²], that of a neutron star.
const MAX_ACCELERATION: f64 = 1e13;

/// Largest number of steps per frame; more is a slip in the unit of `step`.
const MAX_STEPS_PER_FRAME: f64 = 1e6;

/// Resolves a document; also returns the content hashes of the files read.
pub(crate) fn resolve(document: &Document, budget: &Budget) -> Resolved<(Scene, BTreeMap<String, String>)> {
    check_version(&document.tree)?;
    let file: SceneFile = typed(&document.tree)?;
    let up_axis = match file.up_axis {
        Some(AxisName::X) => Axis::X,
        Some(AxisName::Y) => Axis::Y,
        Some(AxisName::Z) | None => Axis::Z,
    };
    let seed = file.seed.unwrap_or(0);
    let mut context = Context {
        base: &document.base,
        budget: budget.clone(),
        files: BTreeMap::new(),
        seed,
        up: up_axis.unit(),
        grounds: BTreeMap::new(),
    };
    let fps = positive("fps", "fps", file.fps.unwrap_or(30.0))?;
    check::between("fps", "fps", fps, 1e-9, 1e9)?;
    let step_size = positive("step", "step", file.step.unwrap_or(1.0 / fps))?;
    if 1.0 / fps / step_size > MAX_STEPS_PER_FRAME {
        let requirement = format!("a frame of 1/{fps} s would take more than a million steps");
        let problem = Problem::OutOfRange { what: "step".into(), value: step_size, requirement };
        return fault("step", problem, "`step` is in seconds: write 0.001 for a millisecond");
    }
    let colliders = collider::colliders(&file.colliders, &mut context)?;
    let bodies = body::bodies(&file.bodies, &colliders, &mut context)?;
    if bodies.list.is_empty() {
        return fault("", Problem::MissingKey("bodies".into()), "add at least one `[bodies.NAME]` table");
    }
    crowding::check_crowding(&bodies.list, &colliders)?;
    let scene = Scene {
        name: name(&file, &document.file)?,
        summary: file.summary.clone().unwrap_or_default(),
        source: file.source.clone().unwrap_or_default(),
        version: file.stiction,
        up_axis,
        gravity: gravity::gravity(file.gravity.as_ref(), &context)?,
        wind: wind(&file)?,
        fps,
        frames: file.frames.unwrap_or(60),
        step_size,
        method: method(&file)?,
        attachments: couple::attachments(&file.attachments, &bodies, &colliders)?,
        stitches: couple::stitches(&file.stitches, &bodies)?,
        joints: joint::joints(&file.joints, &bodies.list)?,
        rootings: roots::rootings(&file.bodies, &bodies)?,
        friction: couple::friction(file.friction.as_ref(), &bodies, &colliders, &context.budget)?,
        initial_contact: initial_contact(&file)?,
        output: output(file.output.as_ref())?,
        seed,
        bodies: bodies.list,
        colliders,
    };
    Ok((scene, context.files))
}

/// Runs are kept in a folder of this name, so it must be one.
fn name(file: &SceneFile, path: &str) -> Resolved<String> {
    let Some(name) = &file.name else { return Ok(stem(path)) };
    let plain = |c: char| c.is_alphanumeric() || "_-. ".contains(c);
    if !name.trim().is_empty() && name.chars().all(plain) && !name.starts_with('.') {
        return Ok(name.clone());
    }
    let problem = Problem::Conflict(format!("`{name}` cannot be the name of a folder"));
    fault("name", problem, "use letters, digits, `_` and `-`; the folder of a run is called so")
}

/// Before anything else, so that a file of a later version is not called full of unknown keys.
fn check_version(tree: &Value) -> Resolved<()> {
    match tree.get("stiction").and_then(Value::as_u64) {
        Some(version) if version != u64::from(FORMAT_VERSION) => fault(
            "stiction",
            Problem::Version(version.try_into().unwrap_or(u32::MAX)),
            format!("this program reads version {FORMAT_VERSION}: write `stiction = {FORMAT_VERSION}`"),
        ),
        _ => Ok(()),
    }
}

pub(crate) fn stem(file: &str) -> String {
    Path::new(file).file_stem().map_or_else(|| "scene".to_owned(), |s| s.to_string_lossy().into_owned())
}

fn wind(file: &SceneFile) -> Resolved<Wind> {
    let wind = file.wind.clone().unwrap_or_default();
    let get = |key: &str, value: Option<f64>, default: f64| {
        non_negative(&format!("wind.{key}"), key, value.unwrap_or(default))
    };
    let gusts = get("gust_amplitude", wind.gust_amplitude, 0.0)?;
    Ok(Wind {
        velocity: velocity("wind.velocity", wind.velocity.unwrap_or_default())?,
        gust_amplitude: velocity("wind.gust_amplitude", [gusts, 0.0, 0.0])?.x,
        gust_frequency: get("gust_frequency", wind.gust_frequency, 1.0)?,
        gust_length: positive("wind.gust_length", "gust_length", wind.gust_length.unwrap_or(1.0))?,
        air_density: get("air_density", wind.air_density, 1.204)?,
    })
}

/// Keys of the methods that scenes may name. A test of the crate `solvers` holds this list and its
/// table together.
pub const METHODS: [&str; 6] = ["newton", "admm", "admm_integrator", "pd", "barrier", "xpbd"];

fn check_method(path: &str, key: &str) -> Resolved<()> {
    if METHODS.contains(&key) {
        return Ok(());
    }
    fault(path, Problem::UnknownName { kind: "method", name: key.to_owned() }, suggest(key, METHODS))
}

/// Options written in `[method]`, with those of `[methods.KEY]` on top.
fn method(file: &SceneFile) -> Resolved<MethodChoice> {
    let (key, mut options) = match &file.method {
        Some(method) => (method.key.clone(), method.options.clone()),
        None => ("newton".to_owned(), Map::new()),
    };
    check_method("method.key", &key)?;
    file.methods.keys().try_for_each(|other| check_method(&format!("methods.{other}"), other))?;
    for (name, value) in file.methods.get(&key).into_iter().flatten() {
        match (options.get_mut(name), value) {
            // Tables (`study`) are joined key by key.
            (Some(Value::Object(table)), Value::Object(more)) => table.extend(more.clone()),
            _ => drop(options.insert(name.clone(), value.clone())),
        }
    }
    // As a stored scene gives them back: by name, and 1.0 and 1 are the same.
    let ordered: BTreeMap<String, Value> =
        options.iter().map(|(name, value)| (name.clone(), sorted(value))).collect();
    Ok(MethodChoice { key, options: ordered.into_iter().collect() })
}

fn initial_contact(file: &SceneFile) -> Resolved<InitialContact> {
    match &file.initial_contact {
        None => Ok(InitialContact::MethodDefault),
        Some(TextOr::Text(word)) if word == "refuse" => Ok(InitialContact::Refuse),
        Some(TextOr::Text(word)) => fault(
            "initial_contact",
            Problem::UnknownName { kind: "policy", name: word.clone() },
            "write \"refuse\" or { resolve = seconds }",
        ),
        Some(TextOr::Full(resolve)) => Ok(InitialContact::Resolve {
            seconds: positive("initial_contact.resolve", "resolve", resolve.resolve)?,
        }),
    }
}

fn output(file: Option<&OutputFile>) -> Resolved<OutputChoice> {
    let output = file.cloned().unwrap_or_default();
    let every = output.checkpoint_every.unwrap_or(1);
    Ok(OutputChoice {
        velocities: output.velocities.unwrap_or(true),
        contacts: output.contacts.unwrap_or(false),
        colliders: output.colliders.unwrap_or(true),
        checkpoint_every: check::count("output.checkpoint_every", "checkpoint_every", every, 1)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::{MeshFile, MeshSource};
    use crate::generate::RawMesh;

    /// What a table of a mesh says, and the mesh that it makes.
    pub(super) fn mesh_of(table: &str) -> (MeshFile, RawMesh) {
        let tree: toml::Table = table.parse().expect("TOML");
        let tree = serde_json::to_value(tree).expect("JSON");
        let spec: MeshFile = typed(&tree).expect("the table is right");
        let mut context = Context {
            base: Path::new("."),
            budget: Budget::of_bytes(1 << 30),
            files: BTreeMap::new(),
            seed: 0,
            up: Vec3::z(),
            grounds: BTreeMap::new(),
        };
        let written = MeshSource::Full(Box::new(spec.clone()));
        let made = mesh::raw_mesh("mesh", &written, &mut context);
        (spec, made.expect("the mesh is right").0)
    }
}
