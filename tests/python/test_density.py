"""What a density holds, shares and leaves; sessions; copies."""

import copy
import ctypes
import gc
import pickle
import warnings

import numpy as np
import pytest

import skde
from reference_density import density_at


@pytest.fixture
def density(xyz):
    return skde.density(xyz, dims=(9, 8, 7), units="m")


def test_values_are_shared_read_only_and_outlive_the_density(xyz):
    density = skde.density(xyz, dims=(9, 8, 7))
    values, kept = density.values, density.values.copy()
    assert values.shape == (7, 8, 9) == density.grid.shape
    assert np.shares_memory(values, density.values) and np.shares_memory(values, np.asarray(density))
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
        density.__dlpack__(copy=False)
    with pytest.raises(AttributeError):
        density.__cuda_array_interface__


def test_tensors_do_not_write_into_values(density):
    before = density.values.copy()
    for capsule in (density.__dlpack__(), density.__dlpack__(max_version=(1, 0), copy=True)):
        assert "dltensor" in repr(capsule)
    tensor = np.from_dlpack(density)
    assert np.array_equal(tensor, before) and not np.shares_memory(tensor, density.values)
    ctypes.memset(tensor.ctypes.data, 255, tensor.nbytes)  # as PyTorch may
    assert np.array_equal(density.values, before)


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
        assert np.array_equal(back.at(points + 0.1), density.at(points + 0.1))
        assert np.array_equal(back.sample(50, 2), density.sample(50, 2)) and np.array_equal(back.H, density.H)
        assert back.summary == {**density.summary, "peak_memory": back.summary.get("peak_memory")} or (
            back.summary["bandwidth"] == density.summary["bandwidth"])
        assert back.plan == density.plan
        assert not back.values.flags.writeable
    for twin in (copy.copy(density), copy.deepcopy(density)):
        assert same(twin, density) and np.array_equal(twin.at(xyz), density.at(xyz))
    double = skde.density(xyz, dims=5, precision="f64")
    assert pickle.loads(pickle.dumps(double)).values.dtype == np.float64
    with pytest.raises(TypeError):
        pickle.dumps(skde.Session(xyz))
    grid = pickle.loads(pickle.dumps(density.grid))
    assert grid == density.grid and hash(grid) == hash(density.grid)


@pytest.mark.parametrize("keywords", [
    {"weights": np.arange(60.0)}, {"widths": np.full(60, 0.9)}, {"widths": np.full(60, 1.5), "width_form": "factor"},
    {"adaptive": True}, {"bandwidth": "lscv"}, {"covariance": "robust", "normalize": "box"},
    {"boundary": "reflect", "spacing": 0.7, "dims": None}], ids=str)
def test_a_pickle_has_its_samples_and_its_request(xyz, keywords):
    density = skde.density(xyz, **{"dims": 9, **keywords})
    back = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(density))))
    assert np.array_equal(back.at(xyz), density.at(xyz))
    assert np.array_equal(back.sample(20), density.sample(20))


def test_later_changes_of_arrays_do_not_move_a_density(xyz):
    keywords = {"kernel": "gaussian", "bandwidth": np.eye(3), "dims": 6}
    given, weights = xyz.copy(), np.ones(60)
    widths = np.ones(60)
    density = skde.density(given, weights, widths=widths, width_form="factor", **keywords)
    before, drawn = density.at(xyz[:5]), density.sample(20)
    given += 5
    weights[:] = np.arange(60)
    widths[:] = 9
    assert np.array_equal(density.at(xyz[:5]), before) and np.array_equal(density.sample(20), drawn)
    assert np.allclose(before, density_at(xyz[:5], xyz, np.eye(3), "gaussian"), rtol=1e-5)
    session = skde.Session(given)  # which shares, and says so
    values = session.evaluate(xyz[:5] + 5, kernel="gaussian", bandwidth=1.0)
    given += 1
    assert not np.array_equal(session.evaluate(xyz[:5] + 5, kernel="gaussian", bandwidth=1.0), values)
    assert "not copied" in skde.Session.__doc__


@pytest.mark.parametrize("engine, kernel", [("tile", "gaussian"), ("span", "epanechnikov"), ("openmp", "gaussian"),
                                            ("naive", "gaussian"), ("cpu", "biweight")])
