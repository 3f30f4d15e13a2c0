//! Elastic laws: energy density, stress and second derivatives as functions of a deformation
//! gradient.
//!
//! Solids take a 3×3 gradient and Lamé parameters \[Pa\]; membranes a 3×2 gradient and plane-stress
//! parameters times the thickness \[N/m\]. A law knows nothing of meshes: elements multiply by rest
//! volume or area.

mod baraff_witkin;
mod lame;
mod linear;
mod membrane;
mod mooney_rivlin;
mod orthotropic;
mod principal2;
mod principal3;
mod solid;

pub use baraff_witkin::BaraffWitkin;
pub use lame::Lame;
pub use membrane::{MembraneHessian, MembraneLaw};
pub use orthotropic::Orthotropic;
pub use principal2::PrincipalHessian2;
pub use principal3::PrincipalHessian3;
pub use solid::SolidLaw;
