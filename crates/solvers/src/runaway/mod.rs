//! Stops runs whose state runs away, whatever the method.
//!
//! Energy can only come from somewhere. With E₀ the energy at the start and W the work that was done
//! since, a body of mass m cannot be faster than `v² = 2 (E₀ + W)/m`. [`RunawayGuard`] adds up a bound
//! of the right-hand side per mass, the squared speed
//!
//! `v_s² = max over bodies ( v₀ + g t + w + 2 u + p + d/h + v_f )² + c² ((s + d)/L)² + 2 (V₀ + W_k)/m`
//!
//! | symbol | meaning | why it bounds the work |
//! | --- | --- | --- |
//! | v₀ | speed at the start \[m/s\] | kinetic energy at the start |
//! | g t | ∫ gravity dt \[m/s\] | free fall |
//! | w | fastest wind \[m/s\] | drag never overtakes it |
//! | u, s | highest speed \[m/s\] and path \[m\] of pins, anchors and colliders | what they hit leaves at 2u at most |
//! | p | ∫ forces of the caller and of pressure dt / m \[m/s\] | impulse |
//! | d | deepest penetration \[m\], at most the size of the scene | opened within a step h at worst |
//! | c | speed of sound, √(modulus/density) \[m/s\] | a script that moves by s strains a body of size L by s/L: ½ c² (s/L)² per mass |
//! | V₀ | elastic energy at the start \[J\] | all of it may become motion |
//! | W_k | work on springs \[J\] | energy of springs that switch on, force of anchors times their way |
//! | v_f | [`SPEED_FLOOR`] | noise where nothing moves at all |
//!
//! None of these grows with a state that has run away: w, u and s come from the scene, d is cut. A step
//! may end with bodies at [`FACTOR`] times v_s (root mean square over the mass of a body), since
//! laws stiffen, bodies collide in chains and whips crack. Steps that stay unconverged have no such
//! credit: after [`PATIENCE`] of them in a row [`UNCONVERGED_FACTOR`] holds.
//!
//! `commit` compares, so that a step beyond the limit is refused like one that is not finite: state
//! and memory of the method stay as they were, and the checkpoint of the run is a sane one.

mod sizes;
mod work;

use crate::report::StepReport;
use crate::solver::{StepError, World};
use sizes::{BodySize, BodySizes};
use stiction_bodies::{MotionLimit, State};
use stiction_energy::Elasticity;
use work::{ScriptMotion, StepTimes};

/// Speeds may exceed the estimate by this factor, energies by its square.
const FACTOR: f64 = 10.0;
/// The same where steps do not converge.
const UNCONVERGED_FACTOR: f64 = 3.0;
/// Unconverged steps in a row that count as a habit.
const PATIENCE: u32 = 10;
/// Speed that is never held against a body \[m/s\].
const SPEED_FLOOR: f64 = 1.0;

/// What the energy of a run can come from, so far.
#[derive(Clone, Debug, Default)]
pub struct RunawayGuard {
    sizes: Option<BodySizes>,
    /// After the last step that was accepted.
    budget: Option<Budget>,
    /// With what may act in the step that is being made.
    pending: Option<Budget>,
}

/// Sums and extremes since the start, or since the caller last changed the state.
#[derive(Clone, Debug, Default, PartialEq)]
struct Budget {
    /// v₀.
    start_speed: f64,
    /// V₀; infinite where a law has no value.
    start_energy: f64,
    /// ∫ |g| dt.
    fall: f64,
    /// p.
    push: f64,
    /// w.
    wind: f64,
    /// u.
    script_speed: f64,
    /// s.
    script_path: f64,
    /// W_k.
    spring_work: f64,
    /// d; unknown before the first step.
    depth: f64,
    /// Shortest step \[s\].
    shortest_step: f64,
    /// When the last step began \[s\].
    last_start: f64,
    steps: f64,
    /// Steps without convergence since the last one with it.
    unconverged: f64,
    /// What the state was like when the last step was accepted.
    seen: Fingerprint,
}

