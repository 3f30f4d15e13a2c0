//! Analytic colliders where the scene puts them.

use stiction_bodies::{ColliderBody, Controls, Model};
use stiction_collision::analytic::{RigidMotion, Shape, SurfacePoint};
use stiction_numerics::Vec3;
use stiction_numerics::nalgebra::{Rotation3, UnitQuaternion};
use stiction_scene::motion::{Motion, Pose, RateBounds};
use stiction_scene::resolved::{ColliderShape, DirectionField};

/// An analytic shape where the scene puts it, before any motion.
#[derive(Clone, Debug)]
pub struct PlacedShape {
    /// Object number: bodies first, then colliders.
    pub object: u32,
    collider: usize,
    shape: Shape,
    base: RigidMotion,
    /// Direction of friction before any motion.
    grain: Option<Vec3>,
}

impl PlacedShape {
    /// All analytic colliders of a model.
    pub fn all(model: &Model) -> impl Iterator<Item = PlacedShape> + '_ {
        let colliders = model.colliders.colliders.iter().enumerate();
        colliders.filter_map(|(i, c)| PlacedShape::new(c, i, model.bodies.len()))
    }

    /// The shape of a collider, the `index`-th of a model with so many bodies; `None` for meshes.
    pub fn new(collider: &ColliderBody, index: usize, bodies: usize) -> Option<PlacedShape> {
        let (shape, base) = place(&collider.shape)?;
        let grain = match collider.friction_direction.as_ref().map(|d| &d.field) {
            Some(DirectionField::Fixed(direction)) => Some(*direction),
            _ => None,
        };
        Some(PlacedShape { object: (bodies + index) as u32, collider: index, shape, base, grain })
    }

    /// The shape with the motion that its collider has by the controls.
    pub fn moving<'a>(&'a self, controls: &'a Controls) -> MovingShape<'a> {
        let motion = Some(controls.collider(self.collider)).filter(|motion| !motion.is_static());
        MovingShape { object: self.object, placed: self, motion }
    }

    /// Whether the solid side is convex, so that a flat face may touch it between its vertices.
    /// Planes never are met first by the inside of a face, and containers are met by vertices.
    pub fn is_convex_solid(&self) -> bool {
        matches!(
            self.shape,
            Shape::Sphere { .. } | Shape::Box { .. } | Shape::Cylinder { .. } | Shape::Capsule { .. }
        )
    }
}

/// An analytic shape and how it moves.
#[derive(Clone, Copy, Debug)]
pub struct MovingShape<'a> {
    /// Object number: bodies first, then colliders.
    pub object: u32,
    placed: &'a PlacedShape,
    /// `None` while it rests.
    motion: Option<&'a Motion>,
}

impl<'a> MovingShape<'a> {
    /// Whether it ever moves.
    pub fn moves(&self) -> bool {
        self.motion.is_some()
    }

    /// Whether the solid side is convex: see [`PlacedShape::is_convex_solid`].
    pub fn is_convex_solid(&self) -> bool {
        self.placed.is_convex_solid()
    }

    /// Direction of friction at a time, turned with the collider; not normalised.
    pub fn grain(&self, time: f64) -> Option<Vec3> {
        let grain = self.placed.grain?;
        Some(self.motion.map_or(grain, |motion| motion.pose(time).linear * grain))
    }

