//! Strain limits of the positions that a step ends with.
//!
//! Nodes that touch end at `x_t + h p`, the others at `x`. The two agree when the iteration has
//! converged; before that their distance, a millimetre or so, is a jump over one edge, which in a
//! fine sheet is a stretch of many per cent. Gauss–Seidel sweeps bring triangles beyond their limit
//! back to it:
//!
//! `Δx_k = −w_k ∇_kσ (σ − σ_max) / Σ_j w_j |∇_jσ|²`, `∇_kσ = u (v·g_k)`
//!
//! σ largest principal stretch, σ_max its limit · v its direction at rest, u = F v/σ that in space
//! · g_k gradient of the shape function of corner k \[1/m\] · w inverse mass \[1/kg\]. The
//! gradients sum to zero and have no moment, so that both momenta stay. What keeps its limits is
//! left as it is.

use super::triangles::SheetTriangle;
use crate::weighted_node::WeightedNode;
use rayon::prelude::*;
use std::ops::Range;
use stiction_numerics::stencil_stages::{StencilKernel, StencilStages};
use stiction_numerics::{Mat2, Vec3};

/// Triangles that one task takes at least.
const TRIANGLES: usize = 2048;

/// All triangles that have a limit, in stages that run in parallel.
#[derive(Debug)]
pub struct StretchLimits {
    limits: Vec<Limit>,
    stages: StencilStages,
    /// Largest excess of each chunk.
    tallies: Vec<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Limit {
    /// Dm⁻¹ \[1/m\].
    inverse: Mat2,
    /// 1 + the limit of strain.
    longest: f64,
    /// σ_max of this step: the same, or infinite where it cannot hold.
    allowed: f64,
    /// Whether something holds the sheet, so that its limits may be out of reach.
    held: bool,
}

impl StretchLimits {
    /// The limits among triangles over `nodes` nodes.
    pub fn new(triangles: &[SheetTriangle], nodes: usize) -> StretchLimits {
        let limited: Vec<&SheetTriangle> = triangles.iter().filter(|t| t.longest.is_finite()).collect();
        let mut stages = StencilStages::new(nodes);
        stages
            .append(limited.len(), |k| &limited[k].nodes[..])
            .expect("triangles name their own nodes once each");
        let tallies = vec![0.0; stages.chunk_count()];
        let limits = limited
            .iter()
            .map(|t| Limit { inverse: t.inverse, longest: t.longest, allowed: t.longest, held: true })
            .collect();
        StretchLimits { limits, stages, tallies }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.limits.is_empty()
    }

    /// Takes whether pins or attachments hold the sheet of a node.
    pub fn set_held(&mut self, is_held: impl Fn(u32) -> bool + Sync) {
        let stages = &self.stages;
        let limits = self.limits.par_iter_mut().enumerate().with_min_len(TRIANGLES);
        limits.for_each(|(k, limit)| limit.held = is_held(stages.nodes_of(k).0[0]));
    }

    /// Leaves alone what breaks its limit at the positions `x` already, by more than a fraction of it,
    /// in sheets that are held: pins that cannot be reached stretch a sheet beyond its limit. A
    /// sheet that nothing holds can always keep its limits; there x just has not converged.
    pub fn leave_out(&mut self, x: &[Vec3], fraction: f64) {
        let stages = &self.stages;
        self.limits.par_iter_mut().enumerate().with_min_len(TRIANGLES).for_each(|(k, limit)| {
            let (nodes, _) = stages.nodes_of(k);
            let [origin, first, second] = [0, 1, 2].map(|c| x[nodes[c] as usize]);
            let columns = gradient(limit, first - origin, second - origin);
            let keeps = !limit.held || is_within(&columns, limit.longest + fraction * (limit.longest - 1.0));
            limit.allowed = if keeps { limit.longest } else { f64::INFINITY };
        });
    }

    /// One sweep; returns the largest excess that it met, as a fraction of the limit of strain.
    pub fn sweep(&mut self, points: &mut [WeightedNode]) -> f64 {
        self.tallies.fill(0.0);
        self.stages.run(points, &mut self.limits, &mut self.tallies, &Shorten);
        self.tallies.iter().copied().fold(0.0, f64::max)
    }
}

/// F by columns, from the edges at the first corner.
#[inline(always)]
fn gradient(limit: &Limit, first: Vec3, second: Vec3) -> [Vec3; 2] {
    [0, 1].map(|c| first * limit.inverse[(0, c)] + second * limit.inverse[(1, c)])
}

/// The same from the corners.
#[inline(always)]
fn gradient_at(limit: &Limit, nodes: &[WeightedNode; 4]) -> [Vec3; 2] {
    let edge = |k: usize| Vec3::from_fn(|r, _| nodes[k][r] - nodes[0][r]);
    gradient(limit, edge(1), edge(2))
}

/// Whether no stretch is beyond a bound: σ ≤ b if and only if b² I − FᵀF has no negative
/// eigenvalue.
#[inline(always)]
fn is_within([first, second]: &[Vec3; 2], bound: f64) -> bool {
    let most = bound * bound;
    let (p, q, r) = (most - first.norm_squared(), most - second.norm_squared(), first.dot(second));
    p >= 0.0 && q >= 0.0 && p * q >= r * r
}

/// σ and v: the larger eigenvalue of FᵀF is σ². (Squares of stretches are of order one: roots of
/// their sums need no care.)
#[inline(always)]
fn largest([first, second]: &[Vec3; 2]) -> (f64, [f64; 2]) {
    let (p, q, r) = (first.norm_squared(), second.norm_squared(), first.dot(second));
    let half = 0.5 * (p - q);
    let large = 0.5 * (p + q) + (half * half + r * r).sqrt();
    // Of the two rows of σ² I − FᵀF the longer one gives the direction; both vanish where all
    // directions are alike.
    let (along, across) = if p >= q { (large - q, r) } else { (r, large - p) };
    let length = (along * along + across * across).sqrt();
    (large.sqrt(), if length > 0.0 { [along / length, across / length] } else { [1.0, 0.0] })
}

/// The update of one triangle.
struct Shorten;

impl StencilKernel<WeightedNode, Limit, f64> for Shorten {
    #[inline(always)]
    fn idle(&self, limit: &mut Limit, nodes: &[WeightedNode; 4], _: &mut f64) -> bool {
        is_within(&gradient_at(limit, nodes), limit.allowed)
    }

