//! Air drag on triangles and rod edges, linearly implicit in the velocity.
//!
//! With `u = w(x̄, t) − v̄` the wind relative to the centre of an element and `P` the projector on its
//! normal (or on the plane across a rod), every part of the drag has one shape:
//!
//! `f = ½ρCA |Pu| Pu = D u`,  `D = ½ρCA |Pu| P`.
//!
//! ρ air density \[kg/m³\] · C drag coefficient · A area \[m²\]. A step takes D at the velocities of
//! its start and the velocity that it multiplies at its end: `f(v₀) − D (v − v₀) = D (w − v)`. For a
//! plate of mass m this gives `u₁ = u₀ / (1 + h k|u₀|/m)`, k = ½ρCA, which is the exact solution of
//! `m u̇ = −k|u|u` at any step size: drag never reverses a motion and never overtakes the wind. (The
//! tangent −∂f/∂v̄ would be `D + k Pu (Pu)ᵀ/|Pu|`, twice as large along u: it keeps half of the speed
//! however long the step is.) Geometry and wind count as fixed within the step.

use crate::wind::WindField;
use std::f64::consts::PI;
use std::ops::AddAssign;
use std::sync::Arc;
use stiction_numerics::{
    BlockMatrix, BlockPattern, ElementColouring, ElementSlots, Mat3, Vec3, assemble, colour_elements,
    scatter_add,
};

/// The air around the bodies at one moment.
#[derive(Clone, Copy, Debug)]
pub struct Air<'a> {
    /// Density \[kg/m³\]; 1.2 near the ground.
    pub density: f64,
    /// Its motion.
    pub wind: &'a WindField,
    /// Time \[s\].
    pub time: f64,
}

/// Dimensionless drag coefficients.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DragCoefficients {
    /// Pressure drag, on the speed along the normal (across a rod).
    pub normal: f64,
    /// Skin friction, on the speed along the surface (along a rod).
    pub tangential: f64,
}

impl DragCoefficients {
    /// Whether there is any drag.
    pub fn acts(&self) -> bool {
        self.normal != 0.0 || self.tangential != 0.0
    }
}

/// Force on the centre of an element: `f(v) ≈ force − damping (v̄ − v̄₀)`. Nodes share it equally.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearDrag {
    /// Force at the start-of-step velocity \[N\].
    pub force: Vec3,
    /// D, the force over the relative wind \[N s/m\], symmetric positive semi-definite.
    pub damping: Mat3,
}

impl LinearDrag {
    /// The part `½ρCA |Pu| Pu`; `factor` = ½ρCA.
    fn quadratic(factor: f64, projector: &Mat3, relative: &Vec3) -> Self {
        let flow = projector * relative;
        let speed = flow.norm();
        if factor * speed == 0.0 {
            return LinearDrag { force: Vec3::zeros(), damping: Mat3::zeros() };
        }
        LinearDrag { force: flow * (factor * speed), damping: projector * (factor * speed) }
    }

    fn plus(self, other: Self) -> Self {
        LinearDrag { force: self.force + other.force, damping: self.damping + other.damping }
    }
}

/// Force on a node \[N\], and how it falls when the node and its neighbours change their velocity
/// together \[N s/m\]: the sum of a row of the damping matrix. Its diagonal block alone is a third of
/// that, which would let a sheet that moves as a whole be thrown back by the air.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NodeDrag {
    /// Force \[N\].
    pub force: Vec3,
    /// Sum of its row of D \[N s/m\].
    pub damping: Mat3,
}

impl AddAssign for NodeDrag {
    fn add_assign(&mut self, other: Self) {
        self.force += other.force;
        self.damping += other.damping;
    }
}

/// How elements of a body feel the air.
pub trait DragElement<const N: usize>: Send + Sync {
    /// Force and damping at positions `x` \[m\] and velocities `v` \[m/s\].
    fn linearised(&self, x: &[Vec3; N], v: &[Vec3; N], air: &Air<'_>) -> LinearDrag;
}

/// Triangles of cloth or of the surface of a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriangleDrag {
    /// Their coefficients.
    pub coefficients: DragCoefficients,
}

