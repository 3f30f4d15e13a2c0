//! Joints: which bodies, where, what is free, limits and drives.

use super::check::{between, direction, non_negative, positive, spans, vec3};
use super::couple::body_index;
use crate::error::{Problem, Resolved, fault};
use crate::file::{InterpolationName, JointDriveFile, JointFile, JointKindName};
use crate::motion::Interpolation;
use crate::resolved::{BodyKind, DriveKey, DriveTarget, JointDrive, JointKind, Range, SceneBody, SceneJoint};
use std::collections::BTreeMap;
use stiction_numerics::Vec3;

pub(super) fn joints(files: &BTreeMap<String, JointFile>, bodies: &[SceneBody]) -> Resolved<Vec<SceneJoint>> {
    files.iter().map(|(name, file)| joint(name, file, bodies)).collect()
}

/// A joint as written, with its bodies found.
struct Written<'a> {
    path: String,
    file: &'a JointFile,
    a: usize,
    b: Option<usize>,
    bodies: &'a [SceneBody],
}

fn joint(name: &str, file: &JointFile, bodies: &[SceneBody]) -> Resolved<SceneJoint> {
    let path = format!("joints.{name}");
    let a = rigid_index(&format!("{path}.a"), &file.a, bodies)?;
    let b = match &file.b {
        Some(other) => Some(rigid_index(&format!("{path}.b"), other, bodies)?),
        None => None,
    };
    if b == Some(a) {
        let problem = Problem::Conflict(format!("a joint cannot hold `{}` to itself", file.a));
        return fault(format!("{path}.b"), problem, "name another body, or leave `b` out for the world");
    }
    let written = Written { path, file, a, b, bodies };
    written.refuse_foreign_keys()?;
    written.refuse_idle()?;
    let (anchor_a, anchor_b) = written.anchors()?;
    let kind = written.kind((anchor_a - anchor_b).norm())?;
    Ok(SceneJoint {
        name: name.to_owned(),
        body_a: a,
        body_b: b,
        anchor_a,
        anchor_b,
        axis: written.axis()?,
        drive: written.drive(&kind, (anchor_a - anchor_b).norm())?,
        friction: non_negative(&written.at("friction"), "friction", file.friction.unwrap_or(0.0))?,
        collide: file.collide.unwrap_or(false),
        active: spans(&written.at("active"), &file.active)?,
        kind,
    })
}

fn rigid_index(path: &str, name: &str, bodies: &[SceneBody]) -> Resolved<usize> {
    let index = body_index(path, name, bodies)?;
    if bodies[index].kind == BodyKind::Rigid {
        return Ok(index);
    }
    let problem = Problem::Conflict(format!("`{name}` is not rigid, and joints hold rigid bodies"));
    fault(path, problem, "write `kind = \"rigid\"`, or use attachments or stitches")
}

/// Whether an exact pin holds a body at all times.
fn always_pinned(body: &SceneBody) -> bool {
    body.pins.iter().any(|p| p.active.is_empty() && p.stiffness.is_none())
}

