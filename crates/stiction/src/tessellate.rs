//! Analytic colliders as triangles, for files and pictures only: contact uses the exact shapes.

use std::f64::consts::{PI, TAU};
use stiction_numerics::nalgebra::Rotation3;
use stiction_numerics::{Mat3, Vec3};
use stiction_scene::resolved::{Cells, ColliderShape};

/// Vertices and triangles.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Triangles {
    /// Vertices \[m\].
    pub vertices: Vec<Vec3>,
    /// Triangles, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

const AROUND: usize = 64;
const ALONG: usize = 32;

/// The surface of a shape at time zero. Planes have no end: a square of half width `reach` about
/// `focus` stands for them.
pub fn tessellate(shape: &ColliderShape, focus: Vec3, reach: f64) -> Triangles {
    match shape {
        ColliderShape::Plane { normal, offset } => square(*normal, *offset, focus, reach),
        ColliderShape::Sphere { centre, radius, .. } => {
            let profile: Vec<(f64, f64)> = arc(-PI / 2.0, PI / 2.0, *radius, 0.0);
            revolve(*centre, Vec3::z(), &profile)
        }
        ColliderShape::Box { centre, half_size, rotation, .. } => cuboid(*centre, *half_size, *rotation),
        ColliderShape::Cylinder { start, end, radius, .. } => {
            let length = (end - start).norm();
            // Rings at the rims stand twice so that shading keeps the edge.
            let profile = [
                (0.0, 0.0),
                (*radius, 0.0),
                (*radius, 0.0),
                (*radius, length),
                (*radius, length),
                (0.0, length),
            ];
            revolve(*start, end - start, &profile)
        }
        ColliderShape::Capsule { start, end, radius, .. } => {
            let length = (end - start).norm();
            let mut profile = arc(-PI / 2.0, 0.0, *radius, 0.0);
            profile.extend(arc(0.0, PI / 2.0, *radius, length));
            revolve(*start, end - start, &profile)
        }
        ColliderShape::Mesh(mesh) => Triangles {
            vertices: mesh.vertices.clone(),
            triangles: match &mesh.cells {
                Cells::Triangles(triangles) => triangles.clone(),
                Cells::Tets(tets) => stiction_scene::geometry::surface_of_tets(tets),
                Cells::Strands(_) => Vec::new(),
            },
        },
    }
}

/// Points (distance from the axis, height) on a circle arc between two latitudes.
fn arc(from: f64, to: f64, radius: f64, height: f64) -> Vec<(f64, f64)> {
    let latitude = |i: usize| from + (to - from) * i as f64 / ALONG as f64;
    (0..=ALONG).map(|i| (radius * latitude(i).cos(), height + radius * latitude(i).sin())).collect()
}

/// A surface of revolution about `axis` through `origin`, from bottom to top.
fn revolve(origin: Vec3, axis: Vec3, profile: &[(f64, f64)]) -> Triangles {
    let frame = frame_along(axis);
    let mut out = Triangles::default();
    for &(radius, height) in profile {
        for k in 0..AROUND {
            let angle = TAU * k as f64 / AROUND as f64;
            out.vertices.push(origin + frame * Vec3::new(radius * angle.cos(), radius * angle.sin(), height));
        }
    }
    for ring in 0..profile.len() - 1 {
        for k in 0..AROUND {
            let at = |r: usize, k: usize| (r * AROUND + k % AROUND) as u32;
            let (a, b, c, d) = (at(ring, k), at(ring, k + 1), at(ring + 1, k + 1), at(ring + 1, k));
            out.triangles.push([a, b, c]);
            out.triangles.push([a, c, d]);
        }
    }
    out
}

/// A rotation whose third column is along `axis`.
fn frame_along(axis: Vec3) -> Mat3 {
    let z = axis.try_normalize(0.0).unwrap_or_else(Vec3::z);
    let x = stiction_bodies::frames::any_orthogonal(z);
    Mat3::from_columns(&[x, z.cross(&x), z])
}

fn square(normal: Vec3, offset: f64, focus: Vec3, reach: f64) -> Triangles {
    let frame = frame_along(normal);
    let centre = focus + normal * (offset - normal.dot(&focus));
    let corner = |x: f64, y: f64| centre + frame * Vec3::new(x * reach, y * reach, 0.0);
    Triangles {
        vertices: vec![corner(-1.0, -1.0), corner(1.0, -1.0), corner(1.0, 1.0), corner(-1.0, 1.0)],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
    }
}

fn cuboid(centre: Vec3, half: Vec3, rotation: Vec3) -> Triangles {
    let turn = Rotation3::from_scaled_axis(rotation);
    let mut out = Triangles::default();
    // Six faces with four vertices of their own each, so that shading keeps the edges.
    for axis in 0..3 {
        for sign in [-1.0, 1.0] {
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            let first = out.vertices.len() as u32;
            for (p, q) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
                let mut point = Vec3::zeros();
                (point[axis], point[u], point[v]) = (sign * half[axis], p * sign * half[u], q * half[v]);
                out.vertices.push(centre + turn * point);
            }
            out.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn volume(t: &Triangles) -> f64 {
        let at = |i: u32| t.vertices[i as usize];
        t.triangles.iter().map(|&[a, b, c]| at(a).dot(&at(b).cross(&at(c))) / 6.0).sum()
    }

    #[test]
    fn closed_shapes_enclose_their_volume_facing_outwards() {
        let (start, end) = (Vec3::new(0.3, -0.2, 0.1), Vec3::new(1.3, 0.8, 0.6));
        let length = (end - start).norm();
        let (radius, inverted) = (0.4, false);
        let disc = PI * radius * radius;
        let half_size = Vec3::new(0.2, 0.3, 0.5);
        let cases = [
            (ColliderShape::Sphere { centre: start, radius, inverted }, disc * radius * 4.0 / 3.0),
            (ColliderShape::Box { centre: start, half_size, rotation: end, inverted }, 8.0 * 0.03),
            (ColliderShape::Cylinder { start, end, radius, inverted }, disc * length),
            (ColliderShape::Capsule { start, end, radius, inverted }, disc * (length + radius * 4.0 / 3.0)),
        ];
        for (shape, expected) in cases {
            let measured = volume(&tessellate(&shape, Vec3::zeros(), 1.0));
            // Inscribed polygons lose about (2/3)(π/n)² of the area.
            assert!((measured / expected - 1.0).abs() < 5e-3, "{shape:?}: {measured} against {expected}");
        }
    }

    #[test]
    fn planes_face_along_their_normal() {
        let shape = ColliderShape::Plane { normal: Vec3::new(0.0, 0.6, 0.8), offset: 2.0 };
        let t = tessellate(&shape, Vec3::new(5.0, 1.0, 1.0), 3.0);
        let [a, b, c] = t.triangles[0].map(|i| t.vertices[i as usize]);
        let normal = (b - a).cross(&(c - a)).normalize();
        assert!((normal - Vec3::new(0.0, 0.6, 0.8)).norm() < 1e-12);
        assert!((a.dot(&normal) - 2.0).abs() < 1e-12);
    }
}
