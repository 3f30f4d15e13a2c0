//! Bad input: a right answer or a clear failure, never a number that is not one, an explosion or a
//! hang.

mod admm;
mod barrier;
mod bench;
mod pd;
