//! Contact points between convex pieces of rigid bodies.
//!
//! A piece is a point, a segment or a convex polyhedron, rounded by a radius: spheres, capsules,
//! boxes, hulls. Comes in: two placed pieces. Goes out: the points at which they touch or come
//! near, with one normal. The way: separating axes ([`axes`]) say along which direction the two are
//! farthest apart; clipping the faces there ([`manifold`]) gives the points. Points and segments
//! have no faces and go by closest points ([`round`]).

pub mod axes;
pub mod manifold;
mod merge;
pub mod polytope;
mod reduce;
pub mod round;

pub use manifold::{ContactPatch, ContactPoint, Search, touching};
pub use polytope::{NotConvex, PlacedPolytope, Polytope};
