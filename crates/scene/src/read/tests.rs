//! Readers on small texts and on binary written here.

use super::*;
use crate::resolved::Cells;
use stiction_numerics::Vec3;

const CORNERS: [[f64; 3]; 4] = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

fn corners() -> Vec<Vec3> {
    CORNERS.iter().map(|p| Vec3::from(*p)).collect()
}

fn written(extension: &str, bytes: &[u8]) -> Result<RawMesh, String> {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join(format!("m.{extension}"));
    std::fs::write(&path, bytes).expect("write");
    read_mesh(&path, &format!("m.{extension}"), &Budget::of_bytes(1 << 30)).map(|m| m.0).map_err(
        |e| match e {
            ReadError::Mesh(e) => e.to_string(),
            ReadError::File { reason, .. } => reason,
        },
    )
}

#[test]
fn obj_keeps_order_uv_groups_and_stitches() {
    let text = "# c\nv 5 5 5\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt .5 .5\nvt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\n\
                g panel\nf 2/2 3/3 4/4 5/5\nf -5/1 -4/2 -3/3\nstitch 0 1 2 0.25\n";
    let mesh = written("obj", text.as_bytes()).unwrap();
    assert_eq!(mesh.vertices[0], Vec3::repeat(5.0));
    assert_eq!(mesh.cells, Cells::Triangles(vec![[1, 2, 3], [1, 3, 4], [0, 1, 2]]));
    assert_eq!(mesh.uv.unwrap()[3].x, 1.0);
    assert_eq!(mesh.groups, [("panel".to_owned(), vec![0, 1, 2, 3, 4])]);
    assert_eq!(mesh.stitches, [(0, 1, 2, 0.25)]);
}

#[test]
fn obj_lines_become_strands_and_segments_are_joined() {
    let mesh = written("obj", b"v 0 0 0\nv 1 0 0\nv 2 0 0\nv 3 0 0\nl 1 2\nl 2 3\nl 4 1\n").unwrap();
    assert_eq!(mesh.cells, Cells::Strands(vec![vec![0, 1, 2], vec![3, 0]]));
}

#[test]
fn obj_errors_name_the_line_or_the_triangle() {
    let message = written("obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n").unwrap_err();
    assert!(message.contains("triangle 0 uses vertex 8, but there are only 3"), "{message}");
    let message = written("obj", b"v 0 0 0\nv 1 zero 0\n").unwrap_err();
    assert!(message.contains("line 2") && message.contains("`zero`"), "{message}");
}

#[test]
fn ply_text_and_both_binary_orders_agree() {
    let header = |format: &str| {
        format!(
            "ply\nformat {format} 1.0\ncomment x\nelement vertex 4\nproperty float x\nproperty double y\n\
             property float z\nproperty uchar red\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n"
        )
    };
    let faces = [[0_i32, 2, 1], [0, 1, 3]];
    let mut text = header("ascii");
    for p in CORNERS {
        text += &format!("{} {} {} 7\n", p[0], p[1], p[2]);
    }
    faces.iter().for_each(|f| text += &format!("3 {} {} {}\n", f[0], f[1], f[2]));
    let mut little = header("binary_little_endian").into_bytes();
    let mut big = header("binary_big_endian").into_bytes();
    for p in CORNERS {
        little.extend((p[0] as f32).to_le_bytes());
        little.extend(p[1].to_le_bytes());
        little.extend((p[2] as f32).to_le_bytes());
        little.push(7);
        big.extend((p[0] as f32).to_be_bytes());
        big.extend(p[1].to_be_bytes());
        big.extend((p[2] as f32).to_be_bytes());
        big.push(7);
    }
    for f in faces {
        little.push(3);
        big.push(3);
        f.iter().for_each(|i| little.extend(i.to_le_bytes()));
        f.iter().for_each(|i| big.extend(i.to_be_bytes()));
    }
    let mesh = written("ply", text.as_bytes()).unwrap();
    assert_eq!(mesh.vertices, corners());
    assert_eq!(mesh.cells, Cells::Triangles(vec![[0, 2, 1], [0, 1, 3]]));
    assert_eq!(mesh, written("ply", &little).unwrap());
    assert_eq!(mesh, written("ply", &big).unwrap());
    let message = written("ply", &little[..little.len() - 2]).unwrap_err();
    assert!(message.contains("ends too early"), "{message}");
}

