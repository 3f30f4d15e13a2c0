//! New values of materials act as if the energy had been made for them, bit for bit.

use std::path::Path;
use stiction_bodies::{Model, Parameters, State, build};
use stiction_energy::check::TestRandom;
use stiction_energy::{Curvature, Elasticity, ElasticityError};
use stiction_numerics::{BlockMatrix, Vec3};
use stiction_scene::Law;
use stiction_scene::material::{BendingLaw, Material, MembraneStiffness};

struct World {
    model: Model,
    parameters: Parameters,
    state: State,
}

/// Cloth of every bending law, tets, a body on frames and a rod, all damped and with drag.
fn world() -> World {
    let cloth = |name: &str, more: &str| {
        format!(
            "[bodies.{name}]\nkind = 'cloth'\nmesh = {{ grid = {{ size = [1, 1], cells = [3, 3] }} }}
            material = {{ preset = 'cotton', damping_stiffness = 0.01, damping_bending = 0.02, {more} }}\n"
        )
    };
    let solid = "material = { preset = 'rubber', damping_stiffness = 0.01, drag_normal = 1.0 }";
    let text = format!(
        "stiction = 1\n{}{}{}
        [bodies.jelly]\nkind = 'solid'\nmesh = {{ tet_box = {{ size = [1, 1, 1], cells = [2, 2, 2] }} }}\n{solid}
        [bodies.block]\nkind = 'affine'\nmesh = {{ tet_box = {{ size = [1, 1, 1], cells = [2, 2, 2] }} }}\n{solid}
        [bodies.hair]\nkind = 'rod'\nmesh = {{ rod = {{ end = [1, 0, 0], segments = 6 }} }}
        material = {{ preset = 'human_hair', damping_stiffness = 0.01 }}\n",
        cloth("hinged", "bending = 'hinge'"),
        cloth("quadratic", "bending = 'quadratic'"),
        cloth("smooth", "bending = 'shape_operator'"),
    );
    let loaded = stiction_scene::load_text("test.toml", &text, Path::new("."), &[] as &[&str]);
    let scene = loaded.expect("the scene is valid").scene;
    let model = build(&scene).expect("a model");
    let parameters = Parameters::from_scene(&scene, &model);
    let state = State::initial(&model, &scene);
    World { model, parameters, state }
}

/// Every value that elements take, changed.
fn change(parameters: &mut Parameters) {
    for (k, material) in parameters.materials.iter_mut().enumerate() {
        let factor = 1.5 + k as f64;
        match material {
            Material::Cloth(cloth) => {
                cloth.stretch = MembraneStiffness::Isotropic { young: 2e5 * factor, poisson: 0.2 };
                cloth.law = Law::NeoHookean;
                cloth.bending_stiffness *= factor;
                cloth.bending_poisson = 0.45;
                cloth.damping.bending *= factor;
                cloth.drag.normal *= factor;
            }
            Material::Solid(solid) => {
                solid.young *= factor;
                solid.poisson = 0.22;
                solid.law = Law::FixedCorotated;
                solid.damping.stiffness *= factor;
                solid.drag.normal *= factor;
            }
            Material::Rod(rod) => {
                rod.young_stretch *= factor;
                rod.young_bend *= factor;
                rod.shear *= factor;
                rod.damping.stiffness = 0.0;
                rod.drag.tangential *= factor;
            }
            Material::Rigid(_) => {}
        }
    }
}

/// Everything that an energy gives, as bits.
fn bits(elasticity: &Elasticity, world: &World) -> Vec<u64> {
    let mut random = TestRandom::new(9);
    let blocks: Vec<Vec3> = world.state.blocks.iter().map(|x| x + random.vector() * 0.02).collect();
    let velocities: Vec<Vec3> = blocks.iter().map(|_| random.vector()).collect();
    let frames = &world.state.frames;
    let mut vector = vec![Vec3::zeros(); blocks.len()];
    let mut matrix = BlockMatrix::zeros(elasticity.pattern().clone());
    elasticity.add_gradient(&blocks, frames, 0.0, &mut vector);
    elasticity.add_hessian(&blocks, frames, 0.0, Curvature::Projected, &mut matrix);
    elasticity.add_damping(&blocks, frames, &mut matrix);
    elasticity.add_drag(&blocks, &velocities, &world.parameters.wind, 0.0, &mut vector, &mut matrix);
    let mut out = vec![elasticity.energy(&blocks, frames, 0.0).to_bits()];
    out.extend(vector.iter().flat_map(|v| v.iter().map(|c| c.to_bits()).collect::<Vec<_>>()));
    for k in 0..blocks.len() {
        out.extend(matrix.diagonal_block(k).iter().map(|c| c.to_bits()));
    }
    let mut product = vec![Vec3::zeros(); blocks.len()];
    matrix.mul(&velocities, &mut product);
    out.extend(product.iter().flat_map(|v| v.iter().map(|c| c.to_bits()).collect::<Vec<_>>()));
    out
}

#[test]
fn values_set_later_are_values_built_in() {
    let mut world = world();
    let mut changed = Elasticity::new(&world.model, &world.parameters).expect("elements");
    let before = bits(&changed, &world);
    assert_eq!(before, bits(&Elasticity::new(&world.model, &world.parameters).expect("elements"), &world));
    let old = world.parameters.clone();
    change(&mut world.parameters);
    changed.set_materials(&world.parameters).expect("the same elements");
    let made = Elasticity::new(&world.model, &world.parameters).expect("elements");
    assert_eq!(bits(&changed, &world), bits(&made, &world));
    assert_ne!(bits(&changed, &world), before);
    changed.set_materials(&old).expect("the same elements");
    assert_eq!(bits(&changed, &world), before, "and back again");
}

/// A change that needs other elements is refused by the name of the body, and leaves all values.
#[test]
fn changes_that_need_other_elements_are_refused() {
    let world = world();
    let mut elasticity = Elasticity::new(&world.model, &world.parameters).expect("elements");
    let before = bits(&elasticity, &world);
    let refused = |elasticity: &mut Elasticity, name: &str, edit: &dyn Fn(&mut Material)| {
        let mut parameters = world.parameters.clone();
        change(&mut parameters);
        let body = world.model.bodies.iter().position(|body| body.name == name).expect("a body");
        edit(&mut parameters.materials[body]);
        let error = elasticity.set_materials(&parameters).expect_err("other elements");
        assert!(matches!(&error, ElasticityError::OtherElements { body, .. } if body == name), "{error}");
    };
    let cloth = |edit: fn(&mut stiction_scene::material::ClothMaterial)| {
        move |material: &mut Material| {
            let Material::Cloth(cloth) = material else { panic!("a cloth body") };
            edit(cloth);
        }
    };
    refused(&mut elasticity, "hinged", &cloth(|c| c.bending_stiffness = 0.0));
    refused(&mut elasticity, "quadratic", &cloth(|c| c.bending = BendingLaw::Hinge));
    refused(&mut elasticity, "smooth", &cloth(|c| c.rest_curved = true));
    refused(&mut elasticity, "smooth", &cloth(|c| (c.drag.normal, c.drag.tangential) = (0.0, 0.0)));
    assert_eq!(bits(&elasticity, &world), before);
}
