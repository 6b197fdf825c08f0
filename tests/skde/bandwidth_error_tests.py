"""Compares the errors of chosen bandwidths with the least that is possible, for 24 known densities.

bandwidth_error_tests.py SKDE [SAMPLES [DRAWS [METHODS [DENSITIES]]]] prints for each density the least integrated squared
error over h in H = h^2 S, with a Gaussian kernel and S the samples' covariance, its h, and for each method the error of the
chosen H as a multiple of the least one: the mean of the draws, the worst, and the seconds. METHODS are separated by commas,
and each is a name and flags of `skde bandwidth`, such as "auto,lscv,auto --covariance free", or another program's:
ks:Hpi, ks:Hlscv, ks:Hscv and ks:Hns (R's package ks), scipy (gaussian_kde) and sklearn (GridSearchCV). With --sharpen among them the
samples are sharpened here, and the second factor compares with the least error of sharpened samples. Without METHODS the
script is a test, of auto, lscv and plug-in.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

try:
    import numpy
    import known_densities
    from known_densities import DENSITIES
except ImportError as missing:
    print(f"SKIPPED: {missing}")
    sys.exit(0)

SKDE = sys.argv[1]
SAMPLES = int(float(sys.argv[2])) if len(sys.argv) > 2 else 2000
DRAWS = int(sys.argv[3]) if len(sys.argv) > 3 else 1
METHODS = sys.argv[4].split(",") if len(sys.argv) > 4 else ["auto", "lscv", "plug-in"]
CHOSEN = sys.argv[5].split(",") if len(sys.argv) > 5 else list(DENSITIES)


KS = """
suppressMessages(library(ks))
x <- as.matrix(read.csv(commandArgs(trailingOnly = TRUE)[1], header = FALSE))
seconds <- system.time(H <- %s(x))["elapsed"]
cat(sprintf("%%.17g", c(H, seconds)), sep = "\\n")
"""


def peer_choice(points, method):
    """Returns the H of another program, and the seconds without its start."""
    if method.startswith("ks:"):
        with tempfile.NamedTemporaryFile("w", suffix=".csv") as file:
            numpy.savetxt(file, points, delimiter=",", fmt="%.17g")
            file.flush()
            run = subprocess.run(["Rscript", "-e", KS % method[3:], file.name], capture_output=True, check=True, text=True)
        numbers = [float(n) for n in run.stdout.split()]
        return numpy.array(numbers[:9]).reshape(3, 3), numbers[9]
    begin = time.monotonic()
    if method == "scipy":
        from scipy.stats import gaussian_kde
        return gaussian_kde(points.T).covariance, time.monotonic() - begin
    from sklearn.model_selection import GridSearchCV
    from sklearn.neighbors import KernelDensity
    widths = points.std(0).mean() * numpy.geomspace(0.03, 1, 20)
    best = GridSearchCV(KernelDensity(), {"bandwidth": widths}).fit(points).best_params_["bandwidth"]
    return best**2 * numpy.eye(3), time.monotonic() - begin


def chosen(path, method):
    """Returns the H that skde or another program chooses, and the seconds."""
    if method.startswith("ks:") or method in ("scipy", "sklearn"):
        return peer_choice(numpy.load(path), method)
    begin = time.monotonic()
    run = subprocess.run([SKDE, "bandwidth", path, "--kernel", "gaussian", "--json", "--quiet", "--method", *method.split()],
                         capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return numpy.array(json.loads(run.stdout)["H"]), time.monotonic() - begin


def draw_row(path, density, seed):
    """Returns the least error, its h, and for each method the factors of the error and the seconds."""
    points = density.draw(SAMPLES, seed)
    numpy.save(path, points)
    S = numpy.cov(points.T, bias=True)
    h, best = known_densities.least(density, points, S, SAMPLES**(-1 / 7))
    sharp = None
    row = []
    for method in METHODS:
        H, seconds = chosen(path, method)
        if "--sharpen" in method.split():
            sharp = sharp or known_densities.least(density, points, S, 1.3 * SAMPLES**(-1 / 7), known_densities.sharp_error)[1]
            found = known_densities.sharp_error(density, points, H)
            row.append((found / best, found / sharp, seconds))
        else:
            found = known_densities.error(density, points, H)
            row.append((found / best, found / best, seconds))
    return h, best, row


def main():
    """Prints the table. The test fails if auto or lscv is above 1.15 times the least error, or plug-in of one of the first 12."""
    widths = [max(len(m), 28) for m in METHODS]
    print(f"{SAMPLES} samples, {DRAWS} draws: least error and its h; error / least, worst draw (/ least sharpened one), seconds")
    print(f"{'':15} {'error':>7} {'h':>7} " + " ".join(f"{m:>{w}}" for m, w in zip(METHODS, widths)))
    factors = []
    with tempfile.TemporaryDirectory() as folder:
        for name in CHOSEN:
            h, best, rows = zip(*[draw_row(os.path.join(folder, "cloud.npy"), DENSITIES[name], seed + 1) for seed in range(DRAWS)])
            rows = numpy.array(rows)  # draws, methods, 3
            factors.append(rows)
            text = f"{name:15} {numpy.mean(best):7.4f} {numpy.mean(h):7.4f} "
            for m, width in enumerate(widths):
                own = f" ({rows[:, m, 1].mean():.2f})" if "--sharpen" in METHODS[m] else ""
                text += f" {rows[:, m, 0].mean():6.2f} {rows[:, m, 0].max():6.2f}{own} {rows[:, m, 2].mean():5.1f} s".rjust(width + 1)
            print(text, flush=True)
    factors = numpy.array(factors)  # densities, draws, methods, 3
    for m, method in enumerate(METHODS):
        mean = factors[:, :, m, 0].mean(1)
        print(f"{method}: mean {mean.mean():.3f}, worst mean {mean.max():.2f}, worst draw {factors[:, :, m, 0].max():.2f}, at most 1.1 "
              f"in {(mean <= 1.1).sum()} of {len(mean)}, {factors[:, :, m, 2].mean():.2f} s" +
              (f"; of the least sharpened one: mean {factors[:, :, m, 1].mean():.3f}, worst {factors[:, :, m, 1].max():.2f}"
               if "--sharpen" in method else ""))
    if len(sys.argv) < 5:
        assert factors[:, 0, :2, 0].max() < 1.15, factors[:, 0, :2, 0]
        assert factors[:12, 0, 2, 0].max() < 1.15, factors[:12, 0, 2, 0]


main()
