#!/usr/bin/env python3
"""Unpacks the moving body of `dancing_body.toml` into a point cache: dance.pc2 beside this file.

The body may be used for tests but not passed on, so that it is read from `shared/assets` beside the project's folder, or from the folder given. There it is
stored as 16-bit differences from frame to frame; the .json beside it tells how.
"""

import gzip
import itertools
import json
import struct
import sys
from array import array
from pathlib import Path

here = Path(__file__).resolve().parent
folder = Path(sys.argv[1]) if len(sys.argv) > 1 else here / "../../../shared/assets/animated-body"
about = json.loads((folder / "Rumba_Dancing.json").read_text())
steps = array("h", gzip.decompress((folder / "Rumba_Dancing.i16delta.gz").read_bytes()))
if sys.byteorder == "big":
    steps.byteswap()
size = 3 * about["vertices"]
if len(steps) != size * about["frames"]:
    sys.exit(f"{folder}: {len(steps)} numbers, {size * about['frames']} expected")

frames = itertools.accumulate(
    (steps[k : k + size] for k in range(0, len(steps), size)), lambda total, step: [a + b for a, b in zip(total, step)]
)
with open(here / "dance.pc2", "wb") as out:
    out.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, about["vertices"], 0.0, 1.0, about["frames"]))
    for frame in frames:
        positions = array("f", (about["scale"] * number for number in frame))
        if sys.byteorder == "big":
            positions.byteswap()
        positions.tofile(out)
print(f"{here / 'dance.pc2'}: {about['frames']} frames of {about['vertices']} vertices")
