use super::*;
use crate::generate::{RawMesh, box_surface, capsule, cylinder, ico_sphere, tet_box, torus, uv_sphere};
use std::f64::consts::PI;
use stiction_numerics::Random;

fn mesh(raw: RawMesh) -> Mesh {
    Mesh { vertices: raw.vertices, cells: raw.cells, uv: None, rest_vertices: None, source: "test".into() }
}

fn made(raw: RawMesh) -> SceneRigidBody {
    rigid_body(&[mesh(raw)]).expect("a closed mesh")
}

fn moved(raw: RawMesh, turn: &Mat3, shift: &Vec3) -> RawMesh {
    RawMesh { vertices: raw.vertices.iter().map(|x| turn * x + shift).collect(), ..raw }
}

fn diagonal(x: f64, y: f64, z: f64) -> Mat3 {
    Mat3::from_diagonal(&Vec3::new(x, y, z))
}

#[track_caller]
fn assert_near(found: &Mat3, expected: &Mat3, relative: f64) {
    assert!((found - expected).norm() < relative * expected.norm(), "{found} instead of {expected}");
}

/// I = V/12 diag(b² + c², a² + c², a² + b²), whatever the mesh and however far from the origin.
#[test]
fn a_box_has_its_closed_form() {
    let [a, b, c] = [0.4, 0.2, 0.1];
    let expected = diagonal(b * b + c * c, a * a + c * c, a * a + b * b) * (a * b * c / 12.0);
    for cells in [[1, 1, 1], [3, 2, 5]] {
        let body = made(box_surface([a, b, c], cells));
        assert!((body.shape.volume - a * b * c).abs() < 1e-15);
        assert!(body.centre.norm() < 1e-15);
        assert_near(&body.shape.inertia, &expected, 1e-14);
    }
    let far = Vec3::new(50.0, -30.0, 20.0);
    let body = made(moved(box_surface([a, b, c], [1, 1, 1]), &Mat3::identity(), &far));
    assert!((body.centre - far).norm() < 1e-13);
    assert_near(&body.shape.inertia, &expected, 1e-11);
    let solid = made(tet_box([a, b, c], [2, 2, 2]));
    assert_near(&solid.shape.inertia, &expected, 1e-14);
}

/// The inertia of a turned body is R I Rᵀ.
#[test]
fn a_turned_box_has_the_turned_tensor() {
    let mut random = Random::new(3);
    let plain = made(box_surface([0.4, 0.2, 0.1], [1, 1, 1]));
    for _ in 0..20 {
        let turn = random.rotation();
        let shift = random.vector(-1.0, 1.0);
        let body = made(moved(box_surface([0.4, 0.2, 0.1], [1, 1, 1]), &turn, &shift));
        assert_near(&body.shape.inertia, &(turn * plain.shape.inertia * turn.transpose()), 1e-13);
        assert!((body.centre - shift).norm() < 1e-14);
    }
}

/// Corner tet with legs a, b, c: centre (a, b, c)/4, and about it
/// I_xx = 3V/80 (b² + c²), I_xy = V/80 ab and so on.
#[test]
fn a_tetrahedron_has_its_closed_form() {
    let [a, b, c] = [0.3, 0.5, 0.7];
    let vertices = vec![Vec3::zeros(), Vec3::x() * a, Vec3::y() * b, Vec3::z() * c];
    let body = made(RawMesh::new(vertices, Cells::Tets(vec![[0, 1, 2, 3]])));
    let volume = a * b * c / 6.0;
    assert!((body.shape.volume - volume).abs() < 1e-16);
    assert!((body.centre - Vec3::new(a, b, c) * 0.25).norm() < 1e-15);
    let k = volume / 80.0;
    let expected = Mat3::new(
        3.0 * k * (b * b + c * c),
        k * a * b,
        k * a * c,
        k * a * b,
        3.0 * k * (a * a + c * c),
        k * b * c,
        k * a * c,
        k * b * c,
        3.0 * k * (a * a + b * b),
    );
    assert_near(&body.shape.inertia, &expected, 1e-14);
}

