//! First contact of two linearly moving primitives in exact integer arithmetic.
//!
//! Every `f64` is an integer times a power of two, so after one common scaling all conditions of a
//! contact are polynomials in t with integer coefficients:
//!
//! * point–triangle: (v−a)·N = 0 with N = (b−a)×(c−a) (degree 3) and the three weights times N²,
//!   w_k·N² = N·(…×…) ≥ 0 (degree 4);
//! * edge–edge: (b₀−a₀)·M = 0 with M = e_a×e_b (degree 3) and 0 ≤ s·M² ≤ M², 0 ≤ u·M² ≤ M² (degree
//!   4);
//! * point–edge: (p−a)×e = 0 (three equations) and 0 ≤ (p−a)·e ≤ e²; point–point: p−q = 0 (three
//!   equations).
//!
//! Time is halved again and again. A polynomial in Bernstein form lies between its smallest and
//! largest coefficient, so a piece of \[0, 1\] is dropped when an equation has coefficients of one
//! strict sign, a condition has only negative ones, or the differences of all corners share a
//! strict sign along an axis: a coordinate axis, or the direction of the closest points in the
//! middle of the piece. The last needs no accuracy to be a proof, and settles the instants in which
//! all polynomials vanish (zero area, parallel edges). Pieces are visited from the earliest; one
//! that survives down to width 2⁻⁷² is the answer, by its lower end. Nothing is rounded, so nothing
//! is missed. A false alarm needs a miss by less than that width, or a degenerate instant with a
//! distance near the rounding of `f64`.

use super::Query;
use super::advance::offset_at;
use super::verdict::further_axes;
use num_bigint::BigInt;
use num_traits::{Signed, Zero};
use stiction_numerics::Vec3;

/// Bits of time that are resolved.
const DEPTH: u32 = 72;
/// Bits that are resolved while the piece still begins at zero, so that a positive time is not
/// reported as zero.
const DEPTH_AT_ZERO: u32 = 120;
/// Depth from which further axes are tried.
const SMALL_PIECE: u32 = 20;
/// Pieces looked at before the search gives up and reports a hit, safely.
const BUDGET: usize = 20_000;

/// Result of the exact test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExactImpact {
    /// Lower bound of the time of first contact, within 2⁻⁷² before rounding down to `f64`.
    pub time: f64,
    /// False when the search gave up (or the input was not finite): `time` is still a lower bound,
    /// but there may be no contact.
    pub is_settled: bool,
}

/// The first contact, or `None` as a proof that there is none. Input that is not finite is reported
/// as a hit at zero.
pub fn first_impact(query: &Query) -> Option<ExactImpact> {
    let Some(system) = System::new(query) else {
        return Some(ExactImpact { time: 0.0, is_settled: false });
    };
    let mut stack = vec![(system, 0u128, 0u32)];
    let mut visited = 0;
    while let Some((system, index, depth)) = stack.pop() {
        visited += 1;
        if system.is_impossible() || is_apart(query, &system, index, depth) {
            continue;
        }
        let is_settled = depth >= DEPTH && (index > 0 || depth >= DEPTH_AT_ZERO);
        if is_settled || visited > BUDGET {
            return Some(ExactImpact { time: dyadic_below(index, depth), is_settled });
        }
        let (early, late) = system.halves();
        stack.push((late, 2 * index + 1, depth + 1));
        stack.push((early, 2 * index, depth + 1));
    }
    None
}

/// Whether an axis parts the hulls all along a piece. The closest vector of the middle serves while
/// pieces are wide; in small ones it has lost its digits, and axes built from the sides are tried,
/// too.
fn is_apart(query: &Query, system: &System, index: u128, depth: u32) -> bool {
    let middle = (index as f64 + 0.5) * 2f64.powi(-(depth as i32));
    let offset = offset_at(query, middle);
    system.is_apart_along(&offset)
        || depth >= SMALL_PIECE
            && further_axes(query, middle, &offset)
                .iter()
                .any(|axis| system.is_apart_along(axis) || system.is_apart_along(&-axis))
}

/// index / 2^depth rounded towards zero.
fn dyadic_below(index: u128, depth: u32) -> f64 {
    let excess = (128 - index.leading_zeros()).saturating_sub(53);
    ((index >> excess) as f64) * 2f64.powi(excess as i32 - depth as i32)
}

/// Polynomial by its Bernstein coefficients on the current piece, up to a positive factor.
type Bernstein = Vec<BigInt>;

