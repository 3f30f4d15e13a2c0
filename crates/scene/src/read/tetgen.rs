//! TetGen `.node` and `.ele`: numbering from 0 or 1, `#` comments, attributes and markers skipped.

use super::to_index;
use crate::error::MeshError;
use crate::generate::RawMesh;
use crate::resolved::Cells;
use stiction_numerics::Vec3;

/// Lines of words with their numbers, comments and blanks left out.
fn rows(text: &str) -> impl Iterator<Item = (usize, Vec<&str>)> {
    text.lines()
        .enumerate()
        .map(|(n, line)| (n + 1, line.split('#').next().unwrap_or("").split_whitespace().collect::<Vec<_>>()))
        .filter(|(_, words)| !words.is_empty())
}

fn parse<T: std::str::FromStr>(words: &[&str], at: usize, line: usize, file: &str) -> Result<T, MeshError> {
    words.get(at).and_then(|w| w.parse().ok()).ok_or_else(|| MeshError::Format {
        file: file.to_owned(),
        line,
        message: format!("number {} of this line is missing or not a number", at + 1),
    })
}

fn too_short(file: &str) -> MeshError {
    MeshError::Format {
        file: file.to_owned(),
        line: 0,
        message: "fewer lines than the header says".to_owned(),
    }
}

pub(super) fn read(node: &str, ele: &str, name: &str) -> Result<RawMesh, MeshError> {
    let mut lines = rows(node);
    let (line, head) = lines.next().ok_or_else(|| too_short(name))?;
    let count: usize = parse(&head, 0, line, name)?;
    let mut vertices = Vec::new();
    let mut first = 0_i64;
    for i in 0..count {
        let (line, words) = lines.next().ok_or_else(|| too_short(name))?;
        if i == 0 {
            first = parse(&words, 0, line, name)?;
        }
        let x = |k| parse::<f64>(&words, k, line, name);
        vertices.push(Vec3::new(x(1)?, x(2)?, x(3)?));
    }
    let mut lines = rows(ele);
    let (line, head) = lines.next().ok_or_else(|| too_short(name))?;
    let count: usize = parse(&head, 0, line, name)?;
    let mut tets = Vec::new();
    for i in 0..count {
        let (line, words) = lines.next().ok_or_else(|| too_short(name))?;
        let mut tet = [0; 4];
        for (k, slot) in tet.iter_mut().enumerate() {
            let value = parse::<i64>(&words, k + 1, line, name)?.saturating_sub(first);
            *slot = to_index(value, vertices.len(), "tet", i, name)?;
        }
        tets.push(tet);
    }
    Ok(RawMesh::new(vertices, Cells::Tets(tets)))
}
