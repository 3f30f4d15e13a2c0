//! Which terms touch each block, for sums that are gathered block by block in a fixed order.

/// Terms by block, ascending within a block.
#[derive(Clone, Debug, Default)]
pub struct Incidence {
    /// Terms of block i are `terms[starts[i]..starts[i + 1]]`.
    starts: Vec<u32>,
    terms: Vec<u32>,
}

impl Incidence {
    /// Sorts the blocks of all stencils; the memory of the last call is used again. Panics when a
    /// stencil names a block ≥ `blocks`.
    pub fn rebuild<'a>(&mut self, blocks: usize, stencils: impl Iterator<Item = &'a [u32]> + Clone) {
        self.starts.clear();
        self.starts.resize(blocks + 1, 0);
        for &block in stencils.clone().flatten() {
            self.starts[block as usize + 1] += 1;
        }
        for block in 0..blocks {
            self.starts[block + 1] += self.starts[block];
        }
        self.terms.clear();
        self.terms.resize(self.starts[blocks] as usize, 0);
        // Every start runs to the end of its block, which is the start of the next one.
        for (term, stencil) in stencils.enumerate() {
            for &block in stencil {
                let place = &mut self.starts[block as usize];
                self.terms[*place as usize] = term as u32;
                *place += 1;
            }
        }
        self.starts.copy_within(..blocks, 1);
        self.starts[0] = 0;
    }

    /// The terms of a block.
    #[inline]
    pub fn of(&self, block: usize) -> &[u32] {
        &self.terms[self.starts[block] as usize..self.starts[block + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_term_is_found_at_its_blocks_in_order() {
        let stencils: [&[u32]; 4] = [&[2, 0], &[1, 2, 4], &[], &[2]];
        let mut incidence = Incidence::default();
        incidence.rebuild(9, [[8u32].as_slice()].into_iter());
        incidence.rebuild(5, stencils.into_iter());
        let lists: Vec<&[u32]> = (0..5).map(|b| incidence.of(b)).collect();
        assert_eq!(lists, [&[0u32][..], &[1], &[0, 1, 3], &[], &[1]]);
    }
}