impl DragElement<3> for TriangleDrag {
    fn linearised(&self, x: &[Vec3; 3], v: &[Vec3; 3], air: &Air<'_>) -> LinearDrag {
        let relative = relative_wind(x, v, air);
        let cross = (x[1] - x[0]).cross(&(x[2] - x[0]));
        let area = 0.5 * cross.norm();
        let normal = cross.try_normalize(0.0).unwrap_or_else(Vec3::zeros);
        let across = normal * normal.transpose();
        let factor = 0.5 * air.density * area;
        LinearDrag::quadratic(factor * self.coefficients.normal, &across, &relative).plus(
            LinearDrag::quadratic(
                factor * self.coefficients.tangential,
                &(Mat3::identity() - across),
                &relative,
            ),
        )
    }
}

/// Edges of a rod with a round section: frontal area `2rl`, skin `2πrl`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EdgeDrag {
    /// Radius \[m\].
    pub radius: f64,
    /// Their coefficients.
    pub coefficients: DragCoefficients,
}

impl DragElement<2> for EdgeDrag {
    fn linearised(&self, x: &[Vec3; 2], v: &[Vec3; 2], air: &Air<'_>) -> LinearDrag {
        let relative = relative_wind(x, v, air);
        let edge = x[1] - x[0];
        let tangent = edge.try_normalize(0.0).unwrap_or_else(Vec3::zeros);
        let along = tangent * tangent.transpose();
        // ½ρ times the frontal area; the skin is π times as large.
        let factor = 0.5 * air.density * 2.0 * self.radius * edge.norm();
        LinearDrag::quadratic(factor * self.coefficients.normal, &(Mat3::identity() - along), &relative)
            .plus(LinearDrag::quadratic(PI * factor * self.coefficients.tangential, &along, &relative))
    }
}

/// Wind at the centre of an element minus its mean velocity.
fn relative_wind<const N: usize>(x: &[Vec3; N], v: &[Vec3; N], air: &Air<'_>) -> Vec3 {
    let mean = |values: &[Vec3; N]| values.iter().sum::<Vec3>() / N as f64;
    air.wind.velocity_at(&mean(x), air.time) - mean(v)
}

/// Drag elements over `N` nodes with the order of their parallel assembly.
pub struct DragGroup<E, const N: usize> {
    /// How the elements of a body feel the air, and where they end.
    kinds: Vec<(E, usize)>,
    colouring: Arc<ElementColouring<N>>,
    slots: Option<ElementSlots<N>>,
}

impl<E: DragElement<N>, const N: usize> DragGroup<E, N> {
    /// Groups elements of a model with `block_count` blocks, given by the nodes of the elements of each kind.
    pub fn new(block_count: usize, elements: Vec<(E, Vec<[u32; N]>)>) -> Self {
        let mut stencils = Vec::with_capacity(elements.iter().map(|(_, nodes)| nodes.len()).sum());
        let mut kinds = Vec::with_capacity(elements.len());
        for (kind, nodes) in elements {
            stencils.extend(nodes);
            kinds.push((kind, stencils.len()));
        }
        let colouring = Arc::new(colour_elements(block_count, &stencils));
        DragGroup { kinds, colouring, slots: None }
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.colouring.element_count() == 0
    }

    /// Changes the kinds, in the order in which they were given.
    pub fn set_kinds<V>(&mut self, values: impl Iterator<Item = V>, set: impl Fn(&mut E, V)) {
        self.kinds.iter_mut().zip(values).for_each(|((kind, _), value)| set(kind, value));
    }

    /// Looks up where damping blocks go in matrices of this pattern. Panics when the pattern lacks a pair.
    pub fn bind(&mut self, pattern: &Arc<BlockPattern>) {
        self.slots = Some(ElementSlots::new(pattern.clone(), self.colouring.clone()));
    }

