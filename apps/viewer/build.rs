//! Builds the page with Node into the target folder. Without Node the program is built without a
//! page, and says so when asked for one.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs, io};

/// What the page is made of, below `page/`.
const SOURCES: [&str; 7] =
    [".npmrc", "index.html", "package.json", "package-lock.json", "src", "tsconfig.json", "vite.config.ts"];

fn main() {
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo names the output folder"));
    for source in SOURCES {
        println!("cargo::rerun-if-changed=page/{source}");
    }
    let page = match build(&out.join("page")) {
        Ok(page) => format!("Some(include_str!({:?}))", page.display().to_string()),
        Err(why) => {
            println!("cargo::warning=the viewer has no page: {why}; Node 20.19 or newer builds it");
            // A file that is never there: the next build tries again.
            println!("cargo::rerun-if-changed=page/absent");
            "None".to_string()
        }
    };
    fs::write(out.join("page.rs"), page).expect("the output folder can be written");
}

/// Copies the sources, installs the locked packages and builds; gives the file that was built.
fn build(folder: &Path) -> Result<PathBuf, String> {
    let failed = |step: &str, why: String| format!("{step} failed: {why}");
    run(Command::new(npm()).arg("--version")).map_err(|why| failed("npm --version", why))?;
    for source in SOURCES {
        let from = Path::new("page").join(source);
        copy(&from, &folder.join(source)).map_err(|why| failed("copying the page", why.to_string()))?;
    }
    let npm = |arguments: &[&str]| {
        run(Command::new(npm()).args(arguments).current_dir(folder))
            .map_err(|why| failed(&format!("npm {}", arguments.join(" ")), why))
    };
    npm(&["ci", "--no-audit", "--no-fund"])?;
    npm(&["run", "build"])?;
    Ok(folder.join("dist").join("index.html"))
}

fn npm() -> &'static str {
    if cfg!(windows) { "npm.cmd" } else { "npm" }
}

/// Runs a command to its end; an error holds the last line that it said.
fn run(command: &mut Command) -> Result<(), String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let said =
        String::from_utf8_lossy(if output.stderr.is_empty() { &output.stdout } else { &output.stderr });
    let last = said.lines().rev().find(|line| !line.trim().is_empty());
    Err(last.map_or_else(|| output.status.to_string(), str::to_string))
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    if !from.is_dir() {
        if let Some(parent) = to.parent() {
            fs::create_dir_all(parent)?;
        }
        return fs::copy(from, to).map(|_| ());
    }
    if to.exists() {
        fs::remove_dir_all(to)?;
    }
    fs::read_dir(from)?.try_for_each(|entry| {
        let entry = entry?;
        copy(&entry.path(), &to.join(entry.file_name()))
    })
}
