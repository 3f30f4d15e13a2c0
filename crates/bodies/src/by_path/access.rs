//! Reads slots.

use super::slots::{Control, InflationKey, PairKey, Slot, WindKey};
use super::value::{Bounds, ParameterValue};
use crate::parameters::Parameters;
use stiction_scene::material::{Material, MembraneStiffness};
use stiction_scene::motion::Motion;
use stiction_scene::resolved::{Inflation, InflationLaw};

impl Slot {
    /// SI unit and range.
    pub(super) fn unit_and_bounds(&self, parameters: &Parameters) -> (&'static str, Bounds) {
        match self {
            Slot::Material { bodies, key } => {
                let bounds = match &parameters.materials[bodies[0]] {
                    // The range of a woven Poisson ratio depends on both moduli; the scene's rule
                    // checks it.
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
            Slot::SoftPin(_) | Slot::Attachment(_) | Slot::Stitch(_) | Slot::Roots(_) => {
                ("N/m", Bounds::POSITIVE)
            }
            Slot::Motion { key, .. } => key.unit_and_bounds(),
        }
    }
}

impl Parameters {
    /// The motion of the scene that a control has.
    pub(super) fn motion_of(&self, control: Control) -> &Motion {
        match control {
            Control::Pin(group) => &self.controls.pins[group],
            Control::Anchor(group) => &self.controls.anchors[group],
            Control::Collider(collider) => &self.controls.colliders[collider],
        }
    }

    /// The present value of a slot; `None` where it has none, such as a modulus that the material
    /// does not use.
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
            Slot::Roots(rooted) => self.springs.given_roots[*rooted]?,
            Slot::Motion { controls, key } => return Some(key.read(self.motion_of(controls[0]))),
        };
        Some(number.into())
    }
}
