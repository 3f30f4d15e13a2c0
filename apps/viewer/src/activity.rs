//! What a simulation in this process tells the viewer, beyond what is in the run folder.

use std::sync::{Arc, Mutex, PoisonError};

/// Shared between the thread that runs a scene and the server. A clone refers to the same state.
#[derive(Clone, Debug, Default)]
pub struct Activity {
    state: Arc<Mutex<State>>,
}

#[derive(Clone, Debug, Default, PartialEq)]
enum State {
    #[default]
    Running,
    Finished,
    Failed(String),
}

impl Activity {
    /// A simulation that has just been started.
    pub fn new() -> Self {
        Self::default()
    }

    /// The run ended well.
    pub fn finish(&self) {
        self.set(State::Finished);
    }

    /// The run ended with an error, also one that came before any frame.
    pub fn fail(&self, reason: impl Into<String>) {
        self.set(State::Failed(reason.into()));
    }

    /// Whether frames may still come.
    pub fn is_running(&self) -> bool {
        self.get() == State::Running
    }

    /// Why it failed, if it did.
    pub fn failure(&self) -> Option<String> {
        match self.get() {
            State::Failed(reason) => Some(reason),
            _ => None,
        }
    }

    fn set(&self, state: State) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }

    fn get(&self) -> State {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
