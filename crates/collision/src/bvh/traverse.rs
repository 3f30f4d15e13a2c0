//! Tree against itself: all pairs of elements whose boxes overlap, each once.

use super::{Bvh, MIXED, Node};
use rayon::prelude::*;

/// Tasks into which a traversal is cut: enough to balance any machine, and fixed, so that the joined output
/// is the same for any number of threads.
const TASKS: usize = 512;

/// A pair of subtrees still to be compared; equal nodes mean a subtree against itself.
#[derive(Clone, Copy)]
struct Task(Node, Node);

impl Bvh {
    /// Calls `emit(i, j, output)` for every pair of tree positions i < j with overlapping boxes, in
    /// parallel; returns the outputs of the tasks in a fixed order. Pairs of subtrees of uniform labels for
    /// which `may_meet` is false are skipped; mixed subtrees are always looked into.
    pub fn self_pairs<Output: Send>(
        &self,
        may_meet: impl Fn(u32, u32) -> bool + Sync,
        make: impl Fn() -> Output + Sync,
        emit: impl Fn(usize, usize, &mut Output) + Sync,
    ) -> Vec<Output> {
        let Some(root) = self.root() else { return Vec::new() };
        let is_open = |a: &Node, b: &Node| {
            let (a, b) = (self.label(a), self.label(b));
            a == MIXED || b == MIXED || may_meet(a, b)
        };
        let tasks = self.expand(Task(root, root), &is_open);
        tasks
            .into_par_iter()
            .map(|task| {
                let mut output = make();
                self.run(task, &is_open, &emit, &mut output);
                output
            })
            .collect()
    }

    /// Splits the work breadth-first. Work is not even across tasks; the surplus of tasks evens it out.
    fn expand(&self, first: Task, is_open: &impl Fn(&Node, &Node) -> bool) -> Vec<Task> {
        let mut tasks = vec![first];
        while tasks.len() < TASKS {
            let before = tasks.len();
            let mut finer = Vec::with_capacity(2 * before);
            let mut has_split = false;
            for task in tasks {
                has_split |= self.split(task, is_open, &mut finer);
            }
            tasks = finer;
            if !has_split {
                break;
            }
        }
        tasks
    }

    /// Pushes the parts of a task; false when it is a pair of leaves already. Disjoint pairs vanish.
    #[inline]
    fn split(
        &self,
        Task(a, b): Task,
        is_open: &impl Fn(&Node, &Node) -> bool,
        parts: &mut Vec<Task>,
    ) -> bool {
        if a.index == b.index {
            if a.is_leaf() {
                parts.push(Task(a, b));
                return false;
            }
            let (left, right) = a.children();
            for (x, y) in [(left, left), (right, right), (left, right)] {
                if (x.index == y.index || self.node_box(&x).overlaps(self.node_box(&y))) && is_open(&x, &y) {
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
            let other = self.node_box(&b);
            for child in [left, right] {
                if self.node_box(&child).overlaps(other) && is_open(&child, &b) {
                    parts.push(Task(child, b));
                }
            }
        } else {
            let (left, right) = b.children();
            let other = self.node_box(&a);
            for child in [left, right] {
                if self.node_box(&child).overlaps(other) && is_open(&a, &child) {
                    parts.push(Task(a, child));
                }
            }
        }
        true
    }

    fn run<Output>(
        &self,
        task: Task,
        is_open: &impl Fn(&Node, &Node) -> bool,
        emit: &impl Fn(usize, usize, &mut Output),
        output: &mut Output,
    ) {
        let mut stack = Vec::with_capacity(128);
        stack.push(task);
        while let Some(task) = stack.pop() {
            let Task(a, b) = task;
            if a.is_leaf() && b.is_leaf() {
                self.leaf_pair(&a, &b, emit, output);
            } else {
                self.split(task, is_open, &mut stack);
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
        let other = self.node_box(b);
        for i in self.leaf_range(a) {
            let own = self.element_box(i);
            if !is_self && !own.overlaps(other) {
                continue;
            }
            for j in self.leaf_range(b) {
                if (!is_self || i < j) && own.overlaps(self.element_box(j)) {
                    // the first node of a pair may lie behind the second only by construction errors
                    debug_assert!(i < j);
                    emit(i, j, output);
                }
            }
        }
    }
}
