"""Compares the engine that `skde density` chooses with the fastest one, by the time of the whole program.

usage: program_choice_sweep.py SKDE
Every row is a case: N samples on a grid of M cells per side, the seconds of the program with each
engine, the chosen engine, and how much longer it took than the fastest. Reading, the start of a GPU
and copies count, so small cases are faster on the CPU. The volume is not kept.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

SAMPLES, CELLS, ENGINES = ["1e3", "1e4", "1e5", "1e6", "1e7"], ["64", "128", "256"], ["span", "cuda-span"]
REPETITIONS = 3


def seconds(*command):
    """Returns the seconds of one run, and what it printed."""
    begin = time.perf_counter()
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr.strip())
    return time.perf_counter() - begin, done.stdout


def best_seconds(skde, cloud, cells, engine, out):
    """Returns the fewest seconds of a few runs, and the engine used."""
    command = [skde, "density", cloud, "--dims", cells, "--engine", engine, "--json", "--quiet", "-o", out]
    best, report = min(seconds(*command) for _ in range(REPETITIONS))
    return best, json.loads(report)["engine"]["name"]


def main():
    skde, ratios = sys.argv[1], []
    print(f"{'N':>8} {'M':>4} " + " ".join(f"{name + ' s':>12}" for name in ENGINES) + "  chosen        ratio")
    with tempfile.TemporaryDirectory() as folder:
        cloud, out = str(Path(folder, "cloud.npy")), str(Path(folder, "out.npy"))
        for samples in SAMPLES:
            seconds(skde, "generate", "five-gaussians", "--samples", samples, "-o", cloud)
            for cells in CELLS:
                times = {name: best_seconds(skde, cloud, cells, name, out)[0] for name in ENGINES}
                chosen = best_seconds(skde, cloud, cells, "auto", out)[1]
                ratios.append(times[chosen] / min(times.values()) if chosen in times else float("nan"))
                print(f"{samples:>8} {cells:>4} " + " ".join(f"{times[name]:12.3f}" for name in ENGINES)
                      + f"  {chosen:12} {ratios[-1]:6.2f}", flush=True)
    near = sum(ratio <= 1.2 for ratio in ratios)
    print(f"{near} of {len(ratios)} cases within 20 % of the fastest, the worst {max(ratios):.2f}")


if __name__ == "__main__":
    main()
