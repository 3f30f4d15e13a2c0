//! Parameters by path: the same names as `--set` uses on a scene.
//!
//! A path such as `bodies.cloth.material.young` stands for a slot of [`Parameters`]; copies of a
//! body share the path of the body that was written. Setting a value recomputes all that follows
//! from it (masses from density, plate stiffness from moduli) by the code that resolves scenes, so
//! that the parameters equal those of a scene with that value, bit for bit.

mod access;
mod material_keys;
mod motion_keys;
mod slots;
mod value;
mod write;

pub use value::{Bounds, Parameter, ParameterError, ParameterValue};

use crate::changed::Changed;
use crate::model::Model;
use crate::parameters::Parameters;
use slots::{Slot, WindKey, entries};

impl Parameters {
    /// All parameters of a model that have a value, with unit and bounds.
    pub fn list(&self, model: &Model) -> Vec<Parameter> {
        let parameter = |(path, slot): (String, Slot)| {
            let (unit, bounds) = slot.unit_and_bounds(self);
            Some(Parameter { path, value: self.read(&slot)?, unit, bounds })
        };
        entries(self, model).into_iter().filter_map(parameter).collect()
    }

    /// One parameter by its path.
    pub fn get(&self, model: &Model, path: &str) -> Result<Parameter, ParameterError> {
        let slot = self.slot(model, path)?;
        let (unit, bounds) = slot.unit_and_bounds(self);
        match self.read(&slot) {
            Some(value) => Ok(Parameter { path: path.to_owned(), value, unit, bounds }),
            None => Err(self.unknown(model, path)),
        }
    }

    /// Sets a parameter and all that follows from it. On an error nothing has changed.
    ///
    /// A simulation must tell its method: [`Changed`] says what.
    pub fn set(
        &mut self,
        model: &Model,
        path: &str,
        value: impl Into<ParameterValue>,
    ) -> Result<Changed, ParameterError> {
        let value = value.into();
        let slot = self.slot(model, path)?;
        self.check(path, &slot, &value)?;
        self.write(model, path, &slot, &value)
    }

    fn slot(&self, model: &Model, path: &str) -> Result<Slot, ParameterError> {
        match entries(self, model).into_iter().find(|entry| entry.0 == path) {
            Some((_, slot)) => Ok(slot),
            None => Err(self.unknown(model, path)),
        }
    }

    fn unknown(&self, model: &Model, path: &str) -> ParameterError {
        if let Some((before, key)) = path.rsplit_once('.')
            && material_keys::GEOMETRIC.contains(&key)
            && before.ends_with(".material")
        {
            let reason = "contact and the mesh follow from it".to_owned();
            return ParameterError::Fixed { path: path.to_owned(), reason };
        }
        let known = self.list(model);
        let nearest = stiction_scene::nearest(path, known.iter().map(|p| p.path.as_str()));
        ParameterError::Unknown { path: path.to_owned(), nearest: nearest.map(str::to_owned) }
    }

    /// Kind and range of a value.
    fn check(&self, path: &str, slot: &Slot, value: &ParameterValue) -> Result<(), ParameterError> {
        let (unit, bounds) = slot.unit_and_bounds(self);
        let kind = kind_of(slot);
        let fits = match (kind, value) {
            // What must hold between its values is checked when it is written.
            (Kind::Motion, ParameterValue::Motion(_)) => true,
            (Kind::Number, ParameterValue::Number(x)) => bounds.contain(*x),
            (Kind::EndTime, ParameterValue::Number(x)) => !x.is_nan(),
            // A size points downward, as in scenes.
            (Kind::Gravity, ParameterValue::Number(x)) => *x >= 0.0 && bounds.contain(*x),
            (Kind::Vector | Kind::Gravity, ParameterValue::Vector(v)) => v.iter().all(|c| bounds.contain(*c)),
            _ => {
                let (expected, found) = (kind.name(), value.shape());
                return Err(ParameterError::Shape { path: path.to_owned(), unit, expected, found });
            }
        };
        match fits {
            true => Ok(()),
            false => {
                let value = value.to_string();
                Err(ParameterError::OutOfBounds { path: path.to_owned(), value, unit, bounds })
            }
        }
    }
}

/// What kind of value a slot takes.
#[derive(Clone, Copy)]
enum Kind {
    Number,
    /// A number that may be infinite.
    EndTime,
    Vector,
    Gravity,
    Motion,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Number | Kind::EndTime => "a number",
            Kind::Vector => "three numbers",
            Kind::Gravity => "a size or three numbers",
            Kind::Motion => "a motion",
        }
    }
}

fn kind_of(slot: &Slot) -> Kind {
    match slot {
        Slot::Gravity | Slot::GravityKey(_) => Kind::Gravity,
        Slot::Wind(WindKey::Velocity) => Kind::Vector,
        Slot::Motion { key, .. } => key.kind(),
        _ => Kind::Number,
    }
}
