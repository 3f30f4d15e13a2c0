//! How much memory a program may take for what its input asks for.
//!
//! A budget is a value that is passed along, never a global. It is asked before memory is reserved,
//! with the size that the input declares, so a forged size is refused instead of served.

use std::path::Path;
use thiserror::Error;

/// Budget where the memory of the machine is not known: half of 8 GB.
const UNKNOWN_MACHINE: u64 = 4 << 30;

/// Bytes that may be taken, and those that have been.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    bytes: u64,
    spent: u64,
}

/// A request that does not fit.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error(
    "{what} would take {}, but {} of the memory budget of {} are left",
    in_words(*.asked), in_words(*.left), in_words(*.budget)
)]
pub struct OverBudget {
    /// What asked.
    pub what: String,
    /// Bytes asked for.
    pub asked: u64,
    /// Bytes still free.
    pub left: u64,
    /// Bytes of the whole budget.
    pub budget: u64,
}

impl Budget {
    /// A budget of so many bytes.
    pub const fn of_bytes(bytes: u64) -> Self {
        Budget { bytes, spent: 0 }
    }

    /// A budget in gigabytes (10⁹ bytes); `None` unless the number is positive and finite.
    pub fn of_gigabytes(gigabytes: f64) -> Option<Self> {
        // The cast saturates: more than 2⁶⁴ bytes means no limit.
        (gigabytes.is_finite() && gigabytes > 0.0).then(|| Self::of_bytes((gigabytes * 1e9) as u64))
    }

    /// Half of the memory that this process can have: of the machine, or of its container if that
    /// has less. Where the system does not tell (not Linux), half of 8 GB.
    pub fn half_of_machine() -> Self {
        Self::of_bytes(memory_of_machine(Path::new("/")).map_or(UNKNOWN_MACHINE, |bytes| bytes / 2))
    }

    /// Bytes of the whole budget.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Bytes that nobody has taken yet.
    pub fn left(&self) -> u64 {
        self.bytes.saturating_sub(self.spent)
    }

    /// Whether `bytes` more would fit; takes nothing. For memory that is released again soon.
    pub fn allow(&self, what: &str, bytes: u64) -> Result<(), OverBudget> {
        if bytes <= self.left() {
            return Ok(());
        }
        let (what, left, budget) = (what.to_owned(), self.left(), self.bytes);
        Err(OverBudget { what, asked: bytes, left, budget })
    }

    /// Takes `bytes` of the budget, or refuses.
    pub fn spend(&mut self, what: &str, bytes: u64) -> Result<(), OverBudget> {
        self.allow(what, bytes)?;
        self.spent += bytes;
        Ok(())
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::half_of_machine()
    }
}

/// Bytes as a person reads them: `1.5 GB`.
pub fn in_words(bytes: u64) -> String {
    let steps = [(1_000_000_000, "GB"), (1_000_000, "MB"), (1_000, "kB")];
    match steps.into_iter().find(|(unit, _)| bytes >= *unit) {
        Some((unit, name)) => format!("{:.1} {name}", bytes as f64 / unit as f64),
        None => format!("{bytes} bytes"),
    }
}

/// The smallest of what Linux reports for machine and container; `root` is `/` outside of tests.
fn memory_of_machine(root: &Path) -> Option<u64> {
    let text = |path: &str| std::fs::read_to_string(root.join(path)).ok();
    let machine = text("proc/meminfo").and_then(|meminfo| {
        let line = meminfo.lines().find_map(|line| line.strip_prefix("MemTotal:"))?.trim().to_owned();
        line.strip_suffix("kB")?.trim().parse::<u64>().ok()?.checked_mul(1024)
    });
    // `max` (no limit) is not a number and drops out.
    let containers = ["sys/fs/cgroup/memory.max", "sys/fs/cgroup/memory/memory.limit_in_bytes"]
        .into_iter()
        .filter_map(|path| text(path)?.trim().parse::<u64>().ok());
    machine.into_iter().chain(containers).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused_with_both_numbers() {
        let mut budget = Budget::of_bytes(2_000_000_000);
        budget.spend("a body", 1_500_000_000).unwrap();
        let error = budget.spend("another body", 600_000_000).unwrap_err();
        assert_eq!(
            error.to_string(),
            "another body would take 600.0 MB, but 500.0 MB of the memory budget of 2.0 GB are left"
        );
        assert_eq!(budget.left(), 500_000_000);
        assert!(budget.allow("a sum that would wrap", u64::MAX).is_err());
        budget.spend("the rest", 500_000_000).unwrap();
        assert_eq!(budget.left(), 0);
    }

    #[test]
    fn gigabytes_must_be_positive_numbers() {
        assert_eq!(Budget::of_gigabytes(1.5), Some(Budget::of_bytes(1_500_000_000)));
        assert_eq!(Budget::of_gigabytes(1e300).map(|b| b.bytes()), Some(u64::MAX));
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Budget::of_gigabytes(bad), None);
        }
    }

    #[test]
    fn a_container_with_less_memory_than_the_machine_decides() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(memory_of_machine(root.path()), None);
        for folder in ["proc", "sys/fs/cgroup"] {
            std::fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        std::fs::write(root.path().join("proc/meminfo"), "MemTotal:  1000 kB\nMemFree: 1 kB\n").unwrap();
        std::fs::write(root.path().join("sys/fs/cgroup/memory.max"), "max\n").unwrap();
        assert_eq!(memory_of_machine(root.path()), Some(1_024_000));
        std::fs::write(root.path().join("sys/fs/cgroup/memory.max"), "4096\n").unwrap();
        assert_eq!(memory_of_machine(root.path()), Some(4096));
    }
}
