//! A strip bent to a cylinder of radius R has the energy D/(2R²) per area, whatever the mesh and
//! Poisson's ratio.
//!
//! Protocol: a square of side 1, rest flat, vertices placed on a cylinder with R = 1 without
//! stretching along the arc. Energy of hinges over area (a third of their triangles' areas)
//! relative to D/(2R²). The shape operator is tried on the same meshes in `plate_tests`.

use super::*;
use crate::check::TestRandom;
use crate::element::{Element, Stencil};
use crate::material_table::MaterialTable;
use stiction_numerics::Vec3;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum MeshKind {
    /// All diagonals alike, edges along the bend.
    Aligned,
    /// Diagonals alternate from cell to cell.
    Alternating,
    /// Equilateral triangles, one family of edges along the bend.
    Equilateral,
    /// Vertices moved by up to a quarter cell and diagonals by chance.
    Irregular,
}

pub(super) const MESHES: [MeshKind; 4] =
    [MeshKind::Aligned, MeshKind::Alternating, MeshKind::Equilateral, MeshKind::Irregular];

pub(super) fn square(mesh: MeshKind, cells: usize) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut random = TestRandom::new(17);
    let size = 1.0 / cells as f64;
    let id = |i: usize, j: usize| (j * (cells + 1) + i) as u32;
    let (mut points, mut triangles) = (Vec::new(), Vec::new());
    for j in 0..=cells {
        for i in 0..=cells {
            let mut point = Vec3::new(i as f64, j as f64, 0.0) * size;
            let inner = i > 0 && j > 0 && i < cells && j < cells;
            match mesh {
                MeshKind::Irregular if inner => {
                    point += Vec3::new(random.range(-0.25, 0.25), random.range(-0.25, 0.25), 0.0) * size;
                }
                MeshKind::Equilateral => {
                    point.x += 0.5 * size * (j % 2) as f64;
                    point.y *= 0.75_f64.sqrt();
                }
                _ => {}
            }
            points.push(point);
        }
    }
    for j in 0..cells {
        for i in 0..cells {
            let (a, b, c, d) = (id(i, j), id(i + 1, j), id(i + 1, j + 1), id(i, j + 1));
            let rising = match mesh {
                MeshKind::Aligned => true,
                MeshKind::Alternating => (i + j) % 2 == 0,
                MeshKind::Equilateral => j % 2 == 1,
                MeshKind::Irregular => random.unit() < 0.5,
            };
            triangles.extend(if rising { [[a, b, c], [a, c, d]] } else { [[a, b, d], [b, c, d]] });
        }
    }
    (points, triangles)
}

/// On a cylinder of radius 1 whose axis makes `turn` with y.
pub(super) fn rolled(point: Vec3, turn: f64) -> Vec3 {
    let (s, c) = turn.sin_cos();
    let (across, along) = (c * point.x + s * point.y, -s * point.x + c * point.y);
    Vec3::new(across.sin(), along, 1.0 - across.cos())
}

pub(super) fn triangle_area(rest: &[Vec3], t: [u32; 3]) -> f64 {
    let x = t.map(|n| rest[n as usize]);
    0.5 * (x[1] - x[0]).cross(&(x[2] - x[0])).norm()
}

fn hinge_ratio(mesh: MeshKind, cells: usize, turn: f64, scale: HingeScale, quadratic: bool) -> f64 {
    let (rest, triangles) = square(mesh, cells);
    let materials = MaterialTable::of_plate(Plate::new(1.0, 0.0).unwrap(), scale);
    let (mut energy, mut area) = (0.0, 0.0);
    for hinge in Topology::new(&triangles).hinges {
        let corners = hinge.nodes.map(|n| rest[n as usize]);
        let at = Stencil { x: corners.map(|x| rolled(x, turn)), frames: &[], materials: &materials };
        energy += if quadratic {
            QuadraticBend::new(hinge.nodes, corners, 0).unwrap().energy(&at)
        } else {
            HingeElement::new(hinge.nodes, corners, 0).unwrap().energy(&at)
        };
        area +=
            hinge.triangles.map(|t| triangle_area(&rest, triangles[t as usize])).iter().sum::<f64>() / 3.0;
    }
    energy / (0.5 * area)
}

/// The figures of the module text: what the other models show.
#[test]
fn hinge_and_quadratic_depend_on_the_mesh() {
    for mesh in MESHES {
        for turn in [0.0, 0.4, std::f64::consts::FRAC_PI_4] {
            let hinge = |scale| hinge_ratio(mesh, 40, turn, scale, false);
            let flat = hinge_ratio(mesh, 40, turn, HingeScale::ThirdOfArea, true);
            let (third, cylinder) = (hinge(HingeScale::ThirdOfArea), hinge(HingeScale::Cylinder));
            println!(
                "{mesh:?} turn {turn:.2}: hinge 3D/2 {third:.3}, D/2 {cylinder:.3}, quadratic {flat:.3}"
            );
            assert!((third / cylinder - 3.0).abs() < 1e-12);
            // Both forms see the same angles; they differ by O(θ²).
            assert!((flat / third - 1.0).abs() < 1e-3);
        }
    }
    let cylinder = |mesh, turn| hinge_ratio(mesh, 80, turn, HingeScale::Cylinder, false);
    // The border carries half a cell of hinges too few: O(1/cells).
    assert!((cylinder(MeshKind::Aligned, 0.0) - 1.0).abs() < 0.02);
    assert!((cylinder(MeshKind::Aligned, std::f64::consts::FRAC_PI_4) - 3.0).abs() < 0.06);
    assert!((cylinder(MeshKind::Equilateral, 0.0) - 1.0).abs() < 0.02);
    assert!((cylinder(MeshKind::Equilateral, 0.4) - 1.0).abs() < 0.02);
}
