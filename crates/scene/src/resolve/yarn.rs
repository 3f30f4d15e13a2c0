//! Generators of bands and yarns, and of the ball with spines.

use super::check::{between, vec3};
use super::mesh::{counts, sizes};
use super::shapes::distinct;
use super::size::allow_evaluations;
use crate::error::{Problem, Resolved, fault};
use crate::file::{KnitMesh, MeshFile, RibbonMesh, UrchinMesh, WovenMesh};
use crate::generate::{self, RawMesh};
use stiction_numerics::Vec3;

/// The mesh, if the file names one of these generators.
pub(super) fn yarn_shape(at: &str, spec: &MeshFile) -> Option<Resolved<RawMesh>> {
    if let Some(r) = &spec.ribbon {
        return Some(ribbon(at, r));
    }
    if let Some(w) = &spec.woven {
        return Some(woven(at, w));
    }
    if let Some(k) = &spec.knit {
        return Some(knit(at, k));
    }
    spec.tet_urchin.as_ref().map(|u| urchin(at, u))
}

fn ribbon(at: &str, r: &RibbonMesh) -> Resolved<RawMesh> {
    sizes(at, "width", &[r.width])?;
    counts(at, "along", [r.along, r.across], [1, 1])?;
    let points = distinct(at, &r.points)?;
    let up = r.up.map_or_else(Vec3::z, vec3).try_normalize(0.0).unwrap_or_else(Vec3::zeros);
    if up.cross(&(points[1] - points[0]).normalize()).norm() < 1e-6 {
        let problem = Problem::Conflict("the band faces along its own path at the first point".to_owned());
        return fault(
            format!("{at}.up"),
            problem,
            "give a direction across the path, such as `up = [0, 1, 0]`",
        );
    }
    let options = generate::RibbonOptions { width: r.width, along: r.along, across: r.across, up };
    Ok(generate::ribbon(&points, &options))
}

fn woven(at: &str, w: &WovenMesh) -> Resolved<RawMesh> {
    sizes(at, "radius", &[w.radius])?;
    sizes(at, "height", &[w.height])?;
    sizes(at, "spacing", &[w.spacing])?;
    between(&format!("{at}.spacing"), "spacing", w.spacing, 0.0, w.radius)?;
    let segments = w.segments.unwrap_or(4);
    counts(at, "turns", [w.warps, w.turns, segments], [3, 1, 1])?;
    if w.warps.is_multiple_of(2) {
        let problem = Problem::OutOfRange {
            what: "warps".into(),
            value: w.warps.into(),
            requirement: "it must be odd, else every turn of the weft takes the same side".to_owned(),
        };
        return fault(format!("{at}.warps"), problem, "take one more or one less");
    }
    Ok(generate::woven(&generate::WovenOptions {
        radius: w.radius,
        height: w.height,
        warps: w.warps,
        turns: w.turns,
        spacing: w.spacing,
        segments,
    }))
}

fn knit(at: &str, k: &KnitMesh) -> Resolved<RawMesh> {
    sizes(at, "loop_width", &[k.loop_width])?;
    let segments = k.segments.unwrap_or(24);
    counts(at, "loops", [k.loops, k.rows, segments], [1, 1, 8])?;
    Ok(generate::knit(&generate::KnitOptions {
        loop_width: k.loop_width,
        loops: k.loops,
        rows: k.rows,
        segments,
    }))
}

fn urchin(at: &str, u: &UrchinMesh) -> Resolved<RawMesh> {
    sizes(at, "radius", &[u.radius])?;
    sizes(at, "length", &[u.length])?;
    counts(at, "cells", [u.cells], [1])?;
    between(&format!("{at}.cells"), "cells", u.cells.into(), 1.0, 200.0)?;
    // Each spine looks at all triangles of the ball, eight octants of n².
    let triangles = 8 * u64::from(u.cells).pow(2);
    allow_evaluations(&format!("{at}.spines"), "spines and triangles", [triangles, u.spines.into()])?;
    counts(at, "segments", [u.segments, u.spines], [1, 1])?;
    Ok(generate::tet_urchin(&generate::UrchinOptions {
        radius: u.radius,
        cells: u.cells,
        spines: u.spines,
        length: u.length,
        segments: u.segments,
        taper: between(&format!("{at}.taper"), "taper", u.taper.unwrap_or(0.6), 1e-3, 2.0)?,
    }))
}
