//! The step of the dual, with or without acceleration.   [Daviet2020, algorithm 4]

use super::admm_loop::Iterate;
use super::elastic_step::PER_TASK;
use rayon::prelude::*;
use stiction_numerics::Vec3;

/// λ ← λ + p − v.
pub fn ascend(iterate: &mut Iterate, nodes: usize) {
    let Iterate { velocity, projected, dual } = iterate;
    let each = dual[..nodes].par_iter_mut().with_min_len(PER_TASK).enumerate();
    each.for_each(|(i, dual)| *dual += projected[i] - velocity[i]);
}

/// What the accelerated variant remembers. The dual of its iterate is λ̂.
pub struct Momentum {
    /// p̂.
    pub projected: Vec<Vec3>,
    /// p of the iteration before.
    last_projected: Vec<Vec3>,
    /// λ of the iteration before.
    last_dual: Vec<Vec3>,
    theta: f64,
}

impl Momentum {
    /// At rest.
    pub fn new(iterate: &Iterate) -> Momentum {
        let (projected, last_dual) = (iterate.projected.clone(), iterate.dual.clone());
        Momentum { last_projected: projected.clone(), projected, last_dual, theta: 1.0 }
    }

    /// λ ← λ̂ + p − v, then p̂ and λ̂ go beyond p and λ when the residual falls, and start anew when
    /// it does not. One pass, since the
    /// vectors do not fit into caches. The next projection starts from v − λ̂, so p of the iterate
    /// is free to become the memory.
    pub fn ascend(&mut self, iterate: &mut Iterate, nodes: usize, falls: bool) {
        let old = std::mem::replace(&mut self.theta, 1.0);
        let mut beyond = 0.0;
        if falls {
            self.theta = 0.5 * (1.0 + (1.0 + 4.0 * old * old).sqrt());
            beyond = (old - 1.0) / self.theta;
        }
        let Iterate { velocity, projected, dual } = iterate;
        let Momentum { projected: ahead, last_projected, last_dual, .. } = self;
        let hats = ahead[..nodes].par_iter_mut().zip(&mut dual[..nodes]);
        let each = hats.zip(&mut last_dual[..nodes]).enumerate().with_min_len(PER_TASK);
        each.for_each(|(i, ((ahead, dual), last))| {
            let (p, now) = (projected[i], *dual + projected[i] - velocity[i]);
            *ahead = p + (p - last_projected[i]) * beyond;
            *dual = now + (now - *last) * beyond;
            *last = now;
        });
        std::mem::swap(projected, last_projected);
    }
}
