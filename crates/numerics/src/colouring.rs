//! Stages of items that may be relaxed at the same time, for parallel Gauss–Seidel over contacts.
//!
//! Items (contacts) of one stage share no block. At most `max_colours` stages are opened; what fits into none is the
//! *remainder*, to be relaxed in sequence after them. First fit in input order: deterministic, and items
//! appended later never move the old ones.

/// Greedy colouring with a cap on the number of colours.
#[derive(Clone, Debug, Default)]
pub struct StageColouring {
    max_colours: usize,
    item_count: usize,
    /// Colours in use at each block, as bits.
    used: Vec<u32>,
    stages: Vec<Vec<u32>>,
    remainder: Vec<u32>,
}

impl StageColouring {
    /// Largest number of stages that can be asked for.
    pub const MAX_COLOURS: usize = 32;

    /// An empty colouring over `block_count` blocks; `max_colours` is cut to [`Self::MAX_COLOURS`].
    pub fn new(block_count: usize, max_colours: usize) -> Self {
        Self {
            max_colours: max_colours.min(Self::MAX_COLOURS),
            used: vec![0; block_count],
            ..Self::default()
        }
    }

    /// Forgets all items and starts again over `block_count` blocks, keeping the memory.
    pub fn reset(&mut self, block_count: usize) {
        self.used.clear();
        self.used.resize(block_count, 0);
        self.stages.iter_mut().for_each(Vec::clear);
        self.remainder.clear();
        self.item_count = 0;
    }

    /// Appends items by their blocks; numbers continue from the items so far. Earlier items keep their colours.
    ///
    /// An item without blocks joins the first stage. Panics when a block does not exist.
    pub fn extend<'a>(&mut self, stencils: impl IntoIterator<Item = &'a [u32]>) {
        for stencil in stencils {
            let taken = stencil.iter().fold(0, |mask, &i| mask | self.used[i as usize]);
            let colour = taken.trailing_ones() as usize;
            let item = self.item_count as u32;
            self.item_count += 1;
            if colour >= self.max_colours {
                self.remainder.push(item);
                continue;
            }
            stencil.iter().for_each(|&i| self.used[i as usize] |= 1 << colour);
            if self.stages.len() <= colour {
                self.stages.resize_with(colour + 1, Vec::new);
            }
            self.stages[colour].push(item);
        }
    }

    /// Number of items so far.
    pub fn item_count(&self) -> usize {
        self.item_count
    }

    /// Items of each stage, ascending; trailing stages may be empty after a reset.
    pub fn stages(&self) -> &[Vec<u32>] {
        &self.stages
    }

    /// Items that fit into no stage, ascending: relax them one after the other.
    pub fn remainder(&self) -> &[u32] {
        &self.remainder
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn stencils(count: usize, blocks: usize, seed: u64) -> Vec<Vec<u32>> {
        let mut random = Random::new(seed);
        (0..count).map(|k| (0..1 + k % 8).map(|_| random.below(blocks) as u32).collect()).collect()
    }

    fn check(colouring: &StageColouring, items: &[Vec<u32>], blocks: usize) {
        let mut seen = vec![0; items.len()];
        for stage in colouring.stages() {
            let mut owner = vec![u32::MAX; blocks];
            assert!(stage.windows(2).all(|w| w[0] < w[1]));
            for &item in stage {
                seen[item as usize] += 1;
                for &i in &items[item as usize] {
                    assert!(owner[i as usize] == u32::MAX || owner[i as usize] == item);
                    owner[i as usize] = item;
                }
            }
        }
        colouring.remainder().iter().for_each(|&item| seen[item as usize] += 1);
        assert!(seen.iter().all(|&s| s == 1));
    }

    #[test]
    fn stages_are_independent_and_complete() {
        let items = stencils(2000, 3000, 131);
        let mut colouring = StageColouring::new(3000, 8);
        colouring.extend(items.iter().map(|s| &s[..]));
        check(&colouring, &items, 3000);
        assert!(colouring.stages().len() <= 8 && !colouring.remainder().is_empty());
    }

    #[test]
    fn extension_keeps_old_colours_and_equals_one_go() {
        let items = stencils(500, 4000, 132);
        let mut whole = StageColouring::new(4000, 8);
        whole.extend(items.iter().map(|s| &s[..]));
        let mut parts = StageColouring::new(10, 8);
        parts.reset(4000);
        parts.extend(items[..200].iter().map(|s| &s[..]));
        let before = parts.clone();
        parts.extend(items[200..].iter().map(|s| &s[..]));
        assert_eq!(parts.stages(), whole.stages());
        for (old, new) in before.stages().iter().zip(parts.stages()) {
            assert!(new.starts_with(old));
        }
        check(&parts, &items, 4000);
    }

    #[test]
    fn crowded_block_overflows_to_the_remainder() {
        let mut colouring = StageColouring::new(2, 8);
        colouring.extend(std::iter::repeat_n(&[1u32][..], 20));
        assert!(colouring.stages().iter().all(|s| s.len() == 1));
        assert_eq!(colouring.remainder(), (8..20).collect::<Vec<u32>>());
        let mut full = StageColouring::new(1, 99);
        full.extend(std::iter::repeat_n(&[0u32][..], 40));
        assert_eq!((full.stages().len(), full.remainder().len()), (32, 8));
    }
}
