//! `stiction methods`: the methods, or the options of one.

use super::print_json;
use crate::args::MethodsOptions;
use crate::failure::Failure;
use stiction::scene::suggest;
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
        let described = |method: &&MethodInfo| serde_json::json!({ "key": method.key, "summary": method.summary, "options": method.options() });
        let list: Vec<_> = chosen.iter().map(described).collect();
        return print_json(&serde_json::json!({ "methods": list }));
    }
    for method in chosen {
        say!("{:16} {}", method.key, method.summary);
        if options.key.is_some() {
            print_options(method);
        }
    }
    Ok(())
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
