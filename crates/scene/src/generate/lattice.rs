//! A regular lattice of tets round a surface, to carry it without conforming to it.

use super::RawMesh;
use super::volumes::{kuhn, orient};
use crate::geometry::bounds;
use crate::resolved::Cells;
use std::collections::BTreeMap;
use stiction_numerics::Vec3;

/// Cubes of the lattice that [`tet_lattice`] lays round a surface, before any is left out.
pub fn lattice_cubes(vertices: &[Vec3], cells: u32) -> u64 {
    cube_counts(vertices, cells).into_iter().fold(1, u64::saturating_mul)
}

/// Cubes along each axis. A surface without extent has one, so that its step is not zero.
fn cube_counts(vertices: &[Vec3], cells: u32) -> [u64; 3] {
    let (low, high) = bounds(vertices);
    let step = (high - low).max() / f64::from(cells);
    [0, 1, 2].map(|k| ((high - low)[k] / step).ceil().max(1.0) as u64)
}

/// Cubes that meet a closed surface or lie inside it, each cut into six tets; `cells` along the
/// longest side of its bounds.
///
/// Cubes that touch a triangle are kept; those that can be reached from outside without passing a
/// kept one are not.
pub fn tet_lattice(vertices: &[Vec3], triangles: &[[u32; 3]], cells: u32) -> RawMesh {
    let (low, high) = bounds(vertices);
    let step = (high - low).max() / f64::from(cells);
    let count = cube_counts(vertices, cells).map(|n| n as usize);
    // Cubes spread evenly over what the counts leave free.
    let origin =
        (low + high) * 0.5 - Vec3::new(count[0] as f64, count[1] as f64, count[2] as f64) * (0.5 * step);
    let lattice = Lattice { origin, step, count };
    let mut state = vec![Cube::Inside; count.iter().product()];
    for t in triangles {
        lattice.mark(&t.map(|i| vertices[i as usize]), &mut state);
    }
    lattice.flood(&mut state);
    lattice.tets(&state)
}

#[derive(Clone, Copy, PartialEq)]
enum Cube {
    Inside,
    Surface,
    Outside,
}

struct Lattice {
    origin: Vec3,
    step: f64,
    count: [usize; 3],
}

impl Lattice {
    fn index(&self, p: [usize; 3]) -> usize {
        (p[2] * self.count[1] + p[1]) * self.count[0] + p[0]
    }

    fn cube(&self, index: usize) -> [usize; 3] {
        let [nx, ny, _] = self.count;
        [index % nx, index / nx % ny, index / (nx * ny)]
    }

    fn corner(&self, p: [usize; 3]) -> Vec3 {
        self.origin + Vec3::new(p[0] as f64, p[1] as f64, p[2] as f64) * self.step
    }

    /// Marks the cubes that a triangle meets.
    fn mark(&self, triangle: &[Vec3; 3], state: &mut [Cube]) {
        let (low, high) = bounds(triangle);
        let cell = |x: f64, k: usize| {
            (((x - self.origin[k]) / self.step).floor().max(0.0) as usize).min(self.count[k] - 1)
        };
        let range = |k: usize| cell(low[k], k)..=cell(high[k], k);
        for z in range(2) {
            for y in range(1) {
                for x in range(0) {
                    let middle = self.corner([x, y, z]) + Vec3::repeat(0.5 * self.step);
                    if meets_cube(triangle, &middle, 0.5 * self.step) {
                        state[self.index([x, y, z])] = Cube::Surface;
                    }
                }
            }
        }
    }

    /// Outside is what can be reached from the border of the lattice through faces of cubes that no
    /// triangle meets.
    fn flood(&self, state: &mut [Cube]) {
        let border = |p: [usize; 3]| (0..3).any(|k| p[k] == 0 || p[k] + 1 == self.count[k]);
        let mut open: Vec<usize> =
            (0..state.len()).filter(|&i| state[i] == Cube::Inside && border(self.cube(i))).collect();
        open.iter().for_each(|&i| state[i] = Cube::Outside);
        while let Some(index) = open.pop() {
            let p = self.cube(index);
            for axis in 0..3 {
                for next in [p[axis].checked_sub(1), Some(p[axis] + 1).filter(|n| *n < self.count[axis])] {
                    let Some(value) = next else { continue };
                    let mut q = p;
                    q[axis] = value;
                    let neighbour = self.index(q);
                    if state[neighbour] == Cube::Inside {
                        state[neighbour] = Cube::Outside;
                        open.push(neighbour);
                    }
                }
            }
        }
    }

    fn tets(&self, state: &[Cube]) -> RawMesh {
        let mut index = BTreeMap::new();
        let mut vertices = Vec::new();
        let mut tets = Vec::new();
        for cube in (0..state.len()).filter(|&i| state[i] != Cube::Outside) {
            for corners in kuhn(self.cube(cube).map(|n| n as u32)) {
                tets.push(corners.map(|p| {
                    *index.entry(p).or_insert_with(|| {
                        vertices.push(self.corner(p.map(|n| n as usize)));
                        vertices.len() as u32 - 1
                    })
                }));
            }
        }
        orient(&vertices, &mut tets);
        RawMesh::new(vertices, Cells::Tets(tets))
    }
}

/// Whether a triangle meets a cube: no axis of the three face normals, the triangle's normal and
/// the nine products of edges parts them.
fn meets_cube(triangle: &[Vec3; 3], middle: &Vec3, half: f64) -> bool {
    let corners = triangle.map(|p| p - middle);
    let edges = [corners[1] - corners[0], corners[2] - corners[1], corners[0] - corners[2]];
    let axes = [Vec3::x(), Vec3::y(), Vec3::z()];
    let parts = |axis: Vec3| {
        let along = corners.map(|c| c.dot(&axis));
        let reach = half * axis.abs().sum();
        along.iter().all(|a| *a > reach) || along.iter().all(|a| *a < -reach)
    };
    let crossed = edges.iter().flat_map(|e| axes.iter().map(move |a| a.cross(e)));
    !axes.into_iter().chain([edges[0].cross(&edges[1])]).chain(crossed).any(parts)
}
