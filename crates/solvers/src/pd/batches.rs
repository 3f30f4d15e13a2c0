//! Elements by fours: what triangles and tets have in common in the local step.
//!
//! An iteration takes y = D x + λ, z = prox(y), and after the global step λ += D x − z. Of λ and z
//! only u = λ − z is kept: with it λ of the next iteration is u + D x. An element hands
//! `h² w (z − λ) + h β K d*` through Dᵀ to its corners. d* is the strain of the start of the step
//! turned with the element, `R S_t`, so that damping resists changes of shape and lets rigid
//! rotations pass. (With the plain `D x_t` of the paper a spinning body would be braked.)

use super::incidence::ElementIncidence;
use rayon::prelude::*;
use stiction_numerics::{Lanes, Vec3, VectorWork, vectorised};

/// Batches that are worked on together: some ten microseconds of work.
const CHUNK: usize = 64;

/// Chunks that one task takes at least: to wake another thread takes as long as one or two of them.
const CHUNKS: usize = 3;

/// What a pass of the local step is about.
pub struct Pass<'a> {
    /// Positions \[m\].
    pub x: &'a [Vec3],
    /// Step size \[s\].
    pub h: f64,
    /// Whether λ is held (as between steps), not λ − z.
    pub first: bool,
}

/// What elements tell about a state.
#[derive(Clone, Copy, Debug, Default)]
pub struct Totals {
    /// Energy \[J\].
    pub energy: f64,
    /// Largest excess of a stretch over its limit.
    pub excess: f64,
}

/// Four elements of a kind, one per lane.
pub trait Batch: Sync {
    /// Columns of the strain, each a row of D.
    const COLUMNS: usize;
    /// Corners of an element.
    const CORNERS: usize;
    /// λ − z within a step, λ between steps.
    type Held: Copy + Default + Send + Sync;
    /// Shapes at the start of a step.
    type Start: Copy + Send + Sync;
    /// Forces on the corners of one element.
    type Forces: Copy + Default + Send + Sync;

    /// Weight w \[J\] and damping β K \[J s\] of a lane.
    fn stiffness(&self, lane: usize) -> (f64, f64);
    /// Node at a corner of a lane.
    fn node(&self, lane: usize, corner: usize) -> u32;
    /// One column of the strain of a lane as a combination of its corners.
    fn coefficient(&self, lane: usize, column: usize, corner: usize) -> f64;
    /// Shapes at the given positions.
    fn start(&self, x: &[Vec3]) -> Self::Start;
    /// One pass of the local step, with the forces of the four.
    fn project(
        &self,
        held: &mut Self::Held,
        start: Option<&Self::Start>,
        pass: &Pass<'_>,
        forces: &mut [Self::Forces],
    );
    /// λ += D x − z after the last global step.
    fn finish(&self, held: &mut Self::Held, x: &[Vec3]);
    /// Energy and excess at the given positions.
    fn totals(&self, x: &[Vec3]) -> Totals;
    /// A column of what is held of a lane.
    fn held_column(held: &Self::Held, lane: usize, column: usize) -> Vec3;
    /// Sets it.
    fn set_held_column(held: &mut Self::Held, lane: usize, column: usize, value: Vec3);
    /// Forces one corner after the other.
    fn flat(forces: &[Self::Forces]) -> &[Vec3];
}

/// All elements of a kind.
#[derive(Debug)]
pub struct Batches<B> {
    list: Vec<B>,
    count: usize,
    damped: bool,
    incidence: ElementIncidence,
}

impl<B: Batch> Batches<B> {
    /// Elements over `nodes` nodes, packed by fours by `pack`.
    pub fn new<E>(elements: &[E], nodes: usize, pack: impl Fn(&[E]) -> B) -> Self {
        let list: Vec<B> = elements.chunks(Lanes::COUNT).map(pack).collect();
        let count = elements.len();
        let damped = (0..count).any(|e| list[e / 4].stiffness(e % 4).1 > 0.0);
        let node = |slot: usize| list[slot / B::CORNERS / 4].node(slot / B::CORNERS % 4, slot % B::CORNERS);
        let incidence = ElementIncidence::new(nodes, B::CORNERS * count, node);
        Batches { list, count, damped, incidence }
    }

    /// Number of rows of D.
    pub fn rows(&self) -> usize {
        B::COLUMNS * self.count
    }

    /// Weight w \[J\] and damping β K \[J s\] of a row.
    pub fn stiffness(&self, row: usize) -> (f64, f64) {
        let element = row / B::COLUMNS;
        self.list[element / 4].stiffness(element % 4)
    }

    /// Nodes and coefficients of a row.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (u32, f64)> + Clone + '_ {
        let (element, column) = (row / B::COLUMNS, row % B::COLUMNS);
        let (batch, lane) = (&self.list[element / 4], element % 4);
        (0..B::CORNERS).map(move |corner| (batch.node(lane, corner), batch.coefficient(lane, column, corner)))
    }

    /// Energy of all and the largest excess.
    pub fn totals(&self, x: &[Vec3]) -> Totals {
        let chunk = |batches: &[B]| vectorised(TotalsWork { batches, x });
        let sums: Vec<Totals> = self.list.par_chunks(CHUNK).map(chunk).collect();
        sums.into_iter().fold(Totals::default(), Totals::join)
    }
}

