//! Pressure inside a closed surface.

use super::check::{non_negative, positive};
use crate::error::{Problem, Resolved, fault};
use crate::file::{BodyFile, KindName};
use crate::resolved::{Cells, Inflation, InflationLaw, Mesh};

/// The pressure of a body, if its file gives one.
pub(super) fn inflation(path: &str, file: &BodyFile, mesh: &Mesh) -> Resolved<Option<Inflation>> {
    let Some(f) = &file.inflation else { return Ok(None) };
    let conflict = |message: String, help: &str| fault(path, Problem::Conflict(message), help);
    let (KindName::Cloth, Cells::Triangles(triangles)) = (file.kind, &mesh.cells) else {
        return conflict("only a cloth (closed) can be inflated".to_owned(), "take `inflation` out");
    };
    if let Some([a, b]) = open_edge(triangles) {
        let message =
            format!("the surface is open, or its triangles do not all face outward, at the edge {a}–{b}");
        return conflict(message, "inflate a closed surface such as `sphere` or `box`");
    }
    if enclosed_volume(mesh, triangles) <= 0.0 {
        let message = "the triangles of the surface face inward".to_owned();
        return conflict(message, "turn them round, so that they are counter-clockwise seen from outside");
    }
    let law = match (f.bulk, f.ambient) {
        (Some(_), Some(_)) => {
            let message = "`bulk` and `ambient` are two laws of pressure".to_owned();
            return conflict(message, "keep `ambient` for a gas, `bulk` for anything else");
        }
        (bulk, None) => InflationLaw::Linear {
            bulk_modulus: non_negative(&format!("{path}.bulk"), "bulk", bulk.unwrap_or(0.0))?,
        },
        (None, Some(ambient)) => {
            InflationLaw::Gas { ambient: positive(&format!("{path}.ambient"), "ambient", ambient)? }
        }
    };
    let pressure = f.pressure.unwrap_or(0.0);
    if let InflationLaw::Gas { ambient } = law {
        positive(&format!("{path}.pressure"), "`ambient` + `pressure`", ambient + pressure)?;
    }
    Ok(Some(Inflation { pressure, law }))
}

/// An edge whose directed twin is missing or that stands twice.
fn open_edge(triangles: &[[u32; 3]]) -> Option<[u32; 2]> {
    let edge = |t: &[u32; 3], k: usize| [t[k], t[(k + 1) % 3]];
    let mut edges: Vec<[u32; 2]> = triangles.iter().flat_map(|t| [0, 1, 2].map(|k| edge(t, k))).collect();
    edges.sort_unstable();
    let twice = edges.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
    twice.or_else(|| edges.iter().copied().find(|&[a, b]| edges.binary_search(&[b, a]).is_err()))
}

fn enclosed_volume(mesh: &Mesh, triangles: &[[u32; 3]]) -> f64 {
    let part = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|i| mesh.vertices[i as usize] - mesh.vertices[0]);
        a.dot(&b.cross(&c)) / 6.0
    };
    triangles.iter().map(part).sum()
}
