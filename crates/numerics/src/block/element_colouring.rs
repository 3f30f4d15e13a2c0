//! Groups of elements that may be scattered at the same time.
//!
//! Colouring single elements makes every colour stride over the whole matrix: each block comes in from memory
//! once per colour. Here runs of neighbouring elements form *groups* that one task scatters in order, and the groups
//! are coloured: groups of one colour share no block. Locality stays, and there are about as many colours as groups that
//! meet at a block. Long lists are cut into *sections* that run one after the other, each with colours of its own: the part of the
//! matrix that a section touches stays in the cache while all its colours pass over it. The order of additions to a block is fixed by
//! (section, colour, group, element), never by threads.

/// Group sizes to try, largest first; one is always possible.
const GROUP_SIZES: [usize; 4] = [256, 64, 16, 1];
/// A group size is taken when a colour holds at least this many groups on average, enough to feed the threads.
const GROUPS_PER_COLOUR: usize = 16;
/// Groups of a section: enough for the colours, few enough for a cache.
const GROUPS_PER_SECTION: usize = 128;

/// Elements with `N` blocks each, arranged for parallel scattering.
#[derive(Clone, Debug)]
pub struct ElementColouring<const N: usize> {
    block_count: usize,
    element_count: usize,
    /// Element ids in the order of execution.
    pub(super) order: Vec<u32>,
    /// Stencil of each entry of `order`.
    pub(super) stencils: Vec<[u32; N]>,
    /// Range of `order` per group: `group_starts[g]..group_starts[g + 1]`.
    group_starts: Vec<u32>,
    /// Range of groups per colour.
    colour_starts: Vec<u32>,
}

/// Colours elements greedily for [`super::assemble`] and [`super::scatter_add`].
///
/// Panics when a stencil names a block ≥ `block_count` or names one block twice.
pub fn colour_elements<const N: usize>(block_count: usize, stencils: &[[u32; N]]) -> ElementColouring<N> {
    for (e, s) in stencils.iter().enumerate() {
        assert!(s.iter().all(|&i| (i as usize) < block_count), "element {e} names a block ≥ {block_count}");
        assert!((1..N).all(|k| !s[..k].contains(&s[k])), "element {e} names a block twice: {s:?}");
    }
    // Sorted by lowest block, elements follow the rows of the matrix; the stable sort keeps ties in input order.
    let mut order: Vec<u32> = (0..stencils.len() as u32).collect();
    order.sort_by_key(|&e| stencils[e as usize].iter().copied().min().unwrap_or(0));
    let mut result = None;
    for size in GROUP_SIZES {
        let colours = colour_groups(block_count, stencils, &order, size);
        let group_count = stencils.len().div_ceil(size);
        let colour_count = colours.iter().max().map_or(0, |&c| c as usize + 1);
        let enough = group_count >= GROUPS_PER_COLOUR * colour_count;
        if enough || size == 1 {
            result = Some(arrange(block_count, stencils, &order, size, &colours));
            break;
        }
    }
    result.expect("group size one is always taken")
}

/// Colour of each group of `size` consecutive elements of `order`, first fit, colours ascending from section to section.
fn colour_groups<const N: usize>(
    block_count: usize,
    stencils: &[[u32; N]],
    order: &[u32],
    size: usize,
) -> Vec<u32> {
    // Colours used at each block within the current palette of 64; a full palette is closed and a new one opened,
    // which stays valid because palettes run one after the other.
    let mut used = vec![0u64; block_count];
    let mut base = 0;
    let mut colours = Vec::with_capacity(order.len().div_ceil(size));
    for section in order.chunks(size * GROUPS_PER_SECTION) {
        let first = base;
        let mut count = 0;
        for group in section.chunks(size) {
            let blocks = || group.iter().flat_map(|&e| stencils[e as usize]);
            let mut taken = blocks().fold(0, |mask, i| mask | used[i as usize]);
            if taken == u64::MAX {
                used.fill(0);
                base += 64;
                taken = 0;
            }
            let colour = taken.trailing_ones();
            blocks().for_each(|i| used[i as usize] |= 1 << colour);
            colours.push(base + colour);
            count = count.max(base + colour + 1 - first);
        }
        section.iter().flat_map(|&e| stencils[e as usize]).for_each(|i| used[i as usize] = 0);
        base = first + count;
    }
    colours
}

