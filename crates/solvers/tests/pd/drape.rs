//! Sheets on a ball: what the accepted positions look like.

use super::Run;

fn sheet(passes: usize) -> Run {
    Run::new(&format!(
        "stiction = 1
        fps = 60
        method = {{ key = 'pd', iterations = 8, sweeps = 3, limit_passes = {passes} }}
        [bodies.sheet]
        kind = 'cloth'
        mesh = {{ grid = {{ size = [0.5, 0.5], cells = [40, 40], pattern = 'alternating' }} }}
        translate = [0, 0, 0.13]
        material = {{ preset = 'cotton', damping_stiffness = 0.002, strain_limit = 0.01 }}
        friction = 0.5
        [colliders.ball]
        sphere = {{ radius = 0.125 }}
        friction = 0.5"
    ))
}

/// After few iterations x and x_t + h p differ, and the difference is stretch between neighbours:
/// rounds at the end of the step take it out, and nothing is pushed into the ball.
#[test]
fn a_strain_limit_holds_where_a_sheet_touches() {
    let worst = |passes: usize| {
        let mut run = sheet(passes);
        let reports: Vec<_> = (0..40).map(|_| run.step(1.0 / 60.0)).collect();
        assert_eq!(run.crossings(), 0, "{passes} rounds");
        let excess = |r: &stiction_solvers::StepReport| r.strain_limit_excess;
        reports.iter().skip(15).map(excess).fold(0.0, f64::max)
    };
    let (without, with) = (worst(0), worst(60));
    println!("largest excess {without} without the rounds, {with} with them");
    assert!(without > 0.02, "{without}");
    assert!(with < 0.0075, "{with}");
}
