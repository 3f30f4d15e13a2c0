//! What one client, and all of them together, may take.

use std::time::Duration;

/// Limits of a server. The defaults leave a browser with several pages far from each of them.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Connections open at the same time, apart from live sockets. One more closes the connection
    /// that has been idle for longest.
    pub connections: usize,
    /// Live sockets (pages that are told of new frames) at the same time.
    pub live_sockets: usize,
    /// Answers that are made or sent at the same time; further requests wait for their turn. Each
    /// answer may take its part of the memory budget.
    pub answers: usize,
    /// Time for a client to send the head of a request, from the connection or the last answer on.
    pub head_time: Duration,
    /// Time for a request to get its turn.
    pub turn_time: Duration,
    /// Time for a client to take `LEAST_TAKEN` bytes (or the rest) of what is sent to it.
    pub send_time: Duration,
    /// Interval in which a live socket must show that somebody is there.
    pub pulse: Duration,
    /// Messages from a live socket in one pulse, its answers to pings among them. Pages send none.
    pub messages: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 128,
            live_sockets: 64,
            answers: 8,
            head_time: Duration::from_secs(10),
            turn_time: Duration::from_secs(30),
            send_time: Duration::from_secs(10),
            pulse: Duration::from_secs(20),
            messages: 60,
        }
    }
}

/// What a client must take within `send_time`; 64 kB/s by default, less than any network of today.
pub const LEAST_TAKEN: usize = 640_000;
