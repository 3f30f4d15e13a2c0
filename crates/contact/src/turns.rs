//! In which order the sweep goes over a batch of contacts.

use stiction_numerics::stencil_stages::{CHUNK, MIN_PARALLEL_BATCH};

/// Parts of a chunk that take turns.
const STREAMS: usize = 4;

/// Which contact of a batch stands at a place of the sweep. Neighbours in a sorted batch share nodes, so that each update waits for the one before; so the four
/// quarters of a chunk take turns, or those of a whole batch that is too short to be cut. (Sixteen parts are faster still, but a pile of sheets then takes longer to come to rest.)
/// The rest after the last whole chunk stays as it is.
pub(crate) fn interleaved(place: usize, length: usize) -> usize {
    transposed(place, length, |_| STREAMS)
}

/// The place of a contact of a batch: the inverse.
pub(crate) fn place_of(item: usize, length: usize) -> usize {
    transposed(item, length, |chunk| chunk / STREAMS)
}

/// Reads a chunk, so many numbers a row, column by column.
fn transposed(place: usize, length: usize, width: impl Fn(usize) -> usize) -> usize {
    const { assert!(CHUNK.is_multiple_of(STREAMS)) };
    let chunk = if length < MIN_PARALLEL_BATCH { length / STREAMS * STREAMS } else { CHUNK };
    let first = place / chunk.max(1) * chunk;
    if first + chunk > length || chunk == 0 {
        return place;
    }
    let (within, width) = (place - first, width(chunk));
    first + within % width * (chunk / width) + within / width
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_contact_of_a_batch_finds_its_place() {
        for length in [0, 3, 9, CHUNK, CHUNK + 7, MIN_PARALLEL_BATCH, MIN_PARALLEL_BATCH + 100] {
            let mut places: Vec<usize> = (0..length).map(|place| interleaved(place, length)).collect();
            let whole = (length / STREAMS * STREAMS).min(CHUNK);
            let apart = length < 2 * STREAMS
                || places[..whole - 1].iter().zip(&places[1..]).all(|(a, b)| a + 1 != *b);
            assert!(apart);
            let chunk = if length < MIN_PARALLEL_BATCH { length.max(1) } else { CHUNK };
            assert!(places.iter().enumerate().all(|(place, at)| place / chunk == at / chunk));
            assert!(places.iter().enumerate().all(|(place, at)| place_of(*at, length) == place));
            places.sort_unstable();
            assert!(places.into_iter().eq(0..length));
        }
    }
}
