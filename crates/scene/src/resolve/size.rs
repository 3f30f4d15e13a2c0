//! How large a mesh gets, from the numbers in its table alone: asked before anything is generated,
//! so that a slip of a few zeros is refused instead of filling the memory.

use super::Context;
use crate::error::{MAX_VERTICES, Problem, Resolved, fault};
use crate::file::{CylinderMesh, GridPattern, MeshFile, PalmMesh, SphereMesh, UrchinMesh, WovenMesh};
use crate::generate::RawMesh;
use stiction_limits::OverBudget;

/// Memory that a simulation takes for a vertex before factors and contacts [bytes]: mesh, model,
/// elements and state of cloth. A low estimate, so that nothing is refused that would fit: one
/// check of a million vertices of cloth peaked at 1.76 kB each, with the start of its factor.
pub(super) const BYTES_PER_VERTEX: u64 = 1024;

/// Memory for a cube of a lattice while a mesh is made from it [bytes]: its entry in the table of
/// vertices, its corner and six tets.
const BYTES_PER_CUBE: u64 = 200;

/// Evaluations of a distance, or visits of a vertex, that a generator may take: a few seconds.
pub(super) const MAX_EVALUATIONS: u64 = 500_000_000;

const HELP: &str = "use fewer cells, or raise the budget with --memory GB";

/// A refusal of the budget as a fault at a path.
pub(super) fn over_budget<T>(path: &str, error: OverBudget) -> Resolved<T> {
    fault(path, Problem::OverBudget(error), HELP)
}

impl Context<'_> {
    /// Refuses what `vertices` of a generator would take, before they are made.
    pub(super) fn allow_vertices(&self, path: &str, vertices: u64) -> Resolved<()> {
        if vertices > MAX_VERTICES as u64 {
            let vertices = usize::try_from(vertices).unwrap_or(usize::MAX);
            let source_name = path.to_owned();
            return fault(path, crate::error::MeshError::TooManyVertices { source_name, vertices }, HELP);
        }
        let what = format!("{vertices} vertices");
        let bytes = vertices.saturating_mul(BYTES_PER_VERTEX);
        self.budget.allow(&what, bytes).or_else(|error| over_budget(path, error))
    }

    /// Takes the memory of `copies` meshes out of the budget.
    pub(super) fn spend_vertices(&mut self, path: &str, vertices: usize, copies: u64) -> Resolved<()> {
        let all = copies.saturating_mul(vertices as u64);
        let bytes = all.saturating_mul(BYTES_PER_VERTEX);
        self.budget.spend(&format!("{all} vertices"), bytes).or_else(|error| over_budget(path, error))
    }

    /// Takes the memory of a mesh that was read or generated out of the budget.
    pub(super) fn spend_mesh(&mut self, path: &str, mesh: &RawMesh) -> Resolved<()> {
        self.spend_vertices(path, mesh.vertices.len(), 1)
    }

    /// Refuses a lattice of cubes, before it is made.
    pub(super) fn allow_lattice(&self, path: &str, cubes: u64) -> Resolved<()> {
        let what = format!("a lattice of {cubes} cubes");
        let bytes = cubes.saturating_mul(BYTES_PER_CUBE);
        self.budget.allow(&what, bytes).or_else(|error| over_budget(path, error))
    }
}

/// Refuses work that would take longer than a few seconds; `what` says whose.
pub(super) fn allow_evaluations(path: &str, what: &str, factors: [u64; 2]) -> Resolved<()> {
    let needed = factors[0].saturating_mul(factors[1]);
    if needed <= MAX_EVALUATIONS {
        return Ok(());
    }
    let problem = Problem::OutOfRange {
        what: format!("{what}, counted together,"),
        value: needed as f64,
        requirement: format!("at most {MAX_EVALUATIONS:e} finish within seconds"),
    };
    fault(path, problem, "use fewer of one of them")
}

/// The product of counts; `u64::MAX` when it does not fit.
fn product<const N: usize>(counts: [u64; N]) -> u64 {
    counts.into_iter().fold(1, u64::saturating_mul)
}

fn sum<const N: usize>(counts: [u64; N]) -> u64 {
    counts.into_iter().fold(0, u64::saturating_add)
}

