//! Whether a state is free of crossings, in words and numbers.

use stiction_bodies::Surfaces;
use stiction_collision::intersection::StateReport;
use stiction_numerics::Vec3;

/// What was found in a state.
#[derive(Clone, Debug)]
pub struct Judgement {
    /// All pairs.
    pub report: StateReport,
}

/// One finding, ready to be shown.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// `crossing`, `inside` or `overlap`.
    pub kind: &'static str,
    /// Names of the two objects.
    pub bodies: [String; 2],
    /// What of the one meets what of the other.
    pub features: String,
    /// Where \[m\].
    pub place: Vec3,
    /// How deep \[m\].
    pub depth: f64,
}

impl Judgement {
    /// True crossings of mid-surfaces and centrelines, and points inside closed bodies.
    pub fn intersections(&self) -> usize {
        self.report.crossings.len() + self.report.inside.len()
    }

    /// Pairs closer than their thicknesses.
    pub fn overlaps(&self) -> usize {
        self.report.overlaps.len()
    }

    /// Places of the intersections \[m\].
    pub fn places(&self) -> Vec<Vec3> {
        let crossings = self.report.crossings.iter().map(|c| c.place);
        crossings.chain(self.report.inside.iter().map(|i| i.place)).collect()
    }

    /// Everything found, deepest first within each kind.
    pub fn findings(&self, surfaces: &Surfaces) -> Vec<Finding> {
        let names = |bodies: [u32; 2]| bodies.map(|b| surfaces.objects[b as usize].name.clone());
        let crossings = self.report.crossings.iter().map(|c| Finding {
            kind: "crossing",
            bodies: names(c.bodies),
            features: format!("edge {} and triangle {}", c.edge, c.triangle),
            place: c.place,
            depth: c.depth,
        });
        let inside = self.report.inside.iter().map(|i| Finding {
            kind: "inside",
            bodies: names(i.bodies),
            features: format!("vertex {}", i.vertex),
            place: i.place,
            depth: i.depth,
        });
        let overlaps = self.report.overlaps.iter().map(|o| Finding {
            kind: "overlap",
            bodies: names(o.bodies),
            features: format!("{:?} {} and {}", o.kind, o.features[0], o.features[1]),
            place: o.place,
            depth: o.depth,
        });
        let mut out: Vec<Finding> = crossings.chain(inside).chain(overlaps).collect();
        out.sort_by(|a, b| a.kind.cmp(b.kind).then(b.depth.total_cmp(&a.depth)));
        out
    }
}

impl Finding {
    /// One line.
    pub fn sentence(&self) -> String {
        let p = self.place;
        format!(
            "{}: `{}` and `{}` ({}) at ({:.4}, {:.4}, {:.4}), {:.3} mm deep",
            self.kind,
            self.bodies[0],
            self.bodies[1],
            self.features,
            p.x,
            p.y,
            p.z,
            1e3 * self.depth
        )
    }
}
