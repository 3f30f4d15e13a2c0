//! Universal Scene Description as text (`.usda`).
//!
//! `/World` holds a `Mesh` per surface and a linear `BasisCurves` with widths per rod. Frame k is
//! time code k and `timeCodesPerSecond` is the run's fps. `Free` bodies have time-sampled points,
//! `Posed` ones time-sampled `translate` and `orient`. USD knows only y and z as up; a run with x
//! up is turned by a rotation of `/World`.

use super::ExportReport;
use super::gather::{Quantity, bounds, pose_tracks, tracks};
use super::select::Selection;
use crate::error::{OutputError, Result};
use crate::files::stream_atomic;
use crate::layout::{BodyLayout, LayoutKind, StoredMotion, StoredPose, UpAxis};
use crate::reader::RunReader;
use std::io::{Result as IoResult, Write};
use std::path::Path;

pub(super) fn write(
    reader: &RunReader,
    selection: &Selection,
    path: &Path,
    report: &mut ExportReport,
) -> Result<()> {
    let poses = pose_tracks(reader, selection)?;
    let io = |e| OutputError::writing(path, e);
    stream_atomic(path, |out| {
        header(out, reader, selection).map_err(io)?;
        tracks(
            reader,
            selection,
            Quantity::Positions,
            |_| true,
            |b, track| {
                let prim = Prim::new(selection, b, track.as_chunks::<3>().0);
                prim.write(out, &poses[b]).map_err(io)
            },
        )?;
        writeln!(out, "}}").map_err(io)
    })?;
    if selection.bodies.iter().any(|b| !b.strands.is_empty() && !in_order(b)) {
        report
            .notes
            .push("strands that do not list their vertices in order were reordered along the strand".into());
    }
    report.add_file(path)
}

fn header(out: &mut impl Write, reader: &RunReader, selection: &Selection) -> IoResult<()> {
    let layout = reader.layout();
    let up = if layout.up_axis == UpAxis::Z { "Z" } else { "Y" };
    let (first, last) = (selection.frames[0], selection.frames[selection.frames.len() - 1]);
    writeln!(
        out,
        "#usda 1.0\n(\n    defaultPrim = \"World\"\n    doc = \"Written by Stiction\"\n    metersPerUnit = 1\n    \
         upAxis = \"{up}\"\n    startTimeCode = {first}\n    endTimeCode = {last}\n    timeCodesPerSecond = {fps}\n    \
         framesPerSecond = {fps}\n)\n\ndef Xform \"World\"\n{{",
        fps = layout.fps
    )?;
    if layout.up_axis == UpAxis::X {
        writeln!(
            out,
            "    double xformOp:rotateZ = 90\n    uniform token[] xformOpOrder = [\"xformOp:rotateZ\"]"
        )?;
    }
    Ok(())
}

/// One body with its points at all frames.
struct Prim<'a> {
    name: &'a str,
    body: &'a BodyLayout,
    frames: &'a [u32],
    /// Order in which vertices are written.
    order: Vec<u32>,
    points: &'a [[f32; 3]],
}

impl<'a> Prim<'a> {
    fn new(selection: &'a Selection, b: usize, points: &'a [[f32; 3]]) -> Self {
        let body = selection.bodies[b];
        let order =
            if is_curves(body) { curves(body).concat() } else { (0..body.vertex_count() as u32).collect() };
        Self { name: &selection.names[b], body, frames: &selection.frames, order, points }
    }

    fn write(&self, out: &mut impl Write, poses: &[StoredPose]) -> IoResult<()> {
        let kind = if is_curves(self.body) { "BasisCurves" } else { "Mesh" };
        writeln!(out, "\n    def {kind} \"{}\"\n    {{", self.name)?;
        if is_curves(self.body) {
            self.curve_topology(out)?
        } else {
            self.mesh_topology(out)?
        }
        let [r, g, b] = self.body.linear_colour();
        writeln!(out, "        color3f[] primvars:displayColor = [({r}, {g}, {b})]")?;
        match self.body.motion {
            StoredMotion::Free => self.sampled_points(out)?,
            StoredMotion::Posed | StoredMotion::Fixed => {
                self.line(out, "point3f[] points", &self.body.shape)?;
                let (low, high) = bounds(&self.body.shape);
                self.extent(out, "float3[] extent =", low, high, "")?;
            }
        }
        if self.body.motion == StoredMotion::Posed {
            self.pose(out, poses)?;
        }
        writeln!(out, "    }}")
    }

