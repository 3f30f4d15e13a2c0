//! Nodes as position-based sweeps take them.

/// Position \[m\] and inverse mass \[1/kg\] of a node, 0 where it is prescribed.
pub type WeightedNode = [f64; 4];
