//! Cloth made of single yarns: a woven cylinder and a knitted patch.

use super::RawMesh;
use crate::resolved::Cells;
use std::f64::consts::{PI, TAU};
use stiction_numerics::Vec3;

/// A cylinder in plain weave: straight warp yarns along z and one weft yarn that winds round them.
#[derive(Clone, Copy, Debug)]
pub struct WovenOptions {
    /// Mean radius.
    pub radius: f64,
    /// Height along z; the middle is at the origin.
    pub height: f64,
    /// Number of warp yarns; odd, so that each turn of the weft passes on the other side of a warp
    /// yarn than the turn before.
    pub warps: u32,
    /// Turns of the weft over the whole height.
    pub turns: u32,
    /// Distance of the two centre lines where yarns cross.
    pub spacing: f64,
    /// Segments of every yarn between two crossings.
    pub segments: u32,
}

/// Radial offsets of the two families are ∓a cos, with a = spacing/2 and the argument a multiple of
/// π at each crossing.
///
/// Weft at the angle φ: crossing number m = φ N/2π, offset a cos(π m). Warp k meets the weft in
/// turn j, where m = k + j N; N is odd, so cos(π m) = cos(π (k + j)), and j = z/p − k/N counts
/// turns of pitch p at the height z (from below).
pub fn woven(options: &WovenOptions) -> RawMesh {
    let WovenOptions { radius, height, warps, turns, spacing, segments } = *options;
    let (amplitude, pitch) = (0.5 * spacing, height / f64::from(turns));
    let at = |radius: f64, angle: f64, z: f64| {
        Vec3::new(radius * angle.cos(), radius * angle.sin(), z - 0.5 * height)
    };
    let mut yarns = Yarns::default();
    for k in 0..warps {
        let (share, count) = (f64::from(k) / f64::from(warps), turns * segments);
        yarns.add((0..=count).map(|i| {
            let z = height * f64::from(i) / f64::from(count);
            let turn = z / pitch - share;
            at(radius - amplitude * (PI * (turn + f64::from(k))).cos(), TAU * share, z)
        }));
    }
    let count = warps * turns * segments;
    yarns.add((0..=count).map(|i| {
        let crossing = f64::from(warps * turns) * f64::from(i) / f64::from(count);
        let angle = TAU * crossing / f64::from(warps);
        at(radius + amplitude * (PI * crossing).cos(), angle, pitch * angle / TAU)
    }));
    let mut mesh = yarns.mesh();
    let limit = 0.5 * height * (1.0 - 1e-9);
    mesh.group("bottom", |p| p.z < -limit);
    mesh.group("top", |p| p.z > limit);
    mesh
}

/// A patch in stockinette: rows of loops, each drawn through the row below.
#[derive(Clone, Copy, Debug)]
pub struct KnitOptions {
    /// Width of one loop along x.
    pub loop_width: f64,
    /// Loops per row.
    pub loops: u32,
    /// Rows along y.
    pub rows: u32,
    /// Segments per loop.
    pub segments: u32,
}

/// Row j is (t + 3/2 sin 2t, 4 cos t + 5 j, cos 2t) · width/2π: heads and feet bulge sideways, so
/// that the legs of a row pass through the
/// heads of the row below. The centre lines of neighbouring rows stay 1.5 · width/2π apart, which
/// bounds the thickness of the yarn.
pub fn knit(options: &KnitOptions) -> RawMesh {
    let KnitOptions { loop_width, loops, rows, segments } = *options;
    let unit = loop_width / TAU;
    let mut yarns = Yarns::default();
    let middle = Vec3::new(0.5 * TAU * f64::from(loops), 2.5 * f64::from(rows - 1), 0.0);
    for row in 0..rows {
        yarns.add((0..=loops * segments).map(|i| {
            let t = TAU * f64::from(i) / f64::from(segments);
            let point =
                Vec3::new(t + 1.5 * (2.0 * t).sin(), 4.0 * t.cos() + 5.0 * f64::from(row), (2.0 * t).cos());
            (point - middle) * unit
        }));
    }
    let per_row = (loops * segments + 1) as usize;
    let mut mesh = yarns.mesh();
    let rows_of = |row: usize| (row * per_row..(row + 1) * per_row).map(|i| i as u32).collect();
    for (from, to) in [("roots", "left"), ("tips", "right")] {
        let ends = mesh.groups.iter().find(|g| g.0 == from).map(|g| g.1.clone()).unwrap_or_default();
        mesh.groups.push((to.to_owned(), ends));
    }
    mesh.groups.push(("bottom".to_owned(), rows_of(0)));
    mesh.groups.push(("top".to_owned(), rows_of(rows as usize - 1)));
    mesh
}

/// Strands of any length, one after the other.
#[derive(Default)]
struct Yarns {
    vertices: Vec<Vec3>,
    strands: Vec<Vec<u32>>,
}

impl Yarns {
    fn add(&mut self, points: impl Iterator<Item = Vec3>) {
        let first = self.vertices.len() as u32;
        self.vertices.extend(points);
        self.strands.push((first..self.vertices.len() as u32).collect());
    }

    /// The mesh, with groups of first and last vertices.
    fn mesh(self) -> RawMesh {
        let end =
            |pick: fn(&Vec<u32>) -> Option<&u32>| self.strands.iter().filter_map(pick).copied().collect();
        let groups = vec![("roots".to_owned(), end(|s| s.first())), ("tips".to_owned(), end(|s| s.last()))];
        let mut mesh = RawMesh::new(self.vertices, Cells::Strands(self.strands));
        mesh.groups = groups;
        mesh
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Smallest distance between sample points of different strands.
    fn least_distance(mesh: &RawMesh) -> f64 {
        let Cells::Strands(strands) = &mesh.cells else { panic!("strands") };
        let mut least = f64::INFINITY;
        for (s, a) in strands.iter().enumerate() {
            for b in &strands[s + 1..] {
                for &i in a {
                    for &j in b {
                        least = least.min((mesh.vertices[i as usize] - mesh.vertices[j as usize]).norm());
                    }
                }
            }
        }
        least
    }

    #[test]
    fn woven_yarns_keep_their_spacing_and_alternate() {
        let options =
            WovenOptions { radius: 0.2, height: 0.3, warps: 9, turns: 6, spacing: 0.01, segments: 8 };
        let mesh = woven(&options);
        let least = least_distance(&mesh);
        assert!(least > 0.0099 && least < 0.0101, "{least}");
        // Along the weft the offset changes sign from one crossing to the next.
        let Cells::Strands(strands) = &mesh.cells else { panic!("strands") };
        let weft = &strands[9];
        for (m, i) in weft.iter().step_by(8).enumerate() {
            let p = mesh.vertices[*i as usize];
            let outside = p.xy().norm() > 0.2;
            assert_eq!(outside, m % 2 == 0, "crossing {m}");
        }
    }

    #[test]
    fn knitted_rows_are_apart_and_drawn_through_each_other() {
        let mesh = knit(&KnitOptions { loop_width: TAU, loops: 4, rows: 3, segments: 64 });
        let least = least_distance(&mesh);
        assert!((least - 1.5).abs() < 0.02, "{least}");
        // The heads of row 0 reach above the feet of row 1.
        let head = mesh.vertices[64].y;
        let foot = mesh.vertices[4 * 64 + 1 + 32].y;
        assert!(head > foot + 2.0, "{head} {foot}");
    }
}
