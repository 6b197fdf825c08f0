"""Times skde and other programs on one Gaussian density, and measures their errors.

usage: gaussian_peers.py SKDE [SAMPLES [CELLS]]
Samples (1e5) of five clusters on CELLS^3 cells (128) with H = h^2 S, h by Scott's rule for S of ddof 1, as scipy has it.
The peers: gaussian_kde of scipy, on some of the cells, with its time scaled up; numpy alone, with linear binning and
an FFT on a grid padded by five deviations; kde of R's package ks, binned (Rscript). Times cover the density alone,
without start, reading and writing. Errors are the largest of 500 random cells against direct sums in double, as a share of
the larger peak of these sums and the volume. Missing peers are reported and left out.
"""

import json
import os
import subprocess
import sys
import tempfile
import time

import numpy

CHECKED, TIMED_CELLS, PADDING = 500, 2000, 5

R_SCRIPT = """
arguments <- commandArgs(TRUE)
suppressMessages(library(ks))
job <- read.csv(arguments[1])
points <- as.matrix(read.csv(arguments[2]))
seconds <- system.time(found <- kde(points, H = as.matrix(job[, c("a", "b", "c")]), gridsize = rep(job$cells[1], 3),
                                    xmin = job$first, xmax = job$last, binned = TRUE, bgridsize = rep(job$cells[1], 3)))
writeBin(c(seconds["elapsed"], as.vector(found$estimate)), arguments[3])
"""


def clusters(count):
    random = numpy.random.default_rng(1)
    middles, widths = random.uniform(-3, 3, size=(5, 3)), random.uniform(0.4, 1.2, size=(5, 3))
    which = random.integers(0, 5, size=count)
    return middles[which] + widths[which] * random.normal(size=(count, 3))


class Job:
    """Samples, grid and H, and the density at random cells."""

    def __init__(self, count, cells):
        self.points, self.cells = clusters(count), cells
        self.h = count ** (-1 / 7)
        self.H = self.h**2 * numpy.cov(self.points.T)
        margin = 3 * numpy.sqrt(numpy.diag(self.H))
        self.lower, self.upper = self.points.min(axis=0) - margin, self.points.max(axis=0) + margin
        self.spacing = (self.upper - self.lower) / cells
        self.first = self.lower + self.spacing / 2
        self.checked = numpy.random.default_rng(2).integers(0, cells, size=(CHECKED, 3))
        self.expected = self.direct(self.checked)

    def direct(self, cells):
        factor = numpy.linalg.cholesky(numpy.linalg.inv(self.H))
        points, centres = self.points @ factor, (self.first + cells * self.spacing) @ factor
        height = numpy.sqrt(numpy.linalg.det(2 * numpy.pi * self.H)) * len(points)
        return numpy.array([numpy.exp(-((points - c) ** 2).sum(axis=1) / 2).sum() for c in centres]) / height

    def error(self, volume):
        """Returns the largest error of `volume`, indexed by [x, y, z], as a share of the peak."""
        off = numpy.abs(volume[tuple(self.checked.T)] - self.expected).max()
        return off / max(volume.max(), self.expected.max())


def by_skde(job, skde, tolerance, folder):
    points, out = os.path.join(folder, "points.npy"), os.path.join(folder, "out.npy")
    numpy.save(points, job.points)
    bounds = ",".join(map(repr, job.lower.tolist())) + ":" + ",".join(map(repr, job.upper.tolist()))
    H = ",".join(repr(float(job.H[i, j])) for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))
    command = [skde, "density", points, "-o", out, "--kernel", "gaussian", f"--bandwidth={H}", f"--bounds={bounds}",
               "--dims", f"{job.cells},{job.cells},{job.cells}", "--tolerance", tolerance, "--json", "--quiet"]
    runs = [json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout) for _ in range(3)]
    best = min(run["engine"]["seconds"] for run in runs)
    return f"skde, {runs[0]['engine']['name']}, tolerance {tolerance}", best, job.error(numpy.load(out).T)


