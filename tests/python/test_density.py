"""What a density holds, shares and leaves; sessions; copies."""

import copy
import gc
import pickle
import warnings

import numpy as np
import pytest

import skde


@pytest.fixture
def density(xyz):
    return skde.density(xyz, dims=(9, 8, 7), units="m")


def test_values_are_shared_read_only_and_outlive_the_density(xyz):
    density = skde.density(xyz, dims=(9, 8, 7))
    values, kept = density.values, density.values.copy()
    assert values.shape == (7, 8, 9) == density.grid.shape
    assert np.shares_memory(values, density.values) and np.shares_memory(values, np.asarray(density))
    assert np.shares_memory(values, np.from_dlpack(density))
    with pytest.raises(ValueError, match="read-only"):
        values[0, 0, 0] = 1
    tensor = np.from_dlpack(density)
    del density
    gc.collect()
    others = [skde.density(xyz, dims=(9, 8, 7), bandwidth=h / 10) for h in range(1, 9)]
    assert len(others) == 8 and np.array_equal(values, kept) and np.array_equal(tensor, kept)


def test_arrays_of_it(density):
    assert np.asarray(density, dtype=np.float64).dtype == np.float64
    assert np.array(density).flags.writeable
    copied = density.__array__(np.float64, copy=True)
    assert copied.dtype == np.float64 and copied.flags.owndata
    with pytest.raises(BufferError):
        density.__dlpack__(copy=True)
    with pytest.raises(AttributeError):
        density.__cuda_array_interface__


def test_facts(xyz, density):
    assert density.mass == pytest.approx(density.values.sum(dtype=float) * np.prod(density.grid.spacing))
    assert np.allclose(density.H, density.h**2 * np.cov(xyz.T, bias=True))
    assert density.metadata["units"] == "m" and density.metadata["samples"] == len(xyz)
    assert density.plan["grid"]["dims"] == [9, 8, 7]
    assert density.summary["samples"]["used"] == len(xyz)
    assert "9 x 8 x 7" in repr(density) and "60 samples" in repr(density)


def same(a, b):
    return np.array_equal(a.values, b.values) and a.grid == b.grid and a.metadata == b.metadata


def test_pickles_and_copies(xyz, density):
    points = density.grid.points()[::7]
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        back = pickle.loads(pickle.dumps(density, protocol))
        assert same(back, density) and back.values.dtype == density.values.dtype
        assert np.allclose(back.at(points), density.values.ravel()[::7], rtol=1e-6, atol=1e-9)
        assert not back.values.flags.writeable
    for twin in (copy.copy(density), copy.deepcopy(density)):
        assert same(twin, density) and np.array_equal(twin.at(xyz), density.at(xyz))
    double = skde.density(xyz, dims=5, precision="f64")
    assert pickle.loads(pickle.dumps(double)).values.dtype == np.float64
    with pytest.raises(TypeError):
        pickle.dumps(skde.Session(xyz))
    grid = pickle.loads(pickle.dumps(density.grid))
    assert grid == density.grid and hash(grid) == hash(density.grid)


def _density_of(xyz, h):
    return skde.density(xyz, bandwidth=h, dims=6)


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_joblib(xyz, backend):
    joblib = pytest.importorskip("joblib")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", skde.DensityWarning)
        jobs = [joblib.delayed(_density_of)(xyz, h) for h in (0.5, 0.7, 0.9)]
        found = joblib.Parallel(n_jobs=2, backend=backend)(jobs)
        assert all(same(one, _density_of(xyz, h)) for one, h in zip(found, (0.5, 0.7, 0.9)))


def test_files_there_and_back(density, tmp_path):
    for name in ("d.vti", "d.nrrd", "d.npy", "d.nii", "d.mha", "d.nc"):
        density.save(tmp_path / name)
        back = skde.read(tmp_path / name)
        assert np.array_equal(back.values, density.values), name
    assert skde.density(density.grid.points(), like=str(tmp_path / "d.vti")).grid.dims == density.grid.dims
    with pytest.raises(OSError, match="cannot be written") as caught:
        density.save(tmp_path / "nowhere" / "d.vti")
    assert isinstance(caught.value, skde.OutputError)
    with pytest.raises(skde.UsageError, match="volume format"):
        density.save(tmp_path / "d.jpeg")
    with pytest.raises(skde.InputError, match="cannot be opened"):
        skde.read(tmp_path / "none.vti")


def test_a_session_is_the_same_as_calls(xyz):
    session = skde.Session(xyz)
    assert same(session.density(bandwidth=0.6, dims=9), skde.density(xyz, bandwidth=0.6, dims=9))
    assert np.array_equal(session.evaluate(xyz[:5]), skde.evaluate(xyz, xyz[:5]))
    assert np.array_equal(session.smooth(xyz[:, 0], xyz[:5]), skde.smooth(xyz, xyz[:, 0], xyz[:5]))
    assert session.bandwidth("lscv").h == skde.bandwidth(xyz, rule="lscv").h
    assert session.plan(dims=512)["grid"]["dims"][0] == 512
    assert len(session) == 60 and repr(session) == "<skde.Session of 60 samples>"


