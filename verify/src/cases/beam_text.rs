//! Scene text that several cases share: a straight rod, clamped at one end.

use crate::specimen::STATICS;

/// A round rod of density 1000 kg/m³ along x, clamped at x = 0, end at x = 1 m, so far without
/// gravity. Nodes are numbered along the rod: 0 and 1 are clamped, `segments` + 1 is the end.
///
/// Bending at node 1 is spread over half a segment on either side of it, so that the wall is the
/// middle of the clamped segment: l = 1/(`segments` + ½).
pub(super) fn rod_along_x(segments: usize, radius: f64, young: f64) -> String {
    let start = -0.5 / (segments as f64 + 0.5);
    format!(
        "{STATICS}
        gravity = 0.0
        [bodies.rod]
        kind = 'rod'
        mesh = {{ rod = {{ start = [{start}, 0, 0], end = [1, 0, 0], segments = {} }} }}
        material = {{ density = 1000.0, radius = {radius}, young = {young}, poisson = 0.3 }}
        pins = [{{ select = {{ indices = [0, 1] }} }}]",
        segments + 1
    )
}
