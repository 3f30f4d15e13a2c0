//! Elastic laws and elements with value, gradient, Hessian and projected Hessian.
//!
//! Comes in: rest shapes and material values. Goes out: energies and their derivatives, element by
//! element or assembled over a model. Knows no time step, no contact and no solver.

pub mod assembly;
pub mod attachment;
pub mod bending;
pub mod carried_drag;
pub mod check;
pub mod coupling;
mod damping;
pub mod drag;
pub mod elasticity;
pub mod element;
pub mod frame_point;
mod frozen_drag;
pub mod inflation;
pub mod laws;
mod made_for;
pub mod material_table;
pub mod membrane;
mod model_elements;
mod model_groups;
pub mod raised_root;
pub mod rod;
pub mod solid;
pub mod spring;
pub mod strain;
pub mod views;
pub mod wind;

pub use assembly::{Configuration, ElementGroup, ElementWeights, Energies, NamedGroup, Potential};
pub use attachment::AttachmentSpring;
pub use drag::{Air, DragCoefficients, DragElement, DragGroup, EdgeDrag, LinearDrag, NodeDrag, TriangleDrag};
pub use elasticity::Elasticity;
pub use element::{Curvature, Element, LocalHessian, RestShapeError, Stencil};
pub use frame_point::{FramePoint, FramePoints};
pub use frozen_drag::FrozenDrag;
pub use inflation::Inflations;
pub use laws::{BaraffWitkin, Lame, MembraneLaw, Orthotropic, SolidLaw};
pub use material_table::{MaterialTable, NO_MATERIALS, RodValues, SheetValues, SolidValues, ValueError};
pub use membrane::{TriangleElement, TriangleRest};
pub use model_elements::ElasticityError;
pub use solid::{TetElement, TetRest};
pub use spring::{RadialSpring, SpringElement};
pub use views::{Compliant, Fold, Proximal};
pub use wind::{GustWave, WindField};
