"""Candidates and continuous collision detection of the PyPI package `ipctk` on the meshes of the example `kernels`.

    cargo run --release -p stiction-collision --example kernels -- --export DIR
    python ipctk_compare.py DIR

Prints core time shared by two threads, as the example does, so that the two can be read side by side.
"""

import sys
import time
from pathlib import Path

import ipctk
import numpy as np

THREADS = 2


def main(folder: Path) -> None:
    ipctk.set_num_threads(THREADS)
    for path in sorted(folder.glob("start_*.npy")):
        start = np.load(path)
        end = np.load(folder / path.name.replace("start", "end"))
        faces = np.load(folder / path.name.replace("start", "faces")).astype(np.int32)
        mesh = ipctk.CollisionMesh(start, ipctk.edges(faces), faces)
        t0 = time.process_time()
        candidates = ipctk.Candidates()
        candidates.build(mesh, start, end, 0.0, ipctk.LBVH())
        t1 = time.process_time()
        step = candidates.compute_collision_free_stepsize(mesh, start, end, 0.0, ipctk.AdditiveCCD())
        t2 = time.process_time()
        shared = [1e3 * t / THREADS for t in (t1 - t0, t2 - t1, t2 - t0)]
        print(f"{len(faces)} triangles: {len(candidates)} candidates, step {step:.4f}")
        print("  candidates {:.2f} ms, CCD {:.2f} ms, together {:.2f} ms".format(*shared))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
