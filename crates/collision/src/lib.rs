//! Broad phase, distances, continuous collision detection and intersection tests: geometry only.
