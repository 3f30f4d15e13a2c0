"""Candidates and continuous collision detection of the PyPI package `ipctk` on a mesh in motion.

    python3 ipctk_compare.py FOLDER THREADS

FOLDER holds start.npy, end.npy (vertices) and faces.npy. Prints one JSON object: wall time (best) and core time (mean) in
seconds. `stiction bench collision` calls it; exit code 3 says that the package is not there.
"""

import json
import sys
import time
from pathlib import Path

try:
    import ipctk
    import numpy as np
except ImportError:
    sys.exit(3)

LONGEST = 2.0


def measure(work):
    """Best wall time, mean core time, and the last result, of rounds that take LONGEST together."""
    best, rounds = float("inf"), 0
    start, core = time.perf_counter(), time.process_time()
    while rounds == 0 or time.perf_counter() - start < LONGEST:
        begin = time.perf_counter()
        result = work()
        best = min(best, time.perf_counter() - begin)
        rounds += 1
    return {"wall": best, "core": (time.process_time() - core) / rounds}, result


def main(folder: Path, threads: int) -> None:
    ipctk.set_num_threads(threads)
    start, end = np.load(folder / "start.npy"), np.load(folder / "end.npy")
    faces = np.load(folder / "faces.npy").astype(np.int32)
    mesh = ipctk.CollisionMesh(start, ipctk.edges(faces), faces)

    def build():
        candidates = ipctk.Candidates()
        candidates.build(mesh, start, end, 0.0, ipctk.LBVH())
        return candidates

    build_time, candidates = measure(build)
    ccd = ipctk.AdditiveCCD()
    ccd_time, step = measure(lambda: candidates.compute_collision_free_stepsize(mesh, start, end, 0.0, ccd))
    answer = {"threads": threads, "count": len(candidates), "time": step, "candidates": build_time, "ccd": ccd_time}
    print(json.dumps(answer))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
