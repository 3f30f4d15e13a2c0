//! Continuous collision detection under linear motion x(t) = (1−t)·x₀ + t·x₁, t ∈ \[0, 1\].
//!
//! Three layers, each conservative (a returned time is never later than the true one, a hit is
//! never missed):
//!
//! * [`advance`]: conservative advancement for line searches. Works for any minimal separation.
//! * [`verdict`]: the same advancement run to the limit of `f64`, then, where `f64` cannot tell,
//!   [`exact`].
//! * [`exact`]: inclusion test by subdivision of time in exact integers; also the oracle of the
//!   others.
//!
//! [`queries`] reads files of rational queries and judges them, [`stress`] makes random and nearly
//! degenerate queries whose hit is known by construction.

pub mod advance;
pub mod exact;
pub mod queries;
pub mod stress;
pub mod verdict;

mod axis;
mod cubic;

pub use advance::{Advance, AdvanceOptions};
pub use verdict::{Impact, VerdictOptions};

use stiction_numerics::Vec3;

/// A pair of primitives in linear motion: positions at t = 0 and t = 1 \[m\].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Query {
    /// Two points.
    PointPoint([Vec3; 2], [Vec3; 2]),
    /// A point, then the ends of an edge.
    PointEdge([Vec3; 3], [Vec3; 3]),
    /// A point, then the corners of a triangle.
    PointTriangle([Vec3; 4], [Vec3; 4]),
    /// The ends of one edge, then those of the other.
    EdgeEdge([Vec3; 4], [Vec3; 4]),
}

impl Query {
    /// Advances conservatively: see [`advance`].
    #[inline]
    pub fn advance(&self, options: &AdvanceOptions) -> Advance {
        advance::advance(self, options)
    }

    /// The same with the vector between the closest points at the start, from the second primitive
    /// to the first \[m\].
    #[inline]
    pub fn advance_from(&self, start: Vec3, options: &AdvanceOptions) -> Advance {
        advance::advance_from(self, start, options)
    }

    /// Decides hit or no hit: see [`verdict`].
    pub fn verdict(&self, options: &VerdictOptions) -> Option<Impact> {
        verdict::verdict(self, options)
    }
}
