//! `stiction view`: a run in the browser, finished or while it is computed.

use crate::args::{ServerArgs, ViewOptions};
use crate::failure::Failure;
use crate::job;
use crate::signals::stop_flag;
use stiction::output::RunSummary;
use stiction::{Job, StopFlag};

/// Shows a run folder, or runs a scene and shows it live.
pub fn view(options: &ViewOptions) -> Result<(), Failure> {
    let target = std::path::Path::new(&options.scene.scene);
    if target.is_dir() {
        return show(target, &options.server);
    }
    let stop = stop_flag()?;
    let job = job::prepare(&options.scene, &options.folder, &stop)?;
    let folder = job.folder.display().to_string();
    let summary = watch(job, options.scene.threads, &stop, &options.server)?;
    super::info::print(&summary, None);
    job::fail_if_stopped(&summary, &folder)?;
    say!("written to {folder}");
    Ok(())
}

#[cfg(feature = "viewer")]
pub use present::{page, show, watch};

#[cfg(not(feature = "viewer"))]
pub use absent::{page, show, watch};

#[cfg(feature = "viewer")]
mod present {
    use super::{Failure, Job, RunSummary, ServerArgs, StopFlag, job};
    use std::io::{IsTerminal, Write};
    use std::path::Path;
    use std::process::{Command, Stdio};
    use stiction::output::RunReader;
    use stiction_viewer::{Activity, NO_PAGE, PAGE, Server, ViewerError};

    /// The page for `export --to html`.
    pub fn page() -> Option<&'static str> {
        PAGE
    }

    /// Serves a run folder until Ctrl-C.
    pub fn show(folder: &Path, options: &ServerArgs) -> Result<(), Failure> {
        let damage = RunReader::open(folder)?.damage()?;
        damage.iter().for_each(|sentence| note!("damaged: {sentence}"));
        let server = bind(folder, None, options)?;
        server.serve_until_interrupt().map_err(failure)
    }

    /// Runs a scene in a thread and serves its folder until the flag is raised (by Ctrl-C), which also stops
    /// the run.
    pub fn watch(
        job: Job,
        threads: Option<usize>,
        stop: &StopFlag,
        options: &ServerArgs,
    ) -> Result<RunSummary, Failure> {
        if job.is_blocked() {
            let folder = job.folder.display();
            return Err(Failure::Input(format!(
                "error: {folder} already holds a run; look at it with `stiction view {folder}`, continue it with --resume, replace it with --overwrite, or choose another folder with -o"
            )));
        }
        let activity = Activity::new();
        let server = bind(&job.folder, Some(activity.clone()), options)?;
        std::thread::scope(|scope| {
            let run = scope.spawn(|| {
                let outcome = job::execute(job, threads);
                match &outcome {
                    Ok(_) if stop.is_raised() => activity.finish(),
                    Ok(_) => {
                        activity.finish();
                        note!("the run is done; the viewer stays until Ctrl-C");
                    }
                    Err(failure) => {
                        activity.fail(failure.text());
                        note!("{}\nthe viewer stays until Ctrl-C", failure.text());
                    }
                }
                outcome
            });
            let served = server.serve_while(|| !stop.is_raised()).map_err(failure);
            // The server may also have ended by an error.
            stop.raise();
            if activity.is_running() {
                note!("stopping after this step; Ctrl-C again stops at once");
            }
            let outcome = run.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            served.and(outcome)
        })
    }

    fn bind(folder: &Path, activity: Option<Activity>, options: &ServerArgs) -> Result<Server, Failure> {
        if PAGE.is_none() {
            return Err(Failure::Input(format!("error: {NO_PAGE}")));
        }
        let server = Server::bind(&stiction_viewer::ServerOptions {
            host: options.host.clone(),
            port: options.port,
            activity,
            ..stiction_viewer::ServerOptions::new(folder)
        })
        .map_err(failure)?;
        note!("viewer: {}  (Ctrl-C ends it)", server.url());
        let _ = std::io::stderr().flush();
        if !options.no_open && std::io::stderr().is_terminal() {
            open_browser(&server.url());
        }
        Ok(server)
    }

    /// Asks the desktop to open the page; when there is none, the printed address has to do.
    fn open_browser(url: &str) {
        let (program, arguments): (&str, &[&str]) = match std::env::consts::OS {
            "macos" => ("open", &[]),
            "windows" => ("cmd", &["/C", "start", ""]),
            _ => ("xdg-open", &[]),
        };
        let mut command = Command::new(program);
        command.args(arguments).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let _ = command.spawn();
    }

    fn failure(error: ViewerError) -> Failure {
        match error {
            ViewerError::Listen { .. } => Failure::Input(format!("error: {error}")),
            ViewerError::Serve(_) => Failure::Run(format!("error: {error}")),
        }
    }
}

#[cfg(not(feature = "viewer"))]
mod absent {
    use super::{Failure, Job, RunSummary, ServerArgs, StopFlag};
    use std::path::Path;

    /// This build has no page.
    pub fn page() -> Option<&'static str> {
        None
    }

    /// Says what is missing.
    pub fn show(_: &Path, _: &ServerArgs) -> Result<(), Failure> {
        Err(missing())
    }

    /// Says what is missing.
    pub fn watch(_: Job, _: Option<usize>, _: &StopFlag, _: &ServerArgs) -> Result<RunSummary, Failure> {
        Err(missing())
    }

    fn missing() -> Failure {
        Failure::Input(
            "error: this program was built without the viewer\n  build it with: cargo build --release -p stiction-cli --features viewer\n  without it: `stiction render RUN` draws pictures"
                .to_owned(),
        )
    }
}
