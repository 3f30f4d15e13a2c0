//! Lumped masses: every cell gives an equal share of its mass to its vertices.

use crate::model::{Body, Model};
use crate::shells::ShellEdge;
use stiction_numerics::{Vec2, Vec3};
use stiction_scene::material::Material;
use stiction_scene::resolved::RestShape;

/// Lumped mass per block: \[kg\] for nodes and centres of rigid bodies, \[kg m²\] for angles. The
/// block of a rotation has the mean of its principal moments, a scale only: its inertia is a
/// tensor, [`crate::Parameters::inertia`].
pub(crate) fn lumped_masses<'a>(model: &Model, material: impl Fn(usize) -> &'a Material) -> Vec<f64> {
    let angles = model.nodes + model.rods.edges.len();
    let mut mass = vec![0.0; model.blocks()];
    for (index, body) in model.bodies.iter().enumerate() {
        add_body_mass(&mut mass, model, body, material(index));
    }
    for (inertia, edge) in mass[angles..].iter_mut().zip(&model.shell_edges) {
        let body = &model.bodies[edge.body as usize];
        *inertia = normal_inertia(edge, body, material(edge.body as usize), &model.rest);
    }
    for (index, rigid) in model.rigid.bodies.iter().enumerate() {
        let density = material(rigid.body as usize).density();
        mass[model.rigid.centre_block(index)] = density * rigid.shape.volume;
        mass[model.rigid.rotation_block(index)] = density * rigid.shape.inertia.trace() / 3.0;
    }
    mass
}

/// Adds the mass of a body to its nodes, and the spin inertia of its rod edges to their twists.
///
/// cloth ρ h A/3 per vertex · solid ρ V/4 · rod ρ A l/2, twist ρ (I₁ + I₂) l · node of a frame ρ
/// times its share of the volume
fn add_body_mass(mass: &mut [f64], model: &Model, body: &Body, material: &Material) {
    let rest = &model.rest;
    for (node, volume) in body.nodes.clone().zip(&body.node_volumes) {
        mass[node] += material.density() * volume;
    }
    match material {
        Material::Cloth(cloth) => {
            for triangle in &body.triangles {
                let share = cloth.density * cloth.thickness * rest_area(body, triangle, rest) / 3.0;
                triangle.iter().for_each(|&node| mass[node as usize] += share);
            }
        }
        Material::Solid(solid) => {
            for tet in &body.tets {
                let share = solid.density * tet_volume(tet.map(|n| rest[n as usize])) / 4.0;
                tet.iter().for_each(|&node| mass[node as usize] += share);
            }
        }
        Material::Rod(rod) => {
            let moments: f64 = rod.section.second_moments().iter().sum();
            for index in body.edges.clone() {
                let edge = &model.rods.edges[index];
                let share = rod.density * rod.section.area() * edge.length / 2.0;
                edge.nodes.iter().for_each(|&node| mass[node as usize] += share);
                mass[model.twist_block(index)] += rod.density * moments * edge.length;
            }
        }
        Material::Rigid(_) => {}
    }
}

/// Inertia of the normal of a shell edge as it turns about the edge \[kg m²\]: ρ h³/12 over a third
/// of its triangles.
fn normal_inertia(edge: &ShellEdge, body: &Body, material: &Material, rest: &[Vec3]) -> f64 {
    let Material::Cloth(cloth) = material else { return 0.0 };
    let areas = edge.triangles.map(|t| rest_area(body, &body.triangles[t as usize], rest));
    cloth.density * cloth.thickness.powi(3) / 12.0 * (areas[0] + areas[1]) / 3.0
}

/// Area of a cloth triangle in the shape that is free of stress \[m²\].
pub fn rest_area(body: &Body, triangle: &[u32; 3], rest: &[Vec3]) -> f64 {
    match (body.rest_shape, &body.uv) {
        (RestShape::Pattern, Some(uv)) => {
            let [a, b, c] = triangle.map(|n| uv[n as usize - body.nodes.start]);
            let (p, q): (Vec2, Vec2) = (b - a, c - a);
            0.5 * (p.x * q.y - p.y * q.x).abs()
        }
        _ => {
            let [a, b, c] = triangle.map(|n| rest[n as usize]);
            0.5 * (b - a).cross(&(c - a)).norm()
        }
    }
}

/// Signed volume of a tet \[m³\].
pub fn tet_volume([a, b, c, d]: [Vec3; 4]) -> f64 {
    (b - a).dot(&(c - a).cross(&(d - a))) / 6.0
}