/// Errors of inscribed polyhedra fall with the square of the edge, a quarter each time it is
/// halved.
#[test]
fn sphere_meshes_converge_with_order_two() {
    let radius: f64 = 0.3;
    let volume = 4.0 / 3.0 * PI * radius.powi(3);
    let moment = 0.4 * volume * radius * radius;
    let errors: Vec<[f64; 2]> = (2..6)
        .map(|level| {
            let body = made(ico_sphere(radius, level));
            [1.0 - body.shape.volume / volume, 1.0 - body.shape.inertia.trace() / (3.0 * moment)]
        })
        .collect();
    for pair in errors.windows(2) {
        for k in 0..2 {
            let order = (pair[0][k] / pair[1][k]).log2();
            assert!((order - 2.0).abs() < 0.06, "order {order} of {errors:?}");
        }
    }
}

/// A prism over a regular n-gon of radius r: A = n r² sin(2π/n)/2, ∫ x² dA = A r² (2 +
/// cos(2π/n))/12.
#[test]
fn a_cylinder_mesh_is_an_exact_prism_and_converges_to_the_cylinder() {
    let (r, h) = (0.2f64, 0.5f64);
    for around in [6u32, 24] {
        let body = made(cylinder(r, h, around, 3, true));
        let step = 2.0 * PI / f64::from(around);
        let area = 0.5 * f64::from(around) * r * r * step.sin();
        let across = area * h * r * r * (2.0 + step.cos()) / 12.0;
        let along = area * h * h * h / 12.0;
        assert!((body.shape.volume - area * h).abs() < 1e-15);
        assert_near(&body.shape.inertia, &diagonal(across + along, across + along, 2.0 * across), 1e-13);
    }
    let body = made(cylinder(r, h, 512, 1, true));
    let volume = PI * r * r * h;
    let side = volume * (3.0 * r * r + h * h) / 12.0;
    assert_near(&body.shape.inertia, &diagonal(side, side, 0.5 * volume * r * r), 2e-4);
}

/// Two boxes as two shapes equal one mesh of both, and Steiner's theorem by hand.
#[test]
fn shapes_join_by_the_parallel_axis_theorem() {
    let unit = |x: f64| moved(box_surface([0.2, 0.1, 0.1], [1, 1, 1]), &Mat3::identity(), &(Vec3::x() * x));
    let alone = made(unit(0.0));
    let both = rigid_body(&[mesh(unit(-0.5)), mesh(unit(0.5))]).expect("closed");
    let arm = alone.shape.volume * 0.25;
    let expected = alone.shape.inertia * 2.0 + diagonal(0.0, 2.0 * arm, 2.0 * arm);
    assert_near(&both.shape.inertia, &expected, 1e-14);
    assert!((both.shape.volume - 2.0 * alone.shape.volume).abs() < 1e-15 && both.centre.norm() < 1e-15);
    let (mut one, other) = (unit(-0.5), unit(0.5));
    let first = one.vertices.len() as u32;
    one.vertices.extend(other.vertices);
    let (Cells::Triangles(list), Cells::Triangles(more)) = (&mut one.cells, &other.cells) else {
        panic!("triangles")
    };
    list.extend(more.iter().map(|t| t.map(|v| v + first)));
    assert_near(&made(one).shape.inertia, &expected, 1e-14);
}

/// An inner surface that faces inward is a cavity: the closed form of a thick-walled box.
#[test]
fn a_cavity_takes_mass_away() {
    let mut shell = box_surface([0.4, 0.4, 0.4], [1, 1, 1]);
    let inner = box_surface([0.2, 0.2, 0.2], [1, 1, 1]);
    let first = shell.vertices.len() as u32;
    shell.vertices.extend(inner.vertices);
    let (Cells::Triangles(list), Cells::Triangles(more)) = (&mut shell.cells, &inner.cells) else {
        panic!("triangles")
    };
    list.extend(more.iter().map(|t| [t[0] + first, t[2] + first, t[1] + first]));
    let body = made(shell);
    assert!((body.shape.volume - (0.064 - 0.008)).abs() < 1e-15);
    let moment = |a: f64| a.powi(5) / 6.0;
    assert_near(&body.shape.inertia, &(Mat3::identity() * (moment(0.4) - moment(0.2))), 1e-13);
}

