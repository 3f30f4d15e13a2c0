//! The shape operator against plates: patches of constant curvature, cylinders and cantilevers on
//! every kind of mesh.
//!
//! Unknowns of the linear problems: the height of every node and the angle of every inner edge's
//! normal, about the flat rest shape. Nodes and angles that are not held relax; the energy is that
//! of the minimum.

use super::strip_tests::{MESHES, MeshKind, rolled, square, triangle_area};
use super::*;
use crate::assembly::Configuration;
use crate::element::{Curvature, Element};
use crate::material_table::MaterialTable;
use stiction_bodies::shells::{bisecting_frames, shell_edges};
use stiction_bodies::{EdgeFrame, ShellEdge};
use stiction_numerics::Vec3;
use stiction_numerics::nalgebra::{DMatrix, DVector};

struct Shell {
    rest: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
    edges: Vec<ShellEdge>,
    elements: ShapeElements,
    materials: MaterialTable,
}

impl Shell {
    fn new(rest: Vec<Vec3>, triangles: Vec<[u32; 3]>, poisson: f64) -> Shell {
        let edges = shell_edges(&triangles, 0);
        let first = EdgeNumbering { block: rest.len(), frame: 0, factor: 0 };
        let corners = |t: usize| triangles[t].map(|n| rest[n as usize]);
        let elements = ShapeElements::new(&triangles, &edges, first, &rest, corners, 0).unwrap();
        let plate_factors = elements.factors(&Plate::new(1.0, poisson).unwrap());
        let materials = MaterialTable { plate_factors, ..MaterialTable::default() };
        Shell { rest, triangles, edges, elements, materials }
    }

    fn blocks(&self) -> usize {
        self.rest.len() + self.edges.len()
    }

    fn frames(&self, positions: &[Vec3]) -> Vec<EdgeFrame> {
        bisecting_frames(&self.edges, |_| &self.triangles[..], positions)
    }

    /// Stiffness over heights and angles at `positions`, with the energy and the gradient over the
    /// angles there.
    fn linearised(&self, positions: &[Vec3]) -> (f64, DVector<f64>, DMatrix<f64>) {
        let frames = self.frames(positions);
        let mut blocks = positions.to_vec();
        blocks.resize(self.blocks(), Vec3::zeros());
        let size = self.blocks();
        let mut out = (0.0, DVector::zeros(size), DMatrix::zeros(size, size));
        let at = Configuration { blocks: &blocks, frames: &frames, materials: &self.materials };
        add(&self.elements.four, &at, &mut out);
        add(&self.elements.five, &at, &mut out);
        add(&self.elements.six, &at, &mut out);
        out
    }

    /// Angle of the normal of a height with gradient `slope` over an edge of the flat shape:
    /// rotation of +z about t.
    fn angle(&self, edge: &ShellEdge, slope: impl Fn(Vec3) -> Vec3) -> f64 {
        let [a, b] = edge.nodes.map(|n| self.rest[n as usize]);
        -slope(0.5 * (a + b)).dot(&(b - a).normalize().cross(&Vec3::z()))
    }
}

fn add<const N: usize>(
    elements: &[ShapeOperatorElement<N>],
    at: &Configuration<'_>,
    (energy, gradient, stiffness): &mut (f64, DVector<f64>, DMatrix<f64>),
) {
    let component = |i: usize| if i < 3 { 2 } else { 0 };
    for element in elements {
        let places = element.blocks().map(|b| b as usize);
        let at = at.gather(element.blocks());
        let (force, hessian) = (element.gradient(&at), element.hessian(&at, Curvature::Exact));
        *energy += element.energy(&at);
        for a in 0..N {
            gradient[places[a]] += force[a][component(a)];
            for b in 0..N {
                stiffness[(places[a], places[b])] += hessian[a][b][(component(a), component(b))];
            }
        }
    }
}

/// Minimum of ½uᵀKu − f·u over the unknowns that are not held.
fn relax(stiffness: &DMatrix<f64>, load: &DVector<f64>, held: &[bool], u: &mut DVector<f64>) {
    let free: Vec<usize> = (0..held.len()).filter(|&i| !held[i]).collect();
    let force = load - stiffness * &*u;
    let reduced = DMatrix::from_fn(free.len(), free.len(), |r, c| stiffness[(free[r], free[c])]);
    let right = DVector::from_fn(free.len(), |r, _| force[free[r]]);
    let step = reduced.cholesky().expect("no mode without energy").solve(&right);
    free.iter().zip(step.iter()).for_each(|(&i, s)| u[i] += s);
}

