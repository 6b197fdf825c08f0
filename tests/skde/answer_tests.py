"""Compares clusters, peaks and masses with scipy.ndimage, scikit-learn and formulas: answer_tests.py SKDE."""
import json
import os
import subprocess
import sys
import tempfile

try:
    import numpy
    from scipy import ndimage, stats
    from sklearn.cluster import DBSCAN
except ImportError as missing:
    print(f"SKIPPED: {missing.name} is not installed")
    sys.exit(0)

SKDE = sys.argv[1]


def run(folder, *arguments):
    """Returns the JSON summary of a command."""
    done = subprocess.run([SKDE, *arguments, "--json"], cwd=folder, check=True, capture_output=True, text=True)
    return json.loads(done.stdout)


def volume(folder, name):
    return numpy.load(os.path.join(folder, name))  # (z, y, x)


def check_regions(folder, random):
    """Labels of cells are those of ndimage.label at the same level."""
    numpy.save(os.path.join(folder, "cloud.npy"), random.normal(size=(300, 3)) @ random.normal(size=(3, 3)))
    run(folder, "density", "cloud.npy", "-o", "f.npy", "--bandwidth", "0.2", "--dims", "40,32,25")
    density = volume(folder, "f.npy")
    for touching, connected in (("6", 1), ("26", 3)):
        found = run(folder, "clusters", "f.npy", "--mass", "0.6", "--touching", touching, "--labels", "l.npy")
        labels = volume(folder, "l.npy").astype(int)
        expected, count = ndimage.label(density >= numpy.float32(found["level"]),
                                        ndimage.generate_binary_structure(3, connected))
        assert count == len(found["clusters"]) == labels.max(), (count, len(found["clusters"]))
        pairs = set(zip(labels.ravel(), expected.ravel()))
        assert len(pairs) == count + 1, "another partition of the cells"
        cell = numpy.prod(found["grid"]["spacing"])
        for number, cluster in enumerate(found["clusters"], 1):
            inside = labels == number
            assert abs(density[inside].sum() * cell / cluster["mass"] / found_whole(folder) - 1) < 1e-4
            assert abs(inside.sum() * cell / cluster["volume"] - 1) < 1e-9


def found_whole(folder):
    """The mass of all cells by which shares are taken."""
    mass = run(folder, "levels", "f.npy")["mass"]
    return mass["whole"] * mass["cells"] / mass["inside"]


def check_separated(folder, random):
    """Clusters of separated balls are those of DBSCAN, and of the draws."""
    centres = numpy.array([[0, 0, 0], [9, 0, 0], [0, 9, 0], [7, 7, 9]])
    truth = numpy.repeat(range(4), 250)
    cloud = centres[truth] + random.normal(size=(1000, 3)).clip(-2, 2)
    order = random.permutation(1000)
    numpy.save(os.path.join(folder, "balls.npy"), cloud[order])
    found = run(folder, "clusters", "balls.npy", "--mass", "0.95", "--covariance", "within", "-o", "labelled.npy")
    own = volume(folder, "labelled.npy")[:, -1].astype(int)
    peer = DBSCAN(eps=1.5, min_samples=5).fit(cloud[order]).labels_
    assert len(found["clusters"]) == 4 and peer.max() == 3
    both = (own > 0) & (peer >= 0)
    assert both.mean() > 0.9, both.mean()
    assert len(set(zip(own[both], peer[both]))) == 4, "another partition than DBSCAN's"
    assert len(set(zip(own[own > 0], truth[order][own > 0]))) == 4
    assert sum(cluster["points"] for cluster in found["clusters"]) + found["outside"] == 1000
    peaks = run(folder, "peaks", "balls.npy", "--covariance", "within")["peaks"]
    assert len(peaks) == 4, len(peaks)
    places = numpy.array([peak["place"] for peak in peaks])
    apart = numpy.linalg.norm(places[:, None] - centres, axis=2).min(axis=0)
    assert apart.max() < 0.9, apart  # deviations of a draw: 1
    assert sum(peak["samples"] for peak in peaks) == 1000


