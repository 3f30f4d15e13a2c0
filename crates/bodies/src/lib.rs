//! From a scene to an immutable model and a mutable state.
//!
//! Comes in: a resolved scene. Goes out: [`Model`] (topology, rest shapes, maps), [`Parameters`] (values that
//! estimation may vary) and [`State`] (plain arrays). Knows no energies, no contacts and no solvers.
//!
//! The unknowns are *blocks* of three numbers: one per node (a position), then one per rod edge (its twist) and one
//! per inner edge of a shell (the angle of its normal, see [`shells`]), both in the first component, the other two unused,
//! then two per rigid body (its centre and its rotation, see [`rigid`]). Nodes are the vertices of the deformable bodies in
//! the user's order, body after body.

pub mod build;
pub mod by_path;
pub mod changed;
pub mod colliders;
pub mod controls;
pub mod couplings;
mod derived;
pub mod directions;
pub mod frames;
pub mod joints;
pub mod mass;
pub mod model;
pub mod parameters;
pub mod partition;
pub mod pins;
pub mod rigid;
pub mod rods;
pub mod roots;
pub mod shells;
pub mod springs;
pub mod state;
pub mod surfaces;
pub mod topology;

pub use build::{BuildError, build};
pub use by_path::{Bounds, Parameter, ParameterError, ParameterValue};
pub use changed::Changed;
pub use colliders::{ColliderBody, ColliderTable, VertexSequence};
pub use controls::{Controls, DrivenMotion, DrivenMotions};
pub use couplings::{Anchors, Coupling};
pub use derived::Derived;
pub use frames::EdgeFrame;
pub use joints::{Joint, JointEnd, JointFrame};
pub use model::{Body, Model, Skin};
pub use parameters::{JointValues, MotionLimit, Parameters};
pub use pins::{PinTable, Prescription};
pub use rigid::{FreeRotation, PrincipalInertia, RigidBody, RigidPose, RigidTable, Spin};
pub use rods::{RodEdge, RodJoint, RodTable};
pub use roots::{RaisedRoot, Roots};
pub use shells::ShellEdge;
pub use springs::{SpringId, SpringTable};
pub use state::{PlacedBlocks, State};
pub use surfaces::{ObjectId, Surfaces};
