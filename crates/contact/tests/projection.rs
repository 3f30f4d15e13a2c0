//! The projection as a law: orthogonal where there is no friction, Signorini–Coulomb where there
//! is, and always the same.

use stiction_contact::coulomb::NodeBlockSweep;
use stiction_contact::{
    ContactKind, ContactSet, ContactStencil, EllipticCone, EllipticRule, Friction, NewContact,
    ProjectOptions, Stabilisation,
};
use stiction_numerics::{Mat3, Random, Vec3};

const CONVERGED: ProjectOptions = ProjectOptions { sweeps: 20_000, sleep_below: None, stop_below: 1e-14 };

fn contact(pairs: &[(u32, f64)], normal: Vec3, friction: f64) -> NewContact {
    NewContact::new(ContactStencil::new(pairs), normal, 0.0, 0.01, friction)
}

/// Two-node to four-node contacts between random neighbours in a line of nodes, with offsets of
/// both signs.
fn random_problem(seed: u64, nodes: usize, contacts: usize) -> (Vec<f64>, Vec<Vec3>, Vec<NewContact>) {
    let mut random = Random::new(seed);
    let weights: Vec<f64> = (0..nodes).map(|_| random.range(0.5, 2.0)).collect();
    let velocities: Vec<Vec3> = (0..nodes).map(|_| random.vector(-1.0, 1.0)).collect();
    let list = (0..contacts)
        .map(|c| {
            let base = c * (nodes - 12) / contacts;
            let mut at: Vec<u32> = Vec::new();
            while at.len() < 4 {
                let node = (base + random.below(12)) as u32;
                if !at.contains(&node) {
                    at.push(node);
                }
            }
            let a = random.range(0.1, 0.9);
            let pairs: Vec<(u32, f64)> = match random.below(4) {
                0 => vec![(at[0], 1.0), (at[1], -a), (at[2], a - 1.0)],
                1 => vec![(at[0], a), (at[1], 1.0 - a), (at[2], -0.4), (at[3], -0.6)],
                2 => vec![(at[0], 1.0)],
                _ => vec![(at[0], 1.0), (at[1], -0.2), (at[2], -0.5), (at[3], -0.3)],
            };
            let mut contact = contact(&pairs, random.unit_vector(), random.range(0.0, 0.8));
            contact.normal_offset = random.range(0.0, 0.2);
            contact.key = c as u64;
            contact
        })
        .collect();
    (weights, velocities, list)
}

/// Frictionless contacts form a convex feasible set; its projection by Dykstra's algorithm, an
/// independent oracle.
fn dykstra(p: Vec3, normals: &[Vec3]) -> Vec3 {
    let mut x = p;
    let mut corrections = vec![Vec3::zeros(); normals.len()];
    for _ in 0..100_000 {
        for (normal, correction) in normals.iter().zip(&mut corrections) {
            let y = x + *correction;
            x = y - normal * normal.dot(&y).min(0.0);
            *correction = y - x;
        }
    }
    x
}

#[test]
fn two_normals_reach_the_orthogonal_projection_and_position_updates_do_not() {
    // Seed figure 5: one node, two oblique normals. From p⁰ the first normal alone is enough in the
    // end.
    let normals = [Vec3::new(-0.6, 0.0, 0.8), Vec3::new(0.2, 0.0, 1.0).normalize()];
    let start = Vec3::new(0.4, 0.0, -1.0);
    let mut set = ContactSet::new(&[1.0]);
    set.append(&normals.map(|n| contact(&[(0, 1.0)], n, 0.0)), None).unwrap();
    let mut p = [start];
    set.project(&mut p, &CONVERGED);

    // Closed form: of the faces and the edge, the nearest feasible one.
    let on_face = |n: &Vec3| start - n * n.dot(&start);
    let axis = normals[0].cross(&normals[1]).normalize();
    let candidates = [on_face(&normals[0]), on_face(&normals[1]), axis * axis.dot(&start)];
    let expected = candidates
        .into_iter()
        .filter(|x| normals.iter().all(|n| n.dot(x) > -1e-12))
        .min_by(|a, b| (a - start).norm().total_cmp(&(b - start).norm()))
        .unwrap();
    assert!((p[0] - expected).norm() < 1e-12, "{} instead of {expected}", p[0]);
    assert!((dykstra(start, &normals) - expected).norm() < 1e-9);

    // Position-based updates never take an impulse back: they stop further away.
    let mut pbd = start;
    for _ in 0..1000 {
        for n in &normals {
            pbd -= n * n.dot(&pbd).min(0.0);
        }
    }
    assert!((pbd - start).norm() > (expected - start).norm() + 1e-3);
}

