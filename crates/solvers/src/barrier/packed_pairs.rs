//! Pairs of features with their gaps, many of them, in little memory: where contacts are many a
//! list of candidates has ten pairs for each.
//!
//! Sorted pairs are written as differences, most of which fit in one byte, and a gap takes another:
//! six binary digits of it, which tell between which bounds it lies. Whoever must know it better
//! (one in some dozen) finds it anew. A pair takes three bytes instead of twelve.

use stiction_collision::broad_phase::PackedPair;

/// Sorted pairs with rounded gaps.
#[derive(Default)]
pub(super) struct PackedPairs {
    /// Row by row: difference of the first feature to that of the row before, difference of the
    /// least second feature to that of the row before, number of pairs less one; then by pairs the
    /// difference of the second feature to the one before, but for the first pair, and the gap.
    bytes: Vec<u8>,
    scale: GapScale,
}

impl PackedPairs {
    /// Some pairs, with a gap for each \[m\].
    pub fn new(mut pairs: Vec<PackedPair>, gap: impl Fn([u32; 2]) -> f32) -> PackedPairs {
        pairs.sort_unstable();
        let gaps: Vec<f32> = pairs.iter().map(|pair| gap(pair.features())).collect();
        let scale = GapScale::new(gaps.iter().copied().fold(0.0, f32::max));
        let (mut bytes, mut gaps) = (Vec::with_capacity(4 * pairs.len()), gaps.into_iter());
        let mut before = [0, 0];
        for row in pairs.chunk_by(|a, b| a.features()[0] == b.features()[0]) {
            let [first, least] = row[0].features();
            write(&mut bytes, first - before[0]);
            write(&mut bytes, folded(least.wrapping_sub(before[1])));
            write(&mut bytes, row.len() as u32 - 1);
            before = [first, least];
            let mut last = least;
            for (place, pair) in row.iter().enumerate() {
                let [_, second] = pair.features();
                if place > 0 {
                    write(&mut bytes, second - last);
                }
                last = second;
                bytes.extend(gaps.next().map(|gap| scale.round(gap)));
            }
        }
        bytes.shrink_to_fit();
        PackedPairs { bytes, scale }
    }

    /// Bytes that the pairs take, three each or so.
    pub fn bytes(&self) -> usize {
        self.bytes.len()
    }

    /// Shows all pairs in order, each with two numbers between which its gap lies, lower one first
    /// \[m\].
    #[inline]
    pub fn for_each(&self, mut visit: impl FnMut([u32; 2], [f32; 2])) {
        let mut bytes = self.bytes.iter();
        let [mut first, mut least] = [0_u32; 2];
        while !bytes.as_slice().is_empty() {
            first += read(&mut bytes);
            least = least.wrapping_add(unfolded(read(&mut bytes)));
            let more = read(&mut bytes);
            let mut second = least;
            for place in 0..=more {
                if place > 0 {
                    second += read(&mut bytes);
                }
                visit([first, second], self.scale.bounds(next(&mut bytes)));
            }
        }
    }
}

/// Writes a number in groups of seven digits, lowest first; all but the last carry a mark.
#[inline]
fn write(bytes: &mut Vec<u8>, mut number: u32) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

#[inline]
fn read(bytes: &mut std::slice::Iter<'_, u8>) -> u32 {
    let (mut number, mut shift) = (0, 0);
    loop {
        let byte = next(bytes);
        number |= u32::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return number;
        }
        shift += 7;
    }
}

#[inline]
fn next(bytes: &mut std::slice::Iter<'_, u8>) -> u8 {
    *bytes.next().expect("a row is whole")
}

/// Small numbers of either sign as small numbers: 0, −1, 1, −2 become 0, 1, 2, 3.
#[inline]
fn folded(difference: u32) -> u32 {
    let signed = difference as i32;
    ((signed << 1) ^ (signed >> 31)) as u32
}

#[inline]
fn unfolded(number: u32) -> u32 {
    (number >> 1) ^ (number & 1).wrapping_neg()
}

/// Gaps in one byte, relative to the largest of a list: eight powers of two with 32 steps each.
/// What is smaller or not positive becomes zero.
#[derive(Clone, Copy, Debug, Default)]
struct GapScale {
    /// Upper digits of the largest gap.
    largest: u32,
}

/// Digits of a number in single precision that a step leaves out.
const LEFT_OUT: u32 = 18;

impl GapScale {
    /// For gaps up to this \[m\].
    fn new(largest: f32) -> GapScale {
        GapScale { largest: (largest.to_bits() >> LEFT_OUT).max(0xff) }
    }

    fn round(self, gap: f32) -> u8 {
        let upper = gap.max(0.0).to_bits() >> LEFT_OUT;
        (upper + 0xff).saturating_sub(self.largest).min(0xff) as u8
    }

    #[inline]
    fn bounds(self, rounded: u8) -> [f32; 2] {
        let upper = self.largest - 0xff + u32::from(rounded);
        let high = f32::from_bits((upper << LEFT_OUT) | ((1 << LEFT_OUT) - 1));
        let low = if rounded == 0 { f32::MIN } else { f32::from_bits(upper << LEFT_OUT) };
        [low, high]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_numerics::Random;

    #[test]
    fn all_pairs_come_back_in_order() {
        let mut random = Random::new(17);
        for [count, firsts] in [[0, 1], [1, 1], [300, 1], [300, 40], [300, 5000], [900, 1 << 32]] {
            // Near and far apart, up to the largest number.
            let second = |k: u32| [k, 127 * k, 70_000 * k, u32::MAX - k][k as usize % 4];
            let mut pairs: Vec<[u32; 2]> =
                (0..count as u32).map(|k| [random.below(firsts) as u32, second(k)]).collect();
            let gap = |[a, b]: [u32; 2]| 1e-3 * (a % 100) as f32 - 1e-4 * (b % 100) as f32;
            let packed = PackedPairs::new(pairs.iter().map(|&p| PackedPair::new(p)).collect(), gap);
            let mut found = Vec::new();
            packed.for_each(|pair, [low, high]| {
                assert!(low <= gap(pair) && gap(pair) <= high, "{low} {} {high}", gap(pair));
                found.push(pair);
            });
            pairs.sort_unstable();
            assert_eq!(found, pairs);
        }
    }

    #[test]
    fn gaps_lie_between_near_bounds() {
        let mut random = Random::new(18);
        for largest in [0.0, 1e-40, 3e-6, 0.01, 1.0, 1e9, f32::MAX] {
            let scale = GapScale::new(largest);
            let some =
                (0..500).map(|_| (random.range(-0.1, 1.0) * random.uniform().powi(20)) as f32 * largest);
            for gap in some.chain([0.0, -0.0, -1.0, largest]) {
                let [low, high] = scale.bounds(scale.round(gap));
                assert!(low <= gap && gap <= high, "{low} {gap} {high}");
                // Ratios of steps, and what is left at the bottom of eight powers of two.
                assert!(
                    high - low.max(0.0) <= gap.max(0.0) / 32.0 + largest * 4.2e-3 + 1e-38,
                    "{low} {gap} {high}"
                );
            }
        }
    }
}
