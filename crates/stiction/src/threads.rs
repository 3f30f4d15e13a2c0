//! Where the parallel work of a simulation runs.
//!
//! The library never sets up the pool of the whole process: a host program owns its process. A
//! simulation works on the pool that it is called from, or on one that it was given.

use crate::error::SimulationError;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::fmt;
use std::sync::Arc;

/// A pool of threads, or the one of the caller. Results do not depend on which.
#[derive(Clone, Default)]
pub struct Threads {
    pool: Option<Arc<ThreadPool>>,
}

impl Threads {
    /// The pool that the call is made from; outside of any pool that is rayon's shared one.
    pub fn of_caller() -> Threads {
        Threads::default()
    }

    /// A pool of so many threads; `None` takes one for each core.
    pub fn new(count: Option<usize>) -> Result<Threads, SimulationError> {
        if count == Some(0) {
            return Err(SimulationError::NoThreads);
        }
        let most = most_threads();
        if let Some(asked) = count.filter(|asked| *asked > most) {
            return Err(SimulationError::TooManyThreads { asked, most });
        }
        let pool = ThreadPoolBuilder::new()
            .num_threads(count.unwrap_or(0))
            .build()
            .map_err(|error| SimulationError::Threads { reason: error.to_string() })?;
        Ok(Threads::from_pool(Arc::new(pool)))
    }

    /// A pool that the caller has made, perhaps shared with other simulations.
    pub fn from_pool(pool: Arc<ThreadPool>) -> Threads {
        Threads { pool: Some(pool) }
    }

    /// Number of threads.
    pub fn count(&self) -> usize {
        self.pool.as_ref().map_or_else(rayon::current_num_threads, |pool| pool.current_num_threads())
    }

    /// Runs `work` there, and waits for it.
    pub fn install<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        match &self.pool {
            Some(pool) => pool.install(work),
            None => work(),
        }
    }
}

/// More threads than this only cost memory and switches: four per core, but 64 on small machines,
/// where tests compare results over numbers of threads.
fn most_threads() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    cores.saturating_mul(4).max(64)
}

impl fmt::Debug for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.pool {
            Some(pool) => write!(f, "Threads({})", pool.current_num_threads()),
            None => write!(f, "Threads(of the caller)"),
        }
    }
}
