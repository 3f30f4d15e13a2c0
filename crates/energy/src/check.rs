//! The one derivative check that every element passes: differences, symmetry, projection and rigid
//! motions.
//!
//! Test support, public because the tests of other crates use it too. Gradients are compared with
//! Richardson-extrapolated central differences of the energy, Hessians with those of the gradient:
//!
//! `D(h) = (f(x+h) − f(x−h)) / 2h`,  `R = (4 D(h/2) − D(h)) / 3 = f' + O(h⁴)`.
//!
//! Blocks may have different units (positions \[m\], twists \[rad\]); everything is compared after
//! scaling block `a` by its characteristic length `s_a`, so that gradient and Hessian are energies
//! and one relative figure makes sense.

use crate::element::{Curvature, Element, LocalHessian, Stencil};
use stiction_bodies::EdgeFrame;
use stiction_numerics::nalgebra::DMatrix;
use stiction_numerics::{Mat3, Vec3};

/// Smallest eigenvalue that a projected Hessian may have, relative to its largest.
pub const NEGATIVE_LIMIT: f64 = 1e-10;

/// Which motions leave the energy as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invariance {
    /// None: the element is tied to the world.
    Nothing,
    /// Translations: the total force is zero.
    Translation,
    /// Translations and rotations: total force and torque are zero.
    Rigid,
}

/// How the projected Hessian relates to the exact one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HessianProjection {
    /// Negative eigenvalues are removed and nothing else: equal to the exact Hessian where that is
    /// already positive.
    Eigenvalues,
    /// A positive semi-definite stand-in (Gauss–Newton, a cone bound): only its sign is checked.
    StandIn,
}

/// What is checked and how strictly.
#[derive(Clone, Copy, Debug)]
pub struct Checks<const N: usize> {
    /// Characteristic size of each block: an edge length \[m\] for a node, 1 rad for a twist.
    pub sizes: [f64; N],
    /// Which blocks are twists (not moved by rigid motions).
    pub twist: [bool; N],
    /// Difference step relative to `sizes`.
    pub step: f64,
    /// Largest relative deviation of gradient and Hessian.
    pub tolerance: f64,
    /// Rigid motions that leave the energy.
    pub invariance: Invariance,
    /// Meaning of the projected Hessian.
    pub projection: HessianProjection,
    /// Number of sampled states.
    pub samples: usize,
}

impl<const N: usize> Checks<N> {
    /// The usual checks for an element of nodes with edges of about `size` \[m\]: 1e-6, rigid
    /// invariance, 32 states.
    pub fn nodes(size: f64) -> Self {
        Checks {
            sizes: [size; N],
            twist: [false; N],
            step: 1e-3,
            tolerance: 1e-6,
            invariance: Invariance::Rigid,
            projection: HessianProjection::Eigenvalues,
            samples: 32,
        }
    }
}

/// Checks `element` in `checks.samples` states drawn from `sampler`; panics with the state and the
/// figure that failed.
pub fn check_element<'a, const N: usize>(
    element: &impl Element<N>,
    mut sampler: impl FnMut(&mut TestRandom) -> Stencil<'a, N>,
    checks: &Checks<N>,
) {
    let mut random = TestRandom::new(0x5717_c710);
    for sample in 0..checks.samples {
        let at = sampler(&mut random);
        if let Err(failure) = check_state(element, &at, checks, &mut random) {
            panic!("state {sample}: {failure}\nblocks {:?}", at.x);
        }
    }
}

/// Checks one state; the error says what deviates and by how much.
pub fn check_state<const N: usize>(
    element: &impl Element<N>,
    at: &Stencil<'_, N>,
    checks: &Checks<N>,
    random: &mut TestRandom,
) -> Result<(), String> {
    let exact = element.hessian(at, Curvature::Exact);
    let projected = element.hessian(at, Curvature::Projected);
    let largest = magnitude(&exact, &checks.sizes).max(f64::MIN_POSITIVE);
    check_gradient(element, at, checks, largest)?;
    check_hessian(element, at, checks, &exact, largest)?;
    check_projection(&exact, &projected, checks)?;
    check_motions(element, at, checks, largest, random)
}

