//! A law of one's own: a tendon that stiffens exponentially, between a corner of a hanging cloth
//! and a place.
//!
//! `cargo run --release -p stiction --example own_law`
//!
//! The law is an `Element`: energy, gradient and Hessian, checked by differences. Its force then
//! acts as an external force between steps, which is enough for soft laws; docs/extending.md says
//! where a law goes that a method should treat implicitly.

use stiction::energy::check::{Checks, check_element};
use stiction::energy::{Curvature, Element, LocalHessian, NO_MATERIALS, Stencil};
use stiction::numerics::{Mat3, Vec3};
use stiction::{Simulation, SimulationError};

/// Fung's exponential law for the length l of a tendon, E = a L / b² (exp(b e) − 1 − b e) with the
/// strain e = l/L − 1 where that is positive, else 0: a slack tendon does not push. a stiffness at
/// no strain \[N\] · b growth \[1\] · L rest length \[m\]
pub struct Tendon {
    /// Its ends.
    pub nodes: [u32; 2],
    /// a \[N\].
    pub stiffness: f64,
    /// b.
    pub growth: f64,
    /// L \[m\].
    pub rest_length: f64,
}

impl Tendon {
    fn strain(&self, length: f64) -> f64 {
        (length / self.rest_length - 1.0).max(0.0)
    }

    /// dE/dl \[N\].
    fn tension(&self, length: f64) -> f64 {
        self.stiffness / self.growth * ((self.growth * self.strain(length)).exp() - 1.0)
    }

    /// d²E/dl² \[N/m\].
    fn slope(&self, length: f64) -> f64 {
        match self.strain(length) {
            0.0 => 0.0,
            strain => self.stiffness / self.rest_length * (self.growth * strain).exp(),
        }
    }
}

impl Element<2> for Tendon {
    fn blocks(&self) -> [u32; 2] {
        self.nodes
    }

    fn energy(&self, at: &Stencil<'_, 2>) -> f64 {
        let grown = self.growth * self.strain((at.x[1] - at.x[0]).norm());
        self.stiffness * self.rest_length / self.growth.powi(2) * (grown.exp() - 1.0 - grown)
    }

    fn gradient(&self, at: &Stencil<'_, 2>) -> [Vec3; 2] {
        let way = at.x[1] - at.x[0];
        let pull = way / way.norm() * self.tension(way.norm());
        [-pull, pull]
    }

    /// Along the tendon the slope, across it tension over length: never negative, so already
    /// projected.
    fn hessian(&self, at: &Stencil<'_, 2>, _: Curvature) -> LocalHessian<2> {
        let way = at.x[1] - at.x[0];
        let (length, along) = (way.norm(), way.normalize());
        let across = self.tension(length) / length;
        let h =
            Mat3::from_diagonal_element(across) + along * along.transpose() * (self.slope(length) - across);
        [[h, -h], [-h, h]]
    }
}

/// Compares gradient and Hessian with differences of the energy in random states; panics where they
/// differ.
pub fn check_derivatives(tendon: &Tendon) {
    let mut checks = Checks::nodes(tendon.rest_length);
    checks.step = 1e-4;
    let stretched = |random: &mut stiction::energy::check::TestRandom| {
        let start = random.vector();
        let length = tendon.rest_length * random.range(1.1, 1.5);
        let end = start + random.rotation() * Vec3::x() * length;
        Stencil { x: [start, end], frames: &[], materials: &NO_MATERIALS }
    };
    check_element(tendon, stretched, &checks);
}

/// Hangs the cloth of the gallery by a tendon from its lowest corner, and gives the pull in the end
/// \[N\].
pub fn pull_on_cloth(frames: u64) -> Result<f64, SimulationError> {
    let mut simulation = Simulation::open("hanging_cloth", None, &["bodies.sheet.mesh.grid.cells=[8, 8]"])?;
    let lowest = |s: &Simulation| {
        let heights = s.state.positions(&s.model).iter().enumerate();
        heights.min_by(|a, b| a.1.z.total_cmp(&b.1.z)).map_or(0, |(node, _)| node)
    };
    let node = lowest(&simulation);
    let anchor = simulation.state.blocks[node] - Vec3::new(0.3, 0.0, 0.3);
    let tendon = Tendon { nodes: [node as u32, 0], stiffness: 0.05, growth: 4.0, rest_length: 0.3 };
    let mut pull = 0.0;
    while simulation.frames < frames {
        let at =
            Stencil { x: [simulation.state.blocks[node], anchor], frames: &[], materials: &NO_MATERIALS };
        let [gradient, _] = tendon.gradient(&at);
        simulation.apply_force(node, -gradient)?;
        simulation.step()?;
        pull = gradient.norm();
    }
    Ok(pull)
}

/// Runs the example.
pub fn main() -> Result<(), SimulationError> {
    check_derivatives(&Tendon { nodes: [0, 1], stiffness: 0.05, growth: 4.0, rest_length: 0.3 });
    println!("gradient and Hessian agree with differences of the energy");
    println!("after 20 frames the tendon pulls with {:.4} N", pull_on_cloth(20)?);
    Ok(())
}