def check_parted(folder):
    """Two kernels that touch: the plane through the saddle of f = 2 n(x + 1.5) + n(x - 1.5) parts them."""
    numpy.savetxt(os.path.join(folder, "two.csv"), [[-1.5, 0, 0, 2], [1.5, 0, 0, 1]], "%g", ",", header="x,y,z,w", comments="")
    run(folder, "density", "two.csv", "--weights", "w", "--kernel", "gaussian", "--bandwidth", "1,1,1", "--spacing", "0.2",
        "-o", "two.npy")
    density = volume(folder, "two.npy")
    assert len(run(folder, "clusters", "two.npy", "--mass", "0.95")["clusters"]) == 1
    about = json.load(open(os.path.join(folder, "two.npy.json")))
    x = about["first_centre"][0] + about["spacing"][0] * numpy.arange(density.shape[2])
    line = 2 * stats.norm.pdf(x, -1.5) + stats.norm.pdf(x, 1.5)
    saddle = x[(x > -1) & (x < 1.5)][line[(x > -1) & (x < 1.5)].argmin()]
    for level, least in (([], 0), (["--mass", "0.9"], None)):
        found = run(folder, "clusters", "two.npy", "--prominence", "0.05", "--labels", "l.npy", *level)
        labels = volume(folder, "l.npy").astype(int)
        inside = density > 0 if least == 0 else density >= numpy.float32(found["level"])
        sides = numpy.where(x < saddle, 1, 2) * inside
        sure = numpy.abs(x - saddle) > 0.21
        assert (labels == sides)[:, :, sure].all(), "the basins are others"
        assert len(found["clusters"]) == 2


def check_masses_above(folder, random):
    """At a place r deviations from the centre of a normal density, chi squared tells the mass above."""
    numpy.savetxt(os.path.join(folder, "one.xyz"), [[5, 6, 7]])
    at = numpy.array([[5 + 0.5 * r, 6, 7] for r in (0.5, 1, 2, 3)])
    numpy.save(os.path.join(folder, "at.npy"), at)
    run(folder, "eval", "one.xyz", "--kernel", "gaussian", "--bandwidth", "0.5,0.5,0.5", "--at", "at.npy", "-o",
        "out.npy", "--mass-above")
    shares = volume(folder, "out.npy")[:, -1]
    expected = stats.chi2.cdf(numpy.array([0.25, 1, 4, 9]), 3)
    assert numpy.abs(shares - expected).max() < 3e-3, shares - expected
    run(folder, "density", "one.xyz", "--kernel", "gaussian", "--bandwidth", "0.5,0.5,0.5", "-o", "n.npy")
    levels = run(folder, "levels", "n.npy", "--sigma", "1,2,3", "--volume", "share.npy")["levels"]
    assert numpy.abs([level["mass"] for level in levels] - stats.chi2.cdf([1, 4, 9], 3)).max() < 1e-12
    density, share = volume(folder, "n.npy"), volume(folder, "share.npy")
    for level in levels:
        inside = share <= level["mass"]
        assert density[inside].min() >= level["level"] * (1 - 1e-6)


def text(numbers):
    return ",".join(str(float(number)) for number in numbers)


def masses(folder, *arguments):
    """The regions by the flags that gave them."""
    found = run(folder, "mass", *arguments)["regions"]
    return {region["region"].split()[0]: region for region in found}


def check_octants(folder):
    """The octants about a place hold all of a kernel."""
    numpy.savetxt(os.path.join(folder, "one.xyz"), [[1e6, 2, 3]])
    boxes = []
    for octant in numpy.ndindex(2, 2, 2):
        at = (1e6 + 0.1, 1.8, 3.3)
        boxes.append(text(a if upper else -numpy.inf for a, upper in zip(at, octant)) + ":" +
                     text(numpy.inf if upper else a for a, upper in zip(at, octant)))
    for kernel in ("gaussian", "epanechnikov", "uniform", "exponential", "cubic-spline"):
        for bandwidth in ("1,2,0.5", "1,0.3,0.2,2,0.5,0.7"):
            found = run(folder, "mass", "one.xyz", "--kernel", kernel, "--bandwidth", bandwidth, "--box", ";".join(boxes))
            assert abs(sum(region["mass"] for region in found["regions"]) - 1) < 1e-12, (kernel, bandwidth)


def draws(kernel, H, random, count):
    """Places with a kernel's density."""
    normal = random.normal(size=(count, 3))
    if kernel == "epanechnikov":
        r = numpy.linspace(0, 1, 10001)
        normal *= (numpy.interp(random.random(count), (5 * r**3 - 3 * r**5) / 2, r) /
                   numpy.linalg.norm(normal, axis=1))[:, None]
    return normal @ numpy.linalg.cholesky(H).T


def write_box(path, *corners):
    """A mesh of quads: a box for each two corners, inside out if the first one is the highest."""
    with open(path, "w") as file:
        for before, low, high in zip(range(0, 99, 8), corners[::2], corners[1::2]):
            for corner in numpy.ndindex(2, 2, 2):
                print("v", *numpy.where(corner, high, low), file=file)
            for face in ("1243", "5786", "1562", "3487", "1375", "2684"):
                print("f", *(before + int(corner) for corner in face), file=file)


