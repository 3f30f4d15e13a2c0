//! Cholesky factorisation of symmetric block matrices, per connected component.

use crate::FactorError;
use crate::llt::ComponentFactor;
use crate::plan::{ComponentPlan, UpperGraph, plan_components};
use rayon::prelude::*;
use std::sync::Arc;
use stiction_numerics::{BlockMatrix, BlockPattern, Preconditioner, Vec3};

/// Cholesky factor of a [`BlockMatrix`]: analyse a pattern once, factor many times, solve many
/// times.
///
/// Blocks below `node_count` have three unknowns, the others (twists) one, in component 0; their
/// components 1 and 2 are left alone by solves.
#[derive(Debug)]
pub struct SparseCholesky {
    pattern: Arc<BlockPattern>,
    components: Vec<Component>,
}

#[derive(Debug)]
struct Component {
    plan: ComponentPlan,
    factor: ComponentFactor,
    values: Vec<f64>,
    /// Whether every block is fixed: there is nothing to factor.
    is_identity: bool,
}

impl Component {
    /// Takes its numbers from a matrix.
    fn take(&mut self, matrix: &BlockMatrix, fixed: Option<&[bool]>) {
        let is_fixed = |block: &u32| fixed.is_some_and(|f| f[*block as usize]);
        self.is_identity = self.plan.blocks.iter().all(is_fixed);
        if !self.is_identity {
            self.plan.fill(|slot, r, c| matrix.values()[slot][(r, c)], fixed, &mut self.values);
        }
    }

    /// Factors the numbers that it took.
    fn factor_taken(&mut self) -> Result<(), FactorError> {
        if self.is_identity {
            return Ok(());
        }
        let result = self.factor.factor(&self.plan, &self.values);
        if self.factor.is_rounded() {
            self.values = Vec::new();
        }
        result
    }
}

struct BlockGraph<'a> {
    pattern: &'a BlockPattern,
    node_count: usize,
}

impl UpperGraph for BlockGraph<'_> {
    fn block_count(&self) -> usize {
        self.pattern.block_count()
    }
    fn row(&self, row: usize) -> (usize, &[u32]) {
        (self.pattern.diagonal_slot(row), self.pattern.row(row))
    }
    fn scalars(&self, block: usize) -> usize {
        if block < self.node_count { 3 } else { 1 }
    }
}

impl SparseCholesky {
    /// Symbolic analysis of a pattern.
    pub fn analyse(pattern: &Arc<BlockPattern>, node_count: usize) -> Result<Self, FactorError> {
        let plans = plan_components(&BlockGraph { pattern, node_count })?;
        let components = plans
            .into_par_iter()
            .map(|plan| {
                let factor = ComponentFactor::analyse(&plan)?;
                Ok(Component { factor, plan, values: Vec::new(), is_identity: false })
            })
            .collect::<Result<_, FactorError>>()?;
        Ok(Self { pattern: pattern.clone(), components })
    }

    /// Keeps factors in single precision: half the bytes of a solve, which is then one of a matrix
    /// that is near by 1e-7 of its stiffest entries and, being L̃ L̃ᵀ, as definite as this one. For
    /// preconditioners.
    pub fn rounded(mut self) -> Self {
        self.components.iter_mut().for_each(|component| component.factor.round());
        self
    }

    /// Analysis and first factorisation in one go.
    pub fn new(matrix: &BlockMatrix, node_count: usize, fixed: Option<&[bool]>) -> Result<Self, FactorError> {
        let mut result = Self::analyse(matrix.pattern(), node_count)?;
        result.factor(matrix, fixed)?;
        Ok(result)
    }

    /// Numeric factorisation of a matrix on the analysed pattern; blocks marked in `fixed` get
    /// identity rows.
    ///
    /// On failure the error names a block of the first component (by lowest block) that failed.
    pub fn factor(&mut self, matrix: &BlockMatrix, fixed: Option<&[bool]>) -> Result<(), FactorError> {
        self.check(matrix, fixed)?;
        self.each(|component| {
            component.take(matrix, fixed);
            component.factor_taken()
        })
    }

    /// The first half of [`Self::factor`]: takes the numbers of a matrix over, which may then be
    /// freed.
    pub fn take(&mut self, matrix: &BlockMatrix, fixed: Option<&[bool]>) -> Result<(), FactorError> {
        self.check(matrix, fixed)?;
        self.each(|component| {
            component.take(matrix, fixed);
            Ok(())
        })
    }

