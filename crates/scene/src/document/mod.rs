//! The tree of values behind a scene: read from TOML or JSON, with the place of every value in the
//! text.

mod canonical;
mod json_spans;
mod overrides;

pub use canonical::content_hash;
pub(crate) use canonical::{canonical_json, sorted};

use crate::error::{Fault, Problem, SceneError, fault};
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use stiction_limits::{Budget, OverBudget, read_input_text};
use toml::de::{DeTable, DeValue};

/// Longest text of a scene [bytes]. A parsed list takes up to a hundred times its text, so that
/// this bounds the memory of a scene before its meshes; larger data belongs in mesh files.
pub const MAX_TEXT: usize = 16_000_000;

/// Lists longer than this have one place for all their items: a place for each would take more
/// memory than the values.
pub(crate) const MAX_PLACED_ITEMS: usize = 1000;

/// Where the key and the value of a path stand in the text.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub key: Range<usize>,
    pub value: Range<usize>,
}

/// A scene as written, before it is resolved.
#[derive(Clone, Debug)]
pub struct Document {
    /// File name for messages.
    pub(crate) file: String,
    /// Folder that relative mesh paths start from.
    pub(crate) base: PathBuf,
    pub(crate) text: String,
    pub(crate) tree: Value,
    pub(crate) places: BTreeMap<String, Place>,
    /// Paths that came from `--set`, with the text given.
    pub(crate) set: Vec<(String, String)>,
}

impl Document {
    /// Reads a TOML or JSON file; the extension `json` decides.
    pub fn read(path: &Path) -> Result<Self, SceneError> {
        let file = path.display().to_string();
        let text = read_input_text(path, &Budget::of_bytes(MAX_TEXT as u64)).map_err(|e| {
            let problem = match e.get_ref().and_then(|cause| cause.downcast_ref::<OverBudget>()) {
                Some(over) => Problem::TextTooLong { bytes: over.asked, limit: MAX_TEXT },
                None => Problem::MissingFile { file: file.clone(), reason: e.to_string() },
            };
            let help = "give the path of a scene file, or a gallery name".to_owned();
            SceneError::new(&file, "", None, Fault { path: String::new(), problem, help })
        })?;
        let base = path.parent().map(Path::to_path_buf).unwrap_or_default();
        Document::parse(&file, text, base)
    }

    /// Parses text: JSON when it begins with `{`, else TOML. `base` is where relative mesh paths
    /// start.
    pub fn parse(file: &str, text: String, base: PathBuf) -> Result<Self, SceneError> {
        if text.len() > MAX_TEXT {
            let problem = Problem::TextTooLong { bytes: text.len() as u64, limit: MAX_TEXT };
            let help = "keep long lists in files: meshes, sequences, directions of friction".to_owned();
            return Err(SceneError::new(file, "", None, Fault { path: String::new(), problem, help }));
        }
        let mut places = BTreeMap::new();
        let parsed = if text.trim_start().starts_with('{') {
            parse_json(&text, &mut places)
        } else {
            parse_toml(&text, &mut places)
        };
        match parsed {
            Ok(tree) => Ok(Document { file: file.to_owned(), base, text, tree, places, set: Vec::new() }),
            Err(found) => Err(SceneError::new(file, &text, found.0, found.1)),
        }
    }

    /// Turns a fault at a path into an error at a line.
    pub(crate) fn error(&self, mut fault: Fault) -> SceneError {
        if let Some((_, text)) = self.set.iter().find(|(path, _)| is_prefix(path, &fault.path)) {
            fault.help = format!("{} (the value comes from `--set {text}`)", fault.help);
        }
        let unknown_key = matches!(fault.problem, Problem::UnknownKey(_));
        let span = self.place(&fault.path).map(|p| if unknown_key { p.key } else { p.value });
        SceneError::new(&self.file, &self.text, span, fault)
    }

