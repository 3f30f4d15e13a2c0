//! What the figures were measured on, and the memory of this process.

use serde_json::{Value, json};

/// The machine at the start of a measurement.
#[derive(Clone, Debug, PartialEq)]
pub struct Machine {
    /// Threads of the pool.
    pub threads: usize,
    /// Cores that the system offers.
    pub cores: usize,
    /// Processes that wanted to run, mean over the last minute; `None` where the system does not
    /// tell.
    pub load: Option<f64>,
}

impl Machine {
    /// Looks at the machine and the present pool.
    pub fn now() -> Machine {
        Machine {
            threads: rayon::current_num_threads(),
            cores: std::thread::available_parallelism().map_or(1, |n| n.get()),
            load: load_average(),
        }
    }

    /// One line for the head of a table.
    pub fn sentence(&self) -> String {
        let load = self.load.map_or("unknown load".to_owned(), |load| format!("load {load:.1}"));
        format!("{} threads on {} cores, {load}", self.threads, self.cores)
    }

    /// As a JSON object.
    pub fn to_json(&self) -> Value {
        json!({ "threads": self.threads, "cores": self.cores, "load": self.load })
    }
}

fn load_average() -> Option<f64> {
    std::fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next()?.parse().ok()
}

/// Growth of the memory of this process from a starting point.
#[derive(Debug)]
pub struct MemoryMark {
    resident: u64,
}

impl MemoryMark {
    /// Starts here: the high-water mark falls back to what is resident now. `None` where the system
    /// does not allow that.
    ///
    /// Freed memory that the allocator kept hides growth: exact when a case runs alone, a lower
    /// bound after others.
    pub fn set() -> Option<MemoryMark> {
        std::fs::write("/proc/self/clear_refs", "5").ok()?;
        Some(MemoryMark { resident: status_bytes("VmRSS:")? })
    }

    /// Largest growth since then \[bytes\].
    pub fn peak_growth(&self) -> Option<u64> {
        Some(self.peak()?.saturating_sub(self.resident))
    }

    /// Most that was resident since then, code and stacks included \[bytes\].
    pub fn peak(&self) -> Option<u64> {
        status_bytes("VmHWM:")
    }
}

fn status_bytes(key: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(key))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}
