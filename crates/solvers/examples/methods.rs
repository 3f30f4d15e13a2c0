//! Prints the page about methods: `cargo run -p stiction-solvers --release --example methods >
//! docs/methods.md`.

fn main() {
    print!("{}", stiction_solvers::guide::guide_text());
}
