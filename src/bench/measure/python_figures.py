"""Times densities from Python: skde, scipy, scikit-learn and KDEpy where installed. Prints one Markdown table.

usage: PYTHONPATH=build/python python3 python_figures.py [--samples 1e3,1e4,1e5,1e6] [--cells 100] [--points 1e5]
                                                         [--session]

The samples are five Gaussian clusters. All methods use the same Gaussian kernel with H = h^2 S, h by Scott's rule
(scikit-learn: h^2 I of the mean variance). On the grid a value is computed for each cell, at points for each point. What a
peer would take longer than ten seconds for is timed on some of the cells or points, and scaled up ("~"). Errors are the
largest of 200 random cells or points against direct sums in double, as a share of the largest value. --session
times 50 bandwidths on 256^3 cells in one session and compares them with the engine's own time.
"""

import argparse
import os
import time

import numpy

import skde

CHECKED, LONG = 200, 10.0


def clusters(count):
    random = numpy.random.default_rng(1)
    middles, deviations = random.uniform(-3, 3, size=(5, 3)), random.uniform(0.4, 1.2, size=(5, 3))
    which = random.integers(0, 5, size=count)
    return middles[which] + deviations[which] * random.normal(size=(count, 3))


def direct(samples, H, points):
    """The density at points, by the definition, in double."""
    inverse, factor = numpy.linalg.inv(H), 1 / numpy.sqrt((2 * numpy.pi) ** 3 * numpy.linalg.det(H)) / len(samples)
    values = numpy.empty(len(points))
    for i, point in enumerate(points):
        u = samples - point
        values[i] = numpy.exp(-0.5 * numpy.einsum("ij,jk,ik->i", u, inverse, u)).sum() * factor
    return values


def timed(work):
    begin = time.perf_counter()
    result = work()
    return time.perf_counter() - begin, result


def best(work):
    """The least time of as many runs as take a second, at least two."""
    seconds, result = timed(work)
    least, spent = seconds, seconds
    while spent < 1 or least == seconds and spent < 2 * seconds:
        seconds, result = timed(work)
        least, spent = min(least, seconds), spent + seconds
    return least, result


def scaled(evaluate, points):
    """(seconds for all points, values, indices of their points, whether the time is scaled up)."""
    probe = numpy.random.default_rng(2).choice(len(points), min(len(points), CHECKED), replace=False)
    seconds, values = timed(lambda: evaluate(points[probe]))
    if seconds * len(points) / len(probe) > LONG:
        more = min(len(points), max(len(probe), int(len(probe) * 2 / max(seconds, 1e-6))))
        chosen = numpy.random.default_rng(3).choice(len(points), more, replace=False)
        seconds, values = timed(lambda: evaluate(points[chosen]))
        return seconds * len(points) / more, values, chosen, True
    seconds, values = best(lambda: evaluate(points))
    return seconds, values, numpy.arange(len(points)), False


def scipy_peer(samples, H, points):
    from scipy.stats import gaussian_kde

    kde = gaussian_kde(samples.T)  # Scott's rule
    return scaled(lambda some: kde(some.T), points)


def sklearn_peer(samples, H, points):
    from sklearn.neighbors import KernelDensity

    h = float(numpy.sqrt(numpy.trace(H) / 3))
    kde = KernelDensity(bandwidth=h, rtol=1e-6).fit(samples)
    return scaled(lambda some: numpy.exp(kde.score_samples(some)), points)


def kdepy_peer(samples, H, points):
    from KDEpy import FFTKDE

    h = float(numpy.sqrt(numpy.trace(H) / 3))
    seconds, values = best(lambda: FFTKDE(bw=h).fit(samples).evaluate(points))
    return seconds, values, numpy.arange(len(points)), False


def grid_of(samples, cells):
    low, high = samples.min(axis=0) - 1, samples.max(axis=0) + 1
    return skde.Grid(tuple(low), tuple((high - low) / cells), (cells,) * 3)


def error_of(values, chosen, samples, H, points):
    picked = numpy.random.default_rng(4).choice(len(chosen), min(CHECKED, len(chosen)), replace=False)
    exact = direct(samples, H, points[chosen[picked]])
    return numpy.abs(values[picked] - exact).max() / max(numpy.max(values), exact.max())


def rows_of(count, where, points, samples, H, mine):
    isotropic = numpy.trace(H) / 3 * numpy.eye(3)
    seconds, values = best(mine)
    rows = [("skde", seconds, False, error_of(values, numpy.arange(len(points)), samples, H, points))]
    for name, peer, matrix in (("scipy", scipy_peer, H), ("scikit-learn", sklearn_peer, isotropic),
                               ("KDEpy", kdepy_peer, isotropic)):
        if name == "KDEpy" and where == "points":
            continue
        try:
            taken, values, chosen, is_scaled = peer(samples, H, points)
        except ImportError:
            print(f"{name} is not installed and is left out", flush=True)
            continue
        rows.append((name, taken, is_scaled, error_of(values, chosen, samples, matrix, points)))
    for name, taken, is_scaled, error in rows:
        print(f"| {count:.0e} | {where} | {name} | {'~' if is_scaled else ''}{taken:.3g} | {error:.0e} "
              f"| {taken / seconds:,.0f} |", flush=True)


def compare(counts, cells, point_count):
    print("| samples | where | by | seconds | error | times skde |")
    print("|---|---|---|---|---|---|")
    for count in counts:
        samples = clusters(count)
        H = numpy.cov(samples.T) * count ** (-2 / 7)
        grid = grid_of(samples, cells)
        rows_of(count, f"{cells}^3 cells", grid.points(), samples, H,
                lambda: skde.density(samples, kernel="gaussian", bandwidth=H, like=grid).values.ravel())
        places = clusters(point_count)[::-1].copy()
        rows_of(count, "points", places, samples, H,
                lambda: skde.evaluate(samples, places, kernel="gaussian", bandwidth=H))


def small_call():
    samples = clusters(100)
    seconds = min(timed(lambda: [skde.density(samples, dims=8) for _ in range(100)])[0] for _ in range(30)) / 100
    print(f"100 samples on 8^3 cells: {1e6 * seconds:.1f} us a call")


def session_figure():
    """50 bandwidths over 1e6 samples on 256^3 cells: wall time a call over the engine's own time."""
    session = skde.Session(clusters(10**6))
    widths = numpy.geomspace(0.1, 0.5, 50)
    session.density(bandwidth=float(widths[0]), dims=256)
    wall = engine = 0.0
    for h in widths:
        seconds, density = timed(lambda: session.density(bandwidth=float(h), dims=(256, 256, 256), bounds="all"))
        density.__dlpack_device__()
        wall += seconds
        engine += density.summary["engine"]["seconds"]
    print(f"50 bandwidths, 1e6 samples, 256^3 cells by {density.summary['engine']['name']}: {1e3 * wall / 50:.3f} ms a call, "
          f"of which the engine {1e3 * engine / 50:.3f} ms; ratio {wall / engine:.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", default="1e3,1e4,1e5,1e6")
    parser.add_argument("--cells", type=int, default=100)
    parser.add_argument("--points", type=float, default=1e5)
    parser.add_argument("--session", action="store_true", help="only 50 bandwidths in a session")
    given = parser.parse_args()
    print(f"{os.cpu_count()} cores, skde {skde.__version__}, numpy {numpy.__version__}")
    if not given.session:
        small_call()
        compare([int(float(n)) for n in given.samples.split(",")], given.cells, int(given.points))
    session_figure()


if __name__ == "__main__":
    main()
