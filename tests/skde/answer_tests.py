"""Compares clusters, peaks and masses above densities with scipy.ndimage, scikit-learn and formulas: answer_tests.py SKDE."""
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


def main():
    random = numpy.random.default_rng(48)
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(5):
            check_regions(folder, random)
        check_separated(folder, random)
        check_parted(folder)
        check_masses_above(folder, random)
    print("regions, clusters, peaks and masses above are those of scipy, scikit-learn and chi squared")


main()