#[test]
fn stl_text_and_binary_share_corners() {
    let triangles = [[0, 2, 1], [0, 1, 3]];
    let mut text = "solid a\n".to_owned();
    let mut binary = vec![b's'; 80];
    binary.extend(2_u32.to_le_bytes());
    for t in triangles {
        text += "facet normal 0 0 0\nouter loop\n";
        binary.extend([0; 12]);
        for i in t {
            let p: [f64; 3] = CORNERS[i];
            text += &format!("vertex {} {} {}\n", p[0], p[1], p[2]);
            p.iter().for_each(|x| binary.extend((*x as f32).to_le_bytes()));
        }
        text += "endloop\nendfacet\n";
        binary.extend([0, 0]);
    }
    let mesh = written("stl", text.as_bytes()).unwrap();
    assert_eq!(mesh, written("stl", &binary).unwrap());
    assert_eq!(mesh.cells, Cells::Triangles(vec![[0, 1, 2], [0, 2, 3]]));
    assert_eq!(mesh.vertices.len(), 4);
}

#[test]
fn gmsh_text_of_both_versions_agree() {
    let old = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 7 \"block\"\n$EndPhysicalNames\n\
        $Nodes\n4\n10 0 0 0\n20 1 0 0\n5 0 1 0\n7 0 0 1\n$EndNodes\n\
        $Elements\n2\n1 2 2 1 1 10 20 5\n2 4 2 7 1 10 20 5 7\n$EndElements\n";
    let new = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n2 4 5 20\n2 1 0 3\n10\n20\n5\n0 0 0\n1 0 0\n0 1 0\n\
        3 1 0 1\n7\n0 0 1\n$EndNodes\n$Elements\n2 2 1 2\n2 1 2 1\n1 10 20 5\n3 1 4 1\n2 10 20 5 7\n$EndElements\n";
    let (old, new) = (written("msh", old.as_bytes()).unwrap(), written("msh", new.as_bytes()).unwrap());
    assert_eq!(old.vertices, corners());
    assert_eq!(old.cells, Cells::Tets(vec![[0, 1, 2, 3]]));
    assert_eq!(old.groups, [("block".to_owned(), vec![0, 1, 2, 3])]);
    assert_eq!((old.vertices, old.cells), (new.vertices, new.cells));
}

#[test]
fn gmsh_binary_of_both_versions() {
    let ints = |list: &[i32]| list.iter().flat_map(|i| i.to_le_bytes()).collect::<Vec<_>>();
    let sizes = |list: &[u64]| list.iter().flat_map(|i| i.to_le_bytes()).collect::<Vec<_>>();
    let floats = |list: &[f64]| list.iter().flat_map(|i| i.to_le_bytes()).collect::<Vec<_>>();
    let head = |version: &str| {
        [format!("$MeshFormat\n{version} 1 8\n").into_bytes(), ints(&[1]), b"\n$EndMeshFormat\n".to_vec()]
            .concat()
    };
    let mut old = [head("2.2"), b"$Nodes\n4\n".to_vec()].concat();
    for (i, p) in CORNERS.iter().enumerate() {
        old.extend([ints(&[i as i32 + 1]), floats(p)].concat());
    }
    old.extend(b"\n$EndNodes\n$Elements\n1\n");
    old.extend(ints(&[4, 1, 2, 1, 0, 0, 1, 2, 3, 4]));
    old.extend(b"\n$EndElements\n");
    let mut new = [head("4.1"), b"$Nodes\n".to_vec(), sizes(&[1, 4, 1, 4]), ints(&[3, 1, 0])].concat();
    new.extend(sizes(&[4, 1, 2, 3, 4]));
    CORNERS.iter().for_each(|p| new.extend(floats(p)));
    new.extend(b"\n$EndNodes\n$Elements\n");
    new.extend([sizes(&[1, 1, 1, 1]), ints(&[3, 1, 4]), sizes(&[1, 1, 1, 2, 3, 4])].concat());
    new.extend(b"\n$EndElements\n");
    for bytes in [old, new] {
        let mesh = written("msh", &bytes).unwrap();
        assert_eq!(mesh.vertices, corners());
        assert_eq!(mesh.cells, Cells::Tets(vec![[0, 1, 2, 3]]));
    }
}