def check_masses(folder, random):
    """Shares of random kernels in regions are those of draws, and of closed forms."""
    numpy.savetxt(os.path.join(folder, "zero.xyz"), [[0, 0, 0]])
    for case in range(12):
        kernel = ("gaussian", "epanechnikov")[case % 2]
        turned, _ = numpy.linalg.qr(random.normal(size=(3, 3)))
        H = turned @ numpy.diag(10 ** random.uniform(-2, 1, size=3)) @ turned.T
        centre, normal, low = 0.5 * random.normal(size=(3, 3))
        radius, offset, high = random.uniform(0.3, 2), 0.2 * random.normal(), low + random.uniform(0.3, 3, size=3)
        write_box(os.path.join(folder, "box.obj"), low, high)
        found = masses(folder, "zero.xyz", "--kernel", kernel, "--bandwidth", text(H[numpy.triu_indices(3)]), "--sphere",
                       text([*centre, radius]), "--half-space", text([*normal, offset]), "--box",
                       text(low) + ":" + text(high), "--mesh", "box.obj")
        places = draws(kernel, H, random, 400000)
        inside = {"sphere": ((places - centre)**2).sum(axis=1) < radius**2, "half-space": places @ normal > offset,
                  "box": ((places > low) & (places < high)).all(axis=1)}
        for name, these in inside.items():
            error = numpy.sqrt(max(these.mean(), 1e-5) / len(places))
            assert abs(found[name]["mass"] - these.mean()) < 5 * error, (case, name, found[name], these.mean())
        assert abs(found["mesh"]["mass"] - found["box"]["mass"]) < 1e-9
        if kernel == "gaussian":
            exact = stats.norm.sf(offset / numpy.sqrt(normal @ H @ normal))
            assert abs(found["half-space"]["mass"] - exact) < 1e-13
    cloud, weights = random.normal(size=(200, 3)), random.uniform(1, 3, size=200)
    numpy.save(os.path.join(folder, "weighted.npy"), numpy.column_stack([cloud, weights]))
    found = masses(folder, "weighted.npy", "--weights", "4", "--kernel", "gaussian", "--bandwidth", "0.5,0.5,0.5",
                   "--sphere", "1,0.5,0,1.5", "--box", "-1,-inf,0:1,inf,2")
    shares = {"sphere": stats.ncx2.cdf(9, 3, ((cloud - [1, 0.5, 0])**2).sum(axis=1) / 0.25),
              "box": numpy.prod(stats.norm.cdf((numpy.array([1, numpy.inf, 2]) - cloud) / 0.5) -
                                stats.norm.cdf((numpy.array([-1, -numpy.inf, 0]) - cloud) / 0.5), axis=1)}
    for name, share in shares.items():
        mean = numpy.average(share, weights=weights)
        deviation = numpy.sqrt(numpy.average((share - mean)**2, weights=weights))
        samples = weights.sum()**2 / (weights**2).sum()
        assert abs(found[name]["mass"] - mean) < 1e-10, (name, found[name], mean)
        assert abs(found[name]["standard_error"] - deviation / numpy.sqrt(samples)) < 1e-10
        assert abs(found[name]["weight"] - mean * weights.sum()) < 1e-6
    found = run(folder, "mass", "weighted.npy", "--bandwidth", "0.5", "--half-space",
                "1,0,0,0;1e-200,0,0,0;1e200,0,0,0", "--sphere", "1e10,0,0,1e10")["regions"]
    assert numpy.ptp([region["mass"] for region in found]) < 1e-6, found
    boxes = [region["mass"] for region in run(folder, "mass", "weighted.npy", "--bandwidth", "0.5", "--box",
                                              "0,0,0:1,1,1;2,0,0:3,1,1")["regions"]]
    for low, high in (([2, 0, 0], [3, 1, 1]), ([0.9, 0, 0], [2, 1, 1]), ([0, 0, 0], [1, 1, 1]), ([3, 1, 1], [2, 0, 0])):
        write_box(os.path.join(folder, "two.obj"), [0, 0, 0], [1, 1, 1], low, high)
        done = subprocess.run([SKDE, "mass", "weighted.npy", "--bandwidth", "0.5", "--mesh", "two.obj", "--json"], cwd=folder,
                              capture_output=True, text=True)
        if low == [2, 0, 0]:
            assert abs(json.loads(done.stdout)["regions"][0]["mass"] - sum(boxes)) < 1e-8
        else:
            assert done.returncode == 3 and "overlap, or one of them is inside out" in done.stderr, done


