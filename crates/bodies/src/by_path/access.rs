//! Reads and writes slots.

use super::material_keys::MaterialKey;
use super::slots::{Control, InflationKey, MotionKey, PairKey, Slot, WindKey};
use super::value::{Bounds, ParameterError, ParameterValue};
use crate::changed::Changed;
use crate::mass::lumped_masses;
use crate::model::Model;
use crate::parameters::Parameters;
use crate::springs::root_stiffness;
use stiction_scene::material::{Material, MembraneStiffness};
use stiction_scene::motion::Motion;
use stiction_scene::resolve_material;
use stiction_scene::resolved::{FrictionPair, Gravity, Inflation, InflationLaw};

impl Slot {
    /// SI unit and range.
    pub(super) fn unit_and_bounds(&self, parameters: &Parameters) -> (&'static str, Bounds) {
        match self {
            Slot::Material { bodies, key } => {
                let bounds = match &parameters.materials[bodies[0]] {
                    // The range of a woven Poisson ratio depends on both moduli; the scene's rule checks it.
                    Material::Cloth(cloth)
                        if key.name == "poisson"
                            && matches!(cloth.stretch, MembraneStiffness::Orthotropic { .. }) =>
                    {
                        Bounds::ANY
                    }
                    _ => key.bounds,
                };
                (key.unit, bounds)
            }
            Slot::Friction(_) | Slot::Grain { .. } | Slot::FrictionOfAll => ("1", Bounds::FRICTION),
            Slot::Pair { key: PairKey::Coefficient, .. } => ("1", Bounds::FRICTION),
            Slot::Pair { key: PairKey::Cohesion, .. } => ("N", Bounds::NOT_NEGATIVE),
            Slot::Pair { key: PairKey::Compliance, .. } => ("1/kg", Bounds::NOT_NEGATIVE),
            Slot::Gravity | Slot::GravityKey(_) => ("m/s²", Bounds::ACCELERATION),
            Slot::Wind(WindKey::Velocity) => ("m/s", Bounds::VELOCITY),
            Slot::Wind(WindKey::GustAmplitude) => ("m/s", Bounds::NOT_NEGATIVE),
            Slot::Wind(WindKey::GustFrequency) => ("1/s", Bounds::NOT_NEGATIVE),
            Slot::Wind(WindKey::GustLength) => ("m", Bounds::POSITIVE),
            Slot::Wind(WindKey::AirDensity) => ("kg/m³", Bounds::NOT_NEGATIVE),
            Slot::Inflation { key: InflationKey::Pressure, .. } => ("Pa", Bounds::ANY),
            Slot::Inflation { key: InflationKey::Bulk, .. } => ("Pa", Bounds::NOT_NEGATIVE),
            Slot::Inflation { key: InflationKey::Ambient, .. } => ("Pa", Bounds::POSITIVE),
            Slot::SoftPin(_) | Slot::Attachment(_) | Slot::Stitch(_) => ("N/m", Bounds::POSITIVE),
            Slot::Motion { key, .. } => match key {
                MotionKey::Whole => ("m, s, rad", Bounds::ANY),
                MotionKey::Velocity => ("m/s", Bounds::VELOCITY),
                MotionKey::TurnRate => ("°/s", Bounds::ANY),
                MotionKey::Start | MotionKey::End => ("s", Bounds::ANY),
                MotionKey::KeyTranslation(_) => ("m", Bounds::ANY),
                MotionKey::KeyScale(_) => ("1", Bounds::POSITIVE),
            },
        }
    }
}

impl Parameters {
    /// The motion of a pin or anchor.
    pub(super) fn motion_of(&self, control: Control) -> &Motion {
        match control {
            Control::Pin(group) => &self.controls.pins[group],
            Control::Anchor(group) => &self.controls.anchors[group],
        }
    }