/// Tells a state that only steps have changed from one that the caller has touched.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Fingerprint {
    time: f64,
    speeds: f64,
    places: f64,
}

impl Fingerprint {
    fn of(state: &State) -> Fingerprint {
        Fingerprint {
            time: state.time,
            speeds: state.velocities.iter().map(|v| v.norm_squared()).sum(),
            places: state.blocks.iter().map(|x| x.sum()).sum(),
        }
    }

    /// The time may be put on that of a frame, which differs by rounding.
    fn is_of(&self, state: &State) -> bool {
        let now = Fingerprint::of(state);
        now.speeds == self.speeds
            && now.places == self.places
            && (now.time - self.time).abs() <= 1e-9 * now.time.abs().max(1e-9)
    }
}

impl RunawayGuard {
    /// How far a step of `h` \[s\] may take the bodies; none where nothing bounds it.
    pub fn limit(&mut self, world: World<'_>, state: &State, h: f64) -> Option<MotionLimit> {
        // Nothing is known about the work of drives.
        if world.parameters.joints.iter().any(|joint| joint.drive.is_some()) {
            return None;
        }
        let sizes = self.sizes.get_or_insert_with(|| BodySizes::new(world));
        let known = self.budget.as_ref().filter(|budget| budget.seen.is_of(state));
        let mut budget = known.cloned().unwrap_or_else(|| Budget::new(world, state));
        budget.add_step(world, state, h, sizes);
        let factor = if budget.unconverged >= f64::from(PATIENCE) { UNCONVERGED_FACTOR } else { FACTOR };
        let speed = factor * budget.speed(sizes);
        // Steps without inertia go to an equilibrium at once: across the scene, and as far as their
        // weight stretches them.
        let gravity = world.parameters.gravity.at(state.time + h).norm();
        let displacement = factor * (sizes.reach() + gravity * sizes.largest_compliance()) + h * speed;
        self.pending = Some(budget);
        (speed.is_finite() && displacement.is_finite()).then_some(MotionLimit { speed, displacement })
    }

    /// Takes note of a step that was made.
    pub fn accept(&mut self, report: &StepReport, state: &State) {
        let (Some(mut budget), Some(sizes)) = (self.pending.take(), &self.sizes) else { return };
        budget.depth = budget.depth.max(report.penetration.min(sizes.reach()));
        budget.steps += 1.0;
        budget.unconverged = if report.converged { 0.0 } else { budget.unconverged + 1.0 };
        budget.seen = Fingerprint::of(state);
        self.budget = Some(budget);
    }

    /// Begins again with the next step: values that energies depend on have changed.
    pub fn forget(&mut self) {
        *self = RunawayGuard::default();
    }

    /// The error with what may have led to it.
    pub fn explained(&self, error: StepError, world: World<'_>) -> StepError {
        match error {
            StepError::RanAway { body, name, speed, most, .. } => {
                let cause = self.likely_cause(world, body);
                StepError::RanAway { body, name, speed, most, cause }
            }
            other => other,
        }
    }

    fn likely_cause(&self, world: World<'_>, body: usize) -> String {
        let crowded = self.sizes.as_ref().and_then(|sizes| sizes.thick_for_its_cells(world, body));
        let unconverged = self.budget.as_ref().map_or(0.0, |budget| budget.unconverged);
        if let Some(name) = crowded {
            return format!(
                "`{name}` is thicker than its cells are long: check the units of `thickness` and `gap`"
            );
        }
        if unconverged > 0.0 {
            return format!(
                "the last {unconverged} steps did not converge: take a smaller step or more iterations"
            );
        }
        "take a smaller step, and look for stiffness, density or lengths in other units".to_owned()
    }

    /// What a checkpoint keeps.
    pub fn save(&self) -> Vec<f64> {
        self.budget.as_ref().map_or_else(Vec::new, |b| b.numbers().to_vec())
    }

