//! `stiction check`: read a scene and report what it holds.

use super::print_json;
use crate::args::CheckOptions;
use crate::failure::Failure;
use crate::scene_source::{load, with_threads};
use serde::Serialize;
use stiction::Simulation;

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
    let report = with_threads(options.scene.threads, || Simulation::new(loaded.scene).map(|s| report(&s)))??;
    if options.json {
        return print_json(&report);
    }
    println!(
        "{}: method {}, {} frames, steps of {} s",
        report.name, report.method, report.frames, report.step_size
    );
    println!(
        "{} vertices, {} elements, {} degrees of freedom",
        report.vertices, report.elements, report.dofs
    );
    for body in &report.bodies {
        println!(
            "  {}: {}, {} vertices, {} elements, {:.4} kg, {} pinned",
            body.name, body.kind, body.vertices, body.elements, body.mass, body.pinned
        );
    }
    for collider in &report.colliders {
        println!("  {collider}: collider");
    }
    Ok(())
}

fn report(simulation: &Simulation) -> Report {
    let model = &simulation.model;
    let body = |(index, body): (usize, &stiction::bodies::Body)| {
        let source = &simulation.scene.bodies[index];
        BodyReport {
            name: body.name.clone(),
            kind: format!("{:?}", body.kind).to_lowercase(),
            vertices: body.nodes.len(),
            elements: source.mesh.cells.len(),
            mass: model.body_mass(index),
            pinned: source.pins.iter().map(|p| p.vertices.len()).sum(),
        }
    };
    Report {
        name: simulation.scene.name.clone(),
        method: simulation.method().to_owned(),
        dofs: model.dofs(),
        vertices: model.nodes,
        elements: model.elements(),
        frames: simulation.scene.frames,
        step_size: simulation.scene.step_size,
        bodies: model.bodies.iter().enumerate().map(body).collect(),
        colliders: simulation.scene.colliders.iter().map(|c| c.name.clone()).collect(),
    }
}
