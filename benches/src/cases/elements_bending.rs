//! Bending elements of a crumpled sheet: hinges, the quadratic form, and the shape operator per
//! triangle.

use super::elements::{ElementSample, measured};
use crate::meshes::sheet;
use crate::record::Record;
use crate::registry::{BenchSettings, Stopped};
use stiction::bodies::shells::{bisecting_frames, shell_edges};
use stiction::energy::bending::{
    EdgeNumbering, HingeElement, HingeScale, Plate, QuadraticBend, ShapeElements, Topology,
};
use stiction::energy::{MaterialTable, NamedGroup};
use stiction::numerics::{Random, Vec3};

const CELLS: usize = 100;
/// Largest time per triangle \[ns\].
const LIMIT: f64 = 500.0;

/// Records by model.
pub fn run(case: &'static str, settings: &BenchSettings) -> Result<Vec<Record>, Stopped> {
    let mut random = Random::new(1);
    let (rest, triangles) = sheet(CELLS);
    let plate = Plate::new(1e-3, 0.3)?;
    let moved: Vec<Vec3> = rest.iter().map(|x| x + random.vector(-0.3, 0.3)).collect();
    let at = |node: u32| rest[node as usize];
    let (mut hinges, mut quadratics) = (Vec::new(), Vec::new());
    for hinge in &Topology::new(&triangles).hinges {
        let corners = hinge.nodes.map(at);
        hinges.push(HingeElement::new(hinge.nodes, corners, 0)?);
        quadratics.push(QuadraticBend::new(hinge.nodes, corners, 0)?);
    }
    let edges = shell_edges(&triangles, 0);
    let first = EdgeNumbering { block: rest.len(), frame: 0, factor: 0 };
    let shape = ShapeElements::new(&triangles, &edges, first, &rest, |t| triangles[t].map(at), 0)?;
    let materials = MaterialTable {
        plate_factors: shape.factors(&plate),
        ..MaterialTable::of_plate(plate, HingeScale::Cylinder)
    };
    let frames = bisecting_frames(&edges, |_| &triangles[..], &rest);
    let angles = edges.iter().map(|_| Vec3::new(random.range(-0.3, 0.3), 0.0, 0.0));
    let blocks: Vec<Vec3> = moved.iter().copied().chain(angles).collect();
    let count = blocks.len();
    let samples = [
        ("hinge", NamedGroup::new("bending", count, hinges), None),
        ("quadratic", NamedGroup::new("bending", count, quadratics), None),
        ("shape operator", NamedGroup::new("bending", count, shape.six), Some(LIMIT)),
    ];
    let mut records = Vec::new();
    for (name, group, limit) in samples {
        let sample =
            ElementSample { name, group, blocks: &blocks, frames: &frames, materials: &materials, limit };
        records.extend(measured(case, sample, settings)?);
    }
    Ok(records)
}
