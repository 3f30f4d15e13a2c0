//! Generators that take lists or other meshes: path, belt, blobs, lattice.

use super::Context;
use super::check::{count, non_negative, positive, vec3, within_reach};
use super::mesh::{counts, raw_mesh, sizes, triangles_of};
use super::size::allow_evaluations;
use super::yarn::yarn_shape;
use crate::error::{Problem, Resolved, fault};
use crate::file::{BeltMesh, BlobsMesh, MeshFile, PathMesh, TetLatticeMesh};
use crate::generate::{self, RawMesh};
use stiction_numerics::Vec3;

/// The mesh, if the file names one of these generators.
pub(super) fn shape(at: &str, spec: &MeshFile, context: &mut Context<'_>) -> Option<Resolved<RawMesh>> {
    if let Some(p) = &spec.path {
        return Some(path(at, p));
    }
    if let Some(b) = &spec.belt {
        return Some(belt(at, b));
    }
    if let Some(b) = &spec.blobs {
        return Some(blobs(at, b, context));
    }
    if let Some(t) = &spec.tet_lattice {
        return Some(tet_lattice(at, t, context));
    }
    yarn_shape(at, spec)
}

fn path(at: &str, p: &PathMesh) -> Resolved<RawMesh> {
    counts(at, "segments", [p.segments], [1])?;
    Ok(generate::path(&distinct(at, &p.points)?, p.segments))
}

/// Two points or more, no two alike in a row.
pub(super) fn distinct(at: &str, points: &[[f64; 3]]) -> Resolved<Vec<Vec3>> {
    count(&format!("{at}.points"), "points", points.len() as u32, 2)?;
    let points: Vec<Vec3> = points.iter().map(|q| vec3(*q)).collect();
    if let Some(k) = points.windows(2).position(|pair| (pair[1] - pair[0]).norm() == 0.0) {
        let problem = Problem::Conflict(format!("points {k} and {} are the same", k + 1));
        return fault(format!("{at}.points.{}", k + 1), problem, "leave one of them out");
    }
    Ok(points)
}

fn belt(at: &str, b: &BeltMesh) -> Resolved<RawMesh> {
    sizes(at, "radius", &[b.radius])?;
    sizes(at, "distance", &[b.distance])?;
    sizes(at, "width", &[b.width])?;
    counts(at, "around", [b.around, b.across], [3, 1])?;
    Ok(generate::belt(&generate::BeltOptions {
        radius: b.radius,
        distance: b.distance,
        width: b.width,
        around: b.around,
        across: b.across,
    }))
}

fn blobs(at: &str, b: &BlobsMesh, context: &Context<'_>) -> Resolved<RawMesh> {
    count(&format!("{at}.parts"), "parts", b.parts.len() as u32, 1)?;
    counts(at, "cells", [b.cells], [4])?;
    let cubes = (u64::from(b.cells) + 2).saturating_pow(3);
    context.allow_lattice(&format!("{at}.cells"), cubes)?;
    allow_evaluations(&format!("{at}.parts"), "cubes and parts", [cubes, b.parts.len() as u64])?;
    let mut parts = Vec::with_capacity(b.parts.len());
    for (k, part) in b.parts.iter().enumerate() {
        let key = format!("{at}.parts.{k}");
        let radius = positive(&format!("{key}.radius"), "radius", part.radius)?;
        [part.start, part.end.unwrap_or(part.start), [radius, part.end_radius.unwrap_or(radius), 0.0]]
            .into_iter()
            .try_for_each(|lengths| within_reach(&key, lengths).map(|_| ()))?;
        let end_radius = part.end_radius.unwrap_or(radius);
        parts.push(generate::BlobPart {
            start: vec3(part.start),
            end: vec3(part.end.unwrap_or(part.start)),
            radius,
            end_radius: positive(&format!("{key}.end_radius"), "end_radius", end_radius)?,
        });
    }
    let least = parts.iter().map(|p| p.radius.min(p.end_radius)).fold(f64::INFINITY, f64::min);
    let blend = non_negative(&format!("{at}.blend"), "blend", b.blend.unwrap_or(0.5 * least))?;
    Ok(generate::blobs(&parts, blend, b.cells))
}

fn tet_lattice(at: &str, t: &TetLatticeMesh, context: &mut Context<'_>) -> Resolved<RawMesh> {
    let key = format!("{at}.around");
    let (surface, source) = raw_mesh(&key, &t.around, context)?;
    let triangles = triangles_of(&key, &surface, source, "lattice", "triangles to cover")?;
    counts(at, "cells", [t.cells], [1])?;
    let cubes = generate::lattice_cubes(&surface.vertices, t.cells);
    context.allow_lattice(&format!("{at}.cells"), cubes)?;
    Ok(generate::tet_lattice(&surface.vertices, &triangles, t.cells))
}
