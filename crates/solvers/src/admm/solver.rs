//! The outer loop: projected Newton over the ADMM contact solve.

use super::elastic_step::{ElasticSolver, Linearised};
use super::inner::{Inner, InnerReport, Iterate, append_remembered, prepare};
use super::options::AdmmOptions;
use super::weights::contact_weights;
use crate::advance::{accept, energies};
use crate::incremental::{IncrementalPotential, Inertia};
use crate::registry::MethodError;
use crate::report::{ContactSample, StepReport, timed};
use crate::saved::{RestoreError, SavedState};
use crate::solver::{Solver, StepError, World};
use stiction_bodies::State;
use stiction_contact::detect::{Collider, DetectOptions, StepMotion};
use stiction_contact::{ContactSet, ImpulseMemory};
use stiction_energy::{Curvature, Elasticity};
use stiction_numerics::{BlockMatrix, Vec3};

/// Projected Newton + ADMM with exact Coulomb friction.
pub struct AdmmSolver {
    options: AdmmOptions,
    elasticity: Elasticity,
    system: BlockMatrix,
    elastic: ElasticSolver,
    collider: Collider,
    /// Dual forces W λ per block, carried from step to step \[kg m/s\].
    dual_force: Vec<Vec3>,
    /// Contact impulses of the last step.
    memory: ImpulseMemory,
}

impl AdmmSolver {
    /// A solver for a model.
    pub fn new(options: AdmmOptions, world: World<'_>) -> Result<AdmmSolver, MethodError> {
        let elasticity = Elasticity::new(world.model, world.parameters)?;
        let system = BlockMatrix::zeros(elasticity.pattern().clone());
        let elastic = ElasticSolver::new(&system, world.model.nodes);
        let collider = Collider::new(world.model, DetectOptions::default())?;
        let dual_force = vec![Vec3::zeros(); world.model.blocks()];
        Ok(AdmmSolver {
            options,
            elasticity,
            system,
            elastic,
            collider,
            dual_force,
            memory: ImpulseMemory::default(),
        })
    }

    fn report_contacts(contacts: &ContactSet, world: World<'_>, h: f64, report: &mut StepReport) {
        report.contacts = contacts.len();
        let gaps = (0..contacts.len()).map(|c| contacts.gap(c));
        report.penetration = gaps.fold(0.0, |deepest: f64, gap| deepest.max(-gap));
        let impulses = contacts.body_impulses(world.model.surfaces.objects.len());
        report.contact_force = impulses.iter().map(|impulse| impulse / h).collect();
        let sample = |c: usize| ContactSample {
            point: contacts.point(c),
            normal: contacts.normal(c),
            force: contacts.total_impulse(c) / h,
        };
        let acting = (0..contacts.len()).filter(|&c| contacts.total_impulse(c) != Vec3::zeros());
        report.contact_samples = acting.map(sample).collect();
    }
}

