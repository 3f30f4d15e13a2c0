//! `stiction check`: read a scene and report what it holds.

use super::print_json;
use crate::args::CheckOptions;
use crate::failure::Failure;
use crate::scene_source::{load, with_threads};
use serde::Serialize;
use stiction::scene::resolved::BodyKind;
use stiction::solvers::unheeded;
use stiction::{Finding, Judgement, Simulation, SimulationError};

#[derive(Serialize)]
struct Report {
    name: String,
    method: String,
    dofs: usize,
    vertices: usize,
    elements: usize,
    frames: u32,
    step_size: f64,
    bodies: Vec<BodyReport>,
    colliders: Vec<String>,
    intersections: usize,
    overlaps: usize,
    findings: Vec<FindingReport>,
    /// What the scene asks for and the method leaves out.
    notes: Vec<String>,
}

#[derive(Serialize)]
struct FindingReport {
    kind: &'static str,
    bodies: [String; 2],
    features: String,
    place: [f64; 3],
    depth: f64,
    #[serde(skip)]
    sentence: String,
}

#[derive(Serialize)]
struct BodyReport {
    name: String,
    kind: String,
    vertices: usize,
    elements: usize,
    mass: f64,
    pinned: usize,
}

/// Reads, builds and reports; nothing runs.
pub fn check(options: &CheckOptions) -> Result<(), Failure> {
    let loaded = load(&options.scene)?;
    let report = with_threads(options.scene.threads, || {
        let mut simulation = Simulation::new(loaded.scene)?;
        let judgement = simulation.judge()?;
        Ok::<_, SimulationError>(report(&simulation, &judgement))
    })?
    .map_err(|error| Failure::of_scene(error, &loaded.document))?;
    if options.json {
        return print_json(&report);
    }
    say!(
        "{}: method {}, {} frames, steps of {:.3} ms",
        report.name,
        report.method,
        report.frames,
        1e3 * report.step_size
    );
    say!("{} vertices, {} elements, {} degrees of freedom", report.vertices, report.elements, report.dofs);
    for body in &report.bodies {
        say!(
            "  {}: {}, {} vertices, {} elements, {:.4} kg, {} pinned",
            body.name,
            body.kind,
            body.vertices,
            body.elements,
            body.mass,
            body.pinned
        );
    }
    for collider in &report.colliders {
        say!("  {collider}: collider");
    }
    print_findings(&report);
    report.notes.iter().for_each(|sentence| say!("note: {sentence}"));
    Ok(())
}

/// Counts, then the worst of each pair of bodies.
fn print_findings(report: &Report) {
    say!("{} intersections, {} overlaps at the start", report.intersections, report.overlaps);
    let mut shown: Vec<(&str, &[String; 2])> = Vec::new();
    for finding in &report.findings {
        let pair = (finding.kind, &finding.bodies);
        if !shown.contains(&pair) {
            let same = report.findings.iter().filter(|f| (f.kind, &f.bodies) == pair).count();
            say!("  {} ({same} of this kind)", finding.sentence);
            shown.push(pair);
        }
    }
}

fn report(simulation: &Simulation, judgement: &Judgement) -> Report {
    let model = &simulation.model;
    let body = |(index, body): (usize, &stiction::bodies::Body)| {
        let source = &simulation.scene.bodies[index];
        BodyReport {
            name: body.name.clone(),
            kind: format!("{:?}", body.kind).to_lowercase(),
            vertices: body.nodes.len(),
            // A simulation leaves triangles of cloth and tets of solids to its model.
            elements: match body.kind {
                BodyKind::Cloth => body.triangles.len(),
                BodyKind::Solid => body.tets.len(),
                _ => source.mesh.cells.len(),
            },
            mass: simulation.parameters.body_mass(model, index),
            pinned: source.pins.iter().map(|p| p.vertices.len()).sum(),
        }
    };
    Report {
        name: simulation.scene.name.clone(),
        method: simulation.method().to_owned(),
        dofs: model.dofs(),
        vertices: model.vertices(),
        elements: model.elements(),
        frames: simulation.scene.frames,
        step_size: simulation.scene.step_size,
        bodies: model.bodies.iter().enumerate().map(body).collect(),
        colliders: simulation.scene.colliders.iter().map(|c| c.name.clone()).collect(),
        intersections: judgement.intersections(),
        overlaps: judgement.overlaps(),
        notes: unheeded(&simulation.scene),
        findings: judgement.findings(&model.surfaces).into_iter().map(FindingReport::from).collect(),
    }
}

impl From<Finding> for FindingReport {
    fn from(finding: Finding) -> Self {
        FindingReport {
            sentence: finding.sentence(),
            kind: finding.kind,
            bodies: finding.bodies,
            features: finding.features,
            place: finding.place.into(),
            depth: finding.depth,
        }
    }
}
