//! Impact zones: nodes whose surfaces would pass through each other move as one stiff piece for a
//! step.   [Bridson2002, "rigid impact zones"]
//!
//! A zone goes from its places x₀ at the start of the step to `c₁ + R (x₀ − c₀)`, along straight
//! ways: at the share t of the step by the affine map `(1−t) I + t R`, which turns nothing inside
//! out while R turns by less than half a circle. So pairs within a zone stay apart, by no less than
//! cos(θ/2) of their distance at the start. c₁ and R are the means of what the nodes would have
//! done, so that both momenta stay (the moment to first order in θ).
//!
//! A zone with prescribed points goes where those go, and turns by what they and its free nodes
//! would have done, each of the two groups about its own centre: a few prescribed points next to
//! each other say little about a turn, and what lags behind them is no turn. Where that is not
//! enough, it moves as the prescribed points do. Points that do not move as a stiff piece say
//! nothing about a turn: then the zone does not turn. A zone that would end inside an analytic
//! collider is shifted out of it, and where that does not help it takes the motion of the collider.
//!
//! c₀, c₁ centres of mass before and after \[m\] · R rotation, θ its angle

use super::contact_finder::StepMotion;
use stiction_bodies::Model;
use stiction_bodies::partition::Joiner;
use stiction_bodies::surfaces::VertexSource;
use stiction_numerics::{Mat3, Vec3, rotation_from_vector};

/// Corrections of R: each leaves about a sixth of the cube of the angle that was left.
const TURNS: usize = 4;
/// A zone turns by no more than this \[rad\]: far from half a circle.
const MOST_TURN: f64 = 1.5;
/// Share of the trace of the inertia that is added to it: points in line have none about their
/// axis.
const THIN: f64 = 1e-9;
/// Points move as a stiff piece when what is left of their ways, without their mean, is less than
/// this share of them.
const STIFF: f64 = 0.05;
/// The same as a share of their distances from their mean, for those whose ways are nothing but
/// rounding.
const ROUNDING: f64 = 1e-12;

/// A motion of a stiff piece.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct StiffMotion {
    from: Vec3,
    to: Vec3,
    turn: Mat3,
}

/// A point of a zone: its mass \[kg\] and its places at the start and at the end \[m\].
pub(super) type MovingPoint = (f64, Vec3, Vec3);

impl StiffMotion {
    /// The motion nearest to that of some points, by their masses.
    pub fn nearest(points: &[MovingPoint]) -> StiffMotion {
        let (from, to) = means(points);
        StiffMotion { from, to, turn: common_turn(&[points]) }
    }

    /// The motion that goes where some points lead and turns with them and with those that follow;
    /// without a turn where those that lead do not move as a stiff piece.
    pub fn led_by(leading: &[MovingPoint], following: &[MovingPoint]) -> StiffMotion {
        let (from, to) = means(leading);
        let stiff = StiffMotion::nearest(leading).fits(leading);
        let turn = if stiff { common_turn(&[leading, following]) } else { Mat3::identity() };
        StiffMotion { from, to, turn }
    }

    /// Whether points move by it, to a small share of what they move without their mean.
    fn fits(&self, points: &[MovingPoint]) -> bool {
        let (mut left, mut moved, mut size) = (0.0, 0.0, 0.0);
        for (m, start, end) in points {
            left += m * (self.apply(start) - end).norm_squared();
            moved += m * ((end - self.to) - (start - self.from)).norm_squared();
            size += m * (start - self.from).norm_squared();
        }
        left <= STIFF * STIFF * moved + ROUNDING * ROUNDING * size
    }
    /// The same, shifted.
    pub fn shifted(self, by: Vec3) -> StiffMotion {
        StiffMotion { to: self.to + by, ..self }
    }

    /// Where a point ends that starts at `start`.
    pub fn apply(&self, start: &Vec3) -> Vec3 {
        self.to + self.turn * (start - self.from)
    }
}

/// Means of places before and after by mass \[m\].
fn means(points: &[MovingPoint]) -> (Vec3, Vec3) {
    let mass: f64 = points.iter().map(|(m, ..)| m).sum();
    let mean =
        |place: fn(&MovingPoint) -> Vec3| -> Vec3 { points.iter().map(|p| place(p) * (p.0 / mass)).sum() };
    (mean(|p| p.1), mean(|p| p.2))
}

/// The turn nearest to what groups of points do, each about its own centre.
fn common_turn(groups: &[&[MovingPoint]]) -> Mat3 {
    let groups: Vec<_> =
        groups.iter().filter(|points| !points.is_empty()).map(|points| (points, means(points))).collect();
    let mut turn = Mat3::identity();
    for _ in 0..TURNS {
        let (mut inertia, mut moment) = (Mat3::zeros(), Vec3::zeros());
        for (points, (from, to)) in &groups {
            for (m, start, end) in points.iter() {
                let arm = turn * (start - from);
                inertia += (Mat3::identity() * arm.norm_squared() - arm * arm.transpose()) * *m;
                moment += arm.cross(&(end - to)) * *m;
            }
        }
        inertia += Mat3::identity() * (THIN * inertia.trace());
        let Some(inverse) = inertia.try_inverse() else { break };
        let by = inverse * moment;
        turn = rotation_from_vector(&(by * (MOST_TURN / TURNS as f64 / by.norm()).min(1.0))) * turn;
    }
    turn
}

