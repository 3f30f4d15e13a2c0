//! Layout and frames as the page wants them: the common container with uncompressed blocks, because browsers
//! unpack gzip and not zstd, and on loopback neither pays.
//!
//! Blocks of the layout: `body/B/{triangles, segments, pinned, radius, shape}`, as in the one-file bundle.
//! Blocks of a frame: as in the frame file (see `docs/run_folder.md`), velocities and channels only when asked for.

use crate::routes::Refusal;
use crate::work::Client;
use axum::http::StatusCode;
use std::fs::File;
use std::io::BufReader;
use stiction_output::container::{Codec, ContainerWriter, Filter};
use stiction_output::frame::FrameFile;
use stiction_output::sections::{from_f32s, from_u32s};
use stiction_output::{Layout, OutputError, RunReader};

const LAYOUT_MAGIC: [u8; 8] = *b"STVLAYOT";
const FRAME_MAGIC: [u8; 8] = *b"STVFRAME";
const VERSION: u32 = 1;
/// A block is in memory as often while an answer is made: gathered, and in the finished answer.
const COPIES: u64 = 2;

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

/// The wanted blocks of one frame, while the client waits for them.
pub fn frame_bytes(
    reader: &RunReader,
    index: u32,
    parts: &FrameParts,
    client: &Client,
) -> Result<Vec<u8>, Refusal> {
    let path = reader.frame_path(index)?;
    let mut file = reader.frame_file(&path, index)?;
    let mut budget = reader.budget().clone();
    let mut out = ContainerWriter::new(FRAME_MAGIC, VERSION);
    for name in wanted_blocks(&file, parts)? {
        client.still_waits()?;
        let allowed = budget.spend(&format!("block `{name}`"), file.size_of(&name).saturating_mul(COPIES));
        allowed.map_err(|e| Refusal(StatusCode::INSUFFICIENT_STORAGE, format!("frame {index}: {e}")))?;
        if let Some(bytes) = file.bytes_of(&name)? {
            out.add(&name, &bytes, Filter::None, Codec::Raw);
        }
    }
    client.still_waits()?;
    Ok(out.into_bytes())
}

/// Names of the blocks that were asked for.
fn wanted_blocks(file: &FrameFile<BufReader<File>>, parts: &FrameParts) -> Result<Vec<String>, OutputError> {
    let mut wanted: Vec<String> =
        ["head", "poses", "contacts", "intersections", "positions"].map(String::from).into();
    if parts.velocities {
        wanted.push("velocities".into());
    }
    if let Some(channel) = &parts.channel {
        if !file.channel_names().any(|name| name == channel) {
            let names: Vec<&str> = file.channel_names().collect();
            let reason = format!("no channel `{channel}`; it has: {}", names.join(", "));
            return Err(OutputError::Shape { object: format!("frame {}", file.index), reason });
        }
        wanted.push(format!("channel/{channel}"));
    }
    Ok(wanted)
}

/// What can be coloured by, told by a frame.
pub fn frame_offer(reader: &RunReader, index: u32) -> Result<Offer, OutputError> {
    let path = reader.frame_path(index)?;
    let file = reader.frame_file(&path, index)?;
    let channels = file.channel_names().map(String::from).collect();
    Ok(Offer { channels, velocities: file.size_of("velocities") > 0 })
}
