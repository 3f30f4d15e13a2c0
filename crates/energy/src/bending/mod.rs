//! Bending of shells: angles between triangles and the energies built on them.
//!
//! | element | blocks | right on | use |
//! | --- | --- | --- | --- |
//! | [`HingeElement`] | 4 | equilateral meshes, grids along the bend | the common model; any rest angle |
//! | [`QuadraticBend`] | 4 | as the hinge | constant matrix, flat rest state, nearly inextensible cloth |
//! | [`ShapeOperatorElement`] | 4 to 6 | every mesh | plate theory with Poisson's ratio; one more unknown per edge |
//!
//! Comes in: rest positions, triangles and a plate stiffness. Goes out: elements over node blocks
//! and, for the shape operator, blocks of the angles of edge normals. A triangle that collapses has
//! no normal; it then exerts no bending force, and no value becomes infinite.

pub mod dihedral;
pub mod hinge;
pub(crate) mod local;
pub mod plate;
pub mod quadratic;
pub mod shape_mesh;
pub mod shape_operator;
mod shape_rest;

pub use dihedral::dihedral_angle;
pub use hinge::{HingeElement, HingeScale};
pub use plate::{BendError, Plate};
pub use quadratic::QuadraticBend;
pub use shape_mesh::{EdgeNumbering, ShapeElements};
pub use shape_operator::ShapeOperatorElement;
pub use shape_rest::{PlateFactor, PlateTriangle};
pub use stiction_bodies::topology::{Hinge, Topology};

#[cfg(test)]
mod plate_tests;
#[cfg(test)]
mod shape_tests;
#[cfg(test)]
mod strip_tests;
