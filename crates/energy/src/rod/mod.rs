//! Discrete elastic rods: stretch, bending and twist of a chain of nodes with material frames.
//!
//! (`stiction_bodies::frames`). Goes out: elements over node and twist blocks.   [Bergou2008;
//! Bergou2010]
//!
//! The energy is a pure function of the configuration: the frames of the start of the step are
//! carried in parallel to the trial tangents inside the element. When a step is accepted,
//! `stiction_bodies::frames::transport_frames` carries the stored frames along and counts whole
//! turns.

pub mod bend_twist;
pub mod kinematics;
pub mod stretch;

pub use bend_twist::{JointRest, RodBendTwist};
pub use kinematics::Strains;
pub use stretch::RodStretch;

#[cfg(test)]
mod rod_tests;
