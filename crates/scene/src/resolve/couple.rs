//! What joins bodies: attachments, stitches, friction pairs.

use super::body::Bodies;
use super::check::{non_negative, positive, spans};
use super::material::friction as coefficient;
use super::select::Selectable;
use super::size::over_budget;
use crate::error::{Problem, Resolved, fault, suggest};
use crate::file::{AttachmentFile, EllipseName, FrictionFile, MixName, PairFile, StitchFile};
use crate::geometry::nearest_point;
use crate::resolved::{
    Attachment, AttachmentTarget, BodyKind, Collider, EllipseRule, FrictionMixing, FrictionPair,
    FrictionTable, SceneBody, Stitch, Surface, WeightedPoint,
};
use stiction_limits::Budget;
use stiction_numerics::Vec3;

/// Stiffness of attachments and stitches where none is given [N/m].
const DEFAULT_STIFFNESS: f64 = 1000.0;

/// Index of one body; a name with copies must say which.
pub(super) fn body_index(path: &str, name: &str, bodies: &[SceneBody]) -> Resolved<usize> {
    if let Some(index) = bodies.iter().position(|b| b.name == name) {
        return Ok(index);
    }
    let problem = Problem::UnknownName { kind: "body", name: name.to_owned() };
    if bodies.iter().any(|b| b.instance_of.as_ref().is_some_and(|i| i.name == name)) {
        return fault(path, problem, format!("`{name}` has copies: name one, as in `{name}.0`"));
    }
    fault(path, problem, suggest(name, bodies.iter().map(|b| b.name.as_str())))
}

/// Index of one body whose vertices springs can hold.
fn deformable_index(path: &str, name: &str, bodies: &[SceneBody]) -> Resolved<usize> {
    let index = body_index(path, name, bodies)?;
    if bodies[index].kind == BodyKind::Rigid {
        let problem = Problem::Conflict(format!("`{name}` is rigid: springs hold vertices of other bodies"));
        return fault(path, problem, "hold rigid bodies by pins or `[joints.NAME]`");
    }
    Ok(index)
}

pub(super) fn attachments(
    files: &[AttachmentFile],
    bodies: &Bodies,
    colliders: &[Collider],
) -> Resolved<Vec<Attachment>> {
    files.iter().enumerate().map(|(index, file)| attachment(index, file, &bodies.list, colliders)).collect()
}

fn attachment(
    index: usize,
    file: &AttachmentFile,
    bodies: &[SceneBody],
    colliders: &[Collider],
) -> Resolved<Attachment> {
    let path = format!("attachments.{index}");
    let body = deformable_index(&format!("{path}.body"), &file.body, bodies)?;
    let owner = &bodies[body];
    let selectable = Selectable { mesh: owner.shape(), groups: &owner.groups };
    let vertices = selectable.select(&format!("{path}.select"), &file.select)?;
    let points: Vec<Vec3> = vertices.iter().map(|i| owner.shape().vertices[*i as usize]).collect();
    let target = match (&file.to_body, &file.to_collider) {
        (Some(name), None) => {
            let to = deformable_index(&format!("{path}.to_body"), name, bodies)?;
            AttachmentTarget::Body { body: to, points: body_points(&path, file, &points, &bodies[to])? }
        }
        (None, Some(_)) if owner.kind.on_frames() => {
            let problem =
                Problem::Conflict(format!("`{}` is on frames, which a collider holds by pins", owner.name));
            return fault(path, problem, "pin its frames with `follow` instead");
        }
        (None, Some(name)) => match colliders.iter().position(|c| c.name == *name) {
            Some(collider) => AttachmentTarget::Collider { collider, points },
            None => {
                let help = suggest(name, colliders.iter().map(|c| c.name.as_str()));
                let problem = Problem::UnknownName { kind: "collider", name: name.clone() };
                return fault(format!("{path}.to_collider"), problem, help);
            }
        },
        _ => {
            let problem = Problem::Conflict("an attachment goes to one body or one collider".to_owned());
            return fault(path, problem, "write either `to_body` or `to_collider`");
        }
    };
    Ok(Attachment {
        body,
        points: vertices.iter().map(|&v| owner.carried(WeightedPoint { terms: vec![(v, 1.0)] })).collect(),
        target,
        stiffness: positive(
            &format!("{path}.stiffness"),
            "stiffness",
            file.stiffness.unwrap_or(DEFAULT_STIFFNESS),
        )?,
        keep_offset: file.keep_offset.unwrap_or(false),
        active: spans(&format!("{path}.active"), &file.active)?,
    })
}

