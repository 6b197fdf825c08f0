"""Compares the engine that is chosen automatically with the fastest one, over a sweep of cases.

usage: engine_choice_sweep.py SKDE_BENCH
Needs a CUDA device. Every row is a case: its samples N, cells M^3, bandwidth h and cloud, the times
of the GPU engines, the one chosen, and how much longer that took than the fastest.
"""

import json
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

SWEEP = ["--samples", "1e3,1e4,1e5,1e6", "--cells", "64,128,256,512", "--bandwidth", "0.12,0.346,1",
         "--cloud", "five-gaussians,uniform", "--engines", "cuda-span,cuda-chop-crop",
         "--repetitions", "3"]


def results_of(bench):
    """The results of the sweep; the rows of the run itself go to standard error."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "sweep.json")
        done = subprocess.run([bench, "case", *SWEEP, "--json", file], stdout=sys.stderr)
        if done.returncode != 0:
            sys.exit(done.returncode)
        return json.loads(file.read_text())["results"]


def main():
    cases = defaultdict(dict)
    for result in results_of(sys.argv[1]):
        if result["status"] != "ok":
            sys.exit(f"{result['method']}: {result['status']}: {result['reason']}")
        case = result["samples"], result["cells"], result["h"], result["cloud"]
        cases[case][result["method"]] = min(result["seconds"]), result["automatic"]
    print(f"{'N':>8} {'M':>4} {'h':>6} {'cloud':15} {'span ms':>9} {'chop ms':>9}  chosen           ratio")
    ratios = []
    for case, engines in cases.items():
        span, chop_crop = engines["cuda-span"][0], engines["cuda-chop-crop"][0]
        chosen = next(name for name, (_, automatic) in engines.items() if automatic)
        ratio = engines[chosen][0] / min(span, chop_crop)
        ratios.append(ratio)
        print(f"{case[0]:>8} {case[1]:>4} {case[2]:>6} {case[3]:15} {1e3 * span:9.3f} "
              f"{1e3 * chop_crop:9.3f}  {chosen:15} {ratio:6.2f}")
    near = sum(ratio <= 1.2 for ratio in ratios)
    print(f"{near} of {len(ratios)} cases within 20 % of the fastest, the worst {max(ratios):.2f}")


if __name__ == "__main__":
    main()