#[test]
fn frictionless_projection_is_orthogonal_for_many_normals() {
    let mut random = Random::new(4);
    for _ in 0..30 {
        let normals: Vec<Vec3> =
            (0..6).map(|_| (Vec3::z() * 1.5 + random.unit_vector()).normalize()).collect();
        let start = random.vector(-1.0, 1.0);
        let mut set = ContactSet::new(&[2.5]);
        let list: Vec<NewContact> = normals.iter().map(|n| contact(&[(0, 1.0)], *n, 0.0)).collect();
        set.append(&list, None).unwrap();
        let mut p = [start];
        set.project(&mut p, &CONVERGED);
        assert!((p[0] - dykstra(start, &normals)).norm() < 1e-6);
    }
}

#[test]
fn converged_sweeps_obey_the_law_dissipate_and_conserve() {
    for seed in 0..8 {
        let (weights, start, list) = random_problem(seed, 120, 100);
        let free: Vec<NewContact> = list.into_iter().filter(|c| c.stencil.nodes().len() > 1).collect();
        let mut set = ContactSet::new(&weights);
        set.append(&free, None).unwrap();
        let mut p = start.clone();
        let report = set.project(&mut p, &CONVERGED);
        assert!(report.largest_update <= 1e-14, "seed {seed} did not converge: {report:?}");
        assert!(set.natural_map_residual() < 1e-12);
        let mut work = 0.0;
        let mut tangential = 0.0;
        for c in 0..set.len() {
            let (r, n) = (set.impulse(c), set.normal(c));
            let u = set.relative_velocity(c);
            let r_t = r - n * r.dot(&n);
            tangential += r_t.norm();
            work += r_t.dot(&u);
            assert!(r_t.dot(&u) <= 1e-12, "friction adds energy");
        }
        assert!(work < -1e-3 && tangential > 0.1, "nothing slid: the test shows nothing");
        // Σ w p is kept: all stencils sum to zero here.
        let momentum = |v: &[Vec3]| v.iter().zip(&weights).map(|(v, w)| v * *w).sum::<Vec3>();
        assert!((momentum(&p) - momentum(&start)).norm() < 1e-12);
        // And W p = W p⁰ + Bᵀ r.
        let mut rebuilt = start.clone();
        for c in 0..set.len() {
            let (nodes, coefficients) = set.stencil(c);
            for (&node, b) in nodes.iter().zip(coefficients) {
                rebuilt[node as usize] += set.impulse(c) * (b / weights[node as usize]);
            }
        }
        assert!(rebuilt.iter().zip(&p).all(|(a, b)| (a - b).norm() < 1e-11));
    }
}

#[test]
fn a_box_on_an_incline_sticks_or_slides_as_the_closed_form_says() {
    let (h, g) = (0.01, 9.81);
    let angle = 10f64.to_radians();
    for (friction, slides) in [(0.177, false), (0.176, true)] {
        let mut set = ContactSet::new(&[3.0]);
        set.append(&[contact(&[(0, 1.0)], Vec3::z(), friction)], None).unwrap();
        let gravity = Vec3::new(g * angle.sin(), 0.0, -g * angle.cos());
        let mut v = [Vec3::zeros()];
        for _ in 0..500 {
            v[0] += gravity * h;
            // Every step starts from its own impulses; the sweep is exact for one contact.
            set.set_impulse(0, Vec3::zeros());
            set.project(&mut v, &ProjectOptions { sweeps: 1, ..ProjectOptions::default() });
        }
        let expected = if slides { 5.0 * g * (angle.sin() - friction * angle.cos()) } else { 0.0 };
        assert!((v[0].x - expected).abs() < 1e-12 && v[0].z.abs() < 1e-15, "{} {expected}", v[0]);
        assert!((set.impulse(0).z / h - 3.0 * g * angle.cos()).abs() < 1e-12);
    }
}

