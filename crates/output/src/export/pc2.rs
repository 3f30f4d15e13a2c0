//! Point cache 2 per body (`BODY.pc2`), with the topology it belongs to (`BODY.obj`, first frame).
//!
//! ```text
//! "POINTCACHE2\0" · i32 version = 1 · i32 points · f32 first frame · f32 frames per sample · i32 samples
//! then f32 x, y, z of every point, sample by sample; little-endian
//! ```

use super::ExportReport;
use super::gather::{Quantity, tracks};
use super::obj::{Numbering, write_body};
use super::select::Selection;
use crate::error::Result;
use crate::files::{Durability, create_folder, write_atomic_with};
use crate::reader::RunReader;
use std::io::Write;
use std::path::Path;

pub(super) fn write(
    reader: &RunReader,
    selection: &Selection,
    folder: &Path,
    report: &mut ExportReport,
) -> Result<()> {
    create_folder(folder)?;
    let samples = selection.frames.len() as i32;
    tracks(
        reader,
        selection,
        Quantity::Positions,
        |_| true,
        |b, track| {
            let (name, body) = (&selection.names[b], selection.bodies[b]);
            let path = folder.join(format!("{name}.pc2"));
            write_atomic_with(&path, Durability::Process, |out| {
                out.write_all(b"POINTCACHE2\0")?;
                out.write_all(&1i32.to_le_bytes())?;
                out.write_all(&(body.vertex_count() as i32).to_le_bytes())?;
                out.write_all(&(selection.frames[0] as f32).to_le_bytes())?;
                out.write_all(&(selection.every as f32).to_le_bytes())?;
                out.write_all(&samples.to_le_bytes())?;
                track.iter().try_for_each(|x| out.write_all(&x.to_le_bytes()))
            })?;
            report.add_file(&path)?;
            let path = folder.join(format!("{name}.obj"));
            let (first, _) = track[..3 * body.vertex_count()].as_chunks::<3>();
            write_atomic_with(&path, Durability::Process, |out| {
                write_body(out, name, body, first, &mut Numbering::default())
            })?;
            report.add_file(&path)
        },
    )
}
