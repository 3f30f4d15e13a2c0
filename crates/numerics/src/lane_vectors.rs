//! 3-vectors of four problems side by side.
//!
//! Components are written out: closures in `array::from_fn` and `map` stay calls in larger
//! functions, and lanes then go through memory.

use crate::{Lanes, Vec3};

/// A 3-vector in each lane.
pub type Column = [Lanes; 3];

/// The vectors of four nodes, one per lane.
#[inline(always)]
pub fn gather(nodes: &[u32; 4], x: &[Vec3]) -> Column {
    let [a, b, c, d] = *nodes;
    let (a, b, c, d) = (&x[a as usize], &x[b as usize], &x[c as usize], &x[d as usize]);
    [Lanes([a.x, b.x, c.x, d.x]), Lanes([a.y, b.y, c.y, d.y]), Lanes([a.z, b.z, c.z, d.z])]
}

/// a + b.
#[inline(always)]
pub fn add(a: Column, b: Column) -> Column {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// a − b.
#[inline(always)]
pub fn sub(a: Column, b: Column) -> Column {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// a times a factor per lane.
#[inline(always)]
pub fn scale(a: Column, factor: Lanes) -> Column {
    [a[0] * factor, a[1] * factor, a[2] * factor]
}

/// a · b.
#[inline(always)]
pub fn dot(a: &Column, b: &Column) -> Lanes {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// a × b.
#[inline(always)]
pub fn cross(a: &Column, b: &Column) -> Column {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// Lanes of `a` where the mask is set, else those of `b`.
#[inline(always)]
pub fn select(mask: [bool; 4], a: Column, b: Column) -> Column {
    [a[0].select(mask, b[0]), a[1].select(mask, b[1]), a[2].select(mask, b[2])]
}

/// Lanes in which both masks are set.
#[inline(always)]
pub fn all(a: [bool; 4], b: [bool; 4]) -> [bool; 4] {
    [a[0] & b[0], a[1] & b[1], a[2] & b[2], a[3] & b[3]]
}

/// The vector of one lane.
#[inline(always)]
pub fn column_of(column: &Column, lane: usize) -> Vec3 {
    Vec3::new(column[0].0[lane], column[1].0[lane], column[2].0[lane])
}

/// Sets the vector of one lane.
#[inline(always)]
pub fn set_column(column: &mut Column, lane: usize, value: Vec3) {
    (0..3).for_each(|r| column[r].0[lane] = value[r]);
}
