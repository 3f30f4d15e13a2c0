//! Meshes for tests.
#![allow(dead_code, missing_docs)]

use stiction_collision::{BodyTraits, CollisionMesh, MeshInput};
use stiction_numerics::Vec3;

/// Deterministic noise in ±1.
pub fn noise(index: usize, seed: u64) -> Vec3 {
    let part = |k: u64| {
        let mut z = (index as u64).wrapping_mul(3).wrapping_add(k) ^ seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    };
    Vec3::new(part(0), part(1), part(2))
}

/// Separate triangles of about this size in the cube ±1.
pub fn soup(count: usize, size: f64, seed: u64) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let corner = |k: usize| noise(k / 3, seed) + noise(k, seed + 1000) * size;
    let triangles = (0..count as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    ((0..3 * count).map(corner).collect(), triangles)
}

/// Flat unit square of n × n cells with alternating diagonals.
pub fn cloth(n: usize) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let at = |i: usize, j: usize| (i * (n + 1) + j) as u32;
    let x = (0..(n + 1) * (n + 1))
        .map(|k| Vec3::new((k / (n + 1)) as f64 / n as f64, (k % (n + 1)) as f64 / n as f64, 0.0));
    let mut triangles = Vec::new();
    for i in 0..n {
        for j in 0..n {
            let (a, b, c, d) = (at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1));
            if (i + j) % 2 == 0 {
                triangles.extend([[a, b, c], [a, c, d]]);
            } else {
                triangles.extend([[a, b, d], [b, c, d]]);
            }
        }
    }
    (x.collect(), triangles)
}

/// The cloth in three layers 0.02 apart, with some noise.
pub fn folded(rest: &[Vec3]) -> Vec<Vec3> {
    let fold = |(k, p): (usize, &Vec3)| {
        let layer = (p.x * 3.0).floor().min(2.0);
        let along = p.x * 3.0 - layer;
        let x = if layer as i32 % 2 == 0 { along } else { 1.0 - along };
        Vec3::new(x / 3.0, p.y, 0.02 * (layer + along)) + noise(k, 99) * 1e-3
    };
    rest.iter().enumerate().map(fold).collect()
}

/// One deformable body of these triangles.
pub fn mesh_of(vertex_count: usize, triangles: &[[u32; 3]], half_thickness: f64) -> CollisionMesh {
    let input = MeshInput {
        vertex_count,
        triangles: triangles.to_vec(),
        triangle_traits: vec![(half_thickness, 0); triangles.len()],
        bodies: vec![BodyTraits::DEFORMABLE],
        ..Default::default()
    };
    CollisionMesh::new(input).expect("valid mesh")
}
