//! What becomes of the paper's scenes that run in seconds: friction decides.

use super::Run;
use std::path::Path;
use stiction_numerics::Vec3;
use stiction_scene::load;

/// A scene of the gallery with changes, after some steps \[s\]; where its nodes were and where they
/// are.
fn after(name: &str, changes: &[&str], step: f64, steps: usize) -> (Vec<Vec3>, Run) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../scenes/{name}.toml"));
    let scene = load(&path, changes).expect("a scene of the gallery");
    let mut run = Run::of(&scene).expect("a solver");
    let start = run.state.blocks[..run.model.nodes].to_vec();
    (0..steps).for_each(|_| drop(run.step(step)));
    (start, run)
}

/// Farthest way of a node, and how far the highest one has come down \[m\].
fn moved((start, run): &(Vec<Vec3>, Run)) -> [f64; 2] {
    let farthest = start.iter().zip(&run.state.blocks).map(|(a, b)| (b - a).norm()).fold(0.0, f64::max);
    let top = |nodes: &[Vec3]| nodes.iter().map(|x| x.z).fold(f64::MIN, f64::max);
    [farthest, top(start) - top(&run.state.blocks[..start.len()])]
}

#[test]
fn an_arch_stands_or_falls() {
    let [farthest, _] = moved(&after("masonry_arch", &[], 0.01, 150));
    assert!(farthest < 0.01, "{farthest}");
    let fallen = after("masonry_arch", &["grip=low"], 0.01, 120);
    let [_, sunk] = moved(&fallen);
    assert!(sunk > 0.05, "{sunk}");
    assert_eq!(fallen.1.crossings(), 0);
}

#[test]
fn a_house_of_cards_stands_or_falls() {
    let standing = after("card_house_fine", &["size=coarse"], 1.0 / 120.0, 90);
    let [farthest, _] = moved(&standing);
    assert!(farthest < 0.003, "{farthest}");
    assert_eq!(standing.1.crossings(), 0);
    let fallen = after("card_house_fine", &["size=coarse", "grip=low"], 1.0 / 120.0, 60);
    let [_, sunk] = moved(&fallen);
    assert!(sunk > 0.05, "{sunk}");
    assert_eq!(fallen.1.crossings(), 0);
}

/// 30 degrees, a second: a cloth holds at μ 0.7 and slides with g (sin − μ cos) at 0.4, to what
/// backward Euler makes of it, ½ a t² (1 + h/t).
#[test]
fn a_cloth_on_a_slope_holds_or_slides() {
    let (h, steps) = (1.0 / 90.0, 90);
    let [held, _] = moved(&after("cloth_slope", &[], h, steps));
    // It begins half a millimetre above.
    assert!(held < 1e-3, "{held}");
    let [slid, _] = moved(&after("cloth_slope", &["grip=low"], h, steps));
    let rate = 9.81 * (0.5 - 0.4 * 0.75_f64.sqrt());
    assert!((slid / (0.5 * rate * (1.0 + h)) - 1.0).abs() < 0.01, "{slid}");
}
