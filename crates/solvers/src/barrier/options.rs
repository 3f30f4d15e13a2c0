//! Options of method `barrier`.   [Ando2024, sections 3.2, 3.8 and 6]

use crate::checks::{all_positive, at_least_one, none_negative};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use stiction_contact::barrier::{self, Barrier, CappedLogarithm};
use stiction_numerics::ResidualNorm;

/// Which barrier keeps gaps open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum BarrierShape {
    /// Cubic: finite curvature down to zero gap.
    #[default]
    Cubic,
    /// Logarithmic.
    Logarithmic,
    /// Logarithmic until its curvature reaches `curvature_cap`, then a parabola.
    CappedLogarithmic,
    /// Quadratic penalty.
    Quadratic,
}

/// How friction is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FrictionModel {
    /// None at all.
    None,
    /// The paper's: from the start of the step, so that a body at rest creeps by up to ε per step.
    Lagged,
    /// From anchors that live as long as their contacts: a body at rest does not creep.
    #[default]
    Anchored,
}

/// Which linear solver finds directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LinearPolicy {
    /// Conjugate gradients, with a coarse level where block Jacobi takes long; a factorisation
    /// where they would take longer still.
    #[default]
    Auto,
    /// Conjugate gradients with block Jacobi.
    Pcg,
    /// Conjugate gradients with block Jacobi and a coarse level.
    TwoLevel,
    /// Sparse Cholesky of elasticity and contacts together.
    Direct,
}

/// Hessian of lagged friction once a contact slides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SlidingHessian {
    /// `κ_f (I − n nᵀ)`, the paper's: stiff along the slip as well.
    #[default]
    Plane,
    /// `κ_f t tᵀ`, t across the slip: the true one of a force of constant size.
    Transverse,
}

impl SlidingHessian {
    /// As contacts know it.
    pub(super) fn of_contact(self) -> barrier::SlidingHessian {
        match self {
            SlidingHessian::Plane => barrier::SlidingHessian::Plane,
            SlidingHessian::Transverse => barrier::SlidingHessian::Transverse,
        }
    }
}

/// Which mass of a contact counts in its stiffness.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContactMass {
    /// Plain average of its vertices, the paper's.
    #[default]
    Average,
    /// `Σ m_i ĉ_i²` with ĉ the normalised coefficients: what a push along the normal has to move.
    Weighted,
}

/// How a residual of conjugate gradients is measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PcgNorm {
    /// Largest component, the paper's.
    #[default]
    Infinity,
    /// Root of the sum of squares.
    Two,
}

impl PcgNorm {
    /// As conjugate gradients know it.
    pub(super) fn of_residual(self) -> ResidualNorm {
        match self {
            PcgNorm::Infinity => ResidualNorm::Infinity,
            PcgNorm::Two => ResidualNorm::Two,
        }
    }
}

/// A largest step that holds until a time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StepSpan {
    /// End of the span \[s\].
    pub until: f64,
    /// Largest step in it \[s\].
    pub step: f64,
}

