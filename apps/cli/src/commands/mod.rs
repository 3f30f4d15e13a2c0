//! One file per command.

pub mod bench;
pub mod check;
pub mod export;
pub mod info;
pub mod methods;
pub mod profile;
pub mod render;
pub mod run;
pub mod scenes;
pub mod verify;
pub mod view;

use crate::failure::Failure;
use serde::Serialize;

/// Prints one JSON object on standard output.
pub fn print_json(value: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string_pretty(value).map_err(|e| Failure::Run(format!("error: {e}")))?;
    say!("{text}");
    Ok(())
}
