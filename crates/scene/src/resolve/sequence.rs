//! Colliders whose vertices move sample by sample: numbered mesh files, or one point cache.

use super::Context;
use super::check::{between, count};
use super::mesh::{from_bytes, from_file};
use super::size::over_budget;
use crate::error::{Problem, Resolved, fault};
use crate::file::SequenceFile;
use crate::geometry::check_coordinates;
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
        false => numbered_files(&at, file, mesh.vertices.len(), context)?,
    };
    let bytes = sample_bytes(mesh.vertices.len()).saturating_mul(samples.len() as u64);
    let spent = context.budget.spend(&format!("a sequence of {} samples", samples.len()), bytes);
    spent.or_else(|error| over_budget(&at, error))?;
    let mut positions = Vec::new();
    for (name, vertices) in samples {
        if vertices.len() != mesh.vertices.len() {
            let problem = Problem::Conflict(format!(
                "`{name}` has {} vertices, but the mesh has {}",
                vertices.len(),
                mesh.vertices.len()
            ));
            return fault(format!("{at}.files"), problem, "all samples of a sequence share their vertices");
        }
        positions.push(placed(&format!("{at}.files"), &name, &vertices, &place)?);
    }
    let fps = between(&format!("{at}.fps"), "fps", file.fps, 1e-9, 1e9)?;
    Ok(ColliderMotion::Sequence { positions, fps })
}

/// Memory of a sample: its positions as read and as placed [bytes].
fn sample_bytes(vertices: usize) -> u64 {
    2 * 24 * vertices as u64
}

fn placed(path: &str, name: &str, vertices: &[Vec3], place: impl Fn(&Vec3) -> Vec3) -> Resolved<Vec<Vec3>> {
    let positions: Vec<Vec3> = vertices.iter().map(place).collect();
    match check_coordinates(&positions, name) {
        Ok(()) => Ok(positions),
        Err(error) => fault(path, error, "mend the file, or name another one"),
    }
}

/// Vertices of a sample, with the name of its file.
type NamedSample = (String, Vec<Vec3>);

/// All samples of a point cache, or the first `count` of them.
fn cached(at: &str, file: &SequenceFile, context: &mut Context<'_>) -> Resolved<Vec<NamedSample>> {
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
fn numbered_files(
    at: &str,
    file: &SequenceFile,
    vertices: usize,
    context: &mut Context<'_>,
) -> Resolved<Vec<NamedSample>> {
    let Some(wanted) = file.count else {
        let problem = Problem::Conflict("numbered files need a `count`".to_owned());
        return fault(at, problem, "say how many files there are, or name one point cache (`.pc2`)");
    };
    count(&format!("{at}.count"), "count", wanted, 1)?;
    let first = file.first.unwrap_or(0);
    let Some(end) = first.checked_add(wanted) else {
        let problem = Problem::OutOfRange {
            what: "the number of the last file".into(),
            value: f64::from(first) + f64::from(wanted) - 1.0,
            requirement: format!("it must be below {}", u32::MAX),
        };
        return fault(format!("{at}.first"), problem, "number the files from a smaller `first`");
    };
    let bytes = sample_bytes(vertices).saturating_mul(wanted.into());
    let allowed = context.budget.allow(&format!("a sequence of {wanted} files"), bytes);
    allowed.or_else(|error| over_budget(&format!("{at}.count"), error))?;
    let mut samples = Vec::new();
    for number in first..end {
        let Some(name) = numbered(&file.files, number) else {
            let problem = Problem::Conflict(format!("`{}` has no place for the number", file.files));
            let help = format!("write `{{}}`, or `{{:04}}` for leading zeros (up to {MAX_WIDTH} digits)");
            return fault(format!("{at}.files"), problem, help);
        };
        let raw = from_file(&format!("{at}.files"), &name, context)?;
        samples.push((name, raw.vertices));
    }
    Ok(samples)
}

/// Most digits of a number in a file name; a 32-bit number has ten.
const MAX_WIDTH: usize = 20;

/// `body_{:04}.obj` with 7 becomes `body_0007.obj`.
fn numbered(pattern: &str, number: u32) -> Option<String> {
    let (before, rest) = pattern.split_once('{')?;
    let (format, after) = rest.split_once('}')?;
    let width = match format.strip_prefix(":0") {
        Some(width) => width.parse().ok().filter(|width| *width <= MAX_WIDTH)?,
        None if format.is_empty() => 0,
        None => return None,
    };
    Some(format!("{before}{number:0width$}{after}"))
}