    fn motion_of_mut(&mut self, control: Control) -> &mut Motion {
        match control {
            Control::Pin(group) => &mut self.controls.pins[group],
            Control::Anchor(group) => &mut self.controls.anchors[group],
        }
    }

    /// The present value of a slot; `None` where it has none, such as a modulus that the material does not use.
    pub(super) fn read(&self, slot: &Slot) -> Option<ParameterValue> {
        let number = match slot {
            Slot::Material { bodies, key } => (key.value)(&self.materials[bodies[0]])?,
            Slot::Friction(objects) => self.friction[objects[0]],
            Slot::Grain { objects, component } => self.grain_friction[objects[0]]?[*component],
            Slot::FrictionOfAll => self.friction_table.all?,
            Slot::Pair { table, key } => {
                let pair = self.friction_table.pairs.iter().find(|p| p.table == *table)?;
                match key {
                    PairKey::Coefficient => pair.coefficient?,
                    PairKey::Cohesion => pair.cohesion?,
                    PairKey::Compliance => pair.compliance?,
                }
            }
            Slot::Gravity => {
                return self.gravity.is_constant().then(|| self.gravity.at(0.0).into());
            }
            Slot::GravityKey(k) => return Some(self.gravity.keys()[*k].value.into()),
            Slot::Wind(WindKey::Velocity) => return Some(self.wind.velocity.into()),
            Slot::Wind(WindKey::GustAmplitude) => self.wind.gust_amplitude,
            Slot::Wind(WindKey::GustFrequency) => self.wind.gust_frequency,
            Slot::Wind(WindKey::GustLength) => self.wind.gust_length,
            Slot::Wind(WindKey::AirDensity) => self.wind.air_density,
            Slot::Inflation { bodies, key } => match (self.inflation[bodies[0]]?, key) {
                (Inflation { pressure, .. }, InflationKey::Pressure) => pressure,
                (Inflation { law: InflationLaw::Linear { bulk_modulus }, .. }, _) => bulk_modulus,
                (Inflation { law: InflationLaw::Gas { ambient }, .. }, _) => ambient,
            },
            Slot::SoftPin(groups) => self.springs.anchors[groups[0]],
            Slot::Attachment(table) => self.springs.attachments[*table],
            Slot::Stitch(table) => self.springs.stitches[*table],
            Slot::Motion { controls, key } => return Some(read_motion(self.motion_of(controls[0]), *key)),
        };
        Some(number.into())
    }

