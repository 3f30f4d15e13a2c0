//! A request to stop a run, from another thread or a signal handler.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Raised once, seen by a run after the step that it is in. A clone refers to the same request.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// Asks the run to stop: it finishes its step, writes a checkpoint and returns.
    pub fn raise(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether it was asked to.
    pub fn is_raised(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// The flag itself, for signal handlers, which may do no more than set it.
    pub fn shared(&self) -> Arc<AtomicBool> {
        self.0.clone()
    }
}
