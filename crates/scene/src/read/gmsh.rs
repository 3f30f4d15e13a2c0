//! Gmsh 2.2 and 4.1, text and binary. Takes lines (1), triangles (2) and tets (4); named physical
//! groups of format 2.2 become vertex groups. Node tags need not be in order or without holes;
//! vertices keep the order of the file.

use super::MAX_NAME;
use super::tokens::{Order, Tokens};
use super::vtk::Sorted;
use crate::error::MeshError;
use crate::generate::RawMesh;
use std::collections::BTreeMap;
use stiction_numerics::Vec3;

/// Number of nodes of each element type that a file may hold (others cannot be skipped in binary).
const NODES: [(i32, usize); 13] = [
    (1, 2),
    (2, 3),
    (3, 4),
    (4, 4),
    (5, 8),
    (6, 6),
    (7, 5),
    (8, 3),
    (9, 6),
    (10, 9),
    (11, 10),
    (15, 1),
    (16, 8),
];

struct Gmsh<'a> {
    tokens: Tokens<'a>,
    binary: Option<Order>,
    name: &'a str,
    vertices: Vec<Vec3>,
    index_of: BTreeMap<u64, u32>,
    cells: Sorted,
    names: BTreeMap<(i32, i32), String>,
    groups: BTreeMap<String, Vec<u32>>,
}

pub(super) fn read(bytes: &[u8], name: &str) -> Result<RawMesh, MeshError> {
    let mut tokens = Tokens::new(bytes, name);
    tokens.expect("$MeshFormat")?;
    let version = tokens.word()?;
    let kind: i32 = tokens.number()?;
    tokens.number::<i32>()?; // size of a float, always 8
    let mut binary = None;
    if kind == 1 {
        tokens.line();
        let one = i32::from_le_bytes(tokens.take(Order::Little)?);
        binary = Some(if one == 1 { Order::Little } else { Order::Big });
    }
    let mut gmsh = Gmsh {
        tokens,
        binary,
        name,
        vertices: Vec::new(),
        index_of: BTreeMap::new(),
        cells: Sorted::default(),
        names: BTreeMap::new(),
        groups: BTreeMap::new(),
    };
    let old = match version {
        "2.2" | "2" | "2.0" | "2.1" => true,
        "4.1" => false,
        other => {
            return gmsh.tokens.error(format!("Gmsh format {other} is not read; save as 2.2 or 4.1"));
        }
    };
    while let Some(word) = gmsh.tokens.try_word() {
        match (word, old) {
            ("$PhysicalNames", _) => gmsh.physical_names()?,
            ("$Nodes", true) => gmsh.nodes_2()?,
            ("$Elements", true) => gmsh.elements_2()?,
            ("$Nodes", false) => gmsh.nodes_4()?,
            ("$Elements", false) => gmsh.elements_4()?,
            _ => {}
        }
    }
    Ok(gmsh.finish())
}

