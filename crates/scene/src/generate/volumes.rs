//! Tet meshes: box, ball, torus, cylinder.

use super::RawMesh;
use super::extrude::prisms;
use super::surfaces::{box_groups, disc_pattern};
use crate::resolved::Cells;
use std::collections::BTreeMap;
use std::f64::consts::TAU;
use stiction_numerics::Vec3;

/// The six orders in which a walk from (0,0,0) to (1,1,1) can take the axes: one tet each (Kuhn's
/// cut).
const WALKS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];

/// The six tets of a unit cell, by lattice corners.
pub(super) fn kuhn(cell: [u32; 3]) -> [[[u32; 3]; 4]; 6] {
    WALKS.map(|walk| {
        let mut corners = [cell; 4];
        for step in 0..3 {
            corners[step + 1] = corners[step];
            corners[step + 1][walk[step]] += 1;
        }
        corners
    })
}

/// Turns every tet so that its volume is positive; generators may list them either way.
pub(super) fn orient(vertices: &[Vec3], tets: &mut [[u32; 4]]) {
    for tet in tets {
        let [a, b, c, d] = tet.map(|i| vertices[i as usize]);
        if (b - a).dot(&(c - a).cross(&(d - a))) < 0.0 {
            tet.swap(2, 3);
        }
    }
}

/// Box with its middle at the origin; vertex (i, j, k) has index (k (ny + 1) + j)(nx + 1) + i.
pub fn tet_box(size: [f64; 3], cells: [u32; 3]) -> RawMesh {
    let [nx, ny, nz] = cells;
    let at = |p: [u32; 3]| (p[2] * (ny + 1) + p[1]) * (nx + 1) + p[0];
    let mut vertices = Vec::new();
    let mut tets = Vec::new();
    for k in 0..=nz {
        for j in 0..=ny {
            for i in 0..=nx {
                let x = |n: u32, axis: usize| size[axis] * (f64::from(n) / f64::from(cells[axis]) - 0.5);
                vertices.push(Vec3::new(x(i, 0), x(j, 1), x(k, 2)));
                if i < nx && j < ny && k < nz {
                    tets.extend(kuhn([i, j, k]).map(|corners| corners.map(at)));
                }
            }
        }
    }
    orient(&vertices, &mut tets);
    let mut mesh = RawMesh::new(vertices, Cells::Tets(tets));
    box_groups(&mut mesh, size);
    mesh
}

/// Ball: the octahedron |x|+|y|+|z| ≤ n cut on the integer lattice, each shell pushed to its
/// sphere.
///
/// An octant i + j + k ≤ n is Kuhn's simplex n ≥ a ≥ b ≥ c ≥ 0 under a = i+j+k, b = j+k, c = k, so
/// Kuhn's cut of unit cells fills it exactly, and on shared faces it is the lattice triangulation:
/// octants agree.
pub fn tet_sphere(radius: f64, cells: u32) -> RawMesh {
    let n = cells;
    let mut index = BTreeMap::new();
    let mut vertices: Vec<Vec3> = Vec::new();
    let mut tets = Vec::new();
    let simplices: Vec<[[u32; 3]; 4]> = (0..n)
        .flat_map(|a| (0..=a).flat_map(move |b| (0..=b).flat_map(move |c| kuhn([a, b, c]))))
        .filter(|corners| corners.iter().all(|p| n >= p[0] && p[0] >= p[1] && p[1] >= p[2]))
        .collect();
    for octant in 0..8 {
        let sign = [0, 1, 2].map(|k| if octant >> k & 1 == 0 { 1 } else { -1 });
        for corners in &simplices {
            tets.push(corners.map(|[a, b, c]| {
                let lattice = [sign[0] * (a - b) as i32, sign[1] * (b - c) as i32, sign[2] * c as i32];
                *index.entry(lattice).or_insert_with(|| {
                    vertices.push(shell_point(lattice, radius / f64::from(n)));
                    vertices.len() as u32 - 1
                })
            }));
        }
    }
    orient(&vertices, &mut tets);
    RawMesh::new(vertices, Cells::Tets(tets))
}

fn shell_point(lattice: [i32; 3], step: f64) -> Vec3 {
    let p = Vec3::new(lattice[0].into(), lattice[1].into(), lattice[2].into());
    let shell = p.abs().sum();
    if shell == 0.0 { p } else { p * (shell * step / p.norm()) }
}

/// Torus about z: a disc of `across` rings swept through `around` cells.
pub fn tet_torus(radius: f64, tube: f64, around: u32, across: u32) -> RawMesh {
    let (points, triangles) = disc_pattern(tube, across);
    let mut vertices = Vec::with_capacity(points.len() * around as usize);
    for k in 0..around {
        let (sin, cos) = (TAU * f64::from(k) / f64::from(around)).sin_cos();
        vertices.extend(points.iter().map(|p| {
            let r = radius + p.x;
            Vec3::new(r * cos, r * sin, p.y)
        }));
    }
    let mut tets = prisms(&triangles, points.len() as u32, around, true);
    orient(&vertices, &mut tets);
    RawMesh::new(vertices, Cells::Tets(tets))
}

/// Cylinder along z: a disc of `rings` rings moved through `along` cells.
pub fn tet_cylinder(radius: f64, height: f64, rings: u32, along: u32) -> RawMesh {
    let (points, triangles) = disc_pattern(radius, rings);
    let mut vertices = Vec::with_capacity(points.len() * (along as usize + 1));
    for k in 0..=along {
        let z = height * (f64::from(k) / f64::from(along) - 0.5);
        vertices.extend(points.iter().map(|p| Vec3::new(p.x, p.y, z)));
    }
    let mut tets = prisms(&triangles, points.len() as u32, along + 1, false);
    orient(&vertices, &mut tets);
    let mut mesh = RawMesh::new(vertices, Cells::Tets(tets));
    let limit = 0.5 * height * (1.0 - 1e-9);
    mesh.group("bottom", |p| p.z < -limit);
    mesh.group("top", |p| p.z > limit);
    mesh
}