    fn mesh_topology(&self, out: &mut impl Write) -> IoResult<()> {
        let triangles = &self.body.triangles;
        writeln!(
            out,
            "        uniform token subdivisionScheme = \"none\"\n        uniform bool doubleSided = 1"
        )?;
        write!(out, "        int[] faceVertexCounts = [")?;
        separated(out, triangles.iter().map(|_| 3))?;
        write!(out, "]\n        int[] faceVertexIndices = [")?;
        separated(out, triangles.as_flattened())?;
        writeln!(out, "]")?;
        if !self.body.uv.is_empty() {
            write!(out, "        texCoord2f[] primvars:st = [")?;
            separated(out, self.body.uv.iter().map(|[u, v]| format!("({u}, {v})")))?;
            writeln!(out, "] (\n            interpolation = \"vertex\"\n        )")?;
        }
        Ok(())
    }

    fn curve_topology(&self, out: &mut impl Write) -> IoResult<()> {
        writeln!(
            out,
            "        uniform token type = \"linear\"\n        uniform token wrap = \"nonperiodic\""
        )?;
        write!(out, "        int[] curveVertexCounts = [")?;
        separated(out, curves(self.body).iter().map(Vec::len))?;
        write!(out, "]\n        float[] widths = [")?;
        separated(out, self.order.iter().map(|&v| 2.0 * self.body.radius_at(v as usize)))?;
        writeln!(out, "] (\n            interpolation = \"vertex\"\n        )")
    }

    fn sampled_points(&self, out: &mut impl Write) -> IoResult<()> {
        let count = self.body.vertex_count();
        writeln!(out, "        point3f[] points.timeSamples = {{")?;
        for (frame, points) in self.frames.iter().zip(self.points.chunks_exact(count.max(1))) {
            self.line(out, &format!("    {frame}:"), points)?;
        }
        writeln!(out, "        }}\n        float3[] extent.timeSamples = {{")?;
        for (frame, points) in self.frames.iter().zip(self.points.chunks_exact(count.max(1))) {
            let (low, high) = bounds(points);
            self.extent(out, &format!("    {frame}:"), low, high, ",")?;
        }
        writeln!(out, "        }}")
    }

    /// `label = [points]`, or `time: [points],` for a label that ends in a colon.
    fn line(&self, out: &mut impl Write, label: &str, points: &[[f32; 3]]) -> IoResult<()> {
        let sample = label.ends_with(':');
        write!(out, "        {label}{}[", if sample { " " } else { " = " })?;
        for (k, &v) in self.order.iter().enumerate() {
            let [x, y, z] = points[v as usize];
            write!(out, "{}({x}, {y}, {z})", if k > 0 { ", " } else { "" })?;
        }
        writeln!(out, "]{}", if sample { "," } else { "" })
    }

    /// Bounds, grown by the largest radius for curves.
    fn extent(
        &self,
        out: &mut impl Write,
        label: &str,
        low: [f32; 3],
        high: [f32; 3],
        end: &str,
    ) -> IoResult<()> {
        let radius =
            if is_curves(self.body) { self.body.radius.iter().copied().fold(0.0, f32::max) } else { 0.0 };
        let [a, b, c] = low.map(|x| x - radius);
        let [d, e, f] = high.map(|x| x + radius);
        writeln!(out, "        {label} [({a}, {b}, {c}), ({d}, {e}, {f})]{end}")
    }

    fn pose(&self, out: &mut impl Write, poses: &[StoredPose]) -> IoResult<()> {
        writeln!(out, "        double3 xformOp:translate.timeSamples = {{")?;
        for (frame, pose) in self.frames.iter().zip(poses) {
            let [x, y, z] = pose.translation;
            writeln!(out, "            {frame}: ({x}, {y}, {z}),")?;
        }
        writeln!(out, "        }}\n        quatf xformOp:orient.timeSamples = {{")?;
        for (frame, pose) in self.frames.iter().zip(poses) {
            let [x, y, z, w] = pose.rotation_xyzw;
            writeln!(out, "            {frame}: ({w}, {x}, {y}, {z}),")?;
        }
        writeln!(out, "        }}")?;
        writeln!(out, "        uniform token[] xformOpOrder = [\"xformOp:translate\", \"xformOp:orient\"]")
    }
}

fn is_curves(body: &BodyLayout) -> bool {
    body.kind == LayoutKind::Rod || (body.triangles.is_empty() && !body.segments.is_empty())
}

/// Strands where known, else every segment as a curve of its own.
fn curves(body: &BodyLayout) -> Vec<Vec<u32>> {
    if body.strands.is_empty() {
        body.segments.iter().map(|s| s.to_vec()).collect()
    } else {
        body.strands.clone()
    }
}

fn in_order(body: &BodyLayout) -> bool {
    body.strands.iter().flatten().copied().eq(0..body.vertex_count() as u32)
}

fn separated<T: std::fmt::Display>(out: &mut impl Write, items: impl IntoIterator<Item = T>) -> IoResult<()> {
    for (k, item) in items.into_iter().enumerate() {
        write!(out, "{}{item}", if k > 0 { ", " } else { "" })?;
    }
    Ok(())
}