    /// The shape at one time, for many questions: the pose is worked out once.
    pub fn posed(&self, time: f64) -> PosedShape<'a> {
        let PlacedShape { shape, base, .. } = self.placed;
        PosedShape { shape, base, pose: self.motion.map(|m| m.pose(time)) }
    }

    /// Closest point of the surface to a world point at a time.
    pub fn closest(&self, point: &Vec3, time: f64) -> SurfacePoint {
        self.posed(time).closest(point)
    }

    /// Centre of a solid ball at a time; `None` for other shapes.
    pub fn ball_centre(&self, time: f64) -> Option<Vec3> {
        let Shape::Sphere { .. } = self.placed.shape else { return None };
        let centre = self.placed.base.origin;
        Some(self.motion.map_or(centre, |motion| motion.pose(time).apply(&centre)))
    }

    /// The motion over a span of time, for many questions; `None` when it stands still.
    pub fn travel(&self, [from, to]: [f64; 2]) -> Option<Travel> {
        let motion = self.motion.filter(|_| to > from)?;
        let (mut rates, centre) = (motion.rate_bounds(from, to), motion.centre_at(from));
        // No turn about an axis of symmetry changes a distance.
        if spins_in_place(&self.placed.shape, &self.placed.base, motion) {
            rates.turning = 0.0;
        }
        // The scale moves the surface of a ball as well.
        let ball_arm =
            self.ball_centre(from).filter(|_| rates.scaling == 0.0).map(|ball| (ball - centre).norm());
        Some(Travel { rates, centre, ball_arm, span: to - from })
    }

    /// How the surface moves between two times, for many questions; `None` when it stands still.
    pub fn surface_motion(&self, [from, to]: [f64; 2]) -> Option<SurfaceMotion<'a>> {
        let still = self.motion.is_none() || from == to;
        (!still).then(|| SurfaceMotion { now: self.posed(from), next: self.posed(to) })
    }

    /// Where a point ends that the collider carries along as if it were part of it, from one time
    /// to another.
    pub fn carried(&self, place: &Vec3, [from, to]: [f64; 2]) -> Vec3 {
        let Some(motion) = self.motion else { return *place };
        motion.pose(to).apply(&motion.pose(from).undo(place))
    }

    /// Velocity of the surface over [time, time + h] as a contact sees it \[m/s\], at the surface
    /// point `found` nearest to `place`.
    pub fn surface_velocity(&self, place: &Vec3, found: &SurfacePoint, time: f64, h: f64) -> Vec3 {
        let moved = self.surface_motion([time, time + h]);
        moved.map_or(Vec3::zeros(), |moved| moved.displacement(place, found) / h)
    }
}

/// A surface at the beginning and at the end of a span of time.
pub struct SurfaceMotion<'a> {
    now: PosedShape<'a>,
    next: PosedShape<'a>,
}

impl SurfaceMotion<'_> {
    /// Closest point of the surface to a world point at the beginning.
    pub fn closest(&self, point: &Vec3) -> SurfacePoint {
        self.now.closest(point)
    }

    /// Displacement of the surface as a contact sees it \[m\], at the surface point `found` nearest
    /// to `place`.
    ///
    /// Tangential: that of the material point. Normal: by how much the distance of `place` shrinks.
    /// The two differ where a curved surface turns: its points follow arcs and leave the tangent
    /// plane, while the surface stays where it is.
    pub fn displacement(&self, place: &Vec3, found: &SurfacePoint) -> Vec3 {
        let (Some(now), Some(next)) = (&self.now.pose, &self.next.pose) else { return Vec3::zeros() };
        let material = next.apply(&now.undo(&found.point)) - found.point;
        let approach = found.distance - self.next.closest(place).distance;
        material + found.normal * (approach - found.normal.dot(&material))
    }
}

/// How a shape moves over a span of time: the speed of the surface point nearest to a place,
/// bounded over the span. A ball is where its centre is, however it turns.
pub struct Travel {
    rates: RateBounds,
    /// Where it turns about.
    centre: Vec3,
    /// Distance of the centre of a ball from there \[m\].
    ball_arm: Option<f64>,
    span: f64,
}

impl Travel {
    /// How much the distance of a point within `reach` of `place`, which itself is at `distance`,
    /// can change \[m\].
    pub fn bound(&self, place: &Vec3, reach: f64, distance: f64) -> f64 {
        let moved = self.rates.translation * self.span;
        let arm = self
            .ball_arm
            .unwrap_or_else(|| (place - self.centre).norm() + reach + distance.abs() + 2.0 * moved);
        // Within the span the arm itself may grow with the scale.
        self.rates.speed_at(arm * (self.rates.scaling * self.span).exp()) * self.span
    }
}

/// A shape where it is at one time.
#[derive(Clone, Copy, Debug)]
pub struct PosedShape<'a> {
    shape: &'a Shape,
    base: &'a RigidMotion,
    pose: Option<Pose>,
}

impl PosedShape<'_> {
    /// Closest point of the surface to a world point.
    pub fn closest(&self, point: &Vec3) -> SurfacePoint {
        let Some(pose) = &self.pose else { return self.base.closest(self.shape, point) };
        // Seen from the place at time zero; a uniform scale multiplies distances.
        let scale = pose.scale();
        let found = self.base.closest(self.shape, &pose.undo(point));
        SurfacePoint {
            distance: found.distance * scale,
            normal: pose.linear * found.normal / scale,
            point: pose.apply(&found.point),
        }
    }

    /// Ends of the axis of a solid cylinder or capsule, without round ends \[m\]. Beside it φ is
    /// the distance to the axis less the radius.
    pub fn axis(&self) -> Option<[Vec3; 2]> {
        let (Shape::Cylinder { half_length, .. } | Shape::Capsule { half_length, .. }) = *self.shape else {
            return None;
        };
        let half = self.base.world_from_body * Vec3::new(0.0, 0.0, half_length);
        let ends = [self.base.origin - half, self.base.origin + half];
        Some(self.pose.as_ref().map_or(ends, |pose| ends.map(|end| pose.apply(&end))))
    }
}