/// What a zone holds: nodes, vertices of mesh colliders and analytic colliders, in this order,
/// under one numbering.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Member {
    Node(usize),
    /// A vertex of a mesh collider.
    Kinematic(usize),
    /// An analytic collider, by its place in the list.
    Shape(usize),
}

/// What a zone is made of, as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Makeup {
    /// Analytic colliders in it.
    pub shapes: usize,
    /// Whether something in it is prescribed.
    pub driven: bool,
    /// Whether it has to move as its prescribed points do.
    pub follows: bool,
}

impl Makeup {
    /// Whether the zone moves as a stiff piece, whatever it holds: nothing else leads it.
    pub fn is_stiff(&self) -> bool {
        self.shapes < 2 && !self.driven
    }
}

/// The zones of a step.
pub(super) struct Zones {
    joiner: Joiner,
    is_member: Vec<bool>,
    /// Members by which their zones have to move as prescribed.
    follows: Vec<bool>,
    nodes: usize,
    /// First vertex of mesh colliders, and the vertex after the last.
    kinematic: [usize; 2],
}

impl Zones {
    /// None yet, for a model with so many analytic colliders.
    pub fn new(model: &Model, shapes: usize) -> Zones {
        let kinematic = [model.surfaces.rigid_start(), model.surfaces.vertices()];
        let members = model.nodes + kinematic[1] - kinematic[0] + shapes;
        let none = vec![false; members];
        let joiner = Joiner::new(members);
        Zones { joiner, is_member: none.clone(), follows: none, nodes: model.nodes, kinematic }
    }

    /// Puts vertices, and an analytic collider where there is one, into one zone.
    pub fn join(&mut self, model: &Model, vertices: &[u32], shape: Option<usize>) {
        let members = self.members_of(model, vertices, shape);
        members.iter().for_each(|&m| self.is_member[m as usize] = true);
        self.joiner.join_all(members);
    }

    /// Lets the zone of a vertex move as its prescribed points do.
    pub fn follow(&mut self, model: &Model, vertex: u32) {
        let members = self.members_of(model, &[vertex], None);
        members.into_iter().for_each(|m| self.follows[m as usize] = true);
    }

    /// The zone that holds vertices, and an analytic collider where there is one, as the smallest
    /// number in it; none when they are not in one.
    pub fn zone_of(&mut self, model: &Model, vertices: &[u32], shape: Option<usize>) -> Option<usize> {
        let members = self.members_of(model, vertices, shape);
        let root = self.joiner.root(members[0]);
        let together = members.iter().all(|&m| self.is_member[m as usize] && self.joiner.root(m) == root);
        together.then_some(root as usize)
    }

    /// What each zone is made of, by the smallest number in it.
    pub fn makeups(&mut self, motion: &StepMotion<'_>) -> Vec<Makeup> {
        let mut out = vec![Makeup::default(); self.is_member.len()];
        for m in (0..self.is_member.len()).filter(|&m| self.is_member[m]).collect::<Vec<_>>() {
            let zone = &mut out[self.joiner.root(m as u32) as usize];
            match self.member(m) {
                Member::Node(n) => zone.driven |= motion.prescription.fixed[n],
                Member::Kinematic(_) => zone.driven = true,
                Member::Shape(_) => zone.shapes += 1,
            }
            zone.follows |= self.follows[m];
        }
        out
    }

    /// Whether a node moves with a zone.
    pub fn holds(&self, node: usize) -> bool {
        self.is_member[node]
    }

    /// Free nodes in zones.
    pub fn node_count(&self, motion: &StepMotion<'_>) -> usize {
        let members = self.is_member[..self.nodes].iter().zip(&motion.prescription.fixed);
        members.filter(|(member, fixed)| **member && !**fixed).count()
    }

    /// The members of each zone, and the smallest number among them.
    pub fn all(&mut self) -> Vec<(usize, Vec<Member>)> {
        let members = (0..self.is_member.len()).filter(|&m| self.is_member[m]);
        let mut rooted: Vec<(u32, usize)> = members.map(|m| (self.joiner.root(m as u32), m)).collect();
        rooted.sort_unstable();
        let zones = rooted.chunk_by(|a, b| a.0 == b.0);
        zones.map(|zone| (zone[0].0 as usize, zone.iter().map(|&(_, m)| self.member(m)).collect())).collect()
    }

    fn members_of(&self, model: &Model, vertices: &[u32], shape: Option<usize>) -> Vec<u32> {
        let mut members = Vec::new();
        for &vertex in vertices {
            match model.surfaces.source(vertex as usize) {
                VertexSource::Node(node) => members.push(node),
                VertexSource::Embedded(terms) => members.extend(terms.iter().map(|t| t.0)),
                VertexSource::Rigid { .. } | VertexSource::Kinematic => {
                    members.push((self.nodes + vertex as usize - self.kinematic[0]) as u32);
                }
            }
        }
        let first_shape = self.nodes + self.kinematic[1] - self.kinematic[0];
        members.extend(shape.map(|shape| (first_shape + shape) as u32));
        members
    }

