//! Strands that are held inside a solid: what lies below its surface is the root, and never touches
//! that solid.
//!
//! Without this the first free node would be pushed out while its neighbour is held inside, and the
//! segment between them would stretch by as much as the root is deep.

use super::analytic::PlacedShape;
use stiction_bodies::Model;
use stiction_collision::intersection::InsidePoint;

/// Nodes of the strands whose root is pinned.
pub(super) fn held_strands(model: &Model) -> Vec<&[u32]> {
    let mut is_held = vec![false; model.nodes];
    model.pins.groups.iter().flat_map(|g| &g.nodes).for_each(|&n| is_held[n as usize] = true);
    let strands = model.rods.strands.iter().map(|strand| &strand.nodes[..]);
    strands.filter(|nodes| is_held[nodes[0] as usize]).collect()
}

/// Nodes of held strands from the root up to where they first come out of the solid that holds the
/// root, with that solid. A strand that never comes out is not rooted: it was put in the wrong
/// place, and contact brings it out. `inside` are the points found inside solids at the start.
///
/// Out of a mesh comes the segment to the next node, too; analytic solids meet that node as any
/// other.
pub(super) fn buried_roots(model: &Model, held: &[&[u32]], inside: &[InsidePoint]) -> Vec<(u32, u32)> {
    let mut inside: Vec<(u32, u32)> = inside.iter().map(|p| (p.vertex, p.bodies[1])).collect();
    inside.sort_unstable();
    let mut out = Vec::new();
    for nodes in held {
        let first = inside.partition_point(|p| p.0 < nodes[0]);
        for &(_, solid) in inside[first..].iter().take_while(|p| p.0 == nodes[0]) {
            let below = nodes.iter().take_while(|&&n| inside.binary_search(&(n, solid)).is_ok()).count();
            let analytic = PlacedShape::all(model).any(|shape| shape.object == solid);
            let rooted = if analytic { below } else { below + 1 };
            if below < nodes.len() {
                out.extend(nodes[..rooted].iter().map(|&n| (n, solid)));
            }
        }
    }
    out
}
