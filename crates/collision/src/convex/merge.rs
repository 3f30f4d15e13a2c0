//! Triangles in one plane joined to flat faces.

use super::polytope::Face;
use std::collections::HashMap;
use stiction_numerics::Vec3;

/// Neighbours whose normals differ by less than this angle \[rad\] are one face.
const FLAT: f64 = 1e-5;
/// A corner of a ring that turns by less than this angle \[rad\] is none.
const STRAIGHT: f64 = 1e-7;

/// The flat faces of a closed surface.
pub(super) fn flat_faces(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Vec<Face> {
    let normals: Vec<Vec3> = triangles.iter().map(|t| normal_of(vertices, t)).collect();
    let across: HashMap<[u32; 2], usize> =
        triangles.iter().enumerate().flat_map(|(index, t)| sides(t).map(move |side| (side, index))).collect();
    let mut group = vec![usize::MAX; triangles.len()];
    let mut faces = Vec::new();
    for first in 0..triangles.len() {
        if group[first] != usize::MAX {
            continue;
        }
        let (face, mut open) = (faces.len(), vec![first]);
        group[first] = face;
        let mut members = Vec::new();
        while let Some(triangle) = open.pop() {
            members.push(triangle);
            for [a, b] in sides(&triangles[triangle]) {
                let Some(&next) = across.get(&[b, a]) else { continue };
                if group[next] == usize::MAX
                    && normals[next].cross(&normals[first]).norm() < FLAT
                    && normals[next].dot(&normals[first]) > 0.0
                {
                    group[next] = face;
                    open.push(next);
                }
            }
        }
        faces.push(outline(vertices, triangles, &members, &normals));
    }
    faces.retain(|face| face.ring.len() >= 3);
    faces
}

fn normal_of(vertices: &[Vec3], triangle: &[u32; 3]) -> Vec3 {
    let [a, b, c] = triangle.map(|v| vertices[v as usize]);
    (b - a).cross(&(c - a)).try_normalize(0.0).unwrap_or(Vec3::zeros())
}

fn sides(t: &[u32; 3]) -> [[u32; 2]; 3] {
    [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]
}

/// The ring around a group of triangles, without corners that turn nowhere.
fn outline(vertices: &[Vec3], triangles: &[[u32; 3]], members: &[usize], normals: &[Vec3]) -> Face {
    let inside: HashMap<[u32; 2], ()> =
        members.iter().flat_map(|&t| sides(&triangles[t])).map(|side| (side, ())).collect();
    let mut next: HashMap<u32, u32> = HashMap::new();
    let mut start = u32::MAX;
    for &member in members {
        for [a, b] in sides(&triangles[member]) {
            if !inside.contains_key(&[b, a]) {
                next.insert(a, b);
                start = start.min(a);
            }
        }
    }
    let (mut ring, mut at) = (Vec::new(), start);
    while let Some(to) = next.remove(&at) {
        ring.push(at);
        at = to;
    }
    let sum: Vec3 = members.iter().map(|&t| normals[t]).sum();
    Face { normal: sum.try_normalize(0.0).unwrap_or(Vec3::zeros()), ring: corners(vertices, &ring) }
}

fn corners(vertices: &[Vec3], ring: &[u32]) -> Vec<u32> {
    let n = ring.len();
    let place = |k: usize| vertices[ring[k % n] as usize];
    let turns = |k: usize| {
        let (before, after) = (place(k) - place(k + n - 1), place(k + 1) - place(k));
        before.cross(&after).norm() > STRAIGHT * before.norm() * after.norm()
    };
    (0..n).filter(|&k| turns(k)).map(|k| ring[k]).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// The surface of a box with n × n squares on each side, centred at the origin.
    pub(crate) fn box_surface(size: Vec3, n: u32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let mut index: HashMap<[u32; 3], u32> = HashMap::new();
        let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
        let mut vertex = |grid: [u32; 3]| {
            *index.entry(grid).or_insert_with(|| {
                let share = Vec3::from_fn(|k, _| grid[k] as f64 / n as f64 - 0.5);
                vertices.push(size.component_mul(&share));
                vertices.len() as u32 - 1
            })
        };
        for axis in 0..3 {
            for side in [0, n] {
                for i in 0..n {
                    for j in 0..n {
                        let mut corner = |di: u32, dj: u32| {
                            let mut grid = [0; 3];
                            grid[axis] = side;
                            grid[(axis + 1) % 3] = i + di;
                            grid[(axis + 2) % 3] = j + dj;
                            vertex(grid)
                        };
                        let [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                        let quads = [[a, b, c], [a, c, d]];
                        triangles
                            .extend(quads.map(|[p, q, r]| if side == n { [p, q, r] } else { [p, r, q] }));
                    }
                }
            }
        }
        (vertices, triangles)
    }
}
