//! Selections of vertices.

use super::check::{direction, vec3};
use crate::error::{Problem, Resolved, fault, suggest};
use crate::file::{BoxSelect, Select, SelectFile, TextOr};
use crate::geometry::{bounds, surface_of_tets};
use crate::resolved::{Cells, Mesh, VertexGroup};
use std::collections::BTreeMap;
use stiction_numerics::Vec3;

/// What a selection can look at.
pub(super) struct Selectable<'a> {
    pub mesh: &'a Mesh,
    pub groups: &'a [VertexGroup],
}

impl Selectable<'_> {
    /// Vertices of a selection, ascending; empty is an error that tells both sizes.
    pub fn select(&self, path: &str, select: &Select) -> Resolved<Vec<u32>> {
        let flags = self.flags(path, select)?;
        let found: Vec<u32> = (0..flags.len() as u32).filter(|i| flags[*i as usize]).collect();
        if !found.is_empty() {
            return Ok(found);
        }
        let (low, high) = bounds(&self.mesh.vertices);
        let problem = Problem::EmptySelection {
            selection: describe(select),
            vertices: self.mesh.vertices.len(),
            bounds: format!("{} to {} m", point(&low), point(&high)),
        };
        fault(path, problem, "move or enlarge the selection; it is made in world coordinates after placement")
    }

    fn flags(&self, path: &str, select: &Select) -> Resolved<Vec<bool>> {
        let short;
        let file = match select {
            TextOr::Text(group) => {
                short = SelectFile { group: Some(group.clone()), ..SelectFile::default() };
                &short
            }
            TextOr::Full(file) => file,
        };
        let mut tests = self.tests(path, file)?;
        if tests.is_empty() {
            return fault(
                path,
                Problem::Conflict("the selection names nothing".to_owned()),
                "write one of all, indices, group, box, sphere, plane, boundary, nearest, any_of",
            );
        }
        let mut flags = vec![true; self.mesh.vertices.len()];
        for test in &mut tests {
            flags.iter_mut().zip(test).for_each(|(flag, t)| *flag &= *t);
        }
        if file.invert == Some(true) {
            flags.iter_mut().for_each(|flag| *flag = !*flag);
        }
        Ok(flags)
    }

    /// One list of flags per key given.
    fn tests(&self, path: &str, file: &SelectFile) -> Resolved<Vec<Vec<bool>>> {
        let points = &self.mesh.vertices;
        let by = |test: &dyn Fn(&Vec3) -> bool| points.iter().map(test).collect::<Vec<bool>>();
        let mut tests = Vec::new();
        if file.all == Some(true) {
            tests.push(vec![true; points.len()]);
        }
        if let Some(indices) = &file.indices {
            tests.push(self.indices(path, indices)?);
        }
        if let Some(name) = &file.group {
            tests.push(self.group(path, name)?);
        }
        if let Some(b) = &file.box_ {
            let (low, high) = self.corners(b);
            tests.push(by(&|p| (0..3).all(|k| p[k] >= low[k] && p[k] <= high[k])));
        }
        if let Some(s) = &file.sphere {
            tests.push(by(&|p| (p - vec3(s.centre)).norm() <= s.radius));
        }
        if let Some(plane) = &file.plane {
            let normal = direction(&format!("{path}.plane.normal"), &plane.normal)?;
            tests.push(by(&|p| normal.dot(p) >= plane.offset.unwrap_or(0.0)));
        }
        if file.boundary == Some(true) {
            tests.push(self.boundary());
        }
        if let Some(nearest) = &file.nearest {
            let to = vec3(nearest.point);
            let mut order: Vec<usize> = (0..points.len()).collect();
            order.sort_by(|a, b| (points[*a] - to).norm().total_cmp(&(points[*b] - to).norm()));
            let mut flags = vec![false; points.len()];
            order.iter().take(nearest.count.unwrap_or(1)).for_each(|i| flags[*i] = true);
            tests.push(flags);
        }
        if let Some(list) = &file.any_of {
            let mut any = vec![false; points.len()];
            for (index, select) in list.iter().enumerate() {
                let flags = self.flags(&format!("{path}.any_of.{index}"), select)?;
                any.iter_mut().zip(flags).for_each(|(a, f)| *a |= f);
            }
            tests.push(any);
        }
        Ok(tests)
    }

    fn indices(&self, path: &str, indices: &[u32]) -> Resolved<Vec<bool>> {
        let mut flags = vec![false; self.mesh.vertices.len()];
        for (k, &index) in indices.iter().enumerate() {
            let Some(flag) = flags.get_mut(index as usize) else {
                let count = self.mesh.vertices.len();
                return fault(
                    format!("{path}.indices.{k}"),
                    Problem::Conflict(format!(
                        "vertex {index} does not exist: the body has {count}, numbered from 0"
                    )),
                    format!("use numbers from 0 to {}", count - 1),
                );
            };
            *flag = true;
        }
        Ok(flags)
    }

    fn group(&self, path: &str, name: &str) -> Resolved<Vec<bool>> {
        let Some(group) = self.groups.iter().find(|g| g.name == name) else {
            let known: Vec<&str> = self.groups.iter().map(|g| g.name.as_str()).collect();
            let problem = Problem::UnknownName { kind: "group", name: name.to_owned() };
            return fault(path, problem, suggest(name, known));
        };
        let mut flags = vec![false; self.mesh.vertices.len()];
        group.vertices.iter().for_each(|i| flags[*i as usize] = true);
        Ok(flags)
    }

    /// Corners of a box in the world, widened by a billionth of the body against rounding.
    fn corners(&self, select: &BoxSelect) -> (Vec3, Vec3) {
        let (low, high) = bounds(&self.mesh.vertices);
        let slack = Vec3::repeat(1e-9 * (high - low).norm());
        let place = |corner: [f64; 3]| {
            let c = vec3(corner);
            if select.relative == Some(true) { low + (high - low).component_mul(&c) } else { c }
        };
        (place(select.min) - slack, place(select.max) + slack)
    }

    fn boundary(&self) -> Vec<bool> {
        let mut flags = vec![false; self.mesh.vertices.len()];
        match &self.mesh.cells {
            Cells::Triangles(triangles) => {
                let mut uses: BTreeMap<(u32, u32), u32> = BTreeMap::new();
                for t in triangles {
                    for k in 0..3 {
                        let (a, b) = (t[k], t[(k + 1) % 3]);
                        *uses.entry((a.min(b), a.max(b))).or_default() += 1;
                    }
                }
                for (&(a, b), _) in uses.iter().filter(|(_, n)| **n == 1) {
                    flags[a as usize] = true;
                    flags[b as usize] = true;
                }
            }
            Cells::Tets(tets) => {
                surface_of_tets(tets).iter().flatten().for_each(|i| flags[*i as usize] = true);
            }
            Cells::Strands(strands) => {
                for s in strands.iter().filter(|s| s.first() != s.last()) {
                    s.first().into_iter().chain(s.last()).for_each(|i| flags[*i as usize] = true);
                }
            }
        }
        flags
    }
}

