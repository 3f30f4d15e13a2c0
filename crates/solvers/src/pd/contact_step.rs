//! The contact step: p = (x − x_t + λ_c)/h projected on the contact constraints.
//!
//! λ_c is not stored from step to step: at a fixed point it equals −h W⁻¹ Bᵀ r, so the remembered
//! impulses r give it back, also for contacts that came or went.

use super::global_step::GlobalStep;
use super::options::{Accept, PdOptions};
use crate::contact_report::report_contacts;
use crate::first_contacts::{near_and_approaching, open_penetrations};
use crate::report::{StepReport, StepSeconds, timed};
use crate::solver::{StepError, World};
use rayon::prelude::*;
use std::mem::take;
use stiction_contact::detect::{ContactFinder, FilterReport, KnownContacts, StepMotion};
use stiction_contact::{ContactSet, ImpulseMemory, NewContact, ProjectOptions, Stabilisation};
use stiction_numerics::Vec3;

/// Nodes that one task takes at least.
const NODES: usize = 1024;

/// Most rounds in which contacts keep apart what would cross.
const KEEP_APART: usize = 10;

/// Contacts of one step, and what they need.
pub struct ContactStep<'a> {
    options: &'a PdOptions,
    world: World<'a>,
    motion: StepMotion<'a>,
    finder: &'a mut ContactFinder,
    part_of_node: &'a [u32],
    /// The contacts.
    pub set: ContactSet,
    /// Sorted keys of all contacts so far.
    known: Vec<u64>,
    /// Which parts touch something.
    pub touched: Vec<bool>,
    /// Which nodes touch something.
    pub touching: Vec<bool>,
    /// p \[m/s\].
    pub projected: Vec<Vec3>,
    /// λ_c \[m\].
    pub dual: Vec<Vec3>,
    /// What the impulses of the last projection did to each node, W⁻¹ Bᵀ r \[m/s\]; nothing after
    /// new contacts.
    carried: Option<Vec<Vec3>>,
}

