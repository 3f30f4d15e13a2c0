//! What the cases of method `pd` share: frames of a scene with the shares that its document
//! reports.   [Zhu2024, table 1]

use crate::measure::{Spent, measure};
use crate::record::Record;
use crate::registry::Stopped;
use std::path::Path;
use std::time::Instant;
use stiction::scene::{Scene, load_text};
use stiction::solvers::{StepReport, StepSeconds};
use stiction::{Simulation, gallery};

/// No new frame is begun after this wall time \[s\].
pub const LONGEST: f64 = 12.0;

/// A gallery scene under `pd` with changes; `None` when the gallery lacks it.
pub fn gallery_scene(name: &str, changes: &[&str]) -> Result<Option<Scene>, Stopped> {
    let Some(found) = gallery::find(name) else { return Ok(None) };
    let mut all = vec!["method.key=\"pd\"".to_owned()];
    all.extend(changes.iter().map(|change| (*change).to_owned()));
    Ok(Some(load_text(&format!("{name}.toml"), found.text, Path::new("."), &all)?.scene))
}

/// A scene from its text.
pub fn scene(text: &str) -> Result<Scene, Stopped> {
    Ok(load_text("bench.toml", text, Path::new("."), &[] as &[&str])?.scene)
}

/// Frames that were run, and how.
pub struct MeasuredFrames {
    /// The simulation after them.
    pub simulation: Simulation,
    /// Reports of the measured steps.
    pub reports: Vec<StepReport>,
    /// Time of the measured frames.
    pub spent: Spent,
    /// Measured frames.
    pub count: usize,
}

/// Runs `skip` frames, then measures up to `count` more; each part ends after [`LONGEST`].
pub fn frames(scene: Scene, skip: usize, count: usize) -> Result<MeasuredFrames, Stopped> {
    frames_within(scene, skip, count, LONGEST)
}

/// The same with another bound of the wall time of each part \[s\].
pub fn frames_within(
    scene: Scene,
    skip: usize,
    count: usize,
    longest: f64,
) -> Result<MeasuredFrames, Stopped> {
    frames_from(Simulation::new(scene)?, skip, count, longest)
}

/// The same from where a simulation stands.
pub fn frames_from(
    mut simulation: Simulation,
    skip: usize,
    count: usize,
    longest: f64,
) -> Result<MeasuredFrames, Stopped> {
    let start = Instant::now();
    for _ in 0..skip {
        if start.elapsed().as_secs_f64() > longest {
            break;
        }
        simulation.advance_frame()?;
    }
    let mut reports = Vec::new();
    let (spent, outcome) = measure(0.0, || -> Result<usize, Stopped> {
        let start = Instant::now();
        for frame in 0..count {
            if frame > 0 && start.elapsed().as_secs_f64() > longest {
                return Ok(frame);
            }
            reports.extend(simulation.advance_frame()?);
        }
        Ok(count)
    });
    Ok(MeasuredFrames { simulation, reports, spent, count: outcome? })
}

impl MeasuredFrames {
    /// Size, contacts, time per frame and the shares of the paper; the time per frame comes last.
    pub fn record(&self, case: &'static str, variant: &str) -> Record {
        let threads = rayon::current_num_threads();
        let variant = format!("{variant}, {} frames, {threads} threads", self.count);
        let mut record = Record { method: Some("pd"), ..Record::new(case, variant) };
        let model = &self.simulation.model;
        record.number("vertices", model.nodes as f64).number("dofs", 3.0 * model.nodes as f64);
        let contacts = |r: &StepReport| r.contacts as f64;
        record.number("contacts", self.reports.iter().map(contacts).sum::<f64>() / self.steps());
        record.number("contacts_max", self.reports.iter().map(contacts).fold(0.0, f64::max));
        let share = |of: fn(&StepSeconds) -> f64| self.seconds(of) / self.spent.wall;
        record.number("share_detection", share(|s| s.detection));
        let local = share(|s| s.contact_projection) + share(|s| s.local_projection);
        record.number("share_contact_and_elastic_projection", local);
        record.number("share_global_step", share(|s| s.linear_solve));
        record.number("iterations_per_step", self.iterations() / self.steps());
        record.time("ms_per_frame", self.spent.per(1e-3, self.count));
        record
    }

    /// Wall time of one kind of work in all measured steps \[s\].
    pub fn seconds(&self, of: fn(&StepSeconds) -> f64) -> f64 {
        self.reports.iter().map(|r| of(&r.seconds)).sum()
    }

    /// The same, and as much of the core time as its share of the wall time.
    pub fn both(&self, of: fn(&StepSeconds) -> f64) -> [f64; 2] {
        let wall = self.seconds(of);
        [wall, wall * self.spent.core / self.spent.wall]
    }

    /// Number of measured steps.
    pub fn steps(&self) -> f64 {
        self.reports.len() as f64
    }

    /// ADMM iterations of all measured steps.
    pub fn iterations(&self) -> f64 {
        self.reports.iter().map(|r| r.iterations as f64).sum()
    }

    /// A counter of the last step.
    pub fn counter(&self, name: &str) -> Option<f64> {
        let last = self.reports.last()?;
        last.counters.iter().chain(&last.residual).find(|(n, _)| *n == name).map(|(_, value)| *value)
    }

    /// Adds what tells whether the fast frames are good ones: stretch, crossings, penetration.
    pub fn add_quality(&mut self, record: &mut Record) -> Result<(), Stopped> {
        let stretch = self.simulation.strain_per_node().into_iter().fold(0.0f32, f32::max);
        record.number("largest_stretch", f64::from(stretch));
        let deepest = self.reports.iter().map(|r| r.penetration).fold(0.0, f64::max);
        record.number("penetration_max_mm", 1e3 * deepest);
        record.number("intersections_at_end", self.simulation.check_intersections()?.intersections() as f64);
        Ok(())
    }
}
