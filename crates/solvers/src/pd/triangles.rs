//! Triangles, four side by side: strain, proximal map, and the forces on their corners.
//!
//! As for tets, the rotation of prox(Y) is that of Y, and the strain e = S − I follows from t =
//! RᵀY − I:
//! `(A C + w I) (e₁₁, e₂₂) = w (t₁₁, t₂₂)`, `e₁₂ = w t₁₂ / (w + 2 A C₃₃)`   C in material axes
//! \[N/m\], A rest area. Woven cloth (C₁₁ ≠ C₂₂ or C₃₃ apart) takes the same map, where the
//! argument holds to first order in the strain only: its stress and its strain then have different
//! principal directions. Strain limits bound the principal stretches of z.

use super::batches::{Batch, Pass, Totals};
use super::lane_polar::{Columns, Symmetric2, polar_sheet, principal, product2, three, two};
use std::array::from_fn;
use stiction_energy::Orthotropic;
use stiction_numerics::lane_vectors::{add, column_of, gather, scale, set_column, sub};
use stiction_numerics::{Lanes, Mat2, Vec3};

/// S of the start of a step.
pub type TriangleStart = Symmetric2;

/// Four triangles.
#[derive(Clone, Debug)]
pub struct TriangleBatch {
    /// By corner, then by lane.
    nodes: [[u32; 4]; 3],
    /// Columns of Dm⁻¹ \[1/m\].
    inverse: [[Lanes; 2]; 2],
    /// A C \[J\]: 11, 22, 12, 33; zero in lanes of padding.
    moduli: [Lanes; 4],
    /// w (A C + w I)⁻¹ of the two stretches.
    stretch: Symmetric2,
    /// Factor of the shear strain.
    shear: Lanes,
    /// Largest principal stretch, 1 + limit.
    longest: Lanes,
    /// Whether any lane has a limit.
    limited: bool,
    /// w \[J\].
    weight: Lanes,
    /// β K \[J s\].
    damping: Lanes,
}

/// One triangle as it is handed in.
#[derive(Clone, Copy, Debug)]
pub struct SheetTriangle {
    pub nodes: [u32; 3],
    /// Dm⁻¹ \[1/m\].
    pub inverse: Mat2,
    /// A C \[J\].
    pub moduli: Orthotropic,
    /// Largest principal stretch.
    pub longest: f64,
    /// w \[J\].
    pub weight: f64,
    /// β K \[J s\].
    pub damping: f64,
}

impl SheetTriangle {
    /// w (A C + w I)⁻¹; definite, since C₁₁C₂₂ > C₁₂² and w > 0.
    fn stretch(&self) -> Mat2 {
        let Orthotropic { c11, c22, c12, .. } = self.moduli;
        let system = Mat2::new(c11 + self.weight, c12, c12, c22 + self.weight);
        system.try_inverse().unwrap_or_else(Mat2::zeros) * self.weight
    }
}

impl TriangleBatch {
    /// Up to four triangles; the last one fills the other lanes, without stiffness.
    pub fn new(triangles: &[SheetTriangle]) -> TriangleBatch {
        let of = |lane: usize| triangles[lane.min(triangles.len() - 1)];
        let real = |lane: usize| f64::from(u8::from(lane < triangles.len()));
        let modulus =
            |of_law: fn(&Orthotropic) -> f64| Lanes::from_fn(|lane| of_law(&of(lane).moduli) * real(lane));
        TriangleBatch {
            nodes: from_fn(|corner| from_fn(|lane| of(lane).nodes[corner])),
            inverse: from_fn(|c| from_fn(|r| Lanes::from_fn(|lane| of(lane).inverse[(r, c)]))),
            moduli: [modulus(|m| m.c11), modulus(|m| m.c22), modulus(|m| m.c12), modulus(|m| m.c33)],
            stretch: [(0, 0), (0, 1), (1, 1)].map(|at| Lanes::from_fn(|lane| of(lane).stretch()[at])),
            shear: Lanes::from_fn(|lane| of(lane).weight / (of(lane).weight + 2.0 * of(lane).moduli.c33)),
            longest: Lanes::from_fn(|lane| of(lane).longest),
            limited: triangles.iter().any(|t| t.longest.is_finite()),
            weight: Lanes::from_fn(|lane| of(lane).weight),
            damping: Lanes::from_fn(|lane| of(lane).damping * real(lane)),
        }
    }

    #[inline(always)]
    fn gradient(&self, x: &[Vec3]) -> Columns<2> {
        let origin = gather(&self.nodes[0], x);
        let edges = two!(|k| sub(gather(&self.nodes[k + 1], x), origin));
        product2(&edges, &self.inverse)
    }

