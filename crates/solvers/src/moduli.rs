//! Moduli that methods with laws of their own take from the laws of a scene.

use stiction_energy::{MembraneLaw, Orthotropic};

/// Moduli at small strain: all laws of one sheet agree there.
pub fn small_strain(law: &MembraneLaw) -> Orthotropic {
    match law {
        MembraneLaw::Orthotropic(law) => *law,
        MembraneLaw::BaraffWitkin(law) => {
            Orthotropic { c11: law.stretch_u, c22: law.stretch_v, c12: 0.0, c33: law.shear }
        }
        MembraneLaw::StVenantKirchhoff(lame)
        | MembraneLaw::NeoHookean(lame)
        | MembraneLaw::StableNeoHookean(lame)
        | MembraneLaw::Corotated(lame) => {
            let full = 2.0 * lame.mu + lame.lambda;
            Orthotropic { c11: full, c22: full, c12: lame.lambda, c33: lame.mu }
        }
    }
}
