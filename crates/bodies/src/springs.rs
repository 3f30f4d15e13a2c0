//! Stiffness of everything that ties bodies to places and to each other.

use crate::couplings::{AnchorGroup, AnchorSource};
use crate::model::Model;
use stiction_scene::Scene;
use stiction_scene::material::Material;

/// Which value of the [`SpringTable`] a spring takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpringId {
    /// Soft pin: group of anchors.
    Anchor(usize),
    /// Table `attachments` of the scene, by number.
    Attachment(usize),
    /// Table `stitches` of the scene, by number.
    Stitch(usize),
    /// Root of a strand, by number over all strands that grow on bodies.
    Root(usize),
}

/// Stiffness by what the scene gives it to \[N/m\].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SpringTable {
    /// Of each group of anchors that is a soft pin; zero for the others, which are attachments.
    pub anchors: Vec<f64>,
    /// Of each table `attachments`.
    pub attachments: Vec<f64>,
    /// Of each table `stitches`.
    pub stitches: Vec<f64>,
    /// Of the root of each strand that grows on a body.
    pub roots: Vec<f64>,
    /// Of the roots of each rooted body, as written; where `None`, EA/l of each first segment
    /// holds.
    pub given_roots: Vec<Option<f64>>,
}

impl SpringTable {
    /// The values of a scene.
    pub(crate) fn new(scene: &Scene, model: &Model) -> SpringTable {
        let mut stitches = vec![0.0; scene.stitches.iter().map(|s| s.table + 1).max().unwrap_or(0)];
        scene.stitches.iter().for_each(|s| stitches[s.table] = s.stiffness);
        let anchor = |group: &AnchorGroup| match &group.source {
            AnchorSource::Pin(source) => scene.bodies[source.body].pins[source.pin].stiffness.unwrap_or(0.0),
            AnchorSource::Attachment(_) => 0.0,
        };
        let given_roots: Vec<Option<f64>> = scene.rootings.iter().map(|r| r.stiffness).collect();
        SpringTable {
            anchors: model.anchors.groups.iter().map(anchor).collect(),
            attachments: scene.attachments.iter().map(|a| a.stiffness).collect(),
            stitches,
            roots: root_stiffness(model, &given_roots, |body| &scene.bodies[body].material),
            given_roots,
        }
    }

    /// Stiffness of a spring \[N/m\].
    pub fn stiffness(&self, spring: SpringId) -> f64 {
        match spring {
            SpringId::Anchor(group) => self.anchors[group],
            SpringId::Attachment(table) => self.attachments[table],
            SpringId::Stitch(table) => self.stitches[table],
            SpringId::Root(strand) => self.roots[strand],
        }
    }
}

/// Stiffness of all roots \[N/m\], in the order of the strands: as given, or EA/l of the first
/// segment.
pub(crate) fn root_stiffness<'a>(
    model: &Model,
    given: &[Option<f64>],
    material: impl Fn(usize) -> &'a Material,
) -> Vec<f64> {
    let mut out = Vec::with_capacity(model.roots.segments.len());
    for (roots, given) in model.roots.bodies.iter().zip(given) {
        let own = |length: f64| match material(roots.body) {
            Material::Rod(rod) => rod.young_stretch * rod.section.area() / length,
            _ => 1.0,
        };
        out.extend(roots.lengths.iter().map(|&length| given.unwrap_or_else(|| own(length))));
    }
    out
}
