//! Wavefront OBJ: `000042.obj` per frame, an object (`o`) per body, rods as polylines (`l`).

use super::ExportReport;
use super::select::Selection;
use crate::error::Result;
use crate::files::{Durability, create_folder, write_atomic_with};
use crate::layout::BodyLayout;
use crate::reader::RunReader;
use std::io::{Result as IoResult, Write};
use std::path::Path;

pub(super) fn write(
    reader: &RunReader,
    selection: &Selection,
    folder: &Path,
    report: &mut ExportReport,
) -> Result<()> {
    create_folder(folder)?;
    for &index in &selection.frames {
        let positions = reader.positions(index)?;
        let path = folder.join(format!("{index:06}.obj"));
        write_atomic_with(&path, Durability::Process, |out| {
            writeln!(out, "# frame {index}, metres")?;
            let mut first = Numbering::default();
            for (name, body) in selection.named() {
                write_body(out, name, body, &positions[body.range()], &mut first)?;
            }
            Ok(())
        })?;
        report.add_file(&path)?;
    }
    Ok(())
}

/// OBJ counts vertices and texture coordinates from 1 over the whole file.
#[derive(Default)]
pub(super) struct Numbering {
    vertex: u32,
    uv: u32,
}

/// One body. Numbers are printed in the shortest form that reads back to the same bits.
pub(super) fn write_body(
    out: &mut impl Write,
    name: &str,
    body: &BodyLayout,
    positions: &[[f32; 3]],
    first: &mut Numbering,
) -> IoResult<()> {
    writeln!(out, "o {name}")?;
    for [x, y, z] in positions {
        writeln!(out, "v {x} {y} {z}")?;
    }
    for [u, v] in &body.uv {
        writeln!(out, "vt {u} {v}")?;
    }
    for triangle in &body.triangles {
        write!(out, "f")?;
        for &vertex in triangle {
            match body.uv.is_empty() {
                true => write!(out, " {}", first.vertex + vertex + 1)?,
                false => write!(out, " {}/{}", first.vertex + vertex + 1, first.uv + vertex + 1)?,
            }
        }
        writeln!(out)?;
    }
    for line in lines(body) {
        write!(out, "l")?;
        line.iter().try_for_each(|vertex| write!(out, " {}", first.vertex + vertex + 1))?;
        writeln!(out)?;
    }
    first.vertex += positions.len() as u32;
    first.uv += body.uv.len() as u32;
    Ok(())
}

/// Strands where known, else single segments.
fn lines(body: &BodyLayout) -> Vec<&[u32]> {
    if body.strands.is_empty() {
        body.segments.iter().map(|s| s.as_slice()).collect()
    } else {
        body.strands.iter().map(Vec::as_slice).collect()
    }
}
