//! `stiction check`: read a scene and report what it holds.

use super::print_json;
use crate::args::CheckOptions;
use crate::failure::Failure;
use crate::job::open;
use serde::Serialize;
use stiction::scene::resolved::SceneBody;
use stiction::{FoundPair, IntersectionReport, Simulation, SimulationError, Threads};

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
    /// What the scene asks for and the method ignores.
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
    let opened = open(&options.scene)?;
    let threads = Threads::new(options.scene.threads)?;
    let report = threads.install(|| {
        let sizes: Vec<BodySize> = opened.scene.bodies.iter().map(BodySize::of).collect();
        let mut simulation = Simulation::of(opened)?;
        let found = simulation.check_intersections()?;
        Ok::<_, SimulationError>(report(&simulation, &sizes, &found))
    })?;
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

/// Counts that only the scene has.
struct BodySize {
    elements: usize,
    pinned: usize,
}

impl BodySize {
    fn of(body: &SceneBody) -> BodySize {
        let pinned = body.pins.iter().map(|p| p.vertices.len()).sum();
        BodySize { elements: body.mesh.cells.len(), pinned }
    }
}

fn report(simulation: &Simulation, sizes: &[BodySize], found: &IntersectionReport) -> Report {
    let (model, settings) = (&simulation.model, simulation.settings());
    let body = |index: usize| {
        let (body, size) = (&model.bodies[index], &sizes[index]);
        BodyReport {
            name: body.name.clone(),
            kind: format!("{:?}", body.kind).to_lowercase(),
            vertices: body.nodes.len(),
            elements: size.elements,
            mass: simulation.parameters.body_mass(model, index),
            pinned: size.pinned,
        }
    };
    Report {
        name: settings.name.clone(),
        method: simulation.method().to_owned(),
        dofs: model.dofs(),
        vertices: model.vertices(),
        elements: model.elements(),
        frames: settings.frames,
        step_size: settings.step_size,
        bodies: (0..model.bodies.len()).map(body).collect(),
        colliders: model.colliders.colliders.iter().map(|c| c.name.clone()).collect(),
        intersections: found.intersections(),
        overlaps: found.overlaps(),
        notes: simulation.notes().to_vec(),
        findings: found.pairs(&model.surfaces).into_iter().map(FindingReport::from).collect(),
    }
}

impl From<FoundPair> for FindingReport {
    fn from(found: FoundPair) -> Self {
        FindingReport {
            sentence: found.sentence(),
            kind: found.kind,
            bodies: found.objects,
            features: found.features,
            place: found.place.into(),
            depth: found.depth,
        }
    }
}
