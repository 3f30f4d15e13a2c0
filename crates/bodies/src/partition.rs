//! Connected parts of the unknowns.

/// Blocks grouped in connected parts, numbered in the order of their first block.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Partition {
    /// Part of each block.
    pub part: Vec<u32>,
    /// Number of parts.
    pub parts: usize,
}

/// Union–find over blocks, with path halving; the smaller root wins, so the result does not depend
/// on the order.
pub struct Joiner {
    parent: Vec<u32>,
}

impl Joiner {
    /// Every block for itself.
    pub fn new(blocks: usize) -> Joiner {
        Joiner { parent: (0..blocks as u32).collect() }
    }

    /// The smallest block that a block is joined with.
    pub fn root(&mut self, mut i: u32) -> u32 {
        while self.parent[i as usize] != i {
            let grand = self.parent[self.parent[i as usize] as usize];
            self.parent[i as usize] = grand;
            i = grand;
        }
        i
    }

    /// Joins the parts of two blocks.
    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }

    /// Joins the parts of all blocks.
    pub fn join_all(&mut self, blocks: impl IntoIterator<Item = u32>) {
        let mut blocks = blocks.into_iter();
        if let Some(first) = blocks.next() {
            blocks.for_each(|b| self.join(first, b));
        }
    }

    /// The parts, numbered in the order of their first block.
    pub fn partition(&mut self) -> Partition {
        let mut part = vec![u32::MAX; self.parent.len()];
        let mut parts = 0;
        for i in 0..self.parent.len() as u32 {
            let root = self.root(i) as usize;
            if part[root] == u32::MAX {
                part[root] = parts;
                parts += 1;
            }
            part[i as usize] = part[root];
        }
        Partition { part, parts: parts as usize }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_numbered_by_their_first_block_whatever_the_order() {
        let mut one = Joiner::new(6);
        one.join_all([5, 1]);
        one.join_all([2, 4]);
        let mut two = Joiner::new(6);
        two.join_all([4, 2]);
        two.join_all([1, 5]);
        assert_eq!(one.partition(), two.partition());
        assert_eq!(one.partition().part, [0, 1, 2, 3, 2, 1]);
        assert_eq!(one.partition().parts, 4);
    }
}
