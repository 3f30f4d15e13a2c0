//! Refuses meshes that no method can run, naming the cell.

use crate::error::{MAX_COORDINATE, MeshError};
use crate::geometry::{bounds, tet_volume};
use crate::resolved::Cells;
use stiction_numerics::Vec3;

/// Relative size below which a cell counts as degenerate: (area or volume) over the power of its
/// edge.
const DEGENERATE: f64 = 1e-10;

/// Checks coordinates, indices, sizes and orientation; turns a wholly inverted tet mesh the right
/// way.
///
/// Returns whether it was turned. A mesh of which only some tets are inverted is an error: it
/// cannot be told which of them are meant.
pub fn check_mesh(vertices: &[Vec3], cells: &mut Cells, source: &str) -> Result<bool, MeshError> {
    check_coordinates(vertices, source)?;
    let mut used = vec![false; vertices.len()];
    match cells {
        Cells::Triangles(list) => {
            in_range(list, "triangle", source, &mut used)?;
            list.iter().enumerate().try_for_each(|(i, t)| check_triangle(vertices, i, t, source))?;
        }
        Cells::Tets(list) => {
            in_range(list, "tet", source, &mut used)?;
            list.iter().enumerate().try_for_each(|(i, t)| check_tet(vertices, i, t, source))?;
        }
        Cells::Strands(list) => {
            in_range(list, "strand", source, &mut used)?;
            list.iter().enumerate().try_for_each(|(i, s)| check_strand(vertices, i, s, source))?;
        }
    }
    if let Some(index) = used.iter().position(|u| !u) {
        let cell = match cells {
            Cells::Triangles(_) => "triangle",
            Cells::Tets(_) => "tet",
            Cells::Strands(_) => "strand",
        };
        return Err(MeshError::LooseVertex { source_name: source.to_owned(), index, cell });
    }
    match cells {
        Cells::Tets(tets) => turn_if_wholly_inverted(vertices, tets, source),
        _ => Ok(false),
    }
}

/// All coordinates are numbers of a size that can be computed with.
pub fn check_coordinates(vertices: &[Vec3], source: &str) -> Result<(), MeshError> {
    let source_name = || source.to_owned();
    if let Some(index) = vertices.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
        return Err(MeshError::NonFinite { source_name: source_name(), element: "vertex", index });
    }
    match vertices.iter().position(|p| p.amax() > MAX_COORDINATE) {
        Some(index) => {
            let distance = vertices[index].amax();
            Err(MeshError::TooFar { source_name: source_name(), index, distance })
        }
        None => Ok(()),
    }
}

fn in_range<C: AsRef<[u32]>>(
    cells: &[C],
    cell: &'static str,
    source: &str,
    used: &mut [bool],
) -> Result<(), MeshError> {
    let vertices = used.len();
    for (index, c) in cells.iter().enumerate() {
        for &vertex in c.as_ref() {
            let Some(flag) = used.get_mut(vertex as usize) else {
                let source_name = source.to_owned();
                let vertex = u64::from(vertex);
                return Err(MeshError::IndexOutOfRange { source_name, cell, index, vertex, vertices });
            };
            *flag = true;
        }
    }
    Ok(())
}

fn degenerate(source: &str, cell: &'static str, index: usize, measure: String) -> Result<(), MeshError> {
    Err(MeshError::Degenerate { source_name: source.to_owned(), cell, index, measure })
}

fn check_triangle(vertices: &[Vec3], index: usize, t: &[u32; 3], source: &str) -> Result<(), MeshError> {
    let [a, b, c] = t.map(|i| vertices[i as usize]);
    let area = 0.5 * (b - a).cross(&(c - a)).norm();
    let edge = (b - a).norm().max((c - a).norm()).max((c - b).norm());
    if area <= DEGENERATE * edge * edge {
        return degenerate(source, "triangle", index, format!("vertices {t:?}, area {area:e} m²"));
    }
    Ok(())
}

fn check_tet(vertices: &[Vec3], index: usize, t: &[u32; 4], source: &str) -> Result<(), MeshError> {
    let volume = tet_volume(vertices, t);
    let (low, high) = bounds(&t.map(|i| vertices[i as usize]));
    if volume.abs() <= DEGENERATE * (high - low).norm().powi(3) {
        return degenerate(source, "tet", index, format!("vertices {t:?}, volume {volume:e} m³"));
    }
    Ok(())
}

fn check_strand(vertices: &[Vec3], index: usize, s: &[u32], source: &str) -> Result<(), MeshError> {
    if s.len() < 2 {
        return degenerate(source, "strand", index, format!("{} vertices, at least 2 needed", s.len()));
    }
    for pair in s.windows(2) {
        let length = (vertices[pair[1] as usize] - vertices[pair[0] as usize]).norm();
        if length == 0.0 {
            return degenerate(source, "strand", index, format!("segment {pair:?} has length 0 m"));
        }
    }
    match revisited(s) {
        Some(vertex) => Err(MeshError::VisitedTwice { source_name: source.to_owned(), index, vertex }),
        None => Ok(()),
    }
}

/// A vertex that a strand visits twice. A ring of three or more may close with its first vertex: an
/// element between two segments needs three different vertices.
fn revisited(strand: &[u32]) -> Option<u32> {
    let closed = strand.len() > 3 && strand.first() == strand.last();
    let mut sorted = strand[usize::from(closed)..].to_vec();
    sorted.sort_unstable();
    sorted.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

fn turn_if_wholly_inverted(
    vertices: &[Vec3],
    tets: &mut [[u32; 4]],
    source: &str,
) -> Result<bool, MeshError> {
    let volumes: Vec<f64> = tets.iter().map(|t| tet_volume(vertices, t)).collect();
    let count = volumes.iter().filter(|v| **v < 0.0).count();
    if count == tets.len() && count > 0 {
        tets.iter_mut().for_each(|t| t.swap(2, 3));
        return Ok(true);
    }
    match volumes.iter().position(|v| *v < 0.0) {
        Some(index) => Err(MeshError::Inverted {
            source_name: source.to_owned(),
            index,
            volume: volumes[index],
            count,
            total: tets.len(),
        }),
        None => Ok(false),
    }
}
