//! The incremental potential of one implicit step, without contact.
//!
//! Backward Euler from (x_t, v_t) to x minimises
//!
//! Φ(x) = a/2 |x − x_t − h v_t|²_M + V(x) − f·(x − x_t) + 1/(2h) (x − x_t)ᵀ D (x − x_t) + ½ Σ k |x − a|²
//!
//! a = 1/h² (0 without inertia) · V elastic energy \[J\] · f gravity and the constant part of drag \[N\] ·
//! D = α M + β K(x_t) + C damping and the linear part of drag \[N s/m\] · k, a anchors.
//! K is taken at the start of the step (projected), so damping can only dissipate. Drag is linear about v_t:
//! f_d(v) ≈ f_d(v_t) − C (v − v_t).

use stiction_bodies::couplings::Anchor;
use stiction_bodies::{Prescription, State};
use stiction_energy::{Curvature, Elasticity, FrozenDrag};
use stiction_numerics::{BlockMatrix, Mat3, RankOne, Vec3, ordered_dot, ordered_sum_by};

use crate::solver::World;

/// Whether a step carries momentum.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inertia {
    /// Backward Euler.
    Dynamic,
    /// The minimum of energy alone: quasi-static steps.
    None,
}

/// One step's objective: fixed data gathered at its start.
pub struct IncrementalPotential<'a> {
    world: World<'a>,
    elasticity: &'a Elasticity,
    state: &'a State,
    h: f64,
    inertia: f64,
    /// Constant forces \[N\].
    force: Vec<Vec3>,
    /// (D − C) / h, if there is any damping; with C where drag has no other form.
    viscosity: Option<BlockMatrix>,
    /// C.
    drag: Option<FrozenDrag<'a>>,
    anchors: Vec<Anchor>,
    /// Which blocks are held, and where.
    pub prescription: Prescription,
}

impl<'a> IncrementalPotential<'a> {
    /// Gathers what a step of length `h` from `state` needs.
    pub fn new(
        world: World<'a>,
        elasticity: &'a Elasticity,
        state: &'a State,
        h: f64,
        inertia: Inertia,
    ) -> Self {
        let model = world.model;
        let end = state.time + h;
        let gravity = world.parameters.gravity;
        let mut force: Vec<Vec3> = world.parameters.mass.iter().map(|m| gravity * *m).collect();
        force[model.nodes..].fill(Vec3::zeros());
        world.parameters.add_external(&mut force);
        let (viscosity, drag) = match inertia {
            Inertia::Dynamic => viscosity(world, elasticity, state, h, &mut force),
            Inertia::None => (None, None),
        };
        IncrementalPotential {
            world,
            elasticity,
            state,
            h,
            inertia: if inertia == Inertia::Dynamic { 1.0 / (h * h) } else { 0.0 },
            force,
            viscosity,
            drag,
            anchors: model.anchors.at(state.time, end),
            prescription: model.pins.prescribe(model, state, end),
        }
    }

    /// x_t + h v_t of a block.
    fn inertial_target(&self, block: usize) -> Vec3 {
        self.state.blocks[block] + self.state.velocities[block] * self.h
    }

    /// Step size \[s\].
    pub fn step_size(&self) -> f64 {
        self.h
    }

    /// Where the blocks would go without forces, with prescribed blocks in place.
    pub fn inertial_guess(&self) -> Vec<Vec3> {
        self.with_prescribed((0..self.state.blocks.len()).map(|i| self.inertial_target(i)).collect())
    }

    /// The start of the step, with prescribed blocks in place.
    pub fn resting_guess(&self) -> Vec<Vec3> {
        self.with_prescribed(self.state.blocks.clone())
    }

    fn with_prescribed(&self, mut blocks: Vec<Vec3>) -> Vec<Vec3> {
        for (i, x) in blocks.iter_mut().enumerate() {
            if self.prescription.fixed[i] {
                *x = self.prescription.target[i];
            }
        }
        blocks
    }

    /// Φ(x) \[J\]; infinite where the elastic law is not defined.
    pub fn value(&self, blocks: &[Vec3]) -> f64 {
        let mass = &self.world.parameters.mass;
        let quadratic = ordered_sum_by(blocks.len(), |i| {
            let moved = blocks[i] - self.state.blocks[i];
            0.5 * self.inertia * mass[i] * (blocks[i] - self.inertial_target(i)).norm_squared()
                - self.force[i].dot(&moved)
        });
        let moved = (self.viscosity.is_some() || self.drag.is_some()).then(|| self.moved(blocks));
        let viscous = moved.map_or(0.0, |moved| {
            let mut pull = vec![Vec3::zeros(); moved.len()];
            self.add_viscous(&moved, &mut pull);
            0.5 * ordered_dot(&moved, &pull)
        });
        let anchored: f64 = self
            .anchors
            .iter()
            .map(|a| 0.5 * a.stiffness * (blocks[a.node as usize] - a.target).norm_squared())
            .sum();
        quadratic + viscous + anchored + self.elasticity.energy(blocks, &self.state.frames, self.state.time)
    }

