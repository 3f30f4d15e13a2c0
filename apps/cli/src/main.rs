//! The command line of Stiction: a front end of the library.
//!
//! Exit codes: 0 done, 1 the run failed, 2 the input was wrong, 75 the run was stopped by a signal
//! and can be continued. `--json` prints one object on standard output, nothing else.

#![forbid(unsafe_code)]

#[macro_use]
mod out;

mod args;
mod commands;
mod failure;
mod job;
mod panic_report;
mod progress;
mod signals;

use args::{Arguments, Command};
use clap::Parser;
use failure::Failure;
use std::path::PathBuf;
use std::process::ExitCode;
use stiction::numerics::map_large_arrays;

fn main() -> ExitCode {
    map_large_arrays();
    let arguments = Arguments::parse();
    let scene = scene_file(&arguments.command);
    let outcome = panic_report::guarded(scene.as_deref(), || dispatch(arguments.command));
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            note!("{}", failure.text());
            failure.exit_code()
        }
    }
}

/// The scene that a command names, for the bundle of a panic.
fn scene_file(command: &Command) -> Option<PathBuf> {
    match command {
        Command::Check(options) => Some(options.scene.scene.clone().into()),
        Command::Run(options) => Some(options.scene.scene.clone().into()),
        Command::View(options) => Some(options.scene.scene.clone().into()),
        _ => None,
    }
}

fn dispatch(command: Command) -> Result<(), Failure> {
    match command {
        Command::Methods(options) => commands::methods::list(&options),
        Command::Scenes(options) => commands::scenes::list(&options),
        Command::Check(options) => commands::check::check(&options),
        Command::Run(options) => commands::run::run(&options),
        Command::Info(options) => commands::info::info(&options),
        Command::Export(options) => commands::export::export(&options),
        Command::Render(options) => commands::render::render(&options),
        Command::Verify(options) => commands::verify::verify(&options),
        Command::Bench(options) => commands::bench::bench(&options),
        Command::View(options) => commands::view::view(&options),
    }
}
