//! How stiff contacts are: stiffness that follows the load.
//!
//! A pair that carries the mass S gets k = c S/h². Then it sinks by g h²/c under that weight, whatever
//! the masses are. S is the largest of the heavier mass, the mass that rests on the pair by a walk
//! down the contact graph, and the force that it carried over g.
//!
//! The walk knows a new load at once; the force knows what the walk guesses wrongly. A dead band keeps
//! k where it is while it fits: k that follows each step would pump energy.

use super::detect::PairPatch;
use super::memory::PairMemory;
use super::motion::Moving;
use super::pieces::Owner;

/// k rises when it should be larger by this factor.
const RISE: f64 = 1.5;
/// k falls when it should be smaller by this factor.
const FALL: f64 = 0.25;
/// Steps after which the force that a pair carried counts.
const SETTLED: u32 = 2;

/// k of a pair or joint that had `old`, where `wanted` would fit.
pub fn follow(old: f64, wanted: f64) -> f64 {
    match () {
        _ if wanted > RISE * old => wanted,
        _ if wanted < FALL * old => wanted.max(0.5 * old),
        _ => old,
    }
}

/// Mass that each pair carries by the contact graph \[kg\].
///
/// Bodies from the highest to the lowest, by their centres: each hands its own mass and what rests on
/// it, in equal shares, to the pairs in which it is the upper one:
///
/// S_b = m_b + Σ_above S_a/n_supports(a)
pub fn carried(pairs: &[PairPatch], moving: &Moving) -> Vec<f64> {
    let height = |body: usize| -moving.down.dot(&moving.bodies[body].pose.centre);
    let mut below: Vec<Vec<(u32, Option<u32>)>> = vec![Vec::new(); moving.bodies.len()];
    for (index, pair) in pairs.iter().enumerate() {
        let [a, b] = pair.owners.map(|owner| match owner {
            Owner::Rigid(body) => Some(body),
            Owner::Collider(_) => None,
        });
        let first_is_upper = match [a, b] {
            [Some(a), Some(b)] => height(a as usize) >= height(b as usize),
            [first, _] => first.is_some(),
        };
        let (upper, lower) = if first_is_upper { (a, b) } else { (b, a) };
        if let Some(upper) = upper {
            below[upper as usize].push((index as u32, lower));
        }
    }
    let mut order: Vec<usize> = (0..moving.bodies.len()).collect();
    order.sort_by(|&a, &b| height(b).total_cmp(&height(a)).then(a.cmp(&b)));
    let mut resting: Vec<f64> = moving.bodies.iter().map(|b| b.mass).collect();
    let mut carried = vec![0.0; pairs.len()];
    for body in order {
        let share = resting[body] / below[body].len().max(1) as f64;
        for &(pair, lower) in &below[body] {
            carried[pair as usize] = share;
            if let Some(lower) = lower {
                resting[lower as usize] += share;
            }
        }
    }
    carried
}

/// k of a pair \[N/m\].
pub fn of_pair(
    pair: &PairPatch,
    memory: Option<&PairMemory>,
    carried: f64,
    moving: &Moving,
    hardness: f64,
) -> f64 {
    let heavier = pair.owners.map(|owner| moving.mass(owner));
    let by_graph = heavier[0].max(heavier[1]).max(carried);
    let stiffness = |mass: f64| hardness * mass / (moving.h * moving.h);
    match memory {
        None => stiffness(by_graph),
        Some(known) if known.age < SETTLED => follow(known.stiffness, stiffness(by_graph)),
        Some(known) => {
            let by_force = known.loads[0].min(known.loads[1]) / moving.weight;
            follow(known.stiffness, stiffness(by_graph.max(by_force)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::follow;

    #[test]
    fn stiffness_stays_in_its_dead_band() {
        assert_eq!(follow(1.0, 1.4), 1.0);
        assert_eq!(follow(1.0, 0.3), 1.0);
        assert_eq!(follow(1.0, 1.6), 1.6);
        assert_eq!(follow(1.0, 0.2), 0.5);
        assert_eq!(follow(1.0, 1e-9), 0.5);
    }
}
