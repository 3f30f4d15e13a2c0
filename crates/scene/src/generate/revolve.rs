//! Surfaces of revolution about z: ball, cylinder, capsule, torus.

use super::RawMesh;
use crate::resolved::Cells;
use std::f64::consts::{FRAC_PI_2, PI, TAU};
use stiction_numerics::Vec3;

/// Turns a profile (radius, height), listed from below, about z. Ends with radius 0 become single
/// poles.
pub(super) fn revolve(profile: &[(f64, f64)], around: u32) -> RawMesh {
    let mut vertices = Vec::new();
    let mut rings: Vec<Vec<u32>> = Vec::new();
    for &(r, z) in profile {
        let start = vertices.len() as u32;
        if r == 0.0 {
            vertices.push(Vec3::new(0.0, 0.0, z));
            rings.push(vec![start]);
        } else {
            for i in 0..around {
                let angle = TAU * f64::from(i) / f64::from(around);
                vertices.push(Vec3::new(r * angle.cos(), r * angle.sin(), z));
            }
            rings.push((start..start + around).collect());
        }
    }
    let mut triangles = Vec::new();
    for pair in rings.windows(2) {
        let (below, above) = (&pair[0], &pair[1]);
        for i in 0..around as usize {
            let j = (i + 1) % around as usize;
            match (below.len() > 1, above.len() > 1) {
                (true, true) => {
                    triangles.extend([[below[i], below[j], above[j]], [below[i], above[j], above[i]]]);
                }
                (true, false) => triangles.push([below[i], below[j], above[0]]),
                (false, true) => triangles.push([below[0], above[j], above[i]]),
                (false, false) => {}
            }
        }
    }
    RawMesh::new(vertices, Cells::Triangles(triangles))
}

/// Ball with poles on z.
pub fn uv_sphere(radius: f64, around: u32, along: u32) -> RawMesh {
    let profile: Vec<_> = (0..=along)
        .map(|k| {
            let polar = PI * f64::from(k) / f64::from(along);
            let r = if k == 0 || k == along { 0.0 } else { radius * polar.sin() };
            (r, -radius * polar.cos())
        })
        .collect();
    revolve(&profile, around)
}

/// Cylinder along z, with or without lids (each lid has rings of about the size of the side cells).
pub fn cylinder(radius: f64, height: f64, around: u32, along: u32, closed: bool) -> RawMesh {
    let half = 0.5 * height;
    let rings = (f64::from(around) / TAU).round().max(1.0) as u32;
    let lid = |k: u32| radius * f64::from(k) / f64::from(rings);
    let mut profile = Vec::new();
    if closed {
        profile.extend((0..rings).map(|k| (lid(k), -half)));
    }
    profile.extend((0..=along).map(|k| (radius, height * f64::from(k) / f64::from(along) - half)));
    if closed {
        profile.extend((0..rings).rev().map(|k| (lid(k), half)));
    }
    let mut mesh = revolve(&profile, around);
    let limit = half * (1.0 - 1e-9);
    mesh.group("bottom", |p| p.z < -limit);
    mesh.group("top", |p| p.z > limit);
    mesh
}

/// Capsule along z; `height` is that of the straight part.
pub fn capsule(radius: f64, height: f64, around: u32, along: u32) -> RawMesh {
    let bands = (around / 4).max(2);
    let half = 0.5 * height;
    let cap = |k: u32| {
        let angle = FRAC_PI_2 * f64::from(k) / f64::from(bands);
        (if k == 0 { 0.0 } else { radius * angle.sin() }, radius * angle.cos())
    };
    let mut profile: Vec<_> = (0..bands).map(|k| (cap(k).0, -half - cap(k).1)).collect();
    profile.extend((0..=along).map(|k| (radius, height * f64::from(k) / f64::from(along) - half)));
    profile.extend((0..bands).rev().map(|k| (cap(k).0, half + cap(k).1)));
    revolve(&profile, around)
}

/// Torus about z.
pub fn torus(radius: f64, tube: f64, around: u32, across: u32) -> RawMesh {
    let mut vertices = Vec::new();
    let mut triangles = Vec::new();
    let at = |i: u32, j: u32| (i % around) * across + j % across;
    for i in 0..around {
        let turn = TAU * f64::from(i) / f64::from(around);
        for j in 0..across {
            let angle = TAU * f64::from(j) / f64::from(across);
            let r = radius + tube * angle.cos();
            vertices.push(Vec3::new(r * turn.cos(), r * turn.sin(), tube * angle.sin()));
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    RawMesh::new(vertices, Cells::Triangles(triangles))
}
