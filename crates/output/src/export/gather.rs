//! From frames (all bodies at one time) to tracks (one body at all times).

use super::select::Selection;
use crate::error::{OutputError, Result};
use crate::layout::{StoredMotion, StoredPose};
use crate::reader::RunReader;

/// Tracks of several bodies are gathered in one pass over the frames while they fit in this many
/// bytes; a larger run takes several passes instead of more memory.
const PASS_BYTES: usize = 512 << 20;

/// What a track holds.
#[derive(Clone, Copy)]
pub(super) enum Quantity<'a> {
    Positions,
    Velocities,
    Channel(&'a str),
}

impl Quantity<'_> {
    fn components(self) -> usize {
        if matches!(self, Self::Channel(_)) { 1 } else { 3 }
    }

    fn read(self, reader: &RunReader, frame: u32) -> Result<Vec<f32>> {
        Ok(match self {
            Self::Positions => reader.positions(frame)?.into_flattened(),
            Self::Velocities => reader.velocities(frame)?.into_flattened(),
            Self::Channel(name) => reader.channel(frame, name)?,
        })
    }
}

/// Calls `visit` with (place of the body in the selection, its values at all frames, frame by
/// frame), for every body whose `wanted` is true, in order.
pub(super) fn tracks(
    reader: &RunReader,
    selection: &Selection,
    quantity: Quantity,
    wanted: impl Fn(usize) -> bool,
    mut visit: impl FnMut(usize, Vec<f32>) -> Result<()>,
) -> Result<()> {
    let components = quantity.components();
    let chosen: Vec<usize> = (0..selection.bodies.len()).filter(|&b| wanted(b)).collect();
    let track_length = |b: usize| selection.bodies[b].vertex_count() * components * selection.frames.len();
    for &b in &chosen {
        let what = format!("`{}` over {} frames", selection.bodies[b].name, selection.frames.len());
        let allowed = reader.budget().allow(&what, 4 * track_length(b) as u64);
        let path = reader.folder().to_path_buf();
        allowed.map_err(|source| OutputError::OverBudget { path, source })?;
    }
    let mut rest = chosen.as_slice();
    while !rest.is_empty() {
        let mut bytes = 0;
        let fits = rest.iter().take_while(|&&b| {
            bytes += 4 * track_length(b);
            bytes <= PASS_BYTES
        });
        let (pass, tail) = rest.split_at(fits.count().max(1));
        rest = tail;
        let mut gathered: Vec<Vec<f32>> = pass.iter().map(|&b| Vec::with_capacity(track_length(b))).collect();
        for &frame in &selection.frames {
            let all = quantity.read(reader, frame)?;
            for (track, &b) in gathered.iter_mut().zip(pass) {
                let range = selection.bodies[b].range();
                track.extend_from_slice(&all[range.start * components..range.end * components]);
            }
        }
        for (track, &b) in gathered.into_iter().zip(pass) {
            visit(b, track)?;
        }
    }
    Ok(())
}

/// Poses over the chosen frames, one track per selected body; empty for bodies without poses.
pub(super) fn pose_tracks(reader: &RunReader, selection: &Selection) -> Result<Vec<Vec<StoredPose>>> {
    let posed: Vec<&str> = reader.layout().posed().map(|b| b.name.as_str()).collect();
    let slot = |b: usize| {
        let body = selection.bodies[b];
        let found = posed.iter().position(|&name| name == body.name);
        found.filter(|_| body.motion == StoredMotion::Posed)
    };
    let slots: Vec<Option<usize>> = (0..selection.bodies.len()).map(slot).collect();
    let mut tracks = vec![Vec::new(); slots.len()];
    if slots.iter().all(Option::is_none) {
        return Ok(tracks);
    }
    for &frame in &selection.frames {
        let poses = reader.poses(frame)?;
        for (track, slot) in tracks.iter_mut().zip(&slots) {
            track.extend(slot.map(|s| poses[s]));
        }
    }
    Ok(tracks)
}

/// Smallest and largest corner of some points.
pub(super) fn bounds(points: &[[f32; 3]]) -> ([f32; 3], [f32; 3]) {
    let first = points.first().copied().unwrap_or_default();
    points.iter().fold((first, first), |(low, high), p| {
        (std::array::from_fn(|i| low[i].min(p[i])), std::array::from_fn(|i| high[i].max(p[i])))
    })
}