def check_masses_of_cells(folder, random):
    """Sums of cells are numpy's, and the region of a volume is that of skde iso."""
    numpy.save(os.path.join(folder, "some.npy"), random.normal(size=(300, 3)))
    grid = run(folder, "density", "some.npy", "--bandwidth", "0.8", "--dims", "20,24,28", "-o", "s.npy")["grid"]
    values = volume(folder, "s.npy").astype(float)
    write_box(os.path.join(folder, "box.obj"), [-1, -0.7, -1.1], [0.9, 0.8, 1.3])
    found = masses(folder, "s.npy", "--box", "-1,-0.7,-inf:0.9,0.8,1.3", "--half-space", "1,-2,1,0.2", "--sphere",
                   "0.1,0.2,0,1.1", "--mesh", "box.obj")
    axes = [grid["bounds"]["lower"][a] + (numpy.arange(n) + 0.5) * grid["spacing"][a] for a, n in enumerate(grid["dims"])]
    z, y, x = numpy.meshgrid(*axes[::-1], indexing="ij")
    cut = [numpy.clip(numpy.minimum(high, at + s / 2) - numpy.maximum(low, at - s / 2), 0, None) / s
           for at, s, low, high in zip((x, y, z), grid["spacing"], (-1, -0.7, -numpy.inf), (0.9, 0.8, 1.3))]
    expected = {"box": cut[0] * cut[1] * cut[2], "half-space": x - 2 * y + z > 0.2,
                "sphere": (x - 0.1)**2 + (y - 0.2)**2 + z**2 < 1.21,
                "mesh": (abs(x + 0.05) < 0.95) & (abs(y - 0.05) < 0.75) & (abs(z - 0.1) < 1.2)}
    for name, share in expected.items():
        assert abs(found[name]["mass"] - (values * share).sum() / values.sum()) < 1e-5, (name, found[name])
    run(folder, "iso", "s.npy", "--mass", "0.7", "-o", "region.ply")
    of_mesh = run(folder, "mass", "some.npy", "--bandwidth", "0.8", "--mesh", "region.ply")["regions"][0]
    of_volume = run(folder, "mass", "some.npy", "--bandwidth", "0.8", "--region", "s.npy", "--mass", "0.7")["regions"][0]
    assert abs(of_mesh["mass"] - of_volume["mass"]) < 1e-9 and abs(of_mesh["mass"] - 0.7) < 0.01, of_mesh


def check_broken_meshes(folder):
    """Meshes without a coordinate, or with a corner that is no point, are refused."""
    numpy.savetxt(os.path.join(folder, "zero.xyz"), [[0, 0, 0]])
    head = "ply\nformat ascii 1.0\nelement vertex 3\nproperty int x\nproperty int y\n"
    for name, content in (("flat.ply", head + "end_header\n0 0\n1 0\n0 1\n"),
                          ("twice.ply", head + "property int y\nend_header\n0 0 0\n1 0 0\n0 1 1\n"),
                          ("half.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1.5 2 3\n")):
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(content)
        done = subprocess.run([SKDE, "mass", "zero.xyz", "--bandwidth", "1", "--mesh", name], cwd=folder, check=False,
                              capture_output=True, text=True)
        assert done.returncode == 3 and "broken" in done.stderr, (name, done)


def check_overlap(folder, random):
    """Overlaps of regions, and UDOI, are those of numpy."""
    numpy.save(os.path.join(folder, "a.npy"), random.normal(size=(300, 3)))
    numpy.save(os.path.join(folder, "b.npy"), random.normal(size=(200, 3)) * [1.2, 0.8, 1] + 0.5)
    run(folder, "density", "a.npy", "--bandwidth", "0.8", "--dims", "30", "--bounds", "-4,-4,-4:5,5,5", "-o", "va.npy")
    run(folder, "density", "b.npy", "--bandwidth", "0.9", "--like", "va.npy", "-o", "vb.npy", "--precision", "f64")
    found = run(folder, "compare", "va.npy", "vb.npy")
    both = [volume(folder, name).astype(float) for name in ("va.npy", "vb.npy")]
    cell = numpy.prod(found["grid"]["spacing"])
    for region in found["regions"]:
        inside = []
        for values in both:
            down = numpy.sort(values.ravel())[::-1]
            inside.append(values >= down[numpy.searchsorted(down.cumsum(), region["mass"] * down.sum())])
        common = inside[0] & inside[1]
        assert abs(region["volume"] - common.sum() * cell) < 1e-9
        for name, its in zip(("share_a", "share_b"), inside):
            assert abs(region[name] - common.sum() / its.sum()) < 1e-12
    product = (both[0] * both[1])[common].sum() / both[0].sum() / both[1].sum() / cell
    assert abs(found["udoi"] / (common.sum() * cell * product) - 1) < 1e-9, found["udoi"]


