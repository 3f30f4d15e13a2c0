//! Damages inputs on purpose, always in the same way for the same seed. Used by the tests that feed
//! every reader with damaged files; `cargo fuzz` has its own and better mutations.

use std::path::Path;
use std::time::{Duration, Instant};

/// Numbers and words that readers have stumbled over.
const WORDS: [&str; 24] = [
    "0",
    "-1",
    "1",
    "2",
    "0.5",
    "nan",
    "inf",
    "-inf",
    "1e308",
    "-1e308",
    "1e-320",
    "1e155",
    "4294967295",
    "4294967296",
    "2147483648",
    "18446744073709551615",
    "-9223372036854775808",
    "1000000",
    "[]",
    "{}",
    "\"\"",
    "\n",
    "\0",
    "# ",
];

/// A small generator of random numbers (SplitMix64), so that a run can be repeated anywhere.
pub struct Random(u64);

impl Random {
    /// Starts at a seed.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `end`; 0 when that is 0.
    pub fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { (self.bits() % end as u64) as usize }
    }
}

/// Longest input that is made.
const LONGEST: usize = 1 << 16;

/// A damaged copy of one of the seeds: one to eight changes.
pub fn damaged(seeds: &[Vec<u8>], random: &mut Random) -> Vec<u8> {
    let mut bytes = seeds[random.below(seeds.len())].clone();
    for _ in 0..1 + random.below(8) {
        change(&mut bytes, seeds, random);
    }
    bytes.truncate(LONGEST);
    bytes
}

fn change(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], random: &mut Random) {
    let at = random.below(bytes.len() + 1);
    let end = (at + 1 + random.below(24)).min(bytes.len());
    match random.below(9) {
        0 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
        1 if at < bytes.len() => bytes[at] = random.bits() as u8,
        2 => bytes.truncate(at),
        3 => drop(bytes.drain(at..end)),
        4 => {
            let piece = bytes[at..end].to_vec();
            bytes.splice(at..at, piece);
        }
        5 => {
            let word = WORDS[random.below(WORDS.len())];
            bytes.splice(at..at, word.bytes());
        }
        6 => replace_number(bytes, at, random),
        7 => {
            let other = &seeds[random.below(seeds.len())];
            let start = random.below(other.len() + 1);
            let stop = (start + random.below(64)).min(other.len());
            bytes.splice(at..at, other[start..stop].iter().copied());
        }
        // A binary number of four or eight bytes at its extremes.
        _ => {
            let width = if random.below(2) == 0 { 4 } else { 8 };
            let value = [0, 0xff, 0x7f, 0x80][random.below(4)];
            let stop = (at + width).min(bytes.len());
            bytes[at..stop].fill(value);
        }
    }
}

/// Replaces the number in the text at or after a place.
fn replace_number(bytes: &mut Vec<u8>, at: usize, random: &mut Random) {
    let part_of_number = |b: &u8| b.is_ascii_digit() || b"+-.eE".contains(b);
    let Some(start) = (at..bytes.len()).find(|&i| bytes[i].is_ascii_digit()) else { return };
    let length = bytes[start..].iter().take_while(|b| part_of_number(b)).count();
    let word = WORDS[random.below(WORDS.len())];
    bytes.splice(start..start + length, word.bytes());
}

/// What a run of many executions came to.
pub struct Outcome {
    /// How many inputs the reader accepted.
    pub accepted: usize,
    /// How many were run.
    pub executions: usize,
    /// The longest of them.
    pub slowest: Duration,
}

/// All seeds of a reader, in the order of their names.
pub fn seeds(reader: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(reader);
    let mut paths: Vec<_> = std::fs::read_dir(&folder)
        .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    paths.iter().map(|path| std::fs::read(path).expect("a seed")).collect()
}

/// Feeds a reader with its seeds, then with damaged copies: 3,000, or as many as the variable
/// `STICTION_FUZZ_EXECUTIONS` says. A panic fails the test that calls this; so do an execution
/// above 5 s and memory above 1 GB. `read` tells whether it accepted the input.
pub fn fuzz(reader: &str, repair: impl Fn(&mut Vec<u8>), read: impl Fn(&[u8]) -> bool) -> Outcome {
    let wanted = std::env::var("STICTION_FUZZ_EXECUTIONS").ok().and_then(|n| n.parse().ok());
    let seeds = seeds(reader);
    for (k, seed) in seeds.iter().enumerate() {
        assert!(read(seed), "seed {k} of {reader} is refused");
    }
    let mut random = Random::new(reader.bytes().map(u64::from).sum());
    let mut outcome = Outcome { accepted: 0, executions: wanted.unwrap_or(3000), slowest: Duration::ZERO };
    for execution in 0..outcome.executions {
        let mut input = damaged(&seeds, &mut random);
        if random.below(2) == 0 {
            repair(&mut input);
        }
        let start = Instant::now();
        outcome.accepted += usize::from(read(&input));
        let taken = start.elapsed();
        assert!(taken.as_secs() < 5, "execution {execution} of {reader} took {taken:?}");
        outcome.slowest = outcome.slowest.max(taken);
    }
    check_memory(reader);
    println!(
        "{reader}: {} executions, {} accepted, slowest {:?}",
        outcome.executions, outcome.accepted, outcome.slowest
    );
    outcome
}

/// The peak of this process, where the system tells (Linux).
fn check_memory(reader: &str) {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return };
    let peak = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))
        .and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    println!("{reader}: peak memory {} kB", peak.unwrap_or(0));
    assert!(peak.unwrap_or(0) < 1_000_000, "{reader} took {peak:?} kB");
}