    /// Sets a slot to a value of the right kind and range.
    pub(super) fn write(
        &mut self,
        model: &Model,
        path: &str,
        slot: &Slot,
        value: &ParameterValue,
    ) -> Result<Changed, ParameterError> {
        let friction = Changed { friction: true, ..Changed::default() };
        let couplings = Changed { couplings: true, ..Changed::default() };
        match (slot, value) {
            (Slot::Material { bodies, key }, ParameterValue::Number(x)) => {
                return self.write_material(model, path, bodies, key, *x);
            }
            (Slot::Gravity, ParameterValue::Vector(v)) => self.gravity = Gravity::constant(*v),
            (Slot::Gravity, ParameterValue::Number(size)) => {
                self.gravity = Gravity::constant(self.up * -size)
            }
            (Slot::GravityKey(k), ParameterValue::Vector(v)) => self.gravity.set_value(*k, *v),
            (Slot::GravityKey(k), ParameterValue::Number(size)) => {
                self.gravity.set_value(*k, self.up * -size);
            }
            (Slot::Wind(WindKey::Velocity), ParameterValue::Vector(v)) => self.wind.velocity = *v,
            (Slot::Wind(key), ParameterValue::Number(x)) => {
                match key {
                    WindKey::GustAmplitude => self.wind.gust_amplitude = *x,
                    WindKey::GustFrequency => self.wind.gust_frequency = *x,
                    WindKey::GustLength => self.wind.gust_length = *x,
                    WindKey::AirDensity | WindKey::Velocity => self.wind.air_density = *x,
                };
            }
            (Slot::Motion { controls, key }, value) => {
                for &control in controls {
                    write_motion(self.motion_of_mut(control), *key, value);
                }
                return Ok(Changed { controls: true, ..Changed::default() });
            }
            (Slot::Friction(objects), ParameterValue::Number(x)) => {
                objects.iter().for_each(|&o| self.friction[o] = *x);
                return Ok(friction);
            }
            (Slot::Grain { objects, component }, ParameterValue::Number(x)) => {
                for &object in objects {
                    self.grain_friction[object].iter_mut().for_each(|grain| grain[*component] = *x);
                }
                return Ok(friction);
            }
            (Slot::FrictionOfAll, ParameterValue::Number(x)) => {
                self.friction_table.all = Some(*x);
                return Ok(friction);
            }
            (Slot::Pair { table, key }, ParameterValue::Number(x)) => {
                let pairs = self.friction_table.pairs.iter_mut().filter(|p| p.table == *table);
                pairs.for_each(|pair| write_pair(pair, *key, *x));
                return Ok(friction);
            }
            (Slot::Inflation { bodies, key }, ParameterValue::Number(x)) => {
                return self.write_inflation(path, bodies, *key, *x);
            }
            (Slot::SoftPin(groups), ParameterValue::Number(x)) => {
                groups.iter().for_each(|&g| self.springs.anchors[g] = *x);
                return Ok(couplings);
            }
            (Slot::Attachment(table), ParameterValue::Number(x)) => {
                self.springs.attachments[*table] = *x;
                return Ok(couplings);
            }
            (Slot::Stitch(table), ParameterValue::Number(x)) => {
                self.springs.stitches[*table] = *x;
                return Ok(couplings);
            }
            // The kind of the value was checked before.
            _ => {}
        }
        let wind = matches!(slot, Slot::Wind(_));
        Ok(Changed { gravity: !wind, wind, ..Changed::default() })
    }

    /// Resolves the written material again with one key changed, so that all that follows from it follows by the rules of scenes.
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
        let roots = root_stiffness(model, |body| &self.materials[body]);
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

fn read_motion(motion: &Motion, key: MotionKey) -> ParameterValue {
    match key {
        MotionKey::Whole => motion.clone().into(),
        MotionKey::Velocity => motion.velocity.into(),
        MotionKey::TurnRate => motion.angular_velocity.dot(&motion.turn_axis).to_degrees().into(),
        MotionKey::Start => motion.start.into(),
        MotionKey::End => motion.end.into(),
        MotionKey::KeyTranslation(k) => motion.keys[k].translation.into(),
        MotionKey::KeyScale(k) => motion.keys[k].scale.into(),
    }
}

fn write_motion(motion: &mut Motion, key: MotionKey, value: &ParameterValue) {
    match (key, value) {
        (MotionKey::Whole, ParameterValue::Motion(whole)) => *motion = whole.clone(),
        (MotionKey::Velocity, ParameterValue::Vector(v)) => motion.velocity = *v,
        (MotionKey::TurnRate, ParameterValue::Number(rate)) => {
            motion.angular_velocity = motion.turn_axis * rate.to_radians();
        }
        (MotionKey::Start, ParameterValue::Number(time)) => motion.start = *time,
        (MotionKey::End, ParameterValue::Number(time)) => motion.end = *time,
        (MotionKey::KeyTranslation(k), ParameterValue::Vector(v)) => motion.keys[k].translation = *v,
        (MotionKey::KeyScale(k), ParameterValue::Number(scale)) => motion.keys[k].scale = *scale,
        // The kind of the value was checked before.
        _ => {}
    }
}

fn write_pair(pair: &mut FrictionPair, key: PairKey, value: f64) {
    match key {
        PairKey::Coefficient => pair.coefficient = Some(value),
        PairKey::Cohesion => pair.cohesion = Some(value),
        PairKey::Compliance => pair.compliance = Some(value),
    }
}
