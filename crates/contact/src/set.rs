//! The contacts of a solve: hot data for the sweep, cold data for reports, stages for the threads.
//!
//! Contacts come in sorted batches and are never reordered. The sweep reads 136 + 16 bytes per
//! contact: the paper's `γ_cj = b_cj/(s_c w_j)` is not stored but formed from `b_cj`, `1/s_c`
//! and the inverse weight `1/w_j`, which rides as the fourth component beside the velocity of its
//! node. That is 32 bytes less per contact, and a node is then one aligned quarter of a cache-line
//! pair.

use std::ops::Range;

use rayon::prelude::*;
use stiction_numerics::Vec3;
use stiction_numerics::stencil_stages::StencilStages;

use crate::cone::project_on_cone;
use crate::contact::{ContactError, ContactKind, Friction, NewContact};
use crate::elliptic::EllipticCone;
use crate::memory::ImpulseMemory;
use crate::sweep::Tally;
use crate::turns::{interleaved, place_of};

/// Velocity \[m/s\] and inverse weight \[1/kg\] of a node.
pub(crate) type SweepNode = [f64; 4];

/// What one update of the sweep reads and writes.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Hot {
    /// Signed weights; the pool holds them when the stencil is long.
    pub weights: [f64; 4],
    pub normal: Vec3,
    /// μ, isotropic.
    pub friction: f64,
    /// `k`: kinematic relative velocity plus normal offset \[m/s\].
    pub offset: Vec3,
    /// `1/s`, compliance included \[kg\].
    pub inverse_s: f64,
    /// `r̄ = s r` \[m/s\].
    pub impulse: Vec3,
    /// `α/s`: the part of r̄ that the slack node takes.
    pub slack: f64,
    /// Place in the table of elliptic cones, or [`ISOTROPIC`].
    pub elliptic: u32,
    pub asleep: bool,
    /// Cold by nature, but it fits into the padding here.
    pub kind: ContactKind,
}

pub(crate) const ISOTROPIC: u32 = u32::MAX;

/// What only reports and the next step need. Gap and point are only reported: single precision
/// does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cold {
    pub key: u64,
    pub bodies: [u32; 2],
    pub gap: f32,
    pub point: [f32; 3],
    pub cohesion: f64,
}

impl Hot {
    /// A contact over nodes of the given weights \[kg\], awake, with the impulse that it had
    /// \[N·s\]; its elliptic cone and the weights of a long stencil go elsewhere.
    fn new(contact: &NewContact, node_weights: &[f64], remembered: &Vec3) -> Hot {
        let coefficients = contact.stencil.weights();
        let mut weights = [0.0; 4];
        if coefficients.len() <= 4 {
            weights[..coefficients.len()].copy_from_slice(coefficients);
        }
        let s = contact.compliance + own_block(contact.stencil.nodes(), coefficients, node_weights);
        let friction = match contact.friction {
            Friction::Isotropic(friction) => friction,
            Friction::Elliptic(cone) => 0.5 * (cone.friction_tangent + cone.friction_binormal),
        };
        // The cohesive pull acts on the slack node too; its share is constant and joins the offset.
        let normal_offset = contact.normal_offset - contact.compliance * contact.cohesion;
        // The old impulse may leave the cone about a turned normal: bring it back.
        let impulse = match *remembered == Vec3::zeros() {
            true => Vec3::zeros(),
            false => project_on_cone(remembered * s, &contact.normal, friction),
        };
        Hot {
            weights,
            normal: contact.normal,
            friction,
            offset: contact.kinematic_velocity + contact.normal * normal_offset,
            inverse_s: 1.0 / s,
            impulse,
            slack: contact.compliance / s,
            elliptic: ISOTROPIC,
            asleep: false,
            kind: contact.kind,
        }
    }
}

impl Cold {
    fn new(contact: &NewContact) -> Cold {
        Cold {
            key: contact.key,
            bodies: contact.bodies,
            gap: contact.gap as f32,
            point: std::array::from_fn(|k| contact.point[k] as f32),
            cohesion: contact.cohesion,
        }
    }
}

/// All contacts of one solve, with their impulses.
#[derive(Clone, Debug)]
pub struct ContactSet {
    pub(crate) hot: Vec<Hot>,
    pub(crate) cold: Vec<Cold>,
    pub(crate) stages: StencilStages,
    /// Weights of long stencils, parallel to the pool of the stages.
    pub(crate) long_weights: Vec<f64>,
    pub(crate) elliptic: Vec<EllipticCone>,
    /// Batches as they came.
    batches: Vec<Range<usize>>,
    /// Node weights \[kg\].
    weights: Vec<f64>,
    /// Velocities under projection.
    pub(crate) nodes: Vec<SweepNode>,
    pub(crate) tallies: Vec<Tally>,
    /// Whether any contact has cohesion, else the warm start skips it.
    pub(crate) any_cohesion: bool,
}