fn body_points(
    path: &str,
    file: &AttachmentFile,
    points: &[Vec3],
    to: &SceneBody,
) -> Resolved<Vec<WeightedPoint>> {
    let Some(list) = &file.to_vertices else {
        let shape = to.shape();
        let nearest = |p: &Vec3| to.carried(nearest_point(p, &shape.vertices, &shape.cells).0);
        return Ok(points.iter().map(nearest).collect());
    };
    if list.len() != points.len() {
        let problem =
            Problem::Conflict(format!("{} vertices are attached to {} vertices", points.len(), list.len()));
        return fault(
            format!("{path}.to_vertices"),
            problem,
            "give one target vertex for each selected vertex",
        );
    }
    list.iter().enumerate().map(|(k, &v)| vertex_point(&format!("{path}.to_vertices.{k}"), v, to)).collect()
}

fn vertex_point(path: &str, vertex: u32, body: &SceneBody) -> Resolved<WeightedPoint> {
    let count = body.shape().vertices.len();
    if (vertex as usize) < count {
        return Ok(body.carried(WeightedPoint { terms: vec![(vertex, 1.0)] }));
    }
    let problem = Problem::Conflict(format!("body `{}` has no vertex {vertex}, only {count}", body.name));
    fault(path, problem, format!("use numbers from 0 to {}", count - 1))
}

pub(super) fn stitches(files: &[StitchFile], bodies: &Bodies) -> Resolved<Vec<Stitch>> {
    let mut list = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let path = format!("stitches.{index}");
        let a = deformable_index(&format!("{path}.body"), &file.body, &bodies.list)?;
        let b = match &file.to_body {
            Some(name) => deformable_index(&format!("{path}.to_body"), name, &bodies.list)?,
            None => a,
        };
        let stiffness =
            positive(&format!("{path}.stiffness"), "stiffness", file.stiffness.unwrap_or(DEFAULT_STIFFNESS))?;
        let rest_length =
            non_negative(&format!("{path}.rest_length"), "rest_length", file.rest_length.unwrap_or(0.0))?;
        let active = spans(&format!("{path}.active"), &file.active)?;
        let rows = seams(&path, file, a, bodies)?;
        for (at, (v, p, q, w)) in rows {
            if !(0.0..=1.0).contains(&w) {
                let problem = Problem::OutOfRange {
                    what: "the weight".into(),
                    value: w,
                    requirement: "it must be from 0 to 1".into(),
                };
                return fault(at, problem, "a stitch ends between its two vertices");
            }
            let point_a = vertex_point(&at, v, &bodies.list[a])?;
            let ends = [vertex_point(&at, p, &bodies.list[b])?, vertex_point(&at, q, &bodies.list[b])?];
            let point_b = if p == q || w == 0.0 { ends[0].clone() } else { between(&ends[0], &ends[1], w) };
            let active = active.clone();
            list.push(Stitch {
                table: index,
                body_a: a,
                point_a,
                body_b: b,
                point_b,
                stiffness,
                rest_length,
                active,
            });
        }
    }
    Ok(list)
}

/// A vertex, the two between which it is sewn, and the weight of the second of them.
type Seam = (u32, u32, u32, f64);

/// All that one table sews together, each with its place in the scene.
fn seams(path: &str, file: &StitchFile, body: usize, bodies: &Bodies) -> Resolved<Vec<(String, Seam)>> {
    let pair = |(k, p): (usize, &[u32; 2])| (format!("{path}.pairs.{k}"), (p[0], p[1], p[1], 0.0));
    let mut rows: Vec<(String, Seam)> = file.pairs.iter().enumerate().map(pair).collect();
    rows.extend(file.weighted.iter().enumerate().map(|(k, w)| (format!("{path}.weighted.{k}"), *w)));
    if file.from_mesh == Some(true) {
        let owner = bodies.list[body].instance_of.as_ref().map_or(&bodies.list[body].name, |i| &i.name);
        let sewn = bodies.stitches.get(owner).into_iter().flatten();
        rows.extend(sewn.map(|s| (format!("{path}.from_mesh"), *s)));
    }
    if rows.is_empty() {
        let problem = Problem::Conflict("there is nothing to sew".to_owned());
        return fault(
            path,
            problem,
            "give `pairs` or `weighted`, or `from_mesh` with an OBJ that has stitch lines",
        );
    }
    Ok(rows)
}

