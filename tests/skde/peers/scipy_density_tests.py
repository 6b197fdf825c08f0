"""Compares the recipe of docs/tasks/from_other_programs.md with scipy's gaussian_kde: scipy_density_tests.py SKDE."""
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy
    from scipy.stats import gaussian_kde
except ImportError:
    print("SKIPPED: python3-scipy is not installed")
    sys.exit(0)

SKDE = sys.argv[1]
CLOUDS, MOST = 20, 1e-6


def random_cloud(random):
    """Returns correlated samples far from the origin, with unequal axes, and weights for every second cloud."""
    count = int(random.integers(20, 400))
    mixing = random.normal(size=(3, 3)) * random.uniform(0.1, 10, size=3)
    points = random.normal(size=(count, 3)) @ mixing + random.uniform(-1000, 1000, size=3)
    return points, random.uniform(0.1, 5, size=count) if random.random() < 0.5 else None


def density_of(points, weights, rule, folder):
    """Returns the values of skde and the centres of their cells, x fastest."""
    cloud, volume = os.path.join(folder, "a.csv"), os.path.join(folder, "a.npy")
    columns = points if weights is None else numpy.column_stack([points, weights])
    names = "x,y,z" if weights is None else "x,y,z,w"
    numpy.savetxt(cloud, columns, delimiter=",", header=names, comments="", fmt="%.17g")
    command = [SKDE, "density", cloud, "-o", volume, "--kernel", "gaussian", "--bandwidth", rule, "--precision", "f64",
               "--tolerance", "1e-8", "--dims", "14,12,10", "--json", "--quiet"]
    run = subprocess.run(command + ([] if weights is None else ["--weights", "w"]), capture_output=True, text=True,
                         check=True)
    grid = json.loads(run.stdout)["grid"]
    axes = [first + step * numpy.arange(count)
            for first, step, count in zip(grid["first_centre"], grid["spacing"], grid["dims"])]
    z, y, x = numpy.meshgrid(*reversed(axes), indexing="ij")
    return numpy.load(volume).ravel(), numpy.array([x.ravel(), y.ravel(), z.ravel()])


def main():
    random = numpy.random.default_rng(7)
    worst = 0
    for cloud in range(CLOUDS):
        points, weights = random_cloud(random)
        for rule, method in (("normal-scott", "scott"), ("normal-scale", "silverman")):
            with tempfile.TemporaryDirectory() as folder:
                values, centres = density_of(points, weights, rule, folder)
            expected = gaussian_kde(points.T, bw_method=method, weights=weights)(centres)
            error = numpy.abs(values - expected).max() / expected.max()
            worst = max(worst, error)
            assert error < MOST, f"cloud {cloud}, {rule}: off by {error:.2g} of the peak"
    print(f"{CLOUDS} clouds within {worst:.2g} of the peak")


main()
