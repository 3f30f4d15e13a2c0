//! From elements to a model: groups of equal elements, and the list of groups that makes up the
//! elastic energy.
//!
//! A group runs over its elements in the fixed order of its colouring, so sums are the same bits
//! for any thread count. The list is dynamic (one virtual call per group and evaluation), the loops
//! inside a group are generic.

use crate::element::{Curvature, Element, Stencil};
use crate::material_table::MaterialTable;
use std::sync::Arc;
use stiction_bodies::EdgeFrame;
use stiction_numerics::{
    BlockMatrix, BlockPattern, ElementColouring, ElementSlots, Vec3, assemble, colour_elements,
    ordered_sum_by, scatter_add,
};

/// Where energies are evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Configuration<'a> {
    /// Blocks: node positions \[m\], then twists \[rad\] in component 0.
    pub blocks: &'a [Vec3],
    /// Reference frames of all rod edges at the start of the step.
    pub frames: &'a [EdgeFrame],
    /// Values of all materials.
    pub materials: &'a MaterialTable,
}

impl<'a> Configuration<'a> {
    /// What an element over the given blocks sees.
    #[inline(always)]
    pub fn gather<const N: usize>(&self, indices: [u32; N]) -> Stencil<'a, N> {
        Stencil {
            x: indices.map(|i| self.blocks[i as usize]),
            frames: self.frames,
            materials: self.materials,
        }
    }
}

/// Factors on element contributions: one for all, and optionally one per element (damping by body).
#[derive(Clone, Copy, Debug)]
pub struct ElementWeights<'a> {
    /// Factor on every element.
    pub scale: f64,
    /// Further factor per element, in the order in which the group was made.
    pub per_element: Option<&'a [f64]>,
}

impl ElementWeights<'_> {
    /// One factor for all elements.
    pub fn uniform(scale: f64) -> Self {
        ElementWeights { scale, per_element: None }
    }

    #[inline(always)]
    fn of(&self, element: usize) -> f64 {
        self.per_element.map_or(self.scale, |w| self.scale * w[element])
    }
}

/// Elements of one kind as Newton-like methods see them: value, gradient, Hessian and its positive
/// semi-definite projection. One of the views of an energy; the others are [`crate::Proximal`] and
/// [`crate::Compliant`].
pub trait Potential: Send + Sync {
    /// Number of elements.
    fn len(&self) -> usize;
    /// Whether there are no elements.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Visits the blocks of every element, in the order in which the group was made.
    fn for_each_stencil(&self, visit: &mut dyn FnMut(&[u32]));
    /// Looks up where the Hessian blocks go in matrices of this pattern. Panics when the pattern
    /// lacks a pair.
    fn bind(&mut self, pattern: &Arc<BlockPattern>);
    /// Energy \[J\]; +∞ when an element is beyond what its law allows.
    fn energy(&self, at: &Configuration<'_>) -> f64;
    /// Adds the weighted gradient to `target`.
    fn add_gradient(&self, at: &Configuration<'_>, weights: ElementWeights<'_>, target: &mut [Vec3]);
    /// Adds the weighted Hessian to a matrix of the bound pattern. Panics when the group is not
    /// bound to it.
    fn add_hessian(
        &self,
        at: &Configuration<'_>,
        weights: ElementWeights<'_>,
        curvature: Curvature,
        target: &mut BlockMatrix,
    );
}

/// Equal elements over `N` blocks with the order of their parallel assembly.
pub struct ElementGroup<E, const N: usize> {
    elements: Arc<Vec<E>>,
    colouring: Arc<ElementColouring<N>>,
    slots: Option<ElementSlots<N>>,
}

impl<E: Element<N>, const N: usize> ElementGroup<E, N> {
    /// Groups elements of a model with `block_count` blocks. Panics when an element names a block
    /// beyond, or one twice.
    pub fn new(block_count: usize, elements: impl Into<Arc<Vec<E>>>) -> Self {
        let elements = elements.into();
        let stencils: Vec<[u32; N]> = elements.iter().map(Element::blocks).collect();
        let colouring = Arc::new(colour_elements(block_count, &stencils));
        ElementGroup { elements, colouring, slots: None }
    }

    /// The elements.
    pub fn elements(&self) -> &[E] {
        &self.elements
    }
}

impl<E: Element<N> + 'static, const N: usize> Potential for ElementGroup<E, N> {
    fn len(&self) -> usize {
        self.elements.len()
    }

    fn for_each_stencil(&self, visit: &mut dyn FnMut(&[u32])) {
        self.elements.iter().for_each(|e| visit(&e.blocks()));
    }

    fn bind(&mut self, pattern: &Arc<BlockPattern>) {
        self.slots = Some(ElementSlots::new(pattern.clone(), self.colouring.clone()));
    }

    fn energy(&self, at: &Configuration<'_>) -> f64 {
        let elements = self.elements();
        ordered_sum_by(elements.len(), |e| {
            let element = &elements[e];
            element.energy(&at.gather(element.blocks()))
        })
    }

