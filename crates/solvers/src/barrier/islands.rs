//! Who may meet whom: step lengths of their own for objects that cannot touch within a direction.
//!
//! Objects are joined when a swept pair, a contact or a coupling links them; what the same moving
//! script carries is joined through the *clock*. Two objects of different islands have disjoint
//! swept boxes, so any two shares of their ways are safe together. Colliders at rest join nothing:
//! a floor does not make one island of all that lies on it.

use super::contacts::Contact;
use crate::solver::World;
use stiction_bodies::partition::Joiner;
use stiction_collision::{Candidates, CollisionMesh};
use stiction_numerics::BlockPattern;

/// Which object owns what.
pub(super) struct Owners {
    /// Object of each block.
    pub of_block: Vec<u32>,
    /// Object of each vertex of mesh colliders.
    pub of_kinematic: Vec<u32>,
    /// Whether an object can move; the last entry is the clock.
    movable: Vec<bool>,
    /// Objects joined for good: couplings, and what moves by the clock.
    joined: Vec<[u32; 2]>,
}

impl Owners {
    pub fn new(world: World<'_>, pattern: &BlockPattern) -> Owners {
        let World { model, parameters } = world;
        let mut of_block = vec![0; model.blocks()];
        for (number, body) in model.bodies.iter().enumerate() {
            let twists = body.edges.clone().map(|e| model.twist_block(e));
            let normals = body.shell_edges.clone().map(|e| model.shell_angle_block(e));
            for block in body.nodes.clone().chain(twists).chain(normals) {
                of_block[block] = number as u32;
            }
        }
        let (bodies, objects) = (model.bodies.len(), model.surfaces.objects.len());
        let moves = |o: usize| o < bodies || model.colliders.moves(o - bodies, &parameters.controls);
        let mut movable: Vec<bool> = (0..objects).map(moves).collect();
        movable.push(true);
        let colliders = (bodies..objects).filter(|&o| movable[o]).map(|o| [o as u32, objects as u32]);
        let mut joined: Vec<[u32; 2]> = colliders.collect();
        for row in 0..pattern.block_count() {
            let own = of_block[row];
            let others = pattern.row(row).iter().map(|&c| of_block[c as usize]).filter(|&o| o != own);
            joined.extend(others.map(|o| [own, o]));
        }
        joined.sort_unstable();
        joined.dedup();
        let of_kinematic = model.surfaces.object_of_vertex[model.surfaces.kinematic_start()..].to_vec();
        Owners { of_block, of_kinematic, movable, joined }
    }

    /// Number of the clock among the objects; there are that many objects beside it.
    pub fn clock(&self) -> usize {
        self.movable.len() - 1
    }
}

/// Objects in islands.
pub(super) struct Islands<'a> {
    owners: &'a Owners,
    joiner: Joiner,
}

impl<'a> Islands<'a> {
    pub fn new(owners: &'a Owners) -> Islands<'a> {
        let mut joiner = Joiner::new(owners.movable.len());
        owners.joined.iter().for_each(|&[a, b]| joiner.join(a, b));
        Islands { owners, joiner }
    }

    pub fn join(&mut self, a: u32, b: u32) {
        if a != b && self.owners.movable[a as usize] && self.owners.movable[b as usize] {
            self.joiner.join(a, b);
        }
    }

    pub fn join_contacts(&mut self, contacts: &[Contact]) {
        contacts.iter().for_each(|c| self.join(c.objects()[0], c.objects()[1]));
    }

    pub fn join_pairs(&mut self, mesh: &CollisionMesh, pairs: &Candidates) {
        for [a, b] in objects_of(mesh, pairs) {
            self.join(a, b);
        }
    }

    /// Smallest object of the island.
    pub fn root(&mut self, object: u32) -> u32 {
        self.joiner.root(object)
    }

    /// The island of each block, numbered from 0, and their number.
    pub fn parts(&mut self) -> (Vec<u32>, usize) {
        let partition = self.joiner.partition();
        let part = |&object: &u32| partition.part[object as usize];
        (self.owners.of_block.iter().map(part).collect(), partition.parts)
    }

    /// Pairs by island, in the order of its root; a pair belongs to the island of its movable
    /// object.
    pub fn split(&mut self, mesh: &CollisionMesh, pairs: Candidates) -> Vec<(u32, Candidates)> {
        let roots: Vec<u32> = objects_of(mesh, &pairs)
            .map(|[a, b]| self.root(if self.owners.movable[a as usize] { a } else { b }))
            .collect();
        let mut found = roots.clone();
        found.sort_unstable();
        found.dedup();
        if let [root] = found[..] {
            return vec![(root, pairs)];
        }
        let mut islands: Vec<(u32, Candidates)> = found.iter().map(|&r| (r, Candidates::default())).collect();
        let place = |root: u32| found.binary_search(&root).expect("every root is listed");
        let (first, second) = roots.split_at(pairs.vertex_triangle.len());
        for (pair, &root) in pairs.vertex_triangle.iter().zip(first) {
            islands[place(root)].1.vertex_triangle.push(*pair);
        }
        for (pair, &root) in pairs.edge_edge.iter().zip(second) {
            islands[place(root)].1.edge_edge.push(*pair);
        }
        islands
    }
}

/// Objects that push the two of a pair, through contacts and couplings but not by the clock: the
/// pair's own come first.
pub(super) fn around(owners: &Owners, contacts: &[Contact], pair: [u32; 2]) -> Vec<u32> {
    let clock = owners.clock() as u32;
    let mut joiner = Joiner::new(owners.movable.len());
    let mut join = |[a, b]: [u32; 2]| {
        if a != clock && b != clock && owners.movable[a as usize] && owners.movable[b as usize] {
            joiner.join(a, b);
        }
    };
    owners.joined.iter().for_each(|&pair| join(pair));
    contacts.iter().for_each(|c| join(c.objects()));
    join(pair);
    let roots = pair.map(|object| joiner.root(object));
    let others = (0..clock).filter(|o| !pair.contains(o));
    let mut out = pair.to_vec();
    out.extend(others.filter(|&o| roots.contains(&joiner.root(o))));
    out.dedup();
    out
}

/// The two objects of each pair, vertices and triangles first.
fn objects_of<'a>(mesh: &'a CollisionMesh, pairs: &'a Candidates) -> impl Iterator<Item = [u32; 2]> + 'a {
    let own = |v: u32| mesh.vertex_body(v).expect("a vertex of a pair is used");
    let first = pairs.vertex_triangle.iter().map(move |&[v, t]| [own(v), mesh.triangle_body(t)]);
    first.chain(pairs.edge_edge.iter().map(|&[a, b]| [mesh.edge_body(a), mesh.edge_body(b)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bodies 0 to 2, a floor at rest (3), a moving collider (4) and the clock (5).
    fn owners() -> Owners {
        Owners {
            of_block: vec![0, 0, 1, 2],
            of_kinematic: Vec::new(),
            movable: vec![true, true, true, false, true, true],
            joined: vec![[4, 5]],
        }
    }

    #[test]
    fn a_floor_joins_nothing_and_a_moving_collider_goes_by_the_clock() {
        let owners = owners();
        let mut islands = Islands::new(&owners);
        islands.join(0, 3);
        islands.join(1, 3);
        assert_ne!(islands.root(0), islands.root(1));
        islands.join(2, 4);
        assert_eq!(islands.root(2), islands.root(owners.clock() as u32));
        islands.join(1, 0);
        let (parts, _) = islands.parts();
        assert!(parts[0] == parts[2] && parts[0] != parts[3]);
    }
}
