"""Compares the engine that is chosen automatically with the fastest one, over a sweep of cases.

usage: engine_choice_sweep.py SKDE_BENCH
Needs a CUDA device. Every row is a case: its kernel, samples N, cells M^3, bandwidth h, cloud and
weights, the times of the GPU engines in ms (none if an engine refuses or would take long), the
chosen engine, and how much longer it took than the fastest.
"""

import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

ENGINES = ["cuda-span", "cuda-tile", "cuda-chop-crop", "cuda-spectral"]
SWEEP = ["--samples", "1e4,1e5,1e6", "--cells", "64,128,256,512", "--bandwidth", "0.12,0.346,1",
         "--repetitions", "3", "--max-seconds", "0.3", "--engines", ",".join(ENGINES)]
KERNELS = {"epanechnikov": ["--cloud", "five-gaussians,uniform", "--weighted", "both"],
           "biweight": ["--weighted", "both"], "triweight": [], "gaussian": ["--tolerance", "1e-6,1e-4"]}


def measure(bench, kernel):
    """Returns the results of a kernel's cases by case and engine: seconds, and whether the engine was chosen."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "sweep.json")
        # The rows that the run prints go to standard error.
        subprocess.run([bench, "case", "--kernel", kernel, *SWEEP, *KERNELS[kernel], "--json", file],
                       stdout=sys.stderr, check=True)
        results = json.loads(file.read_text())["results"]
    cases = defaultdict(dict)
    for r in results:
        if r["status"] == "ok":
            cloud = r["cloud"] + (f" {r['tolerance']:g}" if r.get("tolerance") else "")
            case = r["samples"], r["cells"], r["h"], cloud, r["weighted"]
            cases[case][r["method"]] = min(r["seconds"]), r["automatic"]
    return cases


def main():
    ratios = []
    print(f"{'kernel':12} {'N':>8} {'M':>4} {'h':>6} {'cloud':20}" + "".join(f"{e:>15}" for e in ENGINES) +
          "  chosen          ratio")
    for kernel in KERNELS:
        for (samples, cells, h, cloud, weighted), engines in measure(sys.argv[1], kernel).items():
            chosen = next((name for name, (_, automatic) in engines.items() if automatic), None)
            fastest = min(seconds for seconds, _ in engines.values())
            # A chosen engine that was left out because it takes long counts as a miss.
            ratios.append(engines[chosen][0] / fastest if chosen else float("inf"))
            times = "".join(f"{1e3 * engines[e][0]:15.3f}" if e in engines else f"{'-':>15}" for e in ENGINES)
            print(f"{kernel:12} {samples:>8} {cells:>4} {h:>6} {cloud + (' w' if weighted else ''):20}{times}  "
                  f"{chosen or 'none':15} {ratios[-1]:6.2f}")
    near = sum(ratio <= 1.2 for ratio in ratios)
    print(f"{near} of {len(ratios)} cases within 20 % of the fastest, the worst {max(ratios):.2f}")


if __name__ == "__main__":
    main()
