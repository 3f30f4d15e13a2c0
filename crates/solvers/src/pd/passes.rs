//! One pass of the local step over four elements, the same for triangles and tets.

use super::batches::Pass;
use super::lane_polar::Columns;
use stiction_numerics::lane_vectors::{add, scale, sub};
use stiction_numerics::{Lanes, Vec3};

/// Four elements whose strain D x has N columns.
pub trait Strained<const N: usize> {
    /// Shapes at the start of a step.
    type Start;
    /// Forces on the corners of one element.
    type Forces;

    /// F = D x.
    fn gradient(&self, x: &[Vec3]) -> Columns<N>;
    /// Z = prox(Y), and the rotation of Y, or of F where Y is inverted.
    fn prox(&self, y: &Columns<N>, f: &Columns<N>) -> (Columns<N>, Columns<N>);
    /// `h β K R S_t`.
    fn damped(&self, start: &Self::Start, rotation: &Columns<N>, h: f64) -> Columns<N>;
    /// Dᵀ of a flow: what each corner gets.
    fn share_out(&self, flow: &Columns<N>, forces: &mut [Self::Forces]);
    /// w \[J\].
    fn weight(&self) -> Lanes;
}

/// u = λ − prox(D x + λ) with λ = u + D x (or what is held, in the first pass of a step), and `Dᵀ(h β K R S_t − h² w u)` to the corners.
#[inline(always)]
pub fn project<const N: usize, E: Strained<N>>(
    element: &E,
    held: &mut Columns<N>,
    start: Option<&E::Start>,
    pass: &Pass<'_>,
    forces: &mut [E::Forces],
) {
    let f = element.gradient(pass.x);
    if !pass.first {
        add_to(held, &f);
    }
    let mut y = f;
    add_to(&mut y, held);
    let (z, rotation) = element.prox(&y, &f);
    let pull = element.weight() * (-pass.h * pass.h);
    let mut flow = z;
    for k in 0..N {
        held[k] = sub(held[k], z[k]);
        flow[k] = scale(held[k], pull);
    }
    if let Some(start) = start {
        add_to(&mut flow, &element.damped(start, &rotation, pass.h));
    }
    element.share_out(&flow, forces);
}

/// λ = u + D x after the last global step.
#[inline(always)]
pub fn finish<const N: usize, E: Strained<N>>(element: &E, held: &mut Columns<N>, x: &[Vec3]) {
    add_to(held, &element.gradient(x));
}

#[inline(always)]
fn add_to<const N: usize>(sum: &mut Columns<N>, other: &Columns<N>) {
    for k in 0..N {
        sum[k] = add(sum[k], other[k]);
    }
}
