//! Binary glTF 2.0 with the animation, in one file.
//!
//! * `Fixed` bodies: a mesh. `Posed` bodies: a mesh on a node with translation and rotation tracks.
//! * `Free` bodies: the first frame is the base and every further frame a morph target (its
//!   displacement). One weights track switches them on one after the other; linear interpolation
//!   between two one-hot keys is linear motion between two frames. All bodies share the track.
//! * Normals are left out: glTF then asks viewers for flat shading of the deformed shape, which is
//!   right, while stored normals would either double the file or belong to the undeformed shape.
//! * Rods are lines (glTF has no line width). glTF is y-up: a root node turns the run.
//!
//! Cost: 12 bytes per vertex and frame, and frames² × 4 bytes of weights. Viewers hold all targets
//! at once, so more than [`MAX_FRAMES`] frames are refused; take every n-th, or USD for long runs.

use super::ExportReport;
use super::gather::{Quantity, bounds, pose_tracks, tracks};
use super::select::Selection;
use crate::error::{OutputError, Result};
use crate::files::{Durability, write_atomic_with};
use crate::layout::{BodyLayout, StoredMotion, StoredPose, UpAxis};
use crate::reader::RunReader;
use crate::sections::{from_f32s, from_u32s};
use serde_json::{Value, json};
use std::io::Write;
use std::path::Path;

/// Most frames that one file takes as morph targets.
pub(super) const MAX_FRAMES: usize = 1000;

const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;
const LINES: u32 = 1;
const TRIANGLES: u32 = 4;

pub(super) fn write(
    reader: &RunReader,
    selection: &Selection,
    path: &Path,
    report: &mut ExportReport,
) -> Result<()> {
    let frames = selection.frames.len();
    if frames > MAX_FRAMES {
        let every = frames.div_ceil(MAX_FRAMES) * selection.every as usize;
        return fail(format!(
            "{frames} frames are more than the {MAX_FRAMES} that one file takes; use --every {every}"
        ));
    }
    let vertices: usize = selection.bodies.iter().map(|b| b.vertex_count()).sum();
    if 12 * vertices * frames + 4 * frames * frames > (u32::MAX - (1 << 24)) as usize {
        return fail("the file would exceed 4 GiB; take every n-th frame or fewer bodies".into());
    }
    let mut file = Gltf::new(reader, selection);
    let poses = pose_tracks(reader, selection)?;
    tracks(
        reader,
        selection,
        Quantity::Positions,
        |_| true,
        |b, track| {
            file.add_body(selection.bodies[b], track.as_chunks::<3>().0, &poses[b]);
            Ok(())
        },
    )?;
    if selection.bodies.iter().any(|b| b.triangles.is_empty() && !b.segments.is_empty()) {
        report.notes.push("rods are lines without radius: glTF has no line width".into());
    }
    let (json, binary) = file.finish();
    write_atomic_with(path, Durability::Process, |out| write_chunks(out, json, &binary))?;
    report.add_file(path)
}

fn fail(reason: String) -> Result<()> {
    Err(OutputError::Export { format: "glb", reason })
}

/// Header and the two chunks, each padded to four bytes (blanks for text, zeros for data).
fn write_chunks(out: &mut impl Write, mut json: Vec<u8>, binary: &[u8]) -> std::io::Result<()> {
    json.resize(json.len().next_multiple_of(4), b' ');
    let total = 12 + 8 + json.len() + 8 + binary.len();
    for word in [0x4654_6C67, 2, total as u32, json.len() as u32, 0x4E4F_534A] {
        out.write_all(&u32::to_le_bytes(word))?;
    }
    out.write_all(&json)?;
    for word in [binary.len() as u32, 0x004E_4942] {
        out.write_all(&word.to_le_bytes())?;
    }
    out.write_all(binary)
}

/// The document under construction.
struct Gltf {
    binary: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    materials: Vec<Value>,
    meshes: Vec<Value>,
    nodes: Vec<Value>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
    /// Seconds of the frames.
    times: Vec<f32>,
    time_accessor: Option<usize>,
    weights_sampler: Option<usize>,
}