    /// Z, and the rotation of Y.
    #[inline(always)]
    fn prox(&self, y: &Columns<2>) -> (Columns<2>, Columns<2>) {
        let (rotation, [s11, s12, s22]) = polar_sheet(y);
        let one = Lanes::splat(1.0);
        let (t11, t22) = (s11 - one, s22 - one);
        let [m11, m12, m22] = self.stretch;
        let mut solved = [one + m11 * t11 + m12 * t22, self.shear * s12, one + m12 * t11 + m22 * t22];
        if self.limited {
            solved = limit(&self.on_the_limit(&solved), self.longest);
        }
        let [z11, z12, z22] = solved;
        (product2(&rotation, &[[z11, z12], [z12, z22]]), rotation)
    }

    /// What is best where the limit holds: z = s − μ M⁻¹[n nᵀ], M = A C + w I, n the direction of
    /// the largest stretch of s, μ such that the stretch along n is the limit.
    ///
    /// The strain across must answer to the strain that is allowed, not to that of y. Where a limit
    /// is out of reach its dual grows with every iteration; to cut s alone would leave the Poisson
    /// effect of that dual in the strain across, which crushes the sheet.
    #[inline(always)]
    fn on_the_limit(&self, s: &Symmetric2) -> Symmetric2 {
        let (large, small) = principal(s);
        let apart = (large - small).max(large * f64::EPSILON);
        let [p11, p12, p22] = [(s[0] - small) / apart, s[1] / apart, (s[2] - small) / apart];
        let [m11, m12, m22] = self.stretch;
        let answer = [m11 * p11 + m12 * p22, self.shear * p12, m12 * p11 + m22 * p22];
        // Equal stretches have no direction, and no answer: `limit` cuts both of them.
        let along = (p11 * answer[0] + p12 * answer[1] * 2.0 + p22 * answer[2]).max(Lanes::splat(1e-12));
        let by = (large - self.longest) / along;
        let over = large.above(self.longest);
        three!(|k| (s[k] - answer[k] * by).select(over, s[k]))
    }

    /// Dᵀ of a flow: what each corner gets.
    #[inline(always)]
    fn share_out(&self, flow: &Columns<2>, forces: &mut [[Vec3; 3]]) {
        let corners = product2(flow, &two!(|i| two!(|c| self.inverse[c][i])));
        let origin = three!(|r| -(corners[0][r] + corners[1][r]));
        for (lane, out) in forces.iter_mut().enumerate().take(Lanes::COUNT) {
            *out = [column_of(&origin, lane), column_of(&corners[0], lane), column_of(&corners[1], lane)];
        }
    }
}

impl Batch for TriangleBatch {
    const COLUMNS: usize = 2;
    const CORNERS: usize = 3;
    type Held = Columns<2>;
    type Start = TriangleStart;
    type Forces = [Vec3; 3];

    fn stiffness(&self, lane: usize) -> (f64, f64) {
        (self.weight.0[lane], self.damping.0[lane])
    }

    fn node(&self, lane: usize, corner: usize) -> u32 {
        self.nodes[corner][lane]
    }

    fn coefficient(&self, lane: usize, column: usize, corner: usize) -> f64 {
        let g = self.inverse[column].map(|value| value.0[lane]);
        if corner == 0 { -(g[0] + g[1]) } else { g[corner - 1] }
    }

    #[inline(always)]
    fn start(&self, x: &[Vec3]) -> TriangleStart {
        polar_sheet(&self.gradient(x)).1
    }

    #[inline(always)]
    fn project(
        &self,
        held: &mut Columns<2>,
        start: Option<&TriangleStart>,
        pass: &Pass<'_>,
        forces: &mut [[Vec3; 3]],
    ) {
        let f = self.gradient(pass.x);
        let dual = if pass.first { *held } else { two!(|k| add(held[k], f[k])) };
        let y = two!(|k| add(f[k], dual[k]));
        let (z, rotation) = self.prox(&y);
        *held = two!(|k| sub(dual[k], z[k]));
        let pull = self.weight * (-pass.h * pass.h);
        let mut flow = two!(|k| scale(held[k], pull));
        if let Some([s11, s12, s22]) = start {
            let resistance = self.damping * pass.h;
            let turned = product2(&rotation, &[[*s11, *s12], [*s12, *s22]]);
            flow = two!(|k| add(flow[k], scale(turned[k], resistance)));
        }
        self.share_out(&flow, forces);
    }

    #[inline(always)]
    fn finish(&self, held: &mut Columns<2>, x: &[Vec3]) {
        let f = self.gradient(x);
        *held = two!(|k| add(held[k], f[k]));
    }

    #[inline(always)]
    fn totals(&self, x: &[Vec3]) -> Totals {
        let s = self.start(x);
        let one = Lanes::splat(1.0);
        let (e1, e2, e12) = (s[0] - one, s[2] - one, s[1]);
        let [c11, c22, c12, c33] = self.moduli;
        let energy = (c11 * e1 * e1 + c22 * e2 * e2) * 0.5 + c12 * e1 * e2 + c33 * e12 * e12 * 2.0;
        let over = principal(&s).0 - self.longest;
        Totals { energy: energy.0.iter().sum(), excess: over.0.iter().fold(0.0, |m: f64, v| m.max(*v)) }
    }