impl ContactSet {
    /// No contacts over nodes of these weights \[kg\]. Nodes that no contact names may have any
    /// weight.
    pub fn new(weights: &[f64]) -> Self {
        Self {
            hot: Vec::new(),
            cold: Vec::new(),
            stages: StencilStages::new(weights.len()),
            long_weights: Vec::new(),
            elliptic: Vec::new(),
            batches: Vec::new(),
            weights: weights.to_vec(),
            nodes: weights.iter().map(|&w| [0.0, 0.0, 0.0, inverse_weight(w)]).collect(),
            tallies: Vec::new(),
            any_cohesion: false,
        }
    }

    /// Forgets all contacts, keeps weights and memory.
    pub fn clear(&mut self) {
        self.hot.clear();
        self.cold.clear();
        self.stages.clear();
        self.long_weights.clear();
        self.elliptic.clear();
        self.batches.clear();
        self.tallies.clear();
        self.any_cohesion = false;
    }

    /// Number of contacts.
    pub fn len(&self) -> usize {
        self.hot.len()
    }

    /// Whether there is no contact.
    pub fn is_empty(&self) -> bool {
        self.hot.is_empty()
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.weights.len()
    }

    /// Appends a batch, sorted by the caller for locality; impulses of known contacts are taken
    /// from `memory`. All or nothing: the first bad contact is returned and the set stays as it
    /// was.
    pub fn append(
        &mut self,
        batch: &[NewContact],
        memory: Option<&ImpulseMemory>,
    ) -> Result<(), ContactError> {
        let wrong = |contact: &NewContact| contact.validate(&self.weights).err();
        if let Some(error) = batch.par_iter().with_min_len(PER_TASK).find_map_first(wrong) {
            return Err(error);
        }
        let item = |place: usize| interleaved(place, batch.len());
        let at = |place: usize| &batch[item(place)];
        self.stages
            .append(batch.len(), |place| at(place).stencil.nodes())
            .expect("validated stencils are within range and free of repeats");
        let remembered = memory.map(|memory| memory.of_keys(batch.len(), |k| batch[k].key));
        let impulse = |place: usize| remembered.as_ref().map_or(Vec3::zeros(), |all| all[item(place)]);
        let (first, weights) = (self.len(), &self.weights);
        if first == 0 {
            // The first batch is the large one: exact. Later ones are small: by doubling.
            self.hot.reserve_exact(batch.len());
            self.cold.reserve_exact(batch.len());
        }
        let places = || (0..batch.len()).into_par_iter().with_min_len(PER_TASK);
        self.hot.par_extend(places().map(|place| Hot::new(at(place), weights, &impulse(place))));
        self.cold.par_extend(places().map(|place| Cold::new(at(place))));
        self.append_special(first, batch.len(), at);
        self.batches.push(first..self.len());
        self.tallies.resize(self.stages.chunk_count(), Tally::default());
        Ok(())
    }