fn project_with(threads: usize, sleep_below: Option<f64>) -> Vec<Vec3> {
    let (weights, mut p, mut list) = random_problem(77, 6000, 8000);
    let last = list.split_off(7000);
    let long: Vec<(u32, f64)> = (0..9).map(|k| (40 + k, if k == 0 { 1.0 } else { -0.125 })).collect();
    list.push(contact(&long, Vec3::x(), 0.3));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let mut set = ContactSet::new(&weights);
        set.append(&list, None).unwrap();
        assert!(set.parallel_share() > 0.5);
        let options = ProjectOptions { sweeps: 10, sleep_below, stop_below: 0.0 };
        set.project(&mut p.clone(), &options);
        set.append(&last, None).unwrap();
        set.project(&mut p, &options);
    });
    p
}

#[test]
fn any_thread_count_gives_the_same_bits() {
    let bits = |threads| {
        project_with(threads, Some(1e-3))
            .iter()
            .map(|v| [v.x, v.y, v.z].map(f64::to_bits))
            .collect::<Vec<_>>()
    };
    let one = bits(1);
    assert_eq!(one, bits(2));
    assert_eq!(one, bits(7));
}

#[test]
fn appended_contacts_reach_the_same_frictionless_projection() {
    let (weights, start, mut list) = random_problem(5, 100, 60);
    list.iter_mut().for_each(|c| c.friction = Friction::Isotropic(0.0));
    let mut whole = ContactSet::new(&weights);
    whole.append(&list, None).unwrap();
    let mut expected = start.clone();
    whole.project(&mut expected, &CONVERGED);

    let mut grown = ContactSet::new(&weights);
    grown.append(&list[..20], None).unwrap();
    grown.project(&mut start.clone(), &CONVERGED);
    grown.append(&list[20..45], None).unwrap();
    grown.append(&list[45..], None).unwrap();
    let mut got = start.clone();
    grown.project(&mut got, &CONVERGED);
    assert_eq!(grown.len(), 60);
    // The projection on a convex set is unique, whatever the impulses it starts from.
    assert!(expected.iter().zip(&got).all(|(a, b)| (a - b).norm() < 1e-10));
}

#[test]
fn sleeping_changes_nothing_at_convergence() {
    let (weights, start, list) = random_problem(6, 100, 60);
    let mut set = ContactSet::new(&weights);
    set.append(&list, None).unwrap();
    let mut expected = start.clone();
    set.project(&mut expected, &CONVERGED);
    let mut got = start.clone();
    let options = ProjectOptions { sweeps: 10, sleep_below: Some(1e-9), stop_below: 0.0 };
    let report = set.project(&mut got, &options);
    assert_eq!(report.asleep, set.len());
    assert_eq!(report.updates, set.len() as u64, "all should fall asleep in the first sweep");
    assert!(expected.iter().zip(&got).all(|(a, b)| (a - b).norm() < 1e-12));
}

#[test]
fn a_warm_start_by_identity_is_already_converged() {
    let (weights, start, list) = random_problem(8, 100, 60);
    let mut set = ContactSet::new(&weights);
    set.append(&list, None).unwrap();
    set.project(&mut start.clone(), &CONVERGED);
    let memory = set.remember();
    // Another order, other weights scale out: the keys carry the impulses over.
    let mut turned = list.clone();
    turned.reverse();
    let mut next = ContactSet::new(&weights);
    next.append(&turned, Some(&memory)).unwrap();
    let one = ProjectOptions { sweeps: 1, ..ProjectOptions::default() };
    let report = next.project(&mut start.clone(), &one);
    assert!(report.largest_update < 1e-11, "{report:?}");
}

#[test]
fn cohesion_shifts_signorini() {
    // A ball of 2 kg pulled away by 0.3 N·s and held by ξ = 1 N·s stays; pulled by 1.5 N·s it
    // leaves with the rest.
    for (pull, expected) in [(0.3, 0.0), (1.5, 0.25)] {
        let mut set = ContactSet::new(&[2.0]);
        set.append(&[NewContact { cohesion: 1.0, ..contact(&[(0, 1.0)], Vec3::z(), 0.5) }], None).unwrap();
        let mut v = [Vec3::z() * (pull / 2.0)];
        set.project(&mut v, &CONVERGED);
        assert!((v[0].z - expected).abs() < 1e-14);
        // The total impulse is what changed the velocity, between −ξ and 0 here.
        assert!((set.total_impulse(0).z - 2.0 * (expected - pull / 2.0)).abs() < 1e-14);
    }
    // Friction holds by the cohesive pull alone: |r_T| ≤ μ ξ.
    let mut set = ContactSet::new(&[2.0]);
    set.append(&[NewContact { cohesion: 1.0, ..contact(&[(0, 1.0)], Vec3::z(), 0.5) }], None).unwrap();
    let mut v = [Vec3::x() * 0.2];
    set.project(&mut v, &CONVERGED);
    assert!(v[0].norm() < 1e-14);
}

