//! Volume, centre and second moments of a solid or of weighted points.

use super::SkinError;
use std::collections::BTreeMap;
use stiction_numerics::{Mat3, Vec3};

/// Moments of a distribution of volume.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moments {
    /// ∫ dV \[m³\].
    pub volume: f64,
    /// ∫ X dV / V \[m\]; the plain integral \[m⁴\] while points are being added.
    pub centre: Vec3,
    /// ∫ (X − c)(X − c)ᵀ dV \[m⁵\]; about the origin while points are being added.
    pub second: Mat3,
}

impl Default for Moments {
    fn default() -> Self {
        Moments { volume: 0.0, centre: Vec3::zeros(), second: Mat3::zeros() }
    }
}

impl Moments {
    /// Adds a point with its volume.
    pub(super) fn add_point(&mut self, place: &Vec3, volume: f64) {
        self.volume += volume;
        self.centre += place * volume;
        self.second += place * place.transpose() * volume;
    }

    /// From sums about the origin to centre and moments about it.
    pub(super) fn about_centre(&self) -> Moments {
        let centre = self.centre / self.volume;
        let second = self.second - centre * centre.transpose() * self.volume;
        Moments { volume: self.volume, centre, second }
    }
}

/// Moments of the solid inside a closed surface: the signed sum over the tets from one corner to
/// every triangle.
///
/// For a tet with corners a, b, c, d and V = det/6: ∫ X Xᵀ dV = V/20 (Σ_i p_i p_iᵀ + s sᵀ), s = Σ_i
/// p_i. The volume is negative when the triangles are wound inward.
pub fn closed_moments(vertices: &[Vec3], triangles: &[[u32; 3]]) -> Result<Moments, SkinError> {
    check_closed(triangles)?;
    // Sums are taken about a vertex of the surface: far from the origin they would cancel.
    let origin = triangles.first().map_or_else(Vec3::zeros, |t| vertices[t[0] as usize]);
    let mut sum = Moments::default();
    let mut size: f64 = 0.0;
    for t in triangles {
        let p = t.map(|i| vertices[i as usize] - origin);
        let volume = p[0].dot(&p[1].cross(&p[2])) / 6.0;
        let s = p[0] + p[1] + p[2];
        let squares = p.iter().fold(s * s.transpose(), |m, x| m + x * x.transpose());
        sum.volume += volume;
        sum.centre += s * (0.25 * volume);
        sum.second += squares * (volume / 20.0);
        size = size.max(p.iter().map(|x| x.norm()).fold(0.0, f64::max));
    }
    if sum.volume.abs() <= 1e-9 * size.powi(3) {
        return Err(SkinError::NoVolume { volume: sum.volume });
    }
    let about = sum.about_centre();
    let second = if sum.volume < 0.0 { -about.second } else { about.second };
    Ok(Moments { centre: about.centre + origin, second, ..about })
}

/// Every edge must be run once each way.
fn check_closed(triangles: &[[u32; 3]]) -> Result<(), SkinError> {
    let mut uses: BTreeMap<[u32; 2], [usize; 2]> = BTreeMap::new();
    for t in triangles {
        for k in 0..3 {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            uses.entry([a.min(b), a.max(b)]).or_default()[usize::from(a > b)] += 1;
        }
    }
    match uses.iter().find(|(_, count)| count[0] != count[1]) {
        Some((&edge, count)) => Err(SkinError::Open { edge, uses: count[0] + count[1] }),
        None => Ok(()),
    }
}
