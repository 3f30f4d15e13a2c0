//! A step as a sequence of stages, each made from the results of those before it.
//!
//! Bodies obey ẋ = v, M v̇ = f(x, v, t). A stage finds (x, v) at its end time t_e with
//!
//!   x = x̄ + γh v ,   M v = M v̄ + γh (f(x, v, t_e) + c)
//!
//! x̄, v̄ target · γh implicit part of the step \[s\] · c forces of earlier stages \[N\].
//! Eliminating v = (x − x̄)/γh leaves one system in x, the stationarity of
//! [`crate::incremental::IncrementalPotential`]. From (x_t, v_t) over a step h:
//!
//! | scheme | stage | t_e − t | γ | x̄ | v̄ | c |
//! | --- | --- | --- | --- | --- | --- | --- |
//! | backward Euler | 1 | h | 1 | x_t | v_t | 0 |
//! | trapezoid | 1 | h | 1/2 | x_t + h/2 v_t | v_t | f(x_t, v_t, t) |
//! | BDF2, ρ = h/h₋ | 1 | h | (1+ρ)/(1+2ρ) | x_t + ρ²/(1+2ρ) (x_t − x₋) | the same of v | 0 |
//! | TR-BDF2 | 1 | h/2 | 1/4 | x_t + h/4 v_t | v_t | f(x_t, v_t, t) |
//! | | 2 | h | 1/3 | x₁ + (x₁ − x_t)/3 | the same of v | 0 |
//! | SDIRK2, α = 1 − 1/√2 | 1 | αh | α | x_t | v_t | 0 |
//! | | 2 | h | α | x_t + (1−α) h v₁ | v_t | (1−α)/α f₁ |
//!
//! Trapezoid: v = v_t + h/2 M⁻¹ (f_t + f), and the same of x. BDF2: the parabola through (t − h₋,
//! x₋), (t, x_t), (t + h, x) has the slope [(1+2ρ) x − (1+ρ)² x_t + ρ² x₋] / (h (1+ρ)) at its end;
//! setting it to v gives the row, and ρ = 1 gives 4/3, −1/3 and 2/3 (printed with a wrong sign in
//! [Larionov2022, section 2.5.2]). TR-BDF2: trapezoid over h/2, then BDF2 with both steps h/2.
//! SDIRK2: weights b = (1−α, α) at times c = (α, 1); order two asks b·c = 2α − α² = 1/2, hence α.
//! f₁ needs no evaluation: the first stage says f₁ = M (v₁ − v_t)/(αh).   [Larionov2022, section
//! 2.5]
//!
//! The first step of BDF2, and one after a step more than [`LARGEST_GROWTH`] times shorter, is
//! backward Euler: variable BDF2 is stable for ρ < 1 + √2 only. One such step costs no order.

use crate::saved::{RestoreError, SavedState};
use crate::solver::World;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::f64::consts::FRAC_1_SQRT_2;
use stiction_bodies::{Prescription, State};
use stiction_numerics::Vec3;

/// A time integrator.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Scheme {
    /// First order; damps strongly, never gains energy.
    #[default]
    BackwardEuler,
    /// Second order; keeps the energy of linear vibration, and never damps what is too fast for the
    /// step.
    Trapezoid,
    /// Second order, from two steps; damps less than backward Euler. Its history is part of a
    /// checkpoint.
    Bdf2,
    /// Second order in two stages; damps little, and what is too fast for the step entirely.
    TrBdf2,
    /// The same with another split of the step.
    Sdirk2,
}

/// Largest ratio of a step to the one before for BDF2; its limit of stability is 1 + √2.
const LARGEST_GROWTH: f64 = 2.0;

/// α of SDIRK2.
const ALPHA: f64 = 1.0 - FRAC_1_SQRT_2;

/// What one stage solves.
#[derive(Clone, Debug)]
pub struct Stage<'a> {
    /// x̄ and v̄.
    pub target: MovingBlocks<'a>,
    /// γh \[s\].
    pub gamma_h: f64,
    /// c per block \[N\]; none where it is zero.
    pub constant_force: Option<Vec<Vec3>>,
    /// t_e \[s\]: pins, anchors and wind act as they are then.
    pub end_time: f64,
    /// Where the damping matrix and the linear form of drag are evaluated.
    pub dissipation: MovingBlocks<'a>,
    /// When the wind of drag is taken \[s\].
    pub wind_time: f64,
}

/// Blocks with their velocities.
#[derive(Clone, Debug)]
pub struct MovingBlocks<'a> {
    /// \[m\], \[rad\].
    pub blocks: Cow<'a, [Vec3]>,
    /// \[m/s\], \[rad/s\].
    pub velocities: Cow<'a, [Vec3]>,
}

impl<'a> MovingBlocks<'a> {
    /// That of a state.
    pub fn of(state: &'a State) -> Self {
        MovingBlocks { blocks: Cow::Borrowed(&state.blocks), velocities: Cow::Borrowed(&state.velocities) }
    }
}

