"""Times the command line as its users see it, on the benchmark cloud.

usage: command_line_times.py SKDE
Each line is the median of several runs, with the fastest and the slowest. The file is read from
the page cache, since it was written just before.
"""

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

RUNS = 5
SAMPLES = 100_000


def run(*arguments):
    done = subprocess.run(list(map(str, arguments)), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, arguments))}: {done.stderr.strip()}")
    return done.stdout


def summaries(skde, *arguments):
    """The JSON summaries of RUNS equal runs of 'skde density'."""
    return [json.loads(run(skde, "density", *arguments, "--json", "--quiet")) for _ in range(RUNS)]


def stage_seconds(summary, name):
    stages = {stage["stage"]: stage["seconds"] for stage in summary["stages"]}
    if name not in stages:
        sys.exit(f"no stage '{name}' among {list(stages)}")
    return stages[name]


def spread(values):
    return f"{statistics.median(values):10.4g} {min(values):10.4g} {max(values):10.4g}"


def time_density(skde, folder):
    cloud = folder / "benchmark.npy"
    run(skde, "generate", "five-gaussians", "--samples", SAMPLES, "--seed", 1, "-o", cloud)
    print(f"skde density, N = {SAMPLES}, 100^3 cells in [-5,5]^3, h = 1: seconds, {RUNS} runs")
    print(f"{'':34} {'median':>10} {'fastest':>10} {'slowest':>10}")
    found = summaries(skde, cloud, "--bounds", "-5,-5,-5:5,5,5", "--dims", 100, "--bandwidth", 1,
                      "--engine", "openmp", "-o", folder / "density.vti")
    for stage in [stage["stage"] for stage in found[0]["stages"]]:
        print(f"  {stage:32} {spread([stage_seconds(one, stage) for one in found])}")
    print(f"  {'whole program':32} {spread([one['seconds'] for one in found])}")


def main():
    skde = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        time_density(skde, folder)


if __name__ == "__main__":
    main()
