//! Barriers: energies that keep a gap open, their stiffness, and the friction that goes with them.
//!
//! Comes in: a gap, an activation gap, masses and elastic blocks around a contact. Goes out: values
//! and derivatives in the gap, blocks for a gradient and a Hessian with a frozen normal, friction
//! forces. Pure functions, no state: who keeps contacts and anchors is up to the solver.

pub mod anchor;
pub mod blocks;
pub mod couple;
pub mod inside;
pub mod lagged;
pub mod push;
pub mod shape;
pub mod stiffness;

pub use anchor::AnchoredFriction;
pub use blocks::BarrierTerms;
pub use couple::couple_forces;
pub use inside::{edge_edge_lead, inside_share};
pub use lagged::{LaggedFriction, SlidingHessian};
pub use push::Push;
pub use shape::{Barrier, BarrierValue, CappedLogarithm};
pub use stiffness::{contact_mass, contact_stiffness, strain_limit_stiffness};
