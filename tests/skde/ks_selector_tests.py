"""Compares data-driven bandwidths with those of R's package ks.

ks_selector_tests.py SKDE: the least-squares score of every h on the curve equals that of ks:::lscv.mat, the chosen h has
the least score, and the sizes of Hlscv and Hpi (whose matrices are free, while here H = h^2 S) are near. Hpi uses its
pilot SAMSE: the default pilot of ks 1.14 is 30 % smaller even for a normal cloud. Skipped if there is no R with ks
(Debian: r-cran-ks) or no numpy.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError as missing:
    print(f"SKIPPED: {missing}")
    sys.exit(0)

# The scores of the given h, the h of the least, and the sixth roots of determinants.
SCRIPT = """
suppressMessages(library(ks))
arguments <- commandArgs(trailingOnly = TRUE)
x <- as.matrix(read.csv(arguments[1]))
widths <- scan(arguments[2], quiet = TRUE)
S <- var(x) * (nrow(x) - 1) / nrow(x)
score <- function(h) ks:::lscv.mat(x, h^2 * S, binned = FALSE)
best <- exp(optimize(function(l) score(exp(l)), log(range(widths)), tol = 1e-6)$minimum)
size <- function(H) det(H)^(1 / 6)
cat(sprintf("%.17g", c(sapply(widths, score), best, size(Hlscv(x)), size(Hpi(x, pilot = "samse", binned = FALSE)))), sep = "\\n")
"""


def skde_choice(skde, cloud, *arguments):
    """Returns the JSON document of skde bandwidth."""
    run = subprocess.run([skde, "bandwidth", cloud, "--kernel", "gaussian", "--json", *arguments], capture_output=True,
                         check=True, text=True)
    return json.loads(run.stdout)


def compare(skde, folder, name, samples):
    """Returns whether all values agree."""
    cloud = os.path.join(folder, "cloud.csv")
    numpy.savetxt(cloud, samples, delimiter=",", header="x,y,z", comments="", fmt="%.17g")
    least, plug_in = skde_choice(skde, cloud, "--method", "lscv"), skde_choice(skde, cloud, "--method", "plug-in")
    curve = numpy.array([(point["h"], point["score"]) for point in least["curve"]])
    widths = os.path.join(folder, "widths.txt")
    numpy.savetxt(widths, curve[:, 0], fmt="%.17g")
    answer = subprocess.run(["Rscript", "-e", SCRIPT, cloud, widths], capture_output=True, check=True, text=True).stdout.split()
    theirs = numpy.array(answer, dtype=float)
    off_score = numpy.abs(theirs[:-3] - curve[:, 1]).max() / numpy.abs(curve[:, 1]).max()
    off_h = abs(theirs[-3] / least["h"] - 1)

    def size(choice):
        return numpy.linalg.det(numpy.array(choice["H"]))**(1 / 6)

    lscv, pi = size(least) / theirs[-2], size(plug_in) / theirs[-1]
    print(f"{name}, {len(samples)} samples: scores off by {off_score:.1e} of the largest, h by {off_h:.1e}; sizes of H: {lscv:.3f} of Hlscv, "
          f"{pi:.3f} of Hpi")
    return off_score < 1e-6 and off_h < 2e-4 and abs(lscv - 1) < 0.15 and abs(pi - 1) < 0.1


def main():
    """Compares all clouds."""
    if not shutil.which("Rscript") or subprocess.run(["Rscript", "-e", "library(ks)"], capture_output=True,
                                                     check=False).returncode != 0:
        print("SKIPPED: there is no R with the package ks")
        return 0
    random = numpy.random.default_rng(3)
    tilt = numpy.array([[3, 1, 0.5], [0, 0.4, -0.2], [0, 0, 0.3]])
    tilted = random.standard_normal((300, 3)) @ tilt + [5, -2, 10]
    pair = numpy.concatenate([random.standard_normal((200, 3)) - [1.5, 0, 0], random.standard_normal((200, 3)) + [1.5, 0, 0]])
    with tempfile.TemporaryDirectory() as folder:
        good = [compare(sys.argv[1], folder, name, samples) for name, samples in (("tilted", tilted), ("pair", pair))]
    return 0 if all(good) else 1


if __name__ == "__main__":
    sys.exit(main())