    /// Long stencils, elliptic cones and cohesion of `count` contacts from `first` on: rare, so
    /// that most batches are only looked through.
    fn append_special<'a>(
        &mut self,
        first: usize,
        count: usize,
        at: impl Fn(usize) -> &'a NewContact + Sync,
    ) {
        let is_special = |place: &usize| {
            let NewContact { stencil, friction, cohesion, .. } = at(*place);
            stencil.nodes().len() > 4 || matches!(friction, Friction::Elliptic(_)) || *cohesion > 0.0
        };
        let places = (0..count).into_par_iter().with_min_len(PER_TASK);
        let special: Vec<usize> = places.filter(is_special).collect();
        for place in special {
            let (hot, contact) = (&mut self.hot[first + place], at(place));
            let coefficients = contact.stencil.weights();
            if coefficients.len() > 4 {
                self.long_weights.extend_from_slice(coefficients);
            }
            if let Friction::Elliptic(cone) = contact.friction {
                hot.elliptic = self.elliptic.len() as u32;
                self.elliptic.push(cone);
            }
            self.any_cohesion |= contact.cohesion > 0.0;
        }
    }

    /// Changes the node weights \[kg\] and keeps the impulses in N·s: `r̄ ← r̄ s_new/s_old`.
    pub fn set_weights(&mut self, weights: &[f64]) -> Result<(), ContactError> {
        assert_eq!(weights.len(), self.weights.len(), "one weight per node");
        for contact in 0..self.len() {
            for &node in self.stages.nodes_of(contact).0 {
                let weight = weights[node as usize];
                if !(weight.is_finite() && weight > 0.0) {
                    return Err(ContactError::BadWeight { key: self.cold[contact].key, node, weight });
                }
            }
        }
        for contact in 0..self.len() {
            let compliance = self.hot[contact].slack / self.hot[contact].inverse_s;
            let (nodes, coefficients) = self.stencil(contact);
            let s = compliance + own_block(nodes, coefficients, weights);
            let hot = &mut self.hot[contact];
            hot.impulse *= s * hot.inverse_s;
            hot.inverse_s = 1.0 / s;
            hot.slack = compliance / s;
        }
        self.weights.copy_from_slice(weights);
        self.nodes.iter_mut().zip(weights).for_each(|(node, &w)| node[3] = inverse_weight(w));
        Ok(())
    }

    /// Node weights \[kg\].
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Nodes and signed weights of a contact.
    pub fn stencil(&self, contact: usize) -> (&[u32], &[f64]) {
        let (nodes, long) = self.stages.nodes_of(contact);
        match long {
            Some(range) => (nodes, &self.long_weights[range]),
            None => (nodes, &self.hot[contact].weights[..nodes.len()]),
        }
    }

    /// Nodes that contacts from `first` on touch, contact after contact.
    pub fn nodes_from(&self, first: usize) -> impl Iterator<Item = u32> + '_ {
        (first..self.len()).flat_map(|contact| self.stages.nodes_of(contact).0.iter().copied())
    }

    /// What all contacts do to each node, Bᵀ r \[N·s\]; takes the place of loaded velocities.
    pub fn pushes(&mut self) -> Vec<Vec3> {
        let mut out = vec![Vec3::zeros(); self.node_count()];
        self.load(&out);
        self.warm_start();
        self.store(&mut out);
        let weighted = out.par_iter_mut().zip(&self.weights).with_min_len(4 * PER_TASK);
        weighted.for_each(|(push, weight)| *push *= if weight.is_finite() { *weight } else { 0.0 });
        out
    }

    /// Offset `k` of the relative velocity \[m/s\].
    pub fn offset(&self, contact: usize) -> Vec3 {
        self.hot[contact].offset
    }

    /// Unit normal from B to A.
    pub fn normal(&self, contact: usize) -> Vec3 {
        self.hot[contact].normal
    }

    /// Isotropic friction coefficient (the mean of both for an elliptic cone).
    pub fn friction(&self, contact: usize) -> f64 {
        self.hot[contact].friction
    }

    /// Compliance α \[1/kg\].
    pub fn compliance(&self, contact: usize) -> f64 {
        self.hot[contact].slack / self.hot[contact].inverse_s
    }

    /// The contact's own scalar block `s = Σ b²/w + α` \[1/kg\].
    pub fn own_block(&self, contact: usize) -> f64 {
        1.0 / self.hot[contact].inverse_s
    }

    /// Impulse of B on A without the cohesive pull \[N·s\]; it lies in the friction cone.
    pub fn impulse(&self, contact: usize) -> Vec3 {
        self.hot[contact].impulse * self.hot[contact].inverse_s
    }

    /// Sets the impulse \[N·s\].
    pub fn set_impulse(&mut self, contact: usize, impulse: Vec3) {
        let s = self.own_block(contact);
        self.hot[contact].impulse = impulse * s;
    }

    /// All that B does to A \[N·s\], cohesive pull included.
    pub fn total_impulse(&self, contact: usize) -> Vec3 {
        self.impulse(contact) - self.hot[contact].normal * self.cold[contact].cohesion
    }

    /// Identity of the pair of primitives.
    pub fn key(&self, contact: usize) -> u64 {
        self.cold[contact].key
    }

    /// Which primitives touch.
    pub fn kind(&self, contact: usize) -> ContactKind {
        self.hot[contact].kind
    }

    /// Bodies A and B.
    pub fn bodies(&self, contact: usize) -> [u32; 2] {
        self.cold[contact].bodies
    }

    /// Gap at the start of the step, to single precision \[m\].
    pub fn gap(&self, contact: usize) -> f64 {
        f64::from(self.cold[contact].gap)
    }

    /// Where, to single precision \[m\].
    pub fn point(&self, contact: usize) -> Vec3 {
        Vec3::from(self.cold[contact].point.map(f64::from))
    }

    /// Number of contacts of each kind, in the order of [`ContactKind::ALL`].
    pub fn count_by_kind(&self) -> [usize; 5] {
        let mut counts = [0; 5];
        self.hot.iter().for_each(|hot| counts[hot.kind as usize] += 1);
        counts
    }

    /// Net contact impulse on each body \[N·s\]; divide by h for the force. Prescribed bodies count
    /// too.
    pub fn body_impulses(&self, bodies: usize) -> Vec<Vec3> {
        let mut sums = vec![Vec3::zeros(); bodies];
        for contact in 0..self.len() {
            let impulse = self.total_impulse(contact);
            for (body, sign) in self.cold[contact].bodies.into_iter().zip([1.0, -1.0]) {
                if let Some(sum) = sums.get_mut(body as usize) {
                    *sum += impulse * sign;
                }
            }
        }
        sums
    }

    /// What the next step needs to warm start.
    pub fn remember(&self) -> ImpulseMemory {
        let sorted = self
            .batches
            .iter()
            .flat_map(|batch| (0..batch.len()).map(|item| batch.start + place_of(item, batch.len())));
        ImpulseMemory::new(sorted.map(|c| (self.cold[c].key, self.impulse(c))).collect())
    }

    /// Share of contacts that run in parallel stages.
    pub fn parallel_share(&self) -> f64 {
        self.stages.parallel_items() as f64 / self.len().max(1) as f64
    }

    /// Bytes held for contacts and nodes.
    pub fn bytes(&self) -> usize {
        self.hot.capacity() * size_of::<Hot>()
            + self.cold.capacity() * size_of::<Cold>()
            + self.nodes.capacity() * size_of::<SweepNode>()
            + (self.weights.capacity() + self.long_weights.capacity()) * 8
            + self.elliptic.capacity() * size_of::<EllipticCone>()
            + self.tallies.capacity() * size_of::<Tally>()
            + self.stages.bytes()
    }
}

