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
    for (kind, count) in ContactKind::ALL.into_iter().zip(contacts.count_by_kind()) {
        if count > 0 {
            report.contacts_by_kind.push((kind.name(), count));
        }
    }
    let gaps = (0..contacts.len()).map(|c| contacts.gap(c));
    report.penetration = gaps.fold(0.0, |deepest: f64, gap| deepest.max(-gap));
    let impulses = contacts.body_impulses(world.model.surfaces.objects.len());
    report.contact_force = impulses.iter().map(|impulse| impulse / h).collect();
    report.contact_load = vec![0.0; world.model.nodes];
    for contact in 0..contacts.len() {
        let force = contacts.total_impulse(contact) / h;
        if force != Vec3::zeros() {
            let (point, normal) = (contacts.point(contact), contacts.normal(contact));
            report.contact_samples.push(ContactSample { point, normal, force });
            add_load(&mut report.contact_load, contacts.stencil(contact), force.dot(&normal));
        }
    }
    if !contacts.is_empty() {
        report.residual.push(("natural_map_m", h * natural_map));
    }
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
