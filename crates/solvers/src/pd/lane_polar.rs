//! Small matrices of four elements side by side, and their polar factors.
//!
//! A matrix is an array of columns, a column three [`Lanes`]. Elements in fair shape take closed
//! forms or Newton's iteration in all four lanes at once; flat and inverted ones are decomposed one
//! by one.

use stiction_numerics::lane_vectors::{Column, add, column_of, cross, dot, scale, set_column, sub};
use stiction_numerics::{Lanes, Mat3, Mat3x2, polar3, polar3x2};

/// An array with `value` for k = 0, 1 (and 2). Written out, because closures in `array::from_fn`
/// and `map` stay calls here, and lanes then go through memory.
macro_rules! two {
    (|$k:ident| $value:expr) => {
        [
            {
                let $k = 0usize;
                $value
            },
            {
                let $k = 1usize;
                $value
            },
        ]
    };
}
macro_rules! three {
    (|$k:ident| $value:expr) => {
        [
            {
                let $k = 0usize;
                $value
            },
            {
                let $k = 1usize;
                $value
            },
            {
                let $k = 2usize;
                $value
            },
        ]
    };
}
pub(super) use {three, two};

/// A matrix of N columns in each lane.
pub type Columns<const N: usize> = [Column; N];

/// F B with B given by its columns, for three columns.
#[inline(always)]
pub fn product3(f: &Columns<3>, b: &[[Lanes; 3]; 3]) -> Columns<3> {
    three!(|c| add(add(scale(f[0], b[c][0]), scale(f[1], b[c][1])), scale(f[2], b[c][2])))
}

/// F B for two columns.
#[inline(always)]
pub fn product2(f: &Columns<2>, b: &[[Lanes; 2]; 2]) -> Columns<2> {
    two!(|c| add(scale(f[0], b[c][0]), scale(f[1], b[c][1])))
}

/// Aᵀ B as columns.
#[inline(always)]
pub fn transposed_product(a: &Columns<3>, b: &Columns<3>) -> [[Lanes; 3]; 3] {
    three!(|c| three!(|r| dot(&a[r], &b[c])))
}

/// Smallest determinant relative to the cubed norm for which Newton's iteration for the polar
/// factor is used.
const FLAT: f64 = 1e-3;
/// Rounds of it.
const ROUNDS: usize = 12;
/// Squared change after which the error is below round-off: it is about the square of the change.
const SETTLED: f64 = 1e-14;

/// Rotations of four 3×3 gradients, proper also where they are inverted; flat and inverted ones
/// take that of `other`.
///
/// R ← (R + R⁻ᵀ)/2 from F: every singular value σ goes to (σ + 1/σ)/2, so to 1, quadratically.
/// [Higham1986]
#[inline(always)]
pub fn polar_solid(f: &Columns<3>, other: &Columns<3>) -> Columns<3> {
    let norm = (dot(&f[0], &f[0]) + dot(&f[1], &f[1]) + dot(&f[2], &f[2])).sqrt();
    let mut rotation = *f;
    let mut fair = [true; 4];
    let mut moving = [true; 4];
    for round in 0..ROUNDS {
        let [a, b, c] = rotation;
        let cofactor = [cross(&b, &c), cross(&c, &a), cross(&a, &b)];
        let determinant = dot(&a, &cofactor[0]);
        if round == 0 {
            // False for NaN. From here on no singular value of a fair lane is below one.
            fair = determinant.above(norm * norm * norm * FLAT);
        }
        let half = Lanes::splat(0.5) / determinant;
        let next = three!(|k| add(scale(rotation[k], Lanes::splat(0.5)), scale(cofactor[k], half)));
        let moved = three!(|k| sub(next[k], rotation[k]));
        let change = dot(&moved[0], &moved[0]) + dot(&moved[1], &moved[1]) + dot(&moved[2], &moved[2]);
        rotation = next;
        let settled = Lanes::splat(SETTLED).above(change);
        moving = [0, 1, 2, 3].map(|lane| fair[lane] && !settled[lane]);
        if moving == [false; 4] {
            break;
        }
    }
    if fair != [true; 4] || moving != [false; 4] {
        decompose_solids(other, [0, 1, 2, 3].map(|lane| !fair[lane] || moving[lane]), &mut rotation);
    }
    rotation
}

#[cold]
#[inline(never)]
fn decompose_solids(f: &Columns<3>, lanes: [bool; 4], rotation: &mut Columns<3>) {
    for lane in (0..4).filter(|&lane| lanes[lane]) {
        let own = polar3(&Mat3::from_columns(&[0, 1, 2].map(|k| column_of(&f[k], lane))));
        (0..3).for_each(|k| set_column(&mut rotation[k], lane, own.column(k).into()));
    }
}

/// Smallest determinant of FᵀF relative to its squared trace for which the closed form of the polar
/// factor is used.
const THIN: f64 = 1e-14;

/// Entries 11, 12 and 22 of symmetric 2×2 matrices.
pub type Symmetric2 = [Lanes; 3];

