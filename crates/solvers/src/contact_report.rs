//! What a step tells about its contacts.

use crate::report::{ContactSample, StepReport};
use crate::solver::World;
use stiction_contact::{ContactKind, ContactSet, ContactStencil};
use stiction_numerics::Vec3;

/// Fills the part of a report that is about the contacts of a set after its projection.
pub fn report_contacts(contacts: &ContactSet, world: World<'_>, h: f64, report: &mut StepReport) {
    report_projected(contacts, contacts.natural_map_residual(), world, h, report);
}

/// The same with the natural-map residual \[m/s\] of another projection.
pub fn report_projected(
    contacts: &ContactSet,
    natural_map: f64,
    world: World<'_>,
    h: f64,
    report: &mut StepReport,
) {
    report.contacts = contacts.len();
    let (totals, samples) = rayon::join(|| Totals::new(contacts, world), || samples(contacts, world, h));
    for (kind, count) in ContactKind::ALL.into_iter().zip(totals.by_kind) {
        if count > 0 {
            report.contacts_by_kind.push((kind.name(), count));
        }
    }
    report.penetration = totals.deepest;
    report.contact_force = totals.impulses.iter().map(|impulse| impulse / h).collect();
    (report.contact_samples, report.contact_load) = samples;
    if !contacts.is_empty() {
        report.residual.push(("natural_map_m", h * natural_map));
    }
}

/// Sums over all contacts.
struct Totals {
    by_kind: [usize; 5],
    /// How far the deepest gap is below zero \[m\].
    deepest: f64,
    /// Per object \[N s\].
    impulses: Vec<Vec3>,
}

impl Totals {
    fn new(contacts: &ContactSet, world: World<'_>) -> Totals {
        let gaps = (0..contacts.len()).map(|c| contacts.gap(c));
        Totals {
            by_kind: contacts.count_by_kind(),
            deepest: gaps.fold(0.0, |deepest: f64, gap| deepest.max(-gap)),
            impulses: contacts.body_impulses(world.model.surfaces.objects.len()),
        }
    }
}

/// Contacts with a force, and the normal force on each node \[N\].
fn samples(contacts: &ContactSet, world: World<'_>, h: f64) -> (Vec<ContactSample>, Vec<f64>) {
    let (mut samples, mut load) = (Vec::new(), vec![0.0; world.model.nodes]);
    for contact in 0..contacts.len() {
        let force = contacts.total_impulse(contact) / h;
        if force != Vec3::zeros() {
            let (point, normal) = (contacts.point(contact), contacts.normal(contact));
            let (objects, gap) = (contacts.bodies(contact), contacts.gap(contact));
            samples.push(ContactSample { objects, point, normal, gap, force });
            add_load(&mut load, contacts.stencil(contact), force.dot(&normal));
        }
    }
    (samples, load)
}

/// Shares a normal force \[N\] among the nodes of a contact by their weights.
pub fn add_load(load: &mut [f64], (nodes, weights): (&[u32], &[f64]), force: f64) {
    for (&node, weight) in nodes.iter().zip(weights) {
        load[node as usize] += weight.abs() * force.max(0.0);
    }
}

/// Nodes and weights of a stencil.
pub fn terms(stencil: &ContactStencil) -> (&[u32], &[f64]) {
    (stencil.nodes(), stencil.weights())
}
