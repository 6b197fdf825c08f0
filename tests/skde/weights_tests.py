"""Compares fields of signed weights and densities of equal groups with sums by numpy: weights_tests.py SKDE."""
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError:
    print("SKIPPED: numpy is not installed")
    sys.exit(0)

SKDE = sys.argv[1]
ENGINES = {"epanechnikov": ("naive", "openmp", "span", "tile"), "gaussian": ("naive", "tile", "spectral")}


def run(folder, *arguments, refused=None):
    """Returns the JSON summary of a command, or requires an error with this text."""
    done = subprocess.run([SKDE, *arguments, "--json"], cwd=folder, capture_output=True, text=True)
    if refused:
        assert done.returncode == 2 or done.returncode == 3, (arguments, done.returncode, done.stderr)
        assert refused in done.stderr, (refused, done.stderr)
        return None
    assert done.returncode == 0, (arguments, done.stderr)
    return json.loads(done.stdout)


def field(cloud, weights, at, h, kernel):
    """sum w k / (sum |w| h^3), by the definition; the covariance is the unit matrix."""
    q = ((at[:, None, :] - cloud[None]) ** 2).sum(2) / h**2
    profile = (15 / (8 * numpy.pi) * numpy.clip(1 - q, 0, None) if kernel == "epanechnikov"
               else (2 * numpy.pi) ** -1.5 * numpy.exp(-q / 2))
    return profile @ weights / (abs(weights).sum() * h**3)


def centres(lower, upper, dims):
    axes = [a + (numpy.arange(n) + 0.5) * (b - a) / n for a, b, n in zip(lower, upper, dims)]
    z, y, x = numpy.meshgrid(axes[2], axes[1], axes[0], indexing="ij")
    return numpy.stack([x.ravel(), y.ravel(), z.ravel()], axis=1)


def check_fields(folder, random):
    """Every engine of the CPU, in f32 and f64, and values at points."""
    cloud, weights = random.normal(size=(500, 3)), random.normal(size=500)
    weights[:7] = 0
    numpy.save(os.path.join(folder, "c.npy"), numpy.column_stack([cloud, weights]))
    signed = ("--columns", "1,2,3", "--weights", "4", "--signed-weights", "--covariance", "iso", "--bandwidth", "0.8")
    box = ("--bounds", "-3,-2,-2:3,2.5,2", "--dims", "24,18,16")
    at = centres((-3, -2, -2), (3, 2.5, 2), (24, 18, 16))
    for kernel, engines in ENGINES.items():
        expected = field(cloud, weights, at, 0.8, kernel)
        for engine in engines:
            for precision in ("f32", "f64"):
                exact = precision == "f64" and kernel == "epanechnikov"  # a Gaussian is cut
                error = 1e-3 if engine == "spectral" else 1e-12 if exact else 1e-5
                found = run(folder, "density", "c.npy", *signed, *box, "--kernel", kernel, "--engine", engine, "--precision",
                            precision, "-o", "f.npy", *(("--tolerance", "1e-3") if engine == "spectral" else ()))
                values = numpy.load(os.path.join(folder, "f.npy")).ravel()
                assert abs(values - expected).max() < error * abs(expected).max(), (kernel, engine, precision)
                assert abs(found["total_weight"] - abs(weights).sum()) < 1e-9 and found["mass_in_box"] == 0
        run(folder, "density", "c.npy", *signed, *box, "--kernel", kernel, "--normalize", "count", "-o", "f.npy")
        values = numpy.load(os.path.join(folder, "f.npy")).ravel()
        assert abs(values / abs(weights).sum() - expected).max() < 2e-5 * abs(expected).max()
        numpy.savetxt(os.path.join(folder, "at.csv"), at[:200], delimiter=",", header="x,y,z", comments="")
        run(folder, "eval", "c.npy", *signed, "--kernel", kernel, "--at", "at.csv", "-o", "v.npy")
        values = numpy.load(os.path.join(folder, "v.npy"))[:, -1]
        assert abs(values - expected[:200]).max() < 1e-5 * abs(expected).max(), kernel


