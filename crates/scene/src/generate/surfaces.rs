//! Triangle meshes: grid, disc, box surface and icosphere.

use super::{RawMesh, SplitMix};
use crate::file::{GridPattern, PlaneName};
use crate::resolved::Cells;
use std::collections::BTreeMap;
use stiction_numerics::{Vec2, Vec3};

/// A flat rectangle.
#[derive(Clone, Copy, Debug)]
pub struct GridOptions {
    /// Size along u and v.
    pub size: [f64; 2],
    /// Cells along u and v.
    pub cells: [u32; 2],
    /// Plane.
    pub plane: PlaneName,
    /// How cells are cut.
    pub pattern: GridPattern,
    /// Seed of the irregular pattern.
    pub seed: u64,
}

fn place(plane: PlaneName, u: f64, v: f64) -> Vec3 {
    match plane {
        PlaneName::Xy => Vec3::new(u, v, 0.0),
        PlaneName::Xz => Vec3::new(u, 0.0, v),
        PlaneName::Yz => Vec3::new(0.0, u, v),
    }
}

/// Rectangle with its middle at the origin; vertex (i, j) has index j (nu + 1) + i, cell middles
/// follow.
pub fn grid(options: &GridOptions) -> RawMesh {
    let [nu, nv] = options.cells;
    let mut uv = grid_points(options);
    let at = |i: u32, j: u32| j * (nu + 1) + i;
    let mut random = SplitMix::new(options.seed, 2);
    let mut triangles = Vec::new();
    for j in 0..nv {
        for i in 0..nu {
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            let rising = match options.pattern {
                GridPattern::Regular | GridPattern::Crossed => true,
                GridPattern::Alternating => (i + j) % 2 == 0,
                GridPattern::Irregular => random.unit() < 0.5,
            };
            if options.pattern == GridPattern::Crossed {
                let middle = uv.len() as u32;
                uv.push((uv[a as usize] + uv[c as usize]) * 0.5);
                triangles.extend([[a, b, middle], [b, c, middle], [c, d, middle], [d, a, middle]]);
            } else if rising {
                triangles.extend([[a, b, c], [a, c, d]]);
            } else {
                triangles.extend([[a, b, d], [b, c, d]]);
            }
        }
    }
    let vertices = uv.iter().map(|p| place(options.plane, p.x, p.y)).collect();
    let mut mesh = RawMesh::new(vertices, Cells::Triangles(triangles));
    mesh.uv = Some(uv);
    mesh.groups = [
        ("left", (0..=nv).map(|j| at(0, j)).collect::<Vec<_>>()),
        ("right", (0..=nv).map(|j| at(nu, j)).collect()),
        ("bottom", (0..=nu).map(|i| at(i, 0)).collect()),
        ("top", (0..=nu).map(|i| at(i, nv)).collect()),
        ("bottom_left", vec![at(0, 0)]),
        ("bottom_right", vec![at(nu, 0)]),
        ("top_left", vec![at(0, nv)]),
        ("top_right", vec![at(nu, nv)]),
    ]
    .map(|(name, list)| (name.to_owned(), list))
    .to_vec();
    mesh
}

fn grid_points(options: &GridOptions) -> Vec<Vec2> {
    let [nu, nv] = options.cells;
    let step = [options.size[0] / f64::from(nu), options.size[1] / f64::from(nv)];
    let mut random = SplitMix::new(options.seed, 1);
    let mut points = Vec::with_capacity(((nu + 1) * (nv + 1)) as usize);
    for j in 0..=nv {
        for i in 0..=nu {
            let mut p = Vec2::new(
                f64::from(i) * step[0] - 0.5 * options.size[0],
                f64::from(j) * step[1] - 0.5 * options.size[1],
            );
            let inner = i > 0 && i < nu && j > 0 && j < nv;
            if inner && options.pattern == GridPattern::Irregular {
                // A quarter of a cell keeps every triangle's area above an eighth of the regular
                // one.
                p += Vec2::new(random.signed() * 0.25 * step[0], random.signed() * 0.25 * step[1]);
            }
            points.push(p);
        }
    }
    points
}

/// Points and triangles of a disc of concentric rings; ring k has 6k points.
pub(super) fn disc_pattern(radius: f64, rings: u32) -> (Vec<Vec2>, Vec<[u32; 3]>) {
    let mut points = vec![Vec2::zeros()];
    for k in 1..=rings {
        let r = radius * f64::from(k) / f64::from(rings);
        for i in 0..6 * k {
            let angle = std::f64::consts::TAU * f64::from(i) / f64::from(6 * k);
            points.push(Vec2::new(angle.cos(), angle.sin()) * r);
        }
    }
    let first = |k: u32| if k == 0 { 0 } else { 1 + 3 * k * (k - 1) };
    let at = |k: u32, i: u32| if k == 0 { 0 } else { first(k) + i % (6 * k) };
    let mut triangles = Vec::new();
    for k in 1..=rings {
        for side in 0..6 {
            for i in 0..k {
                let outer = side * k + i;
                let inner = side * (k - 1) + i;
                triangles.push([at(k, outer), at(k, outer + 1), at(k - 1, inner)]);
                if i + 1 < k {
                    triangles.push([at(k, outer + 1), at(k - 1, inner + 1), at(k - 1, inner)]);
                }
            }
        }
    }
    (points, triangles)
}

