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
         "--cloud", "five-gaussians,uniform", "--engines", "cuda-span,cuda-chop-crop", "--repetitions", "3"]


def main():
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "sweep.json")
        # The rows of the run itself go to standard error.
        subprocess.run([sys.argv[1], "case", *SWEEP, "--json", file], stdout=sys.stderr, check=True)
        results = json.loads(file.read_text())["results"]
    cases, ratios = defaultdict(dict), []
    for r in results:
        if r["status"] != "ok":
            sys.exit(f"{r['method']}: {r['status']}: {r['reason']}")
        cases[r["samples"], r["cells"], r["h"], r["cloud"]][r["method"]] = min(r["seconds"]), r["automatic"]
    print(f"{'N':>8} {'M':>4} {'h':>6} {'cloud':15} {'span ms':>9} {'chop ms':>9}  chosen           ratio")
    for (samples, cells, h, cloud), engines in cases.items():
        span, chop_crop = engines["cuda-span"][0], engines["cuda-chop-crop"][0]
        chosen = next(name for name, (_, automatic) in engines.items() if automatic)
        ratios.append(engines[chosen][0] / min(span, chop_crop))
        print(f"{samples:>8} {cells:>4} {h:>6} {cloud:15} {1e3 * span:9.3f} {1e3 * chop_crop:9.3f}  {chosen:15} "
              f"{ratios[-1]:6.2f}")
    near = sum(ratio <= 1.2 for ratio in ratios)
    print(f"{near} of {len(ratios)} cases within 20 % of the fastest, the worst {max(ratios):.2f}")


if __name__ == "__main__":
    main()
