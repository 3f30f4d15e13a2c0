//! The same meshes through the Python package `ipctk`, in the same run.
//!
//! Meshes go through a temporary folder of `.npy` files; the script `ipctk_compare.py` answers with
//! one line of JSON.

use crate::measure::Spent;
use serde_json::Value;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};
use stiction::numerics::Vec3;

const SCRIPT: &str = include_str!("../../ipctk_compare.py");
/// Exit code of the script where the package is not there.
const NOT_IMPORTABLE: i32 = 3;

/// What the other package took.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Theirs {
    /// Time for candidates of a motion.
    pub candidates: Spent,
    /// Time for the earliest impact among them.
    pub ccd: Spent,
    /// Number of candidates.
    pub count: usize,
    /// Its collision-free share of the motion.
    pub time: f64,
}

/// Runs it on a motion, or says why it cannot.
pub fn measured(x: &[Vec3], end: &[Vec3], faces: &[[u32; 3]], threads: usize) -> Result<Theirs, String> {
    let folder = tempfile::tempdir().map_err(|e| format!("no temporary folder for ipctk: {e}"))?;
    let written = write_vectors(&folder.path().join("start.npy"), x)
        .and_then(|()| write_vectors(&folder.path().join("end.npy"), end))
        .and_then(|()| write_faces(&folder.path().join("faces.npy"), faces));
    written.map_err(|e| format!("the meshes for ipctk cannot be written: {e}"))?;
    let output = Command::new("python3")
        .args(["-c", SCRIPT])
        .arg(folder.path())
        .arg(threads.to_string())
        .stdin(Stdio::null())
        .output()
        .map_err(|e| format!("python3 cannot be started, no comparison with ipctk: {e}"))?;
    match output.status.code() {
        Some(0) => parse(&output.stdout).ok_or_else(|| "ipctk gave no figures".to_owned()),
        Some(NOT_IMPORTABLE) => Err("ipctk not importable: no comparison".to_owned()),
        _ => Err(format!("ipctk failed: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}

fn parse(text: &[u8]) -> Option<Theirs> {
    let answer: Value = serde_json::from_slice(text).ok()?;
    let threads = answer["threads"].as_u64()? as usize;
    let spent = |key: &str| {
        let part = &answer[key];
        Some(Spent { wall: part["wall"].as_f64()?, core: part["core"].as_f64()?, threads })
    };
    Some(Theirs {
        candidates: spent("candidates")?,
        ccd: spent("ccd")?,
        count: answer["count"].as_u64()? as usize,
        time: answer["time"].as_f64()?,
    })
}

fn write_vectors(path: &Path, x: &[Vec3]) -> std::io::Result<()> {
    write_npy(
        path,
        "<f8",
        x.len(),
        x.iter().flat_map(|p| p.iter().copied()).flat_map(f64::to_le_bytes).collect(),
    )
}

fn write_faces(path: &Path, faces: &[[u32; 3]]) -> std::io::Result<()> {
    write_npy(path, "<u4", faces.len(), faces.as_flattened().iter().flat_map(|v| v.to_le_bytes()).collect())
}

/// An array of `rows` × 3 in NumPy's format, version 1.0: the header ends on a multiple of 64
/// bytes.
fn write_npy(path: &Path, kind: &str, rows: usize, bytes: Vec<u8>) -> std::io::Result<()> {
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({rows}, 3), }}");
    while (header.len() + 11) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut file = std::fs::File::create(path)?;
    file.write_all(b"\x93NUMPY\x01\x00")?;
    file.write_all(&(header.len() as u16).to_le_bytes())?;
    file.write_all(header.as_bytes())?;
    file.write_all(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_have_an_aligned_header_and_all_bytes() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.npy");
        write_vectors(&path, &[Vec3::new(1.0, 2.0, 3.0); 5]).expect("written");
        let bytes = std::fs::read(&path).expect("read");
        assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
        let header = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        assert_eq!((10 + header) % 64, 0);
        assert_eq!(bytes.len(), 10 + header + 5 * 24);
    }

    #[test]
    fn answers_are_read_and_half_answers_are_not() {
        let whole = br#"{"threads": 2, "count": 7, "time": 0.5,
            "candidates": {"wall": 1.0, "core": 2.0}, "ccd": {"wall": 3.0, "core": 4.0}}"#;
        assert_eq!(parse(whole).expect("whole").ccd.core, 4.0);
        assert_eq!(parse(br#"{"threads": 2}"#), None);
    }
}
