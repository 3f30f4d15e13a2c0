//! Options in two tiers. What a user needs is written in `[method]`; what only a comparison with a
//! paper needs (weights of the splitting, baselines, other barriers) in `[method.study]`, so that
//! the list of options that matter stays short. Solvers read both tiers as one table.

use crate::registry::{MethodError, MethodInfo};
use serde_json::{Map, Value};
use stiction_scene::resolved::MethodChoice;
use stiction_scene::suggest;

/// Name of the table of the second tier.
pub(crate) const STUDY: &str = "study";

/// The choice with the options of `study` next to all others.
pub(crate) fn flattened(choice: &MethodChoice, method: &MethodInfo) -> Result<MethodChoice, MethodError> {
    let mut flat = choice.clone();
    let wrong = |option: &str, message: String| MethodError::Value {
        key: choice.key.clone(),
        option: option.to_owned(),
        message,
    };
    let study: Map<String, Value> = match flat.options.remove(STUDY) {
        None => return Ok(flat),
        Some(Value::Object(table)) => table,
        Some(_) => return Err(wrong(STUDY, "`study` is a table of options".to_owned())),
    };
    let usual = |name: &str| method.options().iter().any(|o| o.name == name && !o.study);
    for (name, value) in study {
        let path = format!("{STUDY}.{name}");
        if usual(&name) {
            return Err(wrong(&path, format!("`{name}` does not belong in `study`: write it next to `key`")));
        }
        if !method.study.contains(&name.as_str()) {
            let fix = suggest(&name, method.study.iter().copied());
            return Err(wrong(&path, format!("`{name}` is no option of `study`; {fix}")));
        }
        if flat.options.insert(name.clone(), value).is_some() {
            return Err(wrong(&path, format!("`{name}` is given twice: keep the one in `study`")));
        }
    }
    Ok(flat)
}

/// One sentence for every option of a study that is written next to `key`. It acts all the same.
pub(crate) fn misplaced(choice: &MethodChoice, method: &MethodInfo) -> Vec<String> {
    let names = choice.options.keys().filter(|name| method.study.contains(&name.as_str()));
    names
        .map(|name| {
            format!("option `{name}` of method `{}` is for studies: write it in `[method.study]`", choice.key)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::registry::methods;

    fn choice(key: &str, options: Value) -> MethodChoice {
        MethodChoice { key: key.to_owned(), options: options.as_object().cloned().unwrap_or_default() }
    }

    fn method(key: &str) -> &'static MethodInfo {
        methods().iter().find(|method| method.key == key).expect("a method")
    }

    #[test]
    fn both_tiers_become_one_table() {
        let written = serde_json::json!({ "sweeps": 3, "study": { "beta": 4.0 } });
        let flat = flattened(&choice("admm", written), method("admm")).expect("good options");
        assert_eq!(Value::Object(flat.options), serde_json::json!({ "sweeps": 3, "beta": 4.0 }));
    }

    #[test]
    fn an_option_in_the_wrong_tier_is_named_with_its_place() {
        let wrong = |options: Value| match flattened(&choice("admm", options), method("admm")) {
            Err(MethodError::Value { option, message, .. }) => (option, message),
            other => panic!("{other:?}"),
        };
        let (option, message) = wrong(serde_json::json!({ "study": { "sweeps": 3 } }));
        assert!(option == "study.sweeps" && message.contains("next to `key`"), "{option}: {message}");
        let (option, message) = wrong(serde_json::json!({ "study": { "bete": 3 } }));
        assert!(option == "study.bete" && message.contains("did you mean `beta`?"), "{option}: {message}");
        let (option, message) = wrong(serde_json::json!({ "beta": 1, "study": { "beta": 3 } }));
        assert!(option == "study.beta" && message.contains("twice"), "{option}: {message}");
        assert_eq!(wrong(serde_json::json!({ "study": 3 })).0, "study");
    }

    /// The old place still works, with a note.
    #[test]
    fn an_option_of_a_study_next_to_the_key_is_noted() {
        let old = choice("pd", serde_json::json!({ "beta": 30.0, "sweeps": 3 }));
        assert_eq!(flattened(&old, method("pd")).expect("good options"), old);
        let notes = misplaced(&old, method("pd"));
        assert!(notes.len() == 1 && notes[0].contains("`beta`") && notes[0].contains("[method.study]"));
    }

    #[test]
    fn every_option_of_a_study_is_an_option() {
        for method in methods() {
            let names: Vec<String> = method.options().into_iter().map(|option| option.name).collect();
            let unknown: Vec<_> =
                method.study.iter().filter(|name| !names.iter().any(|n| n == *name)).collect();
            assert!(unknown.is_empty(), "{}: {unknown:?}", method.key);
        }
    }
}
