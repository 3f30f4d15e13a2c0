//! Sheets that begin a little inside a solid mesh: they are let out.
//!
//! A contact of surfaces keeps the side that it finds, so cloth that starts on the inner side of a
//! body would be held there. While a sheet and a solid are entangled (vertices of the sheet inside
//! the solid, or edges of one through faces of the other), three things differ between the two:
//!
//! * a vertex inside meets the nearest face of the solid, pushed out: `n = −(x − q)/|x − q|`, gap
//!   `−|x − q|` less the thickness   q nearest point
//! * features with such a vertex meet nothing else of the solid: on their way out they pass through
//!   its surface
//! * other pairs on the wrong side of the solid's surface, by its outward normals, are turned round
//!
//! Only the pairs of objects are kept from step to step; which vertices are inside is looked up
//! while there are any.

use super::compile::is_solid;
use super::contact_finder::{ContactFinder, DetectError};
use super::convert::Converter;
use crate::contact::NewContact;
use stiction_bodies::{Controls, Model, PlacedBlocks};
use stiction_collision::ProximityPair;
use stiction_collision::intersection::{StateReport, nearest_triangle};
use stiction_collision::narrow_phase::vertex_triangle_pair;
use stiction_numerics::Vec3;
use stiction_scene::resolved::BodyKind;

/// A sheet that reaches deeper into a solid than this share of the solid's diagonal was put there
/// on purpose, or nobody knows which way is out.
const DEEPEST: f64 = 0.05;

/// Which sheets are entangled with which solids.
#[derive(Default)]
pub(super) struct Entangled {
    /// Sheet and solid by number of their object, sorted.
    pairs: Vec<[u32; 2]>,
    /// Vertex of a sheet, the solid that it is in, and the nearest triangle there; sorted.
    buried: Vec<(u32, u32, u32)>,
    /// Outward normal by vertex, of no particular length.
    outward: Vec<Vec3>,
}

impl ContactFinder {
    /// Looks for sheets that are a little inside solid meshes: at the start of a run.
    pub fn find_entangled(
        &mut self,
        model: &Model,
        controls: &Controls,
        at: PlacedBlocks<'_>,
    ) -> Result<(), DetectError> {
        let is_sheet = |object: u32| kind(model, object) == Some(BodyKind::Cloth);
        let is_body = |object: u32| match kind(model, object) {
            Some(kind) => is_solid(kind),
            None => true,
        };
        let mut meshed: Vec<u32> =
            (0..self.mesh().triangles().len() as u32).map(|t| self.mesh().triangle_body(t)).collect();
        meshed.dedup();
        let any_sheet = meshed.iter().any(|&object| is_sheet(object));
        meshed.retain(|&object| is_body(object));
        if !any_sheet || meshed.is_empty() {
            return Ok(());
        }
        let found = self.intersections(model, controls, at)?;
        let mut pairs: Vec<[u32; 2]> = self
            .tangles(&found)
            .filter(|[sheet, solid]| is_sheet(*sheet) && meshed.contains(solid))
            .collect();
        pairs.sort_unstable();
        pairs.dedup();
        let mut places = Vec::new();
        model.surface_positions(controls, at, &mut places);
        pairs.retain(|pair| self.is_closed(pair[1]) && self.is_shallow(&found, pair, &places));
        self.entangled.pairs = pairs;
        Ok(())
    }

    /// Sheets and solids that are still entangled, by number of their object.
    pub fn entangled(&self) -> &[[u32; 2]] {
        &self.entangled.pairs
    }

    /// Takes what [`ContactFinder::entangled`] gave.
    pub fn set_entangled(&mut self, pairs: Vec<[u32; 2]>) {
        self.entangled = Entangled { pairs, ..Entangled::default() };
    }

    /// Looks up what is inside at the start of a step; pairs that have come free are forgotten.
    pub fn follow_entangled(
        &mut self,
        model: &Model,
        controls: &Controls,
        at: PlacedBlocks<'_>,
    ) -> Result<(), DetectError> {
        if self.entangled.pairs.is_empty() {
            return Ok(());
        }
        let found = self.intersections(model, controls, at)?;
        let mut left: Vec<[u32; 2]> = self.tangles(&found).collect();
        left.sort_unstable();
        let mut pairs = std::mem::take(&mut self.entangled.pairs);
        pairs.retain(|pair| left.binary_search(pair).is_ok());
        let mut places = Vec::new();
        model.surface_positions(controls, at, &mut places);
        let buried = found.inside.iter().filter(|point| pairs.binary_search(&point.bodies).is_ok());
        let nearest = |vertex: u32, solid: u32| {
            nearest_triangle(self.phase(), &places, &places[vertex as usize], solid)
        };
        let buried =
            buried.filter_map(|p| Some((p.vertex, p.bodies[1], nearest(p.vertex, p.bodies[1])?))).collect();
        let outward = self.outward(&pairs, &places);
        self.entangled = Entangled { pairs, buried, outward };
        Ok(())
    }

