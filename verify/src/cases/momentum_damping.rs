//! `momentum_damping`: damping takes energy from a free body, not momentum.
//!
//! * Geometry: a soft block (0.4 × 0.1 × 0.1 m, 4 × 1 × 1 cells) thrown and spinning, without
//!   gravity, air or contact, struck at the start: every node gets a speed of its own up to 1 m/s.
//!   E = 1e5 Pa, ν = 0.3.
//! * Damping of stiffness β = 0, 1, 10 and 100 ms (the damping series of Zhu et al. 2024). Step:
//!   h = 1/120 s, 60 steps.
//! * Settings: converged, default, and `pd` by iterations.
//! * Measured: change of linear momentum relative to its start; kinetic energy beyond that of the
//!   rigid motion left after ½ s over that at the start.
//! * Expected: momentum kept to 1e-10 by `pd` whatever β and the iterations; by others, whose
//!   solves end at a tolerance, to 1e-6 when converged; converged, every β leaves less energy than
//!   the one before. The angular momentum that is left is reported (backward Euler loses spin by
//!   itself).

use crate::error::VerifyError;
use crate::outcome::{Finding, Quantity};
use crate::setup::Setup;
use crate::specimen::Specimen;
use stiction::numerics::{Random, Vec3};

const SERIES: [f64; 4] = [0.0, 0.001, 0.01, 0.1];

fn scene(setup: &Setup<'_>, damping: f64) -> String {
    format!(
        "stiction = 1
        fps = 120
        gravity = 0.0
        wind = {{ air_density = 0.0 }}
        {}
        [bodies.block]
        kind = 'solid'
        mesh = {{ tet_box = {{ size = [0.4, 0.1, 0.1], cells = [4, 1, 1] }} }}
        material = {{ density = 1000.0, young = 1e5, poisson = 0.3, law = 'corotated', damping_stiffness = {damping} }}
        velocity = [1.0, 0.5, -0.3]
        self_contact = false
        spin = [0, 0, 3]",
        setup.method_line()
    )
}

/// Energy of the motion of nodes against the mean velocity \[J\].
fn inner_energy(specimen: &Specimen) -> f64 {
    let (model, parameters) = (&specimen.simulation.model, &specimen.simulation.parameters);
    let state = specimen.state();
    let momentum = state.momentum(model, parameters);
    let mass: f64 = parameters.mass.iter().sum();
    state.kinetic_energy(model, parameters) - 0.5 * momentum.norm_squared() / mass
}

/// Runs the case.
pub fn measure(setup: &Setup<'_>) -> Result<Finding, VerifyError> {
    let mut out = Finding::new();
    let mut left = Vec::new();
    for damping in SERIES {
        let mut specimen = Specimen::new(&scene(setup, damping))?;
        let mut random = Random::new(1);
        let nodes = specimen.simulation.model.nodes;
        specimen.simulation.state.velocities[..nodes].iter_mut().for_each(|v| *v += random.vector(-1.0, 1.0));
        let (model, parameters) = (&specimen.simulation.model, &specimen.simulation.parameters);
        let (linear, angular): (Vec3, Vec3) = (
            specimen.state().momentum(model, parameters),
            specimen.state().angular_momentum(model, parameters),
        );
        let start = inner_energy(&specimen);
        for _ in 0..60 {
            specimen.step()?;
        }
        let (model, parameters) = (&specimen.simulation.model, &specimen.simulation.parameters);
        let lost = (specimen.state().momentum(model, parameters) - linear).norm() / linear.norm();
        let spin = specimen.state().angular_momentum(model, parameters).norm() / angular.norm();
        left.push(inner_energy(&specimen) / start);
        let name = format!("linear momentum lost, β = {damping} s");
        out.push(match setup.method {
            "pd" => Quantity::within(1e-10, name, 0.0, lost),
            _ => setup.judged(1e-6, name, 0.0, lost),
        });
        out.push(Quantity::reported(format!("angular momentum left, β = {damping} s"), 1.0, spin));
    }
    for (damping, left) in SERIES.iter().zip(&left) {
        out.push(Quantity::reported(format!("energy of inner motion left, β = {damping} s"), 0.0, *left));
    }
    let falling = left.windows(2).filter(|pair| pair[1] < pair[0]).count();
    out.push(setup.judged(0.0, "pairs of the series in which more damping leaves less", 3.0, falling as f64));
    Ok(out)
}
