//! A balanced binary tree of boxes over elements, refitted in place, traversed against itself.
//!
//! Layout: elements are put in tree order once per build; a leaf holds [`LEAF`] consecutive ones.
//! The tree over m leaves is stored in preorder, the first ⌈m/2⌉ leaves left: the left child of
//! node i is i+1, the right child i + 2⌈m/2⌉. So no pointers are stored, a subtree is one
//! contiguous slice (refit splits it between threads without locks), and a refit or a traversal
//! walks memory forwards.
//!
//! Boxes are `f32`. A coordinate is shifted by a fixed origin and rounded to nearest; both are
//! monotone, so two `f64` intervals that overlap still overlap after rounding: no pair is lost, and
//! no outward rounding is needed.
//!
//! The split is at the median of the box centres along their widest axis. It keeps the tree
//! balanced whatever the input (coincident centres are split by index), at the price of some
//! overlap for very uneven element sizes.

mod build;
mod extent;
mod marks;
mod query;
mod traverse;

pub use extent::{Box32, Extent, MovingBox};
pub use marks::Marks;
pub use query::Visit;

use rayon::prelude::*;

/// Elements per leaf: four boxes are a cache line and a half, and tests inside a leaf need no
/// branching.
pub const LEAF: usize = 4;

/// Nodes below which a subtree is refitted by one thread.
const SEQUENTIAL_LEAVES: usize = 512;

/// A node during descent: its index and its leaves `begin..end`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    pub index: u32,
    pub begin: u32,
    pub end: u32,
}

impl Node {
    #[inline]
    fn leaf_count(&self) -> u32 {
        self.end - self.begin
    }

    #[inline]
    fn is_leaf(&self) -> bool {
        self.leaf_count() == 1
    }

    #[inline]
    fn children(&self) -> (Node, Node) {
        let left_leaves = self.leaf_count().div_ceil(2);
        let middle = self.begin + left_leaves;
        let left = Node { index: self.index + 1, begin: self.begin, end: middle };
        (left, Node { index: self.index + 2 * left_leaves, begin: middle, end: self.end })
    }
}

/// Label of a node whose elements have different labels.
pub const MIXED: u32 = u32::MAX;

/// The boxes of a tree.
#[derive(Clone, Debug)]
pub struct Boxes<B> {
    /// Of elements in tree order.
    elements: Vec<B>,
    /// Of nodes in preorder.
    nodes: Vec<B>,
}

impl<B> Default for Boxes<B> {
    fn default() -> Self {
        Self { elements: Vec::new(), nodes: Vec::new() }
    }
}

impl<B: Extent> Boxes<B> {
    #[inline]
    pub(crate) fn node(&self, node: &Node) -> &B {
        &self.nodes[node.index as usize]
    }

    /// Of the element at a position of the tree.
    #[inline]
    pub(crate) fn element(&self, position: usize) -> &B {
        &self.elements[position]
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        (self.elements.capacity() + self.nodes.capacity()) * size_of::<B>()
    }
}

/// The tree. It knows boxes, element numbers and one label per element (the body), by which whole
/// subtrees can be skipped.
#[derive(Clone, Debug)]
pub struct Bvh {
    /// Position in the tree → element.
    order: Vec<u32>,
    boxes: Boxes<Box32>,
    /// The common label of the elements below each node, or [`MIXED`].
    labels: Vec<u32>,
    /// Σ half-areas of the nodes over that of the root at the last build.
    built_cost: f64,
    cost: f64,
}

impl Bvh {
    /// Builds over the boxes of elements `0..boxes.len()`, labelled by a function of the element.
    pub fn build(boxes: &[Box32], label_of: impl Fn(u32) -> u32) -> Self {
        let order = build::median_order(boxes);
        let leaves = order.len().div_ceil(LEAF);
        let mut tree = Self {
            boxes: Boxes::default(),
            labels: Vec::with_capacity((2 * leaves).saturating_sub(1)),
            order,
            built_cost: 0.0,
            cost: 0.0,
        };
        let mut fitted = Boxes::default();
        let area = tree.fit(&mut fitted, |position| boxes[tree.order[position] as usize]);
        tree.take(fitted, area);
        tree.built_cost = tree.cost;
        let labels: Vec<u32> = tree.order.iter().map(|&e| label_of(e)).collect();
        if leaves > 0 {
            label_subtree(&mut tree.labels, &labels, leaves);
        }
        tree
    }

