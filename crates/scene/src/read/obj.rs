//! Wavefront OBJ: `v`, `vt`, `f` (polygons cut into fans), `l` (strands), `g`/`o` (groups), and the
//! `stitch a b c w` lines of sewn garments.

use super::{MAX_NAME, to_index};
use crate::error::MeshError;
use crate::generate::RawMesh;
use crate::resolved::Cells;
use std::collections::BTreeMap;
use stiction_numerics::{Vec2, Vec3};

#[derive(Default)]
struct Obj {
    vertices: Vec<Vec3>,
    texture: Vec<Vec2>,
    /// Texture index per vertex; a second, different one means a seam.
    uv_of: BTreeMap<u32, usize>,
    seam: bool,
    triangles: Vec<[u32; 3]>,
    lines: Vec<Vec<u32>>,
    stitches: Vec<(u32, u32, u32, f64)>,
    groups: BTreeMap<String, Vec<u32>>,
    group: Option<String>,
}

/// Reads OBJ text. Vertices keep their order, also those that no face uses.
pub(super) fn read(text: &str, name: &str) -> Result<RawMesh, MeshError> {
    let mut obj = Obj::default();
    for (number, line) in text.lines().enumerate() {
        let mut words = line.split('#').next().unwrap_or("").split_whitespace();
        let Some(key) = words.next() else { continue };
        let rest: Vec<&str> = words.collect();
        obj.line(key, &rest, name).map_err(|error| match error {
            LineError::Text(message) => {
                MeshError::Format { file: name.to_owned(), line: number + 1, message }
            }
            LineError::Mesh(error) => error,
        })?;
    }
    Ok(obj.finish())
}

enum LineError {
    Text(String),
    Mesh(MeshError),
}

impl Obj {
    fn line(&mut self, key: &str, rest: &[&str], name: &str) -> Result<(), LineError> {
        match key {
            "v" => {
                let [x, y, z] = numbers(rest)?;
                self.vertices.push(Vec3::new(x, y, z));
            }
            "vt" => {
                let [u, v] = numbers(rest)?;
                self.texture.push(Vec2::new(u, v));
            }
            "f" => self.face(rest, name)?,
            "l" => {
                let index = self.lines.len();
                let strand = rest.iter().map(|w| self.corner(w, "strand", index, name).map(|c| c.0));
                let strand = strand.collect::<Result<Vec<_>, _>>()?;
                self.lines.push(strand);
            }
            "g" | "o" => {
                self.group = rest.first().map(|w| (*w).to_owned());
                if self.group.as_ref().is_some_and(|name| name.len() > MAX_NAME) {
                    let message = format!("the name of a group is longer than {MAX_NAME} bytes");
                    return Err(LineError::Text(message));
                }
            }
            "stitch" => {
                let stitch = self.stitch(rest, name)?;
                self.stitches.push(stitch);
            }
            _ => {}
        }
        Ok(())
    }

    /// `a b c w`: three vertices from 0 and a weight.
    fn stitch(&self, rest: &[&str], name: &str) -> Result<(u32, u32, u32, f64), LineError> {
        let &[a, b, c, weight, ..] = rest else {
            return Err(LineError::Text(format!("a stitch is `a b c w`, found {} words", rest.len())));
        };
        let index = self.stitches.len();
        let at = |word: &str| {
            to_index(integer(word)?, self.vertices.len(), "stitch", index, name).map_err(LineError::Mesh)
        };
        let [weight] = numbers(&[weight])?;
        Ok((at(a)?, at(b)?, at(c)?, weight))
    }

    fn face(&mut self, rest: &[&str], name: &str) -> Result<(), LineError> {
        if rest.len() < 3 {
            return Err(LineError::Text(format!("a face needs three corners, found {}", rest.len())));
        }
        let index = self.triangles.len();
        let mut corners = Vec::with_capacity(rest.len());
        for word in rest {
            let (vertex, texture) = self.corner(word, "triangle", index, name)?;
            if let Some(t) = texture {
                self.seam |= *self.uv_of.entry(vertex).or_insert(t) != t;
            }
            if let Some(group) = &self.group {
                self.groups.entry(group.clone()).or_default().push(vertex);
            }
            corners.push(vertex);
        }
        self.triangles.extend(corners[1..].windows(2).map(|pair| [corners[0], pair[0], pair[1]]));
        Ok(())
    }

    /// `v`, `v/t`, `v//n` or `v/t/n`, from 1, negative from the end.
    fn corner(
        &self,
        word: &str,
        cell: &'static str,
        index: usize,
        name: &str,
    ) -> Result<(u32, Option<usize>), LineError> {
        let absolute = |text: &str, count: usize| -> Result<i64, LineError> {
            let value = integer(text)?;
            if value == 0 {
                return Err(LineError::Text("indices begin at 1".to_owned()));
            }
            Ok(if value < 0 { (count as i64).saturating_add(value) } else { value - 1 })
        };
        let mut parts = word.split('/');
        let vertex = absolute(parts.next().unwrap_or(""), self.vertices.len())?;
        let vertex = to_index(vertex, self.vertices.len(), cell, index, name).map_err(LineError::Mesh)?;
        let texture = match parts.next() {
            // Some tools number texture corners and write no `vt` at all: then there is no pattern.
            Some(t) if !t.is_empty() && !self.texture.is_empty() => {
                let t = absolute(t, self.texture.len())?;
                if t < 0 || t as usize >= self.texture.len() {
                    let count = self.texture.len();
                    return Err(LineError::Text(format!(
                        "`{word}` names a `vt` that does not exist ({count} do)"
                    )));
                }
                Some(t as usize)
            }
            _ => None,
        };
        Ok((vertex, texture))
    }

    fn finish(self) -> RawMesh {
        let complete = !self.seam && !self.vertices.is_empty() && self.uv_of.len() == self.vertices.len();
        let uv = complete.then(|| self.uv_of.values().map(|&t| self.texture[t]).collect());
        let cells = if self.triangles.is_empty() && !self.lines.is_empty() {
            Cells::Strands(join_segments(self.lines))
        } else {
            Cells::Triangles(self.triangles)
        };
        let groups = self.groups.into_iter().map(|(name, mut list)| {
            list.sort_unstable();
            list.dedup();
            (name, list)
        });
        let (groups, stitches) = (groups.collect(), self.stitches);
        RawMesh { vertices: self.vertices, cells, uv, groups, stitches, seats: Vec::new() }
    }
}

/// Joins consecutive `l` lines that continue each other: many tools write one line per segment.
fn join_segments(lines: Vec<Vec<u32>>) -> Vec<Vec<u32>> {
    let mut strands: Vec<Vec<u32>> = Vec::new();
    for line in lines {
        match strands.last_mut() {
            Some(last) if last.last() == line.first() && last.first() != last.last() => {
                last.extend(&line[1..]);
            }
            _ => strands.push(line),
        }
    }
    strands
}

fn integer(word: &str) -> Result<i64, LineError> {
    word.parse().map_err(|_| LineError::Text(format!("`{word}` is not an index; write a whole number")))
}

fn numbers<const N: usize>(rest: &[&str]) -> Result<[f64; N], LineError> {
    if rest.len() < N {
        return Err(LineError::Text(format!("{N} numbers expected, found {}", rest.len())));
    }
    let mut out = [0.0; N];
    for (slot, word) in out.iter_mut().zip(rest) {
        let value: f64 = word.parse().map_err(|_| LineError::Text(format!("`{word}` is not a number")))?;
        if !value.is_finite() {
            return Err(LineError::Text(format!("`{word}` is not a finite number")));
        }
        *slot = value;
    }
    Ok(out)
}
