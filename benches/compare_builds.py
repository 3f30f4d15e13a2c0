"""Instructions and peak memory of gallery scenes under two builds.

    python3 benches/compare_builds.py measure BINARY -o FILE.json [--frames N] [--runs N]
                                      [SCENE[:METHOD]]...
    python3 benches/compare_builds.py compare OLD.json NEW.json [-o FILE.json] [--limit 0.03]

Times of a busy machine differ by more than the few per cent that a change may cost. Instructions do
not: they are counted on one thread by `valgrind --tool=cachegrind`, and are the same in every run up
to what depends on addresses. (Version 3.24 counts; 3.19 stops at instructions that it does not know.)

Peak memory is the smallest of `--runs` runs on one thread: what the system counts as resident at the
peak, less the pages of the program file at its end, which depend on how the file is cached. It holds
a few megabytes that no scene needs: two scenes that differ by less say nothing.

`compare` prints the ratios, worst first, and exits with 1 when one is beyond the limit.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
QUANTITIES = ("instructions", "peak_bytes")


def run(command: list[str]) -> tuple[int, int, str]:
    """Exit code, peak of its own memory \\[bytes\\] and standard error of a command."""
    with tempfile.TemporaryFile("w+") as errors:
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors, cwd=ROOT / "scenes")
        file_pages, ended = 0, 0
        while ended == 0:
            file_pages = max(file_pages, resident_file_bytes(child.pid))
            ended, status, usage = os.wait4(child.pid, os.WNOHANG)
            time.sleep(0.002)
        child.returncode = os.waitstatus_to_exitcode(status)
        errors.seek(0)
        return child.returncode, usage.ru_maxrss * 1024 - file_pages, errors.read()


def resident_file_bytes(process: int) -> int:
    """Resident pages of files that a process maps \\[bytes\\]; 0 when it has ended."""
    try:
        found = re.search(r"RssFile:\s+(\d+) kB", Path(f"/proc/{process}/status").read_text())
    except (FileNotFoundError, ProcessLookupError):
        return 0
    return int(found[1]) * 1024 if found else 0


def instructions(command: list[str]) -> int:
    """Instructions of a command, counted by valgrind."""
    tool = ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]
    code, _, errors = run(tool + command)
    counted = re.search(r"I\s+refs:\s+([\d,]+)", errors)
    if code != 0 or counted is None:
        raise RuntimeError(f"{' '.join(command)} under valgrind ended with {code}:\n{errors[-2000:]}")
    return int(counted[1].replace(",", ""))


def peak(command: list[str], runs: int) -> int:
    """Smallest peak of some runs \\[bytes\\]."""
    found = [run(command) for _ in range(runs)]
    code, _, errors = max(found)
    if code != 0:
        raise RuntimeError(f"{' '.join(command)} ended with {code}:\n{errors[-2000:]}")
    return min(bytes for _, bytes, _ in found)


def measure_case(binary: str, case: str, options: argparse.Namespace, folder: str) -> dict:
    """The figures of one scene, by the method that it or the case names."""
    scene, _, method = case.partition(":")
    command = [binary, "run", scene, "-o", f"{folder}/run", "--overwrite", "--threads", "1"]
    command += ["--frames", str(options.frames)] + (["--method", method] if method else [])
    peak_bytes = peak(command, options.runs)
    return {"case": case, "instructions": instructions(command), "peak_bytes": peak_bytes}


def measure(options: argparse.Namespace) -> None:
    """Writes the figures of one build."""
    cases = options.cases or sorted(path.stem for path in (ROOT / "scenes").glob("*.toml"))
    with tempfile.TemporaryDirectory() as folder:
        results = []
        for number, case in enumerate(cases, 1):
            try:
                results.append(measure_case(options.binary, case, options, folder))
                print(f"{number}/{len(cases)} {results[-1]}", file=sys.stderr, flush=True)
            except RuntimeError as error:
                print(f"{number}/{len(cases)} left out: {error}", file=sys.stderr, flush=True)
            write(options.output, {"frames": options.frames, "cases": results})


def compare(options: argparse.Namespace) -> bool:
    """Prints and writes the ratios of two files; whether all are within the limit."""
    old, new = (json.loads(Path(name).read_text()) for name in (options.old, options.new))
    if old["frames"] != new["frames"]:
        sys.exit("the two files are of different numbers of frames; measure both alike")
    before = {case["case"]: case for case in old["cases"]}
    ratios = []
    for case in (case for case in new["cases"] if case["case"] in before):
        was = before[case["case"]]
        ratio = {f"{name}_ratio": round(case[name] / was[name], 4) for name in QUANTITIES}
        ratios.append({**case, **{f"old_{name}": was[name] for name in QUANTITIES}, **ratio})
    worst = lambda case: max(case[f"{name}_ratio"] for name in QUANTITIES)
    ratios.sort(key=worst, reverse=True)
    for case in ratios:
        sign = "!" if worst(case) > 1 + options.limit else " "
        print(sign, *(f"{case[f'{name}_ratio']:7.3f} {name}" for name in QUANTITIES), case["case"])
    if options.output:
        write(options.output, {"frames": new["frames"], "limit": options.limit, "cases": ratios})
    return all(worst(case) <= 1 + options.limit for case in ratios)


def write(path: Path, value: dict) -> None:
    path.write_text(json.dumps(value, indent=1) + "\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    actions = parser.add_subparsers(dest="action", required=True)
    one = actions.add_parser("measure")
    one.add_argument("binary")
    one.add_argument("cases", nargs="*", metavar="SCENE[:METHOD]")
    one.add_argument("--frames", type=int, default=1)
    one.add_argument("--runs", type=int, default=3)
    one.add_argument("-o", dest="output", type=Path, required=True)
    two = actions.add_parser("compare")
    two.add_argument("old")
    two.add_argument("new")
    two.add_argument("--limit", type=float, default=0.03)
    two.add_argument("-o", dest="output", type=Path)
    options = parser.parse_args()
    if options.action == "measure":
        measure(options)
    elif not compare(options):
        sys.exit(1)


if __name__ == "__main__":
    main()