impl Solver for AdmmSolver {
    fn key(&self) -> &'static str {
        "admm"
    }

    fn step(&mut self, world: World<'_>, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let model = world.model;
        let mut report = StepReport { advanced: h, ..StepReport::default() };
        let potential = IncrementalPotential::new(world, &self.elasticity, state, h, Inertia::Dynamic);
        let prescription = &potential.prescription;
        let motion = StepMotion { start: &state.blocks, prescription, time: state.time, h };
        let prescribed: Vec<Vec3> =
            prescription.target.iter().zip(&state.blocks).map(|(end, start)| (end - start) / h).collect();
        let mut velocity = vec![Vec3::zeros(); model.blocks()];
        let mut contacts: Option<ContactSet> = None;
        let mut known = Vec::new();
        let mut inner = InnerReport::default();
        for newton in 0..self.options.newton_iterations {
            let blocks: Vec<Vec3> = state.blocks.iter().zip(&velocity).map(|(x, v)| x + v * h).collect();
            let mut gradient = vec![Vec3::zeros(); model.blocks()];
            timed(&mut report.seconds.assembly, || {
                potential.gradient(&blocks, &mut gradient);
                potential.hessian(&blocks, Curvature::Projected, &mut self.system);
                self.system.scale(h * h);
            });
            let system =
                Linearised::new(&self.system, &prescription.fixed, &velocity, &prescribed, &gradient, h);
            if newton == 0 {
                velocity = timed(&mut report.seconds.linear_solve, || {
                    self.elastic.predicted(&system, &self.dual_force)
                })?;
            }
            let weights = contact_weights(
                &self.system,
                &model.mass,
                model.nodes,
                self.options.beta,
                self.options.sigma,
            );
            let set = contacts.get_or_insert_with(|| ContactSet::new(&weights));
            set.set_weights(&weights).map_err(|e| StepError::Contact { reason: e.to_string() })?;
            if newton == 0 {
                let found = timed(&mut report.seconds.detection, || {
                    let mut near = self.collider.proximity(model, world.parameters, &motion, &velocity)?;
                    let mut keys: Vec<u64> = near.iter().map(|c| c.key).collect();
                    keys.sort_unstable();
                    near.extend(self.collider.continuous(
                        model,
                        world.parameters,
                        &motion,
                        &velocity,
                        &keys,
                    )?);
                    Ok::<_, StepError>(near)
                })?;
                append_remembered(set, &mut known, prepare(found, &self.options, h), Some(&self.memory));
            }
            timed(&mut report.seconds.linear_solve, || self.elastic.factor(&system, &weights))?;
            let dual = self.dual_force.iter().zip(&weights).map(|(f, w)| scaled(f, *w)).collect();
            let mut iterate = Iterate { projected: velocity.clone(), velocity: velocity.clone(), dual };
            inner = Inner {
                options: &self.options,
                world,
                motion,
                elastic: &mut self.elastic,
                collider: &mut self.collider,
                contacts: set,
                known: &mut known,
                seconds: &mut report.seconds,
            }
            .run(&system, &weights, &mut iterate)?;
            report.iterations += inner.iterations;
            self.dual_force.iter_mut().zip(&iterate.dual).zip(&weights).for_each(|((f, d), w)| *f = d * *w);
            velocity.copy_from_slice(&iterate.velocity);
            velocity[..model.nodes].copy_from_slice(&iterate.projected[..model.nodes]);
        }
        let blocks: Vec<Vec3> = (0..model.blocks())
            .map(|i| match prescription.fixed[i] {
                true => prescription.target[i],
                false => state.blocks[i] + velocity[i] * h,
            })
            .collect();
        report.converged = inner.converged;
        report.residual =
            vec![("delta_m", inner.moved + inner.apart), ("moved_m", inner.moved), ("apart_m", inner.apart)];
        if let Some(set) = &contacts {
            Self::report_contacts(set, world, h, &mut report);
            report.residual.push(("natural_map_m", h * set.natural_map_residual()));
            self.memory = set.remember();
        }
        report.counters.push(("sleeping_share", inner.asleep));
        accept(world, state, blocks, h, Inertia::Dynamic);
        if !state.is_finite() {
            return Err(StepError::NotFinite { what: "the state after the step" });
        }
        report.energy = energies(world, &self.elasticity, state);
        Ok(report)
    }

    fn save(&self) -> SavedState {
        let mut saved = SavedState::new(1);
        let flat = |v: &Vec3| [v.x, v.y, v.z];
        saved.numbers.insert("dual_force".to_owned(), self.dual_force.iter().flat_map(flat).collect());
        let entries = self.memory.entries();
        saved.numbers.insert("impulses".to_owned(), entries.iter().flat_map(|(_, r)| flat(r)).collect());
        saved.keys.insert("contacts".to_owned(), entries.iter().map(|(key, _)| *key).collect());
        saved
    }

    fn restore(&mut self, saved: &SavedState) -> Result<(), RestoreError> {
        saved.expect_version(1)?;
        let vectors = |flat: &[f64]| flat.chunks_exact(3).map(Vec3::from_column_slice).collect::<Vec<_>>();
        let dual_force = vectors(saved.numbers("dual_force")?);
        if dual_force.len() != self.dual_force.len() {
            return Err(RestoreError::Array { name: "dual_force".to_owned() });
        }
        let impulses = vectors(saved.numbers("impulses")?);
        let keys = saved.keys("contacts")?;
        if impulses.len() != keys.len() {
            return Err(RestoreError::Array { name: "impulses".to_owned() });
        }
        self.dual_force = dual_force;
        self.memory = ImpulseMemory::new(keys.iter().copied().zip(impulses).collect());
        Ok(())
    }

    fn reset(&mut self) {
        self.dual_force.fill(Vec3::zeros());
        self.memory = ImpulseMemory::default();
    }
}

/// λ = W⁻¹ (W λ); nothing where there is no weight.
fn scaled(force: &Vec3, weight: f64) -> Vec3 {
    if weight > 0.0 { force / weight } else { Vec3::zeros() }
}
