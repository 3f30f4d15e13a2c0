//! Bodies on affine frames: where the frames are, and pins that hold them.

use super::body::{one_pin, pin_select};
use super::check::{count, positive, vec3};
use super::material::kind_name;
use super::select::Selectable;
use super::size::allow_evaluations;
use crate::error::{Problem, Resolved, fault};
use crate::file::{BodyFile, FramesFile, KindName};
use crate::geometry::mean;
use crate::resolved::{Cells, Collider, EmbeddedSurface, Mesh, Pin, VertexGroup};
use crate::skin::{FrameBody, FrameOptions, SkinError, affine_body, compose, skinned_body};
use stiction_numerics::Vec3;

/// Puts a mesh on frames; a finer surface over its tets goes along.
pub(super) fn on_frames(
    path: &str,
    file: &BodyFile,
    mesh: Mesh,
    thickness: f64,
    finer: Option<EmbeddedSurface>,
) -> Resolved<FrameBody> {
    if file.rest.is_some() {
        let problem = Problem::Conflict("a body on frames has no stress at the start".to_owned());
        return fault(format!("{path}.rest"), problem, "take `rest` out");
    }
    let made = match file.kind {
        KindName::Affine => affine_body(mesh),
        _ => {
            refuse_thin_sheet(path, &mesh, thickness)?;
            let at = format!("{path}.frames");
            let options = frame_options(&at, file.frames.as_ref())?;
            let factors = [options.count as u64, mesh.vertices.len() as u64];
            allow_evaluations(&at, "frames and vertices", factors)?;
            skinned_body(mesh, thickness, &options)
        }
    };
    let mut body = match made {
        Ok(body) => body,
        Err(error) => {
            return fault(at_fault(path, &error), Problem::Conflict(error.to_string()), help(&error));
        }
    };
    if let Some(finer) = finer {
        body.surface = compose(&body.surface, finer);
    }
    Ok(body)
}

/// Only skinned bodies say where their frames are.
pub(super) fn refuse_frames(path: &str, file: &BodyFile) -> Resolved<()> {
    if file.frames.is_none() || file.kind == KindName::Skinned {
        return Ok(());
    }
    let message = match file.kind {
        KindName::Affine => "an affine body has one frame, made from its mesh".to_owned(),
        kind => format!("a {} moves by its vertices and has no frames", kind_name(kind)),
    };
    let help = "take `frames` out, or write `kind = \"skinned\"`";
    fault(format!("{path}.frames"), Problem::Conflict(message), help)
}

fn refuse_thin_sheet(path: &str, mesh: &Mesh, thickness: f64) -> Resolved<()> {
    if !matches!(mesh.cells, Cells::Triangles(_)) || thickness > 0.0 {
        return Ok(());
    }
    let problem =
        Problem::Conflict("a skinned body of triangles is a sheet and needs a thickness".to_owned());
    fault(format!("{path}.thickness"), problem, "give `thickness` in metres, or a mesh of tets")
}

fn frame_options(path: &str, file: Option<&FramesFile>) -> Resolved<FrameOptions> {
    let Some(file) = file else {
        let problem = Problem::MissingKey("frames".into());
        return fault(path, problem, "write `frames = { count = 12 }`, say");
    };
    let radius = match file.radius {
        Some(radius) => Some(positive(&format!("{path}.radius"), "radius", radius)?),
        None => None,
    };
    let positions: Vec<Vec3> = file.positions.iter().map(|p| vec3(*p)).collect();
    match (file.count, positions.is_empty()) {
        (Some(n), true) => {
            let count = count(&format!("{path}.count"), "count", n, 1)? as usize;
            Ok(FrameOptions { count, positions, radius })
        }
        (None, false) => Ok(FrameOptions { count: positions.len(), positions, radius }),
        _ => {
            let problem =
                Problem::Conflict("frames are given either by `count` or by `positions`".to_owned());
            fault(path, problem, "write one of them")
        }
    }
}

fn at_fault(path: &str, error: &SkinError) -> String {
    match error {
        SkinError::Open { .. } | SkinError::NoVolume { .. } => format!("{path}.mesh"),
        _ => format!("{path}.frames"),
    }
}

fn help(error: &SkinError) -> &'static str {
    match error {
        SkinError::Open { .. } => "close the holes of the mesh: its mass is that of the volume inside",
        SkinError::NoVolume { .. } => {
            "use a closed mesh with an inside, or `kind = \"skinned\"` with a thickness"
        }
        SkinError::FrameOutside { .. } => "move the frame to the body (world coordinates), or raise `radius`",
        SkinError::Unreached { .. } => {
            "add a frame near the vertex (on each part of the mesh), or raise `radius`"
        }
        SkinError::IdleFrame { .. } => "take the frame out, or move it away from the others",
    }
}

/// Pins that hold all four nodes of the frames selected by their centres, or by the group of the
/// vertex nearest to them.
pub(super) fn frame_pins(
    path: &str,
    file: &BodyFile,
    centres: &[Vec3],
    seats: &Selectable<'_>,
    colliders: &[Collider],
) -> Resolved<Vec<Pin>> {
    let places = Mesh {
        vertices: centres.to_vec(),
        cells: Cells::Strands(Vec::new()),
        uv: None,
        rest_vertices: None,
        source: "frames".to_owned(),
    };
    let groups = frame_groups(centres, seats);
    let mut pins = Vec::with_capacity(file.pins.len());
    for (index, pin) in file.pins.iter().enumerate() {
        let at = format!("{path}.pins.{index}");
        let held = Selectable { mesh: &places, groups: &groups }
            .select(&format!("{at}.select"), pin_select(&at, pin)?)?;
        let middle = mean(&held.iter().map(|f| centres[*f as usize]).collect::<Vec<_>>());
        let nodes = held.iter().flat_map(|f| [0, 1, 2, 3].map(|k| 4 * f + k)).collect();
        pins.push(one_pin(&at, pin, nodes, middle, colliders)?);
    }
    Ok(pins)
}

/// Groups of frames from groups of vertices: a frame is in a group when the vertex nearest to its
/// centre is.
fn frame_groups(centres: &[Vec3], seats: &Selectable<'_>) -> Vec<VertexGroup> {
    let nearest = |centre: &Vec3| {
        let away = seats.mesh.vertices.iter().map(|p| (p - centre).norm()).enumerate();
        away.fold((0, f64::INFINITY), |a, b| if b.1 < a.1 { b } else { a }).0 as u32
    };
    let seat: Vec<u32> = centres.iter().map(nearest).collect();
    let of = |group: &VertexGroup| VertexGroup {
        name: group.name.clone(),
        vertices: (0..seat.len() as u32)
            .filter(|&f| group.vertices.binary_search(&seat[f as usize]).is_ok())
            .collect(),
    };
    seats.groups.iter().map(of).collect()
}
