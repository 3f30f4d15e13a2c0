#!/usr/bin/env python3
"""Unpacks an animated body for `dancing` with `--set body=scan`.

unpack_body.py PREFIX FOLDER reads PREFIX.json (counts, scale), PREFIX.i16delta.gz (differences of positions as 16-bit integers, frame by
frame) and PREFIX_frame0.obj (triangles) and writes FOLDER/body_000.obj and so on. The body itself is not part of this project.
"""
import array
import gzip
import json
import pathlib
import sys


def main(prefix: str, folder: str) -> None:
    about = json.loads(pathlib.Path(prefix + ".json").read_text())
    faces = [line for line in open(prefix + "_frame0.obj") if line.startswith("f ")]
    steps = array.array("h", gzip.decompress(pathlib.Path(prefix + ".i16delta.gz").read_bytes()))
    if sys.byteorder == "big":
        steps.byteswap()
    width = 3 * about["vertices"]
    sums = [0] * width
    target = pathlib.Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    for frame in range(about["frames"]):
        sums = [a + b for a, b in zip(sums, steps[frame * width : (frame + 1) * width])]
        metres = [about["scale"] * value for value in sums]
        rows = [f"v {metres[k]:.5f} {metres[k + 1]:.5f} {metres[k + 2]:.5f}\n" for k in range(0, width, 3)]
        (target / f"body_{frame:03}.obj").write_text("".join(rows + faces))
    print(f"{about['frames']} frames in {target}, {1 / about['frame_dt_seconds']:g} per second")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
