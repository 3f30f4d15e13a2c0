//! `frames/layout.json` (names, kinds, sizes: readable) and `frames/layout.bin` (the arrays).

use crate::container::{Codec, ContainerReader, ContainerWriter, Filter};
use crate::error::{OutputError, Result};
use crate::files::{Durability, write_atomic};
use crate::layout::{BodyLayout, Layout, LayoutKind, StoredMotion, UpAxis};
use crate::run_id::RunId;
use crate::seal::{Seal, check, seal};
use crate::sections::{from_f32s, from_u32s, group, to_f32s, to_u32s};
use serde::{Deserialize, Serialize};
use std::io::{BufReader, Read, Seek};
use std::path::Path;
use stiction_limits::{Budget, open_input, read_input_text};

pub(crate) const MAGIC: [u8; 8] = *b"STLAYOUT";
const VERSION: u32 = 2;
/// Block of the arrays that holds the number of the run.
const RUN: &str = "run";

/// The two files.
pub(crate) const NAMES: [&str; 2] = ["layout.bin", "layout.json"];

#[derive(Serialize, Deserialize)]
struct LayoutJson {
    version: u32,
    #[serde(default)]
    run_id: RunId,
    up_axis: UpAxis,
    fps: f64,
    vertices: usize,
    bodies: Vec<BodyJson>,
}

#[derive(Serialize, Deserialize)]
struct BodyJson {
    name: String,
    kind: LayoutKind,
    motion: StoredMotion,
    first_vertex: u32,
    vertices: u32,
    triangles: usize,
    segments: usize,
    strands: usize,
    tets: usize,
    thickness: f32,
    colour: [f32; 3],
}

/// Writes both files; the readable one last, since its presence says that the layout is complete.
pub(crate) fn write(folder: &Path, layout: &Layout) -> Result<()> {
    let [arrays, readable] = NAMES.map(|name| folder.join(name));
    write_atomic(&arrays, &to_bytes(layout), Durability::Process)?;
    let mut text = seal(&to_json(layout), layout.run_id);
    text.push('\n');
    write_atomic(&readable, text.as_bytes(), Durability::Process)
}

/// Reads and checks a layout that fits into the budget.
pub(crate) fn read(folder: &Path, budget: &Budget) -> Result<Layout> {
    let [path, json_path] = NAMES.map(|name| folder.join(name));
    let text = read_json(&json_path, budget)?;
    let file = open_input(&path).map_err(|e| OutputError::reading(&path, e))?;
    from_parts(&text, &json_path, BufReader::new(file), &path, budget)
}

/// The text of `layout.json`, if what is parsed from it fits into the budget.
pub fn read_json(path: &Path, budget: &Budget) -> Result<String> {
    let text = read_input_text(path, budget).map_err(|e| OutputError::reading(path, e))?;
    let needed = BYTES_PER_BYTE.saturating_mul(text.len() as u64);
    allow(budget, path, "the list of bodies", needed)?;
    Ok(text)
}

/// Memory of parsed JSON in bytes per byte of its text.
const BYTES_PER_BYTE: u64 = 8;

fn allow(budget: &Budget, path: &Path, what: &str, bytes: u64) -> Result<()> {
    let allowed = budget.allow(what, bytes);
    allowed.map_err(|source| OutputError::OverBudget { path: path.to_path_buf(), source })
}

/// The readable part.
pub(crate) fn to_json(layout: &Layout) -> String {
    let bodies = layout.bodies.iter().map(|body| BodyJson {
        name: body.name.clone(),
        kind: body.kind,
        motion: body.motion,
        first_vertex: body.vertices.start,
        vertices: body.vertices.end - body.vertices.start,
        triangles: body.triangles.len(),
        segments: body.segments.len(),
        strands: body.strands.len(),
        tets: body.tets.len(),
        thickness: body.thickness,
        colour: body.colour,
    });
    let json = LayoutJson {
        version: VERSION,
        run_id: layout.run_id,
        up_axis: layout.up_axis,
        fps: layout.fps,
        vertices: layout.vertex_count(),
        bodies: bodies.collect(),
    };
    serde_json::to_string_pretty(&json).expect("plain values serialise")
}

fn to_bytes(layout: &Layout) -> Vec<u8> {
    let mut out = ContainerWriter::new(MAGIC, VERSION);
    out.add(RUN, &layout.run_id.number().to_le_bytes(), Filter::None, Codec::Raw);
    for (index, body) in layout.bodies.iter().enumerate() {
        let mut add = |name: &str, bytes: Vec<u8>| {
            if !bytes.is_empty() {
                out.add(&format!("{index}/{name}"), &bytes, Filter::Shuffle4, Codec::Zstd);
            }
        };
        let strand_lengths: Vec<u32> = body.strands.iter().map(|s| s.len() as u32).collect();
        add("shape", from_f32s(body.shape.as_flattened()));
        add("triangles", from_u32s(body.triangles.as_flattened()));
        add("segments", from_u32s(body.segments.as_flattened()));
        add("strand_lengths", from_u32s(&strand_lengths));
        add("strand_vertices", from_u32s(&body.strands.concat()));
        add("tets", from_u32s(body.tets.as_flattened()));
        add("radius", from_f32s(&body.radius));
        add("pinned", from_u32s(&body.pinned));
        add("uv", from_f32s(body.uv.as_flattened()));
    }
    out.into_bytes()
}

