//! VTK unstructured grids: `000042.vtu` per frame with all bodies, and `run.pvd` with their times.
//!
//! Solids give tetrahedra, other bodies triangles and lines. Arrays are inline base64, each after
//! its length as UInt64. Point data: `body` (place in the export), `velocity`, and the channels of
//! the frame.

use super::ExportReport;
use super::select::Selection;
use crate::error::Result;
use crate::files::{Durability, create_folder, write_atomic, write_atomic_with};
use crate::frame::Frame;
use crate::layout::BodyLayout;
use crate::reader::RunReader;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use std::fmt::Write as _;
use std::io::{Result as IoResult, Write};
use std::path::Path;

pub(super) fn write(
    reader: &RunReader,
    selection: &Selection,
    folder: &Path,
    report: &mut ExportReport,
) -> Result<()> {
    create_folder(folder)?;
    let cells = Cells::new(selection);
    let mut index = String::from(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n<Collection>\n",
    );
    for &number in &selection.frames {
        let frame = reader.frame(number)?;
        let name = format!("{number:06}.vtu");
        let path = folder.join(&name);
        write_atomic_with(&path, Durability::Process, |out| write_grid(out, selection, &cells, &frame))?;
        report.add_file(&path)?;
        let _ = writeln!(index, "<DataSet timestep=\"{}\" part=\"0\" file=\"{name}\"/>", frame.time);
    }
    index.push_str("</Collection>\n</VTKFile>\n");
    let path = folder.join("run.pvd");
    write_atomic(&path, index.as_bytes(), Durability::Process)?;
    report.add_file(&path)
}

/// Cells of all bodies, grouped by type as readers like them; the same in every frame.
#[derive(Default)]
struct Cells {
    connectivity: Vec<i64>,
    offsets: Vec<i64>,
    types: Vec<u8>,
}

impl Cells {
    const LINE: u8 = 3;
    const TRIANGLE: u8 = 5;
    const TETRAHEDRON: u8 = 10;

    fn new(selection: &Selection) -> Self {
        let mut cells = Self::default();
        let mut starts = Vec::new();
        let mut next = 0;
        for body in &selection.bodies {
            starts.push(next);
            next += body.vertex_count() as i64;
        }
        let bodies = || selection.bodies.iter().zip(&starts);
        // A solid is its tetrahedra; its surface would only double them.
        let surface = |b: &BodyLayout| b.tets.is_empty();
        bodies().for_each(|(b, &s)| b.tets.iter().for_each(|c| cells.push(Self::TETRAHEDRON, c, s)));
        bodies()
            .filter(|(b, _)| surface(b))
            .for_each(|(b, &s)| b.triangles.iter().for_each(|c| cells.push(Self::TRIANGLE, c, s)));
        bodies().for_each(|(b, &s)| b.segments.iter().for_each(|c| cells.push(Self::LINE, c, s)));
        cells
    }

    fn push(&mut self, kind: u8, vertices: &[u32], start: i64) {
        self.connectivity.extend(vertices.iter().map(|&v| start + i64::from(v)));
        self.offsets.push(self.connectivity.len() as i64);
        self.types.push(kind);
    }
}

fn write_grid(out: &mut impl Write, selection: &Selection, cells: &Cells, frame: &Frame) -> IoResult<()> {
    let points: usize = selection.bodies.iter().map(|b| b.vertex_count()).sum();
    out.write_all(
        b"<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n",
    )?;
    writeln!(out, "<Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{}\">", cells.types.len())?;
    writeln!(out, "<Points>")?;
    vectors(out, "Points", &picked(selection, &frame.positions))?;
    writeln!(out, "</Points>\n<Cells>")?;
    let bytes = |values: &[i64]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
    array(out, "connectivity", "Int64", 1, &bytes(&cells.connectivity))?;
    array(out, "offsets", "Int64", 1, &bytes(&cells.offsets))?;
    array(out, "types", "UInt8", 1, &cells.types)?;
    writeln!(out, "</Cells>\n<PointData>")?;
    let owner = (0i32..).zip(&selection.bodies).flat_map(|(k, b)| std::iter::repeat_n(k, b.vertex_count()));
    array(out, "body", "Int32", 1, &owner.flat_map(i32::to_le_bytes).collect::<Vec<u8>>())?;
    if !frame.velocities.is_empty() {
        vectors(out, "velocity", &picked(selection, &frame.velocities))?;
    }
    for channel in &frame.channels {
        let values = crate::sections::from_f32s(&picked(selection, &channel.values));
        array(out, &escaped(&channel.name), "Float32", 1, &values)?;
    }
    writeln!(out, "</PointData>\n</Piece>\n</UnstructuredGrid>\n</VTKFile>")
}

/// The entries of a global array that belong to the selected bodies.
fn picked<T: Copy>(selection: &Selection, all: &[T]) -> Vec<T> {
    selection.bodies.iter().flat_map(|b| all[b.range()].iter().copied()).collect()
}

fn vectors(out: &mut impl Write, name: &str, values: &[[f32; 3]]) -> IoResult<()> {
    array(out, name, "Float32", 3, &crate::sections::from_f32s(values.as_flattened()))
}

fn array(out: &mut impl Write, name: &str, kind: &str, components: usize, bytes: &[u8]) -> IoResult<()> {
    let mut block = (bytes.len() as u64).to_le_bytes().to_vec();
    block.extend_from_slice(bytes);
    // One component is the default; stating it makes some readers return columns instead of arrays.
    let components =
        if components == 1 { String::new() } else { format!(" NumberOfComponents=\"{components}\"") };
    let text = BASE64_STANDARD.encode(block);
    writeln!(
        out,
        "<DataArray type=\"{kind}\" Name=\"{name}\"{components} format=\"binary\">\n{text}\n</DataArray>"
    )
}

fn escaped(name: &str) -> String {
    name.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
