//! `--set path=value`: changes the tree before it is resolved.

use super::{Document, join};
use crate::error::{Problem, Resolved, SceneError, fault, suggest};
use serde_json::{Map, Value, json};

/// Most parts of a path: deeper tables than the format has.
const MAX_DEPTH: usize = 64;

/// Tables whose keys are names chosen by the user: a new name there is a slip of the pen.
const NAMED: [&str; 2] = ["bodies", "colliders"];

impl Document {
    /// Applies overrides of the form `path=value` in order. The value is TOML; a bare word is a
    /// string.
    ///
    /// A variant (`size=paper` with a table `variants.size.paper`) sets all paths of its table.
    /// Changing `method.key` drops the options written for the method before; `methods.KEY` tables
    /// stay.
    pub fn set_all<S: AsRef<str>>(&mut self, overrides: &[S]) -> Result<(), SceneError> {
        for text in overrides {
            self.set(text.as_ref()).map_err(|f| self.error(*f))?;
        }
        Ok(())
    }

    fn set(&mut self, text: &str) -> Resolved<()> {
        let refuse = |reason: &str, help: &str| {
            let problem = Problem::Override { text: text.to_owned(), reason: reason.to_owned() };
            fault("", problem, help)
        };
        let Some((path, value)) = text.split_once('=') else {
            return refuse(
                "there is no `=`",
                "write `--set path=value`, as in `--set bodies.cloth.friction=0.3`",
            );
        };
        let path = path.trim().replace('[', ".").replace(']', "");
        if path.split('.').count() > MAX_DEPTH {
            return refuse("the path has too many parts", "write the path of a value of a scene");
        }
        if path.split('.').any(str::is_empty) {
            return refuse("the path has an empty part", "write names separated by single dots");
        }
        let Some(value) = parse_value(value.trim()) else {
            return refuse(
                "the value is not TOML",
                "numbers, \"text\", true, [1, 2], { a = 1 }; finite numbers only",
            );
        };
        if let Some(choices) = self.tree.get("variants").and_then(|v| v.get(&path)) {
            return self.apply_variant(&path, choices.clone(), &value, text);
        }
        self.set_path(&path, value, text)
    }

    fn apply_variant(&mut self, family: &str, choices: Value, value: &Value, text: &str) -> Resolved<()> {
        let name = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        let known: Vec<&str> =
            choices.as_object().into_iter().flat_map(|m| m.keys().map(String::as_str)).collect();
        // `seed` is an older word for `paper`.
        let renamed = || choices.get("paper").filter(|_| name == "seed");
        let Some(changes) = choices.get(&name).or_else(renamed).and_then(Value::as_object) else {
            let help = suggest(&name, known);
            return fault(format!("variants.{family}"), Problem::UnknownName { kind: "variant", name }, help);
        };
        for (path, value) in changes {
            self.set_path(path, value.clone(), text)?;
        }
        Ok(())
    }

    fn set_path(&mut self, path: &str, value: Value, text: &str) -> Resolved<()> {
        if path == "method.key" && self.tree.pointer("/method/key") != Some(&value) {
            self.tree["method"] = json!({ "key": value });
        } else {
            let parts: Vec<&str> = path.split('.').collect();
            insert(&mut self.tree, &parts, "", value, text)?;
        }
        self.places.retain(|at, _| !super::is_prefix(path, at));
        self.set.push((path.to_owned(), text.to_owned()));
        Ok(())
    }
}

fn parse_value(text: &str) -> Option<Value> {
    if let Ok(table) = format!("v = {text}").parse::<toml::Table>() {
        return to_json(&table["v"]);
    }
    let bare = !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_-./ ".contains(c));
    bare.then(|| Value::String(text.to_owned()))
}

fn to_json(value: &toml::Value) -> Option<Value> {
    match value {
        toml::Value::Float(f) => serde_json::Number::from_f64(*f).map(Value::Number),
        toml::Value::Array(items) => items.iter().map(to_json).collect::<Option<Vec<_>>>().map(Value::Array),
        toml::Value::Table(table) => table
            .iter()
            .map(|(k, v)| Some((k.clone(), to_json(v)?)))
            .collect::<Option<Map<_, _>>>()
            .map(Value::Object),
        toml::Value::Datetime(_) => None,
        toml::Value::String(s) => Some(Value::String(s.clone())),
        toml::Value::Integer(i) => Some((*i).into()),
        toml::Value::Boolean(b) => Some(Value::Bool(*b)),
    }
}

/// Walks to the last part, making tables on the way where the format may have them.
fn insert(node: &mut Value, parts: &[&str], at: &str, value: Value, text: &str) -> Resolved<()> {
    let Some((&part, rest)) = parts.split_first() else {
        *node = value;
        return Ok(());
    };
    expand_shorthand(node, at);
    let here = join(at, part);
    let refuse =
        |reason: String, help: String| fault(at, Problem::Override { text: text.to_owned(), reason }, help);
    match node {
        Value::Array(items) => {
            let count = items.len();
            match part.parse::<usize>().ok().filter(|&i| i < count) {
                Some(index) => insert(&mut items[index], rest, &here, value, text),
                None => refuse(
                    format!("`{at}` is a list of {count} and has no item `{part}`"),
                    "items are numbered from 0".to_owned(),
                ),
            }
        }
        Value::Object(map) => {
            if NAMED.contains(&at) && !map.contains_key(part) {
                let known: Vec<&str> = map.keys().map(String::as_str).collect();
                let help = match crate::error::nearest(part, known.iter().copied()) {
                    Some(found) => {
                        let tail: Vec<&str> = [at, found].into_iter().chain(rest.iter().copied()).collect();
                        format!("did you mean `{}`?", tail.join("."))
                    }
                    None => suggest(part, known),
                };
                return refuse(format!("there is no `{here}`"), help);
            }
            if !map.contains_key(part) && rest.first().is_some_and(|item| item.parse::<usize>().is_ok()) {
                let help = format!("write the list `{here}` in the scene, or set it as a whole");
                return refuse(format!("there is no list `{here}`"), help);
            }
            let child = map.entry(part).or_insert_with(|| Value::Object(Map::new()));
            insert(child, rest, &here, value, text)
        }
        _ => refuse(format!("`{at}` is a single value and has no `{part}`"), format!("set `{at}` itself")),
    }
}

/// `material = "cotton"` and `mesh = "a.obj"` stand for tables; they become so when a key inside is
/// set.
fn expand_shorthand(node: &mut Value, at: &str) {
    let key = match at.rsplit('.').next() {
        Some("material") => "preset",
        Some("mesh" | "surface" | "on") => "file",
        Some("select") => "group",
        _ => return,
    };
    if let Value::String(name) = node {
        *node = json!({ key: name.clone() });
    }
}
