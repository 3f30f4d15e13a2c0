//! Pairs that never touch, by their first feature: most features have none, and one look tells.

/// A set of pairs of features.
#[derive(Clone, Debug, Default)]
pub(crate) struct ExcludedPairs {
    /// Where the partners of each first feature begin; empty when there is no pair.
    begin: Vec<u32>,
    /// Partners, sorted for each first feature.
    partners: Vec<u32>,
}

impl ExcludedPairs {
    /// Adds pairs.
    pub fn extend(&mut self, pairs: impl IntoIterator<Item = [u32; 2]>) {
        let mut all: Vec<[u32; 2]> = self.pairs().chain(pairs).collect();
        all.sort_unstable();
        all.dedup();
        let features = all.last().map_or(0, |pair| pair[0] as usize + 1);
        let mut begin = vec![0; features + 1];
        all.iter().for_each(|pair| begin[pair[0] as usize + 1] += 1);
        for k in 0..features {
            begin[k + 1] += begin[k];
        }
        *self = ExcludedPairs { begin, partners: all.iter().map(|pair| pair[1]).collect() };
    }

    /// Whether a pair is among them.
    #[inline]
    pub fn contains(&self, [first, second]: [u32; 2]) -> bool {
        let first = first as usize;
        first + 1 < self.begin.len() && self.of(first).binary_search(&second).is_ok()
    }

    #[inline]
    fn of(&self, first: usize) -> &[u32] {
        &self.partners[self.begin[first] as usize..self.begin[first + 1] as usize]
    }

    fn pairs(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        let features = self.begin.len().saturating_sub(1);
        (0..features).flat_map(|first| self.of(first).iter().map(move |&second| [first as u32, second]))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contains_what_was_added_and_nothing_else() {
        let mut set = ExcludedPairs::default();
        assert!(!set.contains([0, 1]));
        set.extend([[3, 9], [0, 4]]);
        set.extend([[3, 2], [3, 9], [7, 8]]);
        let expected = [[0, 4], [3, 2], [3, 9], [7, 8]];
        for first in 0..10 {
            for second in 0..10 {
                assert_eq!(set.contains([first, second]), expected.contains(&[first, second]));
            }
        }
        assert_eq!(set.pairs().collect::<Vec<_>>(), expected);
    }
}
