//! NumPy archive: `frames`, `time`, and per body `BODY/positions` (frames × vertices × 3),
//! `BODY/velocities`, `BODY/<channel>`, `BODY/triangles`, `BODY/segments`, `BODY/tets`,
//! `BODY/radius`, `BODY/uv`, `BODY/pinned`.
//!
//! An `.npz` is a zip of `.npy` files. They are stored without compression, so that NumPy can map
//! them.

use super::ExportReport;
use super::gather::{Quantity, tracks};
use super::select::Selection;
use crate::error::{OutputError, Result};
use crate::files::stream_atomic;
use crate::layout::StoredMotion;
use crate::reader::RunReader;
use std::fs::File;
use std::io::{BufWriter, Error as IoError, Result as IoResult, Write};
use std::path::Path;
use zip::CompressionMethod;
use zip::write::{SimpleFileOptions, ZipWriter};

type Archive<'a> = ZipWriter<&'a mut BufWriter<File>>;

pub(super) fn write(
    reader: &RunReader,
    selection: &Selection,
    path: &Path,
    report: &mut ExportReport,
) -> Result<()> {
    stream_atomic(path, |out| {
        let mut archive = ZipWriter::new(out);
        fill(reader, selection, &mut archive, path)?;
        archive.finish().map(|_| ()).map_err(|e| OutputError::writing(path, e.into()))
    })?;
    report.add_file(path)
}

fn fill(reader: &RunReader, selection: &Selection, archive: &mut Archive, path: &Path) -> Result<()> {
    let io = |e: IoError| OutputError::writing(path, e);
    let frames: Vec<u8> = selection.frames.iter().flat_map(|f| f.to_le_bytes()).collect();
    let fps = reader.layout().fps;
    let time: Vec<u8> = selection.frames.iter().flat_map(|&f| (f64::from(f) / fps).to_le_bytes()).collect();
    entry(archive, "frames", "<u4", &[selection.frames.len()], &frames).map_err(io)?;
    entry(archive, "time", "<f8", &[selection.frames.len()], &time).map_err(io)?;
    topology(selection, archive).map_err(io)?;
    let first = selection.frames[0];
    let free = |b: usize| selection.bodies[b].motion == StoredMotion::Free;
    let channels = reader.channel_names(first)?;
    let mut quantities = vec![("positions", Quantity::Positions)];
    if !reader.velocities(first)?.is_empty() {
        quantities.push(("velocities", Quantity::Velocities));
    }
    quantities.extend(channels.iter().map(|name| (name.as_str(), Quantity::Channel(name))));
    for (label, quantity) in quantities {
        let every_body = matches!(quantity, Quantity::Positions);
        tracks(
            reader,
            selection,
            quantity,
            |b| every_body || free(b),
            |b, track| {
                let mut shape = vec![selection.frames.len(), selection.bodies[b].vertex_count()];
                if !matches!(quantity, Quantity::Channel(_)) {
                    shape.push(3);
                }
                let name = format!("{}/{label}", selection.names[b]);
                entry(archive, &name, "<f4", &shape, &crate::sections::from_f32s(&track)).map_err(io)
            },
        )?;
    }
    Ok(())
}

fn topology(selection: &Selection, archive: &mut Archive) -> IoResult<()> {
    for (name, body) in selection.named() {
        let mut indices = |label: &str, flat: &[u32], shape: &[usize]| {
            let bytes = crate::sections::from_u32s(flat);
            entry(archive, &format!("{name}/{label}"), "<u4", shape, &bytes)
        };
        indices("triangles", body.triangles.as_flattened(), &[body.triangles.len(), 3])?;
        indices("segments", body.segments.as_flattened(), &[body.segments.len(), 2])?;
        indices("tets", body.tets.as_flattened(), &[body.tets.len(), 4])?;
        indices("pinned", &body.pinned, &[body.pinned.len()])?;
        let mut numbers = |label: &str, flat: &[f32], shape: &[usize]| {
            let bytes = crate::sections::from_f32s(flat);
            entry(archive, &format!("{name}/{label}"), "<f4", shape, &bytes)
        };
        numbers("radius", &body.radius, &[body.radius.len()])?;
        numbers("uv", body.uv.as_flattened(), &[body.uv.len(), 2])?;
    }
    Ok(())
}

/// One array in `.npy` version 1.0: marker, header padded so that the data begins at a multiple of
/// 64.
fn entry(archive: &mut Archive, name: &str, dtype: &str, shape: &[usize], data: &[u8]) -> IoResult<()> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .large_file(data.len() as u64 > u64::from(u32::MAX) - 1024);
    archive.start_file(format!("{name}.npy"), options).map_err(IoError::from)?;
    archive.write_all(&npy_header(dtype, shape))?;
    archive.write_all(data)
}

fn npy_header(dtype: &str, shape: &[usize]) -> Vec<u8> {
    // A tuple of one element needs its comma.
    let shape: String = shape.iter().map(|n| format!("{n},")).collect();
    let mut text = format!("{{'descr': '{dtype}', 'fortran_order': False, 'shape': ({shape}), }}");
    let unpadded = 10 + text.len() + 1;
    text.extend(std::iter::repeat_n(' ', unpadded.next_multiple_of(64) - unpadded));
    text.push('\n');
    let mut header = b"\x93NUMPY\x01\x00".to_vec();
    header.extend_from_slice(&(text.len() as u16).to_le_bytes());
    header.extend_from_slice(text.as_bytes());
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_padded_and_name_the_shape() {
        let header = npy_header("<f4", &[24, 625, 3]);
        assert_eq!(header.len() % 64, 0);
        let text = String::from_utf8_lossy(&header[10..]).into_owned();
        assert!(text.contains("'shape': (24,625,3,)") && text.ends_with('\n'), "{text}");
        assert!(String::from_utf8_lossy(&npy_header("<u4", &[7])).contains("(7,)"));
    }
}
