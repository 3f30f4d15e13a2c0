//! Brings what methods make from parameters beforehand up to date after a change.

use crate::solver::World;
use stiction_bodies::Changed;
use stiction_energy::{Elasticity, ElasticityError};

/// Whether an elastic energy still has the elements and the pattern that it had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Renewed {
    /// Only values changed, if anything did: matrices and analyses of its pattern still fit.
    Values,
    /// It was made again: nothing that was made for its pattern fits.
    Elements,
}

/// Takes the present values over into an elastic energy. Elements that come and go with a value
/// (bending or drag from nothing) and roots above shells need new elements.
pub fn renew(
    elasticity: &mut Elasticity,
    world: World<'_>,
    changed: &Changed,
) -> Result<Renewed, ElasticityError> {
    if !changed.elasticity() {
        return Ok(Renewed::Values);
    }
    let roots = changed.couplings && !world.model.roots.raised.is_empty();
    if roots || (changed.materials && elasticity.set_materials(world.parameters).is_err()) {
        *elasticity = Elasticity::new(world.model, world.parameters)?;
        return Ok(Renewed::Elements);
    }
    elasticity.set_springs(world.model, world.parameters);
    Ok(Renewed::Values)
}
