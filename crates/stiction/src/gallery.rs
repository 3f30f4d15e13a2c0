//! The gallery: scenes that come with the program, by name.

/// A scene of the gallery: its name and its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GalleryScene {
    /// Name, as in `stiction run NAME`.
    pub name: &'static str,
    /// The scene file's text.
    pub text: &'static str,
}

include!(concat!(env!("OUT_DIR"), "/gallery.rs"));

/// All scenes, by name.
pub fn scenes() -> &'static [GalleryScene] {
    SCENES
}

/// The scene of a name.
pub fn find(name: &str) -> Option<&'static GalleryScene> {
    SCENES.iter().find(|s| s.name == name)
}
