#!/usr/bin/env python3
"""Opens exports of the sample run with the readers that users have: usd-core, meshio, NumPy.

Usage: check_exports.py FOLDER
FOLDER was made by (see README.md):
    cargo run -p stiction-output --release --example sample_run -- RUN
    cargo run -p stiction-output --release --example export_all -- RUN FOLDER
Counts and positions are compared with the formulas of sample_run.rs, not with our own reader.
"""

import base64
import gzip
import struct
import sys
from pathlib import Path

import meshio
import numpy as np
from pxr import Usd, UsdGeom

SIDE, ROD, FRAMES, FPS = 25, 40, 24, 24.0
VERTICES = {"cloth": SIDE * SIDE, "rod": ROD, "box": 8, "sphere": 266, "floor": 4}
# Single precision of values near 1, and trigonometry evaluated in single precision of angles up to 20.
TOLERANCE = 5e-6


def cloth(frame):
    """Positions of the waving cloth."""
    k = np.arange(SIDE * SIDE)
    x, y = (k % SIDE) / (SIDE - 1), (k // SIDE) / (SIDE - 1)
    phase = 2 * np.pi * (1.5 * x - frame / FPS) + 2 * y
    return np.stack([x - 0.5, y - 0.5, 0.9 + 0.12 * x * np.sin(phase)], axis=1)


def rod(frame):
    """Positions of the turning helix."""
    s = np.arange(ROD) / (ROD - 1)
    angle = 6 * np.pi * s + 2 * np.pi * frame / FPS
    return np.stack([0.9 + 0.12 * s * np.cos(angle), 0.12 * s * np.sin(angle), 1.1 - 0.8 * s], axis=1)


def sphere_top(frame):
    """World position of the first vertex of the posed sphere: its top, turned about y."""
    angle = 2 * np.pi * frame / FPS
    centre = np.array([0.3 * np.sin(angle), 0.0, 0.5])
    return centre + 0.2 * np.array([np.sin(angle), 0.0, np.cos(angle)])


def near(found, expected, what):
    found, expected = np.asarray(found, float), np.asarray(expected, float)
    assert found.shape == expected.shape, f"{what}: shape {found.shape}, expected {expected.shape}"
    worst = np.abs(found - expected).max()
    assert worst < TOLERANCE, f"{what}: off by {worst}"


def check_usd(path):
    stage = Usd.Stage.Open(str(path))
    assert UsdGeom.GetStageUpAxis(stage) == "Z" and UsdGeom.GetStageMetersPerUnit(stage) == 1.0
    assert stage.GetTimeCodesPerSecond() == FPS
    assert (stage.GetStartTimeCode(), stage.GetEndTimeCode()) == (0, FRAMES - 1)
    world = stage.GetDefaultPrim()
    assert [p.GetName() for p in world.GetChildren()] == list(VERTICES)
    mesh = UsdGeom.Mesh(stage.GetPrimAtPath("/World/cloth"))
    valid, reason = UsdGeom.Mesh.ValidateTopology(
        mesh.GetFaceVertexIndicesAttr().Get(), mesh.GetFaceVertexCountsAttr().Get(), SIDE * SIDE
    )
    assert valid, reason
    curves = UsdGeom.BasisCurves(stage.GetPrimAtPath("/World/rod"))
    assert list(curves.GetCurveVertexCountsAttr().Get()) == [ROD] and curves.GetTypeAttr().Get() == "linear"
    assert curves.GetWidthsInterpolation() == "vertex"
    near(curves.GetWidthsAttr().Get(), 2 * (0.02 - 0.012 * np.arange(ROD) / ROD), "usd widths")
    sphere = UsdGeom.Mesh(stage.GetPrimAtPath("/World/sphere"))
    for frame in (0, 7, FRAMES - 1):
        near(mesh.GetPointsAttr().Get(frame), cloth(frame), f"usd cloth {frame}")
        near(curves.GetPointsAttr().Get(frame), rod(frame), f"usd rod {frame}")
        matrix = np.array(UsdGeom.XformCache(frame).GetLocalToWorldTransform(sphere.GetPrim()))
        point = np.append(np.array(sphere.GetPointsAttr().Get(frame)[0], float), 1.0)
        near((point @ matrix)[:3], sphere_top(frame), f"usd sphere {frame}")
        extent = np.array(mesh.GetExtentAttr().Get(frame))
        near(extent, [cloth(frame).min(axis=0), cloth(frame).max(axis=0)], f"usd extent {frame}")


def check_vtu(folder):
    times = (folder / "run.pvd").read_text().count("<DataSet ")
    assert times == FRAMES, f"pvd lists {times} files"
    for frame in (0, 7, FRAMES - 1):
        mesh = meshio.read(folder / f"{frame:06}.vtu")
        assert len(mesh.points) == sum(VERTICES.values())
        counts = {block.type: len(block.data) for block in mesh.cells}
        assert counts == {"tetra": 6, "triangle": 2 * (SIDE - 1) ** 2 + 528 + 2, "line": ROD - 1}, counts
        start = SIDE * SIDE
        near(mesh.points[:start], cloth(frame), f"vtu cloth {frame}")
        near(mesh.points[start : start + ROD], rod(frame), f"vtu rod {frame}")
        near(mesh.points[start + ROD + 8], sphere_top(frame), f"vtu sphere {frame}")
        assert mesh.point_data["velocity"].shape == mesh.points.shape
        assert (np.bincount(mesh.point_data["body"]) == list(VERTICES.values())).all()
        assert mesh.point_data["strain"][:start].max() > 0
        tets = mesh.points[next(b.data for b in mesh.cells if b.type == "tetra")]
        edges = tets[:, 1:] - tets[:, :1]
        assert (np.linalg.det(edges) > 0).all(), "inverted tets"


def check_npz(path):
    run = np.load(path)
    near(run["time"], np.arange(FRAMES) / FPS, "npz time")
    for name, count in VERTICES.items():
        assert run[f"{name}/positions"].shape == (FRAMES, count, 3)
        triangles = run[f"{name}/triangles"]
        assert triangles.size == 0 or triangles.max() < count
    near(run["cloth/positions"], [cloth(f) for f in range(FRAMES)], "npz cloth")
    near(run["rod/positions"], [rod(f) for f in range(FRAMES)], "npz rod")
    near(run["sphere/positions"][:, 0], [sphere_top(f) for f in range(FRAMES)], "npz sphere")


def check_ply_obj_pc2(folder):
    mesh = meshio.read(folder / "ply" / "cloth" / "000007.ply")
    near(mesh.points, cloth(7), "ply cloth")
    assert len(mesh.cells_dict["triangle"]) == 2 * (SIDE - 1) ** 2
    lines = (folder / "obj" / "000007.obj").read_text().splitlines()
    points = np.array([[float(x) for x in line.split()[1:]] for line in lines if line.startswith("v ")])
    assert len(points) == sum(VERTICES.values())
    near(points[: SIDE * SIDE], cloth(7), "obj cloth")
    cache = (folder / "pc2" / "rod.pc2").read_bytes()
    magic, version, count, start, rate, samples = struct.unpack("<12siiffi", cache[:32])
    assert (magic, version, count, start, rate, samples) == (b"POINTCACHE2\0", 1, ROD, 0.0, 1.0, FRAMES)
    data = np.frombuffer(cache[32:], "<f4").reshape(samples, count, 3)
    near(data, [rod(f) for f in range(FRAMES)], "pc2 rod")


def check_bundle(path):
    text = path.read_text()
    marker = 'id="stiction-bundle">'
    start = text.index(marker) + len(marker)
    data = gzip.decompress(base64.b64decode(text[start : text.index("</script>", start)]))
    assert data[:8] == b"STBUNDLE" and struct.unpack("<I", data[8:12])[0] == 1


def main():
    folder = Path(sys.argv[1])
    checks = {
        "usd-core": lambda: check_usd(folder / "run.usda"),
        "meshio vtu": lambda: check_vtu(folder / "vtu"),
        "numpy npz": lambda: check_npz(folder / "run.npz"),
        "ply, obj, pc2": lambda: check_ply_obj_pc2(folder),
        "html bundle": lambda: check_bundle(folder / "run.html"),
    }
    for name, check in checks.items():
        check()
        print(f"ok  {name}")


if __name__ == "__main__":
    main()
