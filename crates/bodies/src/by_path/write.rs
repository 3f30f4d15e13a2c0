//! Writes slots. The kind and the range of a value have been checked before.

use super::material_keys::MaterialKey;
use super::motion_keys::MotionKey;
use super::slots::{Control, InflationKey, PairKey, Slot, WindKey};
use super::value::{ParameterError, ParameterValue};
use crate::changed::Changed;
use crate::mass::lumped_masses;
use crate::model::Model;
use crate::parameters::Parameters;
use crate::springs::root_stiffness;
use stiction_numerics::Vec3;
use stiction_scene::motion::Motion;
use stiction_scene::resolve_material;
use stiction_scene::resolved::{FrictionPair, Gravity, InflationLaw};

impl Parameters {
    /// Sets a slot to a value of the right kind and range. On an error nothing has changed.
    pub(super) fn write(
        &mut self,
        model: &Model,
        path: &str,
        slot: &Slot,
        value: &ParameterValue,
    ) -> Result<Changed, ParameterError> {
        match (slot, value) {
            (Slot::Gravity | Slot::GravityKey(_), value) => Ok(self.write_gravity(slot, value)),
            (Slot::Motion { controls, key }, value) => self.write_motion(path, controls, *key, value),
            (Slot::Wind(_), ParameterValue::Vector(velocity)) => {
                self.wind.velocity = *velocity;
                Ok(Changed { wind: true, ..Changed::default() })
            }
            (Slot::Material { bodies, key }, ParameterValue::Number(x)) => {
                self.write_material(model, path, bodies, key, *x)
            }
            (Slot::Inflation { bodies, key }, ParameterValue::Number(x)) => {
                self.write_inflation(path, bodies, *key, *x)
            }
            (slot, ParameterValue::Number(x)) => Ok(self.write_number(model, slot, *x)),
            (_, ParameterValue::Vector(_) | ParameterValue::Motion(_)) => Ok(Changed::default()),
        }
    }

    /// Slots that stand for one number without conditions.
    fn write_number(&mut self, model: &Model, slot: &Slot, value: f64) -> Changed {
        match slot {
            Slot::Wind(key) => self.write_wind(*key, value),
            Slot::SoftPin(_) | Slot::Attachment(_) | Slot::Stitch(_) | Slot::Roots(_) => {
                self.write_stiffness(model, slot, value)
            }
            _ => self.write_friction(slot, value),
        }
    }

    /// Gravity as a vector, or as a size that points downward.
    fn write_gravity(&mut self, slot: &Slot, value: &ParameterValue) -> Changed {
        let vector: Vec3 = match value {
            ParameterValue::Vector(vector) => *vector,
            ParameterValue::Number(size) => self.up * -size,
            ParameterValue::Motion(_) => return Changed::default(),
        };
        match slot {
            Slot::GravityKey(k) => self.gravity.set_value(*k, vector),
            _ => self.gravity = Gravity::constant(vector),
        }
        Changed { gravity: true, ..Changed::default() }
    }

    fn write_wind(&mut self, key: WindKey, value: f64) -> Changed {
        match key {
            WindKey::GustAmplitude => self.wind.gust_amplitude = value,
            WindKey::GustFrequency => self.wind.gust_frequency = value,
            WindKey::GustLength => self.wind.gust_length = value,
            WindKey::AirDensity => self.wind.air_density = value,
            // A vector: written elsewhere.
            WindKey::Velocity => {}
        }
        Changed { wind: true, ..Changed::default() }
    }

    fn write_friction(&mut self, slot: &Slot, value: f64) -> Changed {
        match slot {
            Slot::Friction(objects) => objects.iter().for_each(|&o| self.friction[o] = value),
            Slot::Grain { objects, component } => {
                for &object in objects {
                    self.grain_friction[object].iter_mut().for_each(|grain| grain[*component] = value);
                }
            }
            Slot::FrictionOfAll => self.friction_table.all = Some(value),
            Slot::Pair { table, key } => {
                let pairs = self.friction_table.pairs.iter_mut().filter(|p| p.table == *table);
                pairs.for_each(|pair| write_pair(pair, *key, value));
            }
            _ => return Changed::default(),
        }
        Changed { friction: true, ..Changed::default() }
    }