impl Gmsh<'_> {
    fn int(&mut self) -> Result<i32, MeshError> {
        match self.binary {
            None => self.tokens.number(),
            Some(order) => Ok(i32::from_le_bytes(self.tokens.take(order)?)),
        }
    }

    fn size(&mut self) -> Result<u64, MeshError> {
        match self.binary {
            None => self.tokens.number(),
            Some(order) => Ok(u64::from_le_bytes(self.tokens.take(order)?)),
        }
    }

    fn float(&mut self) -> Result<f64, MeshError> {
        match self.binary {
            None => self.tokens.number(),
            Some(order) => Ok(f64::from_le_bytes(self.tokens.take(order)?)),
        }
    }

    fn point(&mut self) -> Result<Vec3, MeshError> {
        Ok(Vec3::new(self.float()?, self.float()?, self.float()?))
    }

    fn add_vertex(&mut self, tag: u64, point: Vec3) {
        self.index_of.insert(tag, self.vertices.len() as u32);
        self.vertices.push(point);
    }

    fn physical_names(&mut self) -> Result<(), MeshError> {
        let count = self.tokens.count()?;
        for _ in 0..count {
            let key = (self.tokens.number()?, self.tokens.number()?);
            let name = self.tokens.line().trim().trim_matches('"');
            if name.len() > MAX_NAME {
                return self.tokens.error(format!("the name of a group is longer than {MAX_NAME} bytes"));
            }
            self.names.insert(key, name.to_owned());
        }
        Ok(())
    }

    fn nodes_2(&mut self) -> Result<(), MeshError> {
        let count = self.tokens.count()?;
        self.skip_line_end();
        for _ in 0..count {
            let tag = self.int()? as u64;
            let point = self.point()?;
            self.add_vertex(tag, point);
        }
        Ok(())
    }

    fn elements_2(&mut self) -> Result<(), MeshError> {
        let count = self.tokens.count()?;
        self.skip_line_end();
        let mut done = 0;
        while done < count {
            // Binary files put elements of one kind in blocks; text has blocks of one, number
            // first.
            let (kind, block, tags);
            if self.binary.is_some() {
                (kind, block, tags) = (self.int()?, self.int()?.max(1) as usize, self.int()?);
            } else {
                self.int()?;
                (kind, block, tags) = (self.int()?, 1, self.int()?);
            }
            for _ in 0..block {
                if self.binary.is_some() {
                    self.int()?;
                }
                let mut physical = 0;
                for k in 0..tags {
                    let tag = self.int()?;
                    physical = if k == 0 { tag } else { physical };
                }
                self.element(kind, physical, done, |g| Ok(g.int()? as u64))?;
                done += 1;
            }
        }
        Ok(())
    }

    fn nodes_4(&mut self) -> Result<(), MeshError> {
        self.skip_line_end();
        let blocks = self.size()?;
        let [_count, _low, _high] = [self.size()?, self.size()?, self.size()?];
        for _ in 0..blocks {
            let (dimension, _entity, parametric) = (self.int()?, self.int()?, self.int()?);
            let count = self.size()? as usize;
            self.tokens.plausible(count)?;
            let tags = (0..count).map(|_| self.size()).collect::<Result<Vec<_>, _>>()?;
            for tag in tags {
                let point = self.point()?;
                for _ in 0..if parametric == 1 { dimension } else { 0 } {
                    self.float()?;
                }
                self.add_vertex(tag, point);
            }
        }
        Ok(())
    }

    fn elements_4(&mut self) -> Result<(), MeshError> {
        self.skip_line_end();
        let blocks = self.size()?;
        let [_count, _low, _high] = [self.size()?, self.size()?, self.size()?];
        let mut index = 0;
        for _ in 0..blocks {
            let (_dimension, _entity, kind) = (self.int()?, self.int()?, self.int()?);
            let count = self.size()? as usize;
            self.tokens.plausible(count)?;
            for _ in 0..count {
                self.size()?;
                self.element(kind, 0, index, |g| g.size())?;
                index += 1;
            }
        }
        Ok(())
    }

    fn skip_line_end(&mut self) {
        if self.binary.is_some() {
            self.tokens.line();
        }
    }

    fn element(
        &mut self,
        kind: i32,
        physical: i32,
        index: usize,
        read: impl Fn(&mut Self) -> Result<u64, MeshError>,
    ) -> Result<(), MeshError> {
        let Some(&(_, count)) = NODES.iter().find(|(k, _)| *k == kind) else {
            return self
                .tokens
                .error(format!("element type {kind} is not read; use lines, triangles or tets"));
        };
        let (cell, dimension) = match kind {
            1 => ("strand", 1),
            4 => ("tet", 3),
            _ => ("triangle", 2),
        };
        let mut ids = Vec::with_capacity(count);
        for _ in 0..count {
            let vertex = read(self)?;
            let Some(&id) = self.index_of.get(&vertex) else {
                let (source_name, vertices) = (self.name.to_owned(), self.vertices.len());
                return Err(MeshError::IndexOutOfRange { source_name, cell, index, vertex, vertices });
            };
            ids.push(id);
        }
        if let Some(name) = self.names.get(&(dimension, physical)) {
            self.groups.entry(name.clone()).or_default().extend(&ids);
        }
        match kind {
            1 => self.cells.strands.push(ids),
            2 => self.cells.triangles.push([ids[0], ids[1], ids[2]]),
            4 => self.cells.tets.push([ids[0], ids[1], ids[2], ids[3]]),
            _ => {}
        }
        Ok(())
    }

    fn finish(self) -> RawMesh {
        let mut mesh = RawMesh::new(self.vertices, self.cells.finish());
        mesh.groups = self
            .groups
            .into_iter()
            .map(|(name, mut list)| {
                list.sort_unstable();
                list.dedup();
                (name, list)
            })
            .collect();
        mesh
    }
}