fn point(p: &Vec3) -> String {
    format!("[{:.4}, {:.4}, {:.4}]", p.x, p.y, p.z)
}

/// A selection in words, for the message of an empty one.
fn describe(select: &Select) -> String {
    let TextOr::Full(file) = select else { return "of a group".to_owned() };
    let mut parts = Vec::new();
    if let Some(b) = &file.box_ {
        let kind = if b.relative == Some(true) { "fractions of the body" } else { "m" };
        parts.push(format!("box {} to {} {kind}", point(&vec3(b.min)), point(&vec3(b.max))));
    }
    if let Some(s) = &file.sphere {
        parts.push(format!("sphere at {} with radius {} m", point(&vec3(s.centre)), s.radius));
    }
    if let Some(p) = &file.plane {
        parts.push(format!("plane side beyond {} m", p.offset.unwrap_or(0.0)));
    }
    let others = [
        ("indices", file.indices.is_some()),
        ("group", file.group.is_some()),
        ("boundary", file.boundary == Some(true)),
        ("nearest", file.nearest.is_some()),
        ("any_of", file.any_of.is_some()),
        ("invert", file.invert == Some(true)),
    ];
    parts.extend(others.iter().filter(|(_, on)| *on).map(|(name, _)| (*name).to_owned()));
    parts.join(" and ")
}
