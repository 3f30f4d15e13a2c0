//! The state of a run: plain arrays.

use crate::frames::EdgeFrame;
use crate::model::{Body, Model};
use crate::parameters::Parameters;
use stiction_numerics::Vec3;
use stiction_scene::Scene;

/// Positions, angles, velocities and frames at one moment.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Time \[s\].
    pub time: f64,
    /// Positions of the nodes \[m\], then twists of the rod edges and angles of the shell normals \[rad\] in the first
    /// component.
    pub blocks: Vec<Vec3>,
    /// Their velocities \[m/s\], \[rad/s\].
    pub velocities: Vec<Vec3>,
    /// Reference frames of the rod edges, then of the shell edges, at `time`.
    pub frames: Vec<EdgeFrame>,
}

impl State {
    /// The state at the start of a scene.
    pub fn initial(model: &Model, scene: &Scene) -> State {
        let mut blocks = model.initial.clone();
        blocks.resize(model.blocks(), Vec3::zeros());
        let mut velocities = vec![Vec3::zeros(); model.blocks()];
        for (body, source) in model.bodies.iter().zip(&scene.bodies) {
            let centre = spin_centre(body, source.material.density(), &blocks);
            for node in body.nodes.clone() {
                velocities[node] = source.initial_velocity + source.spin.cross(&(blocks[node] - centre));
            }
        }
        let frames = model.initial_frames(&blocks);
        for (index, edge) in model.shell_edges.iter().enumerate() {
            // A normal turns with its body.
            let spin = scene.bodies[edge.body as usize].spin;
            velocities[model.shell_angle_block(index)].x =
                spin.dot(&frames[model.shell_frame(index)].tangent);
        }
        State { time: 0.0, blocks, velocities, frames }
    }

    /// Positions of the nodes \[m\].
    pub fn positions(&self, model: &Model) -> &[Vec3] {
        &self.blocks[..model.nodes]
    }

    /// Linear momentum Σ m v of all nodes \[kg m/s\].
    pub fn momentum(&self, model: &Model, parameters: &Parameters) -> Vec3 {
        self.velocities[..model.nodes].iter().zip(&parameters.mass).map(|(v, m)| v * *m).sum()
    }

    /// Angular momentum Σ x × m v of all nodes about the origin \[kg m²/s\]; the spin of rod sections is left out.
    pub fn angular_momentum(&self, model: &Model, parameters: &Parameters) -> Vec3 {
        let nodes = self.blocks[..model.nodes].iter().zip(&self.velocities).zip(&parameters.mass);
        nodes.map(|((x, v), m)| x.cross(v) * *m).sum()
    }

    /// Kinetic energy ½ Σ m v² \[J\], angles included.
    pub fn kinetic_energy(&self, parameters: &Parameters) -> f64 {
        self.velocities.iter().zip(&parameters.mass).map(|(v, m)| 0.5 * m * v.norm_squared()).sum()
    }

    /// Whether all numbers are finite.
    pub fn is_finite(&self) -> bool {
        let finite = |v: &Vec3| v.iter().all(|c| c.is_finite());
        self.blocks.iter().all(finite) && self.velocities.iter().all(finite)
    }
}

/// What a body spins about at the start \[m\]: the mean of its vertices, or the centre of mass of its frames.
fn spin_centre(body: &Body, density: f64, blocks: &[Vec3]) -> Vec3 {
    let weight = |node: usize| body.node_volumes.get(node - body.nodes.start).map_or(1.0, |v| density * v);
    let total: f64 = body.nodes.clone().map(weight).sum();
    body.nodes.clone().map(|n| blocks[n] * weight(n)).sum::<Vec3>() / total.max(f64::MIN_POSITIVE)
}
