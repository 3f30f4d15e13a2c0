//! `cantilever_strip_axis`, `_diagonal`, `_irregular`: drop over reach of a heavy sheet, Γ = 12
//! (1 − ν²) ρ g L³/(E h²) = 1, 10, 100; `cantilever_strip_resolution`: the same at three
//! resolutions; `cantilever_strip_plate`: a wide sheet with ν = 0.3.
//!
//! * Geometry: a flat sheet of free length L = 1 m, width 0.2 m, thickness h = 5 mm, along x,
//!   gravity along −z. Cells of length l are short enough, κl² < h, that flat triangles follow the
//!   bend without stretching.
//! * Mesh: 40 × 8 square cells and one clamped column before them; the clamp's edge is the straight
//!   line x = 0. *Axis*: edges along and across, all diagonals alike. *Diagonal*: each cell cut
//!   crosswise, a grid turned by 45 degrees. *Irregular*: inner vertices moved by up to a quarter
//!   cell, diagonals by chance.
//! * Model: St. Venant–Kirchhoff membrane, ρ = 1000 kg/m³, E from Γ. ν = 0, so that narrow and wide
//!   sheets bend alike: with ν > 0 a sheet of this width is between a beam (E h³/12) and a plate (E
//!   h³/12(1 − ν²)), 9 % apart, and has no closed form.
//! * Solve: equilibria by Newton without inertia to 1e-8 m, gravity raised in ten stages.
//! * Measured: drop H over reach W of the mean of the free edge. Expected: the heavy elastica
//!   (Romero et al. 2021), within 2 % by the shape operator; hinges and the quadratic form stand
//!   beside it without a limit.
//! * *Resolution*: at Γ = 10 with 20, 40 and 80 cells along each mesh kind, largest over smallest
//!   value: within 2 %. The order on the axis mesh is that of the element, 2, within 0.3.
//! * *Plate*: width 1 m, ν = 0.3, h = 1 mm, Γ = 10, 32 × 32 cells, irregular: the plate's
//!   stiffness, since the free sides curl over √(h/κ) ≈ 2 cm only. Within 2 %.

use crate::curve::Curve;
use crate::error::VerifyError;
use crate::outcome::{Finding, Quantity, order};
use crate::specimen::{STATICS, Specimen};
use stiction::numerics::Vec3;

const GRAVITY: f64 = 9.81;
const DENSITY: f64 = 1000.0;

/// How the cells are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Cut {
    Axis,
    Diagonal,
    Irregular,
}

/// A sheet to hang out.
#[derive(Clone, Copy)]
struct Sheet {
    gamma: f64,
    cut: Cut,
    bending: &'static str,
    /// Free cells along the length; cells are square.
    cells: usize,
    width: f64,
    thickness: f64,
    poisson: f64,
}

impl Sheet {
    fn narrow(gamma: f64, cut: Cut) -> Sheet {
        Sheet { gamma, cut, bending: "shape_operator", cells: 40, width: 0.2, thickness: 0.005, poisson: 0.0 }
    }

    fn cells_across(&self) -> usize {
        (self.width * self.cells as f64).round() as usize
    }

    /// Vertex in column `i`, row `j`; columns 0 and 1 are clamped.
    fn vertex(&self, i: usize, j: usize) -> usize {
        j * (self.cells + 2) + i
    }

    fn clamped(&self) -> Vec<usize> {
        let (rows, columns) = (self.cells_across(), self.cells + 1);
        let edge = (0..=rows).flat_map(|j| [self.vertex(0, j), self.vertex(1, j)]);
        // Middles of cells come after the corners, row by row.
        let middles = (0..rows).map(|j| (rows + 1) * (columns + 1) + j * columns);
        edge.chain(middles.filter(|_| self.cut == Cut::Diagonal)).collect()
    }

