//! Binary PLY: `BODY/000042.ply`, with velocities and channels as vertex properties.

use super::ExportReport;
use super::select::Selection;
use crate::error::Result;
use crate::files::{Durability, create_folder, write_atomic_with};
use crate::frame::Frame;
use crate::layout::{BodyLayout, StoredMotion};
use crate::reader::RunReader;
use std::io::{Result as IoResult, Write};
use std::path::Path;

pub(super) fn write(
    reader: &RunReader,
    selection: &Selection,
    folder: &Path,
    report: &mut ExportReport,
) -> Result<()> {
    for name in &selection.names {
        create_folder(&folder.join(name))?;
    }
    for &index in &selection.frames {
        let frame = reader.frame(index)?;
        for (name, body) in selection.named() {
            let path = folder.join(name).join(format!("{index:06}.ply"));
            write_atomic_with(&path, Durability::Process, |out| write_body(out, body, &frame))?;
            report.add_file(&path)?;
        }
    }
    Ok(())
}

fn write_body(out: &mut impl Write, body: &BodyLayout, frame: &Frame) -> IoResult<()> {
    let free = body.motion == StoredMotion::Free;
    let velocities = free && !frame.velocities.is_empty();
    let channels = if free { frame.channels.as_slice() } else { &[] };
    writeln!(out, "ply\nformat binary_little_endian 1.0\ncomment frame {} metres", frame.index)?;
    writeln!(out, "element vertex {}", body.vertex_count())?;
    writeln!(out, "property float x\nproperty float y\nproperty float z")?;
    if velocities {
        writeln!(out, "property float vx\nproperty float vy\nproperty float vz")?;
    }
    for channel in channels {
        writeln!(out, "property float {}", channel.name.replace(char::is_whitespace, "_"))?;
    }
    // Empty elements are left out: not every reader knows edges.
    if !body.triangles.is_empty() {
        writeln!(out, "element face {}\nproperty list uchar int vertex_indices", body.triangles.len())?;
    }
    if !body.segments.is_empty() {
        writeln!(out, "element edge {}\nproperty int vertex1\nproperty int vertex2", body.segments.len())?;
    }
    writeln!(out, "end_header")?;
    for v in body.range() {
        let own = frame.positions[v].iter();
        let velocity = if velocities { frame.velocities[v].as_slice() } else { &[] };
        for number in own.chain(velocity).copied().chain(channels.iter().map(|c| c.values[v])) {
            out.write_all(&number.to_le_bytes())?;
        }
    }
    for triangle in &body.triangles {
        out.write_all(&[3])?;
        triangle.iter().try_for_each(|i| out.write_all(&i.to_le_bytes()))?;
    }
    body.segments.as_flattened().iter().try_for_each(|i| out.write_all(&i.to_le_bytes()))
}
