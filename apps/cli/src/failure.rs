//! What went wrong, in words, and the exit code that it means.

use miette::{GraphicalReportHandler, GraphicalTheme};
use std::io::IsTerminal;
use std::process::ExitCode;
use stiction::SimulationError;
use stiction::output::OutputError;
use stiction::scene::SceneError;
use stiction_render::RenderError;

/// A failed command.
#[derive(Debug)]
pub enum Failure {
    /// The input was wrong: exit code 2.
    Input(String),
    /// The run failed: exit code 1.
    Run(String),
    /// The run was stopped on request and can be continued: exit code 75, as of `sysexits.h` for
    /// what is to be tried again.
    Stopped(String),
}

impl Failure {
    /// What is shown to the user.
    pub fn text(&self) -> &str {
        match self {
            Failure::Input(text) | Failure::Run(text) | Failure::Stopped(text) => text,
        }
    }

    /// 2 for wrong input, 1 for a failed run, 75 for a stopped one.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Failure::Input(_) => ExitCode::from(2),
            Failure::Run(_) => ExitCode::from(1),
            Failure::Stopped(_) => ExitCode::from(75),
        }
    }
}

impl From<SceneError> for Failure {
    fn from(error: SceneError) -> Self {
        let theme = match std::io::stderr().is_terminal() {
            true => GraphicalTheme::unicode(),
            false => GraphicalTheme::unicode_nocolor(),
        };
        let mut text = String::new();
        match GraphicalReportHandler::new_themed(theme).render_report(&mut text, &error) {
            Ok(()) => Failure::Input(text.trim_end().to_owned()),
            Err(_) => Failure::Input(format!("error: {error}")),
        }
    }
}

impl From<SimulationError> for Failure {
    fn from(error: SimulationError) -> Self {
        if let SimulationError::Scene(error) = error {
            return error.into();
        }
        let text = format!("error: {error}");
        if error.is_input() { Failure::Input(text) } else { Failure::Run(text) }
    }
}

impl From<OutputError> for Failure {
    fn from(error: OutputError) -> Self {
        SimulationError::from(error).into()
    }
}

impl From<RenderError> for Failure {
    fn from(error: RenderError) -> Self {
        match error {
            RenderError::Run(error) => error.into(),
            other => Failure::Input(format!("error: {other}")),
        }
    }
}
