//! Layout and frames as the page wants them: the common container with uncompressed blocks, because browsers
//! unpack gzip and not zstd, and on loopback neither pays.
//!
//! Blocks of the layout: `body/B/{triangles, segments, pinned, radius, shape}`, as in the one-file bundle.
//! Blocks of a frame: as in the frame file (see `docs/run_folder.md`), velocities and channels only when asked for.

use std::fs::File;
use std::io::BufReader;
use stiction_limits::open_input;
use stiction_output::container::{Codec, ContainerReader, ContainerWriter, Filter};
use stiction_output::frame;
use stiction_output::sections::{from_f32s, from_u32s};
use stiction_output::{Layout, OutputError, RunReader};

const LAYOUT_MAGIC: [u8; 8] = *b"STVLAYOT";
const FRAME_MAGIC: [u8; 8] = *b"STVFRAME";
const VERSION: u32 = 1;

/// Which optional parts of a frame are wanted.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameParts {
    pub velocities: bool,
    pub channel: Option<String>,
}

/// What a frame file offers besides positions.
pub struct Offer {
    pub channels: Vec<String>,
    pub velocities: bool,
}

/// Everything that does not change from frame to frame.
pub fn layout_bytes(layout: &Layout) -> Vec<u8> {
    let mut out = ContainerWriter::new(LAYOUT_MAGIC, VERSION);
    for (b, body) in layout.bodies.iter().enumerate() {
        for (name, bytes) in [
            ("triangles", from_u32s(body.triangles.as_flattened())),
            ("segments", from_u32s(body.segments.as_flattened())),
            ("pinned", from_u32s(&body.pinned)),
            ("radius", from_f32s(&body.radius)),
            ("shape", from_f32s(body.shape.as_flattened())),
        ] {
            if !bytes.is_empty() {
                out.add(&format!("body/{b}/{name}"), &bytes, Filter::None, Codec::Raw);
            }
        }
    }
    out.into_bytes()
}

/// The wanted blocks of one frame.
pub fn frame_bytes(reader: &RunReader, index: u32, parts: &FrameParts) -> Result<Vec<u8>, OutputError> {
    let path = reader.frame_path(index)?;
    let mut file = open(&path)?;
    let mut wanted = vec![
        "head".to_owned(),
        "positions".into(),
        "poses".into(),
        "contacts".into(),
        "intersections".into(),
    ];
    if parts.velocities {
        wanted.push("velocities".into());
    }
    if let Some(name) = &parts.channel {
        wanted.push(format!("channel/{name}"));
        if !file.has(&format!("channel/{name}")) {
            let reason = format!("no channel `{name}`; it has: {}", offer(&file).channels.join(", "));
            return Err(OutputError::Shape { object: format!("frame {index}"), reason });
        }
    }
    let mut out = ContainerWriter::new(FRAME_MAGIC, VERSION);
    for name in wanted.iter().filter(|name| name.as_str() != "positions") {
        if file.has(name) {
            out.add(name, &file.read(name, reader.budget())?, Filter::None, Codec::Raw);
        }
    }
    let expected = 12 * reader.layout().stored_vertex_count() as u64;
    if expected > 0 {
        let positions = file.read_exactly("positions", expected)?;
        out.add("positions", &positions, Filter::None, Codec::Raw);
    }
    Ok(out.into_bytes())
}

/// What can be coloured by, told by a frame.
pub fn frame_offer(reader: &RunReader, index: u32) -> Result<Offer, OutputError> {
    Ok(offer(&open(&reader.frame_path(index)?)?))
}

fn offer(file: &ContainerReader<BufReader<File>>) -> Offer {
    let channels = file.names().filter_map(|name| name.strip_prefix("channel/")).map(String::from);
    Offer { channels: channels.collect(), velocities: file.has("velocities") }
}

fn open(path: &std::path::Path) -> Result<ContainerReader<BufReader<File>>, OutputError> {
    let file = open_input(path).map_err(|e| OutputError::reading(path, e))?;
    ContainerReader::open(BufReader::new(file), path, frame::MAGIC, frame::VERSION)
}
