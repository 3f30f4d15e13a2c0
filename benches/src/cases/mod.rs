//! One file per family of cases.

pub mod ccd_stress;
pub mod collision;
pub mod collision_pairs;
pub mod collision_pressed;
pub mod collision_tree;
pub mod elements;
pub mod elements_bending;
pub mod elements_membranes;
pub mod elements_rods;
pub mod elements_springs;
pub mod elements_tets;
pub mod factor;
pub mod frame;
pub mod ipctk;
pub mod numerics_banded;
pub mod numerics_dense;
pub mod numerics_sparse;
pub mod pd;
pub mod pd_cloth;
pub mod pd_convergence;
pub mod pd_donuts;
pub mod pd_frames;
pub mod pd_kernels;
pub mod render;
pub mod steps;
pub mod sweep;
