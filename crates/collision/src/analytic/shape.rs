//! Signed distances in the body frame.

use stiction_numerics::Vec3;

/// A shape in its body frame, centred at the origin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// Half-space z ≤ 0; the free space is above.
    Plane,
    /// Solid ball.
    Sphere {
        /// Radius \[m\].
        radius: f64,
    },
    /// Solid box.
    Box {
        /// Half of each side \[m\].
        half_extents: Vec3,
    },
    /// Solid cylinder along z with flat ends.
    Cylinder {
        /// Radius \[m\].
        radius: f64,
        /// Half of the length along z \[m\].
        half_length: f64,
    },
    /// Solid cylinder along z with round ends.
    Capsule {
        /// Radius \[m\].
        radius: f64,
        /// Half of the distance between the centres of the round ends \[m\].
        half_length: f64,
    },
    /// Container: the free space is inside the sphere.
    InvertedSphere {
        /// Radius \[m\].
        radius: f64,
    },
    /// Container: the free space is inside the box.
    InvertedBox {
        /// Half of each side \[m\].
        half_extents: Vec3,
    },
    /// Container: the free space is inside the cylinder.
    InvertedCylinder {
        /// Radius \[m\].
        radius: f64,
        /// Half of the length along z \[m\].
        half_length: f64,
    },
}

/// Why a shape was refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{shape} has {quantity} {value} m; it must be finite and positive")]
pub struct ShapeError {
    /// Name of the shape.
    pub shape: &'static str,
    /// Name of the length.
    pub quantity: &'static str,
    /// The value \[m\].
    pub value: f64,
}

/// The closest point of a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfacePoint {
    /// Signed distance, positive in the free space \[m\].
    pub distance: f64,
    /// Unit normal into the free space.
    pub normal: Vec3,
    /// Closest point of the surface \[m\].
    pub point: Vec3,
}

impl Shape {
    /// Refuses lengths that are not finite and positive; the half-length of a capsule may be zero.
    pub fn validate(&self) -> Result<(), ShapeError> {
        let check = |shape, quantity, value: f64| {
            if value > 0.0 && value.is_finite() { Ok(()) } else { Err(ShapeError { shape, quantity, value }) }
        };
        match *self {
            Shape::Plane => Ok(()),
            Shape::Sphere { radius } | Shape::InvertedSphere { radius } => check("sphere", "radius", radius),
            Shape::Box { half_extents } | Shape::InvertedBox { half_extents } => {
                half_extents.iter().try_for_each(|&extent| check("box", "half extent", extent))
            }
            Shape::Cylinder { radius, half_length } | Shape::InvertedCylinder { radius, half_length } => {
                check("cylinder", "radius", radius)?;
                check("cylinder", "half length", half_length)
            }
            Shape::Capsule { radius, half_length } => {
                check("capsule", "radius", radius)?;
                if half_length == 0.0 { Ok(()) } else { check("capsule", "half length", half_length) }
            }
        }
    }

    /// Closest point of the surface to `p`, in the body frame.
    pub fn closest(&self, p: &Vec3) -> SurfacePoint {
        match *self {
            Shape::Plane => {
                SurfacePoint { distance: p.z, normal: Vec3::z(), point: Vec3::new(p.x, p.y, 0.0) }
            }
            Shape::Sphere { radius } => round(p, &Vec3::zeros(), radius),
            Shape::InvertedSphere { radius } => inverted(round(p, &Vec3::zeros(), radius)),
            Shape::Box { half_extents } => cuboid(p, &half_extents),
            Shape::InvertedBox { half_extents } => inverted(cuboid(p, &half_extents)),
            Shape::Cylinder { radius, half_length } => cylinder(p, radius, half_length),
            Shape::InvertedCylinder { radius, half_length } => inverted(cylinder(p, radius, half_length)),
            Shape::Capsule { radius, half_length } => {
                round(p, &Vec3::new(0.0, 0.0, p.z.clamp(-half_length, half_length)), radius)
            }
        }
    }

    /// Signed distance, positive in the free space \[m\].
    pub fn signed_distance(&self, p: &Vec3) -> f64 {
        self.closest(p).distance
    }
}

fn inverted(found: SurfacePoint) -> SurfacePoint {
    SurfacePoint { distance: -found.distance, normal: -found.normal, point: found.point }
}

/// Unit vector and length; a zero vector gets the direction `fallback`.
fn direction(v: &Vec3, fallback: Vec3) -> (Vec3, f64) {
    let length = v.norm();
    if length > 0.0 { (v / length, length) } else { (fallback, 0.0) }
}

/// Ball around a core point.
fn round(p: &Vec3, core: &Vec3, radius: f64) -> SurfacePoint {
    // the axis of a capsule is z: sideways is the shortest way out of it
    let (normal, length) = direction(&(p - core), Vec3::x());
    SurfacePoint { distance: length - radius, normal, point: core + normal * radius }
}

