//! Pairs that have a contact are asked only whether they pass through: whatever they remember, what
//! passes through is found.

mod common;

use common::{World, sheets};
use stiction_contact::NewContact;
use stiction_contact::detect::KnownContacts;
use stiction_numerics::{Random, Vec3};

fn three_sheets() -> World {
    World::new(&sheets(6, &[[0.0, 0.0, 0.0], [0.03, 0.02, 0.02], [0.01, 0.05, 0.06]]))
}

/// Contacts that come on the way to the given ends.
fn approaching(world: &mut World, ends: &[Vec3], known: KnownContacts<'_>) -> Vec<NewContact> {
    let velocities = world.towards(ends);
    world.approaching(&velocities, known)
}

/// Keys of all contacts near the start and on the way to the given ends.
fn keys(world: &mut World, ends: &[Vec3]) -> Vec<u64> {
    let velocities = world.towards(ends);
    let mut keys: Vec<u64> = world.near(&velocities).iter().map(|c| c.key).collect();
    keys.extend(world.approaching(&velocities, KnownContacts::new(&[])).iter().map(|c| c.key));
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Sheets that turn, shake and are pressed through each other, end after end: a collider that
/// remembers finds what one finds that has only seen the ends from which the contacts are known.
#[test]
fn what_passes_through_is_found_whatever_was_remembered() {
    let mut random = Random::new(17);
    let (mut seasoned, mut through, mut open) = (three_sheets(), 0, 0);
    for step in 0..6 {
        let start = seasoned.state.blocks.clone();
        let turn = 0.05 * f64::from(step);
        let turned = |p: &Vec3| {
            Vec3::new(p.x, p.y * turn.cos() - p.z * turn.sin(), p.y * turn.sin() + p.z * turn.cos())
        };
        let first: Vec<Vec3> = start.iter().map(turned).collect();
        let known = keys(&mut seasoned, &first);
        let mut ends = first.clone();
        for round in 0..8 {
            // Shakes by more and more; in the end some vertices go through the sheet below.
            let size = 2e-4 * f64::from(1 << round);
            ends.iter_mut().for_each(|end| *end += random.vector(-size, size));
            let found =
                approaching(&mut seasoned, &ends, KnownContacts::new(&known).with_all_near().rechecked());
            let mut fresh = World { state: seasoned.state.clone(), ..three_sheets() };
            assert_eq!(keys(&mut fresh, &first), known);
            let anew = approaching(&mut fresh, &ends, KnownContacts::new(&known).with_all_near().rechecked());
            assert_eq!(found, anew, "step {step}, round {round}");
            let passed = found.iter().filter(|contact| known.binary_search(&contact.key).is_ok()).count();
            (through, open) = (through + passed, open + usize::from(found.is_empty()));
        }
        seasoned.state.blocks = first;
    }
    assert!(
        through > 50 && open > 5,
        "{through} contacts of pairs that pass through, {open} ends without any"
    );
}
