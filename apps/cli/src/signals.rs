//! Ctrl-C and requests of the system to end: a run finishes its step and writes a checkpoint; a
//! second request ends the program at once.

use crate::failure::Failure;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;
use stiction::StopFlag;

/// Requests to end, by what Ctrl-C sends and by what `kill` and job schedulers send.
const REQUESTS: [i32; 2] = [SIGINT, SIGTERM];
/// Shells add this to the number of the signal that ended a program.
const ENDED_BY_SIGNAL: i32 = 128;

/// A flag that the first request raises; from then on the next one ends the program.
pub fn stop_flag() -> Result<StopFlag, Failure> {
    let stop = StopFlag::default();
    for signal in REQUESTS {
        // The order counts: a request that finds the flag raised ends the program, then the flag is
        // raised.
        flag::register_conditional_shutdown(signal, ENDED_BY_SIGNAL + signal, stop.shared())
            .and_then(|_| flag::register(signal, stop.shared()))
            .map_err(|error| Failure::Run(format!("error: cannot listen to signals: {error}")))?;
    }
    survive_size_limits();
    Ok(stop)
}

/// A file that may not grow further is reported by the write that failed, as a full disk is. By
/// default the system would end the program instead.
fn survive_size_limits() {
    #[cfg(unix)]
    let _ = flag::register(signal_hook::consts::SIGXFSZ, StopFlag::default().shared());
}