    fn member(&self, number: usize) -> Member {
        let [first, end] = self.kinematic;
        match number.checked_sub(self.nodes) {
            None => Member::Node(number),
            Some(k) if k < end - first => Member::Kinematic(first + k),
            Some(k) => Member::Shape(k - (end - first)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stiction_numerics::Random;

    fn cloud(random: &mut Random, motion: impl Fn(&Vec3) -> Vec3) -> Vec<MovingPoint> {
        let mut point = || {
            let start = random.unit_vector() * 0.3;
            (random.range(0.5, 2.0), start, motion(&start))
        };
        (0..7).map(|_| point()).collect()
    }

    #[test]
    fn a_stiff_motion_is_found_again() {
        let mut random = Random::new(5);
        for _ in 0..20 {
            let turn = rotation_from_vector(&(random.unit_vector() * 0.8));
            let shift = random.unit_vector() * 3.0;
            let points = cloud(&mut random, |x| turn * x + shift);
            let found = StiffMotion::nearest(&points);
            let worst = points.iter().map(|(_, x, y)| (found.apply(x) - y).norm()).fold(0.0, f64::max);
            assert!(worst < 1e-7, "{worst}");
        }
    }

    /// One point leads: it goes its way, and the rest turns as it would, whether it lags behind or
    /// not.
    #[test]
    fn zones_turn_about_what_leads_them() {
        let mut random = Random::new(3);
        let turn = rotation_from_vector(&Vec3::new(0.1, -0.2, 0.3));
        for lag in [0.0, 0.05] {
            let following = cloud(&mut random, |x| turn * x + Vec3::z() * lag);
            let leading = [(1.0, Vec3::x(), turn * Vec3::x())];
            let found = StiffMotion::led_by(&leading, &following);
            let turned = |x: &Vec3| turn * x;
            let worst = following.iter().map(|(_, x, _)| (found.apply(x) - turned(x)).norm());
            assert!(worst.fold(0.0, f64::max) < 1e-7, "{lag}");
        }
    }

    /// Three points that lead go each their way: nobody knows a turn from that, and at the end of a
    /// long arm it would throw what follows.
    #[test]
    fn points_that_do_not_move_as_one_turn_nothing() {
        let mut random = Random::new(4);
        let following = cloud(&mut random, |x| *x);
        let lead = |start: Vec3, way: Vec3| (1.0, start * 0.004, start * 0.004 + way * 0.002);
        let leading =
            [lead(Vec3::x(), Vec3::z()), lead(-Vec3::x(), Vec3::zeros()), lead(Vec3::y(), -Vec3::x())];
        assert_ne!(StiffMotion::nearest(&leading).turn, Mat3::identity());
        let found = StiffMotion::led_by(&leading, &following);
        assert_eq!(found.turn, Mat3::identity());
    }

    /// Points in line, and a single one, have no inertia about an axis.
    #[test]
    fn thin_zones_move_with_their_points() {
        let turn = rotation_from_vector(&(Vec3::z() * 0.3));
        for count in 1..4 {
            let start = |k: i32| Vec3::x() * f64::from(k);
            let points: Vec<MovingPoint> =
                (0..count).map(|k| (1.0, start(k), turn * start(k) + Vec3::y())).collect();
            let found = StiffMotion::nearest(&points);
            let worst = points.iter().map(|(_, x, y)| (found.apply(x) - y).norm()).fold(0.0, f64::max);
            assert!(worst < 1e-7, "{count}: {worst}");
        }
    }

    /// Momentum stays, and so does the moment of momentum to the order of the angle: the rest falls
    /// with its square.
    #[test]
    fn zones_keep_momenta() {
        let mut random = Random::new(9);
        let noise: Vec<Vec3> = (0..7).map(|_| random.unit_vector()).collect();
        let start = cloud(&mut random, |x| *x);
        let errors: Vec<[f64; 2]> = [0.04, 0.02, 0.01]
            .map(|size| {
                let ends = start.iter().zip(&noise).map(|((m, x, _), n)| (*m, *x, x + n * size));
                let points: Vec<MovingPoint> = ends.collect();
                let found = StiffMotion::nearest(&points);
                let change = |p: &MovingPoint| (found.apply(&p.1) - p.2) * p.0;
                let (linear, angular): (Vec3, Vec3) =
                    (points.iter().map(change).sum(), points.iter().map(|p| p.1.cross(&change(p))).sum());
                [linear.norm(), angular.norm()]
            })
            .to_vec();
        assert!(errors.iter().all(|e| e[0] < 1e-12), "{errors:?}");
        assert!(errors.windows(2).all(|e| e[1][1] < 0.3 * e[0][1] + 1e-14), "{errors:?}");
    }
}