#[test]
fn vtk_text_old_and_new_cells_and_binary() {
    let head = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\n";
    let points = "POINTS 4 double\n0 0 0 1 0 0\n0 1 0 0 0 1\n";
    let old = format!("{head}{points}CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\nPOINT_DATA 4\n");
    let new = format!(
        "{}{points}CELLS 2 4\nOFFSETS vtktypeint64\n0 4\nCONNECTIVITY vtktypeint64\n0 1 2 3\nCELL_TYPES 1\n10\n",
        head.replace("3.0", "5.1")
    );
    let mut binary =
        b"# vtk DataFile Version 3.0\nt\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n".to_vec();
    CORNERS.iter().flatten().for_each(|x| binary.extend(x.to_be_bytes()));
    binary.extend(b"\nCELLS 1 5\n");
    [4_i32, 0, 1, 2, 3].iter().for_each(|i| binary.extend(i.to_be_bytes()));
    binary.extend(b"\nCELL_TYPES 1\n");
    binary.extend(10_i32.to_be_bytes());
    for bytes in [old.into_bytes(), new.into_bytes(), binary] {
        let mesh = written("vtk", &bytes).unwrap();
        assert_eq!(mesh.vertices, corners());
        assert_eq!(mesh.cells, Cells::Tets(vec![[0, 1, 2, 3]]));
    }
}

#[test]
fn tetgen_counts_from_zero_or_one() {
    for first in [0, 1] {
        let folder = tempfile::tempdir().expect("temporary folder");
        let mut node = "# nodes\n4 3 0 0\n".to_owned();
        for (i, p) in CORNERS.iter().enumerate() {
            node += &format!("{} {} {} {}\n", i + first, p[0], p[1], p[2]);
        }
        let ele = format!("1 4 0\n{first} {} {} {} {}\n", first, first + 1, first + 2, first + 3);
        std::fs::write(folder.path().join("m.node"), node).expect("write");
        std::fs::write(folder.path().join("m.ele"), ele).expect("write");
        for file in ["m.node", "m.ele"] {
            let (mesh, _) =
                read_mesh(&folder.path().join(file), file, &Budget::of_bytes(1 << 30)).expect("read");
            assert_eq!(mesh.vertices, corners());
            assert_eq!(mesh.cells, Cells::Tets(vec![[0, 1, 2, 3]]));
        }
    }
}

/// Damaged files are refused or read, never a panic: random bytes changed, removed and doubled.
#[test]
fn damaged_files_never_panic() {
    let obj = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nf 1/1 2/1 3/1\nl 1 2 3\nstitch 0 1 2 0.5\n".to_vec();
    let ply =
        b"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
        element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    let stl = b"solid a\nfacet normal 0 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n"
        .to_vec();
    let msh =
        b"$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 3 1 3\n2 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0\n\
        $EndNodes\n$Elements\n1 1 1 1\n2 1 2 1\n1 1 2 3\n$EndElements\n";
    let vtk = b"# vtk DataFile Version 3.0\nt\nASCII\nPOINTS 3 float\n0 0 0 1 0 0 0 1 0\nCELLS 1 4\n3 0 1 2\nCELL_TYPES 1\n5\n";
    let node = "3 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
    let mut random = crate::generate::SplitMix::new(5, 5);
    let mut damage = |bytes: &[u8]| {
        let mut copy = bytes.to_vec();
        for _ in 0..1 + random.next_u64() % 4 {
            let at = random.next_u64() as usize % copy.len();
            match random.next_u64() % 4 {
                0 => copy[at] = b"0123456789-.e \n/"[random.next_u64() as usize % 16],
                1 => copy[at] = random.next_u64() as u8,
                2 => copy.truncate(at + 1),
                _ => copy.insert(at, copy[at]),
            }
        }
        copy
    };
    for _ in 0..3000 {
        let _ = obj::read(&String::from_utf8_lossy(&damage(&obj)), "m");
        let _ = ply::read(&damage(ply), "m");
        let _ = stl::read(&damage(&stl), "m");
        let _ = gmsh::read(&damage(msh), "m");
        let _ = vtk::read(&damage(vtk), "m");
        let ele = damage(b"1 4 0\n1 1 2 3 4\n");
        let _ = tetgen::read(
            &String::from_utf8_lossy(&damage(node.as_bytes())),
            &String::from_utf8_lossy(&ele),
            "m",
        );
    }
}

#[test]
fn unknown_extensions_list_the_known_ones() {
    assert!(written("fbx", b"").unwrap_err().contains("obj, ply, stl"));
}

