//! Marked elements, and the nodes above them.

use super::{Bvh, LEAF, Node};

/// Which elements are marked, and which nodes have a marked one below them.
#[derive(Clone, Debug)]
pub struct Marks {
    elements: Vec<bool>,
    count: usize,
    /// In preorder.
    nodes: Vec<bool>,
}

impl Marks {
    /// Whether the element at a position of the tree is marked.
    #[inline]
    pub fn element(&self, position: usize) -> bool {
        self.elements[position]
    }

    /// Number of marked elements.
    pub(super) fn count(&self) -> usize {
        self.count
    }

    /// Whether anything below a node is marked.
    #[inline]
    pub(super) fn has(&self, node: &Node) -> bool {
        self.nodes[node.index as usize]
    }
}

impl Bvh {
    /// Marks the elements at these positions of the tree.
    pub fn marks(&self, positions: &[usize]) -> Marks {
        let mut elements = vec![false; self.order().len()];
        positions.iter().for_each(|&position| elements[position] = true);
        let leaves = elements.len().div_ceil(LEAF);
        let mut nodes = Vec::with_capacity((2 * leaves).saturating_sub(1));
        if leaves > 0 {
            mark_subtree(&mut nodes, &elements, leaves);
        }
        Marks { elements, count: positions.len(), nodes }
    }
}

/// Appends the marks of a subtree in preorder; returns that of its root.
fn mark_subtree(nodes: &mut Vec<bool>, elements: &[bool], leaves: usize) -> bool {
    let own = nodes.len();
    nodes.push(false);
    nodes[own] = if leaves == 1 {
        elements.contains(&true)
    } else {
        let left_leaves = leaves.div_ceil(2);
        let (left, right) = elements.split_at(left_leaves * LEAF);
        let left = mark_subtree(nodes, left, left_leaves);
        mark_subtree(nodes, right, leaves - left_leaves) || left
    };
    nodes[own]
}