def test_values_at_points_after_any_engine(xyz, engine, kernel):
    density = skde.density(xyz, kernel=kernel, engine=engine, dims=9)
    assert np.allclose(density.at(xyz), skde.evaluate(xyz, xyz, kernel=kernel), rtol=1e-12)


def test_values_at_points_are_in_double():
    samples, places = np.random.default_rng(5).normal(size=(2, 50, 3))
    expected = density_at(places, samples, np.eye(3), "gaussian")
    keywords = {"kernel": "gaussian", "bandwidth": (1, 1, 1), "tolerance": 1e-12}
    density = skde.density(samples, dims=9, **keywords)
    for found in (density.at(places), skde.evaluate(samples, places, **keywords),
                  skde.Session(samples).evaluate(places, **keywords)):
        assert np.abs(found - expected).max() < 2e-12 * expected.max()
    assert np.abs(skde.evaluate(samples, places, precision="f32", **keywords) - expected).max() > 1e-10 * expected.max()


def test_one_place(density):
    place = density.grid.points()[100]
    assert np.ndim(density.at(place)) == 0 and density.at(place) == density.at([place])[0]


@pytest.mark.parametrize("covariance", [np.eye(3), [[2, 0.5, 0], [0.5, 1, 0.3], [0, 0.3, 3]], np.arange(1, 10.0)])
def test_matrices_that_are_not_symmetric_are_refused(xyz, covariance):
    matrix = np.reshape(np.array(covariance, dtype=float), (3, 3))
    symmetric = np.array_equal(matrix, matrix.T)
    if symmetric:
        density = skde.density(xyz, covariance=covariance, bandwidth=2.0, dims=5)
        assert np.allclose(density.H, 4 * matrix, rtol=1e-15)
    for lower, column in ((1, 0), (2, 0), (2, 1)):
        wrong = matrix.copy()
        wrong[lower, column] += 0.125
        for name in ("covariance", "bandwidth"):
            with pytest.raises(skde.UsageError, match="symmetric") as caught:
                skde.density(xyz, dims=5, **{name: wrong})
            assert caught.value.parameter == name


def test_bandwidths_and_grids_of_others(xyz):
    chosen = skde.bandwidth(xyz, rule="lscv")
    density = skde.density(xyz, bandwidth=chosen, dims=(6, 5, 4))
    assert np.array_equal(density.H, chosen.H)
    xarray = pytest.importorskip("xarray")
    array = density.to_xarray()
    assert skde.density(xyz, like=array).grid == density.grid
    array.attrs.clear()
    grid = skde.density(xyz, like=array).grid
    assert grid.dims == (6, 5, 4) and np.allclose(grid.lower, density.grid.lower) and np.allclose(grid.spacing, density.grid.spacing)
    uneven = xarray.DataArray(np.zeros((2, 2, 3)), {"z": [0, 1], "y": [0, 1], "x": [0, 1, 5]}, ("z", "y", "x"))
    with pytest.raises(skde.UsageError, match="equal steps") as caught:
        skde.density(xyz, like=uneven)
    assert caught.value.parameter == "like"


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
    {"boundary": "reflect", "like": skde.Grid((-3, -2, -2), (0.9, 0.7, 0.8), (7, 6, 5)), "dims": None},
    {"boundary": "renormalize", "spacing": 0.9, "dims": None},
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


