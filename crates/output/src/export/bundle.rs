//! A whole run as one compact piece of bytes, for the one-file page (`--to html`).
//!
//! The bytes are gzip (browsers unpack it without help) over the common container with uncompressed blocks:
//! ```text
//! head           JSON: version, frames (numbers), channels (names), summary (run.json), layout (layout.json)
//! body/B/triangles, segments, strand_lengths, strand_vertices, pinned    u32    B = place in head.layout.bodies
//! body/B/radius, shape                                                   f32
//! stats          JSON array of the step records
//! frame/K/positions      per Free body: f32 low[3], f32 size[3], then planes of x, y, z (below)
//! frame/K/poses          f32 × 7 per Posed body: translation, rotation x y z w
//! frame/K/contacts       f32 × 9 each: point, normal, force
//! frame/K/intersections  f32 × 3 each
//! frame/K/channel/NAME   per Free body: f32 low, f32 size, then u8 per vertex
//! ```
//! A coordinate is q = round((x − low) / size · 65535), so the error is at most size / 131070: 8 µm per metre
//! of the body. A plane holds the differences q[i] − q[i−1] (mod 65536, q[−1] = 0) of one component: all low
//! bytes, then all high bytes. K counts exported frames from 0; their numbers are in `head.frames`.

use super::ExportReport;
use super::gather::bounds;
use super::select::Selection;
use super::{ExportOptions, Format};
use crate::container::{Codec, ContainerWriter, Filter};
use crate::error::{OutputError, Result};
use crate::files::{Durability, write_atomic};
use crate::frame::Frame;
use crate::layout::{BodyLayout, Layout, StoredMotion};
use crate::layout_file;
use crate::reader::RunReader;
use crate::sections::{from_f32s, from_u32s};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use flate2::{Compression, write::GzEncoder};
use serde_json::json;
use std::path::Path;

/// Where the page wants the data; replaced by a `<script>` element with the base64 text of the bundle.
pub const PAGE_MARKER: &str = "<!--STICTION_BUNDLE-->";
/// Identifier of that element.
pub const ELEMENT_ID: &str = "stiction-bundle";
/// Marker of the container inside the gzip stream.
pub const MAGIC: [u8; 8] = *b"STBUNDLE";
/// Version of the bundle.
pub const VERSION: u32 = 1;

/// Packs a run.
pub fn bundle(reader: &RunReader, options: &ExportOptions) -> Result<Vec<u8>> {
    pack(reader, &Selection::new(reader, Format::Html, options)?)
}

pub(super) fn write_page(
    reader: &RunReader,
    selection: &Selection,
    path: &Path,
    page: Option<&str>,
    report: &mut ExportReport,
) -> Result<()> {
    let fail = |reason: &str| Err(OutputError::Export { format: "html", reason: reason.into() });
    let Some(page) = page else {
        return fail("this build has no viewer page; build with Node present, or choose another format");
    };
    let Some((before, after)) = page.split_once(PAGE_MARKER) else {
        return fail("the viewer page lacks the place for the data; rebuild the viewer");
    };
    let data = BASE64_STANDARD.encode(pack(reader, selection)?);
    let text = format!(
        "{before}<script type=\"application/octet-stream\" id=\"{ELEMENT_ID}\">{data}</script>{after}"
    );
    write_atomic(path, text.as_bytes(), Durability::Process)?;
    report.notes.extend(reader.damage_of_statistics()?);
    report.add_file(path)
}

fn pack(reader: &RunReader, selection: &Selection) -> Result<Vec<u8>> {
    let layout = selected_layout(reader.layout(), selection);
    let channels = reader.channel_names(selection.frames[0])?;
    let layout_json: serde_json::Value =
        serde_json::from_str(&layout_file::to_json(&layout)).expect("we wrote this JSON");
    let head = json!({
        "version": VERSION,
        "frames": selection.frames,
        "channels": channels,
        "summary": reader.summary()?,
        "layout": layout_json,
    });
    let mut out = ContainerWriter::new(MAGIC, VERSION);
    let mut add = |name: &str, bytes: &[u8]| out.add(name, bytes, Filter::None, Codec::Raw);
    add("head", head.to_string().as_bytes());
    add("stats", &serde_json::to_vec(&reader.stats()?).expect("plain values serialise"));
    for (b, body) in layout.bodies.iter().enumerate() {
        add_topology(&mut add, b, body);
    }
    for (k, &number) in selection.frames.iter().enumerate() {
        add_frame(&mut add, k, &reader.frame(number)?, reader.layout(), selection);
    }
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    let outcome = out.write_to(&mut packed).and_then(|()| packed.finish());
    Ok(outcome.expect("writing into memory does not fail"))
}

/// The layout of the chosen bodies alone, numbered anew.
fn selected_layout(layout: &Layout, selection: &Selection) -> Layout {
    let mut chosen = Layout::new(layout.up_axis, layout.fps);
    for &body in &selection.bodies {
        chosen.push(body.clone());
    }
    chosen
}

