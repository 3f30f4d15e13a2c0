//! Damping in proportion to stiffness: one β per element, from the material of its body.

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
    /// β per element \[s\]; `None` where nothing is damped.
    per_element: Option<Vec<f64>>,
}

impl GroupDamping {
    /// A group without elements.
    pub fn new(by: DampedBy) -> GroupDamping {
        GroupDamping { by, spans: Vec::new(), per_element: None }
    }

    /// Says that the elements up to `end`, beyond those of earlier bodies, belong to a body.
    pub fn end_body(&mut self, body: usize, end: usize) {
        if self.spans.last().map_or(0, |span| span.end) < end {
            self.spans.push(Span { body, end });
        }
    }

    /// Takes the coefficients of materials.
    pub fn set(&mut self, parameters: &Parameters) {
        let beta = |body: usize| {
            let damping = parameters.materials[body].damping();
            match self.by {
                DampedBy::Stiffness => damping.stiffness,
                DampedBy::Bending => damping.bending,
                DampedBy::Nothing => 0.0,
            }
        };
        if self.spans.iter().all(|span| beta(span.body) <= 0.0) {
            self.per_element = None;
            return;
        }
        let mut values = Vec::with_capacity(self.spans.last().map_or(0, |span| span.end));
        self.spans.iter().for_each(|span| values.resize(span.end, beta(span.body)));
        self.per_element = Some(values);
    }

    /// β per element \[s\]; `None` where nothing is damped.
    pub fn per_element(&self) -> Option<&[f64]> {
        self.per_element.as_deref()
    }
}