/// Constant curvature is reproduced to round-off on every mesh: what converges on one mesh
/// converges on all.
#[test]
fn patch_of_constant_curvature_is_exact() {
    let cells = 7;
    for mesh in MESHES {
        for k in [[1.0, 0.0, 0.0], [0.3, -0.6, 0.8]] {
            let (rest, triangles) = square(mesh, cells);
            let shell = Shell::new(rest, triangles, 0.3);
            let slope = |p: Vec3| Vec3::new(k[0] * p.x + k[2] * p.y, k[2] * p.x + k[1] * p.y, 0.0);
            let height = |p: Vec3| 0.5 * p.dot(&slope(p));
            let (_, _, stiffness) = shell.linearised(&shell.rest);
            let border = |n: usize| {
                let (i, j) = (n % (cells + 1), n / (cells + 1));
                i < 2 || j < 2 || i + 2 > cells || j + 2 > cells
            };
            let mut held: Vec<bool> = (0..shell.rest.len()).map(border).collect();
            held.extend(shell.edges.iter().map(|e| e.nodes.iter().all(|&n| border(n as usize))));
            let exact = DVector::from_fn(shell.blocks(), |i, _| match shell.rest.get(i) {
                Some(&p) => height(p),
                None => shell.angle(&shell.edges[i - shell.rest.len()], slope),
            });
            let mut found = DVector::from_fn(held.len(), |i, _| if held[i] { exact[i] } else { 0.0 });
            relax(&stiffness, &DVector::zeros(held.len()), &held, &mut found);
            let error = (&found - &exact).amax() / exact.amax();
            assert!(error < 1e-10, "{mesh:?} {k:?}: {error:e}");
        }
    }
}

/// Nodes on a cylinder of radius 1, angles relaxed, energy over the triangles in the middle (beyond
/// the reach of the free borders, which carry no moment): D/2 per area for every Poisson's ratio.
#[test]
fn cylinder_has_the_energy_of_the_plate_on_every_mesh() {
    for mesh in MESHES {
        for (turn, poisson) in [(0.0, 0.3), (0.4, 0.0), (0.4, 0.3)] {
            let error = |cells: usize| {
                let (rest, triangles) = square(mesh, cells);
                let shell = Shell::new(rest, triangles, poisson);
                let bent: Vec<Vec3> = shell.rest.iter().map(|&p| rolled(p, turn)).collect();
                let (_, gradient, stiffness) = shell.linearised(&bent);
                let held: Vec<bool> = (0..shell.blocks()).map(|i| i < shell.rest.len()).collect();
                let mut angles = DVector::zeros(shell.blocks());
                relax(&stiffness, &-&gradient, &held, &mut angles);
                let blocks: Vec<Vec3> = (0..shell.blocks())
                    .map(|i| bent.get(i).copied().unwrap_or_else(|| Vec3::new(angles[i], 0.0, 0.0)))
                    .collect();
                middle_energy(&shell, &blocks, &shell.frames(&bent)) - 1.0
            };
            let errors = [8, 16].map(error);
            println!("{mesh:?} turn {turn} ν {poisson}: cylinder {errors:.5?}");
            // Second order in the cell: (1/16)² is 0.004.
            assert!(errors[1].abs() < 0.004, "{mesh:?} {turn} {poisson}: {errors:?}");
        }
    }
}

/// Energy of the triangles whose middle lies within a quarter of the side of the centre, over D/2
/// of their area.
fn middle_energy(shell: &Shell, blocks: &[Vec3], frames: &[EdgeFrame]) -> f64 {
    let (mut energy, mut area) = (0.0, 0.0);
    let at = Configuration { blocks, frames, materials: &shell.materials };
    for element in &shell.elements.six {
        let centre = element.triangle().iter().map(|&n| shell.rest[n as usize]).sum::<Vec3>() / 3.0;
        if (centre - Vec3::new(0.5, 0.5, 0.0)).amax() < 0.25 {
            energy += element.energy(&at.gather(element.blocks()));
            area += triangle_area(&shell.rest, element.triangle());
        }
    }
    energy / (0.5 * area)
}

/// Tip of a cantilever strip under its own weight, small deflections, ν = 0: q L⁴/(8 D).
#[test]
fn light_cantilever_converges_on_every_mesh() {
    for mesh in [MeshKind::Aligned, MeshKind::Alternating, MeshKind::Irregular] {
        let error = |cells: usize| {
            let (rest, triangles) = square(mesh, cells);
            let shell = Shell::new(rest, triangles, 0.0);
            let (_, _, stiffness) = shell.linearised(&shell.rest);
            let mut load = DVector::zeros(shell.blocks());
            for &t in &shell.triangles {
                t.iter().for_each(|&n| load[n as usize] += triangle_area(&shell.rest, t) / 3.0);
            }
            // The first column of cells is the clamp: its nodes and all normals beside its
            // triangles.
            let clamped = |n: u32| (n as usize) % (cells + 1) < 2;
            let mut held: Vec<bool> = (0..shell.rest.len() as u32).map(clamped).collect();
            let beside = |e: &ShellEdge| {
                e.triangles.iter().any(|&t| shell.triangles[t as usize].iter().all(|&n| clamped(n)))
            };
            held.extend(shell.edges.iter().map(beside));
            let mut u = DVector::zeros(shell.blocks());
            relax(&stiffness, &load, &held, &mut u);
            let tip = |j: usize| u[j * (cells + 1) + cells];
            let mean = (0..=cells).map(tip).sum::<f64>() / (cells + 1) as f64;
            // The free length runs from the mean place of the clamped column's edge.
            let start =
                (0..=cells).map(|j| shell.rest[j * (cells + 1) + 1].x).sum::<f64>() / (cells + 1) as f64;
            mean / ((1.0 - start).powi(4) / 8.0) - 1.0
        };
        let errors = [5, 10, 20].map(error);
        println!("{mesh:?}: cantilever {errors:.4?}");
        assert!(
            errors[2].abs() < 0.01 && errors[2].abs() < 0.6 * errors[0].abs() + 2e-3,
            "{mesh:?}: {errors:?}"
        );
    }
}
