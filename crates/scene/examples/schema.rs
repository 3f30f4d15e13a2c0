//! Prints the JSON schema of scene files: `cargo run -p stiction-scene --example schema >
//! docs/scene.schema.json`.

fn main() {
    print!("{}", stiction_scene::schema_text());
}
