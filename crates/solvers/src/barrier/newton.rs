//! One Newton iteration: `inner_step` of algorithm 1.   [Ando2024]
//!
//! `H d = f`, H projected elasticity, inertia, barriers and friction, f minus the gradient. Prescribed blocks move by what is
//! left of their way; their part of H d stands on the right-hand side, so the free blocks know where they will be.

use super::anchors::AnchorMemory;
use super::assembly::{ContactOperator, Elastic, evaluate};
use super::contacts::{Configuration, Contact, Detector, Way};
use super::line_search::{Limit, constraint_line_search, moved};
use super::options::BarrierOptions;
use super::strain_limits::{StrainLimits, add_terms};
use crate::incremental::IncrementalPotential;
use crate::report::{StepSeconds, timed};
use crate::solver::{StepError, World};
use stiction_energy::Curvature;
use stiction_numerics::{BlockMatrix, LinearPcg, MaskedOperator, PcgParams, ResidualNorm, Vec3};

/// What iterations share.
pub(super) struct Newton<'a> {
    pub options: &'a BarrierOptions,
    pub world: World<'a>,
    pub detector: &'a mut Detector,
    pub limits: &'a StrainLimits,
    pub anchors: &'a AnchorMemory,
    pub system: &'a mut BlockMatrix,
    pub pcg: &'a mut LinearPcg,
    pub seconds: &'a mut StepSeconds,
}

/// How an iteration went.
pub(super) struct Iteration {
    pub limit: Limit,
    /// Size of the whole direction \[m\].
    pub change: f64,
    pub pcg_iterations: usize,
    pub pcg_converged: bool,
    pub contacts: Vec<Contact>,
    /// Force of each contact on its first object, linear about the start of the iteration \[N\].
    pub forces: Vec<Vec3>,
}

impl Newton<'_> {
    /// Moves `now` by α d.
    pub fn inner_step(
        &mut self,
        potential: &IncrementalPotential<'_>,
        start: &Configuration,
        target: &Configuration,
        now: &mut Configuration,
    ) -> Result<Iteration, StepError> {
        let way = Way { start, now: &*now, target };
        let (detector, world, anchors) = (&mut *self.detector, self.world, self.anchors);
        let contacts = timed(&mut self.seconds.detection, || detector.contacts(world, way, anchors))?;
        let fixed = &potential.prescription.fixed;
        let mut rhs = vec![Vec3::zeros(); now.blocks.len()];
        let (options, limits, system) = (self.options, self.limits, &mut *self.system);
        let terms = timed(&mut self.seconds.assembly, || {
            potential.gradient(&now.blocks, &mut rhs);
            rhs.iter_mut().for_each(|g| *g = -*g);
            potential.hessian(&now.blocks, Curvature::Projected, system);
            let inertia = potential.step_size().powi(-2);
            let elastic = Elastic { matrix: &*system, inertia, fixed };
            let terms = evaluate(options, world, elastic, way, &contacts);
            let stretched = limits.evaluate(options, elastic, &world.model.mass, &now.blocks);
            add_terms(&stretched, system, &mut rhs);
            terms
        });
        let operator = ContactOperator::new(self.system, &contacts, &terms);
        let pulls: Vec<Vec3> =
            contacts.iter().zip(&terms).map(|(c, t)| t.gradient + t.hessian * c.ahead).collect();
        operator.scatter(-1.0, &pulls, &mut rhs);
        let mut d: Vec<Vec3> = (0..rhs.len())
            .map(|i| if fixed[i] { target.blocks[i] - now.blocks[i] } else { Vec3::zeros() })
            .collect();
        let masked = MaskedOperator::new(&operator, fixed);
        masked.lift(&mut rhs, &d.clone());
        let params = PcgParams {
            relative_tolerance: options.pcg_tolerance,
            max_iterations: options.pcg_iterations,
            norm: ResidualNorm::Infinity,
            ..PcgParams::default()
        };
        let pcg = &mut *self.pcg;
        let info = timed(&mut self.seconds.linear_solve, || {
            pcg.solve(&masked, &operator.block_jacobi(fixed), &rhs, &mut d, &params)
        })
        .map_err(|error| StepError::LinearSolver { reason: error.to_string() })?;
        let kinematic = target.kinematic.iter().zip(&now.kinematic).map(|(to, from)| to - from).collect();
        let direction = Configuration { blocks: d, kinematic, time: target.time - now.time };
        let detector = &mut *self.detector;
        let limit = timed(&mut self.seconds.line_search, || {
            constraint_line_search(options, detector, limits, world.model, now, &direction)
        })?;
        let force = |(c, t): (&Contact, &super::assembly::Terms)| {
            -(t.gradient + t.hessian * (c.relative(&direction.blocks) + c.ahead) * limit.alpha)
        };
        let forces = contacts.iter().zip(&terms).map(force).collect();
        let change = potential.change_size(&direction.blocks);
        *now = match limit.alpha {
            1.0 => arrived(now, &direction, target, fixed),
            alpha => moved(now, &direction, alpha),
        };
        Ok(Iteration {
            limit,
            change,
            pcg_iterations: info.iterations,
            pcg_converged: info.converged,
            contacts,
            forces,
        })
    }
}

/// The end of a full direction: prescribed things stand exactly where their script wants them.
fn arrived(
    now: &Configuration,
    direction: &Configuration,
    target: &Configuration,
    fixed: &[bool],
) -> Configuration {
    let place = |i: usize| match fixed[i] {
        true => target.blocks[i],
        false => now.blocks[i] + direction.blocks[i],
    };
    Configuration {
        blocks: (0..now.blocks.len()).map(place).collect(),
        kinematic: target.kinematic.clone(),
        time: target.time,
    }
}