    #[inline(always)]
    fn short(&self, limit: &mut Limit, _: &[u32; 4], nodes: &mut [WeightedNode; 4], tally: &mut f64) {
        let columns = gradient_at(limit, nodes);
        let (stretch, [along, across]) = largest(&columns);
        let direction = (columns[0] * along + columns[1] * across) / stretch;
        let share = |row: usize| limit.inverse[(row, 0)] * along + limit.inverse[(row, 1)] * across;
        let (one, two) = (share(0), share(1));
        let shares = [-(one + two), one, two];
        let resistance: f64 = (0..3).map(|k| nodes[k][3] * shares[k] * shares[k]).sum();
        let excess = stretch - limit.allowed;
        *tally = tally.max(excess / (limit.longest - 1.0));
        if resistance > 0.0 {
            for (node, share) in nodes.iter_mut().zip(shares) {
                let by = -excess * node[3] * share / resistance;
                (0..3).for_each(|k| node[k] += by * direction[k]);
            }
        }
    }

    fn long(&self, _: &mut Limit, _: Range<usize>, _: &[u32], _: &mut [WeightedNode], _: &mut f64) {
        unreachable!("triangles have three nodes")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_energy::Orthotropic;
    use stiction_numerics::Random;

    fn limited(nodes: [u32; 3], inverse: Mat2) -> SheetTriangle {
        let moduli = Orthotropic { c11: 1.0, c22: 1.0, c12: 0.0, c33: 1.0 };
        SheetTriangle { nodes, inverse, moduli, longest: 1.05, weight: 1.0, damping: 0.0 }
    }

    fn place(point: &WeightedNode) -> Vec3 {
        Vec3::new(point[0], point[1], point[2])
    }

    #[test]
    fn one_update_meets_the_limit_without_force_or_moment() {
        let mut random = Random::new(3);
        for _ in 0..20 {
            let inverse = Mat2::new(1.0, 0.3, -0.2, 1.2);
            let mut limits = StretchLimits::new(&[limited([0, 1, 2], inverse)], 3);
            let mut point = |_| {
                let x = random.unit_vector() * 3.0;
                [x.x, x.y, x.z, random.range(0.5, 2.0)]
            };
            let before: Vec<WeightedNode> = (0..3).map(&mut point).collect();
            let mut points = before.clone();
            let excess = limits.sweep(&mut points);
            let moved = |k: usize| (place(&points[k]) - place(&before[k])) / before[k][3];
            let (force, moment): (Vec3, Vec3) =
                ((0..3).map(moved).sum(), (0..3).map(|k| place(&before[k]).cross(&moved(k))).sum());
            assert!(
                excess > 0.0 && force.norm() < 1e-12 && moment.norm() < 1e-11,
                "{excess} {force} {moment}"
            );
        }
    }

    /// Where x is beyond its limit too, sheets that nothing holds are brought back and others are
    /// left alone.
    #[test]
    fn only_limits_of_held_sheets_are_given_up() {
        let mut limits = StretchLimits::new(&[limited([0, 1, 2], Mat2::identity())], 3);
        let long = [Vec3::zeros(), Vec3::x() * 1.2, Vec3::y()];
        let points: Vec<WeightedNode> = long.iter().map(|x| [x.x, x.y, x.z, 1.0]).collect();
        for (held, expected) in [(true, 0.0), (false, 3.0)] {
            limits.set_held(|_| held);
            limits.leave_out(&long, 0.5);
            assert!((limits.sweep(&mut points.clone()) - expected).abs() < 1e-12, "{held}");
        }
    }

    /// A strip of twenty squares of 1 m that is torn by 0.3 m in the middle.
    #[test]
    fn a_jump_is_spread_until_all_limits_hold() {
        let square = |k: u32| {
            let [a, b, c, d] = [2 * k, 2 * k + 1, 2 * k + 2, 2 * k + 3];
            [limited([a, c, b], Mat2::identity()), limited([d, b, c], -Mat2::identity())]
        };
        let triangles: Vec<SheetTriangle> = (0..20).flat_map(square).collect();
        let node = |n: u32| [f64::from(n / 2) + if n < 20 { 0.0 } else { 0.3 }, f64::from(n % 2), 0.0, 1.0];
        let mut points: Vec<WeightedNode> = (0..42).map(node).collect();
        let mut limits = StretchLimits::new(&triangles, points.len());
        assert!(limits.sweep(&mut points.clone()) > 4.9);
        let left = (0..400).map(|_| limits.sweep(&mut points)).last();
        assert!(left.is_some_and(|left| left < 0.01), "{left:?} of the limit");
    }
}