/// Options with their defaults; lengths in metres.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BarrierOptions {
    /// Go on until the whole step is done, so that scripted motion is exact; otherwise the step
    /// taken is β h.
    pub complete: bool,
    /// Fraction β of the step at which the paper's policy (`complete = false`) leaves the loop.
    pub beta_max: f64,
    /// Time until which nothing keeps its speed and nothing weighs \[s\]: a garment finds its place
    /// before it falls.
    pub stage_until: f64,
    /// Largest steps by time, in the order of their ends; after the last span the scene's own step
    /// holds. Spans can shorten the scene's step, not lengthen it.
    pub step_schedule: Vec<StepSpan>,
    /// Newton iterations at least.
    pub min_iterations: usize,
    /// Newton iterations after which a completed step is no longer refined.
    pub refine_iterations: usize,
    /// Newton iterations at most, whatever is left of the step.
    pub max_iterations: usize,
    /// A completed step is converged when no node moves faster than this in an iteration, |d|∞/h
    /// \[m/s\], and friction that could speed a node up by as much over a step has found its force:
    /// no limit changes by more than a tenth, and no slip below ε from an anchor by more than ε/10.
    pub tolerance: f64,
    /// The same for the root of the mean square over the free nodes \[m/s\], where given: the rule
    /// of Codim-IPC.
    pub mean_tolerance: Option<f64>,
    /// Whether a step waits until friction has found its force. Others do not: they keep the limits
    /// of the step's start.
    pub settle_friction: bool,
    /// Refining iterations move by `exp(−decay n)` of their direction, n counted from the first; 0
    /// is none, the paper tried 0.005.
    pub decay: f64,
    /// Whether a step that `complete = false` shortens counts as β h. Otherwise it counts as h and
    /// motion drags behind: for comparison only.
    pub amend_step: bool,
    /// One more iteration with β h when less than the whole step was taken.
    pub error_reduction: bool,
    /// How far beyond the direction the line search looks.
    pub extension: f64,
    /// Fraction of a gap that one line search leaves open.
    pub slack: f64,
    /// Which linear solver.
    pub linear: LinearPolicy,
    /// Residual of conjugate gradients relative to the one at their start, in `pcg_norm`.
    pub pcg_tolerance: f64,
    /// How that residual is measured; the paper takes the largest component.
    pub pcg_norm: PcgNorm,
    /// Iterations of conjugate gradients at most.
    pub pcg_iterations: usize,
    /// Which barrier.
    pub barrier: BarrierShape,
    /// Largest curvature of the capped logarithmic barrier for unit stiffness; the cubic one
    /// reaches 4.
    pub curvature_cap: f64,
    /// Whether elasticity counts in the stiffness of contacts; mass and distance alone otherwise.
    pub elastic_stiffness: bool,
    /// Which mass of a contact counts in its stiffness; the paper takes the average (eq. 5).
    pub contact_mass: ContactMass,
    /// Fraction of a strain limit above which its barrier acts: the paper's half (τ = ε̂, section
    /// 3.6). 0 acts from the rest length on and is gentler.
    pub strain_activation: f64,
    /// Whether contacts are linearised towards the force that the last linear solve found, and
    /// friction is limited by it. Otherwise tangents at the present gap and the barrier's own force
    /// are taken, as in the paper.
    pub forecast: bool,
    /// Largest part, in curvatures of the barrier, by which the growth of a stiffness with a
    /// closing gap counts in tangents; 0 is the paper's frozen stiffness. Forecasts count it in
    /// full.
    pub stiffness_growth: f64,
    /// How friction is measured.
    pub friction: FrictionModel,
    /// Slip below which friction is not fully mobilised \[m\], ε.
    pub friction_epsilon: f64,
    /// Hessian of lagged friction once a contact slides; the paper's is stiff in the whole plane
    /// (eq. 10). Anchored friction has its own.
    pub sliding_hessian: SlidingHessian,
    /// Whether the curvature of the barrier caps lagged friction in the matrix (the force stays).
    pub friction_cap: bool,
}

impl Default for BarrierOptions {
    fn default() -> Self {
        BarrierOptions {
            complete: true,
            beta_max: 0.25,
            stage_until: 0.0,
            step_schedule: Vec::new(),
            min_iterations: 1,
            refine_iterations: 16,
            max_iterations: 256,
            tolerance: 1e-3,
            mean_tolerance: None,
            settle_friction: true,
            decay: 0.0,
            amend_step: true,
            error_reduction: true,
            extension: 1.25,
            slack: 0.1,
            linear: LinearPolicy::Auto,
            pcg_tolerance: 1e-3,
            pcg_norm: PcgNorm::Infinity,
            pcg_iterations: 5000,
            barrier: BarrierShape::Cubic,
            curvature_cap: 16.0,
            elastic_stiffness: true,
            contact_mass: ContactMass::Average,
            strain_activation: 0.5,
            forecast: true,
            stiffness_growth: 2.0,
            friction: FrictionModel::Anchored,
            friction_epsilon: 1e-5,
            sliding_hessian: SlidingHessian::Plane,
            friction_cap: false,
        }
    }
}

impl BarrierOptions {
    /// The barrier itself.
    pub fn shape(&self) -> Barrier {
        match self.barrier {
            BarrierShape::Cubic => Barrier::Cubic,
            BarrierShape::Logarithmic => Barrier::Logarithmic,
            BarrierShape::CappedLogarithmic => CappedLogarithm::new(self.curvature_cap)
                .map_or(Barrier::Logarithmic, Barrier::CappedLogarithmic),
            BarrierShape::Quadratic => Barrier::Quadratic,
        }
    }

    /// The step to take at `time` where `offered` \[s\] is left or wanted: an equal part that the
    /// schedule allows.
    pub fn scheduled_step(&self, time: f64, offered: f64) -> f64 {
        // A span that ends here by rounding alone has ended.
        let ahead = |span: &&StepSpan| span.until > time + 1e-9 * offered;
        let Some(span) = self.step_schedule.iter().find(ahead) else { return offered };
        let wanted = offered.min(span.until - time);
        wanted / (wanted / span.step * (1.0 - 1e-9)).ceil().max(1.0)
    }