    /// Takes back what [`RunawayGuard::save`] gave; other numbers mean a new beginning.
    pub fn restore(&mut self, numbers: &[f64]) {
        self.budget = numbers.try_into().ok().map(|numbers: &[f64; NUMBERS]| Budget::from(*numbers));
    }
}

/// Numbers of a budget.
const NUMBERS: usize = 16;

impl Budget {
    fn new(world: World<'_>, state: &State) -> Budget {
        let bodies = 0..world.model.bodies.len();
        let fastest = bodies.map(|body| state.mean_speed(world.model, world.parameters, body));
        Budget {
            start_speed: fastest.fold(0.0, f64::max),
            start_energy: elastic_energy(world, state),
            seen: Fingerprint::of(state),
            ..Budget::default()
        }
    }

    /// Adds what may act in a step of `h` \[s\].
    fn add_step(&mut self, world: World<'_>, state: &State, h: f64, sizes: &BodySizes) {
        let parameters = world.parameters;
        let since = (self.steps > 0.0).then_some(self.last_start);
        let scripts = ScriptMotion::new(world, state, &StepTimes { since, h }, sizes.corners());
        self.script_speed = self.script_speed.max(scripts.way / h);
        self.script_path += scripts.way;
        self.spring_work += scripts.spring_work;
        self.fall += parameters.gravity.at(state.time + h).norm() * h;
        self.push += sizes.acceleration(world) * h;
        if parameters.wind.air_density > 0.0 {
            self.wind = self.wind.max(parameters.wind.velocity.norm() + parameters.wind.gust_amplitude.abs());
        }
        self.shortest_step = if self.steps == 0.0 { h } else { self.shortest_step.min(h) };
        self.last_start = state.time;
    }

    /// v_s \[m/s\].
    fn speed(&self, sizes: &BodySizes) -> f64 {
        // Bodies may begin inside of each other; the report of the first step tells how deep.
        let depth = if self.steps == 0.0 { sizes.reach() } else { self.depth };
        let plain = self.start_speed
            + self.fall
            + self.push
            + self.wind
            + 2.0 * self.script_speed
            + depth / self.shortest_step
            + SPEED_FLOOR;
        let stored = self.start_energy + self.spring_work;
        let squared = |size: &BodySize| {
            let strain = (self.script_path + depth) / size.extent;
            let elastic = size.sound_squared * strain * strain;
            let per_mass = if stored.is_finite() { stored / size.mass } else { size.sound_squared };
            plain * plain + elastic + 2.0 * per_mass
        };
        sizes.bodies.iter().map(squared).fold(0.0, f64::max).sqrt()
    }

    fn numbers(&self) -> [f64; NUMBERS] {
        [
            self.start_speed,
            self.start_energy,
            self.fall,
            self.push,
            self.wind,
            self.script_speed,
            self.script_path,
            self.spring_work,
            self.depth,
            self.shortest_step,
            self.last_start,
            self.steps,
            self.unconverged,
            self.seen.time,
            self.seen.speeds,
            self.seen.places,
        ]
    }
}

impl From<[f64; NUMBERS]> for Budget {
    fn from(numbers: [f64; NUMBERS]) -> Budget {
        let [start_speed, start_energy, fall, push, wind, rest @ ..] = numbers;
        let [script_speed, script_path, spring_work, depth, shortest_step, last_start, rest @ ..] = rest;
        let [steps, unconverged, time, speeds, places] = rest;
        let seen = Fingerprint { time, speeds, places };
        Budget {
            start_speed,
            start_energy,
            fall,
            push,
            wind,
            script_speed,
            script_path,
            spring_work,
            depth,
            shortest_step,
            last_start,
            steps,
            unconverged,
            seen,
        }
    }
}

/// Elastic energy of a state \[J\], by the laws of the scene; infinite where they have no value.
fn elastic_energy(world: World<'_>, state: &State) -> f64 {
    let energy = Elasticity::new(world.model, world.parameters)
        .map_or(0.0, |elasticity| elasticity.energy(&state.blocks, &state.frames, state.time));
    if energy.is_finite() { energy.max(0.0) } else { f64::INFINITY }
}
