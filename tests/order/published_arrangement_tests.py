"""Compares skde organise with the published algorithm: published_arrangement_tests.py SKDE [SIDE COLUMNS]..."""
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy
except ImportError:
    print("SKIPPED: python3-numpy is not installed")
    sys.exit(0)

import published_arrangement as published

SKDE = sys.argv[1]
CASES = list(zip(*[iter(map(int, sys.argv[2:]))] * 2)) or [(64, 3), (64, 14)]
MOST = 1.05  # of the published algorithm's VAD


def cloud_of(side, columns):
    """Three columns are uniform; further ones depend on them, with noise. All have the same deviation."""
    random = numpy.random.default_rng(side + columns)
    values = random.random((side ** 2, 3))
    mixing = random.normal(size=(3, columns - 3))
    values = numpy.hstack([values, values @ mixing + 0.3 * random.normal(size=(side ** 2, columns - 3))])
    return (values - values.mean(0)) / values.std(0)


def organised(values, folder):
    """The rows of the grid, and the summary."""
    cloud, out = os.path.join(folder, "a.npy"), os.path.join(folder, "b.npy")
    numpy.save(cloud, values)
    run = subprocess.run([SKDE, "organise", cloud, "--with", "all", "-o", out, "--json", "--quiet"],
                         capture_output=True, text=True, check=True)
    return numpy.load(out), json.loads(run.stdout)


for side, columns in CASES:
    values = cloud_of(side, columns)
    items, passes = published.arranged(values, side)
    assert sorted(items) == list(range(side ** 2))
    grid = values[items].reshape(side, side, columns)
    expected = published.variance_of_differences(grid)
    with tempfile.TemporaryDirectory() as folder:
        rows, summary = organised(values, folder)
    assert sorted(map(tuple, rows)) == sorted(map(tuple, values)), "not a bijection"
    own = rows.reshape(side, side, columns)
    found = published.variance_of_differences(own)
    assert abs(found - summary["after"]["variance"]) < 0.01 * found, "the summary tells another VAD"
    assert abs(published.neighbour_distance(own) - summary["after"]["distance"]) < 0.01 * summary["after"]["distance"]
    print(f"{side} x {side} x {columns}: VAD {found:.4g} of skde in {summary['arrange_seconds']:.2f} s on the "
          f"{summary['device']}, {expected:.4g} as published in {passes} passes, {summary['morton']['variance']:.4g} "
          f"in Morton order", flush=True)
    assert found <= MOST * expected
    assert summary["after"]["distance"] < summary["morton"]["distance"]