    fn write_stiffness(&mut self, model: &Model, slot: &Slot, value: f64) -> Changed {
        match slot {
            Slot::SoftPin(groups) => groups.iter().for_each(|&g| self.springs.anchors[g] = value),
            Slot::Attachment(table) => self.springs.attachments[*table] = value,
            Slot::Stitch(table) => self.springs.stitches[*table] = value,
            Slot::Roots(rooted) => {
                self.springs.given_roots[*rooted] = Some(value);
                self.springs.roots = self.root_stiffness(model);
            }
            _ => return Changed::default(),
        }
        Changed { couplings: true, ..Changed::default() }
    }

    fn root_stiffness(&self, model: &Model) -> Vec<f64> {
        root_stiffness(model, &self.springs.given_roots, |body| &self.materials[body])
    }

    /// The motion of the scene of some controls; it acts where nothing is driven.
    fn write_motion(
        &mut self,
        path: &str,
        controls: &[Control],
        key: MotionKey,
        value: &ParameterValue,
    ) -> Result<Changed, ParameterError> {
        let written: Result<Vec<Motion>, ParameterError> =
            controls.iter().map(|&control| key.written(self.motion_of(control), path, value)).collect();
        for (&control, motion) in controls.iter().zip(written?) {
            match control {
                Control::Pin(group) => self.controls.pins[group] = motion,
                Control::Anchor(group) => self.controls.anchors[group] = motion,
                Control::Collider(collider) => self.controls.colliders[collider] = motion,
            }
        }
        Ok(Changed { controls: true, ..Changed::default() })
    }

    /// Resolves the written material again with one key changed, so that all that follows from it
    /// follows by the rules of scenes.
    fn write_material(
        &mut self,
        model: &Model,
        path: &str,
        bodies: &[usize],
        key: &MaterialKey,
        value: f64,
    ) -> Result<Changed, ParameterError> {
        let refused = |reason: String| ParameterError::Refused {
            path: path.to_owned(),
            value: format!("{value} {}", key.unit),
            reason,
        };
        let old = &self.materials[bodies[0]];
        let mut written = self.written_materials[bodies[0]].clone();
        *(key.written)(&mut written.keys) = Some(value);
        let at = path.strip_suffix(&format!(".{}", key.name)).unwrap_or(path);
        let new =
            resolve_material(at, &written).map_err(|error| refused(format!("{error}; {}", error.fix())))?;
        if new.has_edge_normals() != old.has_edge_normals() {
            let reason =
                "bending by the shape operator has unknowns of its own where it is not zero".to_owned();
            return Err(ParameterError::Fixed { path: path.to_owned(), reason });
        }
        if new == *old && (key.value)(old) != Some(value) {
            let reason = "another key of this material holds instead of it; set that one".to_owned();
            return Err(refused(reason));
        }
        for &body in bodies {
            (self.materials[body], self.written_materials[body]) = (new.clone(), written.clone());
        }
        let mass = lumped_masses(model, |body| &self.materials[body]);
        let roots = self.root_stiffness(model);
        let masses = mass != self.mass;
        let couplings = roots != self.springs.roots;
        (self.mass, self.springs.roots) = (mass, roots);
        Ok(Changed { materials: true, masses, couplings, ..Changed::default() })
    }

    fn write_inflation(
        &mut self,
        path: &str,
        bodies: &[usize],
        key: InflationKey,
        value: f64,
    ) -> Result<Changed, ParameterError> {
        for &body in bodies {
            let Some(mut inflation) = self.inflation[body] else { continue };
            match (key, &mut inflation.law) {
                (InflationKey::Pressure, _) => inflation.pressure = value,
                (_, InflationLaw::Linear { bulk_modulus }) => *bulk_modulus = value,
                (_, InflationLaw::Gas { ambient }) => *ambient = value,
            }
            if let InflationLaw::Gas { ambient } = inflation.law
                && ambient + inflation.pressure <= 0.0
            {
                return Err(ParameterError::Refused {
                    path: path.to_owned(),
                    value: format!("{value} Pa"),
                    reason: "`ambient` + `pressure` must be greater than zero".to_owned(),
                });
            }
            self.inflation[body] = Some(inflation);
        }
        Ok(Changed { pressure: true, ..Changed::default() })
    }
}

fn write_pair(pair: &mut FrictionPair, key: PairKey, value: f64) {
    match key {
        PairKey::Coefficient => pair.coefficient = Some(value),
        PairKey::Cohesion => pair.cohesion = Some(value),
        PairKey::Compliance => pair.compliance = Some(value),
    }
}