    /// What a method says of its options, at the line of the one that is wrong, if there is one and
    /// it stands in the scene.
    pub fn option_error(&self, method: &str, option: Option<&str>, message: &str) -> SceneError {
        // Options in `[methods.KEY]` win over those in `[method]`.
        let tables = [join("methods", method), "method".to_owned()];
        let both = |name: &str| {
            tables.iter().flat_map(|table| [join(table, name), join(&join(table, "study"), name)]).collect()
        };
        let places: Option<Vec<String>> = option.map(both);
        let stands = |path: &String| self.tree.pointer(&format!("/{}", path.replace('.', "/"))).is_some();
        let path = places.into_iter().flatten().find(stands).unwrap_or_else(|| "method".to_owned());
        let problem = Problem::Conflict(format!("method `{method}`: {message}"));
        let help = format!("`stiction methods {method}` and docs/methods.md list its options");
        self.error(Fault { path, problem, help })
    }

    /// Why a method cannot run the scene, where the method is chosen.
    pub fn method_error(&self, method: &str, message: &str) -> SceneError {
        let problem = Problem::Conflict(format!("method `{method}`: {message}"));
        let help =
            "`stiction methods` lists the methods; choose one with `[method] key` or --method".to_owned();
        self.error(Fault { path: "method.key".to_owned(), problem, help })
    }

    /// Place of the longest known prefix of a path.
    fn place(&self, path: &str) -> Option<Place> {
        let mut path = path;
        loop {
            if let Some(place) = self.places.get(path) {
                return Some(place.clone());
            }
            path = &path[..path.rfind('.')?];
        }
    }
}

