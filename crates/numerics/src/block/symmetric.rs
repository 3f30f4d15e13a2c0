//! A symmetric 3×3 block by its six numbers: two thirds of the memory of a full one, and its own
//! transpose.

use crate::types::{Mat3, Vec3};

/// xx, xy, xz, yy, yz, zz.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SymmetricBlock(pub [f64; 6]);

impl SymmetricBlock {
    /// The upper triangle of a symmetric matrix.
    #[inline(always)]
    pub fn from_upper(m: &Mat3) -> Self {
        Self([m.m11, m.m12, m.m13, m.m22, m.m23, m.m33])
    }

    /// `scale · v vᵀ`.
    #[inline]
    pub fn outer(v: &Vec3, scale: f64) -> Self {
        let s = v * scale;
        Self([s.x * v.x, s.x * v.y, s.x * v.z, s.y * v.y, s.y * v.z, s.z * v.z])
    }

    /// All nine numbers.
    #[inline]
    pub fn to_matrix(&self) -> Mat3 {
        let [xx, xy, xz, yy, yz, zz] = self.0;
        Mat3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz)
    }

    /// Product with a vector.
    #[inline(always)]
    pub fn mul(&self, v: &Vec3) -> Vec3 {
        let [xx, xy, xz, yy, yz, zz] = self.0;
        Vec3::new(
            xx * v.x + xy * v.y + xz * v.z,
            xy * v.x + yy * v.y + yz * v.z,
            xz * v.x + yz * v.y + zz * v.z,
        )
    }

    /// Adds `factor · other`.
    #[inline(always)]
    pub fn add_scaled(&mut self, factor: f64, other: &Self) {
        self.0.iter_mut().zip(&other.0).for_each(|(a, b)| *a += factor * b);
    }

    /// Adds `factor` times this block to a full one.
    #[inline]
    pub fn add_to(&self, factor: f64, target: &mut Mat3) {
        let [xx, xy, xz, yy, yz, zz] = self.0.map(|k| factor * k);
        target.m11 += xx;
        target.m12 += xy;
        target.m13 += xz;
        target.m21 += xy;
        target.m22 += yy;
        target.m23 += yz;
        target.m31 += xz;
        target.m32 += yz;
        target.m33 += zz;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    #[test]
    fn six_numbers_do_what_nine_do() {
        let mut random = Random::new(131);
        let (v, x) = (random.vector(-1.0, 1.0), random.vector(-1.0, 1.0));
        let full = v * v.transpose() * 3.0;
        let mut block = SymmetricBlock::outer(&v, 3.0);
        assert!((block.to_matrix() - full).amax() < 1e-15);
        assert!((block.mul(&x) - full * x).amax() < 1e-15);
        let mut target = Mat3::identity();
        block.add_to(0.5, &mut target);
        assert!((target - (Mat3::identity() + full * 0.5)).amax() < 1e-15);
        block.add_scaled(2.0, &SymmetricBlock::from_upper(&Mat3::identity()));
        assert!((block.to_matrix() - (full + Mat3::identity() * 2.0)).amax() < 1e-15);
    }
}
