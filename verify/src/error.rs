//! Why a case could not be measured.

use std::path::PathBuf;
use stiction::SimulationError;
use stiction::energy::ElasticityError;
use stiction::scene::SceneError;
use stiction_collision::ccd::queries::QueryError;
use stiction_contact::coulomb::ProblemFileError;
use stiction_factor::FactorError;

/// Why a case could not be run, or a request for cases was wrong.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// The scene of a case is refused.
    #[error("the scene is refused: {0}")]
    Scene(#[from] SceneError),
    /// A simulation cannot be set up or go on.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
    /// The elements of a model cannot be made.
    #[error(transparent)]
    Elasticity(#[from] ElasticityError),
    /// A matrix cannot be analysed.
    #[error(transparent)]
    Factor(#[from] FactorError),
    /// No equilibrium was found.
    #[error("no equilibrium after {steps} steps: the last Newton update was {update:e} m")]
    NotSettled {
        /// Steps taken.
        steps: usize,
        /// Largest component of the last update \[m\].
        update: f64,
    },
    /// A threshold is not between the bounds that were searched.
    #[error("the threshold is not between {low} and {high}: the state is {} at both", if *stable { "stable" } else { "unstable" })]
    NoThreshold {
        /// Lower bound.
        low: f64,
        /// Upper bound.
        high: f64,
        /// Whether both are stable.
        stable: bool,
    },
    /// Query files cannot be read.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// Problem files cannot be read.
    #[error(transparent)]
    Problem(#[from] ProblemFileError),
    /// A folder without a file of the wanted kind.
    #[error("no {what} below `{}`: check the folder after --data", folder.display())]
    NoData {
        /// What was looked for.
        what: &'static str,
        /// Where.
        folder: PathBuf,
    },
    /// A name that no case has.
    #[error("there is no case `{name}`; cases are: {known}")]
    UnknownCase {
        /// Name found.
        name: String,
        /// Names that exist, separated by commas.
        known: String,
    },
    /// A method that does not exist.
    #[error("there is no method `{key}`; methods are: {known}")]
    UnknownMethod {
        /// Key found.
        key: String,
        /// Keys that exist, separated by commas.
        known: String,
    },
}
