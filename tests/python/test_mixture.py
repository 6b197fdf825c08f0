"""Mixtures: values and derivatives against their definition in NumPy, files, and PyTorch where it is installed."""

import copy
import importlib.util
import pickle
from pathlib import Path

import numpy as np
import pytest

import skde

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "mixture_autograd.py"


def random_parts(members, seed=1, thin=0.3, origin=0.0):
    """Masses, means and covariances of turned ellipsoids whose deviations are between `thin` and 1."""
    random = np.random.default_rng(seed)
    axes = np.linalg.qr(random.normal(size=(members, 3, 3)))[0]
    lengths = thin ** random.uniform(0, 1, size=(members, 1, 3))
    factors = axes * lengths
    covariances = factors @ factors.transpose(0, 2, 1)
    covariances = (covariances + covariances.transpose(0, 2, 1)) / 2
    return random.uniform(0.2, 1, members) / members, random.normal(size=(members, 3)) + origin, covariances


def terms(masses, means, covariances, points):
    """mass_k N(x_i; mean_k, C_k), (M, K), by its definition."""
    away = points[:, None] - means
    q = np.einsum("mki,kij,mkj->mk", away, np.linalg.inv(covariances), away)
    return masses / np.sqrt((2 * np.pi) ** 3 * np.linalg.det(covariances)) * np.exp(-q / 2)


def values(masses, means, covariances, points):
    return terms(masses, means, covariances, points).sum(axis=1)


@pytest.fixture
def parts():
    return random_parts(5)


@pytest.fixture
def points():
    return np.random.default_rng(7).normal(size=(40, 3))


# Values.


@pytest.mark.parametrize("members, thin, origin", [(1, 1, 0), (5, 0.3, 0), (300, 1e-2, 0), (40, 1e-4, 0), (60, 0.1, 1e6)])
def test_values_at_points(members, thin, origin):
    masses, means, covariances = random_parts(members, 3, thin, origin)
    points = np.concatenate([np.random.default_rng(4).normal(size=(200, 3)) + origin, means])
    expected = terms(masses, means, covariances, points)
    peaks = masses / np.sqrt((2 * np.pi) ** 3 * np.linalg.det(covariances))
    found = skde.Mixture(masses, means, covariances).at(points)
    assert found.shape == (len(points),) and found.dtype == np.float64
    assert (np.abs(found - expected.sum(axis=1)) <= 1e-6 * peaks.sum() + 1e-7 * expected.sum(axis=1)).all()


def test_values_on_grids(parts):
    mixture = skde.Mixture(*parts)
    density = mixture.on(dims=30, precision="f64")
    assert isinstance(density, skde.Density) and density.values.dtype == np.float64
    expected = values(*parts, density.grid.points())
    assert np.allclose(density.values.ravel(), expected, rtol=0, atol=2e-6 * expected.max())
    assert density.mass == pytest.approx(parts[0].sum(), rel=0.02)
    assert np.allclose(density.at(parts[1]), mixture.at(parts[1]), rtol=1e-4)
    grid = skde.Grid((-1.0, -2.0, 0.0), (0.5, 0.25, 0.125), (5, 6, 7))
    single = mixture.on(grid, threads=1)
    assert single.grid == grid and single.values.dtype == np.float32
    assert np.allclose(single.values.ravel(), values(*parts, grid.points()), rtol=0, atol=1e-5 * expected.max())
    assert mixture.on(single).grid == grid


def test_values_without_points_and_of_empty_members():
    empty = skde.Mixture([0.0, 1.0], np.zeros((2, 3)), [np.eye(3)] * 2)
    assert empty.at(np.zeros((0, 3))).shape == (0,)
    assert empty.at([[0, 0, 0]]) == pytest.approx((2 * np.pi) ** -1.5)
    assert [len(array) for array in empty.gradient(np.zeros((0, 3)), [])] == [2, 2, 2]


# Derivatives.


def differences(parts, loss, step=1e-5):
    """The derivatives of loss(masses, means, covariances) by every number, by central differences. Both entries of a
    covariance change together: each has half of the derivative."""
    found = []
    for part in range(3):
        by = np.zeros_like(parts[part])
        for index in np.ndindex(by.shape):
            sides = []
            for side in (step, -step):
                moved = [array.copy() for array in parts]
                moved[part][index] += side / 2 if part == 2 else side
                if part == 2:
                    moved[part][index[0], index[2], index[1]] += side / 2
                sides.append(loss(*moved))
            by[index] = (sides[0] - sides[1]) / (2 * step)
        found.append(by)
    return found


def assert_near(found, expected, share):
    for a, b in zip(found, expected):
        assert a.shape == b.shape and np.abs(a - b).max() <= share * np.abs(b).max()


def test_derivatives_at_points_are_those_of_differences(parts, points):
    weights = np.random.default_rng(8).normal(size=len(points))
    points = points[np.linalg.norm(points, axis=1) < 1.2]  # where no Gaussian is cut
    weights = weights[:len(points)]
    found = skde.Mixture(*parts).gradient(points, weights)
    assert_near(found, differences(parts, lambda *moved: values(*moved, points) @ weights), 2e-6)
    assert np.array_equal(found[2], found[2].transpose(0, 2, 1))