struct System {
    equations: Vec<Bernstein>,
    conditions: Vec<Bernstein>,
    /// Differences of all corner pairs, by component; linear in time.
    gaps: Vec<[Bernstein; 3]>,
}

impl System {
    /// `None` when a coordinate is not finite.
    fn new(query: &Query) -> Option<Self> {
        let x = moving_points(query)?;
        let (equations, conditions) = match query {
            Query::PointPoint(..) => (sub(&x[0], &x[1]).to_vec(), Vec::new()),
            Query::PointEdge(..) => point_edge_system(&x),
            Query::PointTriangle(..) => point_triangle_system(&x),
            Query::EdgeEdge(..) => edge_edge_system(&x),
        };
        let first = if matches!(query, Query::EdgeEdge(..)) { 2 } else { 1 };
        let (hull_a, hull_b) = x.split_at(first);
        let gaps = hull_a.iter().flat_map(|a| hull_b.iter().map(|b| sub(a, b).each_ref().map(bernstein)));
        let gaps = gaps.collect();
        let to_bernstein = |list: Vec<Poly>| list.iter().map(bernstein).collect();
        Some(Self { equations: to_bernstein(equations), conditions: to_bernstein(conditions), gaps })
    }

    fn is_impossible(&self) -> bool {
        let one_sign = |p: &Bernstein| p.iter().all(|c| c.is_positive()) || p.iter().all(|c| c.is_negative());
        self.equations.iter().any(one_sign)
            || self.conditions.iter().any(|p| p.iter().all(|c| c.is_negative()))
            || (0..3).any(|k| {
                self.gaps.iter().all(|gap| gap[k].iter().all(|c| c.is_positive()))
                    || self.gaps.iter().all(|gap| gap[k].iter().all(|c| c.is_negative()))
            })
    }

    /// Whether all corner differences have a positive part along this vector at both ends of the
    /// piece.
    fn is_apart_along(&self, axis: &Vec3) -> bool {
        let Some(n) = to_integers(axis.as_slice()) else { return false };
        let is_positive = |gap: &[Bernstein; 3], end: usize| {
            let along: BigInt = (0..3).map(|k| &gap[k][end] * &n[k]).sum();
            along.is_positive()
        };
        self.gaps.iter().all(|gap| is_positive(gap, 0) && is_positive(gap, 1))
    }

    fn halves(&self) -> (Self, Self) {
        let (e0, e1) = self.equations.iter().map(halve).unzip();
        let (c0, c1) = self.conditions.iter().map(halve).unzip();
        let halve_gap = |gap: &[Bernstein; 3]| {
            let [x, y, z] = gap.each_ref().map(halve);
            ([x.0, y.0, z.0], [x.1, y.1, z.1])
        };
        let (g0, g1) = self.gaps.iter().map(halve_gap).unzip();
        let early = Self { equations: e0, conditions: c0, gaps: g0 };
        (early, Self { equations: e1, conditions: c1, gaps: g1 })
    }
}

/// De Casteljau at one half, without division: both halves come out times 2^degree.
fn halve(p: &Bernstein) -> (Bernstein, Bernstein) {
    let n = p.len() - 1;
    let mut work = p.clone();
    let mut early = vec![&p[0] << n];
    let mut late = vec![BigInt::zero(); n + 1];
    late[n] = &p[n] << n;
    for r in 1..=n {
        for i in 0..=n - r {
            work[i] = &work[i] + &work[i + 1];
        }
        early.push(&work[0] << (n - r));
        late[n - r] = &work[n - r] << (n - r);
    }
    (early, late)
}

/// Polynomial in t by powers.
type Poly = Vec<BigInt>;
/// A moving point.
type PolyVec = [Poly; 3];

/// 12·b_i = Σ_k 12·C(i,k)/C(n,k)·a_k: twelve clears all denominators up to degree four.
fn bernstein(p: &Poly) -> Bernstein {
    let n = p.len() - 1;
    let choose = |n: usize, k: usize| (0..k).fold(1u32, |c, i| c * (n - i) as u32 / (i + 1) as u32);
    (0..=n)
        .map(|i| {
            let terms = (0..=i).map(|k| &p[k] * BigInt::from(12 * choose(i, k) / choose(n, k)));
            terms.fold(BigInt::zero(), |sum, term| sum + term)
        })
        .collect()
}