impl Written<'_> {
    fn at(&self, key: &str) -> String {
        format!("{}.{key}", self.path)
    }

    /// Keys that mean something for some kinds of joints only.
    fn refuse_foreign_keys(&self) -> Resolved<()> {
        use JointKindName::{Ball, Distance, Fixed, Hinge, Slider};
        let f = self.file;
        let keys: [(&str, bool, &[JointKindName]); 8] = [
            ("anchor", f.anchor.is_some(), &[Ball, Hinge, Slider, Fixed]),
            ("anchor_a", f.anchor_a.is_some(), &[Distance]),
            ("anchor_b", f.anchor_b.is_some(), &[Distance]),
            ("axis", f.axis.is_some(), &[Ball, Hinge, Slider]),
            ("limits", f.limits.is_some(), &[Hinge, Slider, Distance]),
            ("cone", f.cone.is_some(), &[Ball]),
            ("drive", f.drive.is_some(), &[Hinge, Slider, Distance]),
            ("friction", f.friction.is_some(), &[Ball, Hinge, Slider, Distance]),
        ];
        let Some((key, _, kinds)) = keys.iter().find(|(_, on, kinds)| *on && !kinds.contains(&f.kind)) else {
            return Ok(());
        };
        let problem = Problem::Conflict(format!("`{key}` means nothing for a {} joint", kind_name(f.kind)));
        let known: Vec<&str> = kinds.iter().map(|k| kind_name(*k)).collect();
        fault(self.at(key), problem, format!("it belongs to: {}; take it out", known.join(", ")))
    }

    /// A joint between ends that are both prescribed can hold nothing.
    fn refuse_idle(&self) -> Resolved<()> {
        let pinned = |body: Option<usize>| body.is_none_or(|b| always_pinned(&self.bodies[b]));
        if !(pinned(Some(self.a)) && pinned(self.b)) {
            return Ok(());
        }
        let other = self.b.map_or_else(|| "the world".to_owned(), |b| format!("`{}`", self.bodies[b].name));
        let names = format!("`{}` and {other}", self.bodies[self.a].name);
        let problem =
            Problem::Conflict(format!("{names} both move as prescribed: the joint can hold neither"));
        fault(&self.path, problem, "take the joint out, or the pins of one of its bodies")
    }

    /// The points of both bodies in the world.
    fn anchors(&self) -> Resolved<(Vec3, Vec3)> {
        let f = self.file;
        let centre = |body: usize| self.bodies[body].rigid.as_ref().map_or_else(Vec3::zeros, |r| r.centre);
        if f.kind == JointKindName::Distance {
            let a = f.anchor_a.map_or_else(|| centre(self.a), vec3);
            return match (f.anchor_b, self.b) {
                (Some(point), _) => Ok((a, vec3(point))),
                (None, Some(b)) => Ok((a, centre(b))),
                (None, None) => {
                    let help = "give the point of the world in metres, or name a second body as `b`";
                    fault(&self.path, Problem::MissingKey("anchor_b".into()), help)
                }
            };
        }
        let point = match (f.anchor, f.kind) {
            (Some(point), _) => vec3(point),
            (None, JointKindName::Slider | JointKindName::Fixed) => centre(self.a),
            (None, _) => {
                let help = "give the shared point in the world, in metres";
                return fault(&self.path, Problem::MissingKey("anchor".into()), help);
            }
        };
        Ok((point, point))
    }

    fn axis(&self) -> Resolved<Vec3> {
        match (&self.file.axis, self.file.kind) {
            (Some(axis), _) => direction(&self.at("axis"), axis),
            (None, JointKindName::Hinge | JointKindName::Slider) => {
                fault(&self.path, Problem::MissingKey("axis".into()), "write `axis = \"z\"`, or a vector")
            }
            (None, JointKindName::Ball) if self.file.cone.is_some() => {
                let help = "name the direction that `cone` limits: `axis = \"z\"`, or a vector";
                fault(&self.path, Problem::MissingKey("axis".into()), help)
            }
            (None, _) => Ok(Vec3::x()),
        }
    }

    /// What is free; `distance` is that of the anchors at the start.
    fn kind(&self, distance: f64) -> Resolved<JointKind> {
        Ok(match self.file.kind {
            JointKindName::Ball => {
                let cone = self.file.cone.map(|c| between(&self.at("cone"), "cone", c, 0.0, 180.0));
                JointKind::Ball { cone: cone.transpose()?.map(f64::to_radians) }
            }
            JointKindName::Hinge => {
                let limits = self.limits(0.0)?;
                let radians = |r: Range| Range { low: r.low.to_radians(), high: r.high.to_radians() };
                JointKind::Hinge { limits: limits.map(radians) }
            }
            JointKindName::Slider => JointKind::Slider { limits: self.limits(0.0)? },
            JointKindName::Fixed => JointKind::Fixed,
            JointKindName::Distance => JointKind::Distance { limits: self.distances(distance)? },
        })
    }

    /// The range of the coordinate, which must hold its value at the start.
    fn limits(&self, start: f64) -> Resolved<Option<Range>> {
        let Some([low, high]) = self.file.limits else { return Ok(None) };
        let at = self.at("limits");
        if low > high {
            let problem = Problem::Conflict(format!("the limits are reversed: {low} is above {high}"));
            return fault(at, problem, format!("write `limits = [{high}, {low}]`"));
        }
        // Round-off of the placement may move a start that is meant to be on a limit.
        let slack = 1e-9 * low.abs().max(high.abs()).max(start.abs());
        if start < low - slack || start > high + slack {
            let problem =
                Problem::Conflict(format!("the joint starts at {start}, outside of {low} to {high}"));
            return fault(at, problem, "widen the limits, or move the bodies");
        }
        Ok(Some(Range { low, high }))
    }

    fn distances(&self, start: f64) -> Resolved<Range> {
        let range = self.limits(start)?.unwrap_or(Range { low: start, high: start });
        non_negative(&self.at("limits"), "the smallest distance", range.low)?;
        // Anchors that are meant to coincide differ by the round-off of the centre of mass.
        let size = self.bodies[self.a].rigid.as_ref().map_or(0.0, |r| r.shape.size());
        if range.high <= 1e-9 * size {
            let problem = Problem::Conflict("a distance joint of length zero".to_owned());
            return fault(&self.path, problem, "move the anchors apart, or write `kind = \"ball\"`");
        }
        Ok(range)
    }

    /// The drive in SI units; `distance` is that of the anchors at the start.
    fn drive(&self, kind: &JointKind, distance: f64) -> Resolved<Option<JointDrive>> {
        let Some(file) = &self.file.drive else { return Ok(None) };
        let path = self.at("drive");
        let value =
            |key: &str, given: Option<f64>| non_negative(&format!("{path}.{key}"), key, given.unwrap_or(0.0));
        let (stiffness, damping) = (value("stiffness", file.stiffness)?, value("damping", file.damping)?);
        if stiffness == 0.0 && damping == 0.0 {
            let problem = Problem::Conflict("the drive has neither stiffness nor damping".to_owned());
            return fault(path, problem, "give `stiffness` to reach a position, `damping` to keep a speed");
        }
        let max_effort = match file.max_effort {
            Some(effort) => positive(&format!("{path}.max_effort"), "max_effort", effort)?,
            None => f64::INFINITY,
        };
        let unit = if matches!(kind, JointKind::Hinge { .. }) { 1f64.to_radians() } else { 1.0 };
        let start = if matches!(kind, JointKind::Distance { .. }) { distance } else { 0.0 };
        let target = drive_target(&path, file, unit, start)?;
        Ok(Some(JointDrive { stiffness, damping, max_effort, target }))
    }
}