/// Where a stage ended.
#[derive(Clone, Debug)]
pub struct StageEnd {
    /// x \[m\], \[rad\].
    pub blocks: Vec<Vec3>,
    /// v \[m/s\], \[rad/s\].
    pub velocities: Vec<Vec3>,
}

/// Blocks and velocities before the last step, for BDF2.
#[derive(Clone, Debug, PartialEq)]
pub struct History {
    /// x₋ \[m\], \[rad\].
    pub blocks: Vec<Vec3>,
    /// v₋ \[m/s\], \[rad/s\].
    pub velocities: Vec<Vec3>,
    /// h₋ \[s\].
    pub step: f64,
    /// When that step ended \[s\].
    pub end: f64,
}

impl History {
    /// The start of a step of `h` \[s\], as the step after it needs it.
    pub fn of(start: &State, h: f64) -> History {
        let (blocks, velocities) = (start.blocks.clone(), start.velocities.clone());
        History { blocks, velocities, step: h, end: start.time + h }
    }

    /// Adds it, or that there is none.
    pub fn save(history: Option<&History>, saved: &mut SavedState) {
        let arrays = history.map_or([&[][..]; 2], |h| [&h.blocks[..], &h.velocities[..]]);
        saved.put_vectors("history_blocks", arrays[0]);
        saved.put_vectors("history_velocities", arrays[1]);
        saved.numbers.insert("history_times".to_owned(), history.map_or(Vec::new(), |h| vec![h.step, h.end]));
    }

    /// What [`History::save`] added, of as many blocks as expected.
    pub fn restore(saved: &SavedState, blocks: usize) -> Result<Option<History>, RestoreError> {
        match *saved.numbers("history_times")? {
            [] => Ok(None),
            [step, end] => Ok(Some(History {
                blocks: saved.vectors("history_blocks", blocks)?,
                velocities: saved.vectors("history_velocities", blocks)?,
                step,
                end,
            })),
            _ => Err(RestoreError::Array { name: "history_times".to_owned() }),
        }
    }

    /// ρ of a step `h` from `time`, where BDF2 can use this history.
    fn ratio(&self, time: f64, h: f64) -> Option<f64> {
        // Frames snap the time to their multiples by rounding errors.
        let follows = (time - self.end).abs() < 1e-6 * self.step;
        let ratio = h / self.step;
        (follows && ratio <= LARGEST_GROWTH).then_some(ratio)
    }
}

/// What all stages of a step start from.
#[derive(Clone, Copy)]
pub struct StepStart<'a> {
    /// The world.
    pub world: World<'a>,
    /// The state at the start.
    pub state: &'a State,
    /// Step size \[s\].
    pub h: f64,
    /// Of the step before, if there was one.
    pub history: Option<&'a History>,
    /// f(x_t, v_t, t) \[N\], where [`Scheme::needs_start_force`].
    pub start_force: &'a [Vec3],
}

impl Scheme {
    /// Number of stages of a step.
    pub fn stages(self) -> usize {
        match self {
            Scheme::BackwardEuler | Scheme::Trapezoid | Scheme::Bdf2 => 1,
            Scheme::TrBdf2 | Scheme::Sdirk2 => 2,
        }
    }

    /// Whether the forces at the start of a step enter it.
    pub fn needs_start_force(self) -> bool {
        matches!(self, Scheme::Trapezoid | Scheme::TrBdf2)
    }

    /// The stage after those that are done.
    pub fn next_stage<'a>(self, start: &StepStart<'a>, done: &[StageEnd]) -> Stage<'a> {
        let (state, h) = (start.state, start.h);
        let stage = match (self, done) {
            (Scheme::BackwardEuler, _) => return Stage::backward_euler(state, h),
            (Scheme::Trapezoid, _) => trapezoid(start, h),
            (Scheme::Bdf2, _) => match start.history.and_then(|old| Some((old, old.ratio(state.time, h)?))) {
                None => Stage::backward_euler(state, h),
                Some((old, ratio)) => bdf2(start, old, ratio),
            },
            (Scheme::TrBdf2, []) => trapezoid(start, 0.5 * h),
            (Scheme::TrBdf2, [first, ..]) => tr_bdf2_end(start, first),
            (Scheme::Sdirk2, []) => Stage::backward_euler(state, ALPHA * h),
            (Scheme::Sdirk2, [first, ..]) => sdirk2_end(start, first),
        };
        stage.following_pins(start)
    }
}

