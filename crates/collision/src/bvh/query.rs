//! One volume against the tree, by depth-first descent.

use super::{Box32, Boxes, Bvh, Extent};

/// What to do with a box during a descent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// Look inside.
    Enter,
    /// Leave it out.
    Skip,
}

impl Bvh {
    /// Calls `hit` with the position of every element whose box is entered; children of skipped
    /// boxes are not seen.
    pub fn descend(&self, visit: impl FnMut(&Box32) -> Visit, hit: impl FnMut(usize)) {
        self.descend_in(&self.boxes, visit, hit);
    }

    /// The same with further boxes that were fitted to the tree.
    pub fn descend_in<B: Extent>(
        &self,
        boxes: &Boxes<B>,
        mut visit: impl FnMut(&B) -> Visit,
        mut hit: impl FnMut(usize),
    ) {
        let Some(root) = self.root() else { return };
        let mut stack = vec![root];
        while let Some(node) = stack.pop() {
            if visit(boxes.node(&node)) == Visit::Skip {
                continue;
            }
            if node.is_leaf() {
                for position in self.leaf_range(&node) {
                    if visit(boxes.element(position)) == Visit::Enter {
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