fn limit(what: &str, value: f64, bound: f64) -> Result<(), String> {
    // NaN must fail too.
    if value <= bound { Ok(()) } else { Err(format!("{what}: {value:e} exceeds {bound:e}")) }
}

fn check_gradient<const N: usize>(
    element: &impl Element<N>,
    at: &Stencil<'_, N>,
    checks: &Checks<N>,
    largest: f64,
) -> Result<(), String> {
    let gradient = element.gradient(at);
    // A gradient that vanishes (rest state) is measured against the curvature instead.
    let mut scale = 1e-3 * largest;
    let mut deviation: f64 = 0.0;
    for a in 0..N {
        for i in 0..3 {
            let difference = richardson(at, a, i, checks.step * checks.sizes[a], |s| element.energy(s));
            scale = scale.max((gradient[a][i] * checks.sizes[a]).abs());
            deviation = worst(deviation, (difference - gradient[a][i]) * checks.sizes[a]);
        }
    }
    limit("gradient against differences of the energy", deviation / scale, checks.tolerance)
}

fn check_hessian<const N: usize>(
    element: &impl Element<N>,
    at: &Stencil<'_, N>,
    checks: &Checks<N>,
    exact: &LocalHessian<N>,
    largest: f64,
) -> Result<(), String> {
    let (mut deviation, mut asymmetry) = (0.0, 0.0);
    for a in 0..N {
        for i in 0..3 {
            for b in 0..N {
                for j in 0..3 {
                    let unit = checks.sizes[a] * checks.sizes[b];
                    let step = checks.step * checks.sizes[b];
                    let difference = richardson(at, b, j, step, |s| element.gradient(s)[a][i]);
                    deviation = worst(deviation, (difference - exact[a][b][(i, j)]) * unit);
                    asymmetry = worst(asymmetry, (exact[a][b][(i, j)] - exact[b][a][(j, i)]) * unit);
                }
            }
        }
    }
    limit("symmetry of the Hessian", asymmetry / largest, 1e-12)?;
    limit("Hessian against differences of the gradient", deviation / largest, checks.tolerance)
}

fn check_projection<const N: usize>(
    exact: &LocalHessian<N>,
    projected: &LocalHessian<N>,
    checks: &Checks<N>,
) -> Result<(), String> {
    let (exact, projected) = (dense(exact, &checks.sizes), dense(projected, &checks.sizes));
    limit(
        "symmetry of the projected Hessian",
        (&projected - projected.transpose()).amax(),
        1e-12 * projected.amax(),
    )?;
    let (low, high) = spectrum(&projected);
    limit("negative eigenvalue of the projected Hessian", -low, NEGATIVE_LIMIT * high)?;
    let (low, high) = spectrum(&exact);
    if checks.projection == HessianProjection::Eigenvalues && low >= -1e-9 * high {
        let deviation = (&exact - &projected).amax() / high.max(f64::MIN_POSITIVE);
        limit("projected differs from a positive exact Hessian", deviation, 1e-7)?;
    }
    Ok(())
}

fn check_motions<const N: usize>(
    element: &impl Element<N>,
    at: &Stencil<'_, N>,
    checks: &Checks<N>,
    largest: f64,
    random: &mut TestRandom,
) -> Result<(), String> {
    if checks.invariance == Invariance::Nothing {
        return Ok(());
    }
    let turn = if checks.invariance == Invariance::Rigid { random.rotation() } else { Mat3::identity() };
    let shift = random.vector() * checks.sizes[0];
    let frames: Vec<EdgeFrame> = (at.frames.iter())
        .map(|f| EdgeFrame { tangent: turn * f.tangent, director: turn * f.director, ..*f })
        .collect();
    let moved = Stencil {
        x: std::array::from_fn(|a| if checks.twist[a] { at.x[a] } else { turn * at.x[a] + shift }),
        frames: &frames,
        materials: at.materials,
    };
    let energy = element.energy(at);
    // Round-off of the moved coordinates enters with the curvature: relative to both.
    let scale = energy.abs() + largest;
    limit("energy under a rigid motion", (element.energy(&moved) - energy).abs() / scale, 1e-10)?;
    check_resultants(element, at, checks, largest)
}