impl<'a> ContactStep<'a> {
    /// No contacts yet, for the weights and parts of a global step; the memory of a set that was
    /// used before is used again.
    pub fn new(
        options: &'a PdOptions,
        world: World<'a>,
        motion: StepMotion<'a>,
        finder: &'a mut ContactFinder,
        global: &'a GlobalStep,
        spare: Option<ContactSet>,
    ) -> ContactStep<'a> {
        let (nodes, weights) = (world.model.nodes, &global.weights[..]);
        let set = match spare.filter(|set| set.weights() == weights) {
            Some(mut set) => {
                set.clear();
                set
            }
            None => ContactSet::new(weights),
        };
        ContactStep {
            options,
            world,
            motion,
            finder,
            part_of_node: &global.part_of_node,
            set,
            known: Vec::new(),
            touched: vec![false; global.parts()],
            touching: vec![false; nodes],
            projected: vec![Vec3::zeros(); nodes],
            dual: vec![Vec3::zeros(); nodes],
            carried: None,
        }
    }

    /// Contacts near the start and on the way to predicted positions, with their remembered
    /// impulses and the λ_c that belongs to them.
    pub fn detect_first(
        &mut self,
        predicted: &[Vec3],
        memory: &ImpulseMemory,
        seconds: &mut StepSeconds,
    ) -> Result<(), StepError> {
        let velocity = self.velocity(predicted);
        let found = timed(&mut seconds.detection, || {
            near_and_approaching(self.finder, self.world, &self.motion, &velocity)
        })?;
        self.append(found, Some(memory))?;
        let (h, mut dual) = (self.motion.h, self.set.pushes());
        let weighted = dual.par_iter_mut().zip(self.set.weights()).zip(&self.touching);
        weighted.with_min_len(NODES).for_each(|((push, weight), touches)| match touches {
            true => *push *= -h / weight,
            false => *push = Vec3::zeros(),
        });
        self.dual = dual;
        Ok(())
    }

    /// Continuous detection on the way to `positions`; new contacts join the set.
    pub fn detect_again(&mut self, positions: &[Vec3], seconds: &mut StepSeconds) -> Result<(), StepError> {
        let velocity = self.velocity(positions);
        let World { model, parameters } = self.world;
        let found = timed(&mut seconds.detection, || {
            self.finder.approaching(
                model,
                parameters,
                &self.motion,
                &velocity,
                KnownContacts::new(&self.known).with_all_near(),
            )
        })?;
        self.append(found, None)
    }

    /// p ← projection of (x − x_t + λ_c)/h.
    ///
    /// A projection starts from the impulses so far. What they do to the nodes is known from the
    /// projection before, so that they are applied one by one only after new contacts came.
    pub fn project(&mut self, positions: &[Vec3], seconds: &mut StepSeconds) {
        let options = ProjectOptions { sweeps: self.options.sweeps, ..ProjectOptions::default() };
        let (h, start, dual) = (self.motion.h, self.motion.start, &self.dual);
        let free = |n: usize| (positions[n] - start[n] + dual[n]) / h;
        timed(&mut seconds.contact_projection, || {
            let carried = self.carried.take();
            self.projected.par_iter_mut().enumerate().with_min_len(NODES).for_each(|(n, p)| {
                *p = free(n) + carried.as_ref().map_or_else(Vec3::zeros, |carried| carried[n]);
            });
            if self.set.is_empty() {
                return;
            }
            self.set.load(&self.projected);
            if carried.is_none() {
                self.set.warm_start();
            }
            self.set.sweep(&options);
            self.set.store(&mut self.projected);
            let mut moved = carried.unwrap_or_else(|| vec![Vec3::zeros(); positions.len()]);
            let projected = &self.projected;
            moved
                .par_iter_mut()
                .enumerate()
                .with_min_len(NODES)
                .for_each(|(n, m)| *m = projected[n] - free(n));
            self.carried = Some(moved);
        });
    }

    /// The last projection may send points into each other again: detects along the way to the end
    /// of the step and projects again until nothing new is found and nothing slips past its
    /// contact, in up to `final_passes` rounds. Returns the number of contacts that came late.
    pub fn catch_late(&mut self, x: &[Vec3], seconds: &mut StepSeconds) -> Result<usize, StepError> {
        let World { model, parameters } = self.world;
        let before = self.set.len();
        for _ in 0..self.options.final_passes {
            let velocity = self.velocity(&self.ends(x));
            let late = timed(&mut seconds.detection, || {
                self.finder.approaching(
                    model,
                    parameters,
                    &self.motion,
                    &velocity,
                    KnownContacts::new(&self.known).with_all_near().rechecked(),
                )
            })?;
            if late.is_empty() {
                break;
            }
            self.append(late, None)?;
            self.project(x, seconds);
        }
        Ok(self.set.len() - before)
    }

    /// Sweeps over velocities in which the impulses of the last projection are already, after
    /// something else has changed them \[m/s\].
    pub fn sweep_again(&mut self, velocities: &mut [Vec3], sweeps: usize) {
        self.set.load(velocities);
        self.set.sweep(&ProjectOptions { sweeps, ..ProjectOptions::default() });
        self.set.store(velocities);
    }

    /// Where free nodes end: x_t + h p, feasible, where something touches, x elsewhere.
    pub fn ends(&self, x: &[Vec3]) -> Vec<Vec3> {
        let projected = |n: usize| self.options.accept == Accept::Projected && self.touching[n];
        let end = |n: usize| match projected(n) {
            true => self.motion.start[n] + self.projected[n] * self.motion.h,
            false => x[n],
        };
        (0..x.len()).map(end).collect()
    }

    /// λ_c += x − x_t − h p in the parts that touch something.
    pub fn update_dual(&mut self, positions: &[Vec3]) {
        let mut dual = take(&mut self.dual);
        dual.par_iter_mut().enumerate().with_min_len(NODES).for_each(|(n, d)| *d += self.apart(n, positions));
        self.dual = dual;
    }

    /// Step size \[s\].
    pub fn step_size(&self) -> f64 {
        self.motion.h
    }

    /// Whether the part of a node touches something.
    #[inline]
    pub fn touched_node(&self, node: usize) -> bool {
        self.touched[self.part_of_node[node] as usize]
    }

    /// x − x_t − h p of a node \[m\]; zero in parts that touch nothing.
    pub fn apart(&self, node: usize, positions: &[Vec3]) -> Vec3 {
        match self.touched_node(node) {
            true => positions[node] - self.motion.start[node] - self.projected[node] * self.motion.h,
            false => Vec3::zeros(),
        }
    }

    /// What the contact term adds to the right-hand side at a node: `W (h p + x_t − λ_c)`.
    #[inline]
    pub fn pull(&self, node: usize) -> Vec3 {
        let weight = self.set.weights()[node];
        (self.projected[node] * self.motion.h + self.motion.start[node] - self.dual[node]) * weight
    }

    /// Fills the part of a report that is about contacts.
    pub fn report(&self, report: &mut StepReport) {
        report_contacts(&self.set, self.world, self.motion.h, report);
        report.counters.push(("contacts_in_parallel", self.set.parallel_share()));
    }

    /// Whether some sheet is on its way out of a body.
    pub fn is_entangled(&self) -> bool {
        !self.finder.entangled().is_empty()
    }

    /// Keeps surfaces that would cross on the way to `blocks` apart: by contacts, as far as those
    /// go, else by joining nodes in zones that move as stiff pieces. Reports what was done.
    pub fn filter(&mut self, blocks: &mut [Vec3], report: &mut StepReport) -> Result<(), StepError> {
        let StepReport { seconds, counters, .. } = report;
        let before = self.set.len();
        let done = timed(&mut seconds.line_search, || -> Result<FilterReport, StepError> {
            let pushed_out = self.finder.push_out(self.world.model, &self.motion, blocks);
            if self.finder.is_free_way(self.world.model, &self.motion, blocks)? {
                return Ok(FilterReport { pushed_out, ..FilterReport::NOTHING });
            }
            self.keep_apart(blocks)?;
            let limited = self.finder.limit_step(self.world.model, &self.motion, blocks)?;
            Ok(FilterReport { pushed_out: pushed_out + limited.pushed_out, ..limited })
        })?;
        counters.extend([
            ("filter_contacts", (self.set.len() - before) as f64),
            ("filter_limited_nodes", done.limited as f64),
            ("filter_rounds", done.rounds as f64),
            ("filter_share", done.share),
            ("filter_left", done.left as f64),
            ("pushed_out_nodes", done.pushed_out as f64),
        ]);
        Ok(())
    }

    /// Gives contacts to what would cross on the way to `blocks` and sweeps over all of them from
    /// there, until nothing crosses or [`KEEP_APART`] rounds are done: unlike zones, contacts let
    /// surfaces slide.
    fn keep_apart(&mut self, blocks: &mut [Vec3]) -> Result<(), StepError> {
        let World { model, parameters } = self.world;
        let (h, start) = (self.motion.h, self.motion.start);
        for _ in 0..KEEP_APART {
            let mut velocity = self.velocity(&blocks[..model.nodes]);
            let known = KnownContacts::new(&self.known).with_all_near().rechecked();
            let crossing = self.finder.approaching(model, parameters, &self.motion, &velocity, known)?;
            if crossing.is_empty() {
                break;
            }
            self.append(crossing, None)?;
            self.sweep_again(&mut velocity, self.options.sweeps);
            for n in (0..model.nodes).filter(|&n| self.touching[n] && !self.motion.prescription.fixed[n]) {
                blocks[n] = start[n] + velocity[n] * h;
            }
        }
        Ok(())
    }

    fn velocity(&self, positions: &[Vec3]) -> Vec<Vec3> {
        positions.iter().zip(self.motion.start).map(|(x, start)| (x - start) / self.motion.h).collect()
    }

    fn append(
        &mut self,
        mut found: Vec<NewContact>,
        memory: Option<&ImpulseMemory>,
    ) -> Result<(), StepError> {
        let h = self.motion.h;
        if self.options.stabilise {
            let stabilised = Stabilisation { compliance: self.options.alpha, spring: self.options.spring };
            found.par_iter_mut().with_min_len(1024).for_each(|contact| stabilised.apply(contact, h));
        } else {
            open_penetrations(&mut found, self.options.resolve_time, h);
        }
        if found.is_empty() {
            return Ok(());
        }
        self.carried = None;
        self.known.extend(found.iter().map(|c| c.key));
        // Two sorted runs, mostly: a stable sort merges them.
        self.known.sort();
        let first = self.set.len();
        self.set.append(&found, memory).map_err(|e| StepError::Contact { reason: e.to_string() })?;
        for node in self.set.nodes_from(first) {
            self.touching[node as usize] = true;
        }
        for (node, _) in self.touching.iter().enumerate().filter(|(_, touches)| **touches) {
            self.touched[self.part_of_node[node] as usize] = true;
        }
        Ok(())
    }
}