/// (1 − w) a + w b of points that share no vertex, or sum where they do.
fn between(a: &WeightedPoint, b: &WeightedPoint, w: f64) -> WeightedPoint {
    let mut terms: Vec<(u32, f64)> = a.terms.iter().map(|t| (t.0, (1.0 - w) * t.1)).collect();
    for &(vertex, weight) in &b.terms {
        match terms.iter_mut().find(|t| t.0 == vertex) {
            Some(term) => term.1 += w * weight,
            None => terms.push((vertex, w * weight)),
        }
    }
    WeightedPoint { terms }
}

pub(super) fn friction(
    file: Option<&FrictionFile>,
    bodies: &Bodies,
    colliders: &[Collider],
    budget: &Budget,
) -> Resolved<FrictionTable> {
    let file = file.cloned().unwrap_or_default();
    let mut pairs = Vec::new();
    for (index, pair) in file.pairs.iter().enumerate() {
        let path = format!("friction.pairs.{index}");
        let first = surfaces(&format!("{path}.a"), &pair.a, &bodies.list, colliders)?;
        let second = surfaces(&format!("{path}.b"), &pair.b, &bodies.list, colliders)?;
        let listed = listed_pair(&path, pair)?;
        let count = (first.len() as u64).saturating_mul(second.len() as u64);
        let bytes = count.saturating_mul(size_of::<FrictionPair>() as u64);
        let allowed = budget.allow(&format!("{count} pairs of copies"), bytes);
        allowed.or_else(|error| over_budget(&path, error))?;
        for &a in &first {
            pairs.extend(second.iter().map(|&b| FrictionPair {
                table: index,
                a: a.min(b),
                b: a.max(b),
                ..listed
            }));
        }
    }
    // Later lines win: the stable sort keeps their order, so the last of equals is kept.
    pairs.reverse();
    pairs.sort_by_key(|p| (p.a, p.b));
    pairs.dedup_by_key(|p| (p.a, p.b));
    Ok(FrictionTable {
        all: file.all.map(|mu| coefficient("friction.all", mu)).transpose()?,
        mixing: match file.mix {
            None | Some(MixName::GeometricMean) => FrictionMixing::GeometricMean,
            Some(MixName::ArithmeticMean) => FrictionMixing::ArithmeticMean,
            Some(MixName::Minimum) => FrictionMixing::Minimum,
            Some(MixName::Maximum) => FrictionMixing::Maximum,
        },
        ellipse: match file.ellipse {
            None | Some(EllipseName::Ray) => EllipseRule::Ray,
            Some(EllipseName::MaximumDissipation) => EllipseRule::MaximumDissipation,
        },
        pairs,
    })
}

/// The values of a line, without its names.
fn listed_pair(path: &str, pair: &PairFile) -> Resolved<FrictionPair> {
    let checked = |key: &str, value: Option<f64>| {
        value.map(|v| non_negative(&format!("{path}.{key}"), key, v)).transpose()
    };
    if pair.mu.is_none() && pair.cohesion.is_none() && pair.compliance.is_none() {
        let problem = Problem::Conflict("the pair says nothing".to_owned());
        return fault(path, problem, "give `mu`, `cohesion` or `compliance`");
    }
    Ok(FrictionPair {
        table: 0,
        a: Surface::Body(0),
        b: Surface::Body(0),
        coefficient: pair.mu.map(|mu| coefficient(&format!("{path}.mu"), mu)).transpose()?,
        cohesion: checked("cohesion", pair.cohesion)?,
        compliance: checked("compliance", pair.compliance)?,
    })
}

/// All surfaces of a name: a collider, a body, or all copies of a body.
fn surfaces(path: &str, name: &str, bodies: &[SceneBody], colliders: &[Collider]) -> Resolved<Vec<Surface>> {
    let copies = |b: &SceneBody| b.name == name || b.instance_of.as_ref().is_some_and(|i| i.name == name);
    let mut found: Vec<Surface> =
        (0..bodies.len()).filter(|i| copies(&bodies[*i])).map(Surface::Body).collect();
    found.extend((0..colliders.len()).filter(|i| colliders[*i].name == name).map(Surface::Collider));
    if !found.is_empty() {
        return Ok(found);
    }
    let known: Vec<&str> =
        bodies.iter().map(|b| b.name.as_str()).chain(colliders.iter().map(|c| c.name.as_str())).collect();
    let problem = Problem::UnknownName { kind: "body or collider", name: name.to_owned() };
    fault(path, problem, suggest(name, known))
}