    /// Pairs of objects among intersections, in both orders where the order does not say which is
    /// the sheet.
    fn tangles<'a>(&self, found: &'a StateReport) -> impl Iterator<Item = [u32; 2]> + use<'a> {
        let inside = found.inside.iter().map(|point| point.bodies);
        let crossing = found.crossings.iter().flat_map(|c| [c.bodies, [c.bodies[1], c.bodies[0]]]);
        inside.chain(crossing)
    }

    /// Whether no vertex of the sheet is deep inside the solid.
    fn is_shallow(&self, found: &StateReport, pair: &[u32; 2], places: &[Vec3]) -> bool {
        let own = |v: &usize| self.mesh().vertex_body(*v as u32) == Some(pair[1]);
        let extent = (0..places.len()).filter(own).map(|v| places[v]).fold(None, |extent, x| match extent {
            None => Some((x, x)),
            Some((low, high)) => Some((x.inf(&low), x.sup(&high))),
        });
        let diagonal = extent.map_or(0.0, |(low, high)| (high - low).norm());
        found.inside.iter().filter(|p| p.bodies == *pair).all(|p| p.depth <= DEEPEST * diagonal)
    }

    /// Outward normals of the solids in some pairs, by vertex.
    fn outward(&self, pairs: &[[u32; 2]], places: &[Vec3]) -> Vec<Vec3> {
        if pairs.is_empty() {
            return Vec::new();
        }
        let mut outward = vec![Vec3::zeros(); places.len()];
        for (t, corners) in self.mesh().triangles().iter().enumerate() {
            let body = self.mesh().triangle_body(t as u32);
            if pairs.iter().any(|pair| pair[1] == body) {
                let [x, y, z] = corners.map(|v| places[v as usize]);
                let area = (y - x).cross(&(z - x));
                corners.iter().for_each(|&v| outward[v as usize] += area);
            }
        }
        outward
    }

    /// The pair as it acts between entangled objects: `None` when it does not.
    pub(super) fn put_right(&self, pair: &ProximityPair) -> Option<ProximityPair> {
        let Entangled { pairs, buried, outward } = &self.entangled;
        if pairs.is_empty() {
            return Some(*pair);
        }
        let body = |k: usize| self.mesh().vertex_body(pair.vertices[k]);
        let (Some(first), Some(second)) = (body(0), body(3)) else { return Some(*pair) };
        let ([sheet, solid], sign) = match [[first, second], [second, first]] {
            [both, _] if pairs.binary_search(&both).is_ok() => (both, 1.0),
            [_, both] if pairs.binary_search(&both).is_ok() => (both, -1.0),
            _ => return Some(*pair),
        };
        let is_inside = |&v: &u32| {
            let first = buried.partition_point(|b| (b.0, b.1) < (v, solid));
            buried.get(first).is_some_and(|b| (b.0, b.1) == (v, solid))
        };
        if pair.vertices.iter().filter(|&&v| self.mesh().vertex_body(v) == Some(sheet)).any(is_inside) {
            return None;
        }
        let out: Vec3 =
            pair.vertices.iter().zip(&pair.weights).map(|(&v, w)| outward[v as usize] * w.abs()).sum();
        let wrong = pair.normal.dot(&out) * sign < 0.0;
        Some(if wrong { ProximityPair { normal: -pair.normal, ..*pair } } else { *pair })
    }

    /// Contacts that push vertices out of the solids that they are in.
    pub(super) fn pushed_out(&self, converter: &Converter<'_>) -> Vec<NewContact> {
        let contact = |&(vertex, _, triangle): &(u32, u32, u32)| {
            let pair = vertex_triangle_pair(self.mesh(), &self.start[..], vertex, triangle);
            let turned = ProximityPair { normal: -pair.normal, ..pair };
            converter.pair(&turned, &self.start, pair.distance - pair.gap)
        };
        self.entangled.buried.iter().filter_map(contact).collect()
    }
}

/// Kind of a body; `None` for colliders.
fn kind(model: &Model, object: u32) -> Option<BodyKind> {
    model.bodies.get(object as usize).map(|body| body.kind)
}
