//! Point cache 2: positions of the same points over time, as animation programs write them beside a
//! mesh.
//!
//! ```text
//! "POINTCACHE2\0" · i32 version = 1 · i32 points · f32 first frame · f32 frames per sample · i32 samples
//! then f32 x, y, z of every point, sample by sample; little-endian
//! ```

use crate::error::MeshError;
use std::path::Path;
use stiction_numerics::Vec3;

const MAGIC: &[u8; 12] = b"POINTCACHE2\0";
const HEADER: usize = 32;

/// Whether a file is a point cache by its name.
pub fn is_point_cache(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|e| e.eq_ignore_ascii_case("pc2"))
}

/// The points of every sample. `name` is used in messages.
pub fn point_cache(bytes: &[u8], name: &str) -> Result<Vec<Vec<Vec3>>, MeshError> {
    let wrong = |message: String| MeshError::Format { file: name.to_owned(), line: 0, message };
    if bytes.len() < HEADER || &bytes[..MAGIC.len()] != MAGIC {
        return Err(wrong("the file does not begin like a point cache 2".to_owned()));
    }
    let number = |at: usize| i32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let [version, points, samples] = [12, 16, 28].map(number);
    if version != 1 || points < 1 || samples < 1 {
        return Err(wrong(format!("version {version} with {samples} samples of {points} points")));
    }
    let of_sample = 12 * points as usize;
    if (bytes.len() - HEADER) as u128 != of_sample as u128 * samples as u128 {
        return Err(wrong(format!(
            "{samples} samples of {points} points need {} bytes after the head, there are {}",
            of_sample as u128 * samples as u128,
            bytes.len() - HEADER
        )));
    }
    let coordinate = |b: &[u8]| f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let point = |b: &[u8]| Vec3::new(coordinate(b), coordinate(&b[4..]), coordinate(&b[8..]));
    let content = bytes[HEADER..].chunks_exact(of_sample);
    let samples: Vec<Vec<Vec3>> = content.map(|s| s.chunks_exact(12).map(point).collect()).collect();
    let is_finite = |x: &Vec3| x.iter().all(|c| c.is_finite());
    match samples.iter().flatten().position(|x| !is_finite(x)) {
        Some(index) => {
            let (source_name, element) = (name.to_owned(), "vertex");
            Err(MeshError::NonFinite { source_name, element, index: index % points as usize })
        }
        None => Ok(samples),
    }
}
