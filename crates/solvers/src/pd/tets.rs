//! Tets, four side by side: strain, proximal map, and the forces on their corners.
//!
//! prox(Y) = argmin_Z U(Z) + w/2 |Z − Y|² with U(Z) = V ψ(RᵀZ − I), R the rotation of Z. At the
//! minimum `Y = Z + (1/w) ∂U` has the same rotation as Z, because the stress of an isotropic law is
//! R times a symmetric matrix with the directions of S. So R is that of Y, and what is left is a
//! small linear problem for the symmetric strain e = S − I with t = RᵀY − I:
//! `e = (w t − λV s I)/(2μV + w)` with `s = w tr t / (2μV + w + 3λV)`. Both Lamé parameters are
//! kept exactly.
//!
//! t is larger than e by (2μV + w)/w, three times at w = K/2. So Y of a tet pressed to less than
//! two thirds is inverted, and of one pressed flat all its stretches are near ±1: which axis is
//! turned over is then a matter of chance. There R is that of D x, which is that of Z in the end.

use super::batches::{Batch, Pass, Totals};
use super::lane_polar::{Columns, polar_solid, product3, three, transposed_product};
use std::array::from_fn;
use stiction_numerics::lane_vectors::{add, column_of, gather, scale, set_column, sub};
use stiction_numerics::{Lanes, Mat3, Vec3};

/// S of the start of a step: 11, 22, 33, 12, 13, 23.
pub type TetStart = [Lanes; 6];

/// Four tets.
#[derive(Clone, Debug)]
pub struct TetBatch {
    /// By corner, then by lane.
    nodes: [[u32; 4]; 4],
    /// Columns of Dm⁻¹ \[1/m\].
    inverse: [[Lanes; 3]; 3],
    /// μV and λV \[J\]; zero in lanes of padding.
    moduli: [Lanes; 2],
    /// w \[J\].
    weight: Lanes,
    /// β K \[J s\].
    damping: Lanes,
}

/// One tet as it is handed in.
#[derive(Clone, Copy, Debug)]
pub struct Tet {
    pub nodes: [u32; 4],
    /// Dm⁻¹ \[1/m\].
    pub inverse: Mat3,
    /// μV and λV \[J\].
    pub moduli: [f64; 2],
    /// w \[J\].
    pub weight: f64,
    /// β K \[J s\].
    pub damping: f64,
}

impl TetBatch {
    /// Up to four tets; the last one fills the other lanes, without stiffness.
    pub fn new(tets: &[Tet]) -> TetBatch {
        let of = |lane: usize| tets[lane.min(tets.len() - 1)];
        let real = |lane: usize| f64::from(u8::from(lane < tets.len()));
        TetBatch {
            nodes: from_fn(|corner| from_fn(|lane| of(lane).nodes[corner])),
            inverse: from_fn(|c| from_fn(|r| Lanes::from_fn(|lane| of(lane).inverse[(r, c)]))),
            moduli: from_fn(|k| Lanes::from_fn(|lane| of(lane).moduli[k] * real(lane))),
            weight: Lanes::from_fn(|lane| of(lane).weight),
            damping: Lanes::from_fn(|lane| of(lane).damping * real(lane)),
        }
    }

    #[inline(always)]
    fn gradient(&self, x: &[Vec3]) -> Columns<3> {
        let origin = gather(&self.nodes[0], x);
        let edges = three!(|k| sub(gather(&self.nodes[k + 1], x), origin));
        product3(&edges, &self.inverse)
    }

    /// Z, and the rotation of Y, or of F = D x where Y is inverted.
    #[inline(always)]
    fn prox(&self, y: &Columns<3>, f: &Columns<3>) -> (Columns<3>, Columns<3>) {
        let rotation = polar_solid(y, f);
        let [shear, volume] = self.moduli;
        let one = Lanes::splat(1.0);
        let own = shear * 2.0 + self.weight;
        let share = self.weight / own;
        let of_trace = volume * self.weight / (own * (own + volume * 3.0));
        let stretch = transposed_product(&rotation, y);
        let trace = stretch[0][0] + stretch[1][1] + stretch[2][2] - Lanes::splat(3.0);
        let on_diagonal = one - of_trace * trace - share;
        let mut solved = three!(|c| scale(stretch[c], share));
        (0..3).for_each(|k| solved[k][k] += on_diagonal);
        (product3(&rotation, &solved), rotation)
    }

    /// `h β K R S_t`.
    #[inline(always)]
    fn damped(&self, [s11, s22, s33, s12, s13, s23]: &TetStart, rotation: &Columns<3>, h: f64) -> Columns<3> {
        let resistance = self.damping * h;
        let turned = product3(rotation, &[[*s11, *s12, *s13], [*s12, *s22, *s23], [*s13, *s23, *s33]]);
        three!(|k| scale(turned[k], resistance))
    }

    /// Dᵀ of a flow: what each corner gets.
    #[inline(always)]
    fn share_out(&self, flow: &Columns<3>, forces: &mut [[Vec3; 4]]) {
        let corners = product3(flow, &three!(|i| three!(|c| self.inverse[c][i])));
        let origin = three!(|r| -(corners[0][r] + corners[1][r] + corners[2][r]));
        for (lane, out) in forces.iter_mut().enumerate().take(Lanes::COUNT) {
            *out = [
                column_of(&origin, lane),
                column_of(&corners[0], lane),
                column_of(&corners[1], lane),
                column_of(&corners[2], lane),
            ];
        }
    }
}

