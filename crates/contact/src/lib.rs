//! The response to contact: contact sets, friction laws, cone solves, the Gauss–Seidel projection,
//! barriers.
//!
//! Comes in: contacts that somebody found (node stencils, normals, gaps, friction), node weights
//! and velocities, or a Coulomb problem `u = W r + q`. Goes out: feasible velocities, impulses,
//! barrier energies and their derivatives, residuals. Does not know: elasticity, time integrators,
//! how contacts were found, files of scenes.
//!
//! Notation (see the book): `u` relative velocity of a contact \[m/s\], `n` unit normal from B to
//! A, `r` impulse of B on A \[N·s\], `μ` friction coefficient, `g` gap \[m\], `s` sum of squared
//! weights over node weights \[1/kg\].

pub mod barrier;
pub mod cone;
pub mod contact;
pub mod coulomb;
pub mod detect;
pub mod elliptic;
pub mod map;
mod memory;
pub mod set;
pub mod sweep;
mod turns;

pub use cone::{Coulomb, natural_map, project_on_cone, solve_isotropic};
pub use contact::{ContactError, ContactKind, ContactStencil, Friction, NewContact, Stabilisation};
pub use elliptic::{EllipticCone, EllipticRule, Matchstick};
pub use map::{BlockTerm, ContactMap, RigidTerm};
pub use memory::ImpulseMemory;
pub use set::ContactSet;
pub use sweep::{ProjectOptions, SweepReport};
