//! Damping in proportion to stiffness: one β per element, from the material of its body.

use crate::assembly::ElementWeights;
use stiction_bodies::Parameters;

/// Which coefficient of a material damps a group of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DampedBy {
    /// β of stretching, shear or volume.
    Stiffness,
    /// β of bending and twisting.
    Bending,
    /// None: the elements belong to no body.
    Nothing,
}

/// Where the elements of a body end in their group.
#[derive(Clone, Copy, Debug)]
struct Span {
    body: usize,
    end: usize,
}

/// β of the elements of one group.
#[derive(Clone, Debug)]
pub(crate) struct GroupDamping {
    by: DampedBy,
    spans: Vec<Span>,
    beta: Beta,
}

/// β \[s\]. Most groups have one for all, which then is not kept per element.
#[derive(Clone, Debug, PartialEq)]
enum Beta {
    Nothing,
    Same(f64),
    PerElement(Vec<f64>),
}

impl GroupDamping {
    /// A group without elements.
    pub fn new(by: DampedBy) -> GroupDamping {
        GroupDamping { by, spans: Vec::new(), beta: Beta::Nothing }
    }

    /// Says that the elements up to `end`, beyond those of earlier bodies, belong to a body.
    pub fn end_body(&mut self, body: usize, end: usize) {
        if self.spans.last().map_or(0, |span| span.end) < end {
            self.spans.push(Span { body, end });
        }
    }

    /// Takes the coefficients of materials.
    pub fn set(&mut self, parameters: &Parameters) {
        let of_body = |body: usize| {
            let damping = parameters.materials[body].damping();
            match self.by {
                DampedBy::Stiffness => damping.stiffness,
                DampedBy::Bending => damping.bending,
                DampedBy::Nothing => 0.0,
            }
        };
        let betas = || self.spans.iter().map(|span| of_body(span.body));
        let first = betas().next().unwrap_or(0.0);
        self.beta = if betas().all(|beta| beta <= 0.0) {
            Beta::Nothing
        } else if betas().all(|beta| beta == first) {
            Beta::Same(first)
        } else {
            let mut values = Vec::with_capacity(self.spans.last().map_or(0, |span| span.end));
            self.spans.iter().for_each(|span| values.resize(span.end, of_body(span.body)));
            Beta::PerElement(values)
        };
    }

    /// β of the elements as factors on their stiffness; `None` where nothing is damped.
    pub fn weights(&self) -> Option<ElementWeights<'_>> {
        match &self.beta {
            Beta::Nothing => None,
            Beta::Same(beta) => Some(ElementWeights::uniform(*beta)),
            Beta::PerElement(values) => Some(ElementWeights { scale: 1.0, per_element: Some(values) }),
        }
    }
}