/// Builds a layout from its two parts; the paths name them in errors.
pub fn from_parts(
    json: &str,
    json_path: &Path,
    file: impl Read + Seek,
    path: &Path,
    budget: &Budget,
) -> Result<Layout> {
    let json = parse_json(json, json_path)?;
    let mut reader = ContainerReader::open_any_of(file, path, MAGIC, json.version..=json.version)?;
    if run_of_arrays(&mut reader)? != json.run_id {
        return Err(OutputError::corrupt(path, "it belongs to another run than layout.json"));
    }
    allow(budget, path, "the layout", reader.unpacked_bytes_of_all().saturating_mul(2))?;
    // What every frame holds for a vertex: position, velocity and a few channels.
    let vertices = json.bodies.iter().map(|b| u64::from(b.vertices)).sum::<u64>();
    allow(budget, json_path, &format!("a frame of {vertices} vertices"), 64 * vertices)?;
    let mut layout = Layout { run_id: json.run_id, ..Layout::new(json.up_axis, json.fps) };
    for (index, entry) in json.bodies.into_iter().enumerate() {
        let mut block = |name: &str| {
            let name = format!("{index}/{name}");
            if reader.has(&name) { reader.read(&name, budget) } else { Ok(Vec::new()) }
        };
        let strand_lengths = to_u32s(&block("strand_lengths")?);
        let strand_vertices = to_u32s(&block("strand_vertices")?);
        let end = entry.first_vertex.checked_add(entry.vertices);
        let end = end.ok_or_else(|| OutputError::corrupt(json_path, "vertex counts overflow"))?;
        layout.bodies.push(BodyLayout {
            name: entry.name,
            kind: entry.kind,
            motion: entry.motion,
            vertices: entry.first_vertex..end,
            shape: group(&to_f32s(&block("shape")?)),
            triangles: group(&to_u32s(&block("triangles")?)),
            segments: group(&to_u32s(&block("segments")?)),
            strands: split(&strand_vertices, &strand_lengths).ok_or_else(|| {
                OutputError::corrupt(path, format!("strands of body {index} do not add up"))
            })?,
            tets: group(&to_u32s(&block("tets")?)),
            radius: to_f32s(&block("radius")?),
            thickness: entry.thickness,
            colour: entry.colour,
            pinned: to_u32s(&block("pinned")?),
            uv: group(&to_f32s(&block("uv")?)),
        });
    }
    layout.check().map_err(|e| OutputError::corrupt(path, e.to_string()))?;
    Ok(layout)
}

/// The readable part, held against its checksum; that of format 1 has none.
fn parse_json(text: &str, path: &Path) -> Result<LayoutJson> {
    let corrupt = |reason: String| OutputError::corrupt(path, reason);
    let json: LayoutJson = serde_json::from_str(text).map_err(|e| corrupt(e.to_string()))?;
    match (check(text, json.run_id), json.version) {
        (Seal::Whole, VERSION) | (Seal::Absent, 1) => Ok(json),
        (Seal::Whole, found) => {
            Err(OutputError::FormatVersion { path: path.to_path_buf(), found, expected: VERSION })
        }
        (Seal::Broken, _) => Err(corrupt("its checksum is wrong".to_owned())),
        (Seal::Absent, _) => Err(corrupt("its checksum is missing".to_owned())),
    }
}

/// The run that the arrays belong to; those of format 1 do not say.
fn run_of_arrays<R: Read + Seek>(reader: &mut ContainerReader<R>) -> Result<RunId> {
    if reader.version() == 1 {
        return Ok(RunId::NONE);
    }
    let bytes = reader.read_exactly(RUN, 8)?;
    Ok(RunId::from_number(u64::from_le_bytes(bytes[..].try_into().unwrap_or_default())))
}

/// The run that the layout in a folder belongs to, if its readable part is whole.
pub(crate) fn run_of(folder: &Path, budget: &Budget) -> Option<RunId> {
    let path = folder.join(NAMES[1]);
    let text = read_json(&path, budget).ok()?;
    parse_json(&text, &path).ok().map(|json| json.run_id)
}

fn split(vertices: &[u32], lengths: &[u32]) -> Option<Vec<Vec<u32>>> {
    let mut rest = vertices;
    let mut strands = Vec::with_capacity(lengths.len());
    for &length in lengths {
        let (strand, tail) = rest.split_at_checked(length as usize)?;
        strands.push(strand.to_vec());
        rest = tail;
    }
    rest.is_empty().then_some(strands)
}