impl Batch for TetBatch {
    const COLUMNS: usize = 3;
    const CORNERS: usize = 4;
    type Held = Columns<3>;
    type Start = TetStart;
    type Forces = [Vec3; 4];

    fn stiffness(&self, lane: usize) -> (f64, f64) {
        (self.weight.0[lane], self.damping.0[lane])
    }

    fn node(&self, lane: usize, corner: usize) -> u32 {
        self.nodes[corner][lane]
    }

    fn coefficient(&self, lane: usize, column: usize, corner: usize) -> f64 {
        let g = self.inverse[column].map(|value| value.0[lane]);
        if corner == 0 { -(g[0] + g[1] + g[2]) } else { g[corner - 1] }
    }

    #[inline(always)]
    fn start(&self, x: &[Vec3]) -> TetStart {
        let f = self.gradient(x);
        let s = transposed_product(&polar_solid(&f, &f), &f);
        [s[0][0], s[1][1], s[2][2], s[1][0], s[2][0], s[2][1]]
    }

    #[inline(always)]
    fn project(
        &self,
        held: &mut Columns<3>,
        start: Option<&TetStart>,
        pass: &Pass<'_>,
        forces: &mut [[Vec3; 4]],
    ) {
        let f = self.gradient(pass.x);
        let dual = if pass.first { *held } else { three!(|k| add(held[k], f[k])) };
        let y = three!(|k| add(f[k], dual[k]));
        let (z, rotation) = self.prox(&y, &f);
        *held = three!(|k| sub(dual[k], z[k]));
        let pull = self.weight * (-pass.h * pass.h);
        let mut flow = three!(|k| scale(held[k], pull));
        if let Some(start) = start {
            let damped = self.damped(start, &rotation, pass.h);
            flow = three!(|k| add(flow[k], damped[k]));
        }
        self.share_out(&flow, forces);
    }

    #[inline(always)]
    fn finish(&self, held: &mut Columns<3>, x: &[Vec3]) {
        let f = self.gradient(x);
        *held = three!(|k| add(held[k], f[k]));
    }

    #[inline(always)]
    fn totals(&self, x: &[Vec3]) -> Totals {
        let [s11, s22, s33, s12, s13, s23] = self.start(x);
        let one = Lanes::splat(1.0);
        let (a, b, c) = (s11 - one, s22 - one, s33 - one);
        let squared = a * a + b * b + c * c + (s12 * s12 + s13 * s13 + s23 * s23) * 2.0;
        let trace = a + b + c;
        let energy = self.moduli[0] * squared + self.moduli[1] * trace * trace * 0.5;
        Totals { energy: energy.0.iter().sum(), excess: 0.0 }
    }

    fn held_column(held: &Columns<3>, lane: usize, column: usize) -> Vec3 {
        column_of(&held[column], lane)
    }

    fn set_held_column(held: &mut Columns<3>, lane: usize, column: usize, value: Vec3) {
        set_column(&mut held[column], lane, value);
    }

    fn flat(forces: &[[Vec3; 4]]) -> &[Vec3] {
        forces.as_flattened()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_energy::{Lame, SolidLaw};
    use stiction_numerics::Random;

    /// At the minimum w (Y − Z) is the stress of the corotated law at Z.
    #[test]
    fn the_map_is_stationary() {
        let mut random = Random::new(5);
        let (lame, weight) = (Lame { lambda: 3.0, mu: 2.0 }, 1.7);
        let batch = TetBatch::new(&[Tet {
            nodes: [0, 1, 2, 3],
            inverse: Mat3::identity(),
            moduli: [lame.mu, lame.lambda],
            weight,
            damping: 0.0,
        }]);
        for _ in 0..50 {
            let columns =
                [0, 1, 2].map(|k| Vec3::ith(k, 1.0) + random.unit_vector() * random.range(0.0, 0.4));
            let y = Mat3::from_columns(&columns);
            let lanes: Columns<3> = columns.map(|c| from_fn(|r| Lanes::splat(c[r])));
            let (z, _) = batch.prox(&lanes, &lanes);
            let z = Mat3::from_columns(&z.map(|c| column_of(&c, 0)));
            let stress = SolidLaw::Corotated.stress(&z, &lame);
            assert!((stress - (y - z) * weight).norm() < 1e-10 * (1.0 + stress.norm()), "{y}");
        }
    }

    /// The forces on the corners are Dᵀ times the flow that the rows of D describe, and add up to
    /// nothing.
    #[test]
    fn forces_are_those_of_the_rows() {
        let mut random = Random::new(9);
        let inverse = Mat3::from_fn(|_, _| random.range(-1.0, 1.0)) + Mat3::identity() * 2.0;
        let tet = Tet { nodes: [3, 1, 0, 2], inverse, moduli: [1.0, 2.0], weight: 1.5, damping: 0.0 };
        let batch = TetBatch::new(&[tet]);
        let flow: Columns<3> = from_fn(|c| from_fn(|r| Lanes::splat((c * 3 + r) as f64 - 2.5)));
        let mut forces = [[Vec3::zeros(); 4]; 4];
        batch.share_out(&flow, &mut forces);
        let mut expected = [Vec3::zeros(); 4];
        for column in 0..3 {
            for corner in 0..4 {
                let node = batch.node(0, corner) as usize;
                expected[node] += column_of(&flow[column], 0) * batch.coefficient(0, column, corner);
            }
        }
        for (corner, node) in [3, 1, 0, 2].into_iter().enumerate() {
            assert!((forces[0][corner] - expected[node]).norm() < 1e-12);
        }
        assert!(forces[0].iter().sum::<Vec3>().norm() < 1e-12);
    }
}
