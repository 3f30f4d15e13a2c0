//! The doors: load a scene, list scenes, keep a scene for later.

use crate::document::{Document, canonical_json, content_hash, sorted};
use crate::error::{Fault, Problem, SceneError};
use crate::friction_notes::friction_notes;
use crate::resolve;
use crate::resolved::{MethodChoice, Scene};
use crate::size_notes::size_notes;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use stiction_limits::Budget;

/// A resolved scene together with the text that rebuilds it.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// The scene.
    pub scene: Scene,
    /// Stable JSON of the scene after overrides; [`load_canonical`] reads it again.
    pub canonical: String,
    /// Hash of what decides the motion: the values and the content of the mesh files, not where
    /// they lie. `frames` and `output` are left out, so that a run can be lengthened.
    pub hash: String,
    /// What the user should know about the overrides, and about sizes that look wrong.
    pub notes: Vec<String>,
    /// The text behind it, to say where a value stands.
    pub document: Document,
}

/// Loads a scene file with overrides `path=value`.
pub fn load<S: AsRef<str>>(path: &Path, overrides: &[S]) -> Result<Scene, SceneError> {
    load_full(path, overrides).map(|l| l.scene)
}

/// Loads a scene file and keeps its canonical text.
pub fn load_full<S: AsRef<str>>(path: &Path, overrides: &[S]) -> Result<Loaded, SceneError> {
    Loader::default().file(path, overrides)
}

/// Loads scene text (TOML or JSON); `file` is used in messages, `base` is where mesh paths start.
pub fn load_text<S: AsRef<str>>(
    file: &str,
    text: &str,
    base: &Path,
    overrides: &[S],
) -> Result<Loaded, SceneError> {
    Loader::default().text(file, text, base, overrides)
}

/// Loads scenes within a memory budget; by default half of the machine's memory.
#[derive(Clone, Debug, Default)]
pub struct Loader {
    /// What the meshes of a scene may take.
    pub budget: Budget,
}

impl Loader {
    /// Loads a scene file with overrides `path=value` and keeps its canonical text.
    pub fn file<S: AsRef<str>>(&self, path: &Path, overrides: &[S]) -> Result<Loaded, SceneError> {
        finish(Document::read(path)?, overrides, &self.budget)
    }

    /// The same for text (TOML or JSON); `file` is used in messages, mesh paths start at `base`.
    pub fn text<S: AsRef<str>>(
        &self,
        file: &str,
        text: &str,
        base: &Path,
        overrides: &[S],
    ) -> Result<Loaded, SceneError> {
        let document = Document::parse(file, text.to_owned(), base.to_path_buf())?;
        finish(document, overrides, &self.budget)
    }
}

fn finish<S: AsRef<str>>(
    mut document: Document,
    overrides: &[S],
    budget: &Budget,
) -> Result<Loaded, SceneError> {
    document.set_all(overrides)?;
    let (scene, files) = resolve::resolve(&document, budget).map_err(|f| document.error(*f))?;
    if let Some(map) = document.tree.as_object_mut() {
        // The name may come from the file's name, which the text does not hold.
        map.insert("name".to_owned(), Value::String(scene.name.clone()));
    }
    let base = std::path::absolute(&document.base).unwrap_or_else(|_| document.base.clone());
    let canonical = canonical_json(&document.tree, &base.display().to_string(), &files);
    let hash = motion_hash(&document.tree, &files);
    let mut notes = friction_notes(&document, &scene);
    notes.extend(size_notes(&scene));
    Ok(Loaded { scene, canonical, hash, notes, document })
}

fn motion_hash(tree: &Value, files: &BTreeMap<String, String>) -> String {
    let mut tree = sorted(tree);
    if let Some(map) = tree.as_object_mut() {
        let key = map.get("method").and_then(|m| m.get("key")).and_then(Value::as_str).unwrap_or("newton");
        let used = map.get("methods").and_then(|m| m.get(key)).cloned();
        for key in ["frames", "output", "variants", "summary", "source", "name"] {
            map.shift_remove(key);
        }
        // Options of methods that do not run change nothing.
        map.insert("methods".to_owned(), used.unwrap_or_default());
    }
    content_hash(serde_json::json!({ "files": files, "scene": tree }).to_string().as_bytes())
}

/// Loads what [`Loaded::canonical`] holds; mesh files must still have the content they had.
pub fn load_canonical(text: &str) -> Result<Loaded, SceneError> {
    let file = "scene.json";
    let refuse = |problem: Problem, help: &str| {
        SceneError::new(file, "", None, Fault { path: String::new(), problem, help: help.to_owned() })
    };
    let whole: Value = serde_json::from_str(text)
        .map_err(|e| refuse(Problem::Syntax(e.to_string()), "the file is damaged: run the scene again"))?;
    let (Some(1), Some(scene)) = (whole["stiction_canonical"].as_u64(), whole.get("scene")) else {
        let problem = Problem::Conflict("this is not a kept scene of this version".to_owned());
        return Err(refuse(problem, "run the scene again with this program"));
    };
    let base = PathBuf::from(whole["base"].as_str().unwrap_or_default());
    let loaded = load_text(file, &scene.to_string(), &base, &[] as &[&str])?;
    let again: Value = serde_json::from_str(&loaded.canonical).unwrap_or_default();
    let (old, new) = (whole["files"].as_object(), again["files"].as_object());
    let changed =
        old.into_iter().flatten().find(|(name, hash)| new.and_then(|n| n.get(*name)) != Some(*hash));
    match changed {
        Some((name, _)) => {
            let problem =
                Problem::Conflict(format!("the mesh file `{name}` has changed since the run began"));
            Err(refuse(problem, "put the old file back, or start a new run"))
        }
        None => Ok(loaded),
    }
}

/// What a list of scenes shows.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct SceneHeader {
    /// Short name.
    pub name: String,
    /// Key of the method.
    pub method: String,
    /// One sentence.
    pub summary: String,
    /// Figure or case reproduced.
    pub source: String,
}

impl SceneHeader {
    /// Reads the header of a scene text without resolving it.
    pub fn parse(file: &str, text: &str) -> Result<Self, SceneError> {
        let document = Document::parse(file, text.to_owned(), PathBuf::new())?;
        let word = |key: &str| document.tree.get(key).and_then(Value::as_str).map(str::to_owned);
        let method = document.tree.pointer("/method/key").and_then(Value::as_str);
        Ok(SceneHeader {
            name: word("name").unwrap_or_else(|| resolve::stem(file)),
            method: method.unwrap_or("newton").to_owned(),
            summary: word("summary").unwrap_or_default(),
            source: word("source").unwrap_or_default(),
        })
    }
}

/// Scene files of a folder, sorted by name.
pub fn scene_files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let known = path.extension().is_some_and(|e| e == "toml" || e == "json");
        if known && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

impl MethodChoice {
    /// Reads the options as a type that refuses unknown keys.
    pub fn parse<T: serde::de::DeserializeOwned>(&self) -> Result<T, SceneError> {
        crate::document::typed(&Value::Object(self.options.clone())).map_err(|mut f| {
            f.path = if f.path.is_empty() { "method".to_owned() } else { format!("method.{}", f.path) };
            f.help = f.help.replace("docs/scene.md", "docs/methods.md");
            SceneError::new(&format!("options of method `{}`", self.key), "", None, *f)
        })
    }
}
