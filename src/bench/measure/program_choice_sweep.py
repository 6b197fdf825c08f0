"""Compares the engine that `skde density` chooses with the fastest one, by the time of the whole program.

usage: program_choice_sweep.py SKDE
Every row is a case: N samples on a grid of M cells a side, the seconds of the program with each
engine, the one that it chooses, and how much longer that took than the fastest. Reading, the start of
a GPU and copies count, so small cases belong to the CPU. The volume is not kept.
"""

import itertools
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SAMPLES = ["1e3", "1e4", "1e5", "1e6", "1e7"]
CELLS = ["64", "128", "256"]
ENGINES = ["span", "cuda-span"]
REPETITIONS = 3


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr.strip())
    return done.stdout


def seconds(skde, cloud, cells, engine, out):
    """The best of a few runs, and the engine that the last of them used."""
    command = [skde, "density", cloud, "--dims", cells, "--engine", engine, "--json", "--quiet", "-o", out]
    best = float("inf")
    for _ in range(REPETITIONS):
        begin = time.perf_counter()
        report = json.loads(run(command))
        best = min(best, time.perf_counter() - begin)
    return best, report["engine"]["name"]


def main():
    skde = sys.argv[1]
    print(f"{'N':>8} {'M':>4} " + " ".join(f"{name + ' s':>12}" for name in ENGINES) + "  chosen        ratio")
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        out = str(Path(folder) / "out.npy")
        for samples, cells in itertools.product(SAMPLES, CELLS):
            cloud = str(Path(folder) / f"{samples}.npy")
            if not Path(cloud).exists():
                run([skde, "generate", "five-gaussians", "--samples", samples, "-o", cloud])
            times = {name: seconds(skde, cloud, cells, name, out)[0] for name in ENGINES}
            chosen = seconds(skde, cloud, cells, "auto", out)[1]
            ratio = times[chosen] / min(times.values()) if chosen in times else float("nan")
            ratios.append(ratio)
            print(f"{samples:>8} {cells:>4} " + " ".join(f"{times[name]:12.3f}" for name in ENGINES)
                  + f"  {chosen:12} {ratio:6.2f}", flush=True)
    near = sum(ratio <= 1.2 for ratio in ratios)
    print(f"{near} of {len(ratios)} cases within 20 % of the fastest, the worst {max(ratios):.2f}")


if __name__ == "__main__":
    main()
