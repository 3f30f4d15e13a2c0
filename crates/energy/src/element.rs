//! What an elastic element offers: energy, gradient and Hessian over a small stencil of blocks.
//!
//! The unknowns of a model are *blocks* of three numbers: one per node (a position \[m\]), then one
//! per rod edge (its twist θ \[rad\]) and one per inner edge of a shell (the angle φ of its normal
//! \[rad\]), both in the first component, the other two unused and zero. Every element is a pure
//! function of the blocks of its stencil, of the frames at the start of the step and of the
//! material table, so one assembly serves them all.

use crate::material_table::MaterialTable;
use stiction_bodies::EdgeFrame;
use stiction_numerics::{Mat3, Vec3};
use thiserror::Error;

/// What an element sees: the blocks of its stencil, the frames of all rod and shell edges at the
/// start of the step, and the values of all materials.
#[derive(Clone, Copy, Debug)]
pub struct Stencil<'a, const N: usize> {
    /// Node positions \[m\]; for an angle block, θ or φ \[rad\] in the first component.
    pub x: [Vec3; N],
    /// Reference frames of all rod edges, then all shell edges, of the model at the start of the
    /// step.
    pub frames: &'a [EdgeFrame],
    /// Values of all materials.
    pub materials: &'a MaterialTable,
}

/// Second derivatives of an element: `blocks[a][b] = ∂²E/∂x_a∂x_b`, symmetric.
pub type LocalHessian<const N: usize> = [[Mat3; N]; N];

/// Which second derivative is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Curvature {
    /// The true Hessian.
    Exact,
    /// The Hessian with its negative eigenvalues removed.
    Projected,
}

/// An elastic energy over `N` blocks \[J\]. Pure: the same stencil gives the same value.
pub trait Element<const N: usize>: Send + Sync {
    /// The blocks that the element depends on. A block may stand only once.
    fn blocks(&self) -> [u32; N];
    /// Energy \[J\].
    fn energy(&self, at: &Stencil<'_, N>) -> f64;
    /// Gradient of the energy (minus the force).
    fn gradient(&self, at: &Stencil<'_, N>) -> [Vec3; N];
    /// Second derivatives.
    fn hessian(&self, at: &Stencil<'_, N>, curvature: Curvature) -> LocalHessian<N>;
}

/// A rest shape that no element can be built on.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum RestShapeError {
    /// A triangle without area.
    #[error("triangle of nodes {nodes:?} has rest area {area:e} m²: remove it or merge its nodes")]
    DegenerateTriangle {
        /// Its nodes.
        nodes: [u32; 3],
        /// Its rest area \[m²\].
        area: f64,
    },
    /// A tetrahedron without volume, or turned inside out.
    #[error(
        "tetrahedron of nodes {nodes:?} has rest volume {volume:e} m³: remove it if flat, swap two nodes if negative"
    )]
    DegenerateTet {
        /// Its nodes.
        nodes: [u32; 4],
        /// Its signed rest volume \[m³\].
        volume: f64,
    },
    /// A node that appears twice in one element.
    #[error("node {node} appears twice in one attachment: attach it to another vertex, edge or triangle")]
    RepeatedNode {
        /// The node.
        node: u32,
    },
}
