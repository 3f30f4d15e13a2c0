//! The contacts with which a step begins.

use crate::solver::World;
use stiction_contact::NewContact;
use stiction_contact::detect::{ContactFinder, DetectError, KnownContacts, StepMotion};
use stiction_numerics::Vec3;

/// Contacts near the start of a step, then those that come together at the given velocities
/// \[m/s\].
pub fn near_and_approaching(
    finder: &mut ContactFinder,
    world: World<'_>,
    motion: &StepMotion<'_>,
    velocity: &[Vec3],
) -> Result<Vec<NewContact>, DetectError> {
    let World { model, parameters } = world;
    let mut near = finder.proximity(model, parameters, motion, velocity)?;
    let mut keys: Vec<u64> = near.iter().map(|c| c.key).collect();
    keys.sort_unstable();
    near.extend(finder.approaching(
        model,
        parameters,
        motion,
        velocity,
        KnownContacts::new(&keys).with_all_near(),
    )?);
    Ok(near)
}

/// Penetrations open over a time \[s\], not shorter than the step. A contact that is mostly
/// prescribed (a lever below that of four free nodes, ½) opens more slowly, so that its free nodes
/// move no faster than others do.
pub fn open_penetrations(contacts: &mut [NewContact], resolve_time: f64, h: f64) {
    for contact in contacts.iter_mut().filter(|c| c.gap < 0.0) {
        contact.normal_offset = contact.gap / resolve_time.max(h) * (2.0 * contact.stencil.lever()).min(1.0);
    }
}