/// Flat disc with its middle at the origin.
pub fn disc(radius: f64, rings: u32, plane: PlaneName) -> RawMesh {
    let (uv, triangles) = disc_pattern(radius, rings);
    let vertices = uv.iter().map(|p| place(plane, p.x, p.y)).collect();
    let mut mesh = RawMesh::new(vertices, Cells::Triangles(triangles));
    let count = uv.len() as u32;
    mesh.groups =
        vec![("centre".to_owned(), vec![0]), ("rim".to_owned(), (count - 6 * rings..count).collect())];
    mesh.uv = Some(uv);
    mesh
}

/// Surface of a box, outward triangles, edges shared.
pub fn box_surface(size: [f64; 3], cells: [u32; 3]) -> RawMesh {
    let mut index = BTreeMap::new();
    let mut vertices = Vec::new();
    let mut at = |p: [u32; 3]| {
        *index.entry(p).or_insert_with(|| {
            let x = |k: usize| size[k] * (f64::from(p[k]) / f64::from(cells[k]) - 0.5);
            vertices.push(Vec3::new(x(0), x(1), x(2)));
            vertices.len() as u32 - 1
        })
    };
    let mut triangles = Vec::new();
    for axis in 0..3 {
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for far in [false, true] {
            for i in 0..cells[u] {
                for j in 0..cells[v] {
                    let mut corner = |di: u32, dj: u32| {
                        let mut p = [0; 3];
                        p[axis] = if far { cells[axis] } else { 0 };
                        p[u] = i + di;
                        p[v] = j + dj;
                        at(p)
                    };
                    let [a, b, c, d] = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                    let faces = if far { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] };
                    triangles.extend(faces);
                }
            }
        }
    }
    let mut mesh = RawMesh::new(vertices, Cells::Triangles(triangles));
    box_groups(&mut mesh, size);
    mesh
}

/// Groups of the six faces of a box.
pub(super) fn box_groups(mesh: &mut RawMesh, size: [f64; 3]) {
    for (axis, names) in [["left", "right"], ["front", "back"], ["bottom", "top"]].iter().enumerate() {
        let limit = 0.5 * size[axis] * (1.0 - 1e-9);
        mesh.group(names[0], |p| p[axis] < -limit);
        mesh.group(names[1], |p| p[axis] > limit);
    }
}

/// Icosahedron whose triangles are cut into four several times and pushed to the sphere.
pub fn ico_sphere(radius: f64, subdivisions: u32) -> RawMesh {
    let golden = 0.5 * (1.0 + 5.0_f64.sqrt());
    let mut vertices: Vec<Vec3> = Vec::new();
    for (a, b) in [(1.0, golden), (-1.0, golden), (1.0, -golden), (-1.0, -golden)] {
        vertices.extend([Vec3::new(a, b, 0.0), Vec3::new(0.0, a, b), Vec3::new(b, 0.0, a)]);
    }
    vertices.iter_mut().for_each(|v| *v = v.normalize());
    let mut triangles = convex_triangles(&vertices);
    for _ in 0..subdivisions {
        triangles = split(&mut vertices, &triangles);
    }
    RawMesh::new(vertices.iter().map(|v| v * radius).collect(), Cells::Triangles(triangles))
}

/// The 20 faces of an icosahedron: triples of neighbours, outward.
fn convex_triangles(v: &[Vec3]) -> Vec<[u32; 3]> {
    let edge = 1.1; // unit icosahedron: edges 1.0515, next distance 1.7013
    let near = |a: usize, b: usize| (v[a] - v[b]).norm() < edge;
    let mut triangles = Vec::new();
    for a in 0..v.len() {
        for b in a + 1..v.len() {
            for c in b + 1..v.len() {
                if near(a, b) && near(b, c) && near(c, a) {
                    let outward = (v[b] - v[a]).cross(&(v[c] - v[a])).dot(&v[a]) > 0.0;
                    let [b, c] = if outward { [b, c] } else { [c, b] };
                    triangles.push([a as u32, b as u32, c as u32]);
                }
            }
        }
    }
    triangles
}

fn split(vertices: &mut Vec<Vec3>, triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let mut middles = BTreeMap::new();
    let mut middle = |a: u32, b: u32| {
        *middles.entry((a.min(b), a.max(b))).or_insert_with(|| {
            vertices.push((vertices[a as usize] + vertices[b as usize]).normalize());
            vertices.len() as u32 - 1
        })
    };
    let mut finer = Vec::with_capacity(4 * triangles.len());
    for &[a, b, c] in triangles {
        let [ab, bc, ca] = [middle(a, b), middle(b, c), middle(c, a)];
        finer.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    finer
}