#[test]
fn compliance_is_an_explicit_slack_node() {
    let (weights, start, mut list) = random_problem(9, 60, 40);
    list.iter_mut().enumerate().for_each(|(c, contact)| contact.compliance = 0.1 + 0.02 * c as f64);
    let mut implicit = ContactSet::new(&weights);
    implicit.append(&list, None).unwrap();
    let mut got = start.clone();
    implicit.project(&mut got, &CONVERGED);

    let mut with_slack = weights.clone();
    let mut expected = start.clone();
    for contact in &mut list {
        contact.stencil.add(with_slack.len() as u32, 1.0);
        with_slack.push(1.0 / contact.compliance);
        expected.push(Vec3::zeros());
        contact.compliance = 0.0;
    }
    let mut explicit = ContactSet::new(&with_slack);
    explicit.append(&list, None).unwrap();
    explicit.project(&mut expected, &CONVERGED);
    assert!(got.iter().zip(&expected).all(|(a, b)| (a - b).norm() < 1e-10));
}

#[test]
fn compliance_resolves_contradicting_contacts() {
    // Squeezed between two walls that want the same point on opposite sides: no feasible velocity.
    let squeeze = |compliance| {
        let mut set = ContactSet::new(&[1.0]);
        let wall = |n| NewContact { normal_offset: -1.0, compliance, ..contact(&[(0, 1.0)], n, 0.3) };
        set.append(&[wall(Vec3::z()), wall(-Vec3::z())], None).unwrap();
        let mut v = [Vec3::zeros()];
        for _ in 0..50 {
            v = [Vec3::zeros()];
            set.project(&mut v, &ProjectOptions { sweeps: 20, ..ProjectOptions::default() });
        }
        (v[0], set.impulse(0).norm())
    };
    let (hard, hard_impulse) = squeeze(0.0);
    let (soft, soft_impulse) = squeeze(0.5);
    assert!(
        hard.iter().all(|c| c.is_finite()) && hard_impulse > 100.0,
        "rigid walls: the impulse grows without end"
    );
    // Both slacks give way by 1 m/s: r = 1/α on each side, the node stays in the middle.
    assert!(soft.norm() < 1e-6 && (soft_impulse - 2.0).abs() < 1e-6);
}

#[test]
fn stabilisation_touches_penetrating_contacts_only() {
    let stabilisation = Stabilisation::default();
    let mut apart = NewContact::new(ContactStencil::new(&[(0, 1.0)]), Vec3::z(), 1e-3, 0.02, 0.0);
    let before = apart.clone();
    stabilisation.apply(&mut apart, 0.02);
    assert_eq!(apart, before);
    let mut inside = NewContact::new(ContactStencil::new(&[(0, 1.0)]), Vec3::z(), -1e-3, 0.02, 0.0);
    stabilisation.apply(&mut inside, 0.02);
    assert!((inside.normal_offset + 1e6 * 0.02 * 1e-4 * 1e-3).abs() < 1e-15);
    assert!((inside.compliance - 0.25).abs() < 1e-12);
}

