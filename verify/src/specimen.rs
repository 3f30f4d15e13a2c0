//! A scene under test: loaded from text, brought to rest, asked for its stability.

use crate::error::VerifyError;
use std::path::Path;
use stiction::bodies::State;
use stiction::energy::{Curvature, Elasticity};
use stiction::numerics::{BlockMatrix, Vec3};
use stiction::scene::resolved::Gravity;
use stiction::scene::{Scene, load_text};
use stiction::solvers::StepReport;
use stiction::{Simulation, checkpoint};
use stiction_factor::{FactorError, SparseCholesky};

/// Lines that open a scene of statics: equilibrium by Newton without inertia, in vacuum, nothing
/// but the energy.
///
/// The tolerance is the largest change of a coordinate in the last Newton step.
pub const STATICS: &str = r#"
stiction = 1
fps = 1
method = { key = "newton", quasi_static = true, tolerance = 1e-8, max_iterations = 400 }
wind = { air_density = 0.0 }
"#;

/// Most steps that [`Specimen::settle`] takes.
const MOST_STEPS: usize = 100;

/// A scene under test.
pub struct Specimen {
    /// The simulation: model, parameters and state may be looked at and changed.
    pub simulation: Simulation,
}

impl Specimen {
    /// Loads scene text.
    pub fn new(text: &str) -> Result<Specimen, VerifyError> {
        Specimen::edited(text, |_| {})
    }

    /// Loads scene text with changes `path=value`.
    pub fn with_changes(text: &str, changes: &[String]) -> Result<Specimen, VerifyError> {
        let scene = load_text("verify.toml", text, Path::new("."), changes)?.scene;
        Ok(Specimen { simulation: Simulation::new(scene)? })
    }

    /// Loads scene text and changes the scene before it is compiled, where the format has no word
    /// for the change.
    pub fn edited(text: &str, edit: impl FnOnce(&mut Scene)) -> Result<Specimen, VerifyError> {
        let mut scene = load_text("verify.toml", text, Path::new("."), &[] as &[&str])?.scene;
        edit(&mut scene);
        Ok(Specimen { simulation: Simulation::new(scene)? })
    }

    /// Takes one step.
    pub fn step(&mut self) -> Result<StepReport, VerifyError> {
        Ok(self.simulation.step()?)
    }

    /// Takes the state and the remembered forces of another specimen of the same model.
    pub fn continue_from(&mut self, other: &Specimen) -> Result<(), VerifyError> {
        Ok(checkpoint::restore(&mut self.simulation, &checkpoint::save(&other.simulation))?)
    }

    /// Where it is.
    pub fn state(&self) -> &State {
        &self.simulation.state
    }

    /// Position of a node \[m\].
    pub fn node(&self, node: usize) -> Vec3 {
        self.simulation.state.blocks[node]
    }

    /// Sets gravity \[m/s²\].
    pub fn set_gravity(&mut self, gravity: Vec3) {
        self.simulation.parameters.gravity = Gravity::constant(gravity);
    }

    /// Takes quasi-static steps until one of them changes nothing: rod frames follow between steps.
    pub fn settle(&mut self) -> Result<(), VerifyError> {
        let mut update = f64::NAN;
        for _ in 0..MOST_STEPS {
            let report = self.simulation.step()?;
            update = report.residual.iter().find(|(name, _)| *name == "update_m").map_or(f64::NAN, |r| r.1);
            if report.converged && report.iterations <= 2 {
                return Ok(());
            }
        }
        Err(VerifyError::NotSettled { steps: MOST_STEPS, update })
    }

    /// Raises gravity to its full value in stages and settles at each: the branch that grows from
    /// the unloaded shape.
    pub fn load_gradually(&mut self, gravity: Vec3, stages: usize) -> Result<(), VerifyError> {
        for stage in 1..=stages {
            self.set_gravity(gravity * (stage as f64 / stages as f64));
            self.settle()?;
        }
        Ok(())
    }