    fn drag(
        &self,
        (e, nodes): (usize, &[u32; N]),
        positions: &[Vec3],
        velocities: &[Vec3],
        air: &Air<'_>,
    ) -> LinearDrag {
        let (x, v) = (nodes.map(|n| positions[n as usize]), nodes.map(|n| velocities[n as usize]));
        let (kind, _) = &self.kinds[self.kinds.partition_point(|(_, end)| *end <= e)];
        kind.linearised(&x, &v, air)
    }

    /// Adds the force at the given velocities to `target` \[N\].
    pub fn add_force(&self, positions: &[Vec3], velocities: &[Vec3], air: &Air<'_>, target: &mut [Vec3]) {
        scatter_add(target, &self.colouring, |e, nodes| {
            [self.drag((e, nodes), positions, velocities, air).force / N as f64; N]
        });
    }

    /// Adds the drag, lumped at the nodes, to `target`.
    pub fn add_at_nodes(
        &self,
        positions: &[Vec3],
        velocities: &[Vec3],
        air: &Air<'_>,
        target: &mut [NodeDrag],
    ) {
        scatter_add(target, &self.colouring, |e, nodes| {
            let LinearDrag { force, damping } = self.drag((e, nodes), positions, velocities, air);
            [NodeDrag { force: force / N as f64, damping: damping / N as f64 }; N]
        });
    }

    /// Adds `scale · D u` to `target`.
    pub fn add_product(
        &self,
        [positions, velocities]: [&[Vec3]; 2],
        air: &Air<'_>,
        scale: f64,
        u: &[Vec3],
        target: &mut [Vec3],
    ) {
        scatter_add(target, &self.colouring, |e, nodes| {
            let sum: Vec3 = nodes.iter().map(|&n| u[n as usize]).sum();
            let damping = self.drag((e, nodes), positions, velocities, air).damping;
            [damping * sum * (scale / (N * N) as f64); N]
        });
    }