    fn held_column(held: &Columns<2>, lane: usize, column: usize) -> Vec3 {
        column_of(&held[column], lane)
    }

    fn set_held_column(held: &mut Columns<2>, lane: usize, column: usize, value: Vec3) {
        set_column(&mut held[column], lane, value);
    }

    fn flat(forces: &[[Vec3; 3]]) -> &[Vec3] {
        forces.as_flattened()
    }
}

/// The symmetric matrices with eigenvalues above `longest` set to it.
#[inline(always)]
fn limit(s: &Symmetric2, longest: Lanes) -> Symmetric2 {
    let (large, small) = principal(s);
    // s = small I + (large − small) P with P the projector on the first direction; equal ones have
    // no direction and need none.
    let apart = (large - small).max(large * f64::EPSILON);
    let low = small.min(longest);
    let share = (longest - low) / apart;
    let cut = [low + (s[0] - small) * share, s[1] * share, low + (s[2] - small) * share];
    let over = large.above(longest);
    three!(|k| cut[k].select(over, s[k]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_numerics::Random;

    fn triangle(moduli: Orthotropic, weight: f64, longest: f64) -> SheetTriangle {
        SheetTriangle { nodes: [0, 1, 2], inverse: Mat2::identity(), moduli, longest, weight, damping: 0.0 }
    }

    fn lanes(columns: [Vec3; 2]) -> Columns<2> {
        columns.map(|c| from_fn(|r| Lanes::splat(c[r])))
    }

    #[test]
    fn the_map_minimises() {
        let mut random = Random::new(6);
        let weight = 1.3;
        let moduli = Orthotropic { c11: 5.0, c22: 5.0, c12: 1.0, c33: 2.0 };
        let batch = TriangleBatch::new(&[triangle(moduli, weight, f64::INFINITY)]);
        let value = |z: [Vec3; 2], y: [Vec3; 2]| {
            let energy = batch.totals(&[Vec3::zeros(), z[0], z[1]]).energy;
            energy + 0.5 * weight * ((z[0] - y[0]).norm_squared() + (z[1] - y[1]).norm_squared())
        };
        for _ in 0..50 {
            let y = [Vec3::x(), Vec3::y()].map(|b| b + random.unit_vector() * random.range(0.1, 0.45));
            let z = batch.prox(&lanes(y)).0.map(|c| column_of(&c, 0));
            let least = value(z, y);
            for k in 0..6 {
                for sign in [-1e-3, 1e-3] {
                    let mut other = z;
                    other[k / 3][k % 3] += sign;
                    assert!(value(other, y) > least, "{y:?}");
                }
            }
        }
    }

    /// Of all strains within the limit the map takes the best one, however far beyond it y is.
    #[test]
    fn the_map_minimises_on_the_limit() {
        let (weight, longest) = (1.3, 1.05);
        let moduli = Orthotropic { c11: 5.0, c22: 5.0, c12: 2.0, c33: 1.5 };
        let batch = TriangleBatch::new(&[triangle(moduli, weight, longest)]);
        let value = |z: [f64; 2], y: [f64; 2]| {
            let energy = batch.totals(&[Vec3::zeros(), Vec3::x() * z[0], Vec3::y() * z[1]]).energy;
            energy + 0.5 * weight * ((z[0] - y[0]).powi(2) + (z[1] - y[1]).powi(2))
        };
        for y in [[1.5, 1.0], [3.0, 0.9], [400.0, 1.02], [1.4, 1.3], [0.7, 20.0]] {
            let z = batch.prox(&lanes([Vec3::x() * y[0], Vec3::y() * y[1]])).0;
            let z = [column_of(&z[0], 0).x, column_of(&z[1], 0).y];
            let least = value(z, y);
            for (a, b) in [(1e-3, 0.0), (-1e-3, 0.0), (0.0, 1e-3), (0.0, -1e-3), (-1e-3, -1e-3)] {
                let other = [z[0] + a, z[1] + b];
                let allowed = other.iter().all(|stretch| *stretch <= longest);
                assert!(!allowed || value(other, y) > least, "{y:?}: {z:?}");
            }
        }
    }

    #[test]
    fn stretches_beyond_the_limit_are_cut() {
        let soft = Orthotropic { c11: 1e-9, c22: 1e-9, c12: 0.0, c33: 1e-9 };
        let batch = TriangleBatch::new(&[triangle(soft, 1.0, 1.05)]);
        let y = [Vec3::new(1.4, 0.1, 0.0), Vec3::new(0.1, 0.9, 0.2)];
        let (z, _) = batch.prox(&lanes(y));
        let (large, small) = principal(&polar_sheet(&z).1);
        let (large, small) = (large.0[0], small.0[0]);
        assert!((large - 1.05).abs() < 1e-7 && small < 1.0 && small > 0.8, "{large} {small}");
        let equal = batch.prox(&lanes([Vec3::x() * 1.3, Vec3::y() * 1.3])).0;
        assert!((column_of(&equal[0], 0) - Vec3::x() * 1.05).norm() < 1e-9);
    }
}