#[test]
fn degenerate_values_stay_finite() {
    for friction in [0.0, 1e-300, 1e12] {
        for mass in [1e-9, 1.0, 1e9] {
            let mut set = ContactSet::new(&[mass, 1.0]);
            let cone = EllipticCone {
                tangent: Vec3::x(),
                friction_tangent: friction,
                friction_binormal: 0.1,
                rule: EllipticRule::MaximumDissipation,
            };
            let list = [
                contact(&[(0, 1.0), (1, -1.0)], Vec3::z(), friction),
                contact(&[(0, 1e-12), (1, -1e-12)], Vec3::x(), friction),
                NewContact { friction: Friction::Elliptic(cone), ..contact(&[(0, 1.0)], Vec3::z(), 0.0) },
                NewContact { kind: ContactKind::Analytic, ..contact(&[(1, 1.0)], -Vec3::z(), friction) },
            ];
            set.append(&list, None).unwrap();
            let mut v = [Vec3::new(0.0, 0.0, -1.0), Vec3::new(1e3, 0.0, 1.0)];
            set.project(&mut v, &ProjectOptions { sweeps: 50, ..ProjectOptions::default() });
            assert!(v.iter().flat_map(|v| v.iter()).all(|c| c.is_finite()));
            assert!(set.natural_map_residual().is_finite());
            assert_eq!(set.count_by_kind(), [3, 0, 0, 0, 1]);
        }
    }
    let mut empty = ContactSet::new(&[]);
    assert_eq!(empty.project(&mut [], &CONVERGED).sweeps, 0);
}

#[test]
fn sliding_on_an_elliptic_cone_follows_its_law() {
    // A slide in direction φ: the ray rule brakes along the slip; maximum dissipation brakes along
    // the normal of the ellipse.
    for k in 0..12 {
        let angle = f64::from(k) * std::f64::consts::TAU / 12.0;
        let start = Vec3::new(3.0 * angle.cos(), 3.0 * angle.sin(), -1.0);
        for rule in [EllipticRule::Ray, EllipticRule::MaximumDissipation] {
            let cone =
                EllipticCone { tangent: Vec3::x(), friction_tangent: 0.2, friction_binormal: 0.8, rule };
            let mut set = ContactSet::new(&[1.0]);
            let list =
                [NewContact { friction: Friction::Elliptic(cone), ..contact(&[(0, 1.0)], Vec3::z(), 0.0) }];
            set.append(&list, None).unwrap();
            let mut v = [start];
            set.project(&mut v, &ProjectOptions { sweeps: 1, ..ProjectOptions::default() });
            let braking = start - v[0];
            let expected = match rule {
                EllipticRule::Ray => {
                    let size = 1.0 / (angle.cos() / 0.2).hypot(angle.sin() / 0.8);
                    Vec3::new(size * angle.cos(), size * angle.sin(), -1.0)
                }
                EllipticRule::MaximumDissipation => {
                    let (a, b) = (0.04 * v[0].x, 0.64 * v[0].y);
                    let size = (a * v[0].x + b * v[0].y).sqrt();
                    Vec3::new(a / size, b / size, -1.0)
                }
            };
            assert!((braking - expected).norm() < 1e-10, "{rule:?} at {k}: {braking} {expected}");
        }
    }
}

#[test]
fn scalar_node_blocks_agree_with_the_isotropic_sweep() {
    let (weights, start, list) = random_problem(12, 60, 40);
    let mut set = ContactSet::new(&weights);
    set.append(&list, None).unwrap();
    let blocks: Vec<Mat3> = weights.iter().map(|w| Mat3::identity() / *w).collect();
    let mut general = NodeBlockSweep::new(&set, &blocks);
    let mut expected = start.clone();
    set.project(&mut expected, &ProjectOptions { sweeps: 30, ..ProjectOptions::default() });
    general.load(&start);
    (0..30).for_each(|_| {
        general.sweep();
    });
    let mut got = start.clone();
    general.store(&mut got);
    assert!(expected.iter().zip(&got).all(|(a, b)| (a - b).norm() < 1e-9));
}

#[test]
fn full_node_blocks_converge_to_the_law() {
    let mut random = Random::new(13);
    let (weights, start, list) = random_problem(13, 60, 40);
    let blocks: Vec<Mat3> = (0..60)
        .map(|_| {
            let rotation = random.rotation();
            rotation * Mat3::from_diagonal(&random.vector(0.3, 3.0)) * rotation.transpose()
        })
        .collect();
    let mut set = ContactSet::new(&weights);
    set.append(&list, None).unwrap();
    let mut general = NodeBlockSweep::new(&set, &blocks);
    general.load(&start);
    let reached = (0..20_000).map(|_| general.sweep()).find(|&update| update < 1e-13);
    assert!(reached.is_some());
    assert!(general.natural_map_residual() < 1e-11);
    general.store_impulses(&mut set);
    assert!((set.impulse(3) - general.impulse(3)).norm() < 1e-14);
}