def test_leave_one_out(xyz):
    found = skde.evaluate(xyz, loo=True, kernel="gaussian", bandwidth=np.eye(3))
    for i in (0, 17, 59):
        others = np.delete(xyz, i, axis=0)
        assert found[i] == pytest.approx(skde.evaluate(others, xyz[i : i + 1], kernel="gaussian", bandwidth=np.eye(3))[0])


@pytest.mark.parametrize("keywords", [
    {}, {"adaptive": True}, {"normalize": "count"}, {"normalize": "box"}, {"boundary": "reflect"}, {"kernel": "gaussian"},
    {"boundary": "periodic", "bounds": [[-3, -3, -3], [3, 3, 3]]}, {"bounds": [-1, -1, -1, 1, 1, 1]},
    {"bandwidth": "lscv", "covariance": "diag"}, {"widths": np.full(60, 0.9)}, {"weights": np.arange(60.0)}], ids=str)
def test_values_at_cell_centres_are_those_of_the_cells(xyz, keywords):
    own = {"min_width": 0} if {"adaptive", "widths"} & keywords.keys() else {}
    density = skde.density(xyz, **{"dims": 9, "precision": "f64", **own, **keywords})
    centres = density.grid.points()
    assert np.allclose(density.at(centres), density.values.ravel(), rtol=1e-5, atol=2e-6 * density.values.max())


def test_gradients_are_differences(xyz):
    points, step, gaussian = xyz[:4], 1e-4, {"kernel": "gaussian", "tolerance": 1e-13, "precision": "f64"}
    values, gradients = skde.evaluate(xyz, points, gradient=True, **gaussian)
    assert np.allclose(values, skde.evaluate(xyz, points, **gaussian), rtol=1e-12)
    for axis in range(3):
        moved = step * np.eye(3)[axis]
        ahead, behind = (skde.evaluate(xyz, points + sign * moved, **gaussian) for sign in (1, -1))
        assert np.allclose((ahead - behind) / (2 * step), gradients[:, axis], atol=1e-6)
    assert np.allclose(np.exp(skde.evaluate(xyz, points, log=True, **gaussian)), values)


def test_questions(density):
    levels = density.levels([0.5, 0.9])
    assert levels[0] > levels[1] > 0 and density.levels(0.5) == levels[0]
    assert density.values[density.values >= levels[0]].sum() <= 0.55 * density.values.sum()
    surface = density.isosurface(mass=0.5)
    assert surface.vertices.shape == surface.normals.shape and surface.triangles.max() < len(surface.vertices)
    assert density.projection("z").shape == (8, 9) and density.projection("x").shape == (7, 8)
    assert np.allclose(density.projection("z", "maximum"), density.values.max(axis=0))
    assert np.allclose(density.projection("z"), density.values.sum(axis=0, dtype=float) * density.grid.spacing[2])
    middle = density.grid.axes[0][4]
    assert np.allclose(density.slice("x", middle), density.values[:, :, 4])
    draws = density.sample(200, seed=3)
    assert draws.shape == (200, 3) and np.array_equal(draws, density.sample(200, seed=3))
    assert not np.array_equal(draws, density.sample(200, seed=4))


def test_comparison(xyz, density):
    found = skde.compare(density, density)
    assert found["l1"] == 0 and found["overlap"] == pytest.approx(density.mass)
    other = skde.density(xyz, dims=(5, 5, 5))
    with pytest.raises(skde.InputError, match="different grids") as caught:
        density.compare(other)
    assert caught.value.parameter == "resample"
    assert density.compare(other, resample="B")["masses"][0] == pytest.approx(density.mass)
    assert density.compare(skde.density(xyz, like=density))["l1"] == 0
    with pytest.raises(TypeError):
        skde.compare(density, 3)


def test_xarray(density):
    pytest.importorskip("xarray")
    array = density.to_xarray()
    assert array.dims == ("z", "y", "x") and np.array_equal(array.values, density.values)
    assert np.array_equal(array.x, density.grid.axes[0]) and array.x.attrs["units"] == "m"


def test_unlike_frames_are_not_mixed(tmp_path):
    random = np.random.default_rng(2)
    path = tmp_path / "quakes.csv"
    np.savetxt(path, random.uniform([20, 40, 0], [28, 48, 100], (200, 3)), delimiter=",", header="lon,lat,depth",
               comments="")
    try:
        density = skde.density(path, geographic="east-north-depth:24:44", dims=12)
    except skde.Error as error:
        pytest.skip(str(error))  # a build without PROJ
    other = skde.density(path, geographic="east-north-depth:24:46", dims=12)
    with pytest.raises(skde.InputError, match="another frame"):
        skde.compare(density, other, resample="A")
    with pytest.raises(skde.InputError, match="another frame"):
        skde.density(path, geographic="east-north-depth:24:46", like=density)
    same = skde.density(path, geographic="east-north-depth", like=density)  # takes its origin
    assert same.metadata["frame"] == density.metadata["frame"]
    density.save(tmp_path / "a.vti")
    assert skde.density(path, geographic="east-north-depth", like=tmp_path / "a.vti").compare(density)["l1"] < 1e-6
