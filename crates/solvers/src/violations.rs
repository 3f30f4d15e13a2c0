//! What must not be: objects that cross or overlap, cloth beyond its strain limit; and what stands
//! in the way of a step.

use std::fmt::{self, Display, Formatter};
use stiction_collision::PairKind;
use stiction_numerics::Vec3;

/// What of one object meets what of the other. Vertices, edges and triangles are numbered as in the
/// collision mesh of all objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meeting {
    /// An edge passes through a triangle.
    Crossing {
        /// The edge.
        edge: u32,
        /// The triangle.
        triangle: u32,
    },
    /// Two features are closer than their thicknesses.
    Overlap {
        /// What they are.
        kind: PairKind,
        /// Their numbers.
        features: [u32; 2],
    },
    /// A vertex, or an edge or triangle that it begins, is in an analytic collider.
    Wall {
        /// The vertex.
        vertex: u32,
    },
}

/// One thing that must not be.
#[derive(Clone, Debug, PartialEq)]
pub enum Violation {
    /// Two objects share a place.
    Intersection {
        /// Names of both.
        objects: [String; 2],
        /// What of them.
        meeting: Meeting,
        /// Where \[m\].
        place: Vec3,
        /// How deep \[m\].
        depth: f64,
    },
    /// A triangle of cloth is stretched beyond its limit.
    Strain {
        /// Name of the body.
        body: String,
        /// Corners of the triangle, numbers of nodes of the model.
        nodes: [u32; 3],
        /// Where \[m\].
        place: Vec3,
        /// Its larger stretch beyond `1 + limit`.
        excess: f64,
    },
}

impl Violation {
    /// Whether two objects share a place.
    pub fn is_intersection(&self) -> bool {
        matches!(self, Violation::Intersection { .. })
    }
}

impl Display for Violation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Violation::Intersection { objects: [a, b], meeting, place, depth } => {
                write!(f, "`{a}` and `{b}` near {} ", Place(place))?;
                match meeting {
                    Meeting::Crossing { .. } => write!(f, "cross by {depth:.1e} m"),
                    Meeting::Overlap { .. } => write!(f, "are {depth:.1e} m closer than thick"),
                    Meeting::Wall { .. } => write!(f, "overlap by {depth:.1e} m"),
                }
            }
            Violation::Strain { body, place, excess, .. } => {
                write!(f, "the strain limit of `{body}` near {} is exceeded by {excess:.1e}", Place(place))
            }
        }
    }
}

/// How many violations a message lists; the error itself has all.
const LISTED: usize = 5;

/// "3 intersections and 1 strain limit: …; …".
pub(crate) struct Listed<'a>(pub &'a [Violation]);

impl Display for Listed<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let intersections = self.0.iter().filter(|v| v.is_intersection()).count();
        let count = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
        let counts = [(intersections, "intersection"), (self.0.len() - intersections, "broken strain limit")];
        let counts: Vec<String> =
            counts.iter().filter(|c| c.0 > 0).map(|&(n, what)| count(n, what)).collect();
        let list: Vec<String> = self.0.iter().take(LISTED).map(Violation::to_string).collect();
        write!(f, "{}: {}", counts.join(" and "), list.join("; "))?;
        match self.0.len().saturating_sub(LISTED) {
            0 => Ok(()),
            more => write!(f, "; and {more} more"),
        }
    }
}

/// What stands in the way of a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Obstacle {
    /// Two objects that would meet.
    Pair {
        /// Names of both.
        objects: [String; 2],
        /// Where \[m\].
        place: Vec3,
    },
    /// Cloth that would be stretched beyond its limit.
    StrainLimit {
        /// Name of the body.
        body: String,
        /// Where \[m\].
        place: Vec3,
    },
}

impl Display for Obstacle {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Obstacle::Pair { objects: [a, b], place } => {
                write!(f, "`{a}` and `{b}` would meet near {}", Place(place))
            }
            Obstacle::StrainLimit { body, place } => {
                write!(f, "the strain limit of `{body}` would be exceeded near {}", Place(place))
            }
        }
    }
}

/// What moves by a script and not by forces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Script {
    /// A pin of a body, counted from 0 over the pins that hold exactly.
    Pin {
        /// Name of the body.
        body: String,
        /// Which pin.
        number: usize,
    },
    /// A collider.
    Collider {
        /// Its name.
        name: String,
    },
}

impl Display for Script {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Script::Pin { body, number } => write!(f, "pin {number} of `{body}`"),
            Script::Collider { name } => write!(f, "collider `{name}`"),
        }
    }
}

/// Names in a row.
pub(crate) struct Scripts<'a>(pub &'a [Script]);

impl Display for Scripts<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.0.iter().map(Script::to_string).collect();
        write!(f, "{}", names.join(" and "))
    }
}

/// "(x, y, z)".
struct Place<'a>(&'a Vec3);

impl Display for Place<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "({:.4}, {:.4}, {:.4})", self.0.x, self.0.y, self.0.z)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_shortens_a_long_list_and_says_so() {
        let crossing = |k: u32| Violation::Intersection {
            objects: ["a".to_owned(), "b".to_owned()],
            meeting: Meeting::Crossing { edge: k, triangle: 0 },
            place: Vec3::zeros(),
            depth: 1e-3,
        };
        let mut found: Vec<Violation> = (0..6).map(crossing).collect();
        assert!(Listed(&found[..1]).to_string().starts_with("1 intersection: `a` and `b`"));
        found.push(Violation::Strain {
            body: "c".to_owned(),
            nodes: [0, 1, 2],
            place: Vec3::zeros(),
            excess: 0.1,
        });
        let words = Listed(&found).to_string();
        assert!(words.starts_with("6 intersections and 1 broken strain limit: "), "{words}");
        assert!(words.ends_with("; and 2 more") && words.matches("cross by").count() == 5, "{words}");
    }
}
