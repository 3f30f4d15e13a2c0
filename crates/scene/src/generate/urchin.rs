//! A ball of tets with soft spines, for toys that tangle.

use super::RawMesh;
use super::extrude::prisms;
use super::volumes::{orient, tet_sphere};
use crate::geometry::surface_of_tets;
use crate::resolved::Cells;
use stiction_numerics::Vec3;

/// A ball whose surface triangles carry spines.
#[derive(Clone, Copy, Debug)]
pub struct UrchinOptions {
    /// Radius of the ball.
    pub radius: f64,
    /// Cells of the ball from its middle to its surface.
    pub cells: u32,
    /// Number of spines; fewer when there is no room.
    pub spines: u32,
    /// Length of a spine.
    pub length: f64,
    /// Cells along a spine.
    pub segments: u32,
    /// Width of a spine at its tip over that at its foot.
    pub taper: f64,
}

/// Ball of tets with spines of triangular section. Groups: spines (all of their vertices beyond the
/// ball).
pub fn tet_urchin(options: &UrchinOptions) -> RawMesh {
    let mut mesh = tet_sphere(options.radius, options.cells);
    let Cells::Tets(mut tets) = mesh.cells else { unreachable!("a ball of tets") };
    let first = mesh.vertices.len() as u32;
    for foot in feet(&mesh.vertices, &surface_of_tets(&tets), options.spines) {
        add_spine(&mut mesh.vertices, &mut tets, foot, options);
    }
    orient(&mesh.vertices, &mut tets);
    let spines = (first..mesh.vertices.len() as u32).collect();
    mesh.cells = Cells::Tets(tets);
    mesh.groups.push(("spines".to_owned(), spines));
    mesh
}

/// Triangles without common vertices, each as far from those before as possible.
fn feet(vertices: &[Vec3], triangles: &[[u32; 3]], wanted: u32) -> Vec<[u32; 3]> {
    let middle = |t: &[u32; 3]| t.iter().map(|&i| vertices[i as usize]).sum::<Vec3>() / 3.0;
    let mut distance = vec![f64::INFINITY; triangles.len()];
    let mut chosen = Vec::new();
    while (chosen.len() as u32) < wanted {
        // The first of the farthest: the order of triangles breaks ties.
        let best =
            (0..triangles.len()).fold(0, |best, k| if distance[k] > distance[best] { k } else { best });
        if distance[best] <= 0.0 {
            break;
        }
        let foot = triangles[best];
        for (d, t) in distance.iter_mut().zip(triangles) {
            let apart = (middle(t) - middle(&foot)).norm();
            *d = if t.iter().any(|i| foot.contains(i)) { 0.0 } else { d.min(apart) };
        }
        chosen.push(foot);
    }
    chosen
}

/// A tower of prisms on a triangle, straight out of the ball.
fn add_spine(vertices: &mut Vec<Vec3>, tets: &mut Vec<[u32; 4]>, foot: [u32; 3], options: &UrchinOptions) {
    let corners = foot.map(|i| vertices[i as usize]);
    let middle = corners.iter().sum::<Vec3>() / 3.0;
    let out = middle.normalize() * options.length;
    let start = vertices.len() as u32;
    for k in 1..=options.segments {
        let share = f64::from(k) / f64::from(options.segments);
        let width = 1.0 + (options.taper - 1.0) * share;
        vertices.extend(corners.map(|c| middle + (c - middle) * width + out * share));
    }
    let place = |i: u32| if i < 3 { foot[i as usize] } else { start + i - 3 };
    tets.extend(prisms(&[[0, 1, 2]], 3, options.segments + 1, false).iter().map(|t| t.map(place)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::tet_volume;

    #[test]
    fn spines_stand_apart_and_have_the_volume_of_their_prisms() {
        let options =
            UrchinOptions { radius: 1.0, cells: 4, spines: 12, length: 0.8, segments: 5, taper: 1.0 };
        let mesh = tet_urchin(&options);
        let Cells::Tets(tets) = &mesh.cells else { panic!("tets") };
        let ball = tet_sphere(1.0, 4);
        let Cells::Tets(inner) = &ball.cells else { panic!("tets") };
        assert_eq!(mesh.vertices.len(), ball.vertices.len() + 12 * 5 * 3);
        assert_eq!(tets.len(), inner.len() + 12 * 5 * 3);
        let volume = |t: &[u32; 4]| tet_volume(&mesh.vertices, t);
        assert!(tets.iter().all(|t| volume(t) > 0.0));
        let feet = feet(&ball.vertices, &surface_of_tets(inner), 12);
        let prism = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|i| ball.vertices[i as usize]);
            let out = (a + b + c).normalize() * 0.8;
            0.5 * (b - a).cross(&(c - a)).dot(&out).abs()
        };
        let expected: f64 = feet.iter().map(prism).sum();
        let got: f64 = tets[inner.len()..].iter().map(volume).sum();
        assert!((got / expected - 1.0).abs() < 1e-9, "{got} against {expected}");
        let mut used: Vec<u32> = feet.iter().flatten().copied().collect();
        used.sort_unstable();
        used.dedup();
        assert_eq!(used.len(), 36);
    }

    #[test]
    fn no_more_spines_than_there_is_room_for() {
        let options =
            UrchinOptions { radius: 1.0, cells: 1, spines: 50, length: 0.5, segments: 1, taper: 0.5 };
        let mesh = tet_urchin(&options);
        // An octahedron has six vertices: two triangles without common ones.
        assert_eq!(mesh.vertices.len(), 7 + 2 * 3);
    }
}
