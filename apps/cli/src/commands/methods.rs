//! `stiction methods`: the methods, or the options of one.

use super::print_json;
use crate::args::MethodsOptions;
use crate::failure::Failure;
use stiction::scene::suggest;
use stiction::solvers::support::{Feature, Level, features, level};
use stiction::solvers::{MethodInfo, methods};

/// Lists the methods, or the options of the named one.
pub fn list(options: &MethodsOptions) -> Result<(), Failure> {
    let known = methods();
    let chosen: Vec<&MethodInfo> = match &options.key {
        None => known.iter().collect(),
        Some(key) => vec![known.iter().find(|method| method.key == key).ok_or_else(|| {
            let help = suggest(key, known.iter().map(|method| method.key));
            Failure::Input(format!("error: there is no method `{key}`; {help}"))
        })?],
    };
    if options.json {
        let list: Vec<_> = chosen.iter().map(|method| described(method)).collect();
        return print_json(&serde_json::json!({ "methods": list }));
    }
    for method in &chosen {
        say!("{:16} {}", method.key, method.summary);
        if options.key.is_some() {
            print_options(method);
        }
    }
    print_support(&chosen);
    Ok(())
}

fn described(method: &MethodInfo) -> serde_json::Value {
    let support: serde_json::Map<String, serde_json::Value> =
        features().map(|feature| (feature.name().to_owned(), cell(method, feature).into())).collect();
    serde_json::json!({
        "key": method.key,
        "summary": method.summary,
        "options": method.options(),
        "support": support,
    })
}

fn cell(method: &MethodInfo, feature: Feature) -> String {
    level(method.key, feature).map_or(String::new(), Level::text)
}

/// What the methods support: a line per feature, a column per method.
fn print_support(chosen: &[&MethodInfo]) {
    let heading: String = chosen.iter().map(|method| format!(" {:16}", method.key)).collect();
    say!("\n{:56}{}", "what is supported", heading.trim_end());
    let mut replaced = Vec::new();
    for feature in features() {
        let cells = chosen.iter().map(|method| match level(method.key, feature) {
            Some(Level::Replaced(by)) if chosen.len() > 1 => {
                replaced.push(format!("`{}` uses {by} for {}", method.key, feature.name()));
                "replaced".to_owned()
            }
            _ => cell(method, feature),
        });
        let line: String = cells.map(|cell| format!(" {cell:16}")).collect();
        say!("  {:54}{}", feature.name(), line.trim_end());
    }
    replaced.iter().for_each(|sentence| say!("replaced: {sentence}"));
}

fn print_options(method: &MethodInfo) {
    for option in method.options() {
        let default =
            if option.default.is_empty() { String::new() } else { format!(" = {}", option.default) };
        say!("\n  {}{default}   ({})\n    {}", option.name, option.kind, option.meaning);
        for (choice, meaning) in &option.choices {
            say!("      \"{choice}\": {meaning}");
        }
    }
}
