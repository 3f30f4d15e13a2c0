//! Wall time and core time of a piece of work.

use std::time::{Duration, Instant};

/// Shorter core time is not reported \[s\]: several ticks.
const SHORTEST_CORE_TIME: f64 = 0.03;
/// Longest wait for the threads of a pool to be gone.
const FAREWELL: Duration = Duration::from_millis(200);

/// What a piece of work took, per round.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spent {
    /// Shortest wall time of a round \[s\].
    pub wall: f64,
    /// Mean core time of a round, all threads together \[s\]; NaN where the system does not tell.
    pub core: f64,
    /// Threads that the work is spread over.
    pub threads: usize,
}

impl Spent {
    /// The same time counted in units of `unit` seconds over `items` items: `per(1e-9, n)` is
    /// nanoseconds per item.
    pub fn per(&self, unit: f64, items: usize) -> Spent {
        let scale = 1.0 / (unit * items.max(1) as f64);
        Spent { wall: self.wall * scale, core: self.core * scale, ..*self }
    }

    /// One after the other.
    pub fn then(&self, other: &Spent) -> Spent {
        Spent { wall: self.wall + other.wall, core: self.core + other.core, ..*self }
    }
}

/// Measures work spread over the present thread pool: rounds until `seconds` have passed, at least
/// one. Returns the last result.
///
/// Core time is a mean, because the system books it in ticks of some milliseconds: short work needs
/// many rounds, and where all rounds together are too short it stays unknown.
pub fn measure<T>(seconds: f64, mut work: impl FnMut() -> T) -> (Spent, T) {
    let (start, core_start) = (Instant::now(), core_seconds());
    let (mut rounds, mut best) = (0, f64::INFINITY);
    loop {
        let round = Instant::now();
        let result = work();
        best = best.min(round.elapsed().as_secs_f64());
        rounds += 1;
        if start.elapsed().as_secs_f64() >= seconds {
            let core = booked(core_seconds() - core_start) / f64::from(rounds);
            return (Spent { wall: best, core, threads: rayon::current_num_threads() }, result);
        }
    }
}

/// Core time that spans enough ticks to mean something, else NaN.
fn booked(seconds: f64) -> f64 {
    if seconds >= SHORTEST_CORE_TIME { seconds } else { f64::NAN }
}

/// Measures work that runs on one thread whatever the pool.
pub fn measure_serial<T>(seconds: f64, work: impl FnMut() -> T) -> (Spent, T) {
    let (spent, result) = measure(seconds, work);
    (Spent { threads: 1, ..spent }, result)
}

/// Core time of all threads of this process so far \[s\]; NaN where the system does not tell (only
/// Linux does here).
pub fn core_seconds() -> f64 {
    let Ok(threads) = std::fs::read_dir("/proc/self/task") else { return f64::NAN };
    let of_thread = |entry: std::io::Result<std::fs::DirEntry>| {
        let text = std::fs::read_to_string(entry.ok()?.path().join("schedstat")).ok()?;
        text.split_whitespace().next()?.parse::<f64>().ok()
    };
    threads.filter_map(of_thread).sum::<f64>() * 1e-9
}

/// Runs `work` in a pool of `threads` threads.
pub fn on_threads<T: Send>(
    threads: usize,
    work: impl FnOnce() -> T + Send,
) -> Result<T, rayon::ThreadPoolBuildError> {
    let before = thread_count();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build()?;
    let result = pool.install(work);
    drop(pool);
    // A thread that ends takes its booked time with it: none may end inside the next measurement.
    let start = Instant::now();
    while thread_count() > before && start.elapsed() < FAREWELL {
        std::thread::sleep(Duration::from_millis(1));
    }
    Ok(result)
}

fn thread_count() -> usize {
    std::fs::read_dir("/proc/self/task").map_or(0, Iterator::count)
}

/// One thread, and all of the present pool when there are more.
pub fn thread_counts() -> Vec<usize> {
    let all = rayon::current_num_threads();
    if all > 1 { vec![1, all] } else { vec![1] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_and_sums() {
        let spent = Spent { wall: 2e-6, core: 3e-6, threads: 2 };
        let each = spent.per(1e-9, 10);
        assert!((each.wall - 200.0).abs() < 1e-9 && (each.core - 300.0).abs() < 1e-9);
        assert_eq!(spent.then(&spent).wall, 4e-6);
    }

    #[test]
    fn work_runs_at_least_once() {
        let mut count = 0;
        let (spent, last) = measure(0.0, || {
            count += 1;
            count
        });
        assert_eq!(last, 1);
        assert!(spent.wall >= 0.0 && spent.wall.is_finite());
        // Too short for the ticks of the system: no core time rather than a wrong one.
        assert!(spent.core.is_nan());
    }
}
