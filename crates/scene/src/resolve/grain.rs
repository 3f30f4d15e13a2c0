//! Directions of friction: a vector, the axes of the pattern, or a file with a vector per vertex.

use super::Context;
use super::check::direction;
use super::material::friction;
use super::mesh::Placement;
use crate::document::content_hash;
use crate::error::{Problem, Resolved, fault};
use crate::file::{FrictionDirectionFile, TextOr};
use crate::resolved::{DirectionField, FrictionDirection, Mesh};
use stiction_limits::read_input_text;
use stiction_numerics::Vec3;

/// The grain of a surface; `mesh` with its placement for those that have vertices.
pub(super) fn friction_direction(
    path: &str,
    file: &FrictionDirectionFile,
    mesh: Option<(&Mesh, &Placement)>,
    context: &mut Context<'_>,
) -> Resolved<FrictionDirection> {
    let field = match (&file.direction, &file.file) {
        (Some(written), None) => named(&format!("{path}.direction"), written, mesh)?,
        (None, Some(name)) => {
            DirectionField::Vertices(from_file(&format!("{path}.file"), name, mesh, context)?)
        }
        _ => {
            let problem =
                Problem::Conflict("friction has a `direction` or a `file` of directions".to_owned());
            return fault(path, problem, "write exactly one of them");
        }
    };
    Ok(FrictionDirection {
        field,
        along: friction(&format!("{path}.along"), file.along)?,
        across: friction(&format!("{path}.across"), file.across)?,
    })
}

fn named(
    path: &str,
    written: &TextOr<[f64; 3]>,
    mesh: Option<(&Mesh, &Placement)>,
) -> Resolved<DirectionField> {
    let TextOr::Text(name) = written else { return Ok(DirectionField::Fixed(direction(path, written)?)) };
    let field = match name.as_str() {
        "u" => DirectionField::U,
        "v" => DirectionField::V,
        _ => return Ok(DirectionField::Fixed(direction(path, written)?)),
    };
    let without = match mesh {
        Some((mesh, _)) if mesh.uv.is_some() => return Ok(field),
        Some((mesh, _)) => format!("the mesh `{}` has no uv", mesh.source),
        None => "a collider that is not a mesh has no uv".to_owned(),
    };
    fault(path, Problem::Conflict(without), "give the direction as a vector")
}

/// One vector `x y z` per line and vertex; empty lines and lines that begin with `#` are passed
/// over.
fn from_file(
    path: &str,
    name: &str,
    mesh: Option<(&Mesh, &Placement)>,
    context: &mut Context<'_>,
) -> Resolved<Vec<Vec3>> {
    let Some((mesh, placement)) = mesh else {
        let problem = Problem::Conflict("a collider that is not a mesh has no vertices".to_owned());
        return fault(path, problem, "give the direction as a vector");
    };
    let text = match read_input_text(&context.base.join(name), &context.budget) {
        Ok(text) => text,
        Err(error) => {
            let problem = Problem::MissingFile { file: name.to_owned(), reason: error.to_string() };
            return fault(path, problem, context.relative_help());
        }
    };
    context.files.insert(name.to_owned(), content_hash(text.as_bytes()));
    let mut directions = Vec::with_capacity(mesh.vertices.len());
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let numbers: Option<Vec<f64>> = line.split_whitespace().map(|word| word.parse().ok()).collect();
        match numbers.as_deref() {
            Some(&[x, y, z]) if [x, y, z].iter().all(|c: &f64| c.is_finite()) => {
                directions.push(placement.turn(&Vec3::new(x, y, z)));
            }
            _ => {
                let problem = Problem::Conflict(format!("line {} of `{name}` is not a vector", number + 1));
                return fault(path, problem, "write three numbers per line, one line per vertex");
            }
        }
    }
    if directions.len() != mesh.vertices.len() {
        let (found, wanted) = (directions.len(), mesh.vertices.len());
        let problem = Problem::Conflict(format!("`{name}` has {found} vectors for {wanted} vertices"));
        return fault(path, problem, "write one line per vertex of the surface, in the order of its mesh");
    }
    Ok(directions)
}
