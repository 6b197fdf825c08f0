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


def main():
    skde = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder:
        cloud, density = Path(folder, "benchmark.npy"), Path(folder, "density.vti")
        run(skde, "generate", "five-gaussians", "--samples", SAMPLES, "--seed", 1, "-o", cloud)
        command = [skde, "density", cloud, "--bounds", "-5,-5,-5:5,5,5", "--dims", 100, "--bandwidth", 1,
                   "--engine", "openmp", "-o", density, "--json", "--quiet"]
        summaries = [json.loads(run(*command)) for _ in range(RUNS)]
    print(f"skde density, N = {SAMPLES}, 100^3 cells in [-5,5]^3, h = 1: seconds, {RUNS} runs")
    print(f"{'':34} {'median':>10} {'fastest':>10} {'slowest':>10}")
    for parts in zip(*([*one["stages"], {"stage": "whole program", "seconds": one["seconds"]}] for one in summaries)):
        values = [part["seconds"] for part in parts]
        print(f"  {parts[0]['stage']:32} {statistics.median(values):10.4g} {min(values):10.4g} {max(values):10.4g}")


if __name__ == "__main__":
    main()
