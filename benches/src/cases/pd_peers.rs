//! Steps of `pd` beside Codim-IPC and IPC on their meshes, materials, gaps and steps.   \[Li2020;
//! Li2021\]
//!
//! Their steps are solved to a tolerance and free of crossings; ours take the iterations of the
//! paper, and stretch, penetration and crossings tell what that leaves. Their meshes are not part
//! of the project: a case is left out, with a note, where the files are missing.

use super::pd::frames_within;
use crate::record::{FigureLimit, Record};
use crate::registry::{BenchSettings, Stopped};
use std::path::Path;
use stiction::scene::load;

/// Longest wall time before and while measuring \[s\]; `--full` four times as long.
const LONGEST: f64 = 40.0;

/// A scene as others ran it; a frame is a step.
struct Peer {
    /// File below `scenes/peers`.
    file: &'static str,
    what: &'static str,
    /// What is set beside the method.
    set: &'static [&'static str],
    /// Steps before those that are measured, and how many of these.
    steps: [usize; 2],
    /// Time of the other per step on two threads of a like machine \[s\].
    there: f64,
    /// How many times faster we have to be.
    faster: f64,
}

const PEERS: [Peer; 3] = [
    Peer {
        file: "drape_8k",
        what: "the first steps",
        set: &["contact=thick"],
        steps: [0, 7],
        there: 40.1,
        faster: 100.0,
    },
    Peer { file: "rods_ipc", what: "before contact", set: &[], steps: [10, 40], there: 0.40, faster: 10.0 },
    Peer { file: "rods_ipc", what: "in contact", set: &[], steps: [56, 24], there: 0.64, faster: 10.0 },
];

/// Runs the case.
pub fn run(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    let longest = if settings.full { 4.0 * LONGEST } else { LONGEST };
    PEERS.iter().map(|peer| measure(case, longest, peer)).collect()
}

fn measure(case: &'static str, longest: f64, peer: &Peer) -> Result<Record, Stopped> {
    let name = format!("{}, {}", peer.file, peer.what);
    let path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenes/peers").join(peer.file).with_extension("toml");
    let set = [&["method={ key = 'pd' }"], peer.set].concat();
    let scene = match load(&path, &set) {
        Ok(scene) => scene,
        Err(error) => return Ok(Record { note: Some(error.to_string()), ..Record::new(case, name) }),
    };
    let [skip, count] = peer.steps;
    let mut done = frames_within(scene, skip, count, longest)?;
    let mut record = done.record(case, &name);
    record.limit(FigureLimit::AtMost(1e3 * peer.there / peer.faster));
    record.number("ms_per_step_of_the_other", 1e3 * peer.there);
    done.add_quality(&mut record)?;
    Ok(record)
}