/// Points of a disc of rings: 1 + 6 + 12 + …
fn disc(rings: u32) -> u64 {
    let rings = u64::from(rings);
    sum([1, product([3, rings, rings + 1])])
}

/// Points of an octahedral lattice of `cells` layers, (2n + 1)(2n² + 2n + 3)/3.
fn ball(cells: u32) -> u64 {
    let n = u64::from(cells);
    product([2 * n + 1, sum([product([2, n, n]), 2 * n + 3])]) / 3
}

/// An upper bound of the number of vertices; `None` for a file, and for generators whose size
/// depends on another mesh (`groom`, `tet_lattice`) or on a shape (`blobs`), which ask on their
/// own.
pub(super) fn declared_vertices(spec: &MeshFile) -> Option<u64> {
    flat_vertices(spec).or_else(|| round_vertices(spec)).or_else(|| strand_vertices(spec))
}

/// Sheets, boxes, bands and stones.
fn flat_vertices(spec: &MeshFile) -> Option<u64> {
    let more = |n: u32| u64::from(n) + 1;
    if let Some(g) = &spec.grid {
        let crossed = g.pattern == Some(GridPattern::Crossed);
        let middles = if crossed { product(g.cells.map(u64::from)) } else { 0 };
        return Some(sum([product(g.cells.map(more)), middles]));
    }
    if let Some(b) = &spec.box_ {
        let [x, y, z] = b.cells.map(more);
        return Some(product([2, sum([product([x, y]), product([y, z]), product([z, x])])]));
    }
    if let Some(b) = &spec.tet_box {
        return Some(product(b.cells.map(more)));
    }
    if let Some(b) = &spec.belt {
        return Some(product([b.around.into(), more(b.across)]));
    }
    if let Some(r) = &spec.ribbon {
        return Some(product([more(r.along), more(r.across)]));
    }
    if let Some(a) = &spec.tet_arch {
        return Some(product([8, a.stones.into()]));
    }
    spec.disc.as_ref().map(|d| disc(d.rings))
}

/// Surfaces of revolution, balls, and what grows on them.
fn round_vertices(spec: &MeshFile) -> Option<u64> {
    let more = |n: u32| u64::from(n) + 1;
    if let Some(s) = &spec.sphere {
        return Some(sphere(s));
    }
    if let Some(s) = &spec.tet_sphere {
        return Some(ball(s.cells));
    }
    if let Some(t) = &spec.torus {
        return Some(product([t.around.into(), t.across.into()]));
    }
    if let Some(t) = &spec.tet_torus {
        return Some(product([t.around.into(), disc(t.across)]));
    }
    if let Some(c) = &spec.cylinder {
        return Some(cylinder(c));
    }
    if let Some(c) = &spec.tet_cylinder {
        return Some(product([disc(c.around), more(c.along)]));
    }
    if let Some(l) = &spec.lathe {
        return Some(product([l.around.into(), more(l.along)]));
    }
    if let Some(c) = &spec.capsule {
        // Two caps of a quarter as many bands as there are cells around, two at least.
        let bands = u64::from(c.around / 4).max(2);
        return Some(product([c.around.into(), sum([more(c.along), 2 * bands])]));
    }
    spec.palm.as_ref().map(palm).or_else(|| spec.tet_urchin.as_ref().map(urchin))
}

fn sphere(s: &SphereMesh) -> u64 {
    match s.around {
        Some(around) => product([around.into(), u64::from(s.along.unwrap_or(around / 2)) + 1]),
        // An icosphere has 10·4ⁿ + 2; the exponent is cut where the number no longer fits.
        None => sum([product([10, 1 << s.subdivisions.unwrap_or(3).saturating_mul(2).min(60)]), 2]),
    }
}

fn cylinder(c: &CylinderMesh) -> u64 {
    // A lid has about a sixth as many rings as there are cells around.
    let lids = if c.closed == Some(true) { 2 * (u64::from(c.around) / 6 + 1) } else { 0 };
    product([c.around.into(), sum([u64::from(c.along) + 1, lids])])
}

fn palm(p: &PalmMesh) -> u64 {
    let [around, along] = p.trunk_cells.map(u64::from);
    let [leaf_along, leaf_across] = p.leaf_cells.map(u64::from);
    let leaf = product([leaf_along + 1, 2 * leaf_across + 1]);
    sum([product([around, along + 1]), 1, product([p.leaves.into(), leaf])])
}