    fn add_gradient(&self, at: &Configuration<'_>, weights: ElementWeights<'_>, target: &mut [Vec3]) {
        let elements = self.elements();
        scatter_add(target, &self.colouring, |e, _| {
            let element = &elements[e];
            let weight = weights.of(e);
            element.gradient(&at.gather(element.blocks())).map(|g| g * weight)
        });
    }

    fn add_hessian(
        &self,
        at: &Configuration<'_>,
        weights: ElementWeights<'_>,
        curvature: Curvature,
        target: &mut BlockMatrix,
    ) {
        let slots =
            self.slots.as_ref().expect("a group is bound to a pattern before its Hessian is assembled");
        let elements = self.elements();
        assemble(target, slots, |e, _| {
            let element = &elements[e];
            let mut hessian = element.hessian(&at.gather(element.blocks()), curvature);
            let weight = weights.of(e);
            // Assembly reads the upper blocks only.
            if weight != 1.0 {
                for a in 0..N {
                    hessian[a][a..].iter_mut().for_each(|block| *block *= weight);
                }
            }
            hessian
        });
    }
}

/// A group with the kind under which its energy is reported: `membrane`, `bending`, `solid`,
/// `stretch`, `twist`, `spring`, `attachment` and so on. Several groups may share a kind.
pub struct NamedGroup {
    /// Kind.
    pub kind: &'static str,
    /// The elements.
    pub group: Box<dyn Potential>,
}

impl NamedGroup {
    /// Groups elements of a model with `block_count` blocks under a kind.
    pub fn new<E: Element<N> + 'static, const N: usize>(
        kind: &'static str,
        block_count: usize,
        elements: impl Into<Arc<Vec<E>>>,
    ) -> Self {
        NamedGroup { kind, group: Box::new(ElementGroup::new(block_count, elements)) }
    }
}

/// The elastic energy of a model: its groups and the pattern of their Hessian.
pub struct Energies {
    groups: Vec<NamedGroup>,
    pattern: Arc<BlockPattern>,
}

impl Energies {
    /// Puts groups together; the pattern holds every diagonal block and every pair of blocks that
    /// share an element.
    pub fn new(block_count: usize, groups: Vec<NamedGroup>) -> Self {
        let (mut blocks, mut ends) = (Vec::new(), vec![0usize]);
        for named in &groups {
            named.group.for_each_stencil(&mut |stencil| {
                blocks.extend_from_slice(stencil);
                ends.push(blocks.len());
            });
        }
        let stencils = ends.windows(2).map(|w| &blocks[w[0]..w[1]]);
        let pattern = Arc::new(BlockPattern::from_stencils(block_count, stencils));
        let mut energies = Energies { groups, pattern: pattern.clone() };
        energies.bind(&pattern);
        energies
    }

    /// Moves the Hessian to another pattern (one that also holds contacts). Panics when it lacks a
    /// pair of an element.
    pub fn bind(&mut self, pattern: &Arc<BlockPattern>) {
        self.pattern = pattern.clone();
        self.groups.iter_mut().for_each(|named| named.group.bind(pattern));
    }

    /// Pattern of the Hessian.
    pub fn pattern(&self) -> &Arc<BlockPattern> {
        &self.pattern
    }

    /// The groups, in the order given.
    pub fn groups(&self) -> &[NamedGroup] {
        &self.groups
    }

    /// Total energy \[J\]; +∞ beyond what a law allows, also where an energy is not a number, so
    /// that a line search steps back.
    pub fn energy(&self, at: &Configuration<'_>) -> f64 {
        let total: f64 = self.groups.iter().map(|named| named.group.energy(at)).sum();
        if total.is_nan() { f64::INFINITY } else { total }
    }

    /// Energy by kind \[J\], in the order in which kinds first appear.
    pub fn energy_by_kind(&self, at: &Configuration<'_>) -> Vec<(&'static str, f64)> {
        let mut kinds: Vec<(&'static str, f64)> = Vec::new();
        for named in &self.groups {
            let energy = named.group.energy(at);
            match kinds.iter_mut().find(|(kind, _)| *kind == named.kind) {
                Some((_, sum)) => *sum += energy,
                None => kinds.push((named.kind, energy)),
            }
        }
        kinds
    }

    /// Adds `scale` times the gradient to `target`.
    pub fn add_gradient(&self, at: &Configuration<'_>, scale: f64, target: &mut [Vec3]) {
        for named in &self.groups {
            named.group.add_gradient(at, ElementWeights::uniform(scale), target);
        }
    }

    /// Adds `scale` times the Hessian to a matrix of [`Self::pattern`].
    pub fn add_hessian(
        &self,
        at: &Configuration<'_>,
        scale: f64,
        curvature: Curvature,
        target: &mut BlockMatrix,
    ) {
        for named in &self.groups {
            named.group.add_hessian(at, ElementWeights::uniform(scale), curvature, target);
        }
    }
}
