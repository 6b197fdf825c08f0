"""Asks random and hostile volumes for peaks, clusters, masses and levels, against numpy: hostile_volume_tests.py SKDE [SEED]."""
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy
    from scipy import ndimage
except ImportError as missing:
    print(f"SKIPPED: {missing.name} is not installed")
    sys.exit(0)

SKDE = sys.argv[1]
KINDS = {
    "random": lambda r, shape: r.random(shape),
    "smooth": lambda r, shape: ndimage.gaussian_filter(r.random(shape)**8, 1.5),
    "sparse": lambda r, shape: r.random(shape) * (r.random(shape) > 0.8),
    "plateaus": lambda r, shape: r.integers(0, 3, shape),
    "flat": lambda r, shape: numpy.full(shape, r.choice([1e-30, 1, 1e30])),
    "one cell": lambda r, shape: numpy.eye(1, numpy.prod(shape), r.integers(numpy.prod(shape))).reshape(shape),
    "empty": lambda r, shape: numpy.zeros(shape),
    "NaN": lambda r, shape: numpy.where(r.random(shape) < 0.1, numpy.nan, 1),
    "infinite": lambda r, shape: numpy.where(r.random(shape) < 0.1, numpy.inf, 1),
    "negative": lambda r, shape: r.normal(size=shape),
    "nearly a density": lambda r, shape: r.random(shape) - 0.001,
}


def write(path, values, lower, spacing):
    """An NRRD file whose values, (z, y, x), are at the centres of cells."""
    x, y, z = spacing
    head = ["NRRD0004", "type: " + ("float" if values.dtype == numpy.float32 else "double"), "dimension: 3",
            "sizes: " + " ".join(map(str, values.shape[::-1])), "space dimension: 3",
            f"space directions: ({x!r},0,0) (0,{y!r},0) (0,0,{z!r})",
            "space origin: (" + ",".join(repr(a + s / 2) for a, s in zip(lower, spacing)) + ")", "encoding: raw",
            "endian: little", "", ""]
    with open(path, "wb") as file:
        file.write("\n".join(head).encode() + values.tobytes())


def ask(folder, good, *arguments):
    """The document of a command; None for an error, which must be one line about the input."""
    run = subprocess.run([SKDE, *arguments, "--json"], cwd=folder, capture_output=True, text=True, check=False)
    if good:
        assert run.returncode == 0, (arguments, run.stderr)
        return json.loads(run.stdout)
    failure = json.loads(run.stdout)
    assert run.returncode == 3 and "v.nrrd" in json.dumps(failure), (arguments, run.returncode, run.stdout)
    return None


def near(a, b, scale=1.0):
    return abs(a - b) <= 1e-5 * max(abs(b), scale)


def check_volume(folder, random, kind):
    shape = tuple(random.choice([1, 2, 5, 9, 12], size=3)) if kind != "smooth" else (9, 14, 12)
    values = KINDS[kind](random, shape).astype(random.choice(["<f4", "<f8"]))
    lower = random.choice([0, 1, 1e6, -1e9]) + random.normal(size=3)
    spacing = [float(random.choice([0.5, 1, 2]))] * 3
    lower = [float(numpy.round(place, 1)) for place in lower]
    write(os.path.join(folder, "v.nrrd"), values, lower, spacing)
    positive = numpy.where(values > 0, values, 0).astype(float)
    good = bool(numpy.isfinite(values).all() and values.max() > 0 and values.min() >= -0.01 * values.max())
    total, cell = positive.sum(), spacing[0]**3
    peaks = ask(folder, good, "peaks", "v.nrrd", "--prominence", "0")
    clusters = ask(folder, good, "clusters", "v.nrrd", "--mass", "0.5")
    levels = ask(folder, good, "levels", "v.nrrd", "--mass", "0.3,0.8", "--volume", "share.npy")
    at = [random.uniform(a, a + n * s) for a, n, s in zip(lower, shape[::-1], spacing)]
    half = "0.3,-0.5,1," + repr(float(numpy.dot([0.3, -0.5, 1], at)))
    box = f"{at[0]!r},-inf,-inf:inf,{at[1]!r},inf"
    masses = ask(folder, good, "mass", "v.nrrd", "--half-space", half, "--box", box)
    if not good:
        return
    highest = numpy.argmax(positive.ravel())
    found = peaks["peaks"]
    assert found[0]["density"] >= positive.max() * (1 - 1e-6) and near(sum(peak["mass"] for peak in found), 1)
    assert all(numpy.abs((numpy.array(peak["place"]) - lower) / spacing - numpy.array(shape[::-1]) / 2).max() <=
               max(shape) / 2 for peak in found)
    around = numpy.ones((3, 3, 3), bool)
    around[1, 1, 1] = False
    others = ndimage.maximum_filter(positive, footprint=around, mode="constant", cval=0)
    if len(numpy.unique(positive[positive > 0])) == (positive > 0).sum():  # else a plateau may be one maximum
        assert len(found) + peaks["left_out"] == (positive > others).sum()
        cells = numpy.floor((numpy.array(found[0]["place"]) - lower) / spacing).astype(int)[::-1]
        assert numpy.abs(cells - numpy.unravel_index(highest, shape)).max() <= 1
    labels, count = ndimage.label(positive >= clusters["level"], numpy.ones((3, 3, 3)))
    assert count == len(clusters["clusters"])
    expected = sorted(ndimage.sum(positive, labels, range(1, count + 1)) / total, reverse=True)
    assert all(near(cluster["mass"], mass) for cluster, mass in zip(clusters["clusters"], expected))
    down = numpy.sort(positive.ravel())[::-1]
    for level in levels["levels"]:
        above = down[down >= level["level"]].sum()
        assert above >= level["mass"] * total * (1 - 1e-6) and down[down > level["level"]].sum() <= level["mass"] * total * (1 + 1e-6)
    share = numpy.load(os.path.join(folder, "share.npy"))
    where = numpy.unravel_index(random.integers(share.size), shape)
    if positive[where] > 0:
        assert near(share[where], positive[positive >= positive[where]].sum() / total)
    z, y, x = numpy.meshgrid(*(lower[a] + (numpy.arange(shape[2 - a]) + 0.5) * spacing[a] for a in (2, 1, 0)), indexing="ij")
    inside = 0.3 * x - 0.5 * y + z > float(half.split(",")[-1])
    assert near(masses["regions"][1]["mass"], positive[inside].sum() / total) or lower[0] < -1e8
    cut = (numpy.clip((x + spacing[0] / 2 - at[0]) / spacing[0], 0, 1) *
           numpy.clip((at[1] - y + spacing[1] / 2) / spacing[1], 0, 1))
    assert near(masses["regions"][0]["mass"], (positive * cut).sum() / total), (kind, masses)


def main():
    random = numpy.random.default_rng(int(sys.argv[2]) if len(sys.argv) > 2 else 48)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(100):
            kind = list(KINDS)[number % len(KINDS)]
            try:
                check_volume(folder, random, kind)
            except Exception:
                print(f"volume {number}, {kind}")
                raise
    print("peaks, clusters, masses and levels of 100 volumes are right, or clear errors")


main()
