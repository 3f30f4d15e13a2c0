//! Lines on standard output and standard error that survive a closed pipe.
//!
//! `println!` panics when its reader has gone (`stiction scenes | head -3`). Here results that
//! nobody reads are dropped and the command goes on to its own exit code, so that `stiction verify
//! | head -3` still fails where it should; notes on standard error are dropped too, so that a run
//! goes on when whoever watched it has left.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the reader of standard output has gone.
static CLOSED: AtomicBool = AtomicBool::new(false);

/// Whether the reader of standard output has gone: what only makes more lines can then stop.
pub fn is_closed() -> bool {
    CLOSED.load(Ordering::Relaxed)
}

/// Prints a line of the result.
pub fn line(text: Arguments<'_>) {
    if is_closed() {
        return;
    }
    let mut out = std::io::stdout().lock();
    match out.write_fmt(text).and_then(|()| out.write_all(b"\n")) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => CLOSED.store(true, Ordering::Relaxed),
        Err(error) => {
            note(format_args!("error: cannot write the result: {error}"));
            std::process::exit(1)
        }
        Ok(()) => {}
    }
}

/// Prints a line that accompanies the work: progress, addresses, errors.
pub fn note(text: Arguments<'_>) {
    let mut out = std::io::stderr().lock();
    let _ = out.write_fmt(text).and_then(|()| out.write_all(b"\n"));
}

/// `println!` by [`line`].
macro_rules! say {
    () => { $crate::out::line(format_args!("")) };
    ($($text:tt)*) => { $crate::out::line(format_args!($($text)*)) };
}

/// `eprintln!` by [`note`].
macro_rules! note {
    ($($text:tt)*) => { $crate::out::note(format_args!($($text)*)) };
}