/// Contacts that one task takes at least.
const PER_TASK: usize = 1024;

/// `Σ b_j²/w_j` \[1/kg\].
fn own_block(nodes: &[u32], coefficients: &[f64], weights: &[f64]) -> f64 {
    nodes.iter().zip(coefficients).map(|(&node, b)| b * b / weights[node as usize]).sum()
}

fn inverse_weight(weight: f64) -> f64 {
    if weight.is_finite() && weight > 0.0 { 1.0 / weight } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contact::ContactStencil;

    #[test]
    fn hot_data_stays_small() {
        assert!(size_of::<Hot>() + 16 <= 160);
        assert!(size_of::<Hot>() + 16 + size_of::<Cold>() <= 192);
    }

    #[test]
    fn new_weights_keep_the_impulse() {
        let mut set = ContactSet::new(&[1.0, 2.0]);
        let contact = NewContact {
            compliance: 0.1,
            ..NewContact::new(ContactStencil::new(&[(0, 1.0), (1, -1.0)]), Vec3::z(), 0.0, 0.01, 0.5)
        };
        set.append(&[contact], None).unwrap();
        set.set_impulse(0, Vec3::new(0.1, 0.2, 3.0));
        set.set_weights(&[5.0, 7.0]).unwrap();
        assert!((set.impulse(0) - Vec3::new(0.1, 0.2, 3.0)).norm() < 1e-14);
        assert!((set.own_block(0) - (1.0 / 5.0 + 1.0 / 7.0 + 0.1)).abs() < 1e-14);
        assert!((set.compliance(0) - 0.1).abs() < 1e-14);
        assert!(set.set_weights(&[5.0, 0.0]).is_err());
        let on_bodies = set.body_impulses(2);
        assert!((on_bodies[0] - Vec3::new(0.1, 0.2, 3.0)).norm() < 1e-14 && on_bodies[0] == -on_bodies[1]);
    }

    #[test]
    fn memory_finds_contacts_by_identity() {
        let contact = |key, node| NewContact {
            key,
            ..NewContact::new(ContactStencil::new(&[(node, 1.0)]), Vec3::z(), 0.0, 0.01, 0.5)
        };
        let mut set = ContactSet::new(&[1.0, 2.0]);
        set.append(&[contact(8, 0), contact(3, 1)], None).unwrap();
        set.set_impulse(0, Vec3::z() * 4.0);
        set.set_impulse(1, Vec3::z() * 6.0);
        let memory = set.remember();
        set.clear();
        set.append(&[contact(3, 1), contact(5, 0), contact(8, 0)], Some(&memory)).unwrap();
        let got: Vec<f64> = (0..3).map(|c| set.impulse(c).z).collect();
        assert_eq!(got, [6.0, 0.0, 4.0]);
    }
}
