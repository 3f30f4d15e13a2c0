//! The page, built by Vite into one file and kept in the repository, so that Node is needed only to change it.

/// The whole page: markup, style, script. The same text becomes a one-file result when the data of a run replaces
/// `stiction_output::export::bundle::PAGE_MARKER`.
pub const PAGE: &str = include_str!("../page/dist/index.html");

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_output::export::bundle::{ELEMENT_ID, PAGE_MARKER};

    #[test]
    fn page_is_whole_and_takes_a_bundle() {
        assert_eq!(PAGE.matches(PAGE_MARKER).count(), 1, "one place for the data");
        assert!(PAGE.contains(ELEMENT_ID), "the script looks for the data");
        assert!(PAGE.len() < 1_000_000, "{} bytes", PAGE.len());
    }

    #[test]
    fn page_loads_nothing_from_elsewhere() {
        for tag in
            ["<script src=", "<script type=\"module\" src=", "<link rel=\"stylesheet\" href=", "@import"]
        {
            assert!(!PAGE.contains(tag), "{tag}");
        }
    }
}
