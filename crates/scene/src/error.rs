//! What can be wrong with a scene, each with the file, the line, the object and the fix.

use miette::{Diagnostic, LabeledSpan, NamedSource, SourceCode, SourceSpan};
use std::fmt;
use std::ops::Range;
use stiction_limits::OverBudget;
use thiserror::Error;

/// Largest coordinate that a scene may have [m]: products of a few of them stay finite, and the
/// solar system fits.
pub const MAX_COORDINATE: f64 = 1e12;

/// Largest number of vertices of a mesh: the signed half of 32-bit indices, which leaves the other
/// half for indices that are made from them.
pub const MAX_VERTICES: usize = 1 << 31;

/// What is wrong.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum Problem {
    /// The text is not TOML or JSON.
    #[error("the text cannot be read: {0}")]
    Syntax(String),
    /// A key that the format does not have.
    #[error("unknown key `{0}`")]
    UnknownKey(String),
    /// A value of another type than expected.
    #[error("wrong type: {0}")]
    WrongType(String),
    /// NaN or infinity.
    #[error("`{0}` is not a finite number")]
    NonFinite(String),
    /// A key that has to be there.
    #[error("missing key `{0}`")]
    MissingKey(String),
    /// A format version that this program does not read.
    #[error("format version {0} is not known")]
    Version(u32),
    /// A file that cannot be opened.
    #[error("file `{file}` cannot be read: {reason}")]
    MissingFile {
        /// Path as written.
        file: String,
        /// What the system said.
        reason: String,
    },
    /// A text that is too long for a scene.
    #[error("the text has {bytes} bytes, but a scene may have {limit}")]
    TextTooLong {
        /// Its length.
        bytes: u64,
        /// What is allowed.
        limit: usize,
    },
    /// A mesh that cannot be simulated.
    #[error("{0}")]
    Mesh(#[from] MeshError),
    /// A number outside of its range.
    #[error("{what} is {}, but {requirement}", shown(*value))]
    OutOfRange {
        /// Name of the quantity.
        what: String,
        /// Value found.
        value: f64,
        /// What must hold.
        requirement: String,
    },
    /// A selection without vertices.
    #[error("the selection {selection} holds none of the {vertices} vertices; the body spans {bounds}")]
    EmptySelection {
        /// The selection in words.
        selection: String,
        /// Number of vertices searched.
        vertices: usize,
        /// Bounding box in words.
        bounds: String,
    },
    /// Key frames whose times do not increase.
    #[error("key frame {index} is at {time} s, not after the one before it at {previous} s")]
    KeyOrder {
        /// Index from 0.
        index: usize,
        /// Its time.
        time: f64,
        /// Time of the one before.
        previous: f64,
    },
    /// A name that does not exist.
    #[error("unknown {kind} `{name}`")]
    UnknownName {
        /// What was looked for.
        kind: &'static str,
        /// Name as written.
        name: String,
    },
    /// Values that do not fit together.
    #[error("{0}")]
    Conflict(String),
    /// More memory than the budget allows.
    #[error(transparent)]
    OverBudget(#[from] OverBudget),
    /// A `--set` that cannot be applied.
    #[error("`--set {text}` cannot be applied: {reason}")]
    Override {
        /// The override as given.
        text: String,
        /// Why not.
        reason: String,
    },
}

/// A number as a person would write it: very small and very large ones with an exponent.
fn shown(value: f64) -> String {
    match value.abs() {
        0.0 | 1e-5..1e16 => value.to_string(),
        _ => format!("{value:e}"),
    }
}

/// What is wrong with a mesh.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum MeshError {
    /// A file whose text does not follow its format.
    #[error("mesh `{file}`, line {line}: {message}")]
    Format {
        /// File.
        file: String,
        /// Line from 1 (0 for binary content).
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// An index that names no vertex.
    #[error(
        "mesh `{source_name}`: {cell} {index} uses vertex {vertex}, but there are only {vertices} (indices from 0)"
    )]
    IndexOutOfRange {
        /// File or generator.
        source_name: String,
        /// Kind of cell.
        cell: &'static str,
        /// Which cell, from 0.
        index: usize,
        /// Vertex that does not exist.
        vertex: u64,
        /// Number of vertices.
        vertices: usize,
    },
    /// A cell without extent.
    #[error("mesh `{source_name}`: {cell} {index} is degenerate ({measure})")]
    Degenerate {
        /// File or generator.
        source_name: String,
        /// Kind of cell.
        cell: &'static str,
        /// Which cell, from 0.
        index: usize,
        /// Its size in words.
        measure: String,
    },
    /// A tet turned inside out.
    #[error("mesh `{source_name}`: tet {index} is inverted (volume {volume:e} m³; {count} of {total} are)")]
    Inverted {
        /// File or generator.
        source_name: String,
        /// First such tet, from 0.
        index: usize,
        /// Its signed volume.
        volume: f64,
        /// How many are inverted.
        count: usize,
        /// Out of how many.
        total: usize,
    },
    /// A coordinate that is not a number.
    #[error("mesh `{source_name}`: {element} {index} has a number that is not finite")]
    NonFinite {
        /// File or generator.
        source_name: String,
        /// What has it: a vertex, a pattern coordinate, a stitch.
        element: &'static str,
        /// Which one, from 0.
        index: usize,
    },
    /// A coordinate so large that nothing can be computed with it.
    #[error(
        "mesh `{source_name}`: vertex {index} is {distance:e} m from the origin, \
         but only {MAX_COORDINATE:e} m can be used"
    )]
    TooFar {
        /// File or generator.
        source_name: String,
        /// Which vertex, from 0.
        index: usize,
        /// Its largest coordinate [m].
        distance: f64,
    },
    /// A strand that comes back to a vertex.
    #[error("mesh `{source_name}`: strand {index} visits vertex {vertex} twice")]
    VisitedTwice {
        /// File or generator.
        source_name: String,
        /// Which strand, from 0.
        index: usize,
        /// The vertex, from 0.
        vertex: u32,
    },
    /// More vertices than can be numbered.
    #[error("mesh `{source_name}` has {vertices} vertices, but only {MAX_VERTICES} can be numbered")]
    TooManyVertices {
        /// File or generator.
        source_name: String,
        /// How many it has.
        vertices: usize,
    },
    /// A mesh of the wrong kind of cells.
    #[error("mesh `{source_name}` holds {found}, but a {body} needs {needed}")]
    WrongCells {
        /// File or generator.
        source_name: String,
        /// What it holds.
        found: &'static str,
        /// What the body is.
        body: &'static str,
        /// What it needs.
        needed: &'static str,
    },
    /// A vertex that no cell uses and that therefore has no mass.
    #[error("mesh `{source_name}`: vertex {index} belongs to no {cell}, so its mass would be zero")]
    LooseVertex {
        /// File or generator.
        source_name: String,
        /// Which vertex, from 0.
        index: usize,
        /// Kind of cell.
        cell: &'static str,
    },
}