def test_derivatives_on_grids_are_those_of_differences(parts):
    grid = skde.Grid((-3.0, -4.0, -2.5), (0.5, 0.4, 0.6), (12, 14, 9))
    mixture = skde.Mixture(*parts)
    cotangents = np.random.default_rng(9).normal(size=grid.shape)
    found = mixture.gradient(grid, cotangents)
    places = grid.points()
    assert_near(found, differences(parts, lambda *moved: values(*moved, places) @ cotangents.ravel()), 1e-5)
    assert_near(found, mixture.gradient(places, cotangents.ravel()), 1e-5)
    again = mixture.gradient(mixture.on(grid), cotangents)
    assert all(np.array_equal(a, b) for a, b in zip(found, again))


def test_derivatives_of_thin_members_and_far_coordinates(points):
    parts = random_parts(30, 5, 1e-2, 1e6)
    points = np.concatenate([points + 1e6, parts[1] + 1e-3])
    weights = np.random.default_rng(8).normal(size=len(points))
    away = points[:, None] - parts[1]
    inverse = np.linalg.inv(parts[2])
    solved = np.einsum("kij,mkj->mki", inverse, away)
    shares = weights[:, None] * terms(*parts, points)
    expected = (shares.sum(axis=0) / parts[0], np.einsum("mk,mki->ki", shares, solved),
                (np.einsum("mk,mki,mkj->kij", shares, solved, solved) - shares.sum(axis=0)[:, None, None] * inverse) / 2)
    assert_near(skde.Mixture(*parts).gradient(points, weights), expected, 1e-5)


# What a mixture is.


def test_arrays(parts):
    mixture = skde.Mixture(*parts, H=0.01 * np.eye(3))
    for found, given in zip((mixture.masses, mixture.means, mixture.covariances), parts):
        assert np.array_equal(found, given)
    assert len(mixture) == 5 and np.array_equal(mixture.H, 0.01 * np.eye(3)) and mixture.facts == {}
    mixture.masses[:] = 0
    assert np.array_equal(mixture.masses, parts[0])
    assert repr(mixture).startswith("<skde.Mixture of 5 Gaussians, mass 0.")
    single = skde.Mixture(*(array.astype(np.float32) for array in parts))
    assert np.allclose(single.covariances, parts[2], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("seed", range(4))
def test_scales_and_rotations_make_the_covariances(seed):
    _, _, covariances = parts = random_parts(200, seed, 1e-2)
    mixture = skde.Mixture(*parts)
    w, x, y, z = mixture.rotations.T
    assert np.allclose(w * w + x * x + y * y + z * z, 1)
    turned = np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                       [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                       [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]).transpose(2, 0, 1)
    factors = turned * mixture.scales[:, None, :]
    assert (np.diff(mixture.scales) >= 0).all()
    assert np.allclose(factors @ factors.transpose(0, 2, 1), covariances, rtol=1e-9, atol=1e-12)


def same_members(a, b):
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in ("masses", "means", "covariances", "H"))


def same(a, b):
    return a.facts == b.facts and same_members(a, b)


def test_pickles_and_copies(volume):
    mixture = skde.fit(volume, k=2, steps=20)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        assert same(pickle.loads(pickle.dumps(mixture, protocol)), mixture)
    assert same(copy.copy(mixture), mixture) and same(copy.deepcopy(mixture), mixture)


@pytest.mark.parametrize("wrong, parameter", [
    ({"masses": [1, 2]}, "masses"), ({"masses": [-1]}, "masses"), ({"masses": [np.nan]}, "masses"),
    ({"masses": ["a"]}, "masses"), ({"means": [[0, 0]]}, "means"), ({"means": np.zeros((0, 3))}, "means"),
    ({"means": [[0, np.inf, 0]]}, "means"), ({"covariances": [[1, 0, 0, 1, 0, 1]]}, "covariances"),
    ({"covariances": [np.diag([1, 1, -1])]}, "covariances"), ({"covariances": [np.diag([1, 1, 0])]}, "covariances"),
    ({"covariances": [np.full((3, 3), np.nan)]}, "covariances"), ({"covariances": [np.eye(3) + np.eye(3, k=1)]}, "covariances"),
    ({"H": [1, 2]}, "H"), ({"H": np.full((3, 3), np.nan)}, "H"),
])
def test_wrong_members_are_named(wrong, parameter):
    with pytest.raises(ValueError) as raised:
        skde.Mixture(**{"masses": [1], "means": [[0, 0, 0]], "covariances": [np.eye(3)], **wrong})
    assert raised.value.parameter == parameter


def test_one_place(known):
    assert np.ndim(known.at([1, 2, 3])) == 0 and known.at([1, 2, 3]) == known.at([[1, 2, 3]])[0]