/// Whether a shape of revolution turns about its own axis only: all rotations along it, and their
/// centre on it.
fn spins_in_place(shape: &Shape, base: &RigidMotion, motion: &Motion) -> bool {
    let round = matches!(
        shape,
        Shape::Cylinder { .. } | Shape::Capsule { .. } | Shape::InvertedCylinder { .. } | Shape::Plane
    );
    let axis = base.world_from_body * Vec3::z();
    let along = |v: &Vec3| v.cross(&axis).norm() <= 1e-12 * v.norm();
    // A plane may turn about any of its normals.
    let centred = matches!(shape, Shape::Plane) || along(&(motion.centre - base.origin));
    round && centred && along(&motion.angular_velocity) && motion.keys.iter().all(|key| along(&key.rotation))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A shape that moves.
    struct Moved {
        placed: PlacedShape,
        controls: Controls,
    }

    impl Moved {
        fn new(shape: ColliderShape, motion: Motion) -> Moved {
            let collider = ColliderBody {
                name: "collider".to_owned(),
                shape,
                sequence: None,
                friction_direction: None,
                thickness: 0.0,
                colour: None,
            };
            let placed = PlacedShape::new(&collider, 0, 0).expect("it is analytic");
            Moved { placed, controls: Controls { colliders: vec![motion], ..Controls::default() } }
        }

        fn ball(motion: Motion) -> Moved {
            let shape = ColliderShape::Sphere { centre: Vec3::zeros(), radius: 0.5, inverted: false };
            Moved::new(shape, motion)
        }

        fn shape(&self) -> MovingShape<'_> {
            self.placed.moving(&self.controls)
        }
    }

    #[test]
    fn a_turning_ball_moves_along_its_surface_and_not_through_it() {
        let moved = Moved::ball(Motion { angular_velocity: Vec3::new(0.0, 0.0, 9.0), ..Motion::fixed() });
        let shape = moved.shape();
        let (place, h) = (Vec3::new(0.6, 0.0, 0.0), 0.01);
        let found = shape.closest(&place, 0.0);
        let velocity = shape.surface_velocity(&place, &found, 0.0, h);
        assert!(velocity.x.abs() < 1e-12, "{velocity}");
        // The chord of an arc: 0.5 sin(0.09)/0.01.
        assert!((velocity.y - 0.5 * 0.09_f64.sin() / h).abs() < 1e-9, "{velocity}");
    }

    #[test]
    fn a_cylinder_that_spins_in_place_keeps_all_distances() {
        let spin = |centre: Vec3, axis: Vec3| {
            let shape = ColliderShape::Cylinder {
                start: Vec3::new(0.3, -0.5, 0.1),
                end: Vec3::new(0.3, 0.5, 0.1),
                radius: 0.2,
                inverted: false,
            };
            let motion = Motion { centre, angular_velocity: axis * 4.0, ..Motion::fixed() };
            Moved::new(shape, motion)
        };
        let (centre, place) = (Vec3::new(0.3, 0.2, 0.1), Vec3::new(0.6, 0.1, 0.2));
        let bound = |moved: &Moved| {
            let shape = moved.shape();
            let distance = shape.closest(&place, 0.0).distance;
            shape.travel([0.0, 0.1]).expect("it moves").bound(&place, 0.0, distance)
        };
        assert_eq!(bound(&spin(centre, Vec3::y())), 0.0);
        // About another axis, or beside its own, it comes nearer or farther, and the bound knows.
        for moved in [spin(centre, Vec3::z()), spin(centre + Vec3::x(), Vec3::y())] {
            let shape = moved.shape();
            let change = shape.closest(&place, 0.1).distance - shape.closest(&place, 0.0).distance;
            assert!(change.abs() > 1e-3 && change.abs() <= bound(&moved), "{change}");
        }
    }

    #[test]
    fn an_approaching_ball_closes_the_gap_at_its_speed() {
        let moved = Moved::ball(Motion { velocity: Vec3::new(2.0, 1.0, 0.0), ..Motion::fixed() });
        let shape = moved.shape();
        let place = Vec3::new(0.7, 0.0, 0.0);
        let found = shape.closest(&place, 0.0);
        let velocity = shape.surface_velocity(&place, &found, 0.0, 1e-6);
        assert!((velocity - Vec3::new(2.0, 1.0, 0.0)).norm() < 1e-4, "{velocity}");
    }
}
