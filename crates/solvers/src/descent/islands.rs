//! Bodies that touch or are joined, directly or through others, are solved together.

use super::contacts::Contacts;
use super::joints::StepJoint;

/// Bodies that are solved together, with what acts between them.
#[derive(Clone, Debug, Default)]
pub struct Island {
    /// Bodies whose velocity is unknown, ascending.
    pub bodies: Vec<u32>,
    /// Its pairs, by index among the contacts, ascending.
    pub pairs: Vec<u32>,
    /// Its joints, by index among the joints of the step, ascending.
    pub joints: Vec<u32>,
}

/// The islands of a step, by their first body. Bodies without contact and joint are in none.
pub fn islands(bodies: usize, contacts: &Contacts, joints: &[StepJoint<'_>]) -> Vec<Island> {
    let mut parent: Vec<u32> = (0..bodies as u32).collect();
    let ends_of_pair = |pair: usize| contacts.points[contacts.pairs[pair].points.start].bodies;
    for pair in 0..contacts.pairs.len() {
        join(&mut parent, ends_of_pair(pair));
    }
    joints.iter().for_each(|joint| join(&mut parent, joint.bodies));
    let mut islands: Vec<Island> = Vec::new();
    let mut of_root = vec![u32::MAX; bodies];
    let mut member = |parent: &mut Vec<u32>, ends: [Option<u32>; 2], islands: &mut Vec<Island>| {
        let body = ends[0].or(ends[1])?;
        let root = find(parent, body) as usize;
        if of_root[root] == u32::MAX {
            of_root[root] = islands.len() as u32;
            islands.push(Island::default());
        }
        Some(of_root[root] as usize)
    };
    for pair in 0..contacts.pairs.len() {
        if let Some(island) = member(&mut parent, ends_of_pair(pair), &mut islands) {
            islands[island].pairs.push(pair as u32);
        }
    }
    for (index, joint) in joints.iter().enumerate() {
        if let Some(island) = member(&mut parent, joint.bodies, &mut islands) {
            islands[island].joints.push(index as u32);
        }
    }
    for body in 0..bodies as u32 {
        let root = find(&mut parent, body) as usize;
        if of_root[root] != u32::MAX {
            islands[of_root[root] as usize].bodies.push(body);
        }
    }
    islands.sort_by_key(|island| island.bodies[0]);
    islands
}

fn find(parent: &mut [u32], mut body: u32) -> u32 {
    while parent[body as usize] != body {
        parent[body as usize] = parent[parent[body as usize] as usize];
        body = parent[body as usize];
    }
    body
}

fn join(parent: &mut [u32], ends: [Option<u32>; 2]) {
    if let [Some(a), Some(b)] = ends {
        let (a, b) = (find(parent, a), find(parent, b));
        parent[a.max(b) as usize] = a.min(b);
    }
}
