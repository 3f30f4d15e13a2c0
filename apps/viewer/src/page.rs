//! The page, built by Vite into one file when the crate is built (`build.rs`).

/// The whole page: markup, style, script; `None` when it was built without Node. The same text
/// becomes a one-file result when the data of a run replaces
/// `stiction_output::export::bundle::PAGE_MARKER`.
pub const PAGE: Option<&str> = include!(concat!(env!("OUT_DIR"), "/page.rs"));

/// What stands in place of a page that was not built, and what to do.
pub const NO_PAGE: &str = "this build has no viewer page: install Node 20.19 or newer and build again";

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_output::export::bundle::{ELEMENT_ID, PAGE_MARKER};

    fn page() -> Option<&'static str> {
        if PAGE.is_none() {
            eprintln!("skipped: {NO_PAGE}");
        }
        PAGE
    }

    #[test]
    fn page_is_whole_and_takes_a_bundle() {
        let Some(page) = page() else { return };
        assert_eq!(page.matches(PAGE_MARKER).count(), 1, "one place for the data");
        assert!(page.contains(ELEMENT_ID), "the script looks for the data");
        assert!(page.len() < 1_000_000, "{} bytes", page.len());
    }

    #[test]
    fn page_loads_nothing_from_elsewhere() {
        let Some(page) = page() else { return };
        for tag in
            ["<script src=", "<script type=\"module\" src=", "<link rel=\"stylesheet\" href=", "@import"]
        {
            assert!(!page.contains(tag), "{tag}");
        }
    }
}
