//! The one hash of run folders: XXH64 over little-endian bytes, with seed 0 unless said otherwise.
//!
//! It guards against damage and shows equality of two states; it is no defence against forgery.

use std::hash::Hasher;
use std::io::{self, Read};
use twox_hash::XxHash64;

/// XXH64 (seed 0) of some bytes.
pub fn hash_bytes(bytes: &[u8]) -> u64 {
    XxHash64::oneshot(0, bytes)
}

/// XXH64 (seed 0) of all that a reader gives, a piece at a time: a program file is larger than most
/// simulations.
pub fn hash_reader(mut reader: impl Read) -> io::Result<u64> {
    let (mut hasher, mut piece) = (XxHash64::with_seed(0), vec![0; 1 << 16]);
    loop {
        match reader.read(&mut piece) {
            Ok(0) => return Ok(hasher.finish()),
            Ok(count) => hasher.write(&piece[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// XXH64 of some bytes with a seed, so that equal bytes of two runs differ.
pub fn hash_seeded(bytes: &[u8], seed: u64) -> u64 {
    XxHash64::oneshot(seed, bytes)
}

/// Sixteen lower-case hexadecimal digits of a hash.
pub fn hex(hash: u64) -> String {
    format!("{hash:016x}")
}

/// Hashes a state piece by piece: each array enters as its length (u64) and then its values, so
/// that moving a number from one array to the next changes the result.
pub struct StateHasher(XxHash64);

impl Default for StateHasher {
    fn default() -> Self {
        Self(XxHash64::with_seed(0))
    }
}

impl StateHasher {
    /// Adds an array of numbers, exact to the bit (−0 and 0 differ).
    pub fn add(&mut self, values: &[f64]) -> &mut Self {
        self.0.write(&(values.len() as u64).to_le_bytes());
        for value in values {
            self.0.write(&value.to_bits().to_le_bytes());
        }
        self
    }

    /// Adds an array of 3-vectors, exact to the bit.
    pub fn add_vec3s<V: Copy + Into<[f64; 3]>>(&mut self, values: &[V]) -> &mut Self {
        self.0.write(&(values.len() as u64 * 3).to_le_bytes());
        for &value in values {
            let components: [f64; 3] = value.into();
            components.iter().for_each(|c| self.0.write(&c.to_bits().to_le_bytes()));
        }
        self
    }

    /// The hash of everything added so far.
    pub fn finish(&self) -> u64 {
        self.0.finish()
    }
}

/// Hash of a state given as arrays, in sixteen hexadecimal digits (`run.json: state_hash`).
pub fn state_hash(arrays: &[&[f64]]) -> String {
    let mut hasher = StateHasher::default();
    for array in arrays {
        hasher.add(array);
    }
    hex(hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Published XXH64 vectors: a change of the hash would orphan every stored file.
    #[test]
    fn matches_published_vectors() {
        assert_eq!(hash_bytes(b""), 0xEF46_DB37_51D8_E999);
        assert_eq!(hash_bytes(b"abc"), 0x44BC_2CF5_AD77_0999);
    }

    #[test]
    fn a_reader_hashes_like_its_bytes() {
        let bytes: Vec<u8> = (0..200_001_u32).map(|k| (k * 31 % 251) as u8).collect();
        assert_eq!(hash_reader(&bytes[..]).expect("memory can be read"), hash_bytes(&bytes));
        assert_eq!(hash_reader(io::empty()).expect("memory can be read"), hash_bytes(b""));
    }

    #[test]
    fn sees_order_sign_of_zero_and_array_borders() {
        let base = state_hash(&[&[1.0, 2.0], &[3.0]]);
        assert_ne!(base, state_hash(&[&[2.0, 1.0], &[3.0]]));
        assert_ne!(base, state_hash(&[&[1.0], &[2.0, 3.0]]));
        assert_ne!(state_hash(&[&[0.0]]), state_hash(&[&[-0.0]]));
    }

    #[test]
    fn vectors_hash_like_their_flat_array() {
        let (mut a, mut b) = (StateHasher::default(), StateHasher::default());
        a.add_vec3s(&[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
        b.add(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(a.finish(), b.finish());
    }
}