impl Gltf {
    fn new(reader: &RunReader, selection: &Selection) -> Self {
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let mut root = json!({ "name": "World" });
        match reader.layout().up_axis {
            UpAxis::X => root["rotation"] = json!([0.0, 0.0, half, half]),
            UpAxis::Y => {}
            UpAxis::Z => root["rotation"] = json!([-half, 0.0, 0.0, half]),
        }
        let first = selection.frames[0];
        let time = |&f: &u32| (f64::from(f - first) / reader.layout().fps) as f32;
        Self {
            binary: Vec::new(),
            views: Vec::new(),
            accessors: Vec::new(),
            materials: Vec::new(),
            meshes: Vec::new(),
            nodes: vec![root],
            samplers: Vec::new(),
            channels: Vec::new(),
            times: selection.frames.iter().map(time).collect(),
            time_accessor: None,
            weights_sampler: None,
        }
    }

    fn add_body(&mut self, body: &BodyLayout, track: &[[f32; 3]], poses: &[StoredPose]) {
        if body.vertex_count() == 0 {
            return;
        }
        let free = body.motion == StoredMotion::Free;
        let base = if free { &track[..body.vertex_count()] } else { body.shape.as_slice() };
        let mut attributes = json!({ "POSITION": self.points(base) });
        if !body.uv.is_empty() {
            attributes["TEXCOORD_0"] = json!(self.texture_coordinates(&body.uv));
        }
        let targets: Vec<Value> = match free {
            true => track[body.vertex_count()..]
                .chunks_exact(body.vertex_count())
                .map(|later| json!({ "POSITION": self.points(&displacement(base, later)) }))
                .collect(),
            false => Vec::new(),
        };
        let (mode, indices) = match body.triangles.is_empty() {
            false => (TRIANGLES, body.triangles.as_flattened()),
            true => (LINES, body.segments.as_flattened()),
        };
        let mut primitive =
            json!({ "attributes": attributes, "material": self.material(body), "mode": mode });
        match indices.is_empty() {
            false => primitive["indices"] = json!(self.indices(indices)),
            true => primitive["mode"] = json!(0),
        }
        let mut mesh = json!({ "name": body.name, "primitives": [primitive] });
        if !targets.is_empty() {
            mesh["weights"] = json!(vec![0.0; targets.len()]);
            mesh["primitives"][0]["targets"] = json!(targets);
        }
        self.meshes.push(mesh);
        self.nodes.push(json!({ "name": body.name, "mesh": self.meshes.len() - 1 }));
        self.animate(body.motion, poses);
    }

    /// Adds the tracks of the node added last.
    fn animate(&mut self, motion: StoredMotion, poses: &[StoredPose]) {
        if self.times.len() < 2 {
            if let Some(pose) = poses.first() {
                let node = self.nodes.last_mut().expect("a node was added");
                node["translation"] = json!(pose.translation);
                node["rotation"] = json!(pose.rotation_xyzw);
            }
            return;
        }
        match motion {
            StoredMotion::Free => {
                let sampler = self.weights();
                self.channel(sampler, "weights");
            }
            StoredMotion::Posed => {
                let translations: Vec<[f32; 3]> = poses.iter().map(|p| p.translation).collect();
                let rotations: Vec<[f32; 4]> = poses.iter().map(|p| unit(p.rotation_xyzw)).collect();
                for (path, kind, flat) in [
                    ("translation", "VEC3", translations.as_flattened()),
                    ("rotation", "VEC4", rotations.as_flattened()),
                ] {
                    let output = self.accessor(&from_f32s(flat), FLOAT, kind, self.times.len(), None);
                    let sampler = self.sampler(output);
                    self.channel(sampler, path);
                }
            }
            StoredMotion::Fixed => {}
        }
    }

    /// One-hot weights: at frame k only target k − 1 is on (none at frame 0).
    fn weights(&mut self) -> usize {
        if let Some(sampler) = self.weights_sampler {
            return sampler;
        }
        let (frames, targets) = (self.times.len(), self.times.len() - 1);
        let mut weights = vec![0.0f32; frames * targets];
        (1..frames).for_each(|k| weights[k * targets + k - 1] = 1.0);
        let output = self.accessor(&from_f32s(&weights), FLOAT, "SCALAR", frames * targets, None);
        let sampler = self.sampler(output);
        self.weights_sampler = Some(sampler);
        sampler
    }

