//! Analytic colliders where the scene puts them.

use stiction_collision::analytic::{RigidMotion, Shape, SurfacePoint};
use stiction_numerics::Vec3;
use stiction_numerics::nalgebra::{Rotation3, UnitQuaternion};
use stiction_scene::motion::Motion;
use stiction_scene::resolved::{Collider, ColliderMotion, ColliderShape};

/// An analytic shape with its place at time zero and its motion.
#[derive(Clone, Debug)]
pub struct PlacedShape {
    /// Object number: bodies first, then colliders.
    pub object: u32,
    shape: Shape,
    base: RigidMotion,
    motion: Option<Motion>,
}

impl PlacedShape {
    /// The shape of a collider; `None` for meshes.
    pub fn new(collider: &Collider, object: u32) -> Option<PlacedShape> {
        let (shape, base) = place(&collider.shape)?;
        let motion = match &collider.motion {
            ColliderMotion::Keyed(motion) if !motion.is_static() => Some(motion.clone()),
            _ => None,
        };
        Some(PlacedShape { object, shape, base, motion })
    }

    /// Closest point of the surface to a world point at a time.
    pub fn closest(&self, point: &Vec3, time: f64) -> SurfacePoint {
        let Some(motion) = &self.motion else { return self.base.closest(&self.shape, point) };
        let pose = motion.pose(time);
        // Seen from the place at time zero; a uniform scale multiplies distances.
        let scale = pose.linear.column(0).norm();
        let back = pose.linear.transpose() / (scale * scale);
        let found = self.base.closest(&self.shape, &(back * (point - pose.offset)));
        SurfacePoint {
            distance: found.distance * scale,
            normal: pose.linear * found.normal / scale,
            point: pose.apply(&found.point),
        }
    }

    /// Centre of a solid ball at a time; `None` for other shapes.
    pub fn ball_centre(&self, time: f64) -> Option<Vec3> {
        let Shape::Sphere { .. } = self.shape else { return None };
        Some(
            self.motion
                .as_ref()
                .map_or(self.base.origin, |motion| motion.pose(time).apply(&self.base.origin)),
        )
    }

    /// Whether the solid side is convex, so that a flat face may touch it between its vertices. Planes never are met first by the
    /// inside of a face, and containers are met by vertices.
    pub fn is_convex_solid(&self) -> bool {
        matches!(
            self.shape,
            Shape::Sphere { .. } | Shape::Box { .. } | Shape::Cylinder { .. } | Shape::Capsule { .. }
        )
    }

    /// Mean velocity over [time, time + h] of the material point that is at `point` at `time` \[m/s\].
    pub fn mean_velocity(&self, point: &Vec3, time: f64, h: f64) -> Vec3 {
        let Some(motion) = &self.motion else { return Vec3::zeros() };
        let (now, next) = (motion.pose(time), motion.pose(time + h));
        let scale = now.linear.column(0).norm();
        let reference = now.linear.transpose() * (point - now.offset) / (scale * scale);
        (next.apply(&reference) - point) / h
    }
}

/// A shape in its own frame and the pose of that frame in the world.
fn place(shape: &ColliderShape) -> Option<(Shape, RigidMotion)> {
    let at = |origin: Vec3, axis: Vec3| RigidMotion::still(turn_z_to(axis), origin);
    Some(match *shape {
        ColliderShape::Plane { normal, offset } => (Shape::Plane, at(normal * offset, normal)),
        ColliderShape::Sphere { centre, radius, inverted } => {
            let shape = if inverted { Shape::InvertedSphere { radius } } else { Shape::Sphere { radius } };
            (shape, at(centre, Vec3::z()))
        }
        ColliderShape::Box { centre, half_size: half_extents, rotation, inverted } => {
            let shape =
                if inverted { Shape::InvertedBox { half_extents } } else { Shape::Box { half_extents } };
            let turn = UnitQuaternion::from_rotation_matrix(&Rotation3::from_scaled_axis(rotation));
            (shape, RigidMotion::still(turn, centre))
        }
        ColliderShape::Cylinder { start, end, radius, inverted } => {
            let half_length = 0.5 * (end - start).norm();
            let shape = match inverted {
                true => Shape::InvertedCylinder { radius, half_length },
                false => Shape::Cylinder { radius, half_length },
            };
            (shape, at(0.5 * (start + end), end - start))
        }
        ColliderShape::Capsule { start, end, radius, .. } => {
            let half_length = 0.5 * (end - start).norm();
            (Shape::Capsule { radius, half_length }, at(0.5 * (start + end), end - start))
        }
        ColliderShape::Mesh(_) => return None,
    })
}

/// A rotation that takes z to `axis`.
fn turn_z_to(axis: Vec3) -> UnitQuaternion<f64> {
    let half_turn = || UnitQuaternion::from_axis_angle(&Vec3::x_axis(), std::f64::consts::PI);
    UnitQuaternion::rotation_between(&Vec3::z(), &axis).unwrap_or_else(half_turn)
}
