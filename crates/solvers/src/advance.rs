//! Energies of a state, as every method reports them.

use crate::solver::World;
use stiction_bodies::State;
use stiction_energy::Elasticity;

/// Elastic energy by kind, kinetic energy and gravity's (zero at the origin) \[J\].
pub fn energies(world: World<'_>, elasticity: &Elasticity, state: &State) -> Vec<(&'static str, f64)> {
    let mut out = elasticity.energy_by_kind(&state.blocks, &state.frames, state.time);
    out.extend(mechanical_energies(world, state));
    out
}

/// Gravity's energy (zero at the origin) and kinetic energy \[J\].
pub fn mechanical_energies(world: World<'_>, state: &State) -> [(&'static str, f64); 2] {
    let model = world.model;
    let gravity = world.parameters.gravity.at(state.time);
    let height = world.parameters.mass[..model.nodes]
        .iter()
        .zip(&state.blocks)
        .map(|(m, x)| -m * gravity.dot(x))
        .sum::<f64>();
    let centres = (0..model.rigid.len()).map(|rigid| model.rigid.centre_block(rigid));
    let height =
        centres.fold(height, |sum, c| sum - world.parameters.mass[c] * gravity.dot(&state.blocks[c]));
    [("gravity", height), ("kinetic", state.kinetic_energy(model, world.parameters))]
}
