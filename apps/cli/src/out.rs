//! Lines on standard output and standard error that survive a closed pipe.
//!
//! `println!` panics when its reader has gone (`stiction scenes | head -3`). Results that nobody reads end the program quietly; notes on
//! standard error are dropped, so that a run goes on when whoever watched it has left.

use std::fmt::Arguments;
use std::io::{ErrorKind, Write};

/// Prints a line of the result.
pub fn line(text: Arguments<'_>) {
    let mut out = std::io::stdout().lock();
    match out.write_fmt(text).and_then(|()| out.write_all(b"\n")) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
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
