"""Compares the values of skde eval with scikit-learn's and scipy's: sklearn_density_tests.py SKDE [N].

With N, also prints the time of N samples at their own places; for skde this includes reading and writing."""
import os
import subprocess
import sys
import tempfile
import time

try:
    import numpy
    from scipy.stats import gaussian_kde
    from sklearn.neighbors import KernelDensity
except ImportError as missing:
    print(f"SKIPPED: {missing.name} is not installed")
    sys.exit(0)

SKDE = sys.argv[1]
MOST = 1e-6
SAMPLES, POINTS = 2000, 500


def evaluated(folder, cloud, points, *flags):
    """Returns the last column that skde writes, and its seconds."""
    names = [os.path.join(folder, name) for name in ("cloud.npy", "points.npy", "out.npy")]
    numpy.save(names[0], cloud)
    numpy.save(names[1], points)
    begin = time.perf_counter()
    subprocess.run([SKDE, "eval", names[0], "--at", names[1], "-o", names[2], "--quiet", *flags], check=True)
    seconds = time.perf_counter() - begin
    written = numpy.load(names[2])
    assert (written[:, :3] == points[:, :3]).all(), "the points' own columns are others"
    return written[:, -1], seconds


def compare(what, found, expected):
    error = numpy.abs(found - expected) / numpy.abs(expected)
    assert error.max() < MOST, f"{what}: off by {error.max():.2g}"
    print(f"{what}: within {error.max():.2g}")


def main():
    random = numpy.random.default_rng(3)
    cloud = random.normal(size=(SAMPLES, 3)) @ random.normal(size=(3, 3)) + [100, -20, 3]
    points = cloud[:POINTS] + 0.01 * random.normal(size=(POINTS, 3))
    with tempfile.TemporaryDirectory() as folder:
        for kernel in ("epanechnikov", "gaussian"):
            width = "0.6,0.6,0.6"
            peer = KernelDensity(kernel=kernel, bandwidth=0.6).fit(cloud)
            found, _ = evaluated(folder, cloud, points, "--kernel", kernel, "--bandwidth", width, "--tolerance", "1e-13")
            compare(f"scikit-learn, {kernel}", found, numpy.exp(peer.score_samples(points)))
        found, _ = evaluated(folder, cloud, points, "--kernel", "gaussian", "--bandwidth", "normal-scott",
                             "--tolerance", "1e-13")
        compare("scipy, gaussian", found, gaussian_kde(cloud.T)(points.T))
        if len(sys.argv) > 2:
            cloud = random.normal(size=(int(float(sys.argv[2])), 3))
            for kernel, width in (("epanechnikov", 2.4911), ("gaussian", 0.9686)):
                width *= len(cloud) ** (-1 / 7)
                peer = KernelDensity(kernel=kernel, bandwidth=width).fit(cloud)
                some = cloud[:: max(1, len(cloud) // 2000)]  # its time is scaled up from a share
                begin = time.perf_counter()
                expected = peer.score_samples(some)
                theirs = (time.perf_counter() - begin) * len(cloud) / len(some)
                found, ours = evaluated(folder, cloud, cloud, "--kernel", kernel, "--bandwidth", f"{width},{width},{width}",
                                        "--log")
                error = numpy.abs(found[:: max(1, len(cloud) // 2000)] - expected).max()
                print(f"{kernel}, {len(cloud)} samples: scikit-learn {theirs:.3g} s (of {len(some)} points), "
                      f"skde {ours:.3g} s, {theirs / ours:.3g} times; logarithms within {error:.2g}")


main()
