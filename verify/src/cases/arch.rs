//! `arch_threshold`: a masonry arch without mortar stands while friction suffices.
//!
//! * Geometry, mesh, material, step size: those of the gallery scene `masonry_arch`, 25 stones of
//!   eight vertices on two inclined springers, h = 1/100 s.
//! * Friction: 0.9 for ½ s; then it falls to the value under test within 1 s, smoothly (a cosine),
//!   so that stones are not shaken loose; then 2 s with that value.
//! * Settings: converged, default (of the method, not of the scene), and `pd` by iterations.
//! * Measured: the friction at which the arch falls, by seven bisections between 0.05 and 0.2 (an
//!   end of this interval when it stands or falls throughout). It falls when some vertex has moved
//!   by more than 20 mm since friction began to fall, a seventh of the thickness at the crown.
//! * Expected: 0.103, limit analysis of these stones as stiff pieces: the least friction for which
//!   some thrust stays inside the joints and inside the cones. Stones that give way and joints of 1
//!   mm are not part of it: within 10 %.

use crate::error::VerifyError;
use crate::outcome::Finding;
use crate::setup::Setup;
use crate::specimen::{Specimen, critical_friction};
use std::f64::consts::PI;
use stiction::gallery;

const FIRM: f64 = 0.9;
const CRITICAL: f64 = 0.103;
/// Steps with firm friction, while it falls, and that count.
const STEPS: [usize; 3] = [50, 100, 200];
/// A vertex that has moved by so much has fallen \[m\].
const FALLEN: f64 = 0.02;

/// Friction in a step.
fn friction(step: usize, last: f64) -> f64 {
    let [firm, falling, _] = STEPS;
    let share = (step.saturating_sub(firm) as f64 / falling as f64).min(1.0);
    FIRM + (last - FIRM) * 0.5 * (1.0 - (PI * share).cos())
}

/// Whether the arch falls at a friction.
fn falls(setup: &Setup<'_>, mu: f64) -> Result<bool, VerifyError> {
    let text = gallery::find("masonry_arch").map_or("", |scene| scene.text);
    let options: String =
        setup.options().into_iter().map(|(name, value)| format!(", {name} = {value}")).collect();
    let changes = [format!("method={{ key = '{}'{options} }}", setup.method)];
    let mut specimen = Specimen::with_changes(text, &changes)?;
    let nodes = specimen.simulation.model.nodes;
    let mut before = Vec::new();
    for step in 0..STEPS.iter().sum() {
        if step == STEPS[0] {
            before = specimen.state().blocks[..nodes].to_vec();
        }
        specimen.simulation.parameters.friction.fill(friction(step, mu));
        specimen.step()?;
        let moved = before.iter().zip(&specimen.state().blocks).map(|(from, to)| (to - from).norm());
        if moved.fold(0.0, f64::max) > FALLEN {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Runs the case.
pub fn threshold(setup: &Setup<'_>) -> Result<Finding, VerifyError> {
    let found = critical_friction(0.05, 0.2, 7, |mu| falls(setup, mu))?;
    Ok(vec![setup.judged(0.1, "friction at which the arch falls", CRITICAL, found)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn friction_falls_smoothly_and_stays() {
        let all: Vec<f64> = (0..STEPS.iter().sum()).map(|step| friction(step, 0.1)).collect();
        assert!(all[..=STEPS[0]].iter().all(|mu| *mu == FIRM));
        assert!(all[STEPS[0] + STEPS[1]..].iter().all(|mu| (mu - 0.1).abs() < 1e-12));
        let largest = all.windows(2).map(|pair| pair[0] - pair[1]).fold(0.0, f64::max);
        assert!(
            largest < 0.8 * 0.5 * PI / STEPS[1] as f64 * 1.01 && all.is_sorted_by(|a, b| a >= b),
            "{largest}"
        );
    }
}