/// Sorts groups by colour (stable) and copies their elements into execution order.
fn arrange<const N: usize>(
    block_count: usize,
    stencils: &[[u32; N]],
    order: &[u32],
    size: usize,
    colours: &[u32],
) -> ElementColouring<N> {
    let groups: Vec<&[u32]> = order.chunks(size).collect();
    let mut by_colour: Vec<usize> = (0..groups.len()).collect();
    by_colour.sort_by_key(|&g| colours[g]);
    let mut result = ElementColouring {
        block_count,
        element_count: stencils.len(),
        order: Vec::with_capacity(order.len()),
        stencils: Vec::with_capacity(order.len()),
        group_starts: vec![0],
        colour_starts: vec![0],
    };
    for (k, &g) in by_colour.iter().enumerate() {
        if k > 0 && colours[g] != colours[by_colour[k - 1]] {
            result.colour_starts.push(k as u32);
        }
        result.order.extend_from_slice(groups[g]);
        result.stencils.extend(groups[g].iter().map(|&e| stencils[e as usize]));
        result.group_starts.push(result.order.len() as u32);
    }
    if !groups.is_empty() {
        result.colour_starts.push(groups.len() as u32);
    }
    result
}

impl<const N: usize> ElementColouring<N> {
    /// Number of elements.
    pub fn element_count(&self) -> usize {
        self.element_count
    }

    /// Number of blocks of the vectors and matrices scattered into.
    pub fn block_count(&self) -> usize {
        self.block_count
    }

    /// Number of colours, i.e. of parallel passes.
    pub fn colour_count(&self) -> usize {
        self.colour_starts.len() - 1
    }

    /// Groups of each colour, as ranges of positions in the execution order.
    pub(super) fn passes(&self) -> impl Iterator<Item = &[u32]> {
        // A pass of g groups is the window of g + 1 starts.
        self.colour_starts.windows(2).map(|w| &self.group_starts[w[0] as usize..=w[1] as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn check<const N: usize>(block_count: usize, stencils: &[[u32; N]]) -> ElementColouring<N> {
        let colouring = colour_elements(block_count, stencils);
        let mut seen = vec![0; stencils.len()];
        for starts in colouring.passes() {
            let mut owner = vec![usize::MAX; block_count];
            for (g, range) in starts.windows(2).enumerate() {
                for position in range[0] as usize..range[1] as usize {
                    let e = colouring.order[position] as usize;
                    seen[e] += 1;
                    assert_eq!(colouring.stencils[position], stencils[e]);
                    for i in stencils[e] {
                        assert!(owner[i as usize] == usize::MAX || owner[i as usize] == g, "colour conflict");
                        owner[i as usize] = g;
                    }
                }
            }
        }
        assert!(seen.iter().all(|&s| s == 1));
        colouring
    }

    #[test]
    fn groups_of_one_colour_share_no_block() {
        let chain: Vec<[u32; 2]> = (0..20_000).map(|i| [i, i + 1]).collect();
        assert!(check(20_001, &chain).colour_count() <= 3);
        let mut random = Random::new(51);
        let scattered: Vec<[u32; 3]> = (0..3000)
            .map(|_| {
                let a = random.below(1000) as u32;
                [a, (a + 1 + random.below(400) as u32) % 1000, (a + 500 + random.below(400) as u32) % 1000]
            })
            .filter(|s| s[0] != s[1] && s[1] != s[2] && s[0] != s[2])
            .collect();
        check(1000, &scattered);
        check::<4>(10, &[]);
    }

    #[test]
    fn long_lists_run_section_after_section() {
        let chain: Vec<[u32; 2]> = (0..100_000).map(|i| [i, i + 1]).collect();
        let colouring = check(100_001, &chain);
        let section = 256 * GROUPS_PER_SECTION as u32;
        assert_eq!(colouring.colour_count(), 2 * 100_000_usize.div_ceil(section as usize));
        // No element runs before one of an earlier section.
        assert!(colouring.order.windows(2).all(|w| w[0] / section <= w[1] / section));
    }

    #[test]
    fn more_than_one_palette() {
        // A star: every element meets at block 0, so every one needs its own colour.
        let star: Vec<[u32; 2]> = (1..200).map(|i| [0, i]).collect();
        assert_eq!(check(200, &star).colour_count(), 199);
    }
}
