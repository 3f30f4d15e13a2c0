use super::*;
use crate::generate::{box_surface, grid, tet_box, tet_cylinder};
use stiction_numerics::{Mat3, Random};

fn mesh(raw: crate::generate::RawMesh) -> Mesh {
    Mesh { vertices: raw.vertices, cells: raw.cells, uv: None, rest_vertices: None, source: "test".into() }
}

/// Mass, first and second moments of the nodes about the origin.
fn node_moments(body: &FrameBody) -> (f64, Vec3, Mat3) {
    let nodes = body.nodes.vertices.iter().zip(&body.frames.node_volumes);
    nodes.fold((0.0, Vec3::zeros(), Mat3::zeros()), |(v, c, s), (x, w)| {
        (v + w, c + x * *w, s + x * x.transpose() * *w)
    })
}

#[test]
fn a_box_has_its_closed_form_moments_in_its_four_nodes() {
    let size = Vec3::new(0.4, 0.2, 0.1);
    let mut shape = mesh(box_surface(size.into(), [3, 2, 1]));
    let shift = Vec3::new(10.0, -3.0, 2.0);
    shape.vertices.iter_mut().for_each(|p| *p += shift);
    let body = affine_body(shape).expect("closed");
    let (volume, first, second) = node_moments(&body);
    assert!((volume - size.product()).abs() < 1e-15);
    assert!((first / volume - shift).norm() < 1e-12);
    let about = second / volume - shift * shift.transpose();
    let expected = Mat3::from_diagonal(&size.component_mul(&size)) / 12.0;
    assert!((about - expected).norm() < 1e-12, "{about}");
    let rebuilt = |p: &WeightedPoint| -> Vec3 {
        p.terms.iter().map(|&(n, w)| body.nodes.vertices[n as usize] * w).sum()
    };
    for (carrier, place) in body.surface.carriers.iter().zip(&body.surface.mesh.vertices) {
        assert!((rebuilt(carrier) - place).norm() < 1e-12);
    }
}

#[test]
fn skinned_moments_are_those_of_the_mesh_for_any_frames() {
    let shape = mesh(tet_box([0.4, 0.2, 0.2], [6, 3, 3]));
    let Cells::Tets(tets) = &shape.cells else { panic!("tets") };
    // What one point per tet sees of the mesh; the frames may not change it.
    let mut expected = Moments::default();
    for t in tets {
        let middle = t.iter().map(|&i| shape.vertices[i as usize]).sum::<Vec3>() * 0.25;
        expected.add_point(&middle, crate::geometry::tet_volume(&shape.vertices, t));
    }
    // Shares of these frames are not flat: a flat one would count as thicker.
    for count in [1, 2, 3] {
        let options = FrameOptions { count, ..FrameOptions::default() };
        let body = skinned_body(shape.clone(), 0.0, &options).expect("frames");
        assert_eq!(body.nodes.vertices.len(), 4 * count);
        let (volume, first, second) = node_moments(&body);
        assert!((volume - expected.volume).abs() < 1e-14);
        assert!((first - expected.centre).norm() < 1e-14);
        assert!((second - expected.second).norm() < 1e-14, "{count} frames: {second}");
    }
}

#[test]
fn weights_and_gradients_reproduce_affine_maps() {
    let mut random = Random::new(4);
    let map = Mat3::from_fn(|_, _| random.range(-1.0, 1.0));
    let sheet = (
        mesh(grid(&crate::generate::GridOptions {
            size: [0.5, 0.3],
            cells: [10, 6],
            plane: Default::default(),
            pattern: Default::default(),
            seed: 1,
        })),
        0.004,
    );
    let bar = (mesh(tet_cylinder(0.05, 0.5, 2, 10)), 0.0);
    for (shape, thickness) in [sheet, bar] {
        let options = FrameOptions { count: 6, ..FrameOptions::default() };
        let body = skinned_body(shape, thickness, &options).expect("frames");
        let moved: Vec<Vec3> = body.nodes.vertices.iter().map(|x| map * x + Vec3::x()).collect();
        for point in &body.frames.points {
            assert!(point.nodes.len() <= 4 * MAX_FRAMES);
            let terms = point.nodes.iter().zip(&point.gradients);
            let f = terms.fold(Mat3::zeros(), |f, (&n, g)| f + moved[n as usize] * g.transpose());
            assert!((f - map).norm() < 1e-10, "{f}");
        }
        for (carrier, place) in body.surface.carriers.iter().zip(&body.surface.mesh.vertices) {
            let at: Vec3 = carrier.terms.iter().map(|&(n, w)| moved[n as usize] * w).sum();
            assert!((at - (map * place + Vec3::x())).norm() < 1e-11);
        }
    }
}

#[test]
fn a_frame_does_not_reach_across_a_gap() {
    // Two strips 1 cm apart that are joined at one end only: a leaf does not move its neighbour.
    let strip = |y: f64| {
        (0..=20).map(move |i| {
            [Vec3::new(f64::from(i) * 0.01, y, 0.0), Vec3::new(f64::from(i) * 0.01, y + 0.01, 0.0)]
        })
    };
    let vertices: Vec<Vec3> = strip(0.0).chain(strip(0.02)).flatten().collect();
    let quads = |first: u32| {
        (0..20).flat_map(move |i| {
            let [a, b, c, d] = [0, 1, 2, 3].map(|k| first + 2 * i + k);
            [[a, c, b], [b, c, d]]
        })
    };
    let mut cells: Vec<[u32; 3]> = quads(0).chain(quads(42)).collect();
    cells.extend([[0, 1, 42], [1, 43, 42]]);
    let shape =
        Mesh { vertices, cells: Cells::Triangles(cells), uv: None, rest_vertices: None, source: "u".into() };
    let ends = vec![Vec3::new(0.2, 0.005, 0.0), Vec3::new(0.2, 0.025, 0.0), Vec3::new(0.0, 0.015, 0.0)];
    let options = FrameOptions { positions: ends, radius: Some(0.15), ..FrameOptions::default() };
    let weights = FrameWeights::new(&shape, &options).expect("frames");
    let of = |v: usize, frame: u32| weights.of_vertex[v].iter().find(|w| w.0 == frame).map_or(0.0, |w| w.1);
    assert!(of(40, 0) > 0.99 && of(40, 1) == 0.0, "{:?}", weights.of_vertex[40]);
    assert!(of(82, 1) > 0.99 && of(82, 0) == 0.0);
    let away = FrameOptions { positions: vec![Vec3::z()], radius: Some(0.1), ..FrameOptions::default() };
    assert!(matches!(FrameWeights::new(&shape, &away), Err(SkinError::FrameOutside { frame: 0, .. })));
    let short = FrameOptions { positions: vec![Vec3::zeros()], radius: Some(0.1), ..FrameOptions::default() };
    assert!(matches!(FrameWeights::new(&shape, &short), Err(SkinError::Unreached { .. })));
}
