//! A scene by path or by gallery name.

use crate::error::SimulationError;
use crate::gallery;
use std::path::Path;
use stiction_scene::{Document, Loaded, Loader, Scene, suggest};
use stiction_solvers::MethodError;

/// What a run folder records of its scene, so that it can be resumed and looked up.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SceneIdentity {
    /// Scene name or path as the user gave it.
    pub name: String,
    /// Hash of all that decides the motion; a checkpoint of another hash is refused. Empty for a
    /// scene that was made in code.
    pub hash: String,
    /// The scene after all overrides, kept in the folder as `scene.json`. Empty for a scene that
    /// was made in code: such a run cannot be rebuilt from its folder.
    pub canonical: String,
}

/// A scene that was found, read and checked, with the text behind it.
#[derive(Clone, Debug)]
pub struct OpenedScene {
    /// The scene.
    pub scene: Scene,
    /// What a run folder records of it.
    pub identity: SceneIdentity,
    /// The text, to say where a value is.
    pub document: Document,
}

impl OpenedScene {
    /// Opens a scene file, or a scene of the gallery by name, with another method and with
    /// overrides `path=value`. A file goes before a gallery scene of the same name.
    pub fn open<S: AsRef<str>>(
        name: &str,
        method: Option<&str>,
        overrides: &[S],
    ) -> Result<OpenedScene, SimulationError> {
        OpenedScene::open_with(&Loader::default(), name, method, overrides)
    }

    /// The same with a loader of the caller's, which knows what input may cost.
    pub fn open_with<S: AsRef<str>>(
        loader: &Loader,
        name: &str,
        method: Option<&str>,
        overrides: &[S],
    ) -> Result<OpenedScene, SimulationError> {
        // The method comes first: choosing another one drops the options of the one before, and
        // the overrides then give new ones.
        let mut changes: Vec<String> = method.iter().map(|key| format!("method.key={key:?}")).collect();
        changes.extend(overrides.iter().map(|change| change.as_ref().to_owned()));
        let path = Path::new(name);
        let loaded = match gallery::find(name) {
            _ if path.exists() => loader.file(path, &changes)?,
            Some(scene) => {
                loader.text(&format!("{}.toml", scene.name), scene.text, Path::new("."), &changes)?
            }
            None => return Err(unknown(name)),
        };
        Ok(OpenedScene::from_loaded(name, loaded))
    }

    /// A scene that was loaded from text, under the name that run folders record.
    pub fn from_loaded(name: &str, loaded: Loaded) -> OpenedScene {
        let Loaded { scene, canonical, hash, document } = loaded;
        OpenedScene { scene, identity: SceneIdentity { name: name.to_owned(), hash, canonical }, document }
    }
}

fn unknown(name: &str) -> SimulationError {
    let names: Vec<&str> = gallery::scenes().iter().map(|s| s.name).collect();
    let help = suggest(name.trim_end_matches(".toml"), names);
    // All names of the gallery would bury what was wrong.
    let near = if help.starts_with("known") { String::new() } else { format!("; {help}") };
    SimulationError::UnknownScene { name: name.to_owned(), near }
}

/// What a method says of a scene, shown where the method is chosen or its options are.
pub(crate) fn located(error: SimulationError, document: &Document) -> SimulationError {
    let SimulationError::Method(said) = &error else { return error };
    match said {
        MethodError::Value { key, option, message } => {
            document.option_error(key, Some(option), message).into()
        }
        MethodError::Option { key, message } => document.option_error(key, None, message).into(),
        MethodError::Refused { key, message } => document.method_error(key, message).into(),
        _ => error,
    }
}
