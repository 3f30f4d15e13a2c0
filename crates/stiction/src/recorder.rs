//! The writing side of a run: frames, statistics and checkpoints of a simulation that the caller
//! steps.

use crate::checkpoint;
use crate::error::SimulationError;
use crate::intersections::IntersectionReport;
use crate::recording;
use crate::run::RunOptions;
use crate::simulation::Simulation;
use crate::statistics::{by_category, record};
use std::path::Path;
use std::time::Instant;
use stiction_output::files::{self, Durability};
use stiction_output::{
    Category, Checkpoint, CheckpointIdentity, RunSummary, RunWriter, TimeShare, narrow, peak_memory_bytes,
    remove_run,
};
use stiction_solvers::{StepReport, StepSeconds};

/// Writes a simulation into a run folder, frame after frame.
///
/// [`crate::run()`] is a loop over it; a caller who wants to act between frames (drive something,
/// apply forces, stop by a measure of his own) writes that loop himself:
///
/// ```no_run
/// # use stiction::{Recorder, RunOptions, Simulation, SimulationError};
/// # fn main() -> Result<(), SimulationError> {
/// let mut simulation = Simulation::open("sphere_drape", None, &[] as &[&str])?;
/// let folder = std::path::Path::new("runs/mine");
/// let mut recorder = Recorder::open(&mut simulation, folder, &RunOptions::default())?;
/// while simulation.frames < 20 {
///     recorder.advance(&mut simulation)?;
/// }
/// recorder.finish(&simulation)?;
/// # Ok(())
/// # }
/// ```
pub struct Recorder {
    writer: RunWriter,
    start: Instant,
    seconds_before: f64,
    seconds: [f64; 8],
}

impl Recorder {
    /// Makes the folder and writes the initial frame, or goes on from the newest checkpoint there.
    pub fn open(
        simulation: &mut Simulation,
        folder: &Path,
        options: &RunOptions,
    ) -> Result<Recorder, SimulationError> {
        let layout = recording::layout(simulation);
        let summary = new_summary(simulation);
        let scene_hash = simulation.identity.hash.clone();
        let identity = CheckpointIdentity { scene_hash, version: crate::VERSION.to_owned() };
        if options.overwrite {
            remove_run(folder)?;
        }
        let found = match options.resume {
            true => Checkpoint::read_latest(&folder.join("checkpoint"), &identity)?,
            false => None,
        };
        let mut writer = match options.resume {
            true => RunWriter::resume(folder, layout, summary, found.as_ref())?,
            false => RunWriter::create(folder, layout, summary)?,
        };
        let canonical = simulation.identity.canonical.as_bytes();
        files::write_atomic(&folder.join("scene.json"), canonical, Durability::Device)?;
        writer.summary_mut().vertices = simulation.model.vertices() as u64;
        let seconds_before = found.as_ref().map_or(0.0, |c| c.wall_seconds);
        match &found {
            Some(checkpoint) => checkpoint::restore(simulation, &checkpoint.sections)?,
            None => writer.write_frame(&recording::frame(simulation, writer.layout(), None))?,
        }
        let seconds = writer.earlier_seconds();
        Ok(Recorder { writer, start: Instant::now(), seconds_before, seconds })
    }

    /// Steps to the next frame, writing what the steps reached; gives the report of the last one.
    pub fn advance(&mut self, simulation: &mut Simulation) -> Result<StepReport, SimulationError> {
        let threads = simulation.threads().clone();
        threads.install(|| {
            let frame = simulation.frames;
            loop {
                let report = self.step(simulation)?;
                if simulation.frames > frame {
                    return Ok(report);
                }
            }
        })
    }

    /// One step with its line of statistics, and its frame where it reaches one.
    fn step(&mut self, simulation: &mut Simulation) -> Result<StepReport, SimulationError> {
        let frame = simulation.frames;
        let started = Instant::now();
        let report = simulation.step()?;
        let wall = started.elapsed().as_secs_f64();
        let checking = Instant::now();
        let found = simulation.check_intersections()?;
        self.seconds[Category::Detection as usize] += checking.elapsed().as_secs_f64();
        let writing = Instant::now();
        self.writer.write_step(&record(simulation, &report, &found, wall))?;
        if simulation.frames > frame {
            self.write_frame(simulation, &report, &found)?;
        }
        self.book(&report.seconds, wall, writing.elapsed().as_secs_f64());
        Ok(report)
    }

    fn write_frame(
        &mut self,
        simulation: &Simulation,
        report: &StepReport,
        found: &IntersectionReport,
    ) -> Result<(), SimulationError> {
        let mut frame = recording::frame(simulation, self.writer.layout(), Some(report));
        frame.intersections = narrow(&found.places());
        self.writer.write_frame(&frame)?;
        let settings = simulation.settings();
        let every = u64::from(settings.output.checkpoint_every.max(1));
        if simulation.frames.is_multiple_of(every) || simulation.frames == u64::from(settings.frames) {
            self.sum_up(simulation);
            self.write_checkpoint(simulation)?;
        }
        Ok(())
    }

    fn write_checkpoint(&mut self, simulation: &Simulation) -> Result<(), SimulationError> {
        let (steps, time) = (simulation.steps, simulation.state.time);
        Ok(self.writer.write_checkpoint(steps, time, checkpoint::save(simulation))?)
    }

    /// Wall time of the run so far, earlier sittings included \[s\].
    pub fn wall_seconds(&self) -> f64 {
        self.seconds_before + self.start.elapsed().as_secs_f64()
    }

    fn book(&mut self, step: &StepSeconds, wall: f64, output: f64) {
        let mut add = |category: Category, seconds: f64| self.seconds[category as usize] += seconds;
        add(Category::Output, output);
        add(Category::Other, (wall - step.total()).max(0.0));
        for (category, seconds) in by_category(step) {
            add(category, seconds);
        }
    }

    fn sum_up(&mut self, simulation: &Simulation) {
        let seconds = self.wall_seconds();
        let share = TimeShare::from_seconds(&self.seconds);
        let summary = self.writer.summary_mut();
        summary.set_wall_time(seconds, share);
        summary.state_hash = checkpoint::state_hash(simulation);
        summary.peak_memory_bytes = peak_memory_bytes();
    }

    /// Ends a run that failed: leaves the last good state on disk, and says why.
    pub fn fail(mut self, simulation: &Simulation, error: &SimulationError) -> Result<(), SimulationError> {
        if matches!(error, SimulationError::Step { .. }) {
            self.sum_up(simulation);
            self.write_checkpoint(simulation)?;
        }
        self.writer.finish(Some(error.to_string()))?;
        Ok(())
    }

    /// Leaves a run that was stopped early as one that can be resumed.
    pub fn pause(mut self, simulation: &Simulation) -> Result<RunSummary, SimulationError> {
        self.sum_up(simulation);
        self.write_checkpoint(simulation)?;
        self.writer.write_summary()?;
        Ok(self.writer.summary().clone())
    }

    /// Ends a run that is done.
    pub fn finish(mut self, simulation: &Simulation) -> Result<RunSummary, SimulationError> {
        self.sum_up(simulation);
        Ok(self.writer.finish(None)?)
    }
}

fn new_summary(simulation: &Simulation) -> RunSummary {
    RunSummary {
        scene: simulation.identity.name.clone(),
        scene_hash: simulation.identity.hash.clone(),
        method: simulation.method().to_owned(),
        version: crate::VERSION.to_owned(),
        threads: simulation.threads().count() as u64,
        dofs: simulation.model.dofs() as u64,
        elements: simulation.model.elements() as u64,
        ..RunSummary::default()
    }
}
