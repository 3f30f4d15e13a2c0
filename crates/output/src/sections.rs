//! Arrays to bytes and back, exact to the bit, little-endian; and the named sections of a
//! checkpoint.

use crate::error::{OutputError, Result};

/// Bytes of single-precision numbers.
pub fn from_f32s(values: &[f32]) -> Vec<u8> {
    to_bytes(values, f32::to_le_bytes)
}

/// Bytes of unsigned integers.
pub fn from_u32s(values: &[u32]) -> Vec<u8> {
    to_bytes(values, u32::to_le_bytes)
}

/// Fixed-size chunks let the compiler turn this into a plain copy.
fn to_bytes<T: Copy, const N: usize>(values: &[T], encode: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    let mut bytes = vec![0u8; N * values.len()];
    for (chunk, &value) in bytes.as_chunks_mut::<N>().0.iter_mut().zip(values) {
        *chunk = encode(value);
    }
    bytes
}

/// Single-precision numbers of bytes; an odd rest is ignored (lengths are checked by the caller).
pub fn to_f32s(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

/// Unsigned integers of bytes; an odd rest is ignored (lengths are checked by the caller).
pub fn to_u32s(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

/// Groups a flat array into small ones; an incomplete last group is dropped.
pub fn group<T: Copy, const N: usize>(flat: &[T]) -> Vec<[T; N]> {
    flat.as_chunks::<N>().0.to_vec()
}

/// Named pieces of state, in the order they were added. Numbers keep every bit, NaN payloads
/// included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sections {
    entries: Vec<(String, Vec<u8>)>,
}

impl Sections {
    /// No sections.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds or replaces a section of opaque bytes.
    pub fn put_bytes(&mut self, name: &str, bytes: Vec<u8>) {
        match self.entries.iter_mut().find(|(n, _)| n == name) {
            Some((_, old)) => *old = bytes,
            None => self.entries.push((name.to_string(), bytes)),
        }
    }

    /// Adds a section whose name is new; looking for an old one would take a walk over all.
    pub(crate) fn add_bytes(&mut self, name: &str, bytes: Vec<u8>) {
        self.entries.push((name.to_string(), bytes));
    }

    /// Adds numbers.
    pub fn put_f64s(&mut self, name: &str, values: &[f64]) {
        self.put_bytes(name, to_bytes(values, f64::to_le_bytes));
    }

    /// Adds 3-vectors (arrays or any type that turns into them).
    pub fn put_vec3s<V: Copy + Into<[f64; 3]>>(&mut self, name: &str, values: &[V]) {
        let flat: Vec<[f64; 3]> = values.iter().map(|&v| v.into()).collect();
        self.put_f64s(name, flat.as_flattened());
    }

    /// Adds 32-bit integers.
    pub fn put_u32s(&mut self, name: &str, values: &[u32]) {
        self.put_bytes(name, from_u32s(values));
    }

    /// Adds 64-bit integers.
    pub fn put_u64s(&mut self, name: &str, values: &[u64]) {
        self.put_bytes(name, to_bytes(values, u64::to_le_bytes));
    }

    /// Adds text.
    pub fn put_str(&mut self, name: &str, text: &str) {
        self.put_bytes(name, text.as_bytes().to_vec());
    }

    /// Whether a section exists.
    pub fn has(&self, name: &str) -> bool {
        self.entries.iter().any(|(n, _)| n == name)
    }

    /// All sections in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.entries.iter().map(|(n, b)| (n.as_str(), b.as_slice()))
    }

    /// A section's bytes.
    pub fn bytes(&self, name: &str) -> Result<&[u8]> {
        let found = self.entries.iter().find(|(n, _)| n == name);
        found.map(|(_, b)| b.as_slice()).ok_or_else(|| section_error(name, "it is missing"))
    }

    /// A section of numbers.
    pub fn f64s(&self, name: &str) -> Result<Vec<f64>> {
        Ok(self.u64s(name)?.into_iter().map(f64::from_bits).collect())
    }

    /// A section of 3-vectors.
    pub fn vec3s<V: From<[f64; 3]>>(&self, name: &str) -> Result<Vec<V>> {
        let flat = self.f64s(name)?;
        let (vectors, rest) = flat.as_chunks::<3>();
        if !rest.is_empty() {
            return Err(section_error(name, "its length is no multiple of 3"));
        }
        Ok(vectors.iter().map(|&v| V::from(v)).collect())
    }

    /// A section of 32-bit integers.
    pub fn u32s(&self, name: &str) -> Result<Vec<u32>> {
        Ok(to_u32s(self.whole_words(name, 4)?))
    }

    /// A section of 64-bit integers.
    pub fn u64s(&self, name: &str) -> Result<Vec<u64>> {
        let (words, _) = self.whole_words(name, 8)?.as_chunks::<8>();
        Ok(words.iter().map(|&w| u64::from_le_bytes(w)).collect())
    }

    /// A section of text.
    pub fn text(&self, name: &str) -> Result<&str> {
        std::str::from_utf8(self.bytes(name)?).map_err(|_| section_error(name, "it is not UTF-8 text"))
    }

    fn whole_words(&self, name: &str, word: usize) -> Result<&[u8]> {
        let bytes = self.bytes(name)?;
        if !bytes.len().is_multiple_of(word) {
            return Err(section_error(
                name,
                &format!("{} bytes are no whole number of {word}-byte words", bytes.len()),
            ));
        }
        Ok(bytes)
    }
}

fn section_error(section: &str, reason: &str) -> OutputError {
    OutputError::Section { section: section.to_string(), reason: reason.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_every_bit() {
        let odd = [0.1, -0.0, f64::MIN_POSITIVE / 3.0, f64::INFINITY, f64::from_bits(0x7FF8_0000_0000_BEEF)];
        let mut sections = Sections::new();
        sections.put_f64s("x", &odd);
        sections.put_vec3s("v", &[[1.0, 2.0, 3.0]]);
        sections.put_u32s("i", &[1, u32::MAX]);
        sections.put_u64s("n", &[u64::MAX]);
        sections.put_str("t", "Ä");
        let bits = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&sections.f64s("x").unwrap()), bits(&odd));
        assert_eq!(sections.vec3s::<[f64; 3]>("v").unwrap(), vec![[1.0, 2.0, 3.0]]);
        assert_eq!(sections.u32s("i").unwrap(), vec![1, u32::MAX]);
        assert_eq!(sections.u64s("n").unwrap(), vec![u64::MAX]);
        assert_eq!(sections.text("t").unwrap(), "Ä");
    }

    #[test]
    fn wrong_shapes_are_named() {
        let mut sections = Sections::new();
        sections.put_bytes("duals", vec![0; 12]);
        assert!(sections.f64s("duals").unwrap_err().to_string().contains("duals"));
        assert!(sections.f64s("absent").unwrap_err().to_string().contains("missing"));
        sections.put_f64s("duals", &[1.0, 2.0]);
        assert!(sections.vec3s::<[f64; 3]>("duals").is_err());
    }
}
