//! A simulation to checkpoint sections and back, exact to the bit.

use crate::driven_motions;
use crate::error::SimulationError;
use crate::simulation::Simulation;
use stiction_bodies::{EdgeFrame, State};
use stiction_numerics::Vec3;
use stiction_numerics::nalgebra::{Quaternion, UnitQuaternion};
use stiction_output::{Sections, StateHasher, hash};
use stiction_solvers::SavedState;

/// Format of the sections below. Raise it whenever one of them is renamed, dropped or changes its meaning, so
/// that older checkpoints are refused in words; methods number their own memory (`SavedState::version`).
pub const STATE_FORMAT: u32 = 1;

const NUMBERS: &str = "solver/numbers/";
const KEYS: &str = "solver/keys/";
/// Four numbers x, y, z, w per rigid body; left out where there are none.
const ORIENTATIONS: &str = "orientations";
/// What energy and work have explained so far.
const GUARD: &str = "runaway_guard";

/// Everything that a resumed run needs; of parameters, what is driven and how it moves.
pub fn save(simulation: &Simulation) -> Sections {
    let state = &simulation.state;
    let mut out = Sections::new();
    out.put_u64s("progress", &[simulation.steps, simulation.frames]);
    out.put_f64s("time", &[state.time]);
    out.put_vec3s("blocks", &state.blocks);
    out.put_vec3s("velocities", &state.velocities);
    out.put_f64s("rod_frames", &flatten(&state.frames));
    if !state.orientations.is_empty() {
        out.put_f64s(ORIENTATIONS, &quaternions(&state.orientations));
    }
    out.put_f64s(GUARD, &simulation.guard.save());
    driven_motions::save(&simulation.parameters.controls.driven, &mut out);
    let saved = simulation.solver.save();
    out.put_u32s("solver/version", &[saved.version]);
    for (name, values) in &saved.numbers {
        out.put_f64s(&format!("{NUMBERS}{name}"), values);
    }
    for (name, values) in &saved.keys {
        out.put_u64s(&format!("{KEYS}{name}"), values);
    }
    out
}

/// Takes a simulation back to a saved moment.
pub fn restore(simulation: &mut Simulation, sections: &Sections) -> Result<(), SimulationError> {
    let blocks: Vec<Vec3> = sections.vec3s("blocks")?;
    let velocities: Vec<Vec3> = sections.vec3s("velocities")?;
    let frames = unflatten(&sections.f64s("rod_frames")?);
    let orientations = match simulation.model.rigid.is_empty() {
        true => Vec::new(),
        false => orientations(&sections.f64s(ORIENTATIONS)?),
    };
    let expected = simulation.model.blocks();
    let fits = velocities.len() == expected
        && frames.len() == simulation.model.frames()
        && orientations.len() == simulation.model.rigid.len();
    if blocks.len() != expected || !fits {
        return Err(SimulationError::CheckpointSize { found: blocks.len(), expected });
    }
    let mut saved = SavedState::new(sections.u32s("solver/version")?.first().copied().unwrap_or(0));
    for (name, _) in sections.iter() {
        if let Some(short) = name.strip_prefix(NUMBERS) {
            saved.numbers.insert(short.to_owned(), sections.f64s(name)?);
        } else if let Some(short) = name.strip_prefix(KEYS) {
            saved.keys.insert(short.to_owned(), sections.u64s(name)?);
        }
    }
    let driven = driven_motions::load(sections, &simulation.parameters.controls)?;
    let driven_before = simulation.parameters.controls.driven.clone();
    simulation.set_driven(driven)?;
    if let Err(error) = simulation.solver.restore(&saved) {
        simulation.set_driven(driven_before)?;
        return Err(error.into());
    }
    simulation.orders.clear();
    simulation.guard.restore(&sections.f64s(GUARD).unwrap_or_default());
    let progress = sections.u64s("progress")?;
    simulation.steps = progress.first().copied().unwrap_or(0);
    simulation.frames = progress.get(1).copied().unwrap_or(0);
    let time = sections.f64s("time")?.first().copied().unwrap_or(0.0);
    simulation.state.copy_from(&State { time, blocks, velocities, frames, orientations });
    Ok(())
}

/// Hash of positions, angles, velocities and orientations of rigid bodies, exact to the bit.
pub fn state_hash(simulation: &Simulation) -> String {
    let mut hasher = StateHasher::default();
    let state = &simulation.state;
    hasher.add_vec3s(&state.blocks).add_vec3s(&state.velocities);
    if !state.orientations.is_empty() {
        hasher.add(&quaternions(&state.orientations));
    }
    hash::hex(hasher.finish())
}

/// The numbers x, y, z, w of each.
fn quaternions(orientations: &[UnitQuaternion<f64>]) -> Vec<f64> {
    orientations.iter().flat_map(|q| q.coords.iter().copied().collect::<Vec<_>>()).collect()
}

/// Unit quaternions as they were stored: normalising again could change their last bits.
fn orientations(numbers: &[f64]) -> Vec<UnitQuaternion<f64>> {
    let one = |q: &[f64]| UnitQuaternion::new_unchecked(Quaternion::new(q[3], q[0], q[1], q[2]));
    numbers.chunks_exact(4).map(one).collect()
}

fn flatten(frames: &[EdgeFrame]) -> Vec<f64> {
    let one = |f: &EdgeFrame| {
        let (t, d) = (f.tangent, f.director);
        [t.x, t.y, t.z, d.x, d.y, d.z, f.reference_twist]
    };
    frames.iter().flat_map(one).collect()
}

fn unflatten(flat: &[f64]) -> Vec<EdgeFrame> {
    let one = |f: &[f64]| EdgeFrame {
        tangent: Vec3::new(f[0], f[1], f[2]),
        director: Vec3::new(f[3], f[4], f[5]),
        reference_twist: f[6],
    };
    flat.chunks_exact(7).map(one).collect()
}
