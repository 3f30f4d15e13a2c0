//! A scene by path or by gallery name.

use crate::args::SceneOptions;
use crate::failure::Failure;
use std::path::Path;
use stiction::gallery;
use stiction::scene::{Loaded, Loader, suggest};

/// Loads what the user named, with all changes applied.
pub fn load(options: &SceneOptions) -> Result<Loaded, Failure> {
    // The method comes first: choosing another one drops the options of the one before, and `--set` then gives new ones.
    let mut changes: Vec<String> =
        options.method.iter().map(|method| format!("method.key={method:?}")).collect();
    changes.extend(options.set.iter().cloned());
    if let Some(frames) = options.frames {
        changes.push(format!("frames={frames}"));
    }
    let loader = Loader { budget: options.limits.budget() };
    let path = Path::new(&options.scene);
    if path.exists() {
        return Ok(loader.file(path, &changes)?);
    }
    match gallery::find(&options.scene) {
        Some(scene) => {
            Ok(loader.text(&format!("{}.toml", scene.name), scene.text, Path::new("."), &changes)?)
        }
        None => Err(unknown(&options.scene)),
    }
}

fn unknown(name: &str) -> Failure {
    let names: Vec<&str> = gallery::scenes().iter().map(|s| s.name).collect();
    let help = suggest(name.trim_end_matches(".toml"), names);
    // All names of the gallery would bury what was wrong.
    let near = if help.starts_with("known") { String::new() } else { format!("; {help}") };
    Failure::Input(format!(
        "error: there is no file `{name}` and no gallery scene of that name{near}\n  `stiction scenes` lists the gallery"
    ))
}

/// More threads than this only cost memory and switches: four per core, but 64 on small machines, where
/// tests compare results over numbers of threads.
fn most_threads() -> usize {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    cores.saturating_mul(4).max(64)
}

/// Runs `work` in a thread pool of the wanted size.
pub fn with_threads<T: Send>(threads: Option<usize>, work: impl FnOnce() -> T + Send) -> Result<T, Failure> {
    if threads == Some(0) {
        return Err(Failure::Input("error: --threads 0 makes no sense; give at least 1".to_owned()));
    }
    let most = most_threads();
    if let Some(asked) = threads.filter(|asked| *asked > most) {
        let text = format!("error: --threads {asked} is more than this machine can use; give at most {most}");
        return Err(Failure::Input(text));
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0))
        .build()
        .map_err(|e| Failure::Run(format!("error: the threads cannot be started: {e}")))?;
    Ok(pool.install(work))
}