/// Total force, and total torque about the first block unless start-of-step frames fix an
/// orientation.
fn check_resultants<const N: usize>(
    element: &impl Element<N>,
    at: &Stencil<'_, N>,
    checks: &Checks<N>,
    largest: f64,
) -> Result<(), String> {
    let gradient = element.gradient(at);
    let (mut force, mut torque, mut scale) = (Vec3::zeros(), Vec3::zeros(), largest / checks.sizes[0]);
    let mut reach: f64 = checks.sizes[0];
    for a in (0..N).filter(|&a| !checks.twist[a]) {
        let arm = at.x[a] - at.x[0];
        force += gradient[a];
        torque += arm.cross(&gradient[a]);
        scale = scale.max(gradient[a].amax());
        reach = reach.max(arm.norm());
    }
    limit("total force", force.amax() / scale, 1e-10)?;
    if checks.invariance == Invariance::Rigid && at.frames.is_empty() {
        limit("total torque", torque.amax() / (scale * reach), 1e-10)?;
    }
    Ok(())
}

/// Richardson-extrapolated central difference of `f` along component `i` of block `a`.
fn richardson<const N: usize>(
    at: &Stencil<'_, N>,
    a: usize,
    i: usize,
    step: f64,
    f: impl Fn(&Stencil<'_, N>) -> f64,
) -> f64 {
    let central = |h: f64| {
        let (mut plus, mut minus) = (*at, *at);
        plus.x[a][i] += h;
        minus.x[a][i] -= h;
        // The realised step, so that the rounding of x ± h does not count.
        (f(&plus) - f(&minus)) / (plus.x[a][i] - minus.x[a][i])
    };
    (4.0 * central(0.5 * step) - central(step)) / 3.0
}

/// The larger magnitude; NaN wins, so that it fails every limit.
fn worst(so_far: f64, value: f64) -> f64 {
    if value.is_nan() || so_far.is_nan() { f64::NAN } else { so_far.max(value.abs()) }
}

fn magnitude<const N: usize>(hessian: &LocalHessian<N>, sizes: &[f64; N]) -> f64 {
    dense(hessian, sizes).amax()
}

fn dense<const N: usize>(hessian: &LocalHessian<N>, sizes: &[f64; N]) -> DMatrix<f64> {
    DMatrix::from_fn(3 * N, 3 * N, |r, c| hessian[r / 3][c / 3][(r % 3, c % 3)] * sizes[r / 3] * sizes[c / 3])
}

/// Smallest and largest eigenvalue.
fn spectrum(matrix: &DMatrix<f64>) -> (f64, f64) {
    let values = matrix.symmetric_eigenvalues();
    (values.min(), values.max())
}

/// Random test states: the shared generator with the few shapes that elements need.
#[derive(Clone, Debug)]
pub struct TestRandom(stiction_numerics::Random);

impl TestRandom {
    /// A generator with the given seed.
    pub fn new(seed: u64) -> Self {
        TestRandom(stiction_numerics::Random::new(seed))
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        self.0.uniform()
    }

    /// Uniform in [low, high).
    pub fn range(&mut self, low: f64, high: f64) -> f64 {
        self.0.range(low, high)
    }

    /// Uniform in the cube [−1, 1)³.
    pub fn vector(&mut self) -> Vec3 {
        self.0.vector(-1.0, 1.0)
    }

    /// A random rotation.
    pub fn rotation(&mut self) -> Mat3 {
        self.0.rotation()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material_table::NO_MATERIALS;
    use crate::spring::{RadialSpring, SpringElement};

    /// A sound spring with one fault put in.
    #[derive(Clone, Copy, PartialEq, Debug)]
    enum Fault {
        None,
        Gradient,
        Hessian,
        Asymmetry,
        Projection,
        OverProjection,
        Translation,
        Rotation,
    }

    struct Faulty {
        spring: SpringElement,
        fault: Fault,
    }

    impl Element<2> for Faulty {
        fn blocks(&self) -> [u32; 2] {
            self.spring.nodes
        }

        fn energy(&self, at: &Stencil<'_, 2>) -> f64 {
            let difference = at.x[1] - at.x[0];
            self.spring.energy(at)
                + match self.fault {
                    Fault::Translation => 0.5 * at.x[0].norm_squared(),
                    Fault::Rotation => 0.5 * difference.x * difference.x,
                    _ => 0.0,
                }
        }

        fn gradient(&self, at: &Stencil<'_, 2>) -> [Vec3; 2] {
            let mut gradient = self.spring.gradient(at);
            match self.fault {
                Fault::Gradient => gradient[1].y *= 1.0 + 1e-4,
                Fault::Translation => gradient[0] += at.x[0],
                Fault::Rotation => {
                    let pull = Vec3::new(at.x[1].x - at.x[0].x, 0.0, 0.0);
                    gradient = [gradient[0] - pull, gradient[1] + pull];
                }
                _ => {}
            }
            gradient
        }

        fn hessian(&self, at: &Stencil<'_, 2>, curvature: Curvature) -> LocalHessian<2> {
            let kind = if self.fault == Fault::Projection { Curvature::Exact } else { curvature };
            let mut hessian = self.spring.hessian(at, kind);
            let unit = Vec3::x() * Vec3::x().transpose();
            match self.fault {
                Fault::Hessian => hessian[0][0][(1, 1)] *= 1.0 + 1e-4,
                Fault::Asymmetry => hessian[0][1][(0, 1)] += 1e-7,
                Fault::OverProjection if curvature == Curvature::Projected => {
                    hessian[0][0] += Mat3::identity() * 0.01
                }
                Fault::Translation => hessian[0][0] += Mat3::identity(),
                Fault::Rotation => {
                    let sign = |a: usize, b: usize| if a == b { 1.0 } else { -1.0 };
                    (0..4).for_each(|k| hessian[k / 2][k % 2] += unit * sign(k / 2, k % 2));
                }
                _ => {}
            }
            hessian
        }
    }

    fn verdict(fault: Fault, length: f64) -> Result<(), String> {
        let spring = RadialSpring { stiffness: 10.0, rest_length: 0.5 };
        let element = Faulty { spring: SpringElement { nodes: [0, 1], spring }, fault };
        let x = [Vec3::new(0.1, 0.2, 0.3), Vec3::new(0.1, 0.2, 0.3) + Vec3::new(0.48, 0.6, 0.64) * length];
        check_state(
            &element,
            &Stencil { x, frames: &[], materials: &NO_MATERIALS },
            &Checks::nodes(0.5),
            &mut TestRandom::new(1),
        )
    }

    #[test]
    fn every_fault_is_found_under_its_own_name() {
        verdict(Fault::None, 0.7).unwrap();
        verdict(Fault::None, 0.3).unwrap();
        for (fault, length, name) in [
            (Fault::Gradient, 0.7, "gradient against differences"),
            (Fault::Hessian, 0.7, "Hessian against differences"),
            (Fault::Asymmetry, 0.7, "symmetry"),
            (Fault::Projection, 0.3, "negative eigenvalue"),
            (Fault::OverProjection, 0.7, "projected differs"),
            (Fault::Translation, 0.7, "rigid motion"),
            (Fault::Rotation, 0.7, "rigid motion"),
        ] {
            let message = verdict(fault, length).unwrap_err();
            assert!(message.contains(name), "{fault:?}: {message}");
        }
    }

    #[test]
    fn not_a_number_fails() {
        assert!(verdict(Fault::None, f64::NAN).is_err());
    }
}