fn add_topology(add: &mut impl FnMut(&str, &[u8]), b: usize, body: &BodyLayout) {
    let lengths: Vec<u32> = body.strands.iter().map(|s| s.len() as u32).collect();
    for (name, bytes) in [
        ("triangles", from_u32s(body.triangles.as_flattened())),
        ("segments", from_u32s(body.segments.as_flattened())),
        ("strand_lengths", from_u32s(&lengths)),
        ("strand_vertices", from_u32s(&body.strands.concat())),
        ("pinned", from_u32s(&body.pinned)),
        ("radius", from_f32s(&body.radius)),
        ("shape", from_f32s(body.shape.as_flattened())),
    ] {
        if !bytes.is_empty() {
            add(&format!("body/{b}/{name}"), &bytes);
        }
    }
}

fn add_frame(
    add: &mut impl FnMut(&str, &[u8]),
    k: usize,
    frame: &Frame,
    layout: &Layout,
    selection: &Selection,
) {
    let free = || selection.bodies.iter().filter(|b| b.motion == StoredMotion::Free);
    let positions: Vec<u8> = free().flat_map(|b| quantised_points(&frame.positions[b.range()])).collect();
    add(&format!("frame/{k}/positions"), &positions);
    let chosen = |b: &BodyLayout| selection.bodies.iter().any(|s| s.name == b.name);
    let posed = layout.posed().zip(&frame.poses).filter(|(b, _)| chosen(b));
    let poses: Vec<f32> = posed.flat_map(|(_, p)| p.translation.into_iter().chain(p.rotation_xyzw)).collect();
    let contacts: Vec<f32> =
        frame.contacts.iter().flat_map(|c| [c.point, c.normal, c.force].into_iter().flatten()).collect();
    let crossings = frame.intersections.as_flattened();
    for (name, numbers) in [("poses", &poses[..]), ("contacts", &contacts), ("intersections", crossings)] {
        if !numbers.is_empty() {
            add(&format!("frame/{k}/{name}"), &from_f32s(numbers));
        }
    }
    for channel in &frame.channels {
        let bytes: Vec<u8> = free().flat_map(|b| quantised_scalars(&channel.values[b.range()])).collect();
        add(&format!("frame/{k}/channel/{}", channel.name), &bytes);
    }
}

fn quantised_points(points: &[[f32; 3]]) -> Vec<u8> {
    let (low, high) = bounds(points);
    let size: [f32; 3] = std::array::from_fn(|c| high[c] - low[c]);
    let mut bytes = from_f32s(&[low, size].concat());
    for c in 0..3 {
        let scale = if size[c] > 0.0 { 65535.0 / f64::from(size[c]) } else { 0.0 };
        let mut before = 0u16;
        let differences: Vec<u16> = points
            .iter()
            .map(|p| {
                let q = (f64::from(p[c] - low[c]) * scale).round() as u16;
                let difference = q.wrapping_sub(before);
                before = q;
                difference
            })
            .collect();
        bytes.extend(differences.iter().map(|d| *d as u8));
        bytes.extend(differences.iter().map(|d| (d >> 8) as u8));
    }
    bytes
}

fn quantised_scalars(values: &[f32]) -> Vec<u8> {
    let finite = || values.iter().copied().filter(|v| v.is_finite());
    let low = finite().fold(f32::INFINITY, f32::min);
    let low = if low.is_finite() { low } else { 0.0 };
    let size = finite().fold(low, f32::max) - low;
    let scale = if size > 0.0 { 255.0 / size } else { 0.0 };
    let mut bytes = from_f32s(&[low, size]);
    bytes.extend(values.iter().map(|v| ((v - low) * scale).round() as u8));
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Decodes as the page does.
    fn restored(bytes: &[u8], count: usize) -> Vec<[f32; 3]> {
        let box_ = crate::sections::to_f32s(&bytes[..24]);
        let mut points = vec![[0.0; 3]; count];
        for c in 0..3 {
            let plane = &bytes[24 + 2 * count * c..];
            let mut q = 0u16;
            for i in 0..count {
                q = q.wrapping_add(u16::from(plane[i]) | u16::from(plane[count + i]) << 8);
                points[i][c] = box_[c] + f32::from(q) / 65535.0 * box_[3 + c];
            }
        }
        points
    }

    #[test]
    fn quantisation_stays_within_half_a_step() {
        let points: Vec<[f32; 3]> =
            (0..500).map(|i| [(i as f32).sin(), 3.0 * (0.7 * i as f32).cos(), 0.25]).collect();
        let (low, high) = bounds(&points);
        for (a, b) in points.iter().zip(restored(&quantised_points(&points), points.len())) {
            for c in 0..3 {
                // Half a quantum, and a few roundings of single precision.
                let tolerance = (high[c] - low[c]) / 131_070.0 + 4.0 * f32::EPSILON * high[c].abs().max(1.0);
                assert!((a[c] - b[c]).abs() <= tolerance, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn scalars_survive_constants_and_nan() {
        assert_eq!(quantised_scalars(&[2.0, 2.0])[8..], [0, 0]);
        assert_eq!(quantised_scalars(&[0.0, f32::NAN, 1.0])[8..], [0, 0, 255]);
        assert_eq!(quantised_scalars(&[]).len(), 8);
    }
}
