//! Checks of single values; each names the quantity and the fix.

use crate::error::{MAX_COORDINATE, Problem, Resolved, fault};
use crate::file::{RotateFile, SpanFile, TextOr};
use stiction_numerics::Vec3;

pub(super) fn vec3(v: [f64; 3]) -> Vec3 {
    Vec3::from(v)
}

fn out_of_range<T>(path: &str, what: &str, value: f64, requirement: &str) -> Resolved<T> {
    let requirement = requirement.to_owned();
    let help = format!("change `{path}`");
    fault(path, Problem::OutOfRange { what: what.to_owned(), value, requirement }, help)
}

pub(super) fn positive(path: &str, what: &str, value: f64) -> Resolved<f64> {
    if value > 0.0 { Ok(value) } else { out_of_range(path, what, value, "it must be greater than zero") }
}

pub(super) fn non_negative(path: &str, what: &str, value: f64) -> Resolved<f64> {
    if value >= 0.0 { Ok(value) } else { out_of_range(path, what, value, "it must not be negative") }
}

pub(super) fn between(path: &str, what: &str, value: f64, low: f64, high: f64) -> Resolved<f64> {
    if value >= low && value <= high {
        return Ok(value);
    }
    out_of_range(path, what, value, &format!("it must be from {low} to {high}"))
}

/// A place, size or shift [m] whose coordinates can be computed with.
pub(super) fn within_reach(path: &str, lengths: [f64; 3]) -> Resolved<Vec3> {
    bounded(path, "a coordinate", lengths, MAX_COORDINATE, "m")
}

/// A velocity [m/s] below that of light; beyond, an exponent has slipped.
pub(super) fn velocity(path: &str, value: [f64; 3]) -> Resolved<Vec3> {
    bounded(path, "a velocity", value, 299_792_458.0, "m/s")
}

/// A vector whose components are at most `limit` in size.
pub(super) fn bounded(path: &str, what: &str, vector: [f64; 3], limit: f64, unit: &str) -> Resolved<Vec3> {
    match vector.into_iter().find(|x| x.abs() > limit) {
        Some(x) => out_of_range(path, what, x, &format!("it must not exceed {limit:e} {unit}")),
        None => Ok(vec3(vector)),
    }
}

pub(super) fn count(path: &str, what: &str, value: u32, least: u32) -> Resolved<u32> {
    if value >= least {
        return Ok(value);
    }
    out_of_range(path, what, value.into(), &format!("it must be at least {least}"))
}

/// −1 < ν < 0.5: outside, an isotropic solid has a negative modulus.
pub(super) fn poisson_ratio(path: &str, value: f64) -> Resolved<f64> {
    if value > -1.0 && value < 0.5 {
        return Ok(value);
    }
    let problem = Problem::OutOfRange {
        what: "the Poisson ratio".to_owned(),
        value,
        requirement: "it must be between -1 and 0.5, both excluded".to_owned(),
    };
    fault(path, problem, "for a nearly incompressible material write 0.49")
}

/// Unit vector from an axis name or a vector.
pub(super) fn direction(path: &str, axis: &TextOr<[f64; 3]>) -> Resolved<Vec3> {
    match axis {
        TextOr::Text(name) => match name.as_str() {
            "x" => Ok(Vec3::x()),
            "y" => Ok(Vec3::y()),
            "z" => Ok(Vec3::z()),
            "-x" => Ok(-Vec3::x()),
            "-y" => Ok(-Vec3::y()),
            "-z" => Ok(-Vec3::z()),
            _ => fault(
                path,
                Problem::UnknownName { kind: "axis", name: name.clone() },
                "write \"x\", \"y\", \"z\", with a minus for the other way, or a vector",
            ),
        },
        TextOr::Full(vector) => match vec3(*vector).try_normalize(0.0) {
            Some(unit) => Ok(unit),
            None => fault(
                path,
                Problem::Conflict("a direction of length zero".to_owned()),
                "write a vector that is not zero",
            ),
        },
    }
}

/// Rotation vector [rad].
pub(super) fn rotation(path: &str, rotate: Option<&RotateFile>) -> Resolved<Vec3> {
    match rotate {
        None => Ok(Vec3::zeros()),
        Some(r) => Ok(direction(&format!("{path}.axis"), &r.axis)? * r.degrees.to_radians()),
    }
}

/// Spans of time, in order and apart.
pub(super) fn spans(path: &str, spans: &[SpanFile]) -> Resolved<Vec<(f64, f64)>> {
    let mut last = f64::NEG_INFINITY;
    let mut list = Vec::new();
    for (index, span) in spans.iter().enumerate() {
        let from = span.from.unwrap_or(f64::NEG_INFINITY);
        let until = span.until.unwrap_or(f64::INFINITY);
        if from >= until || (index > 0 && from < last) {
            return fault(
                format!("{path}.{index}"),
                Problem::Conflict(format!(
                    "span {index} runs from {from} s to {until} s, after one that ends at {last} s"
                )),
                "each span must end after it begins, and begin after the one before has ended",
            );
        }
        last = until;
        list.push((from, until));
    }
    Ok(list)
}
