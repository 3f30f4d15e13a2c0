//! External forces: what the caller pushes and pulls in the next step.

use crate::error::SimulationError;
use crate::simulation::Simulation;
use stiction_numerics::Vec3;

impl Simulation {
    /// Adds a force \[N\] on a node to what acts in the next step.
    ///
    /// Forces of several calls add up. They act as gravity does, under every method, over the whole
    /// of the next step, and are gone once a step has succeeded. Checkpoints do not hold them. On a
    /// pinned node a force does nothing.
    pub fn apply_force(&mut self, node: usize, force: Vec3) -> Result<(), SimulationError> {
        let nodes = self.model.nodes;
        if node >= nodes {
            return Err(SimulationError::UnknownNode { node, nodes });
        }
        if !force.iter().all(|component| component.is_finite()) {
            return Err(SimulationError::Force { node });
        }
        self.parameters.external.resize(nodes, Vec3::zeros());
        self.parameters.external[node] += force;
        Ok(())
    }

    /// Adds forces \[N\], one for each node of a body, to what acts in the next step.
    pub fn apply_forces(&mut self, body: &str, forces: &[Vec3]) -> Result<(), SimulationError> {
        let nodes = self.model.bodies[self.body_number(body)?].nodes.clone();
        if forces.len() != nodes.len() {
            let (name, found, expected) = (body.to_owned(), forces.len(), nodes.len());
            return Err(SimulationError::ForceCount { name, found, expected });
        }
        if let Some(wrong) = forces.iter().position(|f| !f.iter().all(|c| c.is_finite())) {
            return Err(SimulationError::Force { node: nodes.start + wrong });
        }
        nodes.zip(forces).try_for_each(|(node, force)| self.apply_force(node, *force))
    }
}