    fn validate_schedule(&self) -> Result<(), String> {
        let mut before = 0.0;
        for (k, span) in self.step_schedule.iter().enumerate() {
            let good =
                span.until.is_finite() && span.until > before && span.step.is_finite() && span.step > 0.0;
            if !good {
                return Err(format!(
                    "span {k} of `step_schedule` is until = {}, step = {}; give rising ends and positive steps",
                    span.until, span.step
                ));
            }
            before = span.until;
        }
        Ok(())
    }

    /// Names the option that cannot be used, and why.
    pub fn validate(&self) -> Result<(), String> {
        all_positive(&[
            ("tolerance", self.tolerance),
            ("mean_tolerance", self.mean_tolerance.unwrap_or(1.0)),
            ("pcg_tolerance", self.pcg_tolerance),
            ("friction_epsilon", self.friction_epsilon),
            ("curvature_cap", self.curvature_cap),
        ])?;
        none_negative(&[
            ("stiffness_growth", self.stiffness_growth),
            ("decay", self.decay),
            ("stage_until", self.stage_until),
        ])?;
        self.validate_schedule()?;
        let shares = [("beta_max", self.beta_max), ("slack", self.slack)];
        if let Some((name, value)) = shares.iter().find(|(_, v)| !(*v > 0.0 && *v < 1.0)) {
            return Err(format!("`{name}` is {value}; give a number between 0 and 1"));
        }
        if !(0.0..1.0).contains(&self.strain_activation) {
            return Err(format!(
                "`strain_activation` is {}; give a share from 0 on and below 1, such as 0.5",
                self.strain_activation
            ));
        }
        if !(self.extension.is_finite() && self.extension >= 1.0) {
            return Err(format!("`extension` is {}; give a number from 1 on, such as 1.25", self.extension));
        }
        at_least_one(&[
            ("min_iterations", self.min_iterations),
            ("refine_iterations", self.refine_iterations),
            ("max_iterations", self.max_iterations),
            ("pcg_iterations", self.pcg_iterations),
        ])?;
        if self.max_iterations < self.refine_iterations.max(self.min_iterations) {
            return Err(
                "`max_iterations` is below `refine_iterations` or `min_iterations`; raise it".to_owned()
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{BarrierOptions, StepSpan};

    #[test]
    fn a_schedule_divides_its_spans_evenly() {
        let step_schedule = vec![StepSpan { until: 0.02, step: 0.003 }, StepSpan { until: 0.05, step: 0.01 }];
        let options = BarrierOptions { step_schedule, ..BarrierOptions::default() };
        let (mut time, mut steps) = (0.0, Vec::new());
        while time < 0.0999 {
            let h = options.scheduled_step(time, 0.1 - time);
            steps.push(h);
            time += h;
        }
        // Seven steps of 20/7 ms, three of 10 ms, then all that is left.
        assert_eq!(steps.len(), 11);
        assert!(steps[..7].iter().all(|h| (h - 0.02 / 7.0).abs() < 1e-12), "{steps:?}");
        assert!(steps[7..10].iter().all(|h| (h - 0.01).abs() < 1e-12), "{steps:?}");
        assert!((steps[10] - 0.05).abs() < 1e-12);
    }

    #[test]
    fn bad_values_are_named() {
        assert!(BarrierOptions::default().validate().is_ok());
        let with = |change: fn(&mut BarrierOptions)| {
            let mut options = BarrierOptions::default();
            change(&mut options);
            options.validate().expect_err("a bad value")
        };
        assert!(with(|o| o.tolerance = f64::NAN).contains("tolerance"));
        assert!(with(|o| o.beta_max = 1.0).contains("beta_max"));
        assert!(
            with(|o| o.step_schedule = vec![StepSpan { until: 1.0, step: 0.0 }]).contains("step_schedule")
        );
        assert!(with(|o| o.extension = 0.5).contains("extension"));
        assert!(with(|o| o.strain_activation = 1.0).contains("strain_activation"));
        assert!(with(|o| o.strain_activation = -0.1).contains("strain_activation"));
        assert!(with(|o| o.strain_activation = f64::NAN).contains("strain_activation"));
        assert!(with(|o| o.pcg_iterations = 0).contains("pcg_iterations"));
        assert!(with(|o| o.max_iterations = 2).contains("max_iterations"));
    }
}
