"""Compares the engine that is chosen automatically with the fastest one, over a sweep of cases.

usage: engine_choice_sweep.py SKDE_BENCH
Needs a CUDA device. Every row is a case: its samples N, cells M^3, bandwidth h and cloud, the times
of the GPU engines, the one chosen, and how much longer that took than the fastest.
"""

import itertools
import json
import subprocess
import sys

SAMPLES = ["1e3", "1e4", "1e5", "1e6"]
CELLS = ["64", "128", "256", "512"]
BANDWIDTHS = ["0.12", "0.346", "1"]
CLOUDS = ["five-gaussians", "uniform"]
ENGINES = "cuda-span,cuda-chop-crop"


def rows_of(bench, samples, cells, bandwidth, cloud):
    command = [bench, "--engines", ENGINES, "--samples", samples, "--cells", cells, "--bandwidth",
               bandwidth, "--cloud", cloud, "--repetitions", "3", "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr.strip())
    return [json.loads(line) for line in done.stdout.splitlines()]


def main():
    print(f"{'N':>8} {'M':>4} {'h':>6} {'cloud':15} {'span ms':>9} {'chop ms':>9}  chosen           ratio")
    ratios = []
    for case in itertools.product(SAMPLES, CELLS, BANDWIDTHS, CLOUDS):
        rows = rows_of(sys.argv[1], *case)
        best = {row["engine"]: min(row["seconds"]) for row in rows}
        chosen = rows[0]["chosen_on_gpu"]
        ratio = best[chosen] / min(best.values())
        ratios.append(ratio)
        print(f"{case[0]:>8} {case[1]:>4} {case[2]:>6} {case[3]:15} {1e3 * best['cuda-span']:9.3f} "
              f"{1e3 * best['cuda-chop-crop']:9.3f}  {chosen:15} {ratio:6.2f}")
    near = sum(ratio <= 1.2 for ratio in ratios)
    print(f"{near} of {len(ratios)} cases within 20 % of the fastest, the worst {max(ratios):.2f}")


if __name__ == "__main__":
    main()
