//! Decompositions and rotations of fixed-size dense matrices.

mod eigen;
mod rotation;
mod svd;

pub use eigen::{SymmetricEigen3, eigen_symmetric, eigen_symmetric3, project_spd, project_spd3};
pub use rotation::{
    any_perpendicular, polar2, polar3, polar3x2, rotation_from_vector, rotation_jacobian, skew,
};
pub use svd::{Svd3, Svd3x2, svd3, svd3x2};