fn urchin(u: &UrchinMesh) -> u64 {
    sum([ball(u.cells), product([3, u.spines.into(), u.segments.into()])])
}

/// Rods and yarns.
fn strand_vertices(spec: &MeshFile) -> Option<u64> {
    let segments = [
        spec.rod.as_ref().map(|r| r.segments),
        spec.helix.as_ref().map(|h| h.segments),
        spec.path.as_ref().map(|p| p.segments),
    ];
    if let Some(segments) = segments.into_iter().flatten().next() {
        return Some(u64::from(segments) + 1);
    }
    if let Some(k) = &spec.knit {
        let row = product([k.loops.into(), k.segments.unwrap_or(24).into()]);
        return Some(product([k.rows.into(), sum([row, 1])]));
    }
    spec.woven.as_ref().map(woven)
}

fn woven(w: &WovenMesh) -> u64 {
    let warp = product([w.turns.into(), w.segments.unwrap_or(4).into()]);
    sum([product([w.warps.into(), sum([warp, 1])]), product([w.warps.into(), warp]), 1])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resolve::tests::mesh_of;

    /// The bound is never too small, and close enough not to refuse what would fit.
    #[test]
    fn declared_sizes_bound_what_is_generated() {
        let tables = [
            "grid = { size = [1, 1], cells = [7, 3], pattern = 'crossed' }",
            "grid = { size = [1, 1], cells = [30, 30] }",
            "disc = { radius = 1, rings = 9 }",
            "box = { size = [1, 2, 3], cells = [5, 6, 7] }",
            "tet_box = { size = [1, 2, 3], cells = [5, 6, 7] }",
            "sphere = { radius = 1 }",
            "sphere = { radius = 1, subdivisions = 0 }",
            "sphere = { radius = 1, around = 20, along = 11 }",
            "tet_sphere = { radius = 1, cells = 5 }",
            "torus = { radius = 1, tube = 0.2, around = 20, across = 8 }",
            "tet_torus = { radius = 1, tube = 0.2, around = 20, across = 4 }",
            "cylinder = { radius = 1, height = 2, around = 24, along = 6, closed = true }",
            "cylinder = { radius = 1, height = 2, around = 24, along = 6 }",
            "tet_cylinder = { radius = 1, height = 2, around = 4, along = 6 }",
            "lathe = { profile = [[0.0, 0.0], [0.5, 0.5], [0.2, 1.0]], around = 20, along = 9 }",
            "tet_arch = { span = 2, rise = 1, stones = 9, foot = 0.2, crown = 0.1 }",
            "capsule = { radius = 1, height = 2, around = 24, along = 6 }",
            "rod = { end = [1, 0, 0], segments = 9 }",
            "helix = { radius = 1, pitch = 0.2, turns = 3, segments = 40 }",
            "path = { points = [[0, 0, 0], [1, 0, 0], [1, 1, 0]], segments = 9 }",
            "belt = { radius = 1, distance = 3, width = 0.4, around = 30, across = 4 }",
            "palm = { height = 2, radius = 0.1, leaves = 5, leaf_length = 1, leaf_width = 0.2, \
             trunk_cells = [8, 10], leaf_cells = [9, 2] }",
            "ribbon = { points = [[0, 0, 0], [1, 0, 0], [1, 1, 0]], width = 0.1, along = 20, across = 3 }",
            "woven = { radius = 1, height = 1, warps = 9, turns = 5, spacing = 0.01 }",
            "knit = { loop_width = 0.01, loops = 5, rows = 4 }",
            "tet_urchin = { radius = 1, cells = 4, spines = 9, length = 0.5, segments = 5 }",
        ];
        for table in tables {
            let (spec, mesh) = mesh_of(table);
            let declared = declared_vertices(&spec).expect("a generator with a declared size");
            let made = mesh.vertices.len() as u64;
            assert!(made <= declared && declared <= made + made / 4 + 60, "{table}: {declared} for {made}");
        }
    }

    #[test]
    fn products_saturate() {
        assert_eq!(product([u64::MAX, 2]), u64::MAX);
        assert_eq!(disc(u32::MAX), sum([1, product([3, u64::from(u32::MAX), 1 << 32])]));
        assert!(ball(u32::MAX) > 1 << 62);
    }
}
