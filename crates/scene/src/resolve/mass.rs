//! Masses that can be computed with: neither lost in underflow nor beyond what squares of them
//! hold.

use crate::error::{Problem, Resolved, fault};
use crate::geometry::tet_volume;
use crate::material::Material;
use crate::resolved::{Cells, Mesh};

/// Least mass of a cell [kg], that of an electron.
const LEAST: f64 = 1e-30;
/// Largest mass of a body [kg], half a sun.
const MOST: f64 = 1e30;

/// Refuses a body whose lightest cell or whose whole has a mass outside of all physics: a slip in
/// the unit of the density or of the mesh.
pub(super) fn check_mass(path: &str, mesh: &Mesh, material: &Material) -> Resolved<()> {
    let (mut least, mut whole) = (f64::INFINITY, 0.0);
    for mass in cell_masses(mesh, material) {
        least = f64::min(least, mass);
        whole += mass;
    }
    let (what, value, requirement) = if least.is_nan() || least < LEAST {
        ("the mass of the lightest cell", least, format!("it must be at least {LEAST:e} kg"))
    } else if whole.is_nan() || whole > MOST {
        ("the mass", whole, format!("it must not exceed {MOST:e} kg"))
    } else {
        return Ok(());
    };
    let problem = Problem::OutOfRange { what: what.to_owned(), value, requirement };
    fault(path, problem, "check `density` and `thickness`, and the unit of the mesh")
}

/// density · (area · thickness, length · section, or volume) of each cell at rest [kg].
fn cell_masses(mesh: &Mesh, material: &Material) -> Vec<f64> {
    let rest = mesh.rest_vertices.as_ref().unwrap_or(&mesh.vertices);
    let at = |i: u32| rest[i as usize];
    let depth = match material {
        Material::Cloth(m) => m.thickness,
        Material::Rod(m) => m.section.area(),
        Material::Solid(_) | Material::Rigid(_) => 1.0,
    };
    let per_measure = material.density() * depth;
    match &mesh.cells {
        // A rigid body is one cell: the inside of its closed surface.
        Cells::Triangles(list) if matches!(material, Material::Rigid(_)) => {
            let sixth = |t: &[u32; 3]| at(t[0]).dot(&at(t[1]).cross(&at(t[2]))) / 6.0;
            vec![list.iter().map(sixth).sum::<f64>() * per_measure]
        }
        Cells::Triangles(list) => list
            .iter()
            .map(|t| 0.5 * (at(t[1]) - at(t[0])).cross(&(at(t[2]) - at(t[0]))).norm() * per_measure)
            .collect(),
        Cells::Tets(list) => list.iter().map(|t| tet_volume(rest, t).abs() * per_measure).collect(),
        Cells::Strands(list) => {
            let pairs = list.iter().flat_map(|strand| strand.windows(2));
            pairs.map(|pair| (at(pair[1]) - at(pair[0])).norm() * per_measure).collect()
        }
    }
}
