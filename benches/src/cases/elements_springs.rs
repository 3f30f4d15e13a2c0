//! Springs, and attachments of a node to a triangle.

use super::elements::{ElementSample, measured};
use crate::meshes::{jittered, sheet};
use crate::record::Record;
use crate::registry::{BenchSettings, Stopped};
use stiction::energy::{AttachmentSpring, NO_MATERIALS, NamedGroup, RadialSpring, SpringElement};

const CELLS: usize = 96;

/// Records of both kinds.
pub fn run(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    let (rest, triangles) = sheet(CELLS);
    let moved = jittered(&rest);
    let springs: Vec<_> = triangles.iter().map(|t| SpringElement::thread([t[0], t[1]], 10.0, 1.0)).collect();
    let spring = RadialSpring { stiffness: 10.0, rest_length: 0.0 };
    let ties: Result<Vec<_>, _> = (triangles.iter().zip(&triangles[9..]))
        .map(|(t, far)| (t, far[1]))
        .filter(|(t, node)| !t.contains(node))
        .map(|(t, node)| AttachmentSpring::node_to_triangle(node, *t, [0.2, 0.3, 0.5], spring))
        .collect();
    let groups = [
        ("spring", NamedGroup::new("spring", rest.len(), springs)),
        ("attachment", NamedGroup::new("attachment", rest.len(), ties?)),
    ];
    let mut records = Vec::new();
    for (name, group) in groups {
        let sample =
            ElementSample { name, group, blocks: &moved, frames: &[], materials: &NO_MATERIALS, limit: None };
        records.extend(measured(case, sample, settings)?);
    }
    Ok(records)
}
