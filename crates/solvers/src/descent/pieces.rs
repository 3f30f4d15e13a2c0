//! What can touch: convex pieces of rigid bodies and colliders, and planes.

use crate::registry::MethodError;
use crate::solver::World;
use stiction_bodies::Model;
use stiction_collision::convex::Polytope;
use stiction_numerics::nalgebra::{Rotation3, UnitQuaternion};
use stiction_numerics::{Mat3, Vec3};
use stiction_scene::resolved::{ColliderShape, RigidPart, RigidShape};

/// Who moves a piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    /// A rigid body, by its index in the model.
    Rigid(u32),
    /// A collider.
    Collider(u32),
}

/// A convex piece in the frame of its owner: of a body about its centre, of a collider the world at
/// time zero.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Who moves it.
    pub owner: Owner,
    /// The same among all objects: bodies, then colliders.
    pub object: u32,
    /// Its shape, with half of the thickness around it.
    pub shape: Polytope,
}

/// The solid side of a plane, in the world at time zero.
#[derive(Clone, Copy, Debug)]
pub struct Wall {
    /// The collider.
    pub collider: u32,
    /// The same among all objects.
    pub object: u32,
    /// Unit normal out of the solid side.
    pub normal: Vec3,
    /// A point of its surface \[m\].
    pub point: Vec3,
}

/// Everything that can touch.
#[derive(Clone, Debug, Default)]
pub struct Pieces {
    /// Convex pieces, those of bodies first.
    pub convex: Vec<Piece>,
    /// Planes.
    pub walls: Vec<Wall>,
    /// Pairs of bodies that pass through each other, the smaller first, sorted: held by a joint.
    pub exempt: Vec<[u32; 2]>,
}

impl Pieces {
    /// The pieces of a model, or why one of them cannot be used.
    pub fn new(world: World<'_>) -> Result<Pieces, MethodError> {
        let model = world.model;
        let mut pieces = Pieces::default();
        for (rigid, body) in model.rigid.bodies.iter().enumerate() {
            let source = &model.bodies[body.body as usize];
            for (index, part) in body.shape.parts.iter().enumerate() {
                let shape = part_shape(&body.shape, part)
                    .map_err(|reason| not_convex(&source.name, index, &reason))?
                    .thickened(0.5 * source.thickness);
                pieces.convex.push(Piece { owner: Owner::Rigid(rigid as u32), object: body.body, shape });
            }
        }
        for collider in 0..model.colliders.colliders.len() {
            pieces.add_collider(model, collider)?;
        }
        pieces.exempt = exempt_pairs(model);
        Ok(pieces)
    }

    fn add_collider(&mut self, model: &Model, index: usize) -> Result<(), MethodError> {
        let collider = &model.colliders.colliders[index];
        let object = (model.bodies.len() + index) as u32;
        let half = 0.5 * collider.thickness;
        let refused =
            |what: &str, fix: &str| Err(refusal(format!("collider `{}` is {what}; {fix}", collider.name)));
        if collider.sequence.is_some() {
            return refused("a sequence of meshes", "rigid bodies need a collider that keeps its shape");
        }
        let mut convex = |shape: Polytope| {
            let owner = Owner::Collider(index as u32);
            self.convex.push(Piece { owner, object, shape: shape.thickened(half) });
        };
        let turned = |rotation: Vec3| Rotation3::from_scaled_axis(rotation).into_inner();
        match &collider.shape {
            ColliderShape::Plane { normal, offset } => {
                let point = normal * (offset + half);
                self.walls.push(Wall { collider: index as u32, object, normal: *normal, point });
            }
            ColliderShape::Sphere { centre, radius, inverted: false } => {
                convex(Polytope::ball(*centre, *radius));
            }
            ColliderShape::Capsule { start, end, radius, .. } => {
                convex(Polytope::capsule([*start, *end], *radius));
            }
            ColliderShape::Box { centre, half_size, rotation, inverted } => {
                let turn = turned(*rotation);
                match inverted {
                    false => convex(Polytope::cuboid(*centre, *half_size, &turn)),
                    true => self.walls.extend(inner_walls(index, object, centre, half_size, &turn, half)),
                }
            }
            ColliderShape::Mesh(mesh) => {
                let triangles = stiction_scene::rigid::surface_triangles(&mesh.cells);
                match Polytope::from_surface(&mesh.vertices, &triangles) {
                    Ok(shape) => convex(shape),
                    Err(dent) => {
                        let what = format!("a mesh that is not convex: {dent}");
                        return refused(&what, "build it from several convex colliders");
                    }
                }
            }
            ColliderShape::Sphere { .. } | ColliderShape::Cylinder { .. } => {
                return refused(
                    "a cylinder or the inside of a round shape",
                    "use boxes, planes, spheres, capsules or convex meshes under `descent`",
                );
            }
        }
        Ok(())
    }
}

/// The six walls of a container.
fn inner_walls(
    collider: usize,
    object: u32,
    centre: &Vec3,
    half_size: &Vec3,
    turn: &Mat3,
    half_thickness: f64,
) -> impl Iterator<Item = Wall> {
    let (centre, half_size, turn) = (*centre, *half_size, *turn);
    (0..6).map(move |k| {
        let sign = if k % 2 == 0 { 1.0 } else { -1.0 };
        let normal = turn.column(k / 2) * sign;
        let point = centre - normal * (half_size[k / 2] - half_thickness);
        Wall { collider: collider as u32, object, normal, point }
    })
}

/// The convex piece that a part of a body is.
fn part_shape(shape: &RigidShape, part: &RigidPart) -> Result<Polytope, String> {
    if let Some(round) = part.round {
        return Ok(match round.ends[0] == round.ends[1] {
            true => Polytope::ball(round.ends[0], round.radius),
            false => Polytope::capsule(round.ends, round.radius),
        });
    }
    let first = part.vertices.start as u32;
    let triangles: Vec<[u32; 3]> =
        shape.triangles[part.triangles.clone()].iter().map(|t| t.map(|v| v - first)).collect();
    Polytope::from_surface(&shape.vertices[part.vertices.clone()], &triangles).map_err(|e| e.to_string())
}

fn not_convex(body: &str, part: usize, reason: &str) -> MethodError {
    refusal(format!(
        "part {part} of the rigid body `{body}` is not convex ({reason}); \
         build the body from several convex `shapes`"
    ))
}

fn refusal(message: String) -> MethodError {
    MethodError::Refused { key: "descent".to_owned(), message }
}

fn exempt_pairs(model: &Model) -> Vec<[u32; 2]> {
    let joined = model.joints.iter().filter(|joint| !joint.collide);
    let mut pairs: Vec<[u32; 2]> = joined
        .filter_map(|joint| Some([joint.a.rigid?, joint.b.rigid?]))
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

/// Where the frame of an owner is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame {
    /// Its origin \[m\].
    pub origin: Vec3,
    /// Turns directions of the owner into directions of the world.
    pub orientation: UnitQuaternion<f64>,
}