/// All coordinates as integers over one common power of two; `None` if one is not finite.
fn to_integers(values: &[f64]) -> Option<Vec<BigInt>> {
    let mut parts = Vec::with_capacity(values.len());
    for &value in values {
        if !value.is_finite() {
            return None;
        }
        let bits = value.to_bits();
        let exponent = ((bits >> 52) & 0x7ff) as i32;
        let fraction = (bits & ((1 << 52) - 1)) as i64;
        let mantissa = if exponent == 0 { fraction } else { fraction | (1 << 52) };
        parts.push((if value < 0.0 { -mantissa } else { mantissa }, exponent.max(1)));
    }
    let lowest = parts.iter().filter(|p| p.0 != 0).map(|p| p.1).min().unwrap_or(1);
    let shift = |&(mantissa, exponent): &(i64, i32)| {
        if mantissa == 0 { BigInt::zero() } else { BigInt::from(mantissa) << (exponent - lowest) as usize }
    };
    Some(parts.iter().map(shift).collect())
}

fn moving_points(query: &Query) -> Option<Vec<PolyVec>> {
    let (x0, x1): (&[Vec3], &[Vec3]) = match query {
        Query::PointPoint(x0, x1) => (x0, x1),
        Query::PointEdge(x0, x1) => (x0, x1),
        Query::PointTriangle(x0, x1) | Query::EdgeEdge(x0, x1) => (x0, x1),
    };
    let flat: Vec<f64> = x0.iter().chain(x1).flat_map(|p| [p.x, p.y, p.z]).collect();
    let integers = to_integers(&flat)?;
    let (start, end) = integers.split_at(3 * x0.len());
    let component = |k: usize| vec![start[k].clone(), &end[k] - &start[k]];
    Some((0..x0.len()).map(|k| [component(3 * k), component(3 * k + 1), component(3 * k + 2)]).collect())
}

fn point_edge_system(x: &[PolyVec]) -> (Vec<Poly>, Vec<Poly>) {
    let (q, e) = (sub(&x[0], &x[1]), sub(&x[2], &x[1]));
    let along = dot(&q, &e);
    let rest = minus(&dot(&e, &e), &along);
    (cross(&q, &e).to_vec(), vec![along, rest])
}

fn point_triangle_system(x: &[PolyVec]) -> (Vec<Poly>, Vec<Poly>) {
    let from = |k: usize| sub(&x[k], &x[0]);
    let normal = cross(&sub(&x[2], &x[1]), &sub(&x[3], &x[1]));
    let weight = |i: usize, j: usize| dot(&cross(&from(i), &from(j)), &normal);
    (vec![dot(&from(1), &normal)], vec![weight(2, 3), weight(3, 1), weight(1, 2)])
}

fn edge_edge_system(x: &[PolyVec]) -> (Vec<Poly>, Vec<Poly>) {
    let (ea, eb, r) = (sub(&x[1], &x[0]), sub(&x[3], &x[2]), sub(&x[2], &x[0]));
    let normal = cross(&ea, &eb);
    let square = dot(&normal, &normal);
    let s = dot(&cross(&r, &eb), &normal);
    let u = dot(&cross(&r, &ea), &normal);
    let (s_rest, u_rest) = (minus(&square, &s), minus(&square, &u));
    (vec![dot(&r, &normal)], vec![s, s_rest, u, u_rest])
}

fn combine(a: &Poly, b: &Poly, f: impl Fn(&BigInt, &BigInt) -> BigInt) -> Poly {
    let zero = BigInt::zero();
    (0..a.len().max(b.len())).map(|k| f(a.get(k).unwrap_or(&zero), b.get(k).unwrap_or(&zero))).collect()
}

fn plus(a: &Poly, b: &Poly) -> Poly {
    combine(a, b, |x, y| x + y)
}

fn minus(a: &Poly, b: &Poly) -> Poly {
    combine(a, b, |x, y| x - y)
}

fn times(a: &Poly, b: &Poly) -> Poly {
    let mut product = vec![BigInt::zero(); a.len() + b.len() - 1];
    for (i, x) in a.iter().enumerate() {
        for (j, y) in b.iter().enumerate() {
            product[i + j] += x * y;
        }
    }
    product
}

fn sub(a: &PolyVec, b: &PolyVec) -> PolyVec {
    std::array::from_fn(|k| minus(&a[k], &b[k]))
}

fn dot(a: &PolyVec, b: &PolyVec) -> Poly {
    plus(&plus(&times(&a[0], &b[0]), &times(&a[1], &b[1])), &times(&a[2], &b[2]))
}

fn cross(a: &PolyVec, b: &PolyVec) -> PolyVec {
    std::array::from_fn(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        minus(&times(&a[i], &b[j]), &times(&a[j], &b[i]))
    })
}