def check_kinds(folder, random):
    """Answers of sharpened clouds and of histograms, the highest peak first; clusters need no file to write."""
    ball = random.normal(size=(300, 3))
    cloud = numpy.concatenate([ball[:290], ball + [6, 0.5, 0.2]])  # the highest cell is that of the lower peak
    numpy.save(os.path.join(folder, "pair.npy"), cloud)
    for more in ((), ("--sharpen",)):
        flags = ("pair.npy", "--kernel", "gaussian", "--bandwidth", "0.7,0.7,0.7", "--dims", "8", *more)
        found = run(folder, "peaks", *flags, "--samples", "labelled.npy")["peaks"]
        assert len(found) == 2 and found[0]["density"] > found[1]["density"] and found[0]["place"][0] > 5, found
        labels = volume(folder, "labelled.npy")[:, -1].astype(int)
        assert (labels == numpy.repeat([2, 1], [290, 300])).mean() > 0.97, labels
        sides = run(folder, "clusters", *flags)
        assert sum(side["points"] for side in sides["clusters"]) + sides["outside"] == len(cloud)
    found = run(folder, "peaks", "pair.npy", "--bandwidth", "0", "--cells", "mean", "--dims", "8")
    edges = [numpy.linspace(*(found["grid"]["bounds"][end][a] for end in ("lower", "upper")), found["grid"]["dims"][a] + 1)
             for a in range(3)]
    most = numpy.histogramdd(cloud, edges)[0].max() / len(cloud) / numpy.prod(found["grid"]["spacing"])
    assert len(found["peaks"]) == 2 and found["peaks"][0]["density"] >= most, (found["peaks"], most)
    assert abs(max(peak["prominence"] for peak in found["peaks"]) / most - 1) < 1e-6


def check_resamples(folder, random):
    """Errors by resamples are those of numpy's mean shifts, and samples have the labels of their cells."""
    cloud = numpy.concatenate([random.normal(size=(300, 3)), random.normal(size=(200, 3)) + [6, 0, 0]])
    numpy.save(os.path.join(folder, "two.npy"), cloud)
    flags = ("two.npy", "--kernel", "gaussian", "--bandwidth", "0.8,0.8,0.8", "--dims", "40")
    found = run(folder, "peaks", *flags, "--bootstrap", "200", "--seed", "3", "--samples", "labelled.npy")["peaks"]
    assert found[0]["place"] == run(folder, "peaks", *flags)["peaks"][0]["place"]
    labels = volume(folder, "labelled.npy")[:, -1].astype(int)
    assert numpy.bincount(labels, minlength=3)[1:].tolist() == [peak["samples"] for peak in found]
    assert (labels == numpy.repeat([1, 2], [300, 200])).mean() > 0.97
    places, heights = [], []
    for _ in range(200):
        resample = cloud[random.integers(500, size=500)]
        at = numpy.array(found[0]["place"])
        for _ in range(200):
            weights = numpy.exp(-((resample - at)**2).sum(axis=1) / 1.28)
            at = weights @ resample / weights.sum()
        places.append(at)
        heights.append(weights.mean() / (2 * numpy.pi * 0.64)**1.5)
    ratios = [*(numpy.std(places, axis=0) / found[0]["bootstrap_place_error"]),
              numpy.std(heights) / found[0]["bootstrap_density_error"],
              found[0]["density_error"] / found[0]["bootstrap_density_error"]]
    assert 0.75 < min(ratios) and max(ratios) < 1.35, ratios


def main():
    random = numpy.random.default_rng(48)
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(5):
            check_regions(folder, random)
        check_separated(folder, random)
        check_parted(folder)
        check_masses_above(folder, random)
        check_octants(folder)
        check_masses(folder, random)
        check_masses_of_cells(folder, random)
        check_broken_meshes(folder)
        check_overlap(folder, random)
        check_kinds(folder, random)
        check_resamples(folder, random)
    print("regions, clusters, peaks and masses above are those of scipy, scikit-learn and chi squared")


main()