impl<'a> Stage<'a> {
    /// The whole step of backward Euler. Damping and drag are linear about the start of the step.
    pub fn backward_euler(state: &'a State, h: f64) -> Stage<'a> {
        Stage {
            target: MovingBlocks::of(state),
            gamma_h: h,
            constant_force: None,
            end_time: state.time + h,
            dissipation: MovingBlocks::of(state),
            wind_time: state.time,
        }
    }

    /// A stage of no length at the start of a step, which only serves to evaluate forces: x_t and
    /// v_t satisfy x = x̄ + γh v.
    pub fn at_start(state: &'a State, h: f64) -> Stage<'a> {
        let behind = combine(&state.blocks, -h, &state.velocities);
        let velocities = Cow::Borrowed(&state.velocities[..]);
        let target = MovingBlocks { blocks: Cow::Owned(behind), velocities };
        Stage { target, end_time: state.time, ..Stage::backward_euler(state, h) }
    }

    /// v = (x − x̄)/γh \[m/s\].
    pub fn velocities(&self, blocks: &[Vec3]) -> Vec<Vec3> {
        blocks.iter().zip(self.target.blocks.iter()).map(|(x, target)| (x - target) / self.gamma_h).collect()
    }

    /// The stage with damping and drag linear about a configuration that is nearer to its end.
    pub fn with_dissipation_at(&self, end: &[Vec3]) -> Stage<'a> {
        let (blocks, velocities) = (Cow::Owned(end.to_vec()), Cow::Owned(self.velocities(end)));
        Stage { dissipation: MovingBlocks { blocks, velocities }, ..self.clone() }
    }

    /// Prescribed blocks have the velocity of their motion at the end of the stage. By x = x̄ + γh
    /// v it would swing about that value where a scheme does not damp, and shake what the pin
    /// holds.
    fn following_pins(mut self, start: &StepStart<'_>) -> Stage<'a> {
        self.wind_time = self.end_time;
        let (model, state) = (start.world.model, start.state);
        if model.pins.groups.is_empty() {
            return self;
        }
        let half = 0.5 * (self.end_time - state.time);
        let controls = &start.world.parameters.controls;
        let place = |time: f64| -> Prescription { model.pins.prescribe(model, controls, state, time) };
        let [first, middle, last] = [state.time, state.time + half, self.end_time].map(place);
        let blocks = self.target.blocks.to_mut();
        for i in (0..blocks.len()).filter(|&i| last.fixed[i]) {
            // The slope of the parabola through three places.
            let slope = (last.target[i] * 3.0 - middle.target[i] * 4.0 + first.target[i]) / (2.0 * half);
            blocks[i] = last.target[i] - slope * self.gamma_h;
        }
        self
    }
}

/// a + s b per block.
fn combine(a: &[Vec3], s: f64, b: &[Vec3]) -> Vec<Vec3> {
    a.iter().zip(b).map(|(a, b)| a + b * s).collect()
}

/// a + s (a − b) per block.
fn extrapolate(a: &[Vec3], s: f64, b: &[Vec3]) -> Vec<Vec3> {
    a.iter().zip(b).map(|(a, b)| a + (a - b) * s).collect()
}

/// The trapezoidal rule over `length` \[s\].
fn trapezoid<'a>(start: &StepStart<'a>, length: f64) -> Stage<'a> {
    let state = start.state;
    let target = MovingBlocks {
        blocks: Cow::Owned(combine(&state.blocks, 0.5 * length, &state.velocities)),
        velocities: Cow::Borrowed(&state.velocities),
    };
    Stage {
        target,
        gamma_h: 0.5 * length,
        constant_force: Some(start.start_force.to_vec()),
        ..Stage::backward_euler(state, length)
    }
}

fn bdf2<'a>(start: &StepStart<'a>, old: &History, ratio: f64) -> Stage<'a> {
    let state = start.state;
    let weight = ratio * ratio / (1.0 + 2.0 * ratio);
    let target = MovingBlocks {
        blocks: Cow::Owned(extrapolate(&state.blocks, weight, &old.blocks)),
        velocities: Cow::Owned(extrapolate(&state.velocities, weight, &old.velocities)),
    };
    let gamma = (1.0 + ratio) / (1.0 + 2.0 * ratio);
    Stage { target, gamma_h: gamma * start.h, ..Stage::backward_euler(state, start.h) }
}

fn tr_bdf2_end<'a>(start: &StepStart<'a>, first: &StageEnd) -> Stage<'a> {
    let state = start.state;
    let target = MovingBlocks {
        blocks: Cow::Owned(extrapolate(&first.blocks, 1.0 / 3.0, &state.blocks)),
        velocities: Cow::Owned(extrapolate(&first.velocities, 1.0 / 3.0, &state.velocities)),
    };
    Stage { target, gamma_h: start.h / 3.0, ..Stage::backward_euler(state, start.h) }
}

fn sdirk2_end<'a>(start: &StepStart<'a>, first: &StageEnd) -> Stage<'a> {
    let (state, h, mass) = (start.state, start.h, &start.world.parameters.mass);
    let share = (1.0 - ALPHA) / ALPHA / (ALPHA * h);
    let changes = first.velocities.iter().zip(&state.velocities).zip(mass);
    let force = changes.map(|((v, before), m)| (v - before) * (m * share)).collect();
    let target = MovingBlocks {
        blocks: Cow::Owned(combine(&state.blocks, (1.0 - ALPHA) * h, &first.velocities)),
        velocities: Cow::Borrowed(&state.velocities),
    };
    Stage { target, gamma_h: ALPHA * h, constant_force: Some(force), ..Stage::backward_euler(state, h) }
}
