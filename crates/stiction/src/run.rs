//! A whole run: steps, frames, statistics and checkpoints in a folder.

use crate::checkpoint;
use crate::error::SimulationError;
use crate::judgement::{Finding, Judgement};
use crate::recording;
use crate::simulation::Simulation;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;
use stiction_output::files::{self, Durability};
use stiction_output::{
    Category, Checkpoint, CheckpointIdentity, RunSummary, RunWriter, STRAIN_LIMIT_EXCESS, StepRecord,
    TimeShare, narrow, peak_memory_bytes, remove_run,
};
use stiction_scene::{InitialContact, Scene};
use stiction_solvers::{StepReport, StepSeconds};

/// What a run needs beside the scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunOptions {
    /// Scene name or path as the user gave it.
    pub scene_name: String,
    /// Hash of the scene after all overrides; a checkpoint of another hash is refused.
    pub scene_hash: String,
    /// The scene after all overrides, kept in the folder as `scene.json`.
    pub canonical: String,
    /// Continue from the newest checkpoint in the folder.
    pub resume: bool,
    /// Remove the run that the folder holds, once the scene has been checked.
    pub overwrite: bool,
}

/// Told to the caller after every frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress<'a> {
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
}

/// Runs a scene into a folder. `watch` is called after every frame and may stop the run, which can then be resumed.
pub fn run(
    scene: Scene,
    folder: &Path,
    options: &RunOptions,
    mut watch: impl FnMut(Progress<'_>) -> ControlFlow<()>,
) -> Result<RunSummary, SimulationError> {
    let mut simulation = Simulation::new(scene)?;
    refuse_intersections(&mut simulation)?;
    if !options.resume {
        simulation.check_start()?;
    }
    let mut recorder = Recorder::open(&mut simulation, folder, options)?;
    let frames = u64::from(simulation.scene.frames);
    while simulation.frames < frames {
        let last = match recorder.advance(&mut simulation) {
            Ok(last) => last,
            Err(error) => return recorder.fail(&simulation, error),
        };
        let seconds = recorder.wall_seconds();
        let progress = Progress {
            frame: simulation.frames,
            frames,
            steps: simulation.steps,
            seconds,
            last: Some(&last),
        };
        if watch(progress).is_break() && simulation.frames < frames {
            return recorder.pause(&simulation);
        }
    }
    recorder.finish(&simulation)
}

/// A scene that refuses contact at the start is not run when bodies cross.
fn refuse_intersections(simulation: &mut Simulation) -> Result<(), SimulationError> {
    if simulation.scene.initial_contact != InitialContact::Refuse {
        return Ok(());
    }
    let judgement = simulation.judge()?;
    if judgement.intersections() == 0 {
        return Ok(());
    }
    let findings = judgement.findings(&simulation.model.surfaces);
    let worst: Vec<String> =
        findings.iter().filter(|f| f.kind != "overlap").take(5).map(Finding::sentence).collect();
    let list = format!("{} intersections; {}", judgement.intersections(), worst.join("; "));
    Err(SimulationError::InitialIntersections { list })
}

/// The writing side of a run.
struct Recorder {
    writer: RunWriter,
    start: Instant,
    seconds_before: f64,
    seconds: [f64; 8],
}

impl Recorder {
    fn open(
        simulation: &mut Simulation,
        folder: &Path,
        options: &RunOptions,
    ) -> Result<Recorder, SimulationError> {
        let layout = recording::layout(&simulation.scene, &simulation.model);
        let summary = RunSummary {
            scene: options.scene_name.clone(),
            scene_hash: options.scene_hash.clone(),
            method: simulation.method().to_owned(),
            version: crate::VERSION.to_owned(),
            threads: rayon::current_num_threads() as u64,
            dofs: simulation.model.dofs() as u64,
            elements: simulation.model.elements() as u64,
            ..RunSummary::default()
        };
        let identity =
            CheckpointIdentity { scene_hash: options.scene_hash.clone(), version: crate::VERSION.to_owned() };
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
        files::write_atomic(&folder.join("scene.json"), options.canonical.as_bytes(), Durability::Device)?;
        writer.summary_mut().vertices = simulation.model.vertices() as u64;
        let seconds_before = found.as_ref().map_or(0.0, |c| c.wall_seconds);
        match &found {
            Some(checkpoint) => checkpoint::restore(simulation, &checkpoint.sections)?,
            None => writer.write_frame(&recording::frame(simulation, writer.layout(), None))?,
        }
        let seconds = writer.earlier_seconds();
        Ok(Recorder { writer, start: Instant::now(), seconds_before, seconds })
    }

    /// Steps to the next frame, writing what they reached.
    fn advance(&mut self, simulation: &mut Simulation) -> Result<StepReport, SimulationError> {
        let frame = simulation.frames;
        loop {
            let started = Instant::now();
            let report = simulation.step()?;
            let wall = started.elapsed().as_secs_f64();
            let judging = Instant::now();
            let judgement = simulation.judge()?;
            self.seconds[Category::Detection as usize] += judging.elapsed().as_secs_f64();
            let writing = Instant::now();
            self.writer.write_step(&record(simulation, &report, &judgement, wall))?;
            if simulation.frames > frame {
                self.write_frame(simulation, &report, &judgement)?;
            }
            self.book(&report.seconds, wall, writing.elapsed().as_secs_f64());
            if simulation.frames > frame {
                return Ok(report);
            }
        }
    }

    fn write_frame(
        &mut self,
        simulation: &Simulation,
        report: &StepReport,
        judgement: &Judgement,
    ) -> Result<(), SimulationError> {
        let mut frame = recording::frame(simulation, self.writer.layout(), Some(report));
        frame.intersections = narrow(&judgement.places());
        self.writer.write_frame(&frame)?;
        let every = u64::from(simulation.scene.output.checkpoint_every.max(1));
        if simulation.frames.is_multiple_of(every) || simulation.frames == u64::from(simulation.scene.frames)
        {
            self.sum_up(simulation);
            self.writer.write_checkpoint(
                simulation.steps,
                simulation.state.time,
                checkpoint::save(simulation),
            )?;
        }
        Ok(())
    }

    fn wall_seconds(&self) -> f64 {
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

    /// Leaves the last good state on disk, and says why the run ended.
    fn fail(
        mut self,
        simulation: &Simulation,
        error: SimulationError,
    ) -> Result<RunSummary, SimulationError> {
        if matches!(error, SimulationError::Step { .. }) {
            self.sum_up(simulation);
            self.writer.write_checkpoint(
                simulation.steps,
                simulation.state.time,
                checkpoint::save(simulation),
            )?;
        }
        self.writer.finish(Some(error.to_string()))?;
        Err(error)
    }

    /// Leaves a run that was stopped early as one that goes on: it can be resumed.
    fn pause(mut self, simulation: &Simulation) -> Result<RunSummary, SimulationError> {
        self.sum_up(simulation);
        self.writer.write_summary()?;
        Ok(self.writer.summary().clone())
    }

    fn finish(mut self, simulation: &Simulation) -> Result<RunSummary, SimulationError> {
        self.sum_up(simulation);
        Ok(self.writer.finish(None)?)
    }
}

fn by_category(s: &StepSeconds) -> [(Category, f64); 6] {
    [
        (Category::Detection, s.detection),
        (Category::Assembly, s.assembly),
        (Category::LinearSolve, s.linear_solve),
        (Category::ContactProjection, s.contact_projection),
        (Category::LocalProjection, s.local_projection),
        (Category::LineSearch, s.line_search),
    ]
}

/// One line of the statistics.
fn record(simulation: &Simulation, report: &StepReport, judgement: &Judgement, wall: f64) -> StepRecord {
    let named = |pairs: &[(&'static str, f64)]| -> BTreeMap<String, f64> {
        pairs.iter().map(|&(name, value)| (name.to_owned(), value)).collect()
    };
    let objects = &simulation.model.surfaces.objects;
    let forces = objects.iter().zip(&report.contact_force).map(|(o, f)| (o.name.clone(), (*f).into()));
    let mut seconds: BTreeMap<String, f64> = by_category(&report.seconds)
        .iter()
        .filter(|(_, s)| *s > 0.0)
        .map(|(c, s)| (c.name().to_owned(), *s))
        .collect();
    seconds.insert(Category::Other.name().to_owned(), (wall - report.seconds.total()).max(0.0));
    let mut out = StepRecord {
        step: simulation.steps,
        time: simulation.state.time,
        h: report.advanced,
        iterations: report.iterations as u64,
        residual: named(&report.residual),
        contacts: report.contacts as u64,
        penetration_m: report.penetration,
        intersections: judgement.intersections() as u64,
        overlaps: judgement.overlaps() as u64,
        energy: named(&report.energy),
        momentum: simulation.state.momentum(&simulation.model, &simulation.parameters).into(),
        contact_force: forces.collect(),
        seconds,
        ..StepRecord::default()
    };
    out.extra.insert("converged".to_owned(), report.converged.into());
    out.extra.insert(STRAIN_LIMIT_EXCESS.to_owned(), report.strain_limit_excess.into());
    if !report.contacts_by_kind.is_empty() {
        let kinds: BTreeMap<&str, usize> = report.contacts_by_kind.iter().copied().collect();
        out.extra.insert("contacts_by_kind".to_owned(), serde_json::json!(kinds));
    }
    for &(name, value) in &report.counters {
        out.extra.insert(name.to_owned(), value.into());
    }
    out
}
