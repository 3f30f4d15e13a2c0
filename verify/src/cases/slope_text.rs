//! Bodies on a plane whose gravity is tilted: the specimens of the slope and stopping cases.

use crate::setup::Setup;
use crate::specimen::Specimen;
use stiction::numerics::Vec3;

/// Gravity \[m/s²\].
pub(super) const GRAVITY: f64 = 9.81;

/// A body that lies on a slope.
#[derive(Clone, Copy)]
pub(super) enum SlopeBody {
    /// Stiff block (100 MPa, so that its own shear does not count) of 0.2 × 0.2 × 0.1 m, 2 × 2 × 1
    /// cells of tets.
    Block,
    /// Square sheet of 0.4 m, 8 × 8 cells, 0.2 kg/m².
    Cloth,
}

/// A slope, how fast the body goes down it at the start, and the step.
#[derive(Clone, Copy)]
pub(super) struct Slope {
    pub sample: SlopeBody,
    /// tan of its angle.
    pub tangent: f64,
    /// Friction with the plane.
    pub mu: f64,
    /// Speed down the slope at the start \[m/s\].
    pub speed: f64,
    /// \[s\]
    pub step: f64,
}

impl Slope {
    /// g (sin θ − μ cos θ): acceleration of a body that slides \[m/s²\].
    pub fn acceleration(&self) -> f64 {
        GRAVITY * (self.tangent - self.mu) / self.tangent.hypot(1.0)
    }

    /// The scene: x points down the slope, z away from it; `own` are options of the method that it
    /// sets itself.
    pub fn text(&self, setup: &Setup<'_>, own: &[(&'static str, String)]) -> String {
        let cos = 1.0 / self.tangent.hypot(1.0);
        let (along, down) = (GRAVITY * self.tangent * cos, -GRAVITY * cos);
        let (fps, step) = (1.0 / self.step, self.step);
        let (body, height) = match self.sample {
            SlopeBody::Block => (
                "kind = 'solid'
                mesh = { tet_box = { size = [0.2, 0.2, 0.1], cells = [2, 2, 1] } }
                material = { density = 1000.0, young = 1e8, poisson = 0.3, law = 'corotated', damping_stiffness = 0.002 }",
                0.05,
            ),
            SlopeBody::Cloth => (
                "kind = 'cloth'
                mesh = { grid = { size = [0.4, 0.4], cells = [8, 8] } }
                material = { density = 400.0, thickness = 0.0005, young = 1e6, poisson = 0.3, damping_stiffness = 0.002 }",
                0.00025,
            ),
        };
        format!(
            "stiction = 1
            fps = {fps}
            step = {step}
            gravity = [{along}, 0.0, {down}]
            wind = {{ air_density = 0.0 }}
            {}
            [bodies.body]
            {body}
            translate = [0, 0, {}]
            velocity = [{}, 0, 0]
            gap = 0.001
            [colliders.plane]
            plane = {{ normal = [0, 0, 1], offset = 0 }}
            [friction]
            pairs = [{{ a = 'body', b = 'plane', mu = {} }}]",
            setup.method_line_with(own),
            height + setup.lift(),
            self.speed,
            self.mu
        )
    }
}

/// Centre of mass of all bodies \[m\].
pub(super) fn centre(specimen: &Specimen) -> Vec3 {
    let (model, state) = (&specimen.simulation.model, specimen.state());
    let masses = &specimen.simulation.parameters.mass[..model.nodes];
    let mass: f64 = masses.iter().sum();
    let moment: Vec3 = masses.iter().zip(&state.blocks).map(|(m, x)| x * *m).sum();
    moment / mass
}
