//! One picture of 100k triangles at 1280×720 with the settings of `stiction render`: a sheet draped
//! over nothing.

use crate::measure::measure;
use crate::record::{FigureLimit, Record};
use crate::registry::{BenchSettings, Stopped};
use stiction_render::{MeshView, RenderOptions, SceneView, UpAxis, body_colour, render_frame};

const CELLS: usize = 224;

/// One record.
pub fn run(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    let mesh = folds();
    let (vertices, triangles) = (mesh.positions.len(), mesh.triangles.len());
    let scene = SceneView { up: UpAxis::Z, ground: Some(0.0), meshes: vec![mesh], ..SceneView::default() };
    let options = RenderOptions { width: 1280, height: 720, ..RenderOptions::default() };
    let (spent, image) = measure(settings.seconds, || render_frame(&scene, &options));
    image?;
    let mut record = Record::new(case, format!("1280×720, {} threads", rayon::current_num_threads()));
    record.number("vertices", vertices as f64).number("triangles", triangles as f64);
    record.time("ms_per_frame", spent.per(1e-3, 1)).limit(FigureLimit::AtMost(1000.0));
    Ok(vec![record])
}

/// A dome with radial folds.
fn folds() -> MeshView {
    let at = |k: usize| {
        let (i, j) = (k % (CELLS + 1), k / (CELLS + 1));
        let (x, y) = (2.4 * (i as f32 / CELLS as f32 - 0.5), 2.4 * (j as f32 / CELLS as f32 - 0.5));
        let (r, a) = (x.hypot(y), y.atan2(x));
        let fold = 0.07
            * (2.0 * (r - 0.3).max(0.0)).min(1.0)
            * ((11.0 * a).sin() + 0.3 * (23.0 * a + 5.0 * r).sin());
        [x, y, (1.0 - 0.7 * r + fold).max(0.03)]
    };
    let number = |i: usize, j: usize| (j * (CELLS + 1) + i) as u32;
    let cell = |k: usize| {
        let (i, j) = (k % CELLS, k / CELLS);
        let (a, b, c, d) = (number(i, j), number(i + 1, j), number(i + 1, j + 1), number(i, j + 1));
        [[a, b, c], [a, c, d]]
    };
    let positions = (0..(CELLS + 1).pow(2)).map(at).collect();
    let triangles = (0..CELLS * CELLS).flat_map(cell).collect();
    MeshView { thickness: 0.012, ..MeshView::new("cloth", positions, triangles, body_colour(0)) }
}