    fn sampler(&mut self, output: usize) -> usize {
        let input = self.time_accessor.unwrap_or_else(|| {
            let times = self.times.clone();
            let accessor = self.accessor(&from_f32s(&times), FLOAT, "SCALAR", times.len(), None);
            self.accessors[accessor]["min"] = json!([times[0]]);
            self.accessors[accessor]["max"] = json!([times[times.len() - 1]]);
            accessor
        });
        self.time_accessor = Some(input);
        self.samplers.push(json!({ "input": input, "output": output, "interpolation": "LINEAR" }));
        self.samplers.len() - 1
    }

    fn channel(&mut self, sampler: usize, path: &str) {
        let node = self.nodes.len() - 1;
        self.channels.push(json!({ "sampler": sampler, "target": { "node": node, "path": path } }));
    }

    fn points(&mut self, points: &[[f32; 3]]) -> usize {
        let (low, high) = bounds(points);
        let bytes = from_f32s(points.as_flattened());
        let accessor = self.accessor(&bytes, FLOAT, "VEC3", points.len(), Some(ARRAY_BUFFER));
        self.accessors[accessor]["min"] = json!(low);
        self.accessors[accessor]["max"] = json!(high);
        accessor
    }

    /// glTF counts v from the top of the picture, scenes from the bottom.
    fn texture_coordinates(&mut self, uv: &[[f32; 2]]) -> usize {
        let flipped: Vec<[f32; 2]> = uv.iter().map(|&[u, v]| [u, 1.0 - v]).collect();
        self.accessor(&from_f32s(flipped.as_flattened()), FLOAT, "VEC2", uv.len(), Some(ARRAY_BUFFER))
    }

    fn indices(&mut self, indices: &[u32]) -> usize {
        let bytes = from_u32s(indices);
        self.accessor(&bytes, UNSIGNED_INT, "SCALAR", indices.len(), Some(ELEMENT_ARRAY_BUFFER))
    }

    /// Appends an array to the binary chunk. Every element is a multiple of four bytes, so all stay
    /// aligned.
    fn accessor(
        &mut self,
        bytes: &[u8],
        component: u32,
        kind: &str,
        count: usize,
        target: Option<u32>,
    ) -> usize {
        let mut view = json!({ "buffer": 0, "byteOffset": self.binary.len(), "byteLength": bytes.len() });
        if let Some(target) = target {
            view["target"] = json!(target);
        }
        self.binary.extend_from_slice(bytes);
        self.views.push(view);
        let view = self.views.len() - 1;
        self.accessors
            .push(json!({ "bufferView": view, "componentType": component, "count": count, "type": kind }));
        self.accessors.len() - 1
    }

    fn material(&mut self, body: &BodyLayout) -> usize {
        let [r, g, b] = body.linear_colour().map(|c| c.clamp(0.0, 1.0));
        self.materials.push(json!({
            "name": body.name,
            "doubleSided": true,
            "pbrMetallicRoughness": { "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 0.0, "roughnessFactor": 0.8 },
        }));
        self.materials.len() - 1
    }

    fn finish(mut self) -> (Vec<u8>, Vec<u8>) {
        self.nodes[0]["children"] = json!((1..self.nodes.len()).collect::<Vec<_>>());
        let mut document = json!({
            "asset": { "version": "2.0", "generator": "Stiction" },
            "scene": 0,
            "scenes": [{ "nodes": [0] }],
            "nodes": self.nodes,
            "meshes": self.meshes,
            "materials": self.materials,
            "accessors": self.accessors,
            "bufferViews": self.views,
            "buffers": [{ "byteLength": self.binary.len() }],
        });
        if !self.channels.is_empty() {
            document["animations"] =
                json!([{ "name": "run", "samplers": self.samplers, "channels": self.channels }]);
        }
        (serde_json::to_vec(&document).expect("plain values serialise"), self.binary)
    }
}

fn displacement(base: &[[f32; 3]], later: &[[f32; 3]]) -> Vec<[f32; 3]> {
    base.iter().zip(later).map(|(a, b)| std::array::from_fn(|i| b[i] - a[i])).collect()
}

fn unit(q: [f32; 4]) -> [f32; 4] {
    let length = q.iter().map(|c| c * c).sum::<f32>().sqrt();
    if length > 0.0 { q.map(|c| c / length) } else { [0.0, 0.0, 0.0, 1.0] }
}