    /// Takes new element boxes, given as a function of the position in the tree, and updates all
    /// nodes.
    pub fn refit(&mut self, box_of_position: impl Fn(usize) -> Box32 + Sync) {
        let mut boxes = std::mem::take(&mut self.boxes);
        let area = self.fit(&mut boxes, box_of_position);
        self.take(boxes, area);
    }

    /// Frees its boxes; a refit makes them anew.
    pub(crate) fn release_boxes(&mut self) {
        self.boxes = Boxes::default();
    }

    fn take(&mut self, boxes: Boxes<Box32>, area: f64) {
        let root = boxes.nodes.first().map_or(0.0, Box32::half_area);
        self.cost = area / root.max(f64::MIN_POSITIVE);
        self.boxes = boxes;
    }

    /// Fits further boxes to the same tree; returns the sum of the half-areas of the nodes.
    pub fn fit<B: Extent>(&self, boxes: &mut Boxes<B>, box_of_position: impl Fn(usize) -> B + Sync) -> f64 {
        let leaves = self.order.len().div_ceil(LEAF);
        boxes.elements.resize(self.order.len(), B::EMPTY);
        boxes.nodes.resize((2 * leaves).saturating_sub(1), B::EMPTY);
        let chunk = LEAF * SEQUENTIAL_LEAVES;
        boxes.elements.par_chunks_mut(chunk).enumerate().for_each(|(number, part)| {
            for (k, slot) in part.iter_mut().enumerate() {
                *slot = box_of_position(number * chunk + k);
            }
        });
        if leaves > 0 { refit_subtree(&mut boxes.nodes, &boxes.elements, leaves).1 } else { 0.0 }
    }

    /// The same where only the elements at some positions have other boxes than before.
    pub fn fit_at<B: Extent>(
        &self,
        boxes: &mut Boxes<B>,
        positions: &[usize],
        box_of_position: impl Fn(usize) -> B,
    ) {
        positions.iter().for_each(|&position| boxes.elements[position] = box_of_position(position));
        let leaves = self.order.len().div_ceil(LEAF);
        if !positions.is_empty() {
            refit_subtree(&mut boxes.nodes, &boxes.elements, leaves);
        }
    }

    /// How much more a traversal costs than just after the build; 1 means as good as new.
    pub fn degradation(&self) -> f64 {
        if self.built_cost > 0.0 { self.cost / self.built_cost } else { 1.0 }
    }

    /// Element at each position of the tree.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Its boxes.
    pub fn boxes(&self) -> &Boxes<Box32> {
        &self.boxes
    }

    /// Bytes held beside the mesh.
    pub fn memory_bytes(&self) -> usize {
        self.boxes.memory_bytes() + (self.order.capacity() + self.labels.capacity()) * size_of::<u32>()
    }

    pub(crate) fn root(&self) -> Option<Node> {
        let leaves = self.order.len().div_ceil(LEAF) as u32;
        (leaves > 0).then_some(Node { index: 0, begin: 0, end: leaves })
    }

    #[inline]
    pub(crate) fn label(&self, node: &Node) -> u32 {
        self.labels[node.index as usize]
    }

    /// Positions of the elements of a leaf.
    #[inline]
    pub(crate) fn leaf_range(&self, node: &Node) -> std::ops::Range<usize> {
        let begin = node.begin as usize * LEAF;
        begin..(begin + LEAF).min(self.order.len())
    }

    /// Positions of all elements below a node.
    #[cfg(test)]
    fn leaf_range_of(&self, node: &Node) -> std::ops::Range<usize> {
        node.begin as usize * LEAF..(node.end as usize * LEAF).min(self.order.len())
    }
}