def test_wrong_uses_are_named(parts):
    mixture = skde.Mixture(*parts)
    grid = skde.Grid((0, 0, 0), (1, 1, 1), (2, 3, 4))
    for use, parameter in ((lambda: mixture.at([1, 2]), "points"), (lambda: mixture.at([[1, 2, np.nan]]), "points"),
                           (lambda: mixture.gradient([[0, 0, 0]], [1, 2]), "cotangents"),
                           (lambda: mixture.gradient(grid, np.zeros((2, 3, 4))), "cotangents"),
                           (lambda: mixture.gradient([0, 0, 0], [1]), "where"),
                           (lambda: mixture.on(dims=0), "dims"), (lambda: mixture.sample(-1), "count"),
                           (lambda: mixture.sample(1, seed=0.5), "seed"), (lambda: mixture.save("m.xyz"), "path")):
        with pytest.raises(ValueError) as raised:
            use()
        assert raised.value.parameter == parameter


# Samples and files.


def test_draws(known):
    draws = known.sample(20000, seed=3)
    assert draws.shape == (20000, 3) and np.array_equal(draws, known.sample(20000, seed=3))
    assert not np.array_equal(draws, known.sample(20000, seed=4)) and known.sample(0).shape == (0, 3)
    mean = known.masses @ known.means
    away = known.means - mean
    covariance = np.einsum("k,kij->ij", known.masses, known.covariances + away[:, :, None] * away[:, None])
    assert np.allclose(draws.mean(axis=0), mean, atol=0.06) and np.allclose(np.cov(draws.T), covariance, atol=0.15)


@pytest.mark.parametrize("extension", ["ply", "npy", "csv"])
def test_files(tmp_path, parts, extension):
    path = tmp_path / f"mixture.{extension}"
    mixture = skde.Mixture(*parts, H=0.01 * np.eye(3))
    mixture.save(path)
    back = skde.Mixture.read(path)
    if extension == "ply":
        assert np.allclose(back.means, parts[1], rtol=1e-13, atol=1e-13)
        assert np.allclose(back.masses, parts[0], rtol=1e-6) and np.allclose(back.covariances, parts[2], rtol=1e-5, atol=1e-5)
    else:
        assert same(back, mixture)
    assert np.array_equal(back.H, mixture.H)


@pytest.mark.parametrize("extension", ["ply", "npy", "csv"])
def test_files_have_the_facts(tmp_path, volume, extension):
    mixture = skde.fit(volume, k=2, steps=20)
    mixture.save(tmp_path / f"mixture.{extension}")
    facts = skde.Mixture.read(tmp_path / f"mixture.{extension}").facts
    assert {name: facts[name] for name in mixture.facts} == pytest.approx(mixture.facts)


def test_files_that_are_no_mixtures(tmp_path):
    (tmp_path / "points.csv").write_text("x,y,z\n1,2,3\n")
    for name in ("points.csv", "missing.ply"):
        with pytest.raises(ValueError, match=name):
            skde.Mixture.read(tmp_path / name)


# PyTorch.


@pytest.fixture(scope="module")
def example():
    pytest.importorskip("torch")
    spec = importlib.util.spec_from_file_location("mixture_autograd", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_autograd_of_the_example(example, known):
    assert example.check()
    logarithms = example.fit(known.sample(1000, seed=1), 6, 30)
    assert logarithms[-1] > logarithms[0] + 0.05


def test_autograd_keeps_types_and_devices(example, parts, points):
    import torch

    for device in ["cpu"] + ["cuda"] * torch.cuda.is_available():
        tensors = [torch.tensor(array, dtype=torch.float32, device=device, requires_grad=True) for array in parts]
        found = example.MixtureDensity.apply(*tensors, torch.tensor(points, device=device))
        assert found.dtype == torch.float32 and found.device.type == device
        found.sum().backward()
        expected = skde.Mixture(*(t.detach().cpu().numpy() for t in tensors)).gradient(points, np.ones(len(points)))
        for tensor, by in zip(tensors, expected):
            assert tensor.grad.dtype == torch.float32 and np.allclose(tensor.grad.cpu().numpy(), by, rtol=1e-5, atol=1e-5)


def test_a_file_of_a_mixture_is_its_density(tmp_path):
    masses, means, covariances = random_parts(6)
    points = np.random.default_rng(4).normal(size=(20, 3))
    expected = terms(masses, means, covariances, points).sum(axis=1) / masses.sum()
    for name in ("m.csv", "m.ply", "m.npy"):
        path = tmp_path / name
        skde.Mixture(masses, means, covariances).save(path)
        assert np.allclose(skde.evaluate(path, points), expected, rtol=1e-5)
        assert np.allclose(skde.density(path, dims=8).at(points), expected, rtol=1e-5)
        with pytest.raises(skde.UsageError, match="bandwidth"):
            skde.density(path, dims=8, bandwidth=0.5)
        with pytest.raises(skde.UsageError, match="these are Gaussians"):
            skde.bandwidth(path)
