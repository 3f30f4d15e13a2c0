//! Puts the texts of the gallery scenes into the program, so that an installed binary has them.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

fn main() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../scenes");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut names: Vec<String> = fs::read_dir(&folder)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter_map(|name| name.strip_suffix(".toml").map(str::to_owned))
        .collect();
    names.sort();
    let mut code = String::from("const SCENES: &[GalleryScene] = &[\n");
    for name in &names {
        let path = folder.join(format!("{name}.toml"));
        println!("cargo::rerun-if-changed={}", path.display());
        let text = fs::read_to_string(&path).expect("a gallery scene can be read");
        writeln!(code, "    GalleryScene {{ name: {name:?}, text: {text:?} }},")
            .expect("writing to a string");
    }
    code.push_str("];\n");
    let out = Path::new(&env::var("OUT_DIR").expect("cargo sets OUT_DIR")).join("gallery.rs");
    fs::write(out, code).expect("the output folder of the build can be written");
}