/// Refits one subtree; returns its box and the sum of half-areas, added in tree order for any
/// thread count.
fn refit_subtree<B: Extent>(nodes: &mut [B], boxes: &[B], leaves: usize) -> (B, f64) {
    let (own, area) = if leaves == 1 {
        (boxes.iter().fold(B::EMPTY, |sum, b| sum.union(b)), 0.0)
    } else {
        let left_leaves = leaves.div_ceil(2);
        let (left_nodes, right_nodes) = nodes[1..].split_at_mut(2 * left_leaves - 1);
        let (left_boxes, right_boxes) = boxes.split_at(left_leaves * LEAF);
        let mut left = || refit_subtree(left_nodes, left_boxes, left_leaves);
        let mut right = || refit_subtree(right_nodes, right_boxes, leaves - left_leaves);
        let ((a, area_a), (b, area_b)) =
            if leaves > SEQUENTIAL_LEAVES { rayon::join(left, right) } else { (left(), right()) };
        (a.union(&b), area_a + area_b)
    };
    nodes[0] = own;
    (own, area + own.half_area())
}

/// Appends the labels of a subtree in preorder; returns that of its root.
fn label_subtree(nodes: &mut Vec<u32>, elements: &[u32], leaves: usize) -> u32 {
    let own = nodes.len();
    nodes.push(MIXED);
    let join = |a: u32, b: u32| if a == b { a } else { MIXED };
    nodes[own] = if leaves == 1 {
        elements.iter().copied().reduce(join).expect("a leaf holds an element")
    } else {
        let left_leaves = leaves.div_ceil(2);
        let (left, right) = elements.split_at(left_leaves * LEAF);
        let left = label_subtree(nodes, left, left_leaves);
        join(left, label_subtree(nodes, right, leaves - left_leaves))
    };
    nodes[own]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boxes(count: usize) -> Vec<Box32> {
        let at = |k: usize| {
            let p = [(k * 7919 % 101) as f32, (k * 104729 % 97) as f32, (k * 1299709 % 89) as f32];
            Box32 { lo: p, hi: p.map(|c| c + 3.0) }
        };
        (0..count).map(at).collect()
    }

    #[test]
    fn every_node_contains_its_children() {
        for count in [1, 2, 4, 5, 9, 63, 1000, 20_001] {
            let boxes = boxes(count);
            let tree = Bvh::build(&boxes, |e| e / 500);
            let mut seen = tree.order().to_vec();
            seen.sort_unstable();
            assert!(seen.iter().enumerate().all(|(k, &e)| k == e as usize));
            let mut stack = vec![tree.root().expect("not empty")];
            let mut visited = 0;
            while let Some(node) = stack.pop() {
                visited += 1;
                let own = *tree.boxes.node(&node);
                let mut below = tree.order()[tree.leaf_range_of(&node)].iter().map(|e| e / 500);
                let first = below.next().expect("not empty");
                assert_eq!(tree.label(&node), if below.all(|l| l == first) { first } else { MIXED });
                if node.is_leaf() {
                    assert!(tree.leaf_range(&node).all(|k| own.union(tree.boxes.element(k)) == own));
                } else {
                    let (left, right) = node.children();
                    assert_eq!(own, tree.boxes.node(&left).union(tree.boxes.node(&right)));
                    stack.extend([left, right]);
                }
            }
            assert_eq!(visited, tree.boxes.nodes.len());
        }
    }

    #[test]
    fn refit_notices_decay() {
        let mut moved = boxes(4000);
        let mut tree = Bvh::build(&moved, |_| 0);
        assert_eq!(tree.degradation(), 1.0);
        moved.reverse();
        let order = tree.order().to_vec();
        tree.refit(|k| moved[order[k] as usize]);
        assert!(tree.degradation() > 1.5, "{}", tree.degradation());
    }

    #[test]
    fn empty_and_coincident_input() {
        assert!(Bvh::build(&[], |_| 0).root().is_none());
        let tree = Bvh::build(&vec![Box32 { lo: [1.0; 3], hi: [1.0; 3] }; 5000], |_| 7);
        assert_eq!(tree.boxes.nodes.len(), 2 * 1250 - 1);
    }
}
