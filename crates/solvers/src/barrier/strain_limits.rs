//! Strain limits of cloth: a cubic barrier in the singular values of the deformation.   [Ando2024, section 3.6]
//!
//! F = U diag(σ) Vᵀ per triangle, gap `g_i = 1 + limit − σ_i`, active below `ĝ = (1 − s) limit`, half
//! the limit as in the paper (τ = ε̂) unless `strain_activation` = s says otherwise: `ψ = κ Σ b(g_i)`,
//! `κ = m_face/g² + wᵀH₉w` frozen, g the smaller gap (eq. 9). With `ψ_i = −κ b'(g_i)`,
//! `ψ_ii = κ b''(g_i)`, `ψ₁₂ = 0` the Hessian follows from the modes of an isotropic energy. The
//! largest singular value is a convex function of F, so along a straight way the end decides, and
//! bisection finds the place.

use super::assembly::Elastic;
use super::options::BarrierOptions;
use crate::solver::World;
use crate::violations::Violation;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;
use stiction_bodies::Model;
use stiction_contact::barrier::{Barrier, BarrierTerms, strain_limit_stiffness};
use stiction_energy::laws::PrincipalHessian2;
use stiction_energy::{Elasticity, TriangleElement};
use stiction_numerics::{BlockMatrix, Mat2, Mat3, Mat3x2, Svd3x2, Vec2, Vec3, svd3x2};
use stiction_scene::material::Material;

/// A triangle whose stretch is limited.
#[derive(Clone, Copy, Debug)]
struct Limited {
    nodes: [u32; 3],
    /// Dm⁻¹.
    inverse: Mat2,
    /// Largest σ − 1.
    limit: f64,
    /// Mass of the triangle \[kg\].
    mass: f64,
}

impl Limited {
    fn places(&self, x: &[Vec3]) -> [Vec3; 3] {
        self.nodes.map(|n| x[n as usize])
    }

    fn svd(&self, [a, b, c]: [Vec3; 3]) -> Svd3x2 {
        svd3x2(&(Mat3x2::from_columns(&[b - a, c - a]) * self.inverse))
    }

    /// 1 + limit − σ for the larger σ.
    fn gap(&self, places: [Vec3; 3]) -> f64 {
        1.0 + self.limit - self.svd(places).sigma.max()
    }

    /// Shape gradients of the three corners.
    fn gradients(&self) -> [Vec2; 3] {
        let (first, second) = (self.inverse.row(0).transpose(), self.inverse.row(1).transpose());
        [-(first + second), first, second]
    }
}

/// Gradient and Hessian of one triangle by corners.
pub(super) struct LimitTerms {
    nodes: [u32; 3],
    gradient: [Vec3; 3],
    hessian: [[Mat3; 3]; 3],
}

/// A sheet whose stretch is limited.
struct LimitedSheet {
    /// Its places in the list of triangles.
    triangles: Range<usize>,
    /// Largest σ − 1.
    limit: f64,
    /// Mass per area \[kg/m²\].
    areal_mass: f64,
}

/// All limited triangles of a model. Rest shapes stay where the elasticity has them: a copy would take
/// 64 bytes per triangle.
#[derive(Default)]
pub(super) struct StrainLimits {
    triangles: Arc<Vec<TriangleElement>>,
    sheets: Vec<LimitedSheet>,
}

impl StrainLimits {
    pub fn new(world: World<'_>, elasticity: &Elasticity) -> StrainLimits {
        let triangles = elasticity.shared_triangles();
        let body_of = |element: &TriangleElement| world.model.body_of_node[element.nodes[0] as usize];
        let mut sheets = Vec::new();
        let mut end = 0;
        for of_body in triangles.chunk_by(|a, b| body_of(a) == body_of(b)) {
            let begin = end;
            end += of_body.len();
            let Material::Cloth(cloth) = &world.parameters.materials[body_of(&of_body[0]) as usize] else {
                continue;
            };
            if let Some(limit) = cloth.strain_limit {
                let areal_mass = cloth.density * cloth.thickness;
                sheets.push(LimitedSheet { triangles: begin..end, limit, areal_mass });
            }
        }
        StrainLimits { triangles, sheets }
    }

