//! Mesh files in. Vertex order is the file's; nothing is merged, except in STL, which has no indices.

mod gmsh;
mod obj;
mod ply;
mod point_cache;
mod stl;
mod tetgen;
mod tokens;
mod vtk;

use crate::error::MeshError;
use crate::generate::RawMesh;
pub use point_cache::{is_point_cache, point_cache};
use std::path::{Path, PathBuf};

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

/// The content of a file.
pub fn load_bytes(path: &Path) -> Result<Vec<u8>, ReadError> {
    std::fs::read(path).map_err(|e| ReadError::File { path: path.to_path_buf(), reason: e.to_string() })
}

/// Reads a mesh by its extension. `name` is used in messages. Also returns the bytes of all files read.
pub fn read_mesh(path: &Path, name: &str) -> Result<(RawMesh, Vec<u8>), ReadError> {
    let extension = path.extension().and_then(|e| e.to_str()).unwrap_or("").to_lowercase();
    if !EXTENSIONS.contains(&extension.as_str()) {
        return Err(MeshError::Format {
            file: name.to_owned(),
            line: 0,
            message: format!("extension `{extension}` is not known; known: {}", EXTENSIONS.join(", ")),
        }
        .into());
    }
    let mut bytes = load_bytes(path)?;
    let mesh = match extension.as_str() {
        "obj" => obj::read(&text(&bytes, name)?, name)?,
        "ply" => ply::read(&bytes, name)?,
        "stl" => stl::read(&bytes, name)?,
        "msh" => gmsh::read(&bytes, name)?,
        "vtk" => vtk::read(&bytes, name)?,
        _ => {
            let other = path.with_extension(if extension == "node" { "ele" } else { "node" });
            let other_bytes = load_bytes(&other)?;
            let (a, b) = (text(&bytes, name)?, text(&other_bytes, name)?);
            let (node, ele) = if extension == "node" { (a, b) } else { (b, a) };
            bytes.extend(&other_bytes);
            tetgen::read(&node, &ele, name)?
        }
    };
    Ok((mesh, bytes))
}

fn text(bytes: &[u8], file: &str) -> Result<String, MeshError> {
    String::from_utf8(bytes.to_vec()).map_err(|_| MeshError::Format {
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
