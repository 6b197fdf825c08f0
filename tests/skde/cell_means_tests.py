"""Compares means over cells with error functions, sums over parts of cells, and histograms: cell_means_tests.py SKDE."""
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy
    from scipy.special import erf
except ImportError as missing:
    print(f"SKIPPED: {missing.name} is not installed")
    sys.exit(0)

SKDE = sys.argv[1]
PI = numpy.pi
PROFILES = {  # of r = sqrt(q), normalised
    "uniform": lambda r: 3 / (4 * PI) * (r < 1),
    "epanechnikov": lambda r: 15 / (8 * PI) * numpy.clip(1 - r * r, 0, None),
    "biweight": lambda r: 105 / (32 * PI) * numpy.clip(1 - r * r, 0, None) ** 2,
    "triweight": lambda r: 315 / (64 * PI) * numpy.clip(1 - r * r, 0, None) ** 3,
    "gaussian": lambda r: (2 * PI) ** -1.5 * numpy.exp(-r * r / 2),
    "exponential": lambda r: numpy.exp(-r) / (8 * PI),
    "linear": lambda r: 3 / PI * numpy.clip(1 - r, 0, None),
    "cosine": lambda r: PI**2 / (8 * (PI**2 - 8)) * numpy.cos(PI / 2 * numpy.minimum(r, 1)),
    "cubic-spline": lambda r: 8 / PI * (2 * numpy.clip(1 - r, 0, None) ** 3 - numpy.clip(1 - 2 * r, 0, None) ** 3),
    "wendland-c2": lambda r: 21 / (2 * PI) * numpy.clip(1 - r, 0, None) ** 4 * (1 + 4 * r),
}


class Case:
    """A random cloud and a box of few cells with unlike sides."""

    def __init__(self, folder, random, samples):
        self.folder = folder
        self.dims = random.integers(2, 8, 3)
        self.lower = random.normal(size=3) * 10
        self.cell = numpy.exp(0.3 * random.normal(size=3))
        self.cloud = self.lower + self.cell * self.dims * random.uniform(-0.1, 1.1, (samples, 3))
        self.weights = random.uniform(0.5, 2, samples)
        self.edges = [self.lower[a] + self.cell[a] * numpy.arange(self.dims[a] + 1) for a in range(3)]

    def run(self, *flags):
        """Returns the means, with shape (x, y, z), and the JSON summary."""
        numpy.save(os.path.join(self.folder, "cloud.npy"), numpy.column_stack([self.cloud, self.weights]))
        corners = ":".join(",".join(repr(float(v)) for v in corner) for corner in (self.lower, self.upper()))
        done = subprocess.run([SKDE, "density", "cloud.npy", "--columns", "1,2,3", "--weights", "4", "-o", "f.npy", "--json",
                               "--cells", "mean", f"--bounds={corners}", "--dims", ",".join(map(str, self.dims)), *flags],
                              cwd=self.folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return numpy.load(os.path.join(self.folder, "f.npy")).T, json.loads(done.stdout)

    def upper(self):
        return self.lower + self.cell * self.dims

    def volume(self):
        return numpy.prod(self.cell)


def matrix_flag(H):
    return "--bandwidth=" + ",".join(repr(float(H[i])) for i in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)))


def check_gaussians(folder, random):
    """Products of error functions, for widths from 0.05 cells to several, with images at reflecting faces."""
    for number in range(24):
        case = Case(folder, random, 1 + number % 4)
        widths = case.cell * numpy.exp(random.uniform(numpy.log(0.05), numpy.log(4), 3))
        reflects = number % 3 == 0
        if reflects:
            case.cloud = numpy.clip(case.cloud, case.lower, case.upper())
        expected = 0
        for place, weight in zip(case.cloud, case.weights / case.weights.sum()):
            along = []
            for a in range(3):
                low, high = case.lower[a], case.upper()[a]
                period = 2 * (high - low)
                places = [place[a]] if not reflects else [image + k * period for k in range(-20, 21)
                                                          for image in (place[a], 2 * low - place[a])]
                along.append(sum(numpy.diff(erf((case.edges[a] - p) / (numpy.sqrt(2) * widths[a]))) / 2 for p in places))
            expected = expected + weight / case.volume() * numpy.einsum("i,j,k", *along)
        for engine in ("tile", "auto"):
            found, facts = case.run("--kernel", "gaussian", "--bandwidth=" + ",".join(map(repr, map(float, widths))),
                                    "--engine", engine, "--precision", "f64", "--boundary", "reflect" if reflects else "none")
            height = min(1 / case.volume(), 1 / ((2 * PI) ** 1.5 * numpy.prod(widths)))
            assert numpy.abs(found - expected).max() < 2e-6 * (2 if reflects else 1) * height, (engine, widths / case.cell)
            assert not facts["warnings"], facts["warnings"]


