//! In which order the sweep goes over a batch of contacts.

use stiction_numerics::stencil_stages::{CHUNK, MIN_PARALLEL_BATCH};

/// Parts of a chunk that take turns.
const STREAMS: usize = 4;

/// Which contact of a batch stands at a place of the sweep. Neighbours in a sorted batch share
/// nodes, so that each update waits for the one before; so the four quarters of a chunk take turns.
/// (Sixteen parts are faster still, but a pile of sheets then takes longer to come to rest.) Short
/// batches, where the strain limits of a sheet on a ball were kept less well after turns, and the
/// rest after the last whole chunk stay as they are.
pub(crate) fn interleaved(place: usize, length: usize) -> usize {
    transposed(place, length, STREAMS)
}

/// The place of a contact of a batch: the inverse.
pub(crate) fn place_of(item: usize, length: usize) -> usize {
    transposed(item, length, CHUNK / STREAMS)
}

/// Reads a chunk, `width` numbers a row, column by column.
fn transposed(place: usize, length: usize, width: usize) -> usize {
    const { assert!(CHUNK.is_multiple_of(STREAMS)) };
    let first = place / CHUNK * CHUNK;
    if length < MIN_PARALLEL_BATCH || first + CHUNK > length {
        return place;
    }
    let within = place - first;
    first + within % width * (CHUNK / width) + within / width
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_contact_of_a_batch_finds_its_place() {
        for length in [0, 3, CHUNK, MIN_PARALLEL_BATCH, MIN_PARALLEL_BATCH + 100] {
            let mut places: Vec<usize> = (0..length).map(|place| interleaved(place, length)).collect();
            let apart = length < MIN_PARALLEL_BATCH
                || places[..CHUNK - 1].iter().zip(&places[1..]).all(|(a, b)| a + 1 != *b);
            assert!(apart);
            assert!(places.iter().enumerate().all(|(place, at)| place / CHUNK == at / CHUNK));
            assert!(places.iter().enumerate().all(|(place, at)| place_of(*at, length) == place));
            places.sort_unstable();
            assert!(places.into_iter().eq(0..length));
        }
    }
}
