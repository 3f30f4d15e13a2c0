//! Strain of a configuration, for display and for limits.

use crate::membrane::TriangleRest;
use stiction_bodies::{Body, Model};
use stiction_numerics::{Mat3, Mat3x2, Vec3, svd3, svd3x2};
use stiction_scene::resolved::{BodyKind, MaterialPoint};

/// Largest |σ − 1| over the principal stretches of the elements of each node, averaged over them.
pub fn per_node(model: &Model, blocks: &[Vec3]) -> Vec<f32> {
    let mut sum = vec![(0.0, 0u32); model.nodes];
    let mut add = |nodes: &[u32], strain: f64| {
        for &node in nodes {
            let entry = &mut sum[node as usize];
            *entry = (entry.0 + strain, entry.1 + 1);
        }
    };
    for body in &model.bodies {
        match body.kind {
            BodyKind::Cloth => {
                body.triangles.iter().for_each(|t| add(t, triangle_strain(model, body, t, blocks)))
            }
            BodyKind::Solid => body.tets.iter().for_each(|t| add(t, tet_strain(model, t, blocks))),
            BodyKind::Skinned | BodyKind::Affine => {
                body.points.iter().for_each(|p| add(&p.nodes, point_strain(p, blocks)))
            }
            BodyKind::Rod => {
                for edge in body.edges.clone().map(|e| &model.rods.edges[e]) {
                    let [a, b] = edge.nodes.map(|n| blocks[n as usize]);
                    add(&edge.nodes, ((b - a).norm() / edge.length - 1.0).abs());
                }
            }
            BodyKind::Rigid => {}
        }
    }
    sum.into_iter().map(|(total, count)| (total / f64::from(count.max(1))) as f32).collect()
}

fn triangle_strain(model: &Model, body: &Body, nodes: &[u32; 3], blocks: &[Vec3]) -> f64 {
    let Ok(rest) = crate::model_elements::triangle_rest(model, body, *nodes) else { return 0.0 };
    let x = nodes.map(|n| blocks[n as usize]);
    deviation(svd3x2(&deformation(&rest, &x)).sigma.as_slice())
}

fn deformation(rest: &TriangleRest, x: &[Vec3; 3]) -> Mat3x2 {
    Mat3x2::from_columns(&[x[1] - x[0], x[2] - x[0]]) * rest.inverse
}

fn tet_strain(model: &Model, nodes: &[u32; 4], blocks: &[Vec3]) -> f64 {
    let edges = |x: [Vec3; 4]| Mat3::from_columns(&[x[1] - x[0], x[2] - x[0], x[3] - x[0]]);
    let rest = edges(nodes.map(|n| model.rest[n as usize]));
    let Some(inverse) = rest.try_inverse() else { return 0.0 };
    deviation(svd3(&(edges(nodes.map(|n| blocks[n as usize])) * inverse)).sigma.as_slice())
}

fn point_strain(point: &MaterialPoint, blocks: &[Vec3]) -> f64 {
    let terms = point.nodes.iter().zip(&point.gradients);
    let f = terms.fold(Mat3::zeros(), |f, (&n, g)| f + blocks[n as usize] * g.transpose());
    deviation(svd3(&f).sigma.as_slice())
}

fn deviation(stretches: &[f64]) -> f64 {
    stretches.iter().map(|s| (s - 1.0).abs()).fold(0.0, f64::max)
}