/// A problem at a place in the tree of values; becomes a [`SceneError`] once the file is known.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub path: String,
    pub problem: Problem,
    pub help: String,
}

/// Result inside the crate.
pub(crate) type Resolved<T> = Result<T, Box<Fault>>;

pub(crate) fn fault<T>(
    path: impl Into<String>,
    problem: impl Into<Problem>,
    help: impl Into<String>,
) -> Resolved<T> {
    Err(Box::new(Fault { path: path.into(), problem: problem.into(), help: help.into() }))
}

/// A scene that cannot be used: what, where and how to mend it.
#[derive(Clone, Debug)]
pub struct SceneError {
    inner: Box<Inner>,
}

#[derive(Clone, Debug)]
struct Inner {
    problem: Problem,
    file: String,
    object: String,
    line: Option<usize>,
    help: String,
    source: NamedSource<String>,
    span: Option<SourceSpan>,
}

impl SceneError {
    /// An error in a named text, with the bytes it concerns.
    pub(crate) fn new(file: &str, text: &str, span: Option<Range<usize>>, fault: Fault) -> Self {
        let span = span.map(|s| on_characters(text, s.start)..on_characters(text, s.end));
        let line = span.as_ref().map(|s| text[..s.start].matches('\n').count() + 1);
        SceneError {
            inner: Box::new(Inner {
                problem: fault.problem,
                file: file.to_owned(),
                object: fault.path,
                line,
                help: fault.help,
                source: NamedSource::new(file, text.to_owned()),
                span: span.map(|s| (s.start, s.len()).into()),
            }),
        }
    }

    /// What is wrong.
    pub fn problem(&self) -> &Problem {
        &self.inner.problem
    }

    /// The scene file.
    pub fn file(&self) -> &str {
        &self.inner.file
    }

    /// Path of the value, such as `bodies.cloth.friction`; empty for the whole file.
    pub fn object(&self) -> &str {
        &self.inner.object
    }

    /// Line in the scene file, from 1.
    pub fn line(&self) -> Option<usize> {
        self.inner.line
    }

    /// How to mend it.
    pub fn fix(&self) -> &str {
        &self.inner.help
    }
}

impl fmt::Display for SceneError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.inner.file)?;
        if let Some(line) = self.inner.line {
            write!(f, ":{line}")?;
        }
        if !self.inner.object.is_empty() {
            write!(f, ": {}", self.inner.object)?;
        }
        write!(f, ": {}", self.inner.problem)
    }
}

impl std::error::Error for SceneError {}

impl Diagnostic for SceneError {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        (!self.inner.help.is_empty()).then(|| Box::new(&self.inner.help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.inner.span.as_ref().map(|_| &self.inner.source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let span = self.inner.span?;
        let label = LabeledSpan::new_with_span(Some("here".to_owned()), span);
        Some(Box::new(std::iter::once(label)))
    }
}

/// The last place at or before `at` where a character begins: parsers count bytes, and may point
/// into the middle of a character.
fn on_characters(text: &str, at: usize) -> usize {
    let at = at.min(text.len());
    (0..=at).rev().find(|&place| text.is_char_boundary(place)).unwrap_or(0)
}

/// The candidate nearest to a misspelt name, if any is near enough to be meant.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    candidates
        .into_iter()
        .map(|c| (strsim::damerau_levenshtein(&name.to_lowercase(), &c.to_lowercase()), c))
        .filter(|(distance, c)| *distance <= 1 + name.len().max(c.len()) / 3)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, c)| c)
}

/// "did you mean" when something is near, else the whole list.
pub fn suggest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str> + Clone) -> String {
    match nearest(name, candidates.clone()) {
        Some(found) => format!("did you mean `{found}`?"),
        None => {
            let list: Vec<_> = candidates.into_iter().map(|c| format!("`{c}`")).collect();
            if list.is_empty() { "there are none".to_owned() } else { format!("known: {}", list.join(", ")) }
        }
    }
}