/// Rotations and stretches of four 3×2 gradients: F = R S.
///
/// `S = (C + √det C I)/√(tr C + 2 √det C)` with C = FᵀF.
#[inline(always)]
pub fn polar_sheet(f: &Columns<2>) -> (Columns<2>, Symmetric2) {
    let (c11, c12, c22) = (dot(&f[0], &f[0]), dot(&f[0], &f[1]), dot(&f[1], &f[1]));
    let trace = c11 + c22;
    let determinant = c11 * c22 - c12 * c12;
    let fair = determinant.above(trace * trace * THIN);
    let root = determinant.sqrt();
    let one = Lanes::splat(1.0);
    let factor = one / (trace + root * 2.0).sqrt();
    let mut stretch = [(c11 + root) * factor, c12 * factor, (c22 + root) * factor];
    let [s11, s12, s22] = stretch;
    let inverse = one / root;
    let mut rotation = [
        scale(sub(scale(f[0], s22), scale(f[1], s12)), inverse),
        scale(sub(scale(f[1], s11), scale(f[0], s12)), inverse),
    ];
    if fair != [true; 4] {
        decompose_sheets(f, fair, &mut rotation, &mut stretch);
    }
    (rotation, stretch)
}

#[cold]
#[inline(never)]
fn decompose_sheets(f: &Columns<2>, fair: [bool; 4], rotation: &mut Columns<2>, stretch: &mut Symmetric2) {
    for lane in (0..4).filter(|&lane| !fair[lane]) {
        let own = Mat3x2::from_columns(&[column_of(&f[0], lane), column_of(&f[1], lane)]);
        let turned = polar3x2(&own);
        let s = turned.transpose() * own;
        (0..2).for_each(|k| set_column(&mut rotation[k], lane, turned.column(k).into()));
        [s.m11, 0.5 * (s.m12 + s.m21), s.m22].iter().enumerate().for_each(|(k, v)| stretch[k].0[lane] = *v);
    }
}

/// Largest and smallest eigenvalue of symmetric matrices.
#[inline(always)]
pub fn principal([s11, s12, s22]: &Symmetric2) -> (Lanes, Lanes) {
    let (mean, half) = ((*s11 + *s22) * 0.5, (*s11 - *s22) * 0.5);
    let radius = (half * half + *s12 * *s12).sqrt();
    (mean + radius, mean - radius)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::array::from_fn;
    use stiction_numerics::{Random, Vec3};

    fn random_vector(random: &mut Random) -> Vec3 {
        random.unit_vector() * random.range(0.3, 1.5)
    }

    /// One matrix per lane, the given one in the second lane, fair ones beside it.
    fn beside<const N: usize>(columns: [Vec3; N]) -> Columns<N> {
        from_fn(|k| {
            from_fn(|r| {
                Lanes::from_fn(|lane| if lane == 1 { columns[k][r] } else { f64::from(u8::from(k == r)) })
            })
        })
    }

    #[test]
    fn rotations_of_solids_are_those_of_the_decomposition() {
        let mut random = Random::new(7);
        for size in [0.1, 0.6, 3.0] {
            for _ in 0..500 {
                let f = Mat3::from_columns(
                    &[0, 1, 2].map(|k| Vec3::ith(k, 1.0) + random_vector(&mut random) * size),
                );
                let lanes = beside([0, 1, 2].map(|k| f.column(k).into()));
                let rotation = polar_solid(&lanes, &lanes);
                let own = Mat3::from_columns(&[0, 1, 2].map(|k| column_of(&rotation[k], 1)));
                assert!((own - polar3(&f)).norm() < 1e-11, "{f}");
                let other = Mat3::from_columns(&[0, 1, 2].map(|k| column_of(&rotation[k], 0)));
                assert!((other - Mat3::identity()).norm() < 1e-14);
            }
        }
        for odd in [-Mat3::identity(), Mat3::zeros(), Mat3::from_diagonal(&Vec3::new(1.0, 1.0, 1e-9))] {
            let lanes = beside([0, 1, 2].map(|k| odd.column(k).into()));
            let rotation = polar_solid(&lanes, &lanes);
            let own = Mat3::from_columns(&[0, 1, 2].map(|k| column_of(&rotation[k], 1)));
            assert!((own.transpose() * own - Mat3::identity()).norm() < 1e-12 && own.determinant() > 0.0);
        }
    }

    #[test]
    fn sheets_are_rotation_times_stretch() {
        let mut random = Random::new(8);
        for thin in [false, true] {
            for _ in 0..200 {
                let a = random_vector(&mut random);
                let b = if thin { a * 0.5 } else { random_vector(&mut random) };
                let (rotation, stretch) = polar_sheet(&beside([a, b]));
                let r = Mat3x2::from_columns(&[0, 1].map(|k| column_of(&rotation[k], 1)));
                let [s11, s12, s22] = stretch.map(|s| s.0[1]);
                let s = stiction_numerics::Mat2::new(s11, s12, s12, s22);
                assert!((r * s - Mat3x2::from_columns(&[a, b])).norm() < 1e-8, "{a} {b}");
                assert!((r.transpose() * r - stiction_numerics::Mat2::identity()).norm() < 1e-6);
                let (large, small) = principal(&stretch);
                assert!((large.0[1] + small.0[1] - s11 - s22).abs() < 1e-12 && small.0[1] > -1e-9);
            }
        }
    }
}