/// The target of a drive; `unit` converts what is written, `start` is the coordinate at the start
/// in SI units.
fn drive_target(path: &str, file: &JointDriveFile, unit: f64, start: f64) -> Resolved<DriveTarget> {
    if file.keys.is_empty() {
        return Ok(DriveTarget::Constant {
            start: file.target.map_or(start, |t| t * unit),
            rate: file.velocity.unwrap_or(0.0) * unit,
        });
    }
    if file.target.is_some() || file.velocity.is_some() {
        let problem = Problem::Conflict("the target of the drive is given twice".to_owned());
        return fault(path, problem, "keep `keys`, or `target` and `velocity`");
    }
    let mut keys: Vec<DriveKey> = Vec::with_capacity(file.keys.len());
    for (index, key) in file.keys.iter().enumerate() {
        if let Some(previous) = keys.last().map(|k| k.time).filter(|t| key.time <= *t) {
            let problem = Problem::KeyOrder { index, time: key.time, previous };
            return fault(format!("{path}.keys.{index}.time"), problem, "list keys by increasing time");
        }
        keys.push(DriveKey { time: key.time, target: key.target * unit });
    }
    let interpolation = match file.interpolation {
        Some(InterpolationName::Smooth) => Interpolation::Smooth,
        Some(InterpolationName::Linear) | None => Interpolation::Linear,
    };
    Ok(DriveTarget::Keyed { keys, interpolation })
}

fn kind_name(kind: JointKindName) -> &'static str {
    match kind {
        JointKindName::Ball => "ball",
        JointKindName::Hinge => "hinge",
        JointKindName::Slider => "slider",
        JointKindName::Fixed => "fixed",
        JointKindName::Distance => "distance",
    }
}
