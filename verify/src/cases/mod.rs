//! One file per case or family; the header of each states the protocol.

pub mod anisotropic;
pub mod arch;
pub mod bend_twist;
pub mod buckling_lateral;
pub mod cantilever_beam;
pub mod cantilever_gallery;
pub mod cantilever_rod;
pub mod cantilever_strip;
pub mod circle_rod;
pub mod collision;
pub mod creep;
pub mod cylinder;
pub mod data_sets;
pub mod drag_plate;
pub mod drift;
pub mod elastica_tip;
pub mod force_balance;
pub mod moduli_membrane;
pub mod moduli_rod;
pub mod moduli_solid;
pub mod momentum_damping;
pub mod momentum_free_fall;
pub mod resolve_twice;
pub mod rope;
pub mod rope_lock;
pub mod slope;
pub mod stick_slip;
pub mod stopping;

mod beam_text;
mod slope_text;
mod uniform;

use crate::registry::{Case, Kind, Measure};

const fn case(
    name: &'static str,
    kind: Kind,
    measure: Measure,
    reduced: bool,
    summary: &'static str,
) -> Case {
    Case { name, kind, summary, reduced, measure }
}

/// A case with contact under converged settings, under the defaults, and by the iterations of `pd`.
macro_rules! family {
    ($name:literal, $measure:expr, $reduced:literal, $summary:literal) => {
        [
            case($name, Kind::Converged, $measure, $reduced, $summary),
            case(
                concat!($name, "_default"),
                Kind::Default,
                $measure,
                false,
                concat!($summary, ", at default settings"),
            ),
            case(
                concat!($name, "_iterations"),
                Kind::Iterations(0),
                $measure,
                false,
                concat!($summary, ", at 20, 40 and 100 iterations"),
            ),
        ]
    };
}

/// All cases, in the order in which they are reported.
pub fn all() -> Vec<Case> {
    let mut out = elastic();
    out.extend(frictional());
    out.extend(recorded());
    out
}

/// Cases with contact and friction.
fn frictional() -> Vec<Case> {
    use Measure::{Contact, Only};
    // Methods with Coulomb cones that are solved exactly.
    const BOTH: &[&str] = &["admm", "pd"];
    let mut out = Vec::new();
    out.extend(family!(
        "slope_block",
        Contact(slope::block),
        true,
        "block on a slope of 10 degrees holds or slides"
    ));
    out.extend(family!(
        "slope_cloth",
        Contact(slope::cloth),
        true,
        "cloth on a slope of 10 degrees holds or slides"
    ));
    out.extend(family!("slope_steep", Contact(slope::steep), false, "block on a slope of 26.57 degrees"));
    for (name, kind) in [("slope_creep", Kind::Converged), ("slope_creep_default", Kind::Default)] {
        let summary = "creep of a block at rest with anchored and lagged friction";
        out.push(case(name, kind, Only(&["barrier"], creep::measure), false, summary));
    }
    out.extend(family!("stopping_block", Contact(stopping::block), false, "sliding block comes to rest"));
    out.extend(family!("rope_capstan", Contact(rope::capstan), false, "rope over a cylinder slips or holds"));
    out.extend(family!(
        "rope_lock",
        Contact(rope_lock::lock),
        false,
        "rope wound round three cylinders locks or runs out"
    ));
    out.extend(family!(
        "cylinder_cloth",
        Contact(cylinder::cloth),
        false,
        "cloth over a cylinder slips or holds"
    ));
    out.extend(family!(
        "stick_slip_rod",
        Contact(stick_slip::rod),
        false,
        "end of a pressed rod sticks or slips"
    ));
    out.extend(family!(
        "stick_slip_strip",
        Contact(stick_slip::strip),
        false,
        "end of a pressed strip sticks or slips"
    ));
    out.extend(family!(
        "arch_threshold",
        Contact(arch::threshold),
        false,
        "friction at which a masonry arch falls"
    ));
    out.extend(family!(
        "force_balance_rest",
        Contact(force_balance::rest),
        true,
        "contact forces carry the weight"
    ));
    out.extend(family!(
        "momentum_collision",
        Contact(collision::measure),
        false,
        "colliding bodies keep their momentum"
    ));
    out.extend(family!(
        "anisotropic_ray",
        Only(BOTH, anisotropic::ray),
        true,
        "sheet with a grain, friction cut along the ray"
    ));
    out.extend(family!(
        "anisotropic_dissipation",
        Only(BOTH, anisotropic::dissipation),
        false,
        "sheet with a grain, maximum dissipation"
    ));
    for kind in [Kind::Converged, Kind::Default] {
        let name = if kind == Kind::Default { "resolve_twice_default" } else { "resolve_twice" };
        out.push(case(
            name,
            kind,
            Only(BOTH, resolve_twice::measure),
            false,
            "a step solved again with doubled caps",
        ));
    }
    out.extend(family!(
        "momentum_damping",
        Contact(momentum_damping::measure),
        false,
        "damping keeps momentum"
    ));
    out
}

