//! A panic is a bug of ours. The user gets one line and a folder to send in, not a backtrace.

use crate::failure::Failure;
use std::backtrace::Backtrace;
use std::io::Read;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// Scenes larger than this are named in the bundle and not copied [bytes].
const MAX_SCENE: u64 = 16_000_000;

/// Runs a command. If it panics, writes a bundle and says where it is.
pub fn guarded(scene: Option<&Path>, command: impl FnOnce() -> Result<(), Failure>) -> Result<(), Failure> {
    let seen = Arc::new(Mutex::new(String::new()));
    let shared = Arc::clone(&seen);
    set_hook(Box::new(move |info| record(&shared, info)));
    let outcome = catch_unwind(AssertUnwindSafe(command));
    let _ = std::panic::take_hook();
    outcome.unwrap_or_else(|_| {
        let text = seen.lock().map(|text| text.clone()).unwrap_or_default();
        Err(Failure::Run(report(&std::env::temp_dir(), scene, &text)))
    })
}

/// Keeps the first panic: later ones follow from it.
fn record(seen: &Mutex<String>, info: &PanicHookInfo<'_>) {
    let Ok(mut text) = seen.lock() else { return };
    if text.is_empty() {
        *text = format!("{info}\n\n{}", Backtrace::force_capture());
    }
}

/// What is shown; the bundle lies in a new folder below `folder`.
fn report(folder: &Path, scene: Option<&Path>, text: &str) -> String {
    let what = text.lines().take(2).collect::<Vec<_>>().join(" ");
    let short = format!("error: stiction stopped because of a mistake of its own: {what}");
    match write_bundle(folder, scene, text) {
        Ok(bundle) => {
            format!("{short}\n  the scene and what is known are in {}; please send them in", bundle.display())
        }
        Err(error) => format!("{short}\n  (no bundle could be written: {error})"),
    }
}

fn write_bundle(folder: &Path, scene: Option<&Path>, text: &str) -> std::io::Result<PathBuf> {
    let number = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let name = format!("stiction-bug-{}-{}", std::process::id(), number.as_nanos());
    let bundle = folder.join(name);
    // A new folder, never one that somebody else has put there.
    std::fs::create_dir(&bundle)?;
    let command: Vec<String> = std::env::args().collect();
    let head = format!("stiction {}\n{}\n\n", env!("CARGO_PKG_VERSION"), command.join(" "));
    std::fs::write(bundle.join("panic.txt"), format!("{head}{text}\n"))?;
    let Some(scene) = scene.filter(|path| path.is_file()) else { return Ok(bundle) };
    let mut content = Vec::new();
    std::fs::File::open(scene)?.take(MAX_SCENE).read_to_end(&mut content)?;
    let extension = scene.extension().and_then(|e| e.to_str()).unwrap_or("toml");
    std::fs::write(bundle.join(format!("scene.{extension}")), content)?;
    Ok(bundle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_one_line_and_a_bundle() {
        let folder = tempfile::tempdir().expect("a folder");
        let scene = folder.path().join("my.toml");
        std::fs::write(&scene, "stiction = 1\n").expect("written");
        let outcome = guarded(Some(&scene), || {
            // As in a run: the work happens in a pool, whose panics come back through `install`.
            let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a pool");
            pool.install(|| panic!("index 3 of {}", 2))
        });
        let Err(Failure::Run(text)) = outcome else { panic!("a failed run") };
        assert!(text.contains("index 3 of 2") && !text.contains("backtrace"), "{text}");
        let start = text.find("are in ").expect("a path") + "are in ".len();
        let end = text.find("; please").expect("an end");
        let bundle = PathBuf::from(&text[start..end]);
        let kept = std::fs::read_to_string(bundle.join("panic.txt")).expect("the text");
        assert!(kept.contains("index 3 of 2") && kept.contains("panic_report.rs"), "{kept}");
        assert_eq!(std::fs::read_to_string(bundle.join("scene.toml")).expect("a copy"), "stiction = 1\n");
        std::fs::remove_dir_all(bundle).expect("removed");
    }

    #[test]
    fn what_does_not_panic_passes_through() {
        assert!(guarded(None, || Ok(())).is_ok());
        let refused = guarded(None, || Err(Failure::Input("no".to_owned())));
        assert!(matches!(refused, Err(Failure::Input(text)) if text == "no"));
    }
}
