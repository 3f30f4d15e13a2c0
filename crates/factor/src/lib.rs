//! Sparse direct solves for Stiction: the only crate that knows the factorisation library.