def sampled(case, H, profile, steps):
    """Means of the density over cells, by the midpoints of steps^3 parts of each."""
    places = [case.lower[a] + case.cell[a] * (numpy.arange(case.dims[a] * steps) + 0.5) / steps for a in range(3)]
    inverse, values = numpy.linalg.inv(H), 0
    for place, weight in zip(case.cloud, case.weights / case.weights.sum()):
        d = numpy.meshgrid(*(places[a] - place[a] for a in range(3)), indexing="ij")
        q = sum(inverse[a, b] * d[a] * d[b] for a in range(3) for b in range(3))
        values = values + weight * profile(numpy.sqrt(numpy.maximum(q, 0)))
    shape = [n for dim in case.dims for n in (dim, steps)]
    return values.reshape(shape).mean(axis=(1, 3, 5)) / numpy.sqrt(numpy.linalg.det(H))


def check_kernels(folder, random):
    """Every kernel in any orientation is within its stated error, and so is the sum of the cells."""
    for number in range(30):
        name = list(PROFILES)[number % len(PROFILES)]
        case = Case(folder, random, 1 + number % 3)
        axes = numpy.linalg.qr(random.normal(size=(3, 3)))[0]
        widths = numpy.exp(random.uniform(numpy.log(0.4), numpy.log(3)) + random.uniform(-0.4, 0.4, 3))
        H = (axes * (widths * (0.3 if name == "exponential" else 1)) ** 2) @ axes.T * numpy.outer(case.cell, case.cell)
        expected = sampled(case, H, PROFILES[name], 16)
        height = min(1 / case.volume(), PROFILES[name](numpy.zeros(1))[0] / numpy.sqrt(numpy.linalg.det(H)))
        flags = (matrix_flag(H), "--kernel", name, "--engine", "tile")
        for more in (("--precision", "f64"), ("--tolerance", "0.004")):
            found, facts = case.run(*flags, *more)
            bound = facts["error_bound"] + 0.004  # of the midpoints
            assert numpy.abs(found - expected).max() < bound * height, (name, more, widths)
            assert abs(found.sum() * case.volume() - facts["mass_in_box"]) < bound, (name, more)
            assert facts["cells"] == "mean"


def check_thin(folder, random):
    """Kernels far thinner than cells keep their mass, and are not widened."""
    for name in PROFILES.keys() - {"exponential"}:
        case = Case(folder, random, 40)
        for flags in (("--adaptive",), ()):
            _, facts = case.run("--kernel", name, "--bandwidth=" + ",".join(map(str, 0.05 * case.cell)), *flags)
            found = numpy.load(os.path.join(folder, "f.npy"))
            assert abs(found.sum() * case.volume() / facts["mass_in_box"] - 1) < 0.01, (name, flags)
            assert not facts["warnings"], facts["warnings"]


def check_histograms(folder, random):
    """A bandwidth of 0 counts samples exactly as numpy does, also those on faces between cells."""
    for number in range(12):
        case = Case(folder, random, 500)
        if number % 2:
            case.lower, case.cell = numpy.zeros(3), numpy.ones(3)
            case.cloud = random.integers(0, 2 * case.dims + 1, (500, 3)) / 2.0
        if number % 3 == 0:
            case.weights = numpy.ones(500)
        limits = list(zip(case.lower, case.upper()))
        expected, _ = numpy.histogramdd(case.cloud, bins=case.dims, range=limits, weights=case.weights)
        for precision, off in (("f32", 1e-6), ("f64", 1e-13)):
            found, facts = case.run("--bandwidth", "0", "--normalize", "count", "--precision", precision)
            assert numpy.abs(found * case.volume() - expected).max() <= off * expected.max(), precision
            assert facts["error_bound"] < 1e-5
            assert facts["warnings"] == [] or number % 2 == 0, facts["warnings"]


def check_refusals(folder, random):
    case = Case(folder, random, 50)
    case.run("--bandwidth", "1")
    for flags, named in ((("--bandwidth", "0"), "--cells mean"), (("--cells", "mean", "--boundary", "linear"), "--cells"),
                         (("--cells", "mean", "--engine", "span"), "--engine"),
                         (("--cells", "mean", "--bandwidth", "0", "--adaptive"), "--bandwidth"),
                         (("--cells", "mean", "--bandwidth", "0", "--boundary", "reflect"), "--bandwidth"),
                         (("--cells", "mean", "--kernel", "exponential", "--bandwidth", "0.03,0.03,0.03", "--dims", "3"),
                          "too coarse"),
                         (("--cells", "mean", "--standard-error"), "--cells"),
                         (("--cells", "mean", "--part", "1/2"), "--cells")):
        name = "f.skp" if "--part" in flags else "f.vti"
        done = subprocess.run([SKDE, "density", "cloud.npy", "--columns", "1,2,3", "-o", name, *flags], cwd=folder, capture_output=True, text=True)
        assert done.returncode != 0 and named in done.stderr, (flags, done.stderr)


def main():
    with tempfile.TemporaryDirectory() as folder:
        for check in (check_gaussians, check_kernels, check_thin, check_histograms, check_refusals):
            check(folder, numpy.random.default_rng(48))
            print(f"{check.__name__}: as expected")


if __name__ == "__main__":
    main()