    /// The limited triangles in the order of the mesh.
    fn limited(&self) -> impl ParallelIterator<Item = Limited> + '_ {
        self.sheets.par_iter().flat_map(|sheet| {
            self.triangles[sheet.triangles.clone()].par_iter().map(|element| Limited {
                nodes: element.nodes,
                inverse: element.rest.inverse,
                limit: sheet.limit,
                mass: sheet.areal_mass * element.rest.area,
            })
        })
    }

    /// Terms of the triangles that are near their limit, in the order of the mesh.
    pub fn evaluate(
        &self,
        options: &BarrierOptions,
        elastic: Elastic<'_>,
        mass: &[f64],
        x: &[Vec3],
    ) -> Vec<LimitTerms> {
        let barrier = options.shape();
        self.limited().filter_map(|t| terms(&t, options, &barrier, elastic, mass, x)).collect()
    }

    /// The fraction of a way that keeps a triangle below its limit, and one of its nodes, for triangles
    /// that would exceed it.
    pub fn safe_fractions(&self, start: &[Vec3], end: &[Vec3], slack: f64) -> Vec<(f64, u32)> {
        let fraction = |t: Limited| {
            let fraction = triangle_fraction(&t, t.places(start), t.places(end), slack);
            (fraction < 1.0).then_some((fraction, t.nodes[0]))
        };
        self.limited().filter_map(fraction).collect()
    }

    /// The smallest `1 + limit − σ` of all triangles.
    pub fn smallest_gap(&self, x: &[Vec3]) -> Option<f64> {
        self.limited().map(|t| t.gap(t.places(x))).reduce_with(f64::min)
    }

    /// The triangles that have reached their limit.
    pub fn exceeded(&self, model: &Model, x: &[Vec3]) -> Vec<Violation> {
        let violation = |t: Limited| {
            let gap = t.gap(t.places(x));
            let body = model.body_of_node[t.nodes[0] as usize] as usize;
            (gap <= 0.0).then(|| Violation::Strain {
                body: model.bodies[body].name.clone(),
                nodes: t.nodes,
                place: x[t.nodes[0] as usize],
                excess: -gap,
            })
        };
        self.limited().filter_map(violation).collect()
    }
}

/// Adds terms to the system and subtracts their gradient from the right-hand side.
pub(super) fn add_terms(terms: &[LimitTerms], matrix: &mut BlockMatrix, rhs: &mut [Vec3]) {
    for t in terms {
        for (i, &row) in t.nodes.iter().enumerate() {
            rhs[row as usize] -= t.gradient[i];
            for (j, &column) in t.nodes.iter().enumerate().filter(|(_, column)| row <= **column) {
                matrix.add_block(row as usize, column as usize, &t.hessian[i][j]);
            }
        }
    }
}

fn terms(
    triangle: &Limited,
    options: &BarrierOptions,
    barrier: &Barrier,
    elastic: Elastic<'_>,
    mass: &[f64],
    x: &[Vec3],
) -> Option<LimitTerms> {
    let places = triangle.places(x);
    let svd = triangle.svd(places);
    let activation = (1.0 - options.strain_activation) * triangle.limit;
    let gap = 1.0 + triangle.limit - svd.sigma.max();
    if gap >= activation {
        return None;
    }
    let block = |i: usize, j: usize| {
        let [a, b] = [i, j].map(|k| triangle.nodes[k] as usize);
        let own = if i == j { elastic.inertia * mass[a] } else { 0.0 };
        match options.elastic_stiffness {
            true => elastic.matrix.block(a, b) - Mat3::identity() * own,
            false => Mat3::zeros(),
        }
    };
    let inertial = triangle.mass / (gap * gap);
    let kappa = strain_limit_stiffness(triangle.mass, gap, &places, block).max(inertial);
    let values = svd.sigma.map(|sigma| 1.0 + triangle.limit - sigma).data.0[0];
    let terms = values.map(|gap| BarrierTerms::new(barrier, gap, activation, kappa, Vec3::zeros()));
    let at = Vec2::from(terms.map(|t| t.map_or(0.0, |t| t.force)));
    let mut second = Vec2::from(terms.map(|t| t.map_or(0.0, |t| t.curvature)));
    // The stiffness grows with the larger stretch alone.
    let widest = svd.sigma.imax();
    if let Some(mut terms) = terms[widest] {
        terms.stiffen(inertial, gap, barrier.at(gap, activation).slope, options.stiffness_growth);
        second[widest] = terms.curvature;
    }
    let apart = svd.sigma.x - svd.sigma.y;
    let flip = match apart.abs() > 1e-6 {
        true => (at.x - at.y) / apart,
        false => 0.5 * (second.x + second.y),
    };
    let principal = PrincipalHessian2 {
        scaling: Mat2::from_diagonal(&second),
        twist: (at.x + at.y) / svd.sigma.sum(),
        flip,
        normal: Vec2::new(at.x / svd.sigma.x.max(1e-12), at.y / svd.sigma.y.max(1e-12)),
    };
    let h = principal.projected().over_columns(&svd);
    let g = triangle.gradients();
    let stress = svd.u.fixed_columns::<2>(0) * Mat2::from_diagonal(&at) * svd.v.transpose();
    let hessian = |a: &Vec2, b: &Vec2| {
        h.h11 * (a.x * b.x) + h.h22 * (a.y * b.y) + h.h12 * (a.x * b.y) + h.h12.transpose() * (a.y * b.x)
    };
    Some(LimitTerms {
        nodes: triangle.nodes,
        gradient: g.map(|g| stress * g),
        hessian: std::array::from_fn(|i| std::array::from_fn(|j| hessian(&g[i], &g[j]))),
    })
}

