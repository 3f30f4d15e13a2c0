//! The step of the dual, with or without acceleration.   [Daviet2020, algorithm 4]

use super::elastic_step::PER_TASK;
use super::inner::Iterate;
use rayon::prelude::*;
use stiction_numerics::Vec3;

/// p̂ and λ̂ of the accelerated variant; without acceleration they are p and λ.
pub struct Momentum {
    /// p̂.
    pub projected: Vec<Vec3>,
    /// λ̂.
    pub dual: Vec<Vec3>,
    last: Option<Last>,
    theta: f64,
}

/// p and λ of the iteration before.
struct Last {
    projected: Vec<Vec3>,
    dual: Vec<Vec3>,
}

impl Momentum {
    /// At rest. What acceleration needs is kept only where it is wanted.
    pub fn new(iterate: &Iterate, accelerate: bool) -> Momentum {
        let (projected, dual) = (iterate.projected.clone(), iterate.dual.clone());
        let last = accelerate.then(|| Last { projected: projected.clone(), dual: dual.clone() });
        Momentum { projected, dual, last, theta: 1.0 }
    }

    /// λ ← λ̂ + p − v, then p̂ and λ̂ go beyond p and λ when the residual falls, and start anew when it does not.
    pub fn advance(&mut self, iterate: &mut Iterate, falls: bool) {
        let (hat, p, v) = (&self.dual, &iterate.projected, &iterate.velocity);
        let each = iterate.dual.par_iter_mut().with_min_len(PER_TASK).enumerate();
        each.for_each(|(i, dual)| *dual = hat[i] + p[i] - v[i]);
        let Some(last) = &mut self.last else {
            self.projected.copy_from_slice(&iterate.projected);
            self.dual.copy_from_slice(&iterate.dual);
            return;
        };
        let theta = if falls { 0.5 * (1.0 + (1.0 + 4.0 * self.theta * self.theta).sqrt()) } else { 1.0 };
        let beyond = if falls { (self.theta - 1.0) / theta } else { 0.0 };
        let ahead = |now: &[Vec3], before: &[Vec3], out: &mut [Vec3]| {
            let each = out.par_iter_mut().with_min_len(PER_TASK).enumerate();
            each.for_each(|(i, out)| *out = now[i] + (now[i] - before[i]) * beyond);
        };
        ahead(&iterate.projected, &last.projected, &mut self.projected);
        ahead(&iterate.dual, &last.dual, &mut self.dual);
        last.projected.copy_from_slice(&iterate.projected);
        last.dual.copy_from_slice(&iterate.dual);
        self.theta = theta;
    }
}
