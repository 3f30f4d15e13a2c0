//! Sizes, masses and stiffness of the bodies: the scales of what can happen.

use crate::solver::World;
use stiction_bodies::{Body, Model};
use stiction_numerics::Vec3;
use stiction_scene::material::{Material, MembraneStiffness};

/// One body.
#[derive(Clone, Copy, Debug)]
pub struct BodySize {
    /// Diagonal of its box at the start, thickness included \[m\].
    pub extent: f64,
    /// Mass \[kg\].
    pub mass: f64,
    /// c², modulus over density \[m²/s²\].
    pub sound_squared: f64,
    /// Surface at rest \[m²\].
    area: f64,
    /// Mean length of its edges \[m\], if it has any.
    edge: Option<f64>,
}

/// All bodies of a model.
#[derive(Clone, Debug)]
pub struct BodySizes {
    /// In the order of the model.
    pub bodies: Vec<BodySize>,
    /// Box round all bodies at the start \[m\].
    low: Vec3,
    high: Vec3,
    thickest: f64,
}

impl BodySizes {
    pub fn new(world: World<'_>) -> BodySizes {
        let (model, parameters) = (world.model, world.parameters);
        let boxes: Vec<[Vec3; 2]> = model.bodies.iter().map(|body| box_of(model, body)).collect();
        let size = |(b, body): (usize, &Body)| {
            let [low, high] = boxes[b];
            let material = &parameters.materials[b];
            let (area, edge) = area_and_edge(model, body);
            BodySize {
                extent: ((high - low).norm() + body.thickness).max(f64::MIN_POSITIVE),
                mass: parameters.body_mass(model, b).max(f64::MIN_POSITIVE),
                sound_squared: modulus(material) / material.density(),
                area,
                edge,
            }
        };
        let bodies = model.bodies.iter().enumerate().map(size).collect();
        let fold = |start: Vec3, by: fn(&Vec3, &Vec3) -> Vec3, side: usize| {
            boxes.iter().fold(start, |sum, corners| by(&sum, &corners[side]))
        };
        let first = boxes.first().map_or([Vec3::zeros(); 2], |corners| *corners);
        let thickest = model.bodies.iter().map(|body| body.thickness).fold(0.0, f64::max);
        BodySizes { bodies, low: fold(first[0], Vec3::inf, 0), high: fold(first[1], Vec3::sup, 1), thickest }
    }

    /// Across all bodies at the start, thickness included \[m\].
    pub fn reach(&self) -> f64 {
        (self.high - self.low).norm() + self.thickest
    }

    /// Corners of the box round all bodies at the start \[m\].
    pub fn corners(&self) -> [Vec3; 8] {
        std::array::from_fn(|k| {
            Vec3::from_fn(|axis, _| if k >> axis & 1 == 0 { self.low[axis] } else { self.high[axis] })
        })
    }

    /// Largest L²/c² \[s²\]: gravity times that is how far a body stretches under its own weight.
    pub fn largest_compliance(&self) -> f64 {
        self.bodies.iter().map(|b| b.extent * b.extent / b.sound_squared).fold(0.0, f64::max)
    }

    /// Largest acceleration of a body by forces of the caller and by pressure \[m/s²\].
    pub fn acceleration(&self, world: World<'_>) -> f64 {
        let (model, parameters) = (world.model, world.parameters);
        let of_body = |(b, size): (usize, &BodySize)| {
            let nodes = model.bodies[b].nodes.clone();
            let external: f64 =
                parameters.external.get(nodes).map_or(0.0, |f| f.iter().map(Vec3::norm).sum());
            let pressure = parameters.inflation[b].map_or(0.0, |inflation| inflation.pressure.abs());
            (external + pressure * size.area) / size.mass
        };
        self.bodies.iter().enumerate().map(of_body).fold(0.0, f64::max)
    }

    /// The name of the body, or else of any other, that is thicker than its edges are long.
    pub fn thick_for_its_cells<'a>(&self, world: World<'a>, body: usize) -> Option<&'a str> {
        let bodies = &world.model.bodies;
        let thick = |b: &usize| self.bodies[*b].edge.is_some_and(|edge| bodies[*b].thickness > edge);
        let found = std::iter::once(body).chain(0..bodies.len()).find(thick)?;
        Some(&bodies[found].name)
    }
}

/// Box of a body at the start \[m\].
fn box_of(model: &Model, body: &Body) -> [Vec3; 2] {
    let mut places = model.initial[body.nodes.clone()].to_vec();
    if let Some(rigid) = body.rigid {
        let rigid = &model.rigid.bodies[rigid as usize];
        let pose = rigid.initial;
        places.extend(rigid.shape.vertices.iter().map(|x| pose.centre + pose.orientation * x));
    }
    let first = places.first().copied().unwrap_or_default();
    places.iter().fold([first, first], |[low, high], x| [low.inf(x), high.sup(x)])
}

/// Area of the surface and mean length of the edges at rest.
fn area_and_edge(model: &Model, body: &Body) -> (f64, Option<f64>) {
    let (mut area, mut length, mut count) = (0.0, 0.0, 0.0);
    for triangle in &body.triangles {
        let [a, b, c] = triangle.map(|n| model.rest[n as usize]);
        area += 0.5 * (b - a).cross(&(c - a)).norm();
        length += (b - a).norm() + (c - b).norm() + (a - c).norm();
        count += 3.0;
    }
    for edge in &model.rods.edges[body.edges.clone()] {
        length += edge.length;
        count += 1.0;
    }
    (area, (count > 0.0).then(|| length / count))
}

/// Largest modulus of a material \[Pa\]; a rigid body stores no energy.
fn modulus(material: &Material) -> f64 {
    match material {
        Material::Cloth(cloth) => match cloth.stretch {
            MembraneStiffness::Isotropic { young, .. } => young,
            MembraneStiffness::Orthotropic { warp, weft, shear, .. } => warp.max(weft).max(shear),
        },
        Material::Rod(rod) => rod.young_stretch.max(rod.young_bend).max(rod.shear),
        Material::Solid(solid) => {
            let (lambda, mu) = solid.lame();
            lambda + 2.0 * mu + solid.volume_stiffness
        }
        Material::Rigid(_) => 0.0,
    }
}
