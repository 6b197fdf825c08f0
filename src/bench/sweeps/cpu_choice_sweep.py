"""Compares the CPU engine that is chosen automatically with the fastest one, over kernels, weights and tolerances.

usage: cpu_choice_sweep.py SKDE [SECONDS]
Cases are drawn at random from N, M, h, kernel, tolerance and weights until SECONDS (240) are over. An engine's time is
the least of two runs, without reading and writing; of eight if a run is short, as measured or as predicted. Engines
predicted to take ten times as long as the best are left out.
"""

import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import time

SAMPLES, CELLS, WIDTHS = ("1e3", "1e4", "1e5", "1e6"), (48, 96, 160), (0.12, 0.346, 1)
KERNELS = (("epanechnikov", 0), ("biweight", 0), ("triweight", 1e-4), ("gaussian", 0), ("gaussian", 1e-4))
NEAR, FAR, RUNS, SHORT, SHORT_RUNS = 1.2, 10, 2, 0.05, 6


def run(command):
    done = subprocess.run([*command, "--json"], capture_output=True, text=True, check=False)
    return json.loads(done.stdout) if done.returncode == 0 else None


def main():
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 240
    cases = list(itertools.product(SAMPLES, CELLS, WIDTHS, KERNELS, (False, True)))
    random.Random(1).shuffle(cases)
    ratios, end = [], time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        clouds = {n: os.path.join(folder, f"{n}.csv") for n in SAMPLES}
        for n, path in clouds.items():
            subprocess.run([sys.argv[1], "generate", "five-gaussians", "--samples", n, "-o", path, "--quiet"], check=True)
        for n, cells, h, (kernel, tolerance), weighted in cases:
            if time.monotonic() > end:
                break
            flags = ["--bounds=-5,-5,-5:5,5,5", "--dims", str(cells), "--bandwidth", str(h), "--kernel", kernel,
                     "--tolerance", str(tolerance)]
            if weighted:
                flags += ["--weights", "w"]
                weigh(clouds[n])
            case = [clouds[n] + ".w.csv" if weighted else clouds[n], *flags]
            offers = [o for o in run([sys.argv[1], "engines", "--for", *case])["offers"]
                      if o["serves"] and not o["name"].startswith("cuda")]
            least = min(o["seconds"]["run"] for o in offers)
            near = [o for o in offers if o["seconds"]["run"] < FAR * least]
            times = {}
            for o in near:
                command = [sys.argv[1], "density", *case, "-o", os.path.join(folder, "a.npy"), "--quiet", "--engine", o["name"]]
                runs = [run(command)["engine"]["seconds"] for _ in range(RUNS)]
                if min(o["seconds"]["run"], *runs) < SHORT:  # or should be, but for other programs
                    runs += [run(command)["engine"]["seconds"] for _ in range(SHORT_RUNS)]
                times[o["name"]] = min(runs)
            held = [o for o in near if tolerance == 0 or o["error"] <= tolerance] or near
            chosen = min(held, key=lambda o: o["seconds"]["run"])["name"]
            ratios.append(times[chosen] / min(times.values()))
            print(f"{n:>6} {cells:>4} {h:<6} {kernel:12} {tolerance:<7} {'weights' if weighted else '':8}{chosen:9}"
                  f"{ratios[-1]:6.2f}  " + ", ".join(f"{k} {1e3 * v:.1f} ms" for k, v in times.items()), flush=True)
    near = sum(ratio <= NEAR for ratio in ratios)
    print(f"{near} of {len(ratios)} cases within 20 % of the fastest, the worst {max(ratios):.2f}")


def weigh(path):
    """Returns the same cloud with a column of weights."""
    if os.path.exists(path + ".w.csv"):
        return
    draw = random.Random(2)
    with open(path, encoding="utf-8") as old, open(path + ".w.csv", "w", encoding="utf-8") as new:
        new.write(next(old).strip() + ",w\n")
        new.writelines(f"{line.strip()},{draw.uniform(0.5, 2):.6g}\n" for line in old)


if __name__ == "__main__":
    main()
