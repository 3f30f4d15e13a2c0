//! Cholesky factorisation of one scalar matrix that serves x, y and z: the global step of
//! projective dynamics.

use crate::llt::ComponentFactor;
use crate::plan::{ComponentPlan, UpperGraph, plan_components};
use crate::wide::Wide;
use crate::{CscMatrix, FactorError};
use rayon::prelude::*;
use stiction_numerics::{Lanes, Vec3};

/// Factor of a symmetric positive definite scalar matrix, solved for three right-hand sides at
/// once.
#[derive(Debug)]
pub struct ScalarCholesky {
    size: usize,
    components: Vec<(ComponentPlan, ComponentFactor)>,
}

impl UpperGraph for CscMatrix {
    fn block_count(&self) -> usize {
        self.size()
    }
    fn row(&self, row: usize) -> (usize, &[u32]) {
        // Column j of the lower triangle is row j of the upper one.
        self.column(row)
    }
    fn scalars(&self, _block: usize) -> usize {
        1
    }
}

impl ScalarCholesky {
    /// Analyses and factors a matrix given by its lower triangle; every diagonal entry must be
    /// stored.
    pub fn new(lower: &CscMatrix) -> Result<Self, FactorError> {
        for j in 0..lower.size() {
            if lower.column(j).1.first() != Some(&(j as u32)) {
                let reason = format!("column {j} of a lower triangle must start with its diagonal entry");
                return Err(FactorError::Malformed { reason });
            }
        }
        let plans = plan_components(lower)?;
        let results: Vec<Result<_, FactorError>> = plans
            .into_par_iter()
            .map(|plan| {
                let mut factor = ComponentFactor::analyse(&plan)?;
                let mut values = Vec::new();
                plan.fill(|slot, _, _| lower.values()[slot], None, &mut values);
                factor.factor(&plan, &values)?;
                Ok((plan, factor))
            })
            .collect();
        let components = results.into_iter().collect::<Result<_, _>>()?;
        Ok(Self { size: lower.size(), components })
    }

    /// Solves A x = b in place for the three components of every row at once.
    pub fn solve_in_place(&self, rhs: &mut [Vec3]) {
        assert_eq!(rhs.len(), self.size, "one row of three numbers per unknown");
        let solve = |(plan, factor): &(ComponentPlan, ComponentFactor)| {
            let padded = |&i: &u32| {
                let v = &rhs[i as usize];
                Lanes([v.x, v.y, v.z, 0.0])
            };
            let mut x: Vec<Lanes> = plan.blocks.iter().map(padded).collect();
            factor.solve(&mut x);
            x
        };
        let solutions: Vec<Vec<Lanes>> = self.components.par_iter().map(solve).collect();
        for ((plan, _), x) in self.components.iter().zip(&solutions) {
            let write = |(&i, Lanes([x, y, z, _])): (&u32, &Lanes)| rhs[i as usize] = Vec3::new(*x, *y, *z);
            plan.blocks.iter().zip(x).for_each(write);
        }
    }

    /// Solves A x = b in place for several systems of the same matrix: the factor is read once for
    /// every four of them. The same bits as one by one.
    pub fn solve_many(&self, systems: &mut [Vec<Vec3>]) {
        let mut rest = systems;
        while !rest.is_empty() {
            let together = if rest.len() >= 4 { 4 } else { rest.len().min(2) };
            let (now, later) = rest.split_at_mut(together);
            match now {
                [one] => self.solve_in_place(one),
                [_, _] => self.solve_wide::<2>(now),
                _ => self.solve_wide::<3>(now),
            }
            rest = later;
        }
    }

    fn solve_wide<const N: usize>(&self, systems: &mut [Vec<Vec3>]) {
        assert!(systems.iter().all(|s| s.len() == self.size), "one row of three numbers per unknown");
        for (plan, factor) in &self.components {
            let mut x: Vec<Wide<N>> =
                plan.blocks.iter().map(|&row| Wide::gather(systems, row as usize)).collect();
            factor.solve(&mut x);
            plan.blocks.iter().zip(&x).for_each(|(&row, value)| value.scatter(systems, row as usize));
        }
    }

    /// Number of unknowns.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Number of connected components.
    pub fn component_count(&self) -> usize {
        self.components.len()
    }

    /// Stored entries of the factor, nnz(L) with the padding of supernodes.
    pub fn factor_entries(&self) -> usize {
        self.components.iter().map(|(_, f)| f.entry_count()).sum()
    }

    /// Bytes of the factor: values and row indices. A solve reads them twice.
    pub fn factor_bytes(&self) -> usize {
        self.components.iter().map(|(_, f)| f.bytes()).sum()
    }
}
