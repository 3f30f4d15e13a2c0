//! Pairs of features with their gaps, many of them, in little memory: where contacts are many a list of candidates has ten pairs for each.
//!
//! Pairs with the same first feature form a row, which names it once; the second takes two bytes, counted from the first of the row. Where numbers go too far apart, a row ends and another
//! begins. Gaps take two bytes: the upper half of a number in single precision, which tells between which bounds a gap lies. Whoever must know it better (one in some hundred) finds it anew.

use stiction_collision::broad_phase::PackedPair;

/// Pairs by rows.
#[derive(Default)]
pub(super) struct PairRows {
    rows: Vec<Row>,
    seconds: Vec<u16>,
    gaps: Vec<RoundedGap>,
}

/// Pairs of one feature.
struct Row {
    first: u32,
    /// The smallest second feature; the others are counted from it.
    base: u32,
    /// Where it ends among all pairs.
    end: u32,
}

impl PairRows {
    /// The rows of some pairs, with a gap for each \[m\].
    pub fn new(mut pairs: Vec<PackedPair>, gap: impl Fn([u32; 2]) -> f32) -> PairRows {
        pairs.sort_unstable();
        let features = || pairs.iter().map(|pair| pair.features());
        let (mut rows, mut seconds): (Vec<Row>, Vec<u16>) = (Vec::new(), Vec::with_capacity(pairs.len()));
        for [first, second] in features() {
            let last = rows.last().filter(|row| row.first == first);
            let place = last.and_then(|row| u16::try_from(second - row.base).ok());
            if place.is_none() {
                rows.push(Row { first, base: second, end: 0 });
            }
            seconds.push(place.unwrap_or(0));
            rows.last_mut().expect("one was just made").end = seconds.len() as u32;
        }
        rows.shrink_to_fit();
        PairRows { rows, seconds, gaps: features().map(|pair| RoundedGap::new(gap(pair))).collect() }
    }

    /// All pairs with their gaps, sorted.
    pub fn iter(&self) -> impl Iterator<Item = ([u32; 2], RoundedGap)> + '_ {
        let mut begin = 0;
        self.rows.iter().flat_map(move |&Row { first, base, end }| {
            let row = begin..end as usize;
            begin = row.end;
            let both = self.seconds[row.clone()].iter().zip(&self.gaps[row]);
            both.map(move |(&second, &gap)| ([first, base + u32::from(second)], gap))
        })
    }
}

/// A gap to eight binary digits \[m\].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct RoundedGap(u16);

impl RoundedGap {
    pub fn new(gap: f32) -> RoundedGap {
        RoundedGap((gap.to_bits() >> 16) as u16)
    }

    /// Two numbers between which the gap lies, lower one first \[m\].
    #[inline]
    pub fn bounds(self) -> [f32; 2] {
        let bits = u32::from(self.0) << 16;
        let (near_zero, far) = (f32::from_bits(bits), f32::from_bits(bits | 0xffff));
        if near_zero.is_sign_negative() { [far, near_zero] } else { [near_zero, far] }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_numerics::Random;

    #[test]
    fn all_pairs_come_back_in_order() {
        let mut random = Random::new(17);
        for [count, firsts] in [[0, 1], [1, 1], [300, 1], [300, 40], [300, 5000]] {
            // Near and far apart: rows end on both sides of what two bytes hold.
            let pair = |k: u32, random: &mut Random| [random.below(firsts) as u32, 65_535 * (k % 7) + k];
            let mut pairs: Vec<[u32; 2]> = (0..count as u32).map(|k| pair(k, &mut random)).collect();
            let gap = |[a, b]: [u32; 2]| 1e-3 * a as f32 - 1e-5 * b as f32;
            let rows = PairRows::new(pairs.iter().map(|&p| PackedPair::new(p)).collect(), gap);
            pairs.sort_unstable();
            let expected: Vec<_> = pairs.iter().map(|&p| (p, RoundedGap::new(gap(p)))).collect();
            assert_eq!(rows.iter().collect::<Vec<_>>(), expected);
        }
    }

    #[test]
    fn gaps_lie_between_near_bounds() {
        let mut random = Random::new(18);
        let some = (0..1000).map(|_| (random.range(-1.0, 1.0) * 10f64.powf(random.range(-9.0, 3.0))) as f32);
        for gap in some.chain([0.0, -0.0, 1.0, -1.0, f32::MAX, f32::MIN_POSITIVE, 1e-40]) {
            let [low, high] = RoundedGap::new(gap).bounds();
            assert!(low <= gap && gap <= high, "{low} {gap} {high}");
            assert!(high - low <= gap.abs() / 128.0 + 1e-38, "{low} {gap} {high}");
        }
    }
}