    /// The elastic energy of the model.
    pub fn elasticity(&self) -> Result<Elasticity, VerifyError> {
        Ok(Elasticity::new(&self.simulation.model, &self.simulation.parameters)?)
    }

    /// Elastic forces' gradient ∂V/∂x per block \[N\], \[N m\].
    pub fn elastic_gradient(&self) -> Result<Vec<Vec3>, VerifyError> {
        let state = self.state();
        let mut gradient = vec![Vec3::zeros(); state.blocks.len()];
        self.elasticity()?.add_gradient(&state.blocks, &state.frames, state.time, &mut gradient);
        Ok(gradient)
    }

    /// Elastic energy of one kind \[J\].
    pub fn energy_of(&self, kind: &str) -> Result<f64, VerifyError> {
        let state = self.state();
        let kinds = self.elasticity()?.energy_by_kind(&state.blocks, &state.frames, state.time);
        Ok(kinds.iter().filter(|(name, _)| *name == kind).map(|(_, energy)| energy).sum())
    }

    /// Whether the present equilibrium is stable: the exact Hessian over the free blocks is
    /// positive definite.
    pub fn is_stable(&self) -> Result<bool, VerifyError> {
        let (model, state) = (&self.simulation.model, self.state());
        let elasticity = self.elasticity()?;
        let mut matrix = BlockMatrix::zeros(elasticity.pattern().clone());
        elasticity.add_hessian(&state.blocks, &state.frames, state.time, Curvature::Exact, &mut matrix);
        let controls = &self.simulation.parameters.controls;
        let fixed = model.pins.prescribe(model, controls, state, state.time).fixed;
        match SparseCholesky::analyse(matrix.pattern(), model.nodes)?.factor(&matrix, Some(&fixed)) {
            Ok(()) => Ok(true),
            Err(FactorError::NotPositiveDefinite { .. }) => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

/// The value between `low` and `high` at which `stable` changes, by halving to a relative width of
/// 1e-4.
pub fn threshold(
    mut low: f64,
    mut high: f64,
    stable: impl Fn(f64) -> Result<bool, VerifyError>,
) -> Result<f64, VerifyError> {
    let at_low = stable(low)?;
    if stable(high)? == at_low {
        return Err(VerifyError::NoThreshold { low, high, stable: at_low });
    }
    while high - low > 1e-4 * high.abs() {
        let middle = 0.5 * (low + high);
        match stable(middle)? == at_low {
            true => low = middle,
            false => high = middle,
        }
    }
    Ok(0.5 * (low + high))
}

/// The friction below which something runs, by halving the interval `halvings` times; an end of it
/// when it runs or holds throughout.
pub fn critical_friction(
    mut low: f64,
    mut high: f64,
    halvings: usize,
    runs: impl Fn(f64) -> Result<bool, VerifyError>,
) -> Result<f64, VerifyError> {
    for _ in 0..halvings {
        let middle = 0.5 * (low + high);
        if runs(middle)? { low = middle } else { high = middle }
    }
    Ok(0.5 * (low + high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn critical_friction_is_found_or_an_end_of_the_interval() {
        assert!((critical_friction(0.1, 0.5, 12, |mu| Ok(mu < 0.3)).unwrap() - 0.3).abs() < 1e-4);
        assert!(critical_friction(0.1, 0.5, 12, |_| Ok(true)).unwrap() > 0.4999);
        assert!(critical_friction(0.1, 0.5, 12, |_| Ok(false)).unwrap() < 0.1001);
    }

    #[test]
    fn thresholds_are_found_or_named() {
        assert!((threshold(0.0, 8.0, |x| Ok(x < 3.3)).unwrap() - 3.3).abs() < 1e-3);
        let missed = threshold(0.0, 1.0, |x| Ok(x < 3.3)).unwrap_err().to_string();
        assert!(missed.contains("between 0 and 1") && missed.contains("stable at both"), "{missed}");
    }
}
