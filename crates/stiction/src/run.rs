//! A whole run: steps, frames, statistics and checkpoints in a folder.

use crate::error::SimulationError;
use crate::intersections::FoundPair;
use crate::recorder::Recorder;
use crate::simulation::Simulation;
use crate::stop::StopFlag;
use std::ops::ControlFlow;
use std::path::Path;
use stiction_limits::Budget;
use stiction_output::RunSummary;
use stiction_scene::InitialContact;
use stiction_solvers::StepReport;

/// What to do with a run that the folder already holds (by default it is an error), what reading it
/// may cost, and how to stop.
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// Continue from the newest checkpoint in the folder.
    pub resume: bool,
    /// Remove the run that the folder holds, once the scene has been checked.
    pub overwrite: bool,
    /// Memory that checkpoints and statistics of a resumed run may take.
    pub budget: Budget,
    /// Stops the run after the step that it is in.
    pub stop: StopFlag,
}

/// Where a run is; shown to the caller after every frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RunProgress<'a> {
    /// Frames done.
    pub frame: u64,
    /// Frames wanted.
    pub frames: u64,
    /// Steps done.
    pub steps: u64,
    /// Wall time so far \[s\].
    pub seconds: f64,
    /// The last step.
    pub last: Option<&'a StepReport>,
    /// What the user should know about the run, in sentences: damage that was repaired, another
    /// build.
    pub notes: &'a [String],
}

/// Runs a simulation into a folder, up to the last frame of its scene. `watch` is called after
/// every frame and may stop the run there; [`RunOptions::stop`] stops it after any step. A run that
/// was stopped has the status `Paused` and a checkpoint of where it is.
pub fn run(
    simulation: &mut Simulation,
    folder: &Path,
    options: &RunOptions,
    mut watch: impl FnMut(RunProgress<'_>) -> ControlFlow<()>,
) -> Result<RunSummary, SimulationError> {
    refuse_intersections(simulation)?;
    if !options.resume {
        simulation.check_start()?;
    }
    let mut recorder = Recorder::open(simulation, folder, options)?;
    let frames = u64::from(simulation.settings().frames);
    while simulation.frames < frames {
        let before = simulation.frames;
        let last = match recorder.advance_unless(simulation, &options.stop) {
            Ok(last) => last,
            Err(error) => return Err(recorder.fail(simulation, error)),
        };
        let progress = RunProgress {
            frame: simulation.frames,
            frames,
            steps: simulation.steps,
            seconds: recorder.wall_seconds(),
            last: last.as_ref(),
            notes: recorder.notes(),
        };
        let broken = simulation.frames > before && watch(progress).is_break();
        if (broken || options.stop.is_raised()) && simulation.frames < frames {
            return recorder.pause(simulation);
        }
    }
    recorder.finish(simulation)
}

/// A scene that refuses contact at the start is not run when bodies cross.
fn refuse_intersections(simulation: &mut Simulation) -> Result<(), SimulationError> {
    if simulation.settings().initial_contact != InitialContact::Refuse {
        return Ok(());
    }
    let found = simulation.check_intersections()?;
    if found.intersections() == 0 {
        return Ok(());
    }
    let pairs = found.pairs(&simulation.model.surfaces);
    let worst: Vec<String> =
        pairs.iter().filter(|p| p.kind != "overlap").take(5).map(FoundPair::sentence).collect();
    let list = format!("{} intersections; {}", found.intersections(), worst.join("; "));
    Err(SimulationError::InitialIntersections { list })
}