/// Points of a fine grid inside a torus, counted one by one.
#[test]
fn a_torus_agrees_with_brute_force() {
    let (radius, tube) = (0.3f64, 0.1f64);
    let shift = Vec3::new(0.1, -0.2, 0.3);
    let body = made(moved(torus(radius, tube, 192, 96), &Mat3::identity(), &shift));
    let (cells, half) = (160, radius + tube);
    let spacing = 2.0 * half / f64::from(cells);
    let (mut volume, mut inertia) = (0.0, Mat3::zeros());
    for index in 0..cells * cells * cells {
        let at = |k: i32| (f64::from(k) + 0.5) * spacing - half;
        let x = Vec3::new(at(index % cells), at(index / cells % cells), at(index / (cells * cells)));
        let ring = x.xy().norm() - radius;
        if ring * ring + x.z * x.z < tube * tube {
            volume += spacing.powi(3);
            inertia += (Mat3::identity() * x.norm_squared() - x * x.transpose()) * spacing.powi(3);
        }
    }
    assert!((body.shape.volume / volume - 1.0).abs() < 5e-3, "{} {volume}", body.shape.volume);
    assert_near(&body.shape.inertia, &inertia, 5e-3);
    assert!((body.centre - shift).norm() < 1e-14);
}

#[test]
fn generators_of_closed_surfaces_face_outward() {
    for raw in [
        box_surface([1.0; 3], [2, 2, 2]),
        ico_sphere(1.0, 2),
        uv_sphere(1.0, 12, 8),
        cylinder(1.0, 2.0, 12, 2, true),
        capsule(1.0, 2.0, 12, 8),
        torus(1.0, 0.2, 12, 8),
    ] {
        assert!(made(raw).shape.volume > 0.0);
    }
}

#[test]
fn meshes_without_mass_are_told_apart() {
    let mut open = box_surface([1.0; 3], [1, 1, 1]);
    let mut turned = open.clone();
    let (Cells::Triangles(list), Cells::Triangles(all)) = (&mut open.cells, &mut turned.cells) else {
        panic!("triangles")
    };
    list.pop();
    all.iter_mut().for_each(|t| t.swap(1, 2));
    assert!(matches!(rigid_body(&[mesh(open)]), Err(RigidError::Open { uses: 1, .. })));
    assert!(
        matches!(rigid_body(&[mesh(turned)]), Err(RigidError::InsideOut { volume, .. }) if volume < -0.9)
    );
    let flat = vec![Vec3::zeros(), Vec3::x(), Vec3::y()];
    let two_sides = RawMesh::new(flat, Cells::Triangles(vec![[0, 1, 2], [0, 2, 1]]));
    assert!(matches!(rigid_body(&[mesh(two_sides)]), Err(RigidError::NoVolume { .. })));
    // A large box and a far small one that is inside out: the volume is positive, the mass
    // distribution is not.
    let mut pair = box_surface([0.1; 3], [1, 1, 1]);
    let small = box_surface([0.09; 3], [1, 1, 1]);
    let first = pair.vertices.len() as u32;
    pair.vertices.extend(small.vertices.iter().map(|x| x + Vec3::x()));
    let (Cells::Triangles(list), Cells::Triangles(more)) = (&mut pair.cells, &small.cells) else {
        panic!("triangles")
    };
    list.extend(more.iter().map(|t| [t[0] + first, t[2] + first, t[1] + first]));
    assert!(matches!(rigid_body(&[mesh(pair)]), Err(RigidError::NegativeInertia { .. })));
}