/// Outside: the clamped point is closest. Inside: the nearest face, the first one on ties.
fn cuboid(p: &Vec3, half: &Vec3) -> SurfacePoint {
    let clamped = p.sup(&-half).inf(half);
    let (normal, distance) = direction(&(p - clamped), Vec3::zeros());
    if distance > 0.0 {
        return SurfacePoint { distance, normal, point: clamped };
    }
    let depth = half - p.abs();
    let axis = (1..3).fold(0, |best, k| if depth[k] < depth[best] { k } else { best });
    let sign = if p[axis] < 0.0 { -1.0 } else { 1.0 };
    let (mut normal, mut point) = (Vec3::zeros(), *p);
    normal[axis] = sign;
    point[axis] = sign * half[axis];
    SurfacePoint { distance: -depth[axis], normal, point }
}

/// A box in the half-plane of radius and height, swept around z.
fn cylinder(p: &Vec3, radius: f64, half_length: f64) -> SurfacePoint {
    let (outwards, rho) = direction(&Vec3::new(p.x, p.y, 0.0), Vec3::x());
    let (over_side, over_end) = (rho - radius, p.z.abs() - half_length);
    let up = if p.z < 0.0 { -Vec3::z() } else { Vec3::z() };
    if over_side > 0.0 && over_end > 0.0 {
        let point = outwards * radius + up * half_length;
        let (normal, distance) = direction(&(p - point), up);
        return SurfacePoint { distance, normal, point };
    }
    if over_side >= over_end {
        let point = outwards * radius + Vec3::new(0.0, 0.0, p.z);
        SurfacePoint { distance: over_side, normal: outwards, point }
    } else {
        let point = Vec3::new(p.x, p.y, up.z * half_length);
        SurfacePoint { distance: over_end, normal: up, point }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shapes() -> Vec<Shape> {
        let half_extents = Vec3::new(0.5, 0.8, 1.1);
        vec![
            Shape::Plane,
            Shape::Sphere { radius: 0.7 },
            Shape::Box { half_extents },
            Shape::Cylinder { radius: 0.6, half_length: 0.9 },
            Shape::Capsule { radius: 0.4, half_length: 0.7 },
            Shape::InvertedSphere { radius: 0.7 },
            Shape::InvertedBox { half_extents },
            Shape::InvertedCylinder { radius: 0.6, half_length: 0.9 },
        ]
    }

    fn samples() -> impl Iterator<Item = Vec3> {
        (0..2000).map(|k: u32| {
            let part =
                |m: u32| (k.wrapping_mul(2654435761).wrapping_mul(m) >> 8) as f64 / (1 << 23) as f64 - 1.0;
            Vec3::new(part(1), part(3), part(7)) * 1.5
        })
    }

    #[test]
    fn distance_normal_and_point_belong_together() {
        for shape in shapes() {
            for p in samples() {
                let found = shape.closest(&p);
                assert!((found.normal.norm() - 1.0).abs() < 1e-14);
                assert!((p - found.point - found.normal * found.distance).norm() < 1e-14, "{shape:?} {p}");
                assert!(shape.signed_distance(&found.point).abs() < 1e-14, "{shape:?}: not on the surface");
            }
        }
    }

    #[test]
    fn normal_is_the_gradient() {
        // central differences of a field with curvature ≤ 1/distance: error of order step²
        let step = 1e-5;
        for shape in shapes() {
            for p in samples() {
                let found = shape.closest(&p);
                let slope = |k: usize| {
                    let mut d = Vec3::zeros();
                    d[k] = step;
                    (shape.signed_distance(&(p + d)) - shape.signed_distance(&(p - d))) / (2.0 * step)
                };
                let gradient = Vec3::new(slope(0), slope(1), slope(2));
                // skip points within a step of the medial axis, where the gradient jumps
                if (gradient.norm() - 1.0).abs() < 1e-6 {
                    assert!((gradient - found.normal).norm() < 1e-4, "{shape:?} {p}");
                }
            }
        }
    }

    #[test]
    fn no_surface_point_is_closer() {
        for shape in shapes() {
            let surface: Vec<Vec3> = samples().map(|p| shape.closest(&p).point).collect();
            for p in samples().step_by(20) {
                let own = shape.signed_distance(&p).abs();
                assert!(surface.iter().all(|q| (p - q).norm() > own - 1e-12), "{shape:?} {p}");
            }
        }
    }

    #[test]
    fn bad_lengths_are_named() {
        assert!(shapes().iter().all(|shape| shape.validate().is_ok()));
        let error = Shape::Sphere { radius: -1.0 }.validate().expect_err("negative");
        assert_eq!(error.to_string(), "sphere has radius -1 m; it must be finite and positive");
        assert!(Shape::Capsule { radius: 1.0, half_length: f64::NAN }.validate().is_err());
    }
}
