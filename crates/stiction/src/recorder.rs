//! The writing side of a run: frames, statistics and checkpoints of a simulation that the caller
//! steps.

use crate::build_id::build_id;
use crate::checkpoint;
use crate::error::SimulationError;
use crate::intersections::IntersectionReport;
use crate::recording;
use crate::run::RunOptions;
use crate::simulation::Simulation;
use crate::statistics::{by_category, record};
use crate::stop::StopFlag;
use std::path::Path;
use std::time::Instant;
use stiction_output::files::{self, Durability};
use stiction_output::{
    Category, CheckpointIdentity, Layout, ResumePoint, RunLock, RunSummary, RunWriter, TimeShare, narrow,
    peak_memory_bytes,
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
        let mut seconds_before = 0.0;
        let mut writer = match options {
            RunOptions { resume: true, .. } => {
                let lock = RunLock::acquire(folder)?;
                let point = find_resume_point(simulation, &lock, &layout, options)?;
                if let Some(checkpoint) = &point.checkpoint {
                    checkpoint::restore(simulation, &checkpoint.sections)?;
                    seconds_before = checkpoint.wall_seconds;
                }
                RunWriter::resume(lock, layout, summary, &point)?
            }
            RunOptions { overwrite: true, .. } => RunWriter::replace(folder, layout, summary)?,
            _ => RunWriter::create(folder, layout, summary)?,
        };
        if !simulation.identity.canonical.is_empty() {
            let canonical = simulation.identity.canonical.as_bytes();
            files::write_atomic(&folder.join("scene.json"), canonical, Durability::Device)?;
        }
        writer.summary_mut().vertices = simulation.model.vertices() as u64;
        if simulation.steps == 0 {
            writer.write_frame(&recording::frame(simulation, writer.layout(), None))?;
        }
        let seconds = writer.earlier_seconds();
        Ok(Recorder { writer, start: Instant::now(), seconds_before, seconds })
    }

    /// What the user should know about the run, in sentences: damage that was repaired, another
    /// build.
    pub fn notes(&self) -> &[String] {
        &self.writer.summary().notes
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

    /// Steps to the next frame, or less far when it is asked to stop; gives the report of the last
    /// step, if one was taken.
    pub(crate) fn advance_unless(
        &mut self,
        simulation: &mut Simulation,
        stop: &StopFlag,
    ) -> Result<Option<StepReport>, SimulationError> {
        let threads = simulation.threads().clone();
        threads.install(|| {
            let frame = simulation.frames;
            let mut last = None;
            while simulation.frames == frame && !stop.is_raised() {
                last = Some(self.step(simulation)?);
            }
            Ok(last)
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
            self.checkpoint(simulation)?;
        }
        Ok(())
    }

    /// Writes a checkpoint of the present state, for example before a long wait. The run can be
    /// resumed from it, also between two frames.
    pub fn checkpoint(&mut self, simulation: &Simulation) -> Result<(), SimulationError> {
        self.sum_up(simulation);
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

    /// Ends a run that failed: leaves the last good state on disk, and says why. Gives the error
    /// back, with what else went wrong while the state was saved.
    pub fn fail(mut self, simulation: &Simulation, error: SimulationError) -> SimulationError {
        let failure = error.to_string();
        if !matches!(error, SimulationError::Step { .. }) {
            // The last checkpoint is the last good state. Where nothing can be written, the summary
            // cannot be either, and the first error is the one to report.
            let _ = self.writer.finish(Some(failure));
            return error;
        }
        let saved = self.checkpoint(simulation);
        match saved.and_then(|()| Ok(self.writer.finish(Some(failure))?)) {
            Ok(_) => error,
            Err(second) => SimulationError::Unsaved { cause: Box::new(error), reason: second.to_string() },
        }
    }

    /// Leaves a run that was stopped early as one that can be resumed from here.
    pub fn pause(mut self, simulation: &Simulation) -> Result<RunSummary, SimulationError> {
        self.checkpoint(simulation)?;
        Ok(self.writer.pause()?)
    }

    /// Ends a run that is done.
    pub fn finish(mut self, simulation: &Simulation) -> Result<RunSummary, SimulationError> {
        self.sum_up(simulation);
        Ok(self.writer.finish(None)?)
    }
}

/// Where the run in a folder goes on, with a note when another build began it.
fn find_resume_point(
    simulation: &Simulation,
    lock: &RunLock,
    layout: &Layout,
    options: &RunOptions,
) -> Result<ResumePoint, SimulationError> {
    let scene_hash = simulation.identity.hash.clone();
    let identity = CheckpointIdentity { scene_hash, state_format: checkpoint::STATE_FORMAT };
    let mut point = ResumePoint::find(lock, layout, &identity, &options.budget)?;
    if let Some(found) = point.checkpoint.as_ref().filter(|found| found.build != build_id()) {
        point.notes.push(format!(
            "continued at step {} by build {}, begun by build {}: not promised to equal an uninterrupted run bit for bit",
            found.step,
            build_id(),
            found.build
        ));
    }
    Ok(point)
}

fn new_summary(simulation: &Simulation) -> RunSummary {
    RunSummary {
        scene: simulation.identity.name.clone(),
        scene_hash: simulation.identity.hash.clone(),
        method: simulation.method().to_owned(),
        version: crate::VERSION.to_owned(),
        build: build_id().to_owned(),
        state_format: checkpoint::STATE_FORMAT,
        threads: simulation.threads().count() as u64,
        dofs: simulation.model.dofs() as u64,
        elements: simulation.model.elements() as u64,
        ..RunSummary::default()
    }
}
