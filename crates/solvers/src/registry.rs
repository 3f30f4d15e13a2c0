//! The methods by their keys in scene files.

use crate::admm::{AdmmOptions, AdmmSolver};
use crate::admm_integrator::{IntegratorOptions, IntegratorSolver};
use crate::barrier::{BarrierOptions, BarrierSolver};
use crate::guide::{OptionInfo, describe};
use crate::newton::{NewtonOptions, NewtonSolver};
use crate::pd::{PdOptions, PdSolver};
use crate::solver::{Solver, World};
use crate::unheeded::Wish;
use crate::xpbd::{XpbdOptions, XpbdSolver};
use serde::de::DeserializeOwned;
use stiction_collision::MeshError;
use stiction_energy::ElasticityError;
use stiction_scene::Problem;
use stiction_scene::material::MembraneLaw;
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
    Collision(#[from] MeshError),
    /// The system matrix cannot be analysed.
    #[error(transparent)]
    Factor(#[from] stiction_factor::FactorError),
}

/// A method: its key, one line about it, and how its solver is made.
#[derive(Clone, Copy, Debug)]
pub struct MethodInfo {
    /// Key in scene files.
    pub key: &'static str,
    /// What it is.
    pub summary: &'static str,
    /// Whether it pushes bodies apart that penetrate at the start (option `resolve_time`).
    pub resolves: bool,
    /// What it leaves out of what a scene can ask for.
    pub leaves_out: &'static [Wish],
    options: fn() -> Vec<OptionInfo>,
    create: Create,
}

impl MethodInfo {
    /// Its options.
    pub fn options(&self) -> Vec<OptionInfo> {
        (self.options)()
    }
}

type Create = fn(&MethodChoice, World<'_>) -> Result<Box<dyn Solver>, MethodError>;

/// All methods of this version.
pub fn methods() -> &'static [MethodInfo] {
    &[
        MethodInfo {
            key: "newton",
            summary: "projected Newton, backward Euler, no contact: the reference for elasticity",
            resolves: false,
            leaves_out: &[Wish::Contact, Wish::StrainLimit],
            options: describe::<NewtonOptions>,
            create: |choice, world| {
                let options = parse(choice, NewtonOptions::validate)?;
                Ok(Box::new(NewtonSolver::new(options, world)?))
            },
        },
        MethodInfo {
            key: "admm",
            summary: "projected Newton + ADMM, Gauss–Seidel contact with exact Coulomb friction",
            resolves: true,
            leaves_out: &[Wish::StrainLimit],
            options: describe::<AdmmOptions>,
            create: |choice, world| {
                let options = parse(choice, AdmmOptions::validate)?;
                Ok(Box::new(AdmmSolver::new(options, world)?))
            },
        },
        MethodInfo {
            key: "admm_integrator",
            summary: "ADMM time integrator for strands: local elastic and contact steps, tridiagonal solves",
            resolves: true,
            leaves_out: &[Wish::Drag, Wish::Stickiness],
            options: describe::<IntegratorOptions>,
            create: |choice, world| {
                let options = parse(choice, IntegratorOptions::validate)?;
                Ok(Box::new(IntegratorSolver::new(options, world)?))
            },
        },
        MethodInfo {
            key: "pd",
            summary: "projective dynamics with ADMM contact, one prefactored matrix: interactive soft bodies",
            resolves: true,
            leaves_out: &[
                Wish::Stickiness,
                Wish::Law(MembraneLaw::Arap),
                Wish::Bending,
                Wish::Twist,
                Wish::Thinness,
            ],
            options: describe::<PdOptions>,
            create: |choice, world| {
                let options = parse(choice, PdOptions::validate)?;
                refuse_frames(choice, world)?;
                Ok(Box::new(PdSolver::new(options, world)?))
            },
        },
        MethodInfo {
            key: "barrier",
            summary: "inexact Newton with cubic barriers and anchored friction: nothing ever intersects",
            resolves: false,
            leaves_out: &[Wish::Grain, Wish::Stickiness],
            options: describe::<BarrierOptions>,
            create: |choice, world| {
                let options = parse(choice, BarrierOptions::validate)?;
                Ok(Box::new(BarrierSolver::new(options, world)?))
            },
        },
        MethodInfo {
            key: "xpbd",
            summary: "compliant position-based cloth: a beginning, to compare with",
            resolves: true,
            leaves_out: &[
                Wish::StrainLimit,
                Wish::Stickiness,
                Wish::Drag,
                Wish::Damping,
                Wish::Law(MembraneLaw::Stvk),
                Wish::Bending,
                Wish::Curvature,
            ],
            options: describe::<XpbdOptions>,
            create: |choice, world| {
                let options = parse(choice, XpbdOptions::validate)?;
                refuse_frames(choice, world)?;
                Ok(Box::new(XpbdSolver::new(options, world)?))
            },
        },
    ]
}

/// `pd` and `xpbd` have no constraint for material points of frames, nor for hair that stands on cloth.
fn refuse_frames(choice: &MethodChoice, world: World<'_>) -> Result<(), MethodError> {
    let message = match world.model.bodies.iter().find(|b| b.kind.on_frames()) {
        Some(body) => {
            format!("body `{}` is on frames, which this method cannot simulate: take `admm`", body.name)
        }
        None if !world.model.roots.raised.is_empty() => {
            "strands grow on cloth, which this method cannot simulate: take `admm`".to_owned()
        }
        None => return Ok(()),
    };
    Err(MethodError::Refused { key: choice.key.clone(), message })
}

/// Only `barrier` solves with the coupling of a whole surface by its pressure.
fn refuse_inflation(choice: &MethodChoice, world: World<'_>) -> Result<(), MethodError> {
    match world.model.bodies.iter().find(|b| b.inflation.is_some()) {
        Some(body) if choice.key != "barrier" => {
            let message =
                format!("body `{}` has `inflation`, which only `barrier` knows: take that", body.name);
            Err(MethodError::Refused { key: choice.key.clone(), message })
        }
        _ => Ok(()),
    }
}

/// No method moves rigid bodies or holds joints yet; joints hold nothing but rigid bodies.
fn refuse_rigid(choice: &MethodChoice, world: World<'_>) -> Result<(), MethodError> {
    let model = world.model;
    let Some(rigid) = model.rigid.bodies.first() else { return Ok(()) };
    let body = &model.bodies[rigid.body as usize].name;
    let joint =
        model.joints.first().map_or_else(String::new, |j| format!(" (nor joints such as `{}`)", j.name));
    let message = format!(
        "body `{body}` is rigid, which no method can simulate yet{joint}: write `kind = \"affine\"` with the material of a \
         stiff solid, under `admm` or `barrier`"
    );
    Err(MethodError::Refused { key: choice.key.clone(), message })
}

/// Makes the solver that a scene asks for; options are checked here, before anything runs.
pub fn create(choice: &MethodChoice, world: World<'_>) -> Result<Box<dyn Solver>, MethodError> {
    match methods().iter().find(|method| method.key == choice.key) {
        Some(method) => {
            refuse_rigid(choice, world)?;
            refuse_inflation(choice, world)?;
            (method.create)(choice, world)
        }
        None => {
            let known: Vec<&str> = methods().iter().map(|m| m.key).collect();
            Err(MethodError::Unknown { key: choice.key.clone(), known: known.join(", ") })
        }
    }
}

/// The choice of a scene that wants penetrations at the start opened over a time \[s\]: its method's own option wins, and a method
/// that cannot do it says so.
pub fn with_resolve_time(choice: &MethodChoice, seconds: f64) -> Result<MethodChoice, MethodError> {
    let mut choice = choice.clone();
    if methods().iter().any(|method| method.key == choice.key && !method.resolves) {
        let message = "it does not push bodies apart at the start: take `initial_contact` out, or choose another method";
        return Err(MethodError::Refused { key: choice.key, message: message.to_owned() });
    }
    choice.options.entry("resolve_time").or_insert(toml::Value::Float(seconds));
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

/// The first option that is wrong beside the defaults of all others, with what is wrong.
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
        let options = [("tolerence".to_owned(), toml::Value::Float(1e-4))].into_iter().collect();
        let choice = MethodChoice { key: "admm".to_owned(), options };
        let text = parse(&choice, AdmmOptions::validate).expect_err("a misspelt option").to_string();
        assert!(text.contains("`tolerence` is no option of it; did you mean `tolerance`?"), "{text}");
    }

    /// The option at fault is known by trying it alone, not by what the message says; what is wrong only together names none.
    #[test]
    fn the_option_at_fault_is_named_apart_from_the_message() {
        let wrong = |options: &str| {
            let options = options.parse().expect("TOML");
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
