//! A pile of sheets at rest, with contact stabilisation and without.   [Zhu2024, section 6.1 and
//! figure 11]

use super::Run;
use stiction_numerics::Vec3;

const STEP: f64 = 1.0 / 30.0;
const SHEETS: usize = 12;
/// k_s of the paper \[N/m at steps of one second\].
const SPRING: f64 = 1e6;
const THICKNESS: f64 = 0.025;

/// Twelve sheets, each a little turned, with 17.8 g at an inner vertex: the contact weight is then
/// the paper's 400 N/m, and α = 1e-4 some hundredths of a contact's own block. They start half a
/// millimetre inside each other and a millimetre inside the floor, because only contacts that
/// overlap give way.
fn pile(options: &str) -> Run {
    let copies: String = (0..SHEETS)
        .map(|k| {
            let (height, turn) = (0.0245 * k as f64, 4 * (k * 5 % SHEETS));
            format!("{{ translate = [0, 0, {height}], rotate = {{ axis = 'z', degrees = {turn} }} }},")
        })
        .collect();
    Run::new(&format!(
        "stiction = 1
        fps = 30
        method = {{ key = 'pd', iterations = 20, sweeps = 3, detect_every = 5{options} }}
        [bodies.sheet]
        kind = 'cloth'
        mesh = {{ grid = {{ size = [1.46, 1.46], cells = [6, 6] }} }}
        translate = [0, 0, 0.0115]
        material = {{ density = 300.0, thickness = 0.001, young = 1e6, poisson = 0.3, bending_stiffness = 0.1, damping_stiffness = 0.005 }}
        thickness = {THICKNESS}
        friction = 0.4
        gap = 0.008
        instances = [{copies}]
        [colliders.floor]
        plane = {{ offset = 0.0 }}
        friction = 0.4"
    ))
}

/// Half the second difference of a vertex over three steps, root mean square over steps 61 to 80
/// \[m\].
fn jitter(run: &mut Run) -> f64 {
    let mut last: Vec<Vec<Vec3>> = Vec::new();
    let (mut sum, mut count) = (0.0, 0);
    for step in 0..80 {
        run.step(STEP);
        last.push(run.state.blocks[..run.model.nodes].to_vec());
        if last.len() > 3 {
            last.remove(0);
        }
        if step >= 60 {
            let bends =
                (0..run.model.nodes).map(|n| 0.5 * (last[0][n] - 2.0 * last[1][n] + last[2][n]).norm());
            sum += bends.map(|bend| bend * bend).sum::<f64>();
            count += run.model.nodes;
        }
    }
    (sum / count as f64).sqrt()
}

/// Three sweeps do not carry the pile when contacts are hard; with compliance it comes to rest. At
/// rest a contact gives way until its spring k_s h² \[N/m\] bears what lies on it, so that the
/// overlaps with the floor add up to the weight.
#[test]
fn stabilisation_brings_a_pile_to_rest() {
    let (mut hard, mut soft) = (pile(""), pile(", stabilise = true"));
    let (restless, calm) = (jitter(&mut hard), jitter(&mut soft));
    println!("jitter {restless:e} m without stabilisation, {calm:e} m with it");
    assert!(calm < 1e-5 && restless > 20.0 * calm);

    let depth: f64 =
        soft.state.blocks[..soft.model.nodes].iter().map(|x| (0.5 * THICKNESS - x.z).max(0.0)).sum();
    let carried = depth * SPRING * STEP * STEP;
    let weight = soft.mass() * 9.81;
    println!("{carried} N of {weight} N carried by springs at the floor");
    assert!((carried / weight - 1.0).abs() < 0.01);
}
