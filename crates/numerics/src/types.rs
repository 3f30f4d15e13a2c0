//! The few dense types that every crate shares: `f64`, fixed size, column-major (nalgebra).

use nalgebra as na;

/// A 2-vector.
pub type Vec2 = na::Vector2<f64>;
/// A 3-vector: positions \[m\], velocities \[m/s\], forces \[N\].
pub type Vec3 = na::Vector3<f64>;
/// A 2×2 matrix.
pub type Mat2 = na::Matrix2<f64>;
/// A 3×3 matrix.
pub type Mat3 = na::Matrix3<f64>;
/// A 3×2 matrix: deformation gradients of surfaces.
pub type Mat3x2 = na::Matrix3x2<f64>;
