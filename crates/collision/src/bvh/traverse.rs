//! Tree against itself: all pairs of elements whose boxes overlap, each once.

use super::{Boxes, Bvh, Extent, MIXED, Marks, Node};
use rayon::prelude::*;

/// Tasks into which a traversal is cut: enough to balance any machine, and fixed, so that the
/// joined output is the same for any number of threads.
const TASKS: usize = 512;

/// Marked elements per task where there are marks: smaller tasks cost more than they do.
const MARKED_PER_TASK: usize = 16;

/// A pair of subtrees still to be compared; equal nodes mean a subtree against itself.
#[derive(Clone, Copy)]
struct Task(Node, Node);

impl Bvh {
    /// Calls `emit(i, j, output)` for every pair of tree positions i < j with overlapping boxes, in
    /// parallel; returns the outputs of the tasks in a fixed order. Pairs of subtrees of uniform
    /// labels for which `may_meet` is false are skipped; mixed subtrees are always looked into.
    pub fn self_pairs<Output: Send>(
        &self,
        may_meet: impl Fn(u32, u32) -> bool + Sync,
        make: impl Fn() -> Output + Sync,
        emit: impl Fn(usize, usize, &mut Output) + Sync,
    ) -> Vec<Output> {
        self.self_pairs_in(&self.boxes, None, may_meet, make, emit, |output| output)
    }

    /// The same with further boxes that were fitted to the tree; with marks, only pairs of leaves
    /// of which one holds a marked element are looked into. `finish` takes the output of a task as
    /// soon as it is whole.
    pub fn self_pairs_in<B: Extent, Output, Finished: Send>(
        &self,
        boxes: &Boxes<B>,
        marks: Option<&Marks>,
        may_meet: impl Fn(u32, u32) -> bool + Sync,
        make: impl Fn() -> Output + Sync,
        emit: impl Fn(usize, usize, &mut Output) + Sync,
        finish: impl Fn(Output) -> Finished + Sync,
    ) -> Vec<Finished> {
        let Some(root) = self.root() else { return Vec::new() };
        let is_open = |a: &Node, b: &Node| {
            let (of_a, of_b) = (self.label(a), self.label(b));
            let marked = marks.is_none_or(|marks| marks.has(a) || marks.has(b));
            marked && (of_a == MIXED || of_b == MIXED || may_meet(of_a, of_b))
        };
        let walk = Walk { tree: self, boxes, is_open };
        let tasks = marks.map_or(TASKS, |marks| (marks.count() / MARKED_PER_TASK).clamp(1, TASKS));
        walk.expand(Task(root, root), tasks)
            .into_par_iter()
            .map(|task| {
                let mut output = make();
                walk.run(task, &emit, &mut output);
                finish(output)
            })
            .collect()
    }
}

/// One traversal.
struct Walk<'a, B, Open> {
    tree: &'a Bvh,
    boxes: &'a Boxes<B>,
    /// Whether anything below two nodes may touch.
    is_open: Open,
}

impl<B: Extent, Open: Fn(&Node, &Node) -> bool + Sync> Walk<'_, B, Open> {
    /// Splits the work breadth-first. Work is not even across tasks; the surplus of tasks evens it
    /// out.
    fn expand(&self, first: Task, wanted: usize) -> Vec<Task> {
        let mut tasks = vec![first];
        while tasks.len() < wanted {
            let before = tasks.len();
            let mut finer = Vec::with_capacity(2 * before);
            let mut has_split = false;
            for task in tasks {
                has_split |= self.split(task, &mut finer);
            }
            tasks = finer;
            if !has_split {
                break;
            }
        }
        tasks
    }

    /// Pushes the parts of a task; false when it is a pair of leaves already. Disjoint pairs
    /// vanish.
    #[inline]
    fn split(&self, Task(a, b): Task, parts: &mut Vec<Task>) -> bool {
        if a.index == b.index {
            if a.is_leaf() {
                parts.push(Task(a, b));
                return false;
            }
            let (left, right) = a.children();
            for (x, y) in [(left, left), (right, right), (left, right)] {
                if (x.index == y.index || self.meet(&x, &y)) && (self.is_open)(&x, &y) {
                    parts.push(Task(x, y));
                }
            }
            return true;
        }
        if a.is_leaf() && b.is_leaf() {
            parts.push(Task(a, b));
            return false;
        }
        if b.is_leaf() || (!a.is_leaf() && a.leaf_count() >= b.leaf_count()) {
            let (left, right) = a.children();
            for child in [left, right] {
                if self.meet(&child, &b) && (self.is_open)(&child, &b) {
                    parts.push(Task(child, b));
                }
            }
        } else {
            let (left, right) = b.children();
            for child in [left, right] {
                if self.meet(&a, &child) && (self.is_open)(&a, &child) {
                    parts.push(Task(a, child));
                }
            }
        }
        true
    }

    #[inline]
    fn meet(&self, a: &Node, b: &Node) -> bool {
        self.boxes.node(a).overlaps(self.boxes.node(b))
    }

    fn run<Output>(&self, task: Task, emit: &impl Fn(usize, usize, &mut Output), output: &mut Output) {
        let mut stack = Vec::with_capacity(128);
        stack.push(task);
        while let Some(task) = stack.pop() {
            let Task(a, b) = task;
            if a.is_leaf() && b.is_leaf() {
                self.leaf_pair(&a, &b, emit, output);
            } else {
                self.split(task, &mut stack);
            }
        }
    }

    #[inline]
    fn leaf_pair<Output>(
        &self,
        a: &Node,
        b: &Node,
        emit: &impl Fn(usize, usize, &mut Output),
        output: &mut Output,
    ) {
        let is_self = a.index == b.index;
        let other = self.boxes.node(b);
        for i in self.tree.leaf_range(a) {
            let own = self.boxes.element(i);
            if !is_self && !own.overlaps(other) {
                continue;
            }
            for j in self.tree.leaf_range(b) {
                if (!is_self || i < j) && own.overlaps(self.boxes.element(j)) {
                    // the first node of a pair may lie behind the second only by construction
                    // errors
                    debug_assert!(i < j);
                    emit(i, j, output);
                }
            }
        }
    }
}
