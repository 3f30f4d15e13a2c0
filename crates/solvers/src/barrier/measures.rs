//! Parts of a step by themselves, for timings and condition numbers.

use super::anchors::Memory;
use super::assembly::{Elastic, Evaluation};
use super::contacts::Trajectory;
use super::couples::Bearers;
use super::linear::choose_precision;
use super::solver::{BarrierSolver, target};
use crate::incremental::{IncrementalPotential, Inertia};
use crate::solver::{StepError, World};
use crate::stage::Stage;
use stiction_bodies::State;
use stiction_energy::Curvature;
use stiction_factor::CoarseLevel;
use stiction_numerics::{
    LinearPcg, MaskedOperator, PcgParams, PrecondBlockJacobi, PrecondIdentity, Preconditioner, Random, Vec3,
};

/// Condition numbers of one system.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Conditions {
    /// Contacts in it.
    pub contacts: usize,
    /// Of the matrix itself.
    pub plain: f64,
    /// With block Jacobi.
    pub jacobi: f64,
    /// With block Jacobi and the coarse level.
    pub two_level: f64,
}

/// Iterations within which the extreme eigenvalues show.
const LANCZOS: usize = 3000;

impl BarrierSolver {
    /// Finds the contacts of a state and assembles what they add to a step of `h` \[s\]: stiffness,
    /// friction, forces and all blocks of the matrix. Rounds after the first have its pattern;
    /// `round` runs the work of one and says whether to go on. Returns the number of contacts. For
    /// timings without detection and elasticity.
    pub fn time_contact_assembly(
        &mut self,
        world: World<'_>,
        state: &State,
        h: f64,
        round: &mut dyn FnMut(&mut dyn FnMut()) -> bool,
    ) -> Result<usize, StepError> {
        let start = self.start(world, state);
        let stage = Stage::backward_euler(state, h);
        let potential = IncrementalPotential::new(world, &self.elasticity, state, &stage, Inertia::Dynamic);
        let end = target(world, &potential, state.time + h);
        let trajectory = Trajectory { start: &start, now: &start, target: &end, anchors: &self.anchors };
        self.detector.expect(world.model, &start, &start)?;
        let contacts = self.detector.contacts(world, trajectory, &Memory::default())?;
        self.contact_matrix.begin_step();
        choose_precision(&mut self.linear, &self.options, &mut self.system, contacts.len());
        let mut go_on = true;
        while go_on {
            let mut rhs = vec![Vec3::zeros(); start.blocks.len()];
            potential.hessian(&start.blocks, Curvature::Projected, &mut self.system);
            go_on = round(&mut || {
                let elastic = Elastic { matrix: &self.system, inertia: h.powi(-2) };
                let (options, fixed) = (&self.options, &potential.prescription.fixed[..]);
                let evaluation = Evaluation { options, world, fixed, trajectory };
                let stiffnesses = evaluation.stiffnesses(elastic, &contacts);
                let bearers = Bearers::new(&self.options, &self.detector, world.model);
                let (evaluated, contacts) = ((evaluation, bearers), (&contacts[..], &stiffnesses[..]));
                self.contact_matrix.assemble(evaluated, contacts, &mut self.system, &mut rhs);
            });
        }
        Ok(contacts.len())
    }

    /// Condition numbers of the first system of a step of `h` \[s\], from the coefficients of
    /// conjugate gradients.
    pub fn first_system_conditions(
        &mut self,
        world: World<'_>,
        state: &State,
        h: f64,
    ) -> Result<Conditions, StepError> {
        let mut once = |work: &mut dyn FnMut()| {
            work();
            false
        };
        let contacts = self.time_contact_assembly(world, state, h, &mut once)?;
        let fixed =
            world.model.pins.prescribe(world.model, &world.parameters.controls, state, state.time + h).fixed;
        let matrix = self.contact_matrix.with(&self.system);
        let masked = MaskedOperator::new(&matrix, &fixed);
        let mut random = Random::new(7);
        let push = |&held: &bool| if held { Vec3::zeros() } else { random.vector(-1.0, 1.0) };
        let rhs: Vec<Vec3> = fixed.iter().map(push).collect();
        let params = PcgParams { relative_tolerance: 1e-12, max_iterations: LANCZOS, ..PcgParams::default() };
        let condition = |precond: &dyn Preconditioner| {
            let (mut pcg, mut x) = (LinearPcg::new(), vec![Vec3::zeros(); rhs.len()]);
            pcg.solve(&masked, precond, &rhs, &mut x, &params)
                .map_err(|error| StepError::LinearSolver { reason: error.to_string() })?;
            let [low, high] = pcg.coefficients().extreme_eigenvalues().unwrap_or([f64::NAN; 2]);
            Ok::<f64, StepError>(high / low)
        };
        let mut level = CoarseLevel::default();
        let two_level = level.prepare(matrix, &fixed, world.model.nodes)?;
        Ok(Conditions {
            contacts,
            plain: condition(&PrecondIdentity)?,
            jacobi: condition(&PrecondBlockJacobi::new(&self.system, Some(&fixed)))?,
            two_level: two_level.map_or(Ok(f64::NAN), |both| condition(&both))?,
        })
    }
}