fn triangle_fraction(triangle: &Limited, start: [Vec3; 3], end: [Vec3; 3], slack: f64) -> f64 {
    let gap =
        |fraction: f64| triangle.gap(std::array::from_fn(|k| start[k] + (end[k] - start[k]) * fraction));
    let first = gap(0.0);
    if first <= 0.0 {
        return 0.0;
    }
    let floor = slack * first;
    if gap(1.0) >= floor {
        return 1.0;
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if gap(middle) < floor { high = middle } else { low = middle }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_energy::check::{Checks, check_element};
    use stiction_energy::{Curvature, Element, LocalHessian, NO_MATERIALS, Stencil};
    use stiction_numerics::{BlockPattern, Random};

    fn limited() -> Limited {
        Limited { nodes: [0, 1, 2], inverse: Mat2::new(1.1, 0.2, -0.1, 0.9), limit: 0.1, mass: 0.3 }
    }

    /// A configuration whose larger stretch is 1 + `strain`.
    fn stretched(strain: f64, random: &mut Random) -> Vec<Vec3> {
        let triangle = limited();
        let x: Vec<Vec3> = (0..3).map(|_| random.vector(-1.0, 1.0)).collect();
        let largest = triangle.svd(triangle.places(&x)).sigma.max();
        x.iter().map(|x| x * ((1.0 + strain) / largest)).collect()
    }

    /// The gradient is that of κ Σ b(g_i) with κ frozen, whatever the share of the limit above which the barrier acts.
    #[test]
    fn the_gradient_is_the_slope_of_the_energy() {
        let (triangle, mut random) = (limited(), Random::new(3));
        let matrix = BlockMatrix::zeros(std::sync::Arc::new(BlockPattern::from_stencils(
            3,
            [[0u32, 1, 2].as_slice()],
        )));
        let elastic = Elastic { matrix: &matrix, inertia: 0.0 };
        let at = |share: f64| BarrierOptions { strain_activation: share, ..BarrierOptions::default() };
        let find =
            |share: f64, x: &[Vec3]| terms(&triangle, &at(share), &Barrier::Cubic, elastic, &[0.0; 3], x);
        for (share, strain) in [(0.5, 0.06), (0.5, 0.08), (0.5, 0.095), (0.0, 0.01), (0.0, 0.06), (0.8, 0.09)]
        {
            let x = stretched(strain, &mut random);
            let kappa = triangle.mass / (0.1 - strain).powi(2);
            let energy = |x: &[Vec3]| -> f64 {
                let sigma = triangle.svd(triangle.places(x)).sigma;
                sigma.iter().map(|s| kappa * Barrier::Cubic.at(1.1 - s, (1.0 - share) * 0.1).value).sum()
            };
            let found = find(share, &x).expect("active");
            for (node, k) in (0..3).flat_map(|node| (0..3).map(move |k| (node, k))) {
                let moved = |by: f64| {
                    let mut moved = x.clone();
                    moved[node][k] += by;
                    energy(&moved)
                };
                let slope = (moved(1e-6) - moved(-1e-6)) / 2e-6;
                let got = found.gradient[node][k];
                assert!((slope - got).abs() < 1e-5 * (1.0 + slope.abs()), "{slope} {got}");
            }
        }
        let x = stretched(0.04, &mut random);
        assert!(find(0.5, &x).is_none() && find(0.3, &x).is_some());
        assert!(find(0.0, &stretched(-0.001, &mut random)).is_none(), "it is not stretched");
    }

    /// One triangle near its limit with κ frozen at a value, as an element.
    struct Frozen {
        kappa: f64,
        options: BarrierOptions,
    }

    impl Frozen {
        /// Terms with κ taken back to the frozen value: both derivatives are proportional to it.
        fn terms(&self, x: &[Vec3; 3]) -> ([Vec3; 3], [[Mat3; 3]; 3]) {
            let triangle = limited();
            let matrix = BlockMatrix::zeros(std::sync::Arc::new(BlockPattern::from_stencils(
                3,
                [[0u32, 1, 2].as_slice()],
            )));
            let elastic = Elastic { matrix: &matrix, inertia: 0.0 };
            let found =
                terms(&triangle, &self.options, &Barrier::Cubic, elastic, &[0.0; 3], x).expect("active");
            let factor = self.kappa / (triangle.mass / triangle.gap(*x).powi(2));
            (found.gradient.map(|g| g * factor), found.hessian.map(|row| row.map(|block| block * factor)))
        }
    }

    impl Element<3> for Frozen {
        fn blocks(&self) -> [u32; 3] {
            [0, 1, 2]
        }

        fn energy(&self, at: &Stencil<'_, 3>) -> f64 {
            let activation = (1.0 - self.options.strain_activation) * limited().limit;
            let value = |sigma: &f64| Barrier::Cubic.at(1.1 - sigma, activation).value;
            self.kappa * limited().svd(at.x).sigma.iter().map(value).sum::<f64>()
        }

        fn gradient(&self, at: &Stencil<'_, 3>) -> [Vec3; 3] {
            self.terms(&at.x).0
        }

        fn hessian(&self, at: &Stencil<'_, 3>, _: Curvature) -> LocalHessian<3> {
            self.terms(&at.x).1
        }
    }

    /// The Hessian is the slope of the gradient with κ frozen: one stretch active, both, and both alike. The barrier is
    /// convex and pulls, so projecting takes nothing away.
    #[test]
    fn the_hessian_is_the_slope_of_the_gradient() {
        let options = BarrierOptions { stiffness_growth: 0.0, ..BarrierOptions::default() };
        let element = Frozen { kappa: 3.0, options };
        let edges = limited().inverse.try_inverse().expect("a triangle");
        for stretches in [[1.08, 0.9], [1.09, 1.07], [1.08, 1.08]] {
            let sampler = |random: &mut stiction_energy::check::TestRandom| {
                let (left, turn) = (random.rotation(), random.range(-3.0, 3.0));
                let right = Mat2::new(turn.cos(), -turn.sin(), turn.sin(), turn.cos());
                let f = left.fixed_columns::<2>(0) * Mat2::from_diagonal(&Vec2::from(stretches)) * right;
                let corners = f * edges;
                let first = random.vector();
                let x = [first, first + corners.column(0), first + corners.column(1)];
                Stencil { x, frames: &[], materials: &NO_MATERIALS }
            };
            check_element(&element, sampler, &Checks { samples: 8, ..Checks::nodes(1.0) });
        }
    }

    #[test]
    fn a_way_ends_before_the_limit() {
        let (triangle, mut random) = (limited(), Random::new(5));
        for _ in 0..100 {
            let start = stretched(0.05, &mut random);
            let end: Vec<Vec3> = start.iter().map(|x| x * 1.2 + random.vector(-0.05, 0.05)).collect();
            let share = triangle_fraction(&triangle, triangle.places(&start), triangle.places(&end), 0.1);
            let at: Vec<Vec3> = start.iter().zip(&end).map(|(a, b)| a + (b - a) * share).collect();
            let gap = triangle.gap(triangle.places(&at));
            assert!(share < 1.0 && (gap - 0.1 * 0.05).abs() < 1e-9, "{share} {gap}");
        }
    }
}