/// Cases over files.
fn recorded() -> Vec<Case> {
    use Kind::Default;
    use Measure::Data;
    vec![
        case("ccd", Default, Data(data_sets::ccd), false, "recorded collision queries (needs --data)"),
        case(
            "coulomb",
            Default,
            Data(data_sets::coulomb),
            false,
            "recorded friction problems (needs --data)",
        ),
    ]
}

/// Cases of elasticity and free motion.
fn elastic() -> Vec<Case> {
    use Kind::{Converged, Default};
    use Measure::{Any, Newton, Only};
    // Methods in which the air acts.
    const IN_AIR: &[&str] = &["newton", "admm", "pd", "barrier"];
    vec![
        case(
            "cantilever_rod",
            Converged,
            Newton(cantilever_rod::measure),
            true,
            "heavy rod sags to the elastica",
        ),
        case(
            "cantilever_strip_axis",
            Converged,
            Newton(cantilever_strip::axis),
            true,
            "heavy strip, mesh along its axis",
        ),
        case(
            "cantilever_strip_diagonal",
            Converged,
            Newton(cantilever_strip::diagonal),
            false,
            "heavy strip, diagonal mesh",
        ),
        case(
            "cantilever_strip_irregular",
            Converged,
            Newton(cantilever_strip::irregular),
            false,
            "heavy strip, irregular mesh",
        ),
        case(
            "cantilever_strip_resolution",
            Converged,
            Newton(cantilever_strip::resolution),
            false,
            "bending independent of the mesh",
        ),
        case(
            "cantilever_strip_plate",
            Converged,
            Newton(cantilever_strip::plate),
            false,
            "wide sheet with Poisson's effect",
        ),
        case("cantilever_beam", Converged, Newton(cantilever_beam::measure), false, "heavy beam of tets"),
        case("cantilever_rod_default", Default, Any(cantilever_gallery::rod), true, "the gallery's rod"),
        case(
            "cantilever_strip_default",
            Default,
            Any(cantilever_gallery::strip),
            false,
            "the gallery's strip",
        ),
        case("cantilever_beam_default", Default, Any(cantilever_gallery::beam), false, "the gallery's beam"),
        case(
            "cantilever_rod_settled",
            Converged,
            Measure::Contact(cantilever_gallery::rod_settled),
            false,
            "heavy rod comes to rest",
        ),
        case(
            "cantilever_strip_settled",
            Converged,
            Measure::Contact(cantilever_gallery::strip_settled),
            false,
            "heavy strip comes to rest",
        ),
        case("elastica_tip", Converged, Newton(elastica_tip::measure), true, "rod with a load at its end"),
        case("circle_rod", Converged, Newton(circle_rod::measure), true, "rod bent to a circle, M = φEI/L"),
        case(
            "buckling_lateral",
            Converged,
            Newton(buckling_lateral::measure),
            true,
            "narrow strip on edge tips over",
        ),
        case(
            "bend_twist_hanging",
            Converged,
            Newton(bend_twist::measure),
            true,
            "curly hanging rod leaves its plane",
        ),
        case(
            "moduli_solid",
            Converged,
            Newton(moduli_solid::measure),
            true,
            "E and ν of every law of solids",
        ),
        case(
            "moduli_membrane",
            Converged,
            Newton(moduli_membrane::measure),
            true,
            "E, ν and G of every law of cloth",
        ),
        case("moduli_rod", Converged, Newton(moduli_rod::measure), true, "E and G of rods"),
        case("momentum_free_fall", Default, Any(momentum_free_fall::measure), true, "free fall to round-off"),
        case(
            "drag_plate",
            Default,
            Only(IN_AIR, drag_plate::measure),
            true,
            "a plate slowed by the air, or carried along by wind",
        ),
        case("momentum_angular", Converged, Newton(drift::angular), true, "loss of spin, order 1 in h"),
        case("energy_drift", Converged, Newton(drift::energy), true, "loss of energy, order 1 in h"),
    ]
}
