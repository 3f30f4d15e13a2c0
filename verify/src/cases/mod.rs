//! One file per case or family; the header of each states the protocol.

pub mod bend_twist;
pub mod buckling_lateral;
pub mod cantilever_beam;
pub mod cantilever_gallery;
pub mod cantilever_rod;
pub mod cantilever_strip;
pub mod circle_rod;
pub mod collision;
pub mod data_sets;
pub mod drift;
pub mod elastica_tip;
pub mod force_balance;
pub mod moduli_membrane;
pub mod moduli_rod;
pub mod moduli_solid;
pub mod momentum_free_fall;
pub mod rope;
pub mod slope;
pub mod stopping;

mod beam_text;
mod block_text;
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

/// All cases, in the order in which they are reported.
pub fn all() -> Vec<Case> {
    use Kind::{Converged, Default};
    use Measure::{Any, Contact, Data, Newton};
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
        case("momentum_angular", Converged, Newton(drift::angular), true, "loss of spin, order 1 in h"),
        case("energy_drift", Converged, Newton(drift::energy), true, "loss of energy, order 1 in h"),
        case("slope_block", Converged, Contact(slope::converged), true, "block on a slope holds or slides"),
        case("slope_block_default", Default, Contact(slope::default), false, "the same at default settings"),
        case("stopping_block", Converged, Contact(stopping::measure), false, "sliding block comes to rest"),
        case("rope_capstan", Converged, Contact(rope::measure), false, "rope over a cylinder slips or holds"),
        case(
            "force_balance_rest",
            Converged,
            Contact(force_balance::converged),
            true,
            "contact forces carry the weight",
        ),
        case(
            "force_balance_default",
            Default,
            Contact(force_balance::default),
            false,
            "the same at default settings",
        ),
        case(
            "momentum_collision",
            Converged,
            Contact(collision::measure),
            true,
            "colliding bodies keep their momentum",
        ),
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