def test_answers():
    random, stats = np.random.default_rng(48), pytest.importorskip("scipy.stats")
    ndimage = pytest.importorskip("scipy.ndimage")
    cloud = random.normal(size=(400, 3)) + np.repeat([[0, 0, 0], [6, 0, 0]], [300, 100], axis=0)
    d = skde.density(cloud, kernel="gaussian", bandwidth=[0.5, 0.6, 0.7], dims=48)
    for one in (d, pickle.loads(pickle.dumps(d))):
        high, low = one.peaks()
        assert high["exact"] and high["density"] == pytest.approx(d.at(high["place"]), rel=1e-6)
        assert np.linalg.norm(np.subtract(low["place"], [6, 0, 0])) < 1 and high["samples"] + low["samples"] == 400
        around = high["place"] + random.normal(scale=0.05, size=(50, 3))
        assert (d.at(around) < high["density"]).all()
    assert len(d.peaks(prominence=0)) > 2
    found = d.clusters(0.9, touching=6, points=cloud)
    labels, count = ndimage.label(d.values >= np.float32(found.level))
    assert count == len(found.clusters) and ((labels > 0) == (found.labels > 0)).all()
    cells = np.floor((cloud - d.grid.lower) / d.grid.spacing).astype(int)
    assert (found.points == found.labels[tuple(cells[:, ::-1].T)]).all()
    denser = [d.values[d.values >= np.float32(value)].sum(dtype=float) for value in d.at(cloud[:9])]
    assert d.mass_above(cloud[:9]) == pytest.approx(np.array(denser) * d.grid.cell_volume, abs=1e-3)
    low, high = np.array([-1, -1, -np.inf]), np.array([1, 0.5, 2])
    shares = np.prod(np.subtract(*(stats.norm.cdf((side - cloud) / [0.5, 0.6, 0.7]) for side in (high, low))), axis=1)
    of_box = d.mass_in(box=(low, high))
    assert of_box.mass == pytest.approx(shares.mean(), abs=1e-13)
    assert of_box.standard_error == pytest.approx(shares.std() / 20, abs=1e-13)
    half = stats.norm.sf((1 - cloud @ [1, 2, 0]) / np.hypot(0.5, 1.2)).mean()
    assert d.mass_in(half_space=([1, 2, 0], 1)).mass == pytest.approx(half, abs=1e-13)
    cells = skde.Density(skde._skde.density_from(d.values, d._held.grid, [], None, {}, None))
    surface = d.isosurface(mass=0.5)
    for one, near in ((d, 5e-3), (cells, 0.02)):
        assert one.mass_in(mesh=(surface.vertices, surface.triangles)).mass == pytest.approx(0.5, abs=near)
    assert cells.mass_in(sphere=([0, 0, 0], 2)).mass == pytest.approx(d.mass_in(sphere=([0, 0, 0], 2)).mass, abs=0.02)
    assert cells.mass_in(sphere=([0, 0, 0], 2)).standard_error is None and not cells.peaks()[0]["exact"]


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


def test_netcdf_of_xarray_keeps_what_is_known(density, tmp_path):
    pytest.importorskip("xarray")
    pytest.importorskip("netCDF4")
    density.to_xarray().to_netcdf(tmp_path / "d.nc")
    assert same(skde.read(tmp_path / "d.nc"), density)


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


def test_standard_errors_are_those_of_plain_sums(xyz, tmp_path):
    weights = np.random.default_rng(4).uniform(0.5, 2, len(xyz))
    found = skde.density(xyz, weights, kernel="gaussian", bandwidth=0.5, dims=(6, 5, 7), standard_error=True)
    x, y, z = np.meshgrid(*found.grid.axes, indexing="ij")
    places = np.stack([x, y, z], axis=-1).transpose(2, 1, 0, 3).reshape(-1, 1, 3)
    apart = places - np.asarray(xyz)
    q = np.einsum("cni,ij,cnj->cn", apart, np.linalg.inv(found.H), apart)
    terms = weights / weights.sum() * np.exp(-q / 2) / np.sqrt(np.linalg.det(2 * np.pi * found.H))
    variance = (terms**2).sum(1) - terms.sum(1) ** 2 * (weights**2).sum() / weights.sum() ** 2
    assert found.standard_error.shape == found.values.shape
    assert np.allclose(found.standard_error.ravel(), np.sqrt(variance), rtol=1e-3, atol=2e-6 * variance.max() ** 0.5)
    assert skde.density(xyz, dims=5).standard_error is None
    assert np.array_equal(pickle.loads(pickle.dumps(found)).standard_error, found.standard_error)
    found.save(tmp_path / "both.vti")
    assert np.array_equal(skde.read(tmp_path / "both.vti:standard_error").values, found.standard_error)
    with pytest.raises(skde.UsageError, match="only one volume"):
        found.save(tmp_path / "one.nrrd")
    with pytest.raises(skde.UsageError, match="sharpen"):
        skde.density(xyz, sharpen=True, standard_error=True)
    with pytest.raises(skde.UsageError, match="cosine"):
        skde.density(xyz, kernel="cosine", standard_error=True)
    with pytest.raises(TypeError, match="standard_error"):
        skde.evaluate(xyz, [[0, 0, 0]], standard_error=True)