def by_scipy(job):
    from scipy import __version__
    from scipy.stats import gaussian_kde

    count = min(TIMED_CELLS, job.cells**3)
    cells = numpy.random.default_rng(3).integers(0, job.cells, size=(count, 3))
    begin = time.perf_counter()
    kernels = gaussian_kde(job.points.T, bw_method=job.h)
    kernels((job.first + cells * job.spacing).T)
    seconds = (time.perf_counter() - begin) * job.cells**3 / count
    values = kernels((job.first + job.checked * job.spacing).T)
    return (f"scipy {__version__} gaussian_kde, from {count} cells", seconds,
            numpy.abs(values - job.expected).max() / job.expected.max())


def by_numpy(job):
    """Weights of the eight nodes about a sample, and the product of transforms."""
    best, volume = numpy.inf, None
    for _ in range(3):
        begin = time.perf_counter()
        pad = numpy.ceil(PADDING * numpy.sqrt(numpy.diag(job.H)) / job.spacing).astype(int)
        shape = job.cells + 2 * pad
        at = (job.points - job.first) / job.spacing + pad
        corner = numpy.floor(at).astype(int)
        rest = at - corner
        grid = numpy.zeros(shape.prod())
        for bits in numpy.ndindex(2, 2, 2):
            share = numpy.prod(numpy.where(bits, rest, 1 - rest), axis=1)
            grid += numpy.bincount(numpy.ravel_multi_index((corner + bits).T, shape), share, len(grid))
        w = [2 * numpy.pi * numpy.fft.fftfreq(n, step) for n, step in zip(shape[:2], job.spacing)]
        w.append(2 * numpy.pi * numpy.fft.rfftfreq(shape[2], job.spacing[2]))
        w = numpy.meshgrid(*w, indexing="ij", sparse=True)
        form = sum(job.H[i, j] * w[i] * w[j] for i in range(3) for j in range(3))
        smooth = numpy.fft.irfftn(numpy.fft.rfftn(grid.reshape(shape)) * numpy.exp(-form / 2), shape)
        inner = tuple(slice(p, p + job.cells) for p in pad)
        volume = smooth[inner] / (len(job.points) * job.spacing.prod())
        best = min(best, time.perf_counter() - begin)
    return f"numpy {numpy.__version__}, linear binning and FFT", best, job.error(volume)


def by_ks(job, folder):
    script, table, points, out = (os.path.join(folder, name) for name in ("a.R", "job.csv", "points.csv", "out.bin"))
    with open(script, "w", encoding="utf-8") as file:
        file.write(R_SCRIPT)
    last = job.first + (job.cells - 1) * job.spacing
    rows = [[job.cells, *job.H[i], job.first[i], last[i]] for i in range(3)]
    numpy.savetxt(table, rows, delimiter=",", header="cells,a,b,c,first,last", comments="", fmt="%.17g")
    numpy.savetxt(points, job.points, delimiter=",", header="x,y,z", comments="", fmt="%.17g")
    subprocess.run(["Rscript", script, table, points, out], check=True, capture_output=True)
    found = numpy.fromfile(out)
    return "R, ks::kde, binned", found[0], job.error(found[1:].reshape([job.cells] * 3, order="F"))


def main():
    count = int(float(sys.argv[2])) if len(sys.argv) > 2 else 100000
    job = Job(count, int(sys.argv[3]) if len(sys.argv) > 3 else 128)
    print(f"{count} samples on {job.cells}^3 cells; deviations of "
          f"{', '.join(f'{s:.1f}' for s in numpy.sqrt(numpy.diag(job.H)) / job.spacing)} cells")
    with tempfile.TemporaryDirectory() as folder:
        for measure in (lambda: by_skde(job, sys.argv[1], "1e-4", folder), lambda: by_skde(job, sys.argv[1], "1e-6", folder),
                        lambda: by_numpy(job), lambda: by_ks(job, folder), lambda: by_scipy(job)):
            try:
                name, seconds, error = measure()
                print(f"| {name} | {seconds:.3g} s | {error:.1e} |", flush=True)
            except (ImportError, OSError, subprocess.CalledProcessError) as problem:
                print(f"| left out: {problem} | | |", flush=True)


if __name__ == "__main__":
    main()
