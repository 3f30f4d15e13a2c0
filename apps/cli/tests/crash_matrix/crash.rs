//! What can happen to a run from outside.

use crate::common::{error_text, program, signal, start};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};
use std::time::Duration;

/// Exit code of a run that was asked to end.
const STOPPED: i32 = 75;

/// A disturbance of a run.
#[derive(Clone, Copy, Debug)]
pub enum Crash {
    /// SIGKILL.
    Kill,
    /// SIGTERM: the step is finished, a checkpoint written, exit code 75.
    Terminate,
    /// No file may grow any more: writes fail as they do beyond a quota.
    SizeLimit,
    /// A file system of memory is filled to the last byte.
    FullDisk,
    /// The folders of the run may not be written any more.
    ReadOnly,
    /// A second run that resumes and one that overwrites.
    TwoWriters,
}

/// How a disturbed run ended.
pub struct Ended {
    /// Whether it reached its end all the same.
    pub finished: bool,
}

/// A folder for runs, perhaps on a file system of its own.
pub struct Place {
    folder: tempfile::TempDir,
    mounted: bool,
}

impl Place {
    pub fn path(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.mounted {
            let _ = Command::new("umount").arg(self.folder.path()).status();
        }
    }
}

impl Crash {
    pub const ALL: [Crash; 6] = [
        Crash::Kill,
        Crash::Terminate,
        Crash::SizeLimit,
        Crash::FullDisk,
        Crash::ReadOnly,
        Crash::TwoWriters,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Crash::Kill => "SIGKILL",
            Crash::Terminate => "SIGTERM",
            Crash::SizeLimit => "file size limit",
            Crash::FullDisk => "full disk",
            Crash::ReadOnly => "read-only folder",
            Crash::TwoWriters => "two writers",
        }
    }

    /// Why it cannot be tried on this machine.
    pub fn impossible_here(self) -> Option<&'static str> {
        let has = |tool: &str| Command::new(tool).arg("--version").output().is_ok();
        match self {
            Crash::SizeLimit if !has("prlimit") => Some("there is no `prlimit`"),
            Crash::FullDisk if mount(Path::new("/nowhere/at/all")).is_err() => Some("there is no `mount`"),
            Crash::FullDisk if !is_root() => Some("only root can mount"),
            Crash::ReadOnly if is_root() && !has("setpriv") => Some("root writes everywhere"),
            _ => None,
        }
    }

    /// Where the run goes.
    pub fn place(self, parent: &Path) -> Place {
        let folder = tempfile::tempdir_in(parent).expect("a folder");
        let mounted =
            matches!(self, Crash::FullDisk) && mount(folder.path()).is_ok_and(|outcome| outcome.success());
        Place { folder, mounted }
    }

    /// Starts a run, waits, disturbs it, and sees how it ends; afterwards nothing is in its way any more.
    pub fn disturb(self, command: Command, run: &Path, delay: Duration, case: &str) -> Ended {
        let command = if matches!(self, Crash::ReadOnly) { without_privilege(command) } else { command };
        let mut child = start(command);
        if matches!(self, Crash::ReadOnly | Crash::TwoWriters) {
            wait_for_run(&mut child, run);
        }
        std::thread::sleep(delay);
        match self {
            Crash::Kill => signal(&child, "KILL"),
            Crash::Terminate => signal(&child, "TERM"),
            Crash::SizeLimit => limit_sizes(&child),
            Crash::FullDisk => fill(run),
            Crash::ReadOnly => set_mode(run, 0o555),
            Crash::TwoWriters => refuse_others(run, case),
        }
        let output = child.wait_with_output().expect("the program ends");
        match self {
            Crash::FullDisk => drop(fs::remove_file(ballast(run))),
            Crash::ReadOnly => set_mode(run, 0o755),
            _ => {}
        }
        self.check_end(&output, case)
    }

    /// The exit code and the words that belong to the disturbance.
    fn check_end(self, output: &Output, case: &str) -> Ended {
        let text = error_text(output);
        let finished = output.status.success();
        let expected = match self {
            Crash::Kill => output.status.code().is_none(),
            // A signal that comes before the program listens ends it, as it does any program.
            Crash::Terminate => output.status.code().is_none() || output.status.code() == Some(STOPPED),
            Crash::SizeLimit | Crash::FullDisk => {
                output.status.code() == Some(1) && text.contains("disk is full") && text.contains("free ")
            }
            Crash::ReadOnly => matches!(output.status.code(), Some(1 | 2)) && text.contains("cannot write"),
            Crash::TwoWriters => false,
        };
        assert!(finished || expected, "{case}: {:?}, {text}", output.status);
        Ended { finished }
    }
}

/// Waits until there is a run to disturb, or none to come.
fn wait_for_run(child: &mut Child, run: &Path) {
    while !run.join("run.json").exists() && matches!(child.try_wait(), Ok(None)) {
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output();
    id.is_ok_and(|output| output.stdout == b"0\n")
}

/// A small file system in memory.
fn mount(at: &Path) -> std::io::Result<std::process::ExitStatus> {
    let quiet = std::process::Stdio::null;
    Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=8m", "tmpfs"])
        .arg(at)
        .stdout(quiet())
        .stderr(quiet())
        .status()
}

fn limit_sizes(child: &Child) {
    let limited = Command::new("prlimit").args(["--pid", &child.id().to_string(), "--fsize=0:"]).output();
    // The program may have ended before.
    drop(limited.expect("`prlimit` can be started"));
}

fn ballast(run: &Path) -> PathBuf {
    run.with_file_name("ballast")
}

/// Takes all space that is left where the run is.
fn fill(run: &Path) {
    use std::io::Write;
    let Ok(mut file) = fs::File::create(ballast(run)) else { return };
    for size in [1 << 16, 1 << 12, 1] {
        let block = vec![0_u8; size];
        while file.write_all(&block).is_ok() {}
    }
}

/// Root may write everywhere unless this privilege is dropped.
fn without_privilege(command: Command) -> Command {
    if !is_root() {
        return command;
    }
    let mut outer = Command::new("setpriv");
    outer
        .args(["--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-dac_override,-dac_read_search"]);
    outer.arg(command.get_program()).args(command.get_args());
    if let Some(folder) = command.get_current_dir() {
        outer.current_dir(folder);
    }
    outer
}

fn set_mode(run: &Path, mode: u32) {
    for part in ["frames", "checkpoint", ""] {
        // What does not exist yet is not made read-only.
        let _ = fs::set_permissions(run.join(part), Permissions::from_mode(mode));
    }
}

/// Others that want to write to the folder of a run are refused as long as it goes on, and change nothing.
fn refuse_others(run: &Path, case: &str) {
    let folder = run.ancestors().nth(2).expect("the folder of the scene");
    let name = run.display().to_string();
    for how in ["--resume", "--overwrite"] {
        let arguments = ["run", "scene.toml", "-o", &name, "--threads", "1", how];
        let output = program(&arguments, folder).output().expect("the program starts");
        let text = error_text(&output);
        let refused = output.status.code() == Some(2) && text.contains("is being written by ");
        assert!(refused || output.status.success(), "{case}, {how}: {text}");
    }
}
