//! A belt: a closed band round two pulleys.

use super::RawMesh;
use crate::resolved::Cells;
use std::f64::consts::PI;
use stiction_numerics::Vec3;

/// A band round two circles in the plane xz, its width along y. The middle between the circles is
/// the origin.
#[derive(Clone, Copy, Debug)]
pub struct BeltOptions {
    /// Radius of both circles.
    pub radius: f64,
    /// Distance of their centres along x.
    pub distance: f64,
    /// Width along y.
    pub width: f64,
    /// Cells around the loop.
    pub around: u32,
    /// Cells across the width.
    pub across: u32,
}

/// Band of triangles that face outwards; cells are equally long around the loop, diagonals
/// alternate.
pub fn belt(options: &BeltOptions) -> RawMesh {
    let BeltOptions { width, around, across, .. } = *options;
    let mut vertices = Vec::with_capacity((around * (across + 1)) as usize);
    let mut triangles = Vec::with_capacity((2 * around * across) as usize);
    let at = |i: u32, j: u32| (i % around) * (across + 1) + j;
    for i in 0..around {
        let (x, z) = stadium(options, f64::from(i) / f64::from(around));
        for j in 0..=across {
            vertices.push(Vec3::new(x, width * (f64::from(j) / f64::from(across) - 0.5), z));
            if j < across {
                let [a, b, c, d] = [at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)];
                let rising = [[a, b, c], [a, c, d]];
                triangles.extend(if (i + j) % 2 == 0 { rising } else { [[a, b, d], [b, c, d]] });
            }
        }
    }
    let mut mesh = RawMesh::new(vertices, Cells::Triangles(triangles));
    let limit = 0.5 * width * (1.0 - 1e-9);
    mesh.group("front", |p| p.y < -limit);
    mesh.group("back", |p| p.y > limit);
    mesh
}

/// (x, z) after a share of the loop, from the lower right tangent point round the right circle,
/// back along the top.
fn stadium(options: &BeltOptions, share: f64) -> (f64, f64) {
    let BeltOptions { radius, distance, .. } = *options;
    let half_turn = PI * radius;
    let mut run = share * 2.0 * (half_turn + distance);
    let half = half_turn + distance;
    let sign = if run < half { 1.0 } else { -1.0 };
    if run >= half {
        run -= half;
    }
    let (x, z) = if run < half_turn {
        let angle = run / radius;
        (0.5 * distance + radius * angle.sin(), -radius * angle.cos())
    } else {
        (0.5 * distance - (run - half_turn), radius)
    };
    (sign * x, sign * z)
}
