//! One volume against the tree, by depth-first descent.

use super::{Box32, Bvh};

/// What to do with a box during a descent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// Look inside.
    Enter,
    /// Leave it out.
    Skip,
}

impl Bvh {
    /// Calls `hit` with the position of every element whose box is entered; children of skipped boxes are
    /// not seen.
    pub fn descend(&self, mut visit: impl FnMut(&Box32) -> Visit, mut hit: impl FnMut(usize)) {
        let Some(root) = self.root() else { return };
        let mut stack = vec![root];
        while let Some(node) = stack.pop() {
            if visit(self.node_box(&node)) == Visit::Skip {
                continue;
            }
            if node.is_leaf() {
                for position in self.leaf_range(&node) {
                    if visit(self.element_box(position)) == Visit::Enter {
                        hit(position);
                    }
                }
            } else {
                let (left, right) = node.children();
                stack.push(right);
                stack.push(left);
            }
        }
    }
}
