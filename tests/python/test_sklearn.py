"""skde.sklearn.KernelDensity against scikit-learn's own, and in its machinery."""

import pickle
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("sklearn")

from sklearn import neighbors  # noqa: E402
from sklearn.base import clone  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.utils.estimator_checks import check_estimator  # noqa: E402

from skde.sklearn import KernelDensity  # noqa: E402

KERNELS = ("gaussian", "tophat", "epanechnikov", "exponential", "linear", "cosine")


def cloud(count=400, seed=3):
    random = np.random.default_rng(seed)
    return random.normal(size=(count, 3)) * (1, 2, 0.5) + (100, -3, 0), random.uniform(0.1, 4, count)


def sklearn_density(**given):
    """scikit-learn's own, of one leaf: with more of them its bounds lose the digits of small sums."""
    return neighbors.KernelDensity(leaf_size=10000, **given)


def check_scores(ours, theirs, points):
    found, expected = ours.score_samples(points), theirs.score_samples(points)
    assert found.dtype == expected.dtype and found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("bandwidth", [0.05, 0.7, 30, "scott", "silverman"])
def test_scores_are_those_of_scikit_learn(kernel, bandwidth):
    xyz, weights = cloud()
    points = np.concatenate([xyz[:50] + 0.01, cloud(50, 4)[0], xyz[:5] + 1000])
    for sample_weight in (None, weights):
        both = [of(kernel=kernel, bandwidth=bandwidth, rtol=0).fit(xyz, sample_weight=sample_weight)
                for of in (KernelDensity, sklearn_density)]
        assert both[0].bandwidth_ == both[1].bandwidth_
        assert "_tree" not in vars(both[0])  # skde it was that fitted
        check_scores(*both, points)
        if kernel in ("gaussian", "exponential"):
            assert np.isfinite(both[0].score_samples(points)).all()
        assert both[0].score(xyz) == pytest.approx(both[1].score(xyz), rel=1e-6)


@pytest.mark.parametrize("kernel", KERNELS)
def test_scores_are_those_of_the_definition(kernel):
    xyz, weights = cloud(60)
    points, h = xyz[:20] + 0.1, 1.3
    r = np.linalg.norm(points[:, None] - xyz, axis=-1) / h
    profile, integral = {
        "gaussian": (np.exp(-r * r / 2), (2 * np.pi) ** 1.5),
        "tophat": (1.0 * (r < 1), 4 / 3 * np.pi),
        "epanechnikov": ((1 - r * r) * (r < 1), 8 / 15 * np.pi),
        "exponential": (np.exp(-r), 8 * np.pi),
        "linear": ((1 - r) * (r < 1), np.pi / 3),
        "cosine": (np.cos(np.pi / 2 * r) * (r < 1), 8 - 64 / np.pi**2),
    }[kernel]
    expected = np.log(profile @ weights / weights.sum() / integral / h**3)
    found = KernelDensity(kernel=kernel, bandwidth=h).fit(xyz, sample_weight=weights).score_samples(points)
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_other_metrics_and_features_are_those_of_scikit_learn():
    xyz, weights = cloud(80)
    for data, given in ((xyz[:, :2], {}), (xyz, {"metric": "manhattan"}), (xyz[:, :1], {"kernel": "linear"}),
                        (xyz, {"metric": "minkowski", "metric_params": {"p": 3}}),
                        (xyz, {"metric": "minkowski"}), (xyz, {"metric": "l2", "algorithm": "kd_tree"})):
        both = [of(**given).fit(data, sample_weight=weights) for of in (KernelDensity, sklearn_density)]
        check_scores(*both, data)


@pytest.mark.parametrize("kernel", ["gaussian", "tophat"])
def test_draws_are_those_of_scikit_learn(kernel):
    xyz, weights = cloud()
    for sample_weight in (None, weights):
        ours, theirs = [of(kernel=kernel, bandwidth=0.2).fit(xyz, sample_weight=sample_weight)
                        for of in (KernelDensity, sklearn_density)]
        np.testing.assert_array_equal(ours.sample(30, random_state=5), theirs.sample(30, random_state=5))


def test_a_fit_replaces_the_last_one():
    xyz, weights = cloud()
    model = KernelDensity(bandwidth=0.5).fit(xyz, sample_weight=weights)
    model.score_samples(xyz[:3])
    for data in (xyz[:100] * 2, xyz[:, :2], xyz):
        check_scores(model.fit(data), sklearn_density(bandwidth=0.5).fit(data), data[:10])
    with pytest.raises(ValueError, match="features"):
        model.score_samples(xyz[:, :2])
    with pytest.raises(ValueError, match="NaN"):
        model.score_samples([[0, np.nan, 0]])
    with pytest.raises(ValueError, match="[Nn]egative"):
        model.fit(xyz, sample_weight=-weights)


def test_models_are_copied_and_pickled():
    xyz, weights = cloud()
    model = KernelDensity(kernel="cosine", bandwidth=0.9).fit(xyz, sample_weight=weights)
    scores = model.score_samples(xyz)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).score_samples(xyz), scores)
    again = clone(model)
    assert again.get_params() == model.get_params() and not hasattr(again, "bandwidth_")
    xyz_before = xyz.copy()
    xyz += 5  # the model has the samples that it was given
    np.testing.assert_array_equal(model.score_samples(xyz_before), scores)


def test_grid_search_over_the_bandwidth_in_a_pipeline():
    xyz, _ = cloud(150)
    bandwidths = {"kerneldensity__bandwidth": np.geomspace(0.1, 2, 6)}
    found = [GridSearchCV(make_pipeline(StandardScaler(), of(kernel=kernel)), bandwidths).fit(xyz)
             for kernel in ("gaussian", "exponential") for of in (KernelDensity, sklearn_density)]
    for ours, theirs in (found[:2], found[2:]):
        assert ours.best_params_ == theirs.best_params_
        np.testing.assert_allclose(ours.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"],
                                   rtol=1e-6)


def test_it_is_an_estimator():
    check_estimator(KernelDensity())


def test_the_tests_of_scikit_learn_pass():
    code = """
import os, sys, pytest, sklearn.neighbors
import skde.sklearn
sklearn.neighbors.KernelDensity = skde.sklearn.KernelDensity
folder = os.path.dirname(sklearn.neighbors.__file__)
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", os.path.join(folder, "tests", "test_kde.py")]))
"""
    done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, check=False)
    if "file or directory not found" in done.stdout + done.stderr:
        pytest.skip("scikit-learn is installed without its tests")
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    assert " passed" in done.stdout