/// A text of each format with one number that is not finite, or an index that is not whole.
#[test]
fn numbers_that_are_not_finite_or_whole_are_refused() {
    let ply = |vertex: &str, face: &str| {
        format!(
            "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
             property float u\nproperty float v\nelement face 1\nproperty list int float vertex_indices\n\
             end_header\n0 0 0 0 0\n1 0 0 1 0\n0 1 0 {vertex}\n{face}\n"
        )
    };
    let vtk = |point: &str, cell: &str| {
        format!(
            "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 3 float\n\
             0 0 0 1 0 0 0 {point} 0\nCELLS 1 4\n{cell}\nCELL_TYPES 1\n5\n"
        )
    };
    let obj = |v: &str, vt: &str, stitch: &str| {
        format!("v 0 0 0\nv 1 0 0\nv 0 {v} 0\nvt 0 0\nvt 1 0\nvt 0 {vt}\nf 1/1 2/2 3/3\nstitch {stitch}\n")
    };
    let stl = |x: &str| format!("solid a\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 {x} 0\n");
    let msh = |x: &str| {
        format!(
            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 {x} 0\n$EndNodes\n\
             $Elements\n1\n1 2 0 1 2 3\n$EndElements\n"
        )
    };
    for (extension, good) in [
        ("ply", ply("0 1", "3 0 1 2")),
        ("vtk", vtk("1", "3 0 1 2")),
        ("obj", obj("1", "1", "0 1 2 0.5")),
        ("stl", stl("1")),
        ("msh", msh("1")),
    ] {
        assert_eq!(written(extension, good.as_bytes()).unwrap().vertices.len(), 3, "{extension}");
    }
    let bad = [
        ("ply", ply("nan 1", "3 0 1 2"), "pattern coordinate 2"),
        ("ply", ply("0 1", "3 0 1.5 2"), "face 0 has the index 1.5"),
        ("ply", ply("0 1", "3 0 nan 2"), "face 0 has the index NaN"),
        ("ply", ply("0 1", "-1 0 1 2"), "`-1` is not the length of a list"),
        ("ply", ply("0 1", "2.5 0 1 2"), "`2.5` is not the length of a list"),
        ("vtk", vtk("inf", "3 0 1 2"), "vertex 2"),
        ("vtk", vtk("1", "3 0 1 0.5"), "0.5 is not an index"),
        ("vtk", vtk("1", "3.5 0 1 2"), "3.5 is not an index"),
        ("obj", obj("nan", "1", "0 1 2 0.5"), "line 3: `nan` is not a finite number"),
        ("obj", obj("1", "inf", "0 1 2 0.5"), "line 6: `inf` is not a finite number"),
        ("obj", obj("1", "1", "0 1 nan 0.5"), "line 8: `nan` is not an index"),
        ("obj", obj("1", "1", "0 1.5 2 0.5"), "line 8: `1.5` is not an index"),
        ("obj", obj("1", "1", "0 1 2 nan"), "line 8: `nan` is not a finite number"),
        ("stl", stl("nan"), "vertex 2"),
        ("msh", msh("-inf"), "vertex 2"),
    ];
    for (extension, text, words) in bad {
        let message = written(extension, text.as_bytes()).unwrap_err();
        assert!(message.contains(words), "{extension}: {message}");
    }
}

#[test]
fn elements_of_ply_without_properties_cost_nothing_and_are_refused() {
    let rows = 100_000;
    let padding = "comment x\n".repeat(rows / 10 + 10);
    let text = format!("ply\nformat ascii 1.0\n{padding}element vertex {rows}\nend_header\n");
    let message = written("ply", text.as_bytes()).unwrap_err();
    assert!(message.contains("`vertex` has no properties"), "{message}");
    let flat =
        "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nend_header\n0 0\n";
    assert!(written("ply", flat.as_bytes()).unwrap_err().contains("`z`"));
}

#[test]
fn long_names_of_groups_are_refused() {
    let name = "g".repeat(1000);
    let obj = format!("v 0 0 0\nv 1 0 0\nv 0 1 0\ng {name}\nf 1 2 3\n");
    assert!(written("obj", obj.as_bytes()).unwrap_err().contains("line 4"));
    let msh = format!("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n2 7 \"{name}\"\n");
    assert!(written("msh", msh.as_bytes()).unwrap_err().contains("256 bytes"));
}

#[test]
fn files_beyond_the_budget_are_refused_by_size() {
    let folder = tempfile::tempdir().expect("temporary folder");
    let path = folder.path().join("m.obj");
    std::fs::write(&path, "v 0 0 0\n".repeat(1000)).expect("write");
    let message = |budget| match read_mesh(&path, "m.obj", &Budget::of_bytes(budget)) {
        Err(ReadError::File { reason, .. }) => reason,
        other => panic!("{other:?}"),
    };
    assert!(message(1000).contains("the file would take 8.0 kB"), "{}", message(1000));
    assert!(message(100_000).contains("reading it would take 256.0 kB"), "{}", message(100_000));
}
