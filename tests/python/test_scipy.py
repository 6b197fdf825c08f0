"""skde.scipy.gaussian_kde against scipy's own."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("scipy")

from scipy import linalg, stats  # noqa: E402

from skde.scipy import gaussian_kde  # noqa: E402


def cloud(count=300, seed=2):
    random = np.random.default_rng(seed)
    mixed = np.array([[1, 0.4, 0], [0, 2, -0.7], [0, 0, 0.3]])
    return mixed @ random.normal(size=(3, count)) + [[10], [-50], [0]], random.uniform(0, 3, count)


def pair(tolerance=1e-6, weights=None, **given):
    xyz, _ = cloud()
    return (gaussian_kde(xyz, weights=weights, tolerance=tolerance, **given),
            stats.gaussian_kde(xyz, weights=weights, **given))


def check_densities(ours, theirs, points, tolerance):
    found, expected = ours(points), theirs(points)
    assert found.dtype == expected.dtype and found.shape == expected.shape
    peak = max(expected.max(), theirs(theirs.dataset).max())
    np.testing.assert_allclose(found, expected, rtol=0, atol=tolerance * peak)
    np.testing.assert_array_equal(ours.pdf(points), found)
    np.testing.assert_array_equal(ours.evaluate(points), found)


@pytest.mark.parametrize("tolerance", [1e-6, 1e-12])
@pytest.mark.parametrize("bw_method", [None, "silverman", 0.05, 3, lambda kde: kde.n**-0.2])
def test_densities_are_those_of_scipy(tolerance, bw_method):
    xyz, weights = cloud()
    points = np.concatenate([xyz[:, :40], cloud(100, 5)[0], xyz[:, :3] + 100], axis=1)
    for w in (None, weights):
        ours, theirs = pair(tolerance, w, bw_method=bw_method)
        check_densities(ours, theirs, points, tolerance)
        np.testing.assert_allclose(ours.logpdf(points), theirs.logpdf(points), rtol=1e-10, atol=1e-10)
        assert np.isfinite(ours.logpdf(points)).all()
        assert ours.factor == theirs.factor and ours.neff == theirs.neff
        np.testing.assert_array_equal(ours.covariance, theirs.covariance)
        np.testing.assert_array_equal(ours.inv_cov, theirs.inv_cov)


@pytest.mark.parametrize("tolerance", [1e-6, 1e-12])
@pytest.mark.filterwarnings("ignore:An integral in _mvn")
def test_integrals_are_those_of_scipy(tolerance):
    _, weights = cloud()
    ours, theirs = pair(tolerance, weights)
    other = cloud(90, 7)[0]
    mean, cov = [10.5, -49, 0.2], [[2, 0.3, 0], [0.3, 1, 0.1], [0, 0.1, 0.5]]
    peak = theirs(theirs.dataset).max()
    near = {"rel": 0, "abs": tolerance * peak}
    assert ours.integrate_gaussian(mean, cov) == pytest.approx(theirs.integrate_gaussian(mean, cov), **near)
    assert ours.integrate_kde(gaussian_kde(other)) == pytest.approx(
        theirs.integrate_kde(stats.gaussian_kde(other)), **near)
    assert ours.integrate_kde(stats.gaussian_kde(other)) == pytest.approx(
        stats.gaussian_kde(other).integrate_kde(theirs), **near)
    low, high = [9, -52, -0.5], [11, -49, 0.4]
    # scipy draws at random, so that a call differs from the next one.
    assert ours.integrate_box(low, high) == pytest.approx(theirs.integrate_box(low, high), rel=5e-3)
    assert ours.integrate_box([-np.inf] * 3, [np.inf] * 3) == pytest.approx(1, abs=1e-12)
    with pytest.raises(ValueError, match="1D"):
        ours.integrate_box_1d(0, 1)
    with pytest.raises(ValueError, match="dimension"):
        ours.integrate_gaussian([0, 0], np.eye(2))
    with pytest.raises(linalg.LinAlgError):
        ours.integrate_gaussian(mean, -10 * np.eye(3))
    with pytest.raises(ValueError, match="dimension"):
        ours.integrate_kde(stats.gaussian_kde(other[:2]))


def test_draws_are_those_of_scipy():
    _, weights = cloud()
    ours, theirs = pair(weights=weights)
    np.testing.assert_array_equal(ours.resample(50, seed=4), theirs.resample(50, seed=4))
    draws = ours.resample(20000, seed=1)
    mean = ours.dataset @ ours.weights
    spread = np.cov(ours.dataset, bias=True, aweights=ours.weights) + ours.covariance
    np.testing.assert_allclose(draws.mean(axis=1), mean, atol=5 * np.sqrt(spread.max() / 20000))
    np.testing.assert_allclose(np.cov(draws), spread, atol=0.05 * spread.max())


def test_marginals_are_those_of_scipy():
    _, weights = cloud()
    ours, theirs = pair(1e-12, weights)
    for dimensions in (0, [2, 0], [2, 0, 1]):
        mine, other = ours.marginal(dimensions), theirs.marginal(dimensions)
        assert isinstance(mine, gaussian_kde) and mine.tolerance == 1e-12
        check_densities(mine, other, other.dataset[:, :30], 1e-12)
    with pytest.raises(ValueError, match="unique"):
        ours.marginal([1, 1])


def test_a_new_bandwidth_or_new_data_count():
    xyz, _ = cloud()
    ours, theirs = pair(1e-12)
    points = xyz[:, :20]
    for bw_method in (0.3, "silverman", 2.0):
        for kde in (ours, theirs):
            kde.set_bandwidth(bw_method)
        check_densities(ours, theirs, points, 1e-12)
    session = ours._session
    ours(points)
    assert ours._session is session  # it is kept between calls
    for kde in (ours, theirs):
        kde.dataset = xyz + 1.0
    check_densities(ours, theirs, points, 1e-12)


def test_other_data_are_those_of_scipy():
    xyz, _ = cloud()
    for data, points in ((xyz[:2], xyz[:2, :9]), (xyz[0], xyz[0, :9]), (xyz.astype(np.float32), xyz[:, :9]),
                         (xyz.astype(np.longdouble), xyz[:, :9]), ((xyz * 10).astype(int), xyz[:, :9] * 10),
                         (xyz, xyz[:, 0]), (xyz, xyz[:, :9].astype(np.float32)), (xyz, xyz[:, :0]),
                         (xyz[:, ::-1], np.asfortranarray(xyz)[:, ::7])):
        ours, theirs = gaussian_kde(data), stats.gaussian_kde(data)
        if np.size(points):
            check_densities(ours, theirs, points, 1e-6)
        np.testing.assert_allclose(ours.logpdf(points), theirs.logpdf(points), rtol=1e-6)
    ours, theirs = pair()
    for kde in (ours, theirs):
        with pytest.raises(ValueError, match="infs or NaNs"):
            kde([[np.nan], [0], [np.inf]])
    for bad in (xyz[:2], np.zeros((4, 5)), [[1, 2]]):
        with pytest.raises(ValueError, match="points have dimension"):
            ours(bad)
    with pytest.raises(ValueError, match="Number of dimensions is greater"):
        gaussian_kde(xyz[:, :2])


def test_a_thin_cloud_is_left_to_scipy():
    flat = cloud()[0]
    flat[2] = flat[0] + 1e-6 * flat[2]
    check_densities(gaussian_kde(flat), stats.gaussian_kde(flat), flat[:, :20], 1e-6)


def test_estimates_are_copied_and_pickled():
    ours, _ = pair(1e-9)
    points = ours.dataset[:, :10]
    densities = ours(points)
    for again in (pickle.loads(pickle.dumps(ours)), copy.deepcopy(ours), copy.copy(ours)):
        np.testing.assert_array_equal(again(points), densities)
        assert again.tolerance == 1e-9


def test_the_tests_of_scipy_pass():
    code = """
import os, sys, pytest, scipy.stats
import skde.scipy
scipy.stats.gaussian_kde = skde.scipy.gaussian_kde
folder = os.path.dirname(scipy.stats.__file__)
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", os.path.join(folder, "tests", "test_kdeoth.py")]))
"""
    done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, check=False)
    if "file or directory not found" in done.stdout + done.stderr:
        pytest.skip("scipy is installed without its tests")
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert " passed" in done.stdout
