//! Peak memory of this process.

/// Largest resident size so far in bytes; `None` where the system does not tell (only Linux does
/// here).
pub fn peak_memory_bytes() -> Option<u64> {
    parse(&std::fs::read_to_string("/proc/self/status").ok()?)
}

fn parse(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_high_water_mark() {
        assert_eq!(parse("Name:\tx\nVmHWM:\t    2048 kB\nVmRSS:\t 1 kB\n"), Some(2048 * 1024));
        assert_eq!(parse("Name:\tx\n"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn grows_with_what_we_touch() {
        // Not optimised away, so that every page is really touched.
        let block = std::hint::black_box(vec![1u8; 8 << 20]);
        assert!(peak_memory_bytes().unwrap() > block.len() as u64);
    }
}