    /// The second half: factors what was taken over.
    pub fn factor_taken(&mut self) -> Result<(), FactorError> {
        self.each(Component::factor_taken)
    }

    fn check(&self, matrix: &BlockMatrix, fixed: Option<&[bool]>) -> Result<(), FactorError> {
        if !Arc::ptr_eq(&self.pattern, matrix.pattern()) && self.pattern != *matrix.pattern() {
            return Err(FactorError::PatternChanged);
        }
        if let Some(f) = fixed {
            assert_eq!(f.len(), matrix.block_count(), "one mask entry per block");
        }
        Ok(())
    }

    /// Works on all components; the error is that of the first one that failed.
    fn each(
        &mut self,
        work: impl Fn(&mut Component) -> Result<(), FactorError> + Send + Sync,
    ) -> Result<(), FactorError> {
        let results: Vec<Result<(), FactorError>> = self.components.par_iter_mut().map(work).collect();
        results.into_iter().collect()
    }

    /// Frees the numbers of a rounded factor; the analysis stays. Solves may panic until the next
    /// factorisation.
    pub fn release_factor(&mut self) {
        self.components.iter_mut().for_each(|component| component.factor.release());
    }

    /// Solves A x = b in place. Panics before the first successful factorisation or on another
    /// length.
    pub fn solve_in_place(&self, rhs: &mut [Vec3]) {
        assert_eq!(rhs.len(), self.pattern.block_count(), "one block per row");
        let solutions = self.solve_components(|block, k| rhs[block][k]);
        self.write_back(&solutions, |block, k, value: f64| rhs[block][k] = value);
    }

    /// Solves for several right-hand sides, three at a time: the factor is read once for each
    /// three.
    pub fn solve_many(&self, rhs: &mut [Vec<Vec3>]) {
        for column in rhs.iter() {
            assert_eq!(column.len(), self.pattern.block_count(), "one block per row");
        }
        let mut triples = rhs.chunks_exact_mut(3);
        for triple in &mut triples {
            let solutions =
                self.solve_components(|b, k| Vec3::new(triple[0][b][k], triple[1][b][k], triple[2][b][k]));
            self.write_back(&solutions, |b, k, value: Vec3| {
                (0..3).for_each(|column| triple[column][b][k] = value[column]);
            });
        }
        triples.into_remainder().iter_mut().for_each(|column| self.solve_in_place(column));
    }

    /// Solutions per component, in elimination order.
    fn solve_components<T: crate::panels::Row + PartialEq>(
        &self,
        read: impl Fn(usize, usize) -> T + Sync,
    ) -> Vec<Vec<T>> {
        let solve = |component: &Component| {
            let plan = &component.plan;
            let mut x = Vec::with_capacity(plan.size());
            for (position, &block) in plan.blocks.iter().enumerate() {
                let scalars = (plan.offsets[position + 1] - plan.offsets[position]) as usize;
                x.extend((0..scalars).map(|k| read(block as usize, k)));
            }
            // A preconditioner asks for few bodies at a time.
            if !component.is_identity && x.iter().any(|value| *value != T::default()) {
                component.factor.solve(&mut x);
            }
            x
        };
        self.components.par_iter().map(solve).collect()
    }

    fn write_back<T: Copy>(&self, solutions: &[Vec<T>], mut write: impl FnMut(usize, usize, T)) {
        for (component, x) in self.components.iter().zip(solutions) {
            let plan = &component.plan;
            for (position, &block) in plan.blocks.iter().enumerate() {
                let range = plan.offsets[position] as usize..plan.offsets[position + 1] as usize;
                for (k, &value) in x[range].iter().enumerate() {
                    write(block as usize, k, value);
                }
            }
        }
    }

    /// Number of connected components.
    pub fn component_count(&self) -> usize {
        self.components.len()
    }

    /// Stored entries of the factor.
    pub fn factor_entries(&self) -> usize {
        self.components.iter().map(|c| c.factor.entry_count()).sum()
    }

    /// Bytes of the factor: values and row indices.
    pub fn factor_bytes(&self) -> usize {
        self.components.iter().map(|c| c.factor.bytes()).sum()
    }
}

/// The factor of a nearby matrix, such as the symmetric part of a general one.
impl Preconditioner for SparseCholesky {
    fn apply(&self, r: &[Vec3], z: &mut [Vec3]) {
        z.copy_from_slice(r);
        self.solve_in_place(z);
    }
}
