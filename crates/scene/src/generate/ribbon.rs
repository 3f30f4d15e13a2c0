//! A flat band along a path, for ribbons, straps and knots of cloth.

use super::RawMesh;
use super::path::{fine_polyline, spaced};
use crate::resolved::Cells;
use stiction_numerics::{Vec2, Vec3};

/// A band through points that does not twist about its own line.
#[derive(Clone, Copy, Debug)]
pub struct RibbonOptions {
    /// Width.
    pub width: f64,
    /// Cells along the band.
    pub along: u32,
    /// Cells across it.
    pub across: u32,
    /// Direction that the band faces at its first point, unit; not along the path there.
    pub up: Vec3,
}

/// Band of triangles. Groups: roots and tips are its ends. Pattern coordinates are those of the
/// straight band.
///
/// The normal is carried along the path without turning about it: of the last normal, the part
/// across the new tangent is kept, which is parallel transport in the limit of fine steps. Where
/// the path turns in the plane of the band, its edges are longer and shorter than the pattern by
/// width/2R.
pub fn ribbon(points: &[Vec3], options: &RibbonOptions) -> RawMesh {
    let RibbonOptions { width, along, across, .. } = *options;
    let (line, sides) = transported(points, options);
    let length = line.windows(2).map(|p| (p[1] - p[0]).norm()).sum::<f64>();
    let (mut vertices, mut uv, mut triangles) = (Vec::new(), Vec::new(), Vec::new());
    let at = |i: u32, j: u32| i * (across + 1) + j;
    for i in 0..=along {
        for j in 0..=across {
            let offset = width * (f64::from(j) / f64::from(across) - 0.5);
            vertices.push(line[i as usize] + sides[i as usize] * offset);
            uv.push(Vec2::new(length * f64::from(i) / f64::from(along), offset));
            if i < along && j < across {
                let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
                let rising = [[a, b, c], [a, c, d]];
                triangles.extend(if (i + j) % 2 == 0 { rising } else { [[a, b, d], [b, c, d]] });
            }
        }
    }
    let mut mesh = RawMesh::new(vertices, Cells::Triangles(triangles));
    mesh.uv = Some(uv);
    mesh.groups = vec![
        ("roots".to_owned(), (0..=across).collect()),
        ("tips".to_owned(), (at(along, 0)..=at(along, across)).collect()),
    ];
    mesh
}

/// Points of the middle line and the unit direction across the band at each.
fn transported(points: &[Vec3], options: &RibbonOptions) -> (Vec<Vec3>, Vec<Vec3>) {
    let fine = fine_polyline(points);
    let mut normal = options.up;
    let mut sides = Vec::with_capacity(fine.len());
    for k in 0..fine.len() {
        let (before, after) = (fine[k.saturating_sub(1)], fine[(k + 1).min(fine.len() - 1)]);
        let tangent = (after - before).normalize();
        normal = (normal - tangent * normal.dot(&tangent)).normalize();
        sides.push(normal.cross(&tangent));
    }
    let across = spaced(&fine, &sides, options.along);
    (spaced(&fine, &fine, options.along), across.into_iter().map(|s| s.normalize()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A path that turns in all directions: rungs stay straight across it, of the right width, and
    /// do not turn about it.
    #[test]
    fn a_ribbon_keeps_its_width_and_does_not_twist() {
        let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 1.0, 0.0], [2.0, 2.0, 1.0], [1.0, 2.0, 2.0]];
        let points = points.map(|[x, y, z]| Vec3::new(x, y, z));
        let options = RibbonOptions { width: 0.2, along: 400, across: 2, up: Vec3::z() };
        let mesh = ribbon(&points, &options);
        let rung = |i: usize| mesh.vertices[3 * i + 2] - mesh.vertices[3 * i];
        for i in 1..400 {
            let tangent = (mesh.vertices[3 * i + 4] - mesh.vertices[3 * i - 2]).normalize();
            assert!((rung(i).norm() - 0.2).abs() < 1e-12, "width {}", rung(i).norm());
            assert!((rung(i).dot(&tangent) / 0.2).abs() < 0.02, "rung {i} leans");
            // Turning about the tangent alone would show as a change of the rung across both
            // tangent and rung.
            let twist = (rung(i + 1) - rung(i)).dot(&tangent.cross(&rung(i))) / 0.04;
            assert!(twist.abs() < 1e-3, "twist {twist} at {i}");
        }
        let uv = mesh.uv.as_ref().expect("a pattern");
        let length: f64 =
            (0..400).map(|i| (mesh.vertices[3 * i + 4] - mesh.vertices[3 * i + 1]).norm()).sum();
        assert!((uv[3 * 400].x - length).abs() < 1e-9);
    }
}