    fn scene(&self) -> String {
        let Sheet { gamma, cells, width, thickness, poisson, bending, .. } = *self;
        let pattern = match self.cut {
            Cut::Axis => "regular",
            Cut::Diagonal => "crossed",
            Cut::Irregular => "irregular",
        };
        let young = 12.0 * (1.0 - poisson * poisson) * DENSITY * GRAVITY / (gamma * thickness * thickness);
        let clamp = 1.0 / cells as f64;
        format!(
            "{STATICS}
            gravity = 0.0
            [bodies.sheet]
            kind = 'cloth'
            mesh = {{ grid = {{ size = [{}, {width}], cells = [{}, {}], pattern = '{pattern}' }} }}
            translate = [{}, 0, 0]
            pins = [{{ select = {{ indices = {:?} }} }}]
            [bodies.sheet.material]
            density = {DENSITY}
            thickness = {thickness}
            young = {young}
            poisson = {poisson}
            law = 'stvk'
            bending = '{bending}'",
            1.0 + clamp,
            cells + 1,
            self.cells_across(),
            0.5 * (1.0 - clamp),
            self.clamped()
        )
    }

    fn drop_over_reach(&self) -> Result<f64, VerifyError> {
        let rows = self.cells_across();
        let mut sheet = Specimen::edited(&self.scene(), |scene| {
            // The irregular pattern moves inner vertices; the clamp's edge stays straight.
            (0..=rows).for_each(|j| scene.bodies[0].mesh.vertices[self.vertex(1, j)].x = 0.0);
        })?;
        sheet.load_gradually(Vec3::z() * -GRAVITY, 10)?;
        let edge = (0..=rows).map(|j| sheet.node(self.vertex(self.cells + 1, j)));
        let tip = edge.sum::<Vec3>() / (rows + 1) as f64;
        Ok(-tip.z / tip.x)
    }
}

fn on_mesh(cut: Cut) -> Result<Finding, VerifyError> {
    let curve = Curve::heavy_cantilever();
    let mut out = Finding::new();
    for gamma in [1.0, 10.0, 100.0] {
        let expected = curve.at(gamma, 1);
        let measured = Sheet::narrow(gamma, cut).drop_over_reach()?;
        out.push(Quantity::within(0.02, format!("H/W at Γ = {gamma}"), expected, measured));
    }
    for (bending, name) in [("hinge", "hinges"), ("quadratic", "quadratic form")] {
        for gamma in [1.0, 10.0, 100.0] {
            let measured = Sheet { bending, ..Sheet::narrow(gamma, cut) }.drop_over_reach()?;
            out.push(Quantity::reported(format!("H/W at Γ = {gamma}, {name}"), curve.at(gamma, 1), measured));
        }
    }
    Ok(out)
}

/// Runs `cantilever_strip_axis`.
pub fn axis() -> Result<Finding, VerifyError> {
    on_mesh(Cut::Axis)
}

/// Runs `cantilever_strip_diagonal`.
pub fn diagonal() -> Result<Finding, VerifyError> {
    on_mesh(Cut::Diagonal)
}

/// Runs `cantilever_strip_irregular`.
pub fn irregular() -> Result<Finding, VerifyError> {
    on_mesh(Cut::Irregular)
}

/// Runs `cantilever_strip_resolution`.
pub fn resolution() -> Result<Finding, VerifyError> {
    let expected = Curve::heavy_cantilever().at(10.0, 1);
    let mut out = Finding::new();
    for (cut, name) in [(Cut::Axis, "axis"), (Cut::Diagonal, "diagonal"), (Cut::Irregular, "irregular")] {
        let at = |cells| Sheet { cells, ..Sheet::narrow(10.0, cut) }.drop_over_reach();
        let values = [at(20)?, at(40)?, at(80)?];
        let (least, most) = values.iter().fold((f64::MAX, f64::MIN), |(l, m), v| (l.min(*v), m.max(*v)));
        out.push(Quantity::within(0.02, format!("largest over smallest H/W, {name}"), 1.0, most / least));
        if cut == Cut::Axis {
            let found = order(values[0] - expected, values[1] - expected);
            out.push(Quantity::within_absolute(0.3, format!("order in l, {name}"), 2.0, found));
        }
    }
    Ok(out)
}

/// Runs `cantilever_strip_plate`.
pub fn plate() -> Result<Finding, VerifyError> {
    let narrow = Sheet::narrow(10.0, Cut::Irregular);
    let wide = Sheet { width: 1.0, thickness: 0.001, poisson: 0.3, cells: 32, ..narrow };
    let expected = Curve::heavy_cantilever().at(10.0, 1);
    Ok(vec![Quantity::within(0.02, "H/W at Γ = 10, ν = 0.3", expected, wide.drop_over_reach()?)])
}
