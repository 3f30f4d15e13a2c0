//! Air drag linearised at the start of a step, without a matrix.
//!
//! `f(v) = f(v₀) − D (v − v₀)`: D is one 3×3 matrix per triangle or edge and is found again
//! wherever it is needed. That takes a tenth more time in assembly than a matrix with the pattern
//! of elasticity, which would be as large as the system's own.

use crate::drag::Air;
use crate::elasticity::Elasticity;
use crate::wind::WindField;
use stiction_numerics::{BlockMatrix, Vec3};
use stiction_scene::resolved::Wind;

/// Drag of a model about a state.
pub struct FrozenDrag<'a> {
    elasticity: &'a Elasticity,
    blocks: &'a [Vec3],
    velocities: &'a [Vec3],
    field: WindField,
    density: f64,
    time: f64,
}

impl<'a> FrozenDrag<'a> {
    pub(crate) fn new(
        elasticity: &'a Elasticity,
        [blocks, velocities]: [&'a [Vec3]; 2],
        wind: &Wind,
        time: f64,
    ) -> FrozenDrag<'a> {
        let field = wind_field(wind);
        FrozenDrag { elasticity, blocks, velocities, field, density: wind.air_density, time }
    }

    fn air(&self) -> Air<'_> {
        Air { density: self.density, wind: &self.field, time: self.time }
    }

    /// Adds the force at the velocities of the state \[N\].
    pub fn add_force(&self, target: &mut [Vec3]) {
        let (x, v, air) = (self.blocks, self.velocities, self.air());
        self.elasticity.triangle_drag().add_force(x, v, &air, target);
        self.elasticity.edge_drag().add_force(x, v, &air, target);
    }

    /// Adds `scale · D u`.
    pub fn add_product(&self, scale: f64, u: &[Vec3], target: &mut [Vec3]) {
        let (state, air) = ([self.blocks, self.velocities], self.air());
        self.elasticity.triangle_drag().add_product(state, &air, scale, u, target);
        self.elasticity.edge_drag().add_product(state, &air, scale, u, target);
    }

    /// Adds `scale · D` to a matrix of the pattern of elasticity.
    pub fn add_to(&self, scale: f64, target: &mut BlockMatrix) {
        let (x, v, air) = (self.blocks, self.velocities, self.air());
        self.elasticity.triangle_drag().add_damping(x, v, &air, scale, target);
        self.elasticity.edge_drag().add_damping(x, v, &air, scale, target);
    }
}

/// The wind of a scene as a field.
pub(crate) fn wind_field(wind: &Wind) -> WindField {
    WindField::steady(wind.velocity).with_travelling_gust(
        wind.gust_amplitude,
        wind.gust_frequency,
        wind.gust_length,
    )
}
