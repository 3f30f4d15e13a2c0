//! Coulomb.
