//! What a change of parameters touches, so that a method remakes no more than it must.

/// Kinds of values that changed. A method reads all of them from [`Parameters`](crate::Parameters)
/// in each step, except what it made from them beforehand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// Moduli, damping, drag, strain limits.
    pub materials: bool,
    /// Lumped masses.
    pub masses: bool,
    /// Friction coefficients, cohesion, compliance.
    pub friction: bool,
    /// Stiffness of soft pins, attachments, stitches and roots.
    pub couplings: bool,
    /// Gravity.
    pub gravity: bool,
    /// Wind and density of the air.
    pub wind: bool,
    /// Pressure inside closed surfaces.
    pub pressure: bool,
    /// Motions of pins, anchors and colliders.
    pub controls: bool,
}

impl Changed {
    /// Whether the elastic energy is another one: elements, couplings or pressure.
    pub fn elasticity(&self) -> bool {
        self.materials || self.couplings || self.pressure
    }

    /// Both changes as one.
    pub fn and(self, other: Changed) -> Changed {
        Changed {
            materials: self.materials || other.materials,
            masses: self.masses || other.masses,
            friction: self.friction || other.friction,
            couplings: self.couplings || other.couplings,
            gravity: self.gravity || other.gravity,
            wind: self.wind || other.wind,
            pressure: self.pressure || other.pressure,
            controls: self.controls || other.controls,
        }
    }
}
