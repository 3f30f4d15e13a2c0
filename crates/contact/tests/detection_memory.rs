//! What pairs remember within a step must not hide a contact.

mod common;

use common::{World, sheets};
use stiction_contact::NewContact;
use stiction_contact::detect::KnownContacts;
use stiction_numerics::Vec3;

fn approaching(world: &mut World, ends: &[Vec3]) -> Vec<NewContact> {
    let velocities = world.towards(ends);
    world.approaching(&velocities, KnownContacts::new(&[]).with_all_near())
}

/// One corner goes to and fro, another one then comes down by little: what the first has wandered
/// says nothing about the second.
#[test]
fn a_restless_corner_does_not_hide_its_neighbours() {
    let new = || World::new(&sheets(1, &[[0.0, 0.0, 0.0], [0.1, 0.05, 0.1]]));
    let mut world = new();
    // The upper sheet ends 0.2 mm above where continuous detection stops it.
    let floor = 0.01 + 0.1 * (0.1 - 0.01);
    let mut ends = world.state.blocks.clone();
    ends[4..8].iter_mut().for_each(|end| end.z = floor + 2e-4);
    assert!(approaching(&mut world, &ends).is_empty());
    for _ in 0..5 {
        for way in [1e-3, -1e-3] {
            ends[4].z += way;
            assert!(approaching(&mut world, &ends).is_empty());
        }
    }
    ends[5..8].iter_mut().for_each(|end| end.z -= 5e-4);
    let found = approaching(&mut world, &ends);
    assert!(!found.is_empty());
    assert_eq!(found, approaching(&mut new(), &ends));
}
