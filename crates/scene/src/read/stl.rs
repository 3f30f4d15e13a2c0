//! STL, text and binary. The format repeats every corner; bit-equal corners become one vertex, in
//! the order of their first use.

use super::tokens::Tokens;
use crate::error::MeshError;
use crate::generate::RawMesh;
use crate::resolved::Cells;
use std::collections::BTreeMap;
use stiction_numerics::Vec3;

pub(super) fn read(bytes: &[u8], name: &str) -> Result<RawMesh, MeshError> {
    // Some binary files begin with "solid" too: the length decides.
    let binary_count = bytes.get(80..84).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize);
    let corners = match binary_count {
        Some(count) if count.checked_mul(50).is_some_and(|n| bytes.len() - 84 == n) => binary(bytes, count),
        _ => ascii(bytes, name)?,
    };
    let mut index = BTreeMap::new();
    let mut vertices = Vec::new();
    let ids: Vec<u32> = corners
        .iter()
        .map(|p| {
            // Adding zero turns −0 into 0, which is the same place.
            let key = [p.x + 0.0, p.y + 0.0, p.z + 0.0].map(f64::to_bits);
            *index.entry(key).or_insert_with(|| {
                vertices.push(*p);
                vertices.len() as u32 - 1
            })
        })
        .collect();
    let triangles = ids.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect();
    Ok(RawMesh::new(vertices, Cells::Triangles(triangles)))
}

fn binary(bytes: &[u8], count: usize) -> Vec<Vec3> {
    let float = |at: usize| f64::from(f32::from_le_bytes([0, 1, 2, 3].map(|k| bytes[at + k])));
    let corner = |at: usize| Vec3::new(float(at), float(at + 4), float(at + 8));
    (0..count).flat_map(|t| (1..4).map(move |c| corner(84 + 50 * t + 12 * c))).collect()
}

fn ascii(bytes: &[u8], name: &str) -> Result<Vec<Vec3>, MeshError> {
    let mut tokens = Tokens::new(bytes, name);
    if tokens.try_word() != Some("solid") {
        return tokens.error("neither a text STL (`solid …`) nor a binary one of the right length");
    }
    let mut corners = Vec::new();
    while let Some(word) = tokens.try_word() {
        if word == "vertex" {
            corners.push(Vec3::new(tokens.number()?, tokens.number()?, tokens.number()?));
        }
    }
    if corners.len() % 3 != 0 || corners.is_empty() {
        return tokens.error(format!("{} corners do not make whole triangles", corners.len()));
    }
    Ok(corners)
}
