//! The command line of Stiction.
fn main() {}