/// Whether `path` lies at or below `prefix`.
fn is_prefix(prefix: &str, path: &str) -> bool {
    path.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

pub(crate) fn join(path: &str, key: impl std::fmt::Display) -> String {
    if path.is_empty() { key.to_string() } else { format!("{path}.{key}") }
}

type Parsed<T> = Result<T, Box<(Option<Range<usize>>, Fault)>>;

fn parse_toml(text: &str, places: &mut BTreeMap<String, Place>) -> Parsed<Value> {
    let table = DeTable::parse(text).map_err(|e| {
        let problem = Problem::Syntax(e.message().to_owned());
        let help = "see the TOML syntax at toml.io, or docs/scene.md for examples".to_owned();
        Box::new((e.span(), Fault { path: String::new(), problem, help }))
    })?;
    from_toml_table(table.get_ref(), "", places)
}

fn from_toml_table(table: &DeTable<'_>, path: &str, places: &mut BTreeMap<String, Place>) -> Parsed<Value> {
    let mut map = Map::new();
    for (key, value) in table {
        let name = key.get_ref().to_string();
        let at = join(path, &name);
        places.insert(at.clone(), Place { key: key.span(), value: value.span() });
        map.insert(name, from_toml(value.get_ref(), &at, value.span(), places)?);
    }
    Ok(Value::Object(map))
}

fn from_toml(
    value: &DeValue<'_>,
    path: &str,
    span: Range<usize>,
    places: &mut BTreeMap<String, Place>,
) -> Parsed<Value> {
    let refuse = |problem, help: &str| {
        Err(Box::new((Some(span.clone()), Fault { path: path.to_owned(), problem, help: help.to_owned() })))
    };
    match value {
        DeValue::String(s) => Ok(Value::String(s.to_string())),
        DeValue::Integer(i) => match i64::from_str_radix(i.as_str(), i.radix()) {
            Ok(i) => Ok(i.into()),
            Err(e) => refuse(Problem::Syntax(e.to_string()), "write a smaller integer, or a decimal point"),
        },
        DeValue::Float(f) => match f.as_str().parse::<f64>().ok().and_then(serde_json::Number::from_f64) {
            Some(number) => Ok(Value::Number(number)),
            None => refuse(
                Problem::NonFinite(f.as_str().to_owned()),
                "write a finite number, or leave the key out",
            ),
        },
        DeValue::Boolean(b) => Ok(Value::Bool(*b)),
        DeValue::Datetime(d) => {
            refuse(Problem::WrongType(format!("`{d}` is a date")), "no key of a scene takes a date")
        }
        DeValue::Array(items) => {
            let mut list = Vec::with_capacity(items.len());
            for (index, item) in items.iter().enumerate() {
                let at = join(path, index);
                if items.len() <= MAX_PLACED_ITEMS {
                    places.insert(at.clone(), Place { key: item.span(), value: item.span() });
                }
                list.push(from_toml(item.get_ref(), &at, item.span(), places)?);
            }
            Ok(Value::Array(list))
        }
        DeValue::Table(table) => from_toml_table(table, path, places),
    }
}

fn parse_json(text: &str, places: &mut BTreeMap<String, Place>) -> Parsed<Value> {
    let tree: Value = serde_json::from_str(text).map_err(|e| {
        let start: usize = text.split_inclusive('\n').take(e.line().saturating_sub(1)).map(str::len).sum();
        let at = (start + e.column().saturating_sub(1)).min(text.len());
        let problem = Problem::Syntax(e.to_string());
        let help = "see the JSON syntax at json.org; numbers must be finite".to_owned();
        Box::new((Some(at..at), Fault { path: String::new(), problem, help }))
    })?;
    json_spans::record(text, places);
    Ok(tree)
}

/// Deserialises a part of the tree, turning serde's words into a problem at a path.
pub(crate) fn typed<T: serde::de::DeserializeOwned>(value: &Value) -> crate::error::Resolved<T> {
    serde_path_to_error::deserialize(value).or_else(|e| {
        let path = serde_path(e.path());
        let message = e.into_inner().to_string();
        if let Some(rest) = message.strip_prefix("unknown field `") {
            let (key, expected) = rest.split_once('`').unwrap_or((rest, ""));
            let known: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
            // The tracker may or may not have entered the key already.
            let at = if path == key || path.ends_with(&format!(".{key}")) { path } else { join(&path, key) };
            return fault(at, Problem::UnknownKey(key.to_owned()), crate::error::suggest(key, known));
        }
        if let Some(rest) = message.strip_prefix("missing field `") {
            let key = rest.split('`').next().unwrap_or(rest);
            let help = format!("add `{key} = …`; docs/scene.md says what it takes");
            return fault(path, Problem::MissingKey(key.to_owned()), help);
        }
        if let Some(rest) = message.strip_prefix("unknown variant `") {
            let (name, expected) = rest.split_once('`').unwrap_or((rest, ""));
            let known: Vec<&str> = expected.split('`').skip(1).step_by(2).collect();
            let help = crate::error::suggest(name, known);
            return fault(path, Problem::UnknownName { kind: "choice", name: name.to_owned() }, help);
        }
        fault(path, Problem::WrongType(in_words(&message)), "see docs/scene.md for the type of this key")
    })
}

/// What serde says of a wrong type, without the names that Rust has for types.
fn in_words(message: &str) -> String {
    let bare = ["invalid type: ", "invalid value: "].iter().find_map(|start| message.strip_prefix(start));
    let (found, expected) = bare.unwrap_or(message).split_once(", expected ").unwrap_or((message, ""));
    let found = match (found, found.strip_prefix("invalid length ")) {
        (_, Some(length)) => format!("a list of {length}"),
        ("map", _) => "a table".to_owned(),
        ("sequence", _) => "a list".to_owned(),
        (other, _) => other.to_owned(),
    };
    let expected = match expected {
        "f64" | "f32" => "a number",
        "u32" => "a whole number from 0 to 4294967295",
        "u64" | "usize" => "a whole number, 0 or more",
        "a boolean" => "true or false",
        "a sequence" => "a list",
        "a map" => "a table",
        other if other.starts_with("struct ") => "a table",
        "" => return found,
        other => return format!("{found}, expected {}", other.replace("an array of length", "a list of")),
    };
    format!("{found}, expected {expected}")
}

fn serde_path(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    path.iter().fold(String::new(), |at, segment| match segment {
        Segment::Seq { index } => join(&at, index),
        Segment::Map { key } => join(&at, key),
        Segment::Enum { .. } | Segment::Unknown => at,
    })
}
