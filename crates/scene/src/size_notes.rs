//! Warnings about a thickness or gap in other units than the mesh.
//!
//! Contact within a body begins where two of its points that are no neighbours come closer than its
//! thickness plus its gap. Where these exceed the length of its edges, all of the body is in
//! contact with itself from the start.

use crate::resolved::{Cells, Mesh, Scene, SceneBody};

/// A note for each written body whose thickness or gap exceeds the mean length of its edges.
pub(crate) fn size_notes(scene: &Scene) -> Vec<String> {
    let mut out: Vec<String> = scene.bodies.iter().flat_map(notes_of).collect();
    // Copies say the same.
    out.dedup();
    out
}

fn notes_of(body: &SceneBody) -> Vec<String> {
    let name = body.instance_of.as_ref().map_or(&body.name, |copy| &copy.name);
    let Some(edge) = mean_edge(body.shape()) else { return Vec::new() };
    let note = |key: &str, value: f64| {
        (value > edge).then(|| {
            format!(
                "`bodies.{name}` has {key} = {value} m, more than its edges are long ({edge:.3e} m on average): \
                 check the units, most of it is in contact with itself from the start"
            )
        })
    };
    [note("thickness", body.thickness), note("gap", body.contact_gap)].into_iter().flatten().collect()
}

/// Mean length of the edges of the cells without stress [m]; none without cells.
fn mean_edge(mesh: &Mesh) -> Option<f64> {
    let places = mesh.rest_vertices.as_ref().unwrap_or(&mesh.vertices);
    let length = |a: u32, b: u32| (places[a as usize] - places[b as usize]).norm();
    let loops = |cell: &[u32]| -> f64 {
        let next = cell.iter().cycle().skip(1);
        cell.iter().zip(next).map(|(&a, &b)| length(a, b)).sum()
    };
    let (sum, count) = match &mesh.cells {
        Cells::Triangles(cells) => (cells.iter().map(|c| loops(c)).sum::<f64>(), 3 * cells.len()),
        // Four of the six edges of a tet.
        Cells::Tets(cells) => (cells.iter().map(|c| loops(c)).sum(), 4 * cells.len()),
        Cells::Strands(strands) => {
            let segments = || strands.iter().flat_map(|strand| strand.windows(2));
            (segments().map(|pair| length(pair[0], pair[1])).sum(), segments().count())
        }
    };
    (count > 0).then(|| sum / count as f64)
}