    /// Adds `scale` times the damping matrix `D` to a matrix of the bound pattern. Panics when not bound to it.
    pub fn add_damping(
        &self,
        positions: &[Vec3],
        velocities: &[Vec3],
        air: &Air<'_>,
        scale: f64,
        target: &mut BlockMatrix,
    ) {
        let slots = self.slots.as_ref().expect("drag is bound to a pattern before it is assembled");
        assemble(target, slots, |e, nodes| {
            let damping =
                self.drag((e, nodes), positions, velocities, air).damping * (scale / (N * N) as f64);
            [[damping; N]; N]
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::TestRandom;

    const BOTH: DragCoefficients = DragCoefficients { normal: 1.3, tangential: 0.2 };

    /// The damping times the relative wind is the force; it is positive, and so is the power of drag.
    fn check_damping<const N: usize>(element: &impl DragElement<N>) {
        let wind = WindField::steady(Vec3::new(1.0, 2.0, -0.5)).with_turbulence(1.0, 0.7, 0.4, 3);
        let air = Air { density: 1.2, wind: &wind, time: 0.3 };
        let mut random = TestRandom::new(2);
        for _ in 0..50 {
            let x: [Vec3; N] = std::array::from_fn(|_| random.vector());
            let v: [Vec3; N] = std::array::from_fn(|_| random.vector() * 3.0);
            let drag = element.linearised(&x, &v, &air);
            let relative = relative_wind(&x, &v, &air);
            assert!((drag.damping * relative - drag.force).amax() < 1e-14 * drag.force.amax());
            let low = drag.damping.symmetric_eigenvalues().min();
            assert!(low > -1e-12 * drag.damping.amax());
            assert!(drag.force.dot(&relative) >= 0.0);
        }
    }

    #[test]
    fn damping_times_the_relative_wind_is_the_force() {
        check_damping(&TriangleDrag { coefficients: BOTH });
        check_damping(&EdgeDrag { radius: 0.01, coefficients: BOTH });
    }

    #[test]
    fn a_plate_across_the_wind_feels_its_dynamic_pressure() {
        let wind = WindField::steady(Vec3::new(0.0, 0.0, 5.0));
        let air = Air { density: 1.2, wind: &wind, time: 0.0 };
        let plate = TriangleDrag { coefficients: DragCoefficients { normal: 2.0, tangential: 0.1 } };
        let x = [Vec3::zeros(), Vec3::x(), Vec3::y()];
        let drag = plate.linearised(&x, &[Vec3::zeros(); 3], &air);
        // ½ρCA w² = 0.5 · 1.2 · 2 · 0.5 · 25
        assert!((drag.force - Vec3::new(0.0, 0.0, 15.0)).amax() < 1e-12);
        let with_the_wind = plate.linearised(&x, &[wind.velocity; 3], &air);
        assert_eq!(with_the_wind.force, Vec3::zeros());
        assert_eq!(with_the_wind.damping, Mat3::zeros());
        let edge_on = [Vec3::zeros(), Vec3::x(), Vec3::z()];
        let skin = plate.linearised(&edge_on, &[Vec3::zeros(); 3], &air);
        assert!((skin.force - Vec3::new(0.0, 0.0, 0.75)).amax() < 1e-12);
    }

    #[test]
    fn assembled_force_and_damping_are_shared_by_the_nodes() {
        let wind = WindField::steady(Vec3::new(0.5, 0.1, 2.0));
        let air = Air { density: 1.2, wind: &wind, time: 0.0 };
        let x = [Vec3::zeros(), Vec3::x(), Vec3::y(), Vec3::new(1.0, 1.0, 0.3)];
        let v = [Vec3::z(), Vec3::x(), Vec3::zeros(), -Vec3::y()];
        let smooth = DragCoefficients { normal: 0.4, tangential: 0.0 };
        let kinds = [BOTH, smooth].map(|coefficients| TriangleDrag { coefficients });
        let stencils = [[0, 1, 2], [2, 1, 3]];
        let elements = kinds.into_iter().zip(stencils.map(|s| vec![s])).collect();
        let mut group = DragGroup::new(4, elements);
        let pattern = Arc::new(BlockPattern::from_stencils(4, stencils.iter().map(|s| &s[..])));
        group.bind(&pattern);
        let mut force = vec![Vec3::zeros(); 4];
        let mut matrix = BlockMatrix::zeros(pattern);
        group.add_force(&x, &v, &air, &mut force);
        group.add_damping(&x, &v, &air, 2.0, &mut matrix);
        let mut lumped = [NodeDrag::default(); 4];
        group.add_at_nodes(&x, &v, &air, &mut lumped);
        for (n, drag) in lumped.iter().enumerate() {
            assert_eq!(drag.force, force[n]);
            // All nodes change their velocity together: the sum of the row of D.
            for axis in 0..3 {
                let mut row = vec![Vec3::zeros(); 4];
                matrix.mul(&[Vec3::ith(axis, 1.0); 4], &mut row);
                assert!((drag.damping.column(axis) * 2.0 - row[n]).amax() < 1e-14);
            }
        }
        let (mut total, mut damping) = (Vec3::zeros(), Mat3::zeros());
        for (kind, nodes) in kinds.iter().zip(stencils) {
            let pick = |values: &[Vec3; 4]| nodes.map(|n| values[n as usize]);
            let drag = kind.linearised(&pick(&x), &pick(&v), &air);
            total += drag.force;
            damping += drag.damping;
        }
        assert!((force.iter().sum::<Vec3>() - total).amax() < 1e-14);
        // A common change of velocity sees the whole damping.
        let mut product = vec![Vec3::zeros(); 4];
        matrix.mul(&[Vec3::x(); 4], &mut product);
        assert!((product.iter().sum::<Vec3>() - damping.column(0) * 2.0).amax() < 1e-14);
        // The product without the matrix.
        let mut without = vec![Vec3::zeros(); 4];
        matrix.mul(&v, &mut product);
        group.add_product([&x, &v], &air, 2.0, &v, &mut without);
        assert!(product.iter().zip(&without).all(|(a, b)| (a - b).amax() < 1e-13), "{product:?} {without:?}");
    }
}
