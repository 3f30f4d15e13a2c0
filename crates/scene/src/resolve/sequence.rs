//! Colliders whose vertices move sample by sample: numbered mesh files, or one point cache.

use super::Context;
use super::check::{count, positive};
use super::mesh::{from_bytes, from_file};
use crate::error::{Problem, Resolved, fault};
use crate::file::SequenceFile;
use crate::read::{is_point_cache, point_cache};
use crate::resolved::{ColliderMotion, ColliderShape};
use stiction_numerics::Vec3;

/// The motion that a sequence gives to the vertices of a mesh, each placed by `place`.
pub(super) fn sequence(
    path: &str,
    file: &SequenceFile,
    shape: &ColliderShape,
    place: impl Fn(&Vec3) -> Vec3,
    context: &mut Context<'_>,
) -> Resolved<ColliderMotion> {
    let at = format!("{path}.sequence");
    let ColliderShape::Mesh(mesh) = shape else {
        let problem = Problem::Conflict("a sequence needs a `mesh` for its triangles".to_owned());
        return fault(at, problem, "give the first file as `mesh` too");
    };
    let samples = match is_point_cache(&file.files) {
        true => cached(&at, file, context)?,
        false => numbered_files(&at, file, context)?,
    };
    let mut positions = Vec::with_capacity(samples.len());
    for (name, vertices) in samples {
        if vertices.len() != mesh.vertices.len() {
            let problem = Problem::Conflict(format!(
                "`{name}` has {} vertices, but the mesh has {}",
                vertices.len(),
                mesh.vertices.len()
            ));
            return fault(format!("{at}.files"), problem, "all samples of a sequence share their vertices");
        }
        positions.push(vertices.iter().map(&place).collect());
    }
    Ok(ColliderMotion::Sequence { positions, fps: positive(&format!("{at}.fps"), "fps", file.fps)? })
}

/// Vertices of a sample, with the name of its file.
type Sample = (String, Vec<Vec3>);

/// All samples of a point cache, or the first `count` of them.
fn cached(at: &str, file: &SequenceFile, context: &mut Context<'_>) -> Resolved<Vec<Sample>> {
    if file.first.is_some() {
        let problem = Problem::Conflict("a point cache has no numbered files".to_owned());
        return fault(format!("{at}.first"), problem, "take `first` out");
    }
    let name = &file.files;
    let mut samples = from_bytes(&format!("{at}.files"), name, context, |bytes| point_cache(bytes, name))?;
    if let Some(wanted) = file.count {
        count(&format!("{at}.count"), "count", wanted, 1)?;
        if wanted as usize > samples.len() {
            let problem =
                Problem::Conflict(format!("`{name}` has {} samples, `count` is {wanted}", samples.len()));
            return fault(format!("{at}.count"), problem, "leave `count` out to take all of them");
        }
        samples.truncate(wanted as usize);
    }
    Ok(samples.into_iter().map(|vertices| (name.clone(), vertices)).collect())
}

/// The vertices of mesh files with running numbers.
fn numbered_files(at: &str, file: &SequenceFile, context: &mut Context<'_>) -> Resolved<Vec<Sample>> {
    let Some(wanted) = file.count else {
        let problem = Problem::Conflict("numbered files need a `count`".to_owned());
        return fault(at, problem, "say how many files there are, or name one point cache (`.pc2`)");
    };
    count(&format!("{at}.count"), "count", wanted, 1)?;
    let first = file.first.unwrap_or(0);
    let mut samples = Vec::with_capacity(wanted as usize);
    for number in first..first + wanted {
        let Some(name) = numbered(&file.files, number) else {
            let problem = Problem::Conflict(format!("`{}` has no place for the number", file.files));
            return fault(format!("{at}.files"), problem, "write `{}`, or `{:04}` for leading zeros");
        };
        let raw = from_file(&format!("{at}.files"), &name, context)?;
        samples.push((name, raw.vertices));
    }
    Ok(samples)
}

/// `body_{:04}.obj` with 7 becomes `body_0007.obj`.
fn numbered(pattern: &str, number: u32) -> Option<String> {
    let (before, rest) = pattern.split_once('{')?;
    let (format, after) = rest.split_once('}')?;
    let width = match format.strip_prefix(":0") {
        Some(width) => width.parse().ok()?,
        None if format.is_empty() => 0,
        None => return None,
    };
    Some(format!("{before}{number:0width$}{after}"))
}
