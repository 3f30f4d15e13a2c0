//! Elastic laws and elements with value, gradient, Hessian and projected Hessian.
//!
//! Comes in: rest shapes and material values. Goes out: energies and their derivatives, element by element or
//! assembled over a model. Knows no time step, no contact and no solver.

pub mod check;
pub mod element;

pub use element::{Curvature, Element, LocalHessian, Stencil};
