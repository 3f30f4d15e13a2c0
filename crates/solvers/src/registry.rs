//! The methods by their keys in scene files.

use crate::admm::{AdmmOptions, AdmmSolver};
use crate::admm_integrator::{IntegratorOptions, IntegratorSolver};
use crate::barrier::{BarrierOptions, BarrierSolver};
use crate::guide::{OptionInfo, describe};
use crate::newton::{NewtonOptions, NewtonSolver};
use crate::pd::{PdOptions, PdSolver};
use crate::saved::RestoreError;
use crate::solver::{Solver, World};
use crate::study;
use crate::support::{self, Feature, Level};
use crate::xpbd::{XpbdOptions, XpbdSolver};
use serde::de::DeserializeOwned;
use stiction_collision::SurfaceError;
use stiction_energy::ElasticityError;
use stiction_scene::Problem;
use stiction_scene::resolved::MethodChoice;

/// Why a method cannot run a scene.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MethodError {
    /// No method of that name.
    #[error("there is no method `{key}`; methods are: {known}")]
    Unknown {
        /// Key found.
        key: String,
        /// Keys that exist, separated by commas.
        known: String,
    },
    /// An option is unknown, of the wrong type, out of range, or does not fit the scene.
    #[error("method `{key}`: {message}")]
    Value {
        /// Key of the method.
        key: String,
        /// Name of the option, or of what stands in its place.
        option: String,
        /// What is wrong, and the fix.
        message: String,
    },
    /// Options do not fit each other or the scene, and it is not one alone that is wrong.
    #[error("method `{key}`: {message}")]
    Option {
        /// Key of the method.
        key: String,
        /// What is wrong, and the fix.
        message: String,
    },
    /// The scene has something that the method cannot run, whatever its options are.
    #[error("method `{key}`: {message}")]
    Refused {
        /// Key of the method.
        key: String,
        /// What that is, and the fix.
        message: String,
    },
    /// The elements of a body cannot be made.
    #[error(transparent)]
    Elasticity(#[from] ElasticityError),
    /// The surfaces cannot be used for collision.
    #[error(transparent)]
    Collision(#[from] SurfaceError),
    /// The system matrix cannot be analysed.
    #[error(transparent)]
    Factor(#[from] stiction_factor::FactorError),
    /// Memory of the method does not fit after a change of parameters.
    #[error("after a change of parameters: {0}")]
    Memory(#[from] RestoreError),
}

/// A method: its key, one line about it, and how its solver is made.
#[derive(Clone, Copy, Debug)]
pub struct MethodInfo {
    /// Key in scene files.
    pub key: &'static str,
    /// What it is.
    pub summary: &'static str,
    /// Options that only comparisons with a paper need; they go into `[method.study]`.
    pub study: &'static [&'static str],
    options: fn() -> Vec<OptionInfo>,
    create: Create,
}

impl MethodInfo {
    /// Its options.
    pub fn options(&self) -> Vec<OptionInfo> {
        let mut options = (self.options)();
        options.iter_mut().for_each(|option| option.study = self.study.contains(&option.name.as_str()));
        options
    }
}

/// Weights of the splitting, switches of the acceleration, and the solves that it is compared with.
const ADMM_STUDY: &[&str] =
    &["beta", "sigma", "strand_inertia", "accelerate", "sleep", "projection", "coupled"];

/// Weights of the splitting, and the accuracy of a local problem.
const INTEGRATOR_STUDY: &[&str] = &["penalty", "beta", "sigma", "local_iterations"];

/// Weights of the splitting, constants of the stabilisation, and which copy a step ends with.
const PD_STUDY: &[&str] = &["elastic_weight", "beta", "sigma", "alpha", "spring", "accept"];

/// The step policy, barrier, stiffness, friction and stopping rules of the papers compared with.
const BARRIER_STUDY: &[&str] = &[
    "complete",
    "beta_max",
    "mean_tolerance",
    "settle_friction",
    "decay",
    "amend_step",
    "error_reduction",
    "extension",
    "pcg_norm",
    "barrier",
    "curvature_cap",
    "elastic_stiffness",
    "contact_mass",
    "forecast",
    "stiffness_growth",
    "sliding_hessian",
    "friction_cap",
];

type Create = fn(&MethodChoice, World<'_>) -> Result<Box<dyn Solver>, MethodError>;

/// All methods of this version.
pub fn methods() -> &'static [MethodInfo] {
    &[
        MethodInfo {
            key: "newton",
            summary: "projected Newton, five implicit integrators, no contact: the reference for elasticity",
            study: &[],
            options: describe::<NewtonOptions>,
            create: |choice, world| {
                let options = parse(choice, NewtonOptions::validate)?;
                Ok(Box::new(NewtonSolver::new(options, world)?))
            },
        },
        MethodInfo {
            key: "admm",
            summary: "projected Newton + ADMM, Gauss–Seidel contact with exact Coulomb friction",
            study: ADMM_STUDY,
            options: describe::<AdmmOptions>,
            create: |choice, world| {
                let options = parse(choice, AdmmOptions::validate)?;
                Ok(Box::new(AdmmSolver::new(options, world)?))
            },
        },
        MethodInfo {
            key: "admm_integrator",
            summary: "ADMM time integrator for strands: local elastic and contact steps, tridiagonal solves",
            study: INTEGRATOR_STUDY,
            options: describe::<IntegratorOptions>,
            create: |choice, world| {
                let options = parse(choice, IntegratorOptions::validate)?;
                Ok(Box::new(IntegratorSolver::new(options, world)?))
            },
        },
        MethodInfo {
            key: "pd",
            summary: "projective dynamics with ADMM contact, one prefactored matrix: interactive soft bodies",
            study: PD_STUDY,
            options: describe::<PdOptions>,
            create: |choice, world| {
                let options = parse(choice, PdOptions::validate)?;
                Ok(Box::new(PdSolver::new(options, world)?))
            },
        },
        MethodInfo {
            key: "barrier",
            summary: "inexact Newton with cubic barriers and anchored friction: nothing ever intersects",
            study: BARRIER_STUDY,
            options: describe::<BarrierOptions>,
            create: |choice, world| {
                let options = parse(choice, BarrierOptions::validate)?;
                Ok(Box::new(BarrierSolver::new(options, world)?))
            },
        },
        MethodInfo {
            key: "xpbd",
            summary: "compliant position-based cloth: a beginning, to compare with",
            study: &[],
            options: describe::<XpbdOptions>,
            create: |choice, world| {
                let options = parse(choice, XpbdOptions::validate)?;
                Ok(Box::new(XpbdSolver::new(options, world)?))
            },
        },
    ]
}

/// Makes the solver that a scene asks for; options are checked here, before anything runs.
pub fn create(choice: &MethodChoice, world: World<'_>) -> Result<Box<dyn Solver>, MethodError> {
    match methods().iter().find(|method| method.key == choice.key) {
        Some(method) => (method.create)(&study::flattened(choice, method)?, world),
        None => {
            let known: Vec<&str> = methods().iter().map(|m| m.key).collect();
            Err(MethodError::Unknown { key: choice.key.clone(), known: known.join(", ") })
        }
    }
}

/// The choice of a scene that wants penetrations at the start opened over a time \[s\]. The
/// method's own option wins; a method that cannot do it is an error.
pub fn with_resolve_time(choice: &MethodChoice, seconds: f64) -> Result<MethodChoice, MethodError> {
    if support::level(&choice.key, Feature::InitialContact) == Some(Level::Refused) {
        return Err(support::refusal(
            &choice.key,
            Feature::InitialContact,
            "`initial_contact = { resolve = … }`",
        ));
    }
    let mut choice = choice.clone();
    choice.options.entry("resolve_time".to_owned()).or_insert(seconds.into());
    Ok(choice)
}

/// Reads the options of a method from the scene's table and checks their values.
fn parse<T: DeserializeOwned>(
    choice: &MethodChoice,
    validate: fn(&T) -> Result<(), String>,
) -> Result<T, MethodError> {
    let key = || choice.key.clone();
    let options: T = choice.parse().map_err(|error| {
        let option = error.object().trim_start_matches("method.").to_owned();
        let message = match error.problem() {
            Problem::UnknownKey(_) => format!("`{option}` is no option of it; {}", error.fix()),
            problem => format!("`{option}`: {problem}; {}", error.fix()),
        };
        MethodError::Value { key: key(), option, message }
    })?;
    validate(&options).map_err(|message| match wrong_alone(choice, validate) {
        Some((option, message)) => MethodError::Value { key: key(), option, message },
        None => MethodError::Option { key: key(), message },
    })?;
    Ok(options)
}

/// The first option that is wrong next to the defaults of all others, with what is wrong.
fn wrong_alone<T: DeserializeOwned>(
    choice: &MethodChoice,
    validate: fn(&T) -> Result<(), String>,
) -> Option<(String, String)> {
    choice.options.iter().find_map(|(name, value)| {
        let options = [(name.clone(), value.clone())].into_iter().collect();
        let alone: T = MethodChoice { key: choice.key.clone(), options }.parse().ok()?;
        validate(&alone).err().map(|message| (name.clone(), message))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Scenes are refused by names that the scene format knows, so both lists must agree.
    #[test]
    fn scenes_and_solvers_know_the_same_methods() {
        let keys: Vec<&str> = methods().iter().map(|method| method.key).collect();
        assert_eq!(keys, stiction_scene::METHODS);
    }

    #[test]
    fn a_misspelt_option_names_the_nearest() {
        let options = [("tolerence".to_owned(), 1e-4.into())].into_iter().collect();
        let choice = MethodChoice { key: "admm".to_owned(), options };
        let text = parse(&choice, AdmmOptions::validate).expect_err("a misspelt option").to_string();
        assert!(text.contains("`tolerence` is no option of it; did you mean `tolerance`?"), "{text}");
    }

    /// The option at fault is known by trying it alone, not by what the message says; what is wrong
    /// only together names none.
    #[test]
    fn the_option_at_fault_is_named_apart_from_the_message() {
        let wrong = |options: &str| {
            let table: toml::Table = options.parse().expect("TOML");
            let options =
                table.into_iter().map(|(k, v)| (k, serde_json::to_value(v).expect("JSON"))).collect();
            let choice = MethodChoice { key: "barrier".to_owned(), options };
            parse(&choice, BarrierOptions::validate).expect_err("wrong options")
        };
        let named = |error: MethodError| match error {
            MethodError::Value { option, message, .. } => (option, message),
            other => panic!("{other:?} names no option"),
        };
        let (option, message) = named(wrong("tolerance = 1e-3\nslack = 2.0"));
        assert!(option == "slack" && message.contains("`slack` is 2"), "{option}: {message}");
        let (option, message) = named(wrong("step_schedule = [{ until = -1, step = 0.1 }]"));
        assert!(option == "step_schedule" && message.contains("span 0"), "{option}: {message}");
        let (option, _) = named(wrong("slak = 0.5"));
        assert_eq!(option, "slak");
        let (option, _) = named(wrong("slack = 'much'"));
        assert_eq!(option, "slack");
        let together = wrong("max_iterations = 20\nmin_iterations = 30");
        assert!(matches!(together, MethodError::Option { .. }), "{together:?}");
    }
}