impl Totals {
    #[inline(always)]
    fn join(self, other: Totals) -> Totals {
        Totals { energy: self.energy + other.energy, excess: self.excess.max(other.excess) }
    }
}

/// What the local step keeps of all elements of a kind.
#[derive(Debug)]
pub struct LocalElements<B: Batch> {
    held: Vec<B::Held>,
    /// λ before the step, for a step that fails.
    kept: Vec<B::Held>,
    start: Vec<B::Start>,
    forces: Vec<B::Forces>,
}

impl<B: Batch> LocalElements<B> {
    /// No stress.
    pub fn new(batches: &Batches<B>) -> Self {
        let count = batches.list.len();
        LocalElements {
            held: vec![B::Held::default(); count],
            kept: Vec::new(),
            start: Vec::new(),
            forces: vec![B::Forces::default(); Lanes::COUNT * count],
        }
    }

    /// Keeps λ, for [`LocalElements::restore_kept_duals`].
    pub fn keep_duals(&mut self) {
        self.kept.clone_from(&self.held);
    }

    /// λ is what it was when it was kept.
    pub fn restore_kept_duals(&mut self) {
        self.held.clone_from(&self.kept);
    }

    /// Takes the shapes at the start of a step, if damping asks for them.
    pub fn begin(&mut self, batches: &Batches<B>, x: &[Vec3]) {
        if batches.damped {
            let chunk = |batches| vectorised(StartWork { batches, x });
            self.start.clear();
            self.start.par_extend(batches.list.par_chunks(CHUNK).flat_map_iter(chunk));
        }
    }

    /// One pass over all.
    pub fn project(&mut self, batches: &Batches<B>, pass: &Pass<'_>) {
        let start = &self.start;
        (batches.list.par_chunks(CHUNK))
            .zip(self.held.par_chunks_mut(CHUNK))
            .zip(self.forces.par_chunks_mut(Lanes::COUNT * CHUNK))
            .enumerate()
            .with_min_len(CHUNKS)
            .for_each(|(chunk, ((batches, held), forces))| {
                let start = start.get(chunk * CHUNK..).unwrap_or(&[]);
                vectorised(ProjectWork { batches, held, start, forces, pass });
            });
    }

    /// λ += D x − z after the last global step.
    pub fn finish(&mut self, batches: &Batches<B>, x: &[Vec3]) {
        (batches.list.par_chunks(CHUNK))
            .zip(self.held.par_chunks_mut(CHUNK))
            .with_min_len(CHUNKS)
            .for_each(|(batches, held)| vectorised(FinishWork { batches, held, x }));
    }

    /// What all elements give to a node.
    #[inline]
    pub fn force(&self, batches: &Batches<B>, node: usize) -> Vec3 {
        batches.incidence.sum(node, B::flat(&self.forces))
    }

    /// What is held, row by row.
    pub fn rows(&self, batches: &Batches<B>) -> impl Iterator<Item = Vec3> + '_ {
        (0..batches.rows()).map(|row| {
            let (element, column) = (row / B::COLUMNS, row % B::COLUMNS);
            B::held_column(&self.held[element / 4], element % 4, column)
        })
    }

    /// Takes λ row by row.
    pub fn set_rows(&mut self, rows: &[Vec3]) {
        for (row, value) in rows.iter().enumerate() {
            let (element, column) = (row / B::COLUMNS, row % B::COLUMNS);
            B::set_held_column(&mut self.held[element / 4], element % 4, column, *value);
        }
    }
}

struct ProjectWork<'a, 'b, B: Batch> {
    batches: &'a [B],
    held: &'a mut [B::Held],
    start: &'a [B::Start],
    forces: &'a mut [B::Forces],
    pass: &'a Pass<'b>,
}

impl<B: Batch> VectorWork for ProjectWork<'_, '_, B> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        let forces = self.forces.chunks_exact_mut(Lanes::COUNT);
        for (k, ((batch, held), forces)) in self.batches.iter().zip(self.held).zip(forces).enumerate() {
            batch.project(held, self.start.get(k), self.pass, forces);
        }
    }
}

struct FinishWork<'a, B: Batch> {
    batches: &'a [B],
    held: &'a mut [B::Held],
    x: &'a [Vec3],
}

impl<B: Batch> VectorWork for FinishWork<'_, B> {
    type Output = ();
    #[inline(always)]
    fn run(self) {
        self.batches.iter().zip(self.held).for_each(|(batch, held)| batch.finish(held, self.x));
    }
}

struct StartWork<'a, B> {
    batches: &'a [B],
    x: &'a [Vec3],
}

impl<B: Batch> VectorWork for StartWork<'_, B> {
    type Output = Vec<B::Start>;
    #[inline(always)]
    fn run(self) -> Self::Output {
        let mut out = Vec::with_capacity(self.batches.len());
        self.batches.iter().for_each(|batch| out.push(batch.start(self.x)));
        out
    }
}

struct TotalsWork<'a, B> {
    batches: &'a [B],
    x: &'a [Vec3],
}

impl<B: Batch> VectorWork for TotalsWork<'_, B> {
    type Output = Totals;
    #[inline(always)]
    fn run(self) -> Totals {
        let mut sum = Totals::default();
        for batch in self.batches {
            sum = sum.join(batch.totals(self.x));
        }
        sum
    }
}
