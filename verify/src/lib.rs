//! Physics against closed forms and published curves: the cases of `stiction verify`.
//!
//! Comes in: names of cases, a method, perhaps a folder of data. Goes out: for every quantity the
//! expected value, the measured one, their difference and whether it stays within its tolerance.
//! Does not know how results are shown or which exit code they mean.
//!
//! A case is one file under [`cases`]; its header states the protocol. [`registry`] lists them in
//! the order in which they are reported.

#![forbid(unsafe_code)]

pub mod cases;
pub mod curve;
pub mod error;
pub mod outcome;
pub mod registry;
pub mod setup;
pub mod specimen;

pub use error::VerifyError;
pub use outcome::{Finding, Outcome, Quantity};
pub use registry::{Case, Kind, Verdict, all, find, run};
pub use setup::Setup;