    /// ∇Φ(x) \[N\], zero at prescribed blocks.
    pub fn gradient(&self, blocks: &[Vec3], out: &mut [Vec3]) {
        let mass = &self.world.parameters.mass;
        out.fill(Vec3::zeros());
        if self.viscosity.is_some() || self.drag.is_some() {
            self.add_viscous(&self.moved(blocks), out);
        }
        for i in 0..blocks.len() {
            out[i] += (blocks[i] - self.inertial_target(i)) * (self.inertia * mass[i]) - self.force[i];
        }
        for a in &self.anchors {
            out[a.node as usize] += (blocks[a.node as usize] - a.target) * a.stiffness;
        }
        self.elasticity.add_gradient(blocks, &self.state.frames, self.state.time, out);
        for (g, fixed) in out.iter_mut().zip(&self.prescription.fixed) {
            if *fixed {
                *g = Vec3::zeros();
            }
        }
    }

    /// Adds D/h times a displacement; `out` is zero before.
    fn add_viscous(&self, moved: &[Vec3], out: &mut [Vec3]) {
        if let Some(d) = &self.viscosity {
            d.mul(moved, out);
        }
        if let Some(drag) = &self.drag {
            drag.add_product(1.0 / self.h, moved, out);
        }
    }

    /// The Hessian of Φ, exact or projected.
    pub fn hessian(&self, blocks: &[Vec3], curvature: Curvature, out: &mut BlockMatrix) {
        out.set_zero();
        self.elasticity.add_hessian(blocks, &self.state.frames, self.state.time, curvature, out);
        if let Some(d) = &self.viscosity {
            out.add_scaled(1.0, d);
        }
        if let Some(drag) = &self.drag {
            drag.add_to(1.0 / self.h, out);
        }
        let weights: Vec<f64> = self.world.parameters.mass.iter().map(|m| m * self.inertia).collect();
        out.add_diagonal(&weights);
        for a in &self.anchors {
            out.add_block(a.node as usize, a.node as usize, &(Mat3::identity() * a.stiffness));
        }
    }

    /// What the Hessian lacks: parts that couple all nodes of a surface under pressure.
    pub fn rank_ones(&self, blocks: &[Vec3]) -> Vec<RankOne> {
        self.elasticity.inflations().rank_ones(blocks)
    }

    /// Size of a change of the blocks: the largest component \[m\], twists \[rad\] as they are. A shell's normal counts with the
    /// length of its edge, which is how far nodes move to turn it by as much; in radians it would rule the test alone.
    pub fn change_size(&self, change: &[Vec3]) -> f64 {
        let model = self.world.model;
        let (plain, normals) = change.split_at(model.shell_angle_block(0));
        let largest = plain.iter().map(|v| v.amax()).fold(0.0, f64::max);
        let lengths = model.shell_edges.iter().map(|e| {
            let [a, b] = e.nodes.map(|n| model.rest[n as usize]);
            (b - a).norm()
        });
        normals.iter().zip(lengths).map(|(v, length)| v.x.abs() * length).fold(largest, f64::max)
    }

    fn moved(&self, blocks: &[Vec3]) -> Vec<Vec3> {
        blocks.iter().zip(&self.state.blocks).map(|(x, start)| x - start).collect()
    }
}

/// The parts of D, and the constant part of drag added to `force`.
fn viscosity<'a>(
    world: World<'_>,
    elasticity: &'a Elasticity,
    state: &'a State,
    h: f64,
    force: &mut [Vec3],
) -> (Option<BlockMatrix>, Option<FrozenDrag<'a>>) {
    let (model, wind) = (world.model, &world.parameters.wind);
    let drag = elasticity.frozen_drag([&state.blocks, &state.velocities], wind, state.time);
    // Constant part f_d(v_t) + C v_t.
    if let Some(drag) = &drag {
        drag.add_force(force);
        drag.add_product(1.0, &state.velocities, force);
    }
    let carried = drag.is_none() && wind.air_density > 0.0 && elasticity.has_drag();
    let mass_damping: Vec<f64> = mass_damping(world);
    let damped = elasticity.has_damping() || mass_damping.iter().any(|w| *w > 0.0);
    if !damped && !carried {
        return (None, drag);
    }
    let mut matrix = BlockMatrix::zeros(elasticity.pattern().clone());
    if carried {
        // The same; C alone stands in the matrix so far.
        elasticity.add_drag(&state.blocks, &state.velocities, wind, state.time, force, &mut matrix);
        let mut pull = vec![Vec3::zeros(); model.blocks()];
        matrix.mul(&state.velocities, &mut pull);
        force.iter_mut().zip(&pull).for_each(|(f, c)| *f += c);
    }
    if elasticity.has_damping() {
        elasticity.add_damping(&state.blocks, &state.frames, &mut matrix);
    }
    matrix.add_diagonal(&mass_damping);
    matrix.scale(1.0 / h);
    (Some(matrix), drag)
}

/// α m per block.
fn mass_damping(world: World<'_>) -> Vec<f64> {
    let model = world.model;
    let mut out = vec![0.0; model.blocks()];
    for (body, material) in model.bodies.iter().zip(&world.parameters.materials) {
        let alpha = material.damping().mass;
        let twists = body.edges.clone().map(|e| model.twist_block(e));
        let normals = body.shell_edges.clone().map(|e| model.shell_angle_block(e));
        for block in body.nodes.clone().chain(twists).chain(normals) {
            out[block] = alpha * world.parameters.mass[block];
        }
    }
    out
}
