//! Mesh files in. Vertex order is the file's; nothing is merged, except in STL, which has no
//! indices.

mod gmsh;
mod obj;
mod ply;
mod point_cache;
mod stl;
mod tetgen;
mod tokens;
mod vtk;

use crate::error::{MAX_VERTICES, MeshError};
use crate::generate::RawMesh;
pub use point_cache::{is_point_cache, point_cache};
use std::path::{Path, PathBuf};
use stiction_limits::{Budget, read_input};

/// Why a mesh file could not be read.
#[derive(Clone, Debug)]
pub enum ReadError {
    /// The system refused.
    File {
        /// Path.
        path: PathBuf,
        /// What it said.
        reason: String,
    },
    /// The content is wrong.
    Mesh(MeshError),
}

impl From<MeshError> for ReadError {
    fn from(error: MeshError) -> Self {
        ReadError::Mesh(error)
    }
}

/// Extensions that can be read.
pub const EXTENSIONS: [&str; 7] = ["obj", "ply", "stl", "msh", "vtk", "node", "ele"];

/// Longest name of a group [bytes]: names are compared for every corner of a file.
const MAX_NAME: usize = 256;

/// Memory that reading takes at most, in bytes per byte of the file. The worst case is a VTK text
/// of cells of one vertex: four bytes of text become two numbers and a list of one.
const BYTES_PER_BYTE: u64 = 32;

/// The content of a regular file whose mesh fits into the budget.
pub fn load_bytes(path: &Path, budget: &Budget) -> Result<Vec<u8>, ReadError> {
    let refused = |reason: String| ReadError::File { path: path.to_path_buf(), reason };
    let bytes = read_input(path, budget).map_err(|e| refused(e.to_string()))?;
    let needed = BYTES_PER_BYTE.saturating_mul(bytes.len() as u64);
    budget.allow("reading it", needed).map_err(|e| refused(e.to_string()))?;
    Ok(bytes)
}

/// Reads a mesh by its extension. `name` is used in messages. Also returns the bytes of all files
/// read.
pub fn read_mesh(path: &Path, name: &str, budget: &Budget) -> Result<(RawMesh, Vec<u8>), ReadError> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase();
    if !EXTENSIONS.contains(&extension.as_str()) {
        return Err(MeshError::Format {
            file: name.to_owned(),
            line: 0,
            message: format!("extension `{extension}` is not known; known: {}", EXTENSIONS.join(", ")),
        }
        .into());
    }
    let mut bytes = load_bytes(path, budget)?;
    let mesh = match extension.as_str() {
        "node" | "ele" => {
            let other = path.with_extension(if extension == "node" { "ele" } else { "node" });
            let other_bytes = load_bytes(&other, budget)?;
            let is_node = extension == "node";
            let [node, ele] = if is_node { [&bytes, &other_bytes] } else { [&other_bytes, &bytes] };
            let mesh = tet_mesh_from_bytes(node, ele, name)?;
            bytes.extend(&other_bytes);
            mesh
        }
        other => mesh_from_bytes(other, &bytes, name)?,
    };
    Ok((mesh, bytes))
}

/// The mesh in the content of one file, by its extension (all but TetGen, which has two files).
pub fn mesh_from_bytes(extension: &str, bytes: &[u8], name: &str) -> Result<RawMesh, MeshError> {
    let mesh = match extension {
        "obj" => obj::read(text(bytes, name)?, name)?,
        "ply" => ply::read(bytes, name)?,
        "stl" => stl::read(bytes, name)?,
        "msh" => gmsh::read(bytes, name)?,
        _ => vtk::read(bytes, name)?,
    };
    checked(mesh, name)
}

/// The mesh in the contents of a `.node` and an `.ele` file.
pub fn tet_mesh_from_bytes(node: &[u8], ele: &[u8], name: &str) -> Result<RawMesh, MeshError> {
    checked(tetgen::read(text(node, name)?, text(ele, name)?, name)?, name)
}

/// What holds for a mesh of every format: numbers are finite, vertices can be numbered.
fn checked(mesh: RawMesh, name: &str) -> Result<RawMesh, MeshError> {
    let source_name = || name.to_owned();
    if mesh.vertices.len() > MAX_VERTICES {
        let vertices = mesh.vertices.len();
        return Err(MeshError::TooManyVertices { source_name: source_name(), vertices });
    }
    let vertex = mesh.vertices.iter().position(|p| !p.iter().all(|x| x.is_finite()));
    let pattern = mesh.uv.iter().flatten().position(|p| !p.iter().all(|x| x.is_finite()));
    let stitch = mesh.stitches.iter().position(|s| !s.3.is_finite());
    let found = [("vertex", vertex), ("pattern coordinate", pattern), ("stitch", stitch)];
    match found.into_iter().find_map(|(element, index)| Some((element, index?))) {
        Some((element, index)) => Err(MeshError::NonFinite { source_name: source_name(), element, index }),
        None => Ok(mesh),
    }
}

/// A whole number that was read as a double, such as an index of PLY or VTK.
fn whole(value: f64) -> Option<i64> {
    // Beyond 2⁵³ a double no longer tells neighbours apart.
    (value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0).then_some(value as i64)
}

fn text<'a>(bytes: &'a [u8], file: &str) -> Result<&'a str, MeshError> {
    std::str::from_utf8(bytes).map_err(|_| MeshError::Format {
        file: file.to_owned(),
        line: 0,
        message: "the file is not UTF-8 text".to_owned(),
    })
}

/// Fails unless a vertex number fits.
fn to_index(
    value: i64,
    vertices: usize,
    cell: &'static str,
    index: usize,
    name: &str,
) -> Result<u32, MeshError> {
    if value >= 0 && (value as usize) < vertices {
        return Ok(value as u32);
    }
    Err(MeshError::IndexOutOfRange {
        source_name: name.to_owned(),
        cell,
        index,
        vertex: value.max(0) as u64,
        vertices,
    })
}

#[cfg(test)]
mod tests;