def check_groups(folder, random):
    """Each group has the same weight, whatever its number of samples, alone and with weights."""
    groups = random.choice([3, 4, 9], p=[0.1, 0.2, 0.7], size=400)
    cloud, weights = random.normal(size=(400, 3)) + groups[:, None] / 4, random.uniform(0, 2, size=400)
    numpy.savetxt(os.path.join(folder, "g.csv"), numpy.column_stack([cloud, weights, groups]), delimiter=",",
                  header="x,y,z,w,group", comments="")
    box = ("--bounds", "-3,-3,-3:5,5,5", "--dims", "20", "--covariance", "iso", "--bandwidth", "1", "--precision", "f64")
    for given, own in (((), numpy.ones(400)), (("--weights", "w"), weights)):
        totals = {group: own[groups == group].sum() for group in (3, 4, 9)}
        equal = own / [3 * totals[group] for group in groups]
        at = centres((-3, -3, -3), (5, 5, 5), (20, 20, 20))
        expected = field(cloud, equal, at, 1, "epanechnikov")
        for memory in ((), ("--memory-limit", "400M")):
            found = run(folder, "density", "g.csv", *given, "--equal-by", "group", *box, *memory, "-o", "f.npy")
            values = numpy.load(os.path.join(folder, "f.npy")).ravel()
            assert abs(values - expected).max() < 1e-12 * expected.max()
            assert abs(found["total_weight"] - 1) < 1e-12
            assert abs(found["effective_samples"] * (equal**2).sum() - 1) < 1e-12
        run(folder, "eval", "g.csv", *given, "--equal-by", "5", "--covariance", "iso", "--bandwidth", "1", "--at",
            "g.csv", "-o", "v.npy")
        values = numpy.load(os.path.join(folder, "v.npy"))[:, -1]
        assert abs(values - field(cloud, equal, cloud, 1, "epanechnikov")).max() < 1e-12 * expected.max()
    numpy.savetxt(os.path.join(folder, "z.csv"), [[1, 2, 3, 0, 7], [2, 3, 1, 1, 8], [3, 1, 2, 2, 8]], fmt="%g", delimiter=",",
                  header="x,y,z,w,group", comments="")
    run(folder, "density", "z.csv", "--weights", "w", "--equal-by", "group", *box, "-o", "f.npy",
        refused="the group '7' of group has no weight")
    run(folder, "density", "z.csv", "--equal-by", "grop", *box, "-o", "f.npy", refused="did you mean 'group'")
    run(folder, "density", "z.csv", "--equal-by", "group", "--by", "group", "-o", "{}.vti", refused="--equal-by")


def check_refused(folder):
    """What needs a density names what contradicts it."""
    signed = ("--columns", "1,2,3", "--weights", "4", "--signed-weights")
    given = ("--bandwidth", "0.8")
    run(folder, "density", "c.npy", *signed[:4], "-o", "r.npy", refused="--signed-weights")
    for more in ((), ("--bandwidth", "silverman"), (*given, "--covariance", "within"), (*given, "--normalize", "box"),
                 (*given, "--standard-error"), (*given, "--boundary", "linear")):
        run(folder, "density", "c.npy", *signed, *more, "-o", "r.vti", refused="needs a density")
    for more in (("--sharpen",), ("--adaptive",)):
        run(folder, "density", "c.npy", *signed, *given, *more, "-o", "r.vti", refused="needs a density")
    run(folder, "eval", "c.npy", *signed, *given, "--loo", "-o", "v.npy", refused="need a density")
    run(folder, "eval", "c.npy", *signed, *given, "--mass-above", "-o", "v.npy", refused="--mass-above")
    run(folder, "density", "c.npy", *signed, *given, "--by", "4", "-o", "{}.vti", refused="--signed-weights")
    run(folder, "density", "c.npy", *signed, *given, "--covariance", "iso", "-o", "s.vti")
    for command in (("levels",), ("peaks",), ("clusters",), ("fit", "--members", "3", "-o", "m.npy")):
        run(folder, command[0], "s.vti", *command[1:], refused="s.vti")
    for command in ("peaks", "clusters", "bandwidth", "moments"):
        run(folder, command, "c.npy", *signed, refused="signed-weights")
    assert run(folder, "convert", "s.vti", "-o", "s.nrrd") and run(folder, "info", "s.nrrd")["values"] == "signed_density"


def main():
    random = numpy.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        check_fields(folder, random)
        check_refused(folder)
        check_groups(folder, random)
    print("fields of signed weights and densities of equal groups are the sums")


main()
