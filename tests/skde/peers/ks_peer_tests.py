"""Compares the bandwidth normal-scale with Hns of R's package ks, and the density under it with ks::kde.

ks_peer_tests.py SKDE QUAKES; skipped if there is no R with ks (Debian: r-cran-ks).
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

import numpy

# H of the rows of a table, then the density at points.
SCRIPT = """
suppressMessages(library(ks))
arguments <- commandArgs(trailingOnly = TRUE)
samples <- as.matrix(read.csv(arguments[1]))
points <- as.matrix(read.csv(arguments[2]))
H <- Hns(samples)
density <- kde(samples, H = H, eval.points = points, binned = FALSE)$estimate
cat(sprintf("%.17g", c(H, density)), sep = "\\n")
"""


def have_ks():
    return shutil.which("Rscript") and subprocess.run(
        ["Rscript", "-e", "library(ks)"], capture_output=True, check=False).returncode == 0


def written(path, rows):
    numpy.savetxt(path, rows, delimiter=",", header="x,y,z", comments="", fmt="%.17g")
    return path


def compare(skde, folder, name, samples):
    """Returns the largest difference of an entry of H, relative to the diagonal, and of a value, relative to the peak."""
    cloud = written(os.path.join(folder, "cloud.csv"), samples)
    volume = os.path.join(folder, "volume.npy")
    run = subprocess.run([skde, "density", cloud, "-o", volume, "--kernel", "gaussian", "--bandwidth", "normal-scale",
                          "--dims", "9,8,7", "--precision", "f64", "--engine", "naive", "--tolerance", "1e-12", "--json"],
                         capture_output=True, check=True, text=True)
    summary = json.loads(run.stdout)
    grid = summary["grid"]
    k, j, i = numpy.indices(grid["dims"][::-1]).reshape(3, -1)
    points = numpy.array(grid["first_centre"]) + numpy.array(grid["spacing"]) * numpy.column_stack([i, j, k])
    answer = subprocess.run(["Rscript", "-e", SCRIPT, cloud, written(os.path.join(folder, "points.csv"), points)],
                            capture_output=True, check=True, text=True).stdout.split()
    theirs = numpy.array(answer, dtype=float)
    H, density = theirs[:9].reshape(3, 3), theirs[9:]
    scale = numpy.sqrt(numpy.outer(H.diagonal(), H.diagonal()))
    off_H = numpy.abs((numpy.array(summary["bandwidth"]["H"]) - H) / scale).max()
    values = numpy.load(volume).ravel()
    off_density = numpy.abs(values - density).max() / density.max()
    print(f"{name}, {len(samples)} samples: H off by {off_H:.1e}, values by {off_density:.1e} of the peak")
    return off_H < 1e-12 and off_density < 1e-9


def main():
    skde, quakes = sys.argv[1:]
    if not have_ks():
        print("SKIPPED: there is no R with the package ks")
        return 0
    random = numpy.random.default_rng(7)
    tilted = random.standard_normal((40, 3)) @ numpy.array([[3, 1, 0.5], [0, 0.4, -0.2], [0, 0, 0.3]]) + [5, -2, 1e3]
    table = numpy.genfromtxt(quakes, delimiter=",", names=True)
    earth = numpy.column_stack([table["long"], table["lat"], table["depth"]])
    with tempfile.TemporaryDirectory() as folder:
        good = [compare(skde, folder, name, samples)
                for name, samples in (("tilted", tilted), ("few", tilted[:5]), ("quakes", earth))]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
