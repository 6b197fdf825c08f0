"""Arrays of any type, order and stride: the right density, or the right exception."""

import gc
import weakref

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from reference_density import assert_is_density

import skde

GRID = {"bounds": [[-5, -5, -5], [5, 5, 5]], "dims": (5, 4, 3), "precision": "f64"}
H = np.array([[9.0, 1, 0], [1, 8, 2], [0, 2, 7]])
NUMBERS = ["f2", "f4", "f8", "g", ">f2", ">f4", ">f8", "i1", "i2", "i4", "i8", ">i2", ">i8", "u1", "u2", "u4", "u8", "?"]
OTHERS = ["F", "D", "O", "U5", "S5", "M8[s]", "m8[s]", "V8"]


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


def unaligned(array):
    held = np.empty(array.nbytes + 1, np.uint8)
    view = held[1:].view(np.uint8)[: array.nbytes].view(array.dtype) if array.nbytes else array.ravel()
    view = view.reshape(array.shape)
    view[...] = array
    return view


LAYOUTS = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "rows reversed": lambda a: a[::-1].copy()[::-1],
    "columns reversed": lambda a: a[:, ::-1].copy()[:, ::-1],
    "every other row": lambda a: np.repeat(a, 2, axis=0)[::2],
    "columns of a wider one": lambda a: np.hstack([a, a])[:, :3],
    "read-only": read_only,
    "unaligned": unaligned,
}


@st.composite
def sample_arrays(draw, dtypes):
    """(array, the same as doubles): small whole numbers, which every type has."""
    dtype = np.dtype(draw(st.sampled_from(dtypes)))
    least = -4 if dtype.kind in "fi" else 0
    most = 1 if dtype.kind == "b" else 4
    count = draw(st.integers(1, 9))
    rows = draw(st.lists(st.tuples(*[st.integers(least, most)] * 3), min_size=count, max_size=count))
    array = np.array(rows, np.float64).reshape(-1, 3)
    return LAYOUTS[draw(st.sampled_from(sorted(LAYOUTS)))](array.astype(dtype)), array


@given(sample_arrays(NUMBERS), st.sampled_from(["gaussian", "epanechnikov"]))
def test_any_numbers_give_the_density_of_their_doubles(drawn, kernel):
    given_array, doubles = drawn
    density = skde.density(given_array, kernel=kernel, bandwidth=H, tolerance=0 if kernel != "gaussian" else 1e-12,
                           engine="naive", **GRID)
    assert_is_density(density, doubles, H, kernel)
    assert np.array_equal(skde.evaluate(given_array, given_array, kernel=kernel, bandwidth=H),
                          skde.evaluate(doubles, doubles, kernel=kernel, bandwidth=H))


@given(sample_arrays(NUMBERS), st.data())
def test_weights_of_any_numbers(drawn, data):
    samples, doubles = drawn
    dtype = data.draw(st.sampled_from(NUMBERS))
    whole = data.draw(st.lists(st.integers(0, 1), min_size=len(doubles), max_size=len(doubles)))
    weights = np.array(whole).astype(dtype)
    if data.draw(st.booleans()):
        weights = np.repeat(weights, 3)[::3]
    if not any(whole):
        with pytest.raises(skde.InputError):
            skde.density(samples, weights, bandwidth=H, **GRID)
        return
    density = skde.density(samples, weights, bandwidth=H, engine="naive", **GRID)
    assert_is_density(density, doubles, H, "epanechnikov", whole)


@given(st.sampled_from(OTHERS), st.sampled_from(["samples", "weights", "points", "values"]))
def test_what_is_no_real_number_is_refused(dtype, parameter):
    shape = (4, 3) if parameter in ("samples", "points") else (4,)
    wrong, good = np.zeros(shape, dtype), np.eye(4, 3)
    calls = {
        "samples": lambda: skde.density(wrong, bandwidth=H, **GRID),
        "weights": lambda: skde.Session(good, wrong),
        "points": lambda: skde.evaluate(good, wrong, bandwidth=H),
        "values": lambda: skde.smooth(good, wrong, good, bandwidth=H),
    }
    with pytest.raises(skde.UsageError, match="real numbers") as caught:
        calls[parameter]()
    assert caught.value.parameter == parameter


@given(st.sampled_from([(3,), (3, 4), (4, 2), (4, 4), (4, 3, 1), (), (0,), (1,)]), st.sampled_from(["samples", "points"]))
def test_other_shapes_are_refused(shape, parameter):
    wrong = np.zeros(shape)
    with pytest.raises(skde.UsageError, match=r"shape \(N, 3\)") as caught:
        if parameter == "samples":
            skde.Session(wrong)
        else:
            skde.evaluate(np.eye(4, 3), wrong, bandwidth=H)
    assert caught.value.parameter == parameter
    assert ("transpose" in caught.value.suggestion) == (shape == (3, 4))


@given(st.sampled_from([np.nan, np.inf, -np.inf]), st.integers(0, 11), st.sampled_from(["f2", "f4", "f8", "g", ">f4"]),
       st.sampled_from(["samples", "weights", "points"]))
def test_numbers_that_are_not_finite_are_refused(number, place, dtype, parameter):
    good, wrong = np.eye(4, 3), np.eye(4, 3).astype(dtype)
    wrong.ravel()[place] = number
    with pytest.raises(skde.InputError) as caught:
        if parameter == "samples":
            skde.density(wrong, bandwidth=H, **GRID)
        elif parameter == "weights":
            skde.density(np.zeros((12, 3)), wrong.ravel(), bandwidth=H, **GRID)
        else:
            skde.evaluate(good, wrong, bandwidth=H)
    assert caught.value.parameter == parameter


def test_no_sample_and_no_point():
    none = np.zeros((0, 3))
    with pytest.raises(skde.InputError, match="no samples"):
        skde.density(none, bandwidth=H, **GRID)
    with pytest.raises(skde.InputError, match="at least one point") as caught:
        skde.evaluate(np.eye(4, 3), none, bandwidth=H)
    assert caught.value.parameter == "points"


def test_one_sample_needs_a_bandwidth():
    with pytest.raises(skde.InputError, match="fewer than 2 distinct samples") as caught:
        skde.density([[1, 2, 3]])
    assert caught.value.parameter == "bandwidth"
    density = skde.density([[1, 2, 3]], bandwidth=H, engine="naive", **GRID)
    assert_is_density(density, [[1, 2, 3]], H, "epanechnikov")


def test_broadcast_rows_count_each():
    many = np.broadcast_to(np.array([1.0, 2, 3]), (7, 3))
    assert many.strides[0] == 0
    session = skde.Session(many)
    assert len(session) == 7
    assert_is_density(session.density(bandwidth=H, engine="naive", **GRID), many, H, "epanechnikov")


def test_lists_frames_and_masked_arrays(xyz):
    pandas = pytest.importorskip("pandas")
    expected = skde.evaluate(xyz, xyz)
    assert np.array_equal(skde.evaluate(xyz.tolist(), pandas.DataFrame(xyz)), expected)
    assert np.array_equal(skde.evaluate(np.ma.array(xyz), xyz), expected)
    with pytest.raises(skde.UsageError, match="masked") as caught:
        skde.density(np.ma.masked_greater(xyz, 1))
    assert caught.value.parameter == "samples"
    with pytest.raises(skde.UsageError, match="no array") as caught:
        skde.density([[1, 2, 3], [4, 5]])
    assert caught.value.parameter == "samples"


def test_data_frames_by_the_names_of_their_columns(xyz):
    pandas = pytest.importorskip("pandas")
    weights = np.arange(60.0)
    frame = pandas.DataFrame({"mass": weights, "Z": xyz[:, 2], "Y": xyz[:, 1], "h": weights + 1, "X": xyz[:, 0]})
    expected = skde.evaluate(xyz, xyz, weights)
    assert np.array_equal(skde.evaluate(frame, frame, "mass"), expected)
    assert np.array_equal(skde.evaluate(frame[["Z", "Y", "X"]], xyz, weights), expected)
    assert np.array_equal(skde.evaluate(frame, xyz, frame["mass"], columns=["X", "Y", "Z"]), expected)
    swapped = skde.evaluate(xyz[:, ::-1], xyz[:, ::-1], weights)
    assert np.array_equal(skde.evaluate(frame, xyz[:, ::-1], "mass", columns="Z,Y,X"), swapped)
    assert np.array_equal(skde.Session(frame, widths="h").evaluate(xyz), skde.Session(xyz, widths=weights + 1).evaluate(xyz))
    density = skde.density(frame, dims=5)
    assert np.array_equal(density.at(frame), density.at(xyz))
    for call, parameter in ((lambda: skde.density(frame, "w"), "weights"), (lambda: skde.density(frame[["X", "Y"]]), "samples"),
                            (lambda: skde.density(frame, columns=["a", "b", "c"]), "columns"),
                            (lambda: skde.density(frame.rename(columns={"X": "a"})), "samples")):
        with pytest.raises(skde.UsageError) as caught:
            call()
        assert caught.value.parameter == parameter
    other = pandas.DataFrame(xyz, columns=["a", "b", "c"])  # which leave no choice
    assert np.array_equal(skde.evaluate(other, xyz, weights), expected)
    assert np.array_equal(skde.evaluate(pandas.DataFrame(xyz), xyz, weights), expected)


def test_bandwidths_of_xarray(xyz):
    xarray = pytest.importorskip("xarray")
    array = xarray.DataArray(xyz, dims=("row", "axis"))
    lengths = array.std("row")
    assert np.allclose(skde.density(array, bandwidth=lengths, dims=5).H, np.diag(lengths.values ** 2))
    assert np.allclose(skde.density(xyz, bandwidth=lengths[0], covariance="iso", dims=5).h, lengths.values[0])


@pytest.mark.parametrize("weighted", [False, True])
def test_logarithms_however_far(weighted):
    random = np.random.default_rng(7)
    samples, weights = random.normal(size=(100, 3)), random.uniform(1, 2, 100) if weighted else None
    reach = 10.0 ** random.uniform(3, 150, 2000)
    ways = random.normal(size=(2000, 3))
    ways /= np.linalg.norm(ways, axis=1)[:, None]
    for kernel, power in (("gaussian", 2), ("exponential", 1)):
        found = skde.evaluate(samples, ways * reach[:, None], weights, kernel=kernel, bandwidth=np.eye(3), log=True)
        # That of the nearest sample at this distance, within a few: all samples are within 6 of the middle.
        expected = -(reach ** power) / power
        assert np.isfinite(found).all() and (np.abs(found / expected - 1) < 20 / reach + 1e-12 + 20 / -expected).all()
    means = skde.smooth(samples, samples[:, 0], ways * reach[:, None], weights, kernel="gaussian", bandwidth=np.eye(3))
    far = reach > 1e6  # where one sample is all, the one furthest on the way
    first = np.argmax(samples @ ways[far].T, axis=0)
    certain = np.diff(np.sort(samples @ ways[far].T, axis=0)[-2:], axis=0)[0] > 1e-3
    assert np.allclose(means[far][certain], samples[first, 0][certain])


WIDTHS = {
    "lengths": lambda h: (h[:, 0], h[:, 0, None, None] ** 2 * np.eye(3)),
    "three lengths": lambda h: (h, h[:, :, None] ** 2 * np.eye(3)),
    "matrices": lambda h: (h[:, :, None] ** 2 * np.eye(3) + 0.1, h[:, :, None] ** 2 * np.eye(3) + 0.1),
    "six numbers": lambda h: ((h[:, :, None] ** 2 * np.eye(3) + 0.1)[:, [0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]],
                              h[:, :, None] ** 2 * np.eye(3) + 0.1),
}


@pytest.mark.parametrize("form", WIDTHS)
@pytest.mark.parametrize("kernel", ["gaussian", "epanechnikov"])
def test_widths_in_all_forms(form, kernel):
    random = np.random.default_rng(3)
    samples, lengths = random.normal(size=(12, 3)), random.uniform(2.5, 4, size=(12, 3))
    widths, matrices = WIDTHS[form](lengths)
    density = skde.density(samples, widths=widths, kernel=kernel, tolerance=1e-12, min_width=0, engine="naive", **GRID)
    assert_is_density(density, samples, matrices, kernel)


def test_factors_scale_the_common_bandwidth():
    random = np.random.default_rng(4)
    samples, factors = random.normal(size=(12, 3)), random.uniform(0.8, 1.5, size=12)
    density = skde.density(samples, widths=factors, width_form="factor", bandwidth=3, covariance="iso", min_width=0,
                           engine="naive", **GRID)
    assert_is_density(density, samples, (3 * factors[:, None, None]) ** 2 * np.eye(3), "epanechnikov")


@pytest.mark.parametrize("form, kernel, h", [
    ("deviation", "gaussian", 1), ("deviation", "epanechnikov", 7**0.5), ("support", "epanechnikov", 1),
    ("fwhm", "gaussian", 1 / (8 * np.log(2))**0.5), ("fwhm", "epanechnikov", 0.5**0.5)])
def test_widths_that_follow_the_kernel(form, kernel, h):
    random = np.random.default_rng(5)
    samples, widths = random.normal(size=(12, 3)), random.uniform(2.5, 4, size=12)
    session = skde.Session(samples, widths=widths, width_form=form)
    for asked in ("epanechnikov", kernel):  # the kernel may change between densities
        if asked == "gaussian" and form == "support":
            continue
        density = session.density(kernel=asked, tolerance=1e-12, min_width=0, engine="naive", **GRID)
    assert_is_density(density, samples, (h * widths[:, None, None]) ** 2 * np.eye(3), kernel)
    if form == "support":
        with pytest.raises(skde.UsageError, match="never end"):
            session.density(kernel="gaussian", **GRID)


def test_smoothing_lengths_of_a_frame_are_what_they_are_in_files():
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(7)
    samples, widths = random.normal(size=(12, 3)), random.uniform(2, 4, 12)
    for name, times, kernel in (("SmoothingLengths", 2, "gaussian"), ("Hsml", 1, "epanechnikov")):
        frame = pandas.DataFrame(np.column_stack([samples, widths]), columns=["x", "y", "z", name])
        for given in (name, "auto"):
            density = skde.density(frame, widths=given, kernel=kernel, tolerance=1e-12, min_width=0, engine="naive", **GRID)
            assert_is_density(density, samples, (widths[:, None, None] / times) ** 2 * np.eye(3), kernel)


def test_columns_of_widths_that_follow_the_kernel(tmp_path):
    rows = np.column_stack([np.random.default_rng(6).normal(size=(12, 3)), np.full(12, 3.0)])
    path = tmp_path / "swift.csv"
    np.savetxt(path, rows, delimiter=",", header="x,y,z,SmoothingLengths", comments="")
    session = skde.Session(path, widths="auto")  # two deviations
    for kernel, h in (("gaussian", 1.5), ("epanechnikov", 1.5 * 7**0.5), ("gaussian", 1.5)):
        density = session.density(kernel=kernel, tolerance=1e-12, min_width=0, engine="naive", **GRID)
        assert_is_density(density, rows[:, :3], np.tile(h**2 * np.eye(3), (12, 1, 1)), kernel)


@pytest.mark.parametrize("widths, form, problem", [
    (np.ones(3), None, "a row for each"), (np.ones((4, 2)), None, "the shape"), (np.ones((4, 3, 2)), None, "the shape"),
    (-np.ones(4), None, "above 0"), (np.full(4, np.nan), None, "above 0"), (np.zeros((4, 6)), None, "covariance matrix"),
    (np.tile(np.arange(9.0).reshape(3, 3) + 9 * np.eye(3), (4, 1, 1)), None, "symmetric"),
    (np.zeros(4), "factor", "above 0"), (np.ones((4, 3)), "factor", "one number"), ("auto", None, "real numbers")])
def test_wrong_widths(widths, form, problem):
    with pytest.raises(ValueError, match=problem) as caught:
        skde.Session(np.eye(4, 3), widths=widths, width_form=form)
    assert isinstance(caught.value, skde.Error)
    assert caught.value.parameter in ("widths", "width_form")


def test_doubles_are_shared_and_others_are_not(xyz):
    for array, shared in ((xyz, True), (xyz.astype("f4"), False), (np.asfortranarray(xyz), False)):
        array = array.copy(order="K")
        alive = weakref.ref(array)
        session = skde.Session(array)
        expected = session.evaluate([[0, 0, 0]])
        del array
        gc.collect()
        assert (alive() is not None) == shared
        assert np.array_equal(session.evaluate([[0, 0, 0]]), expected)
        del session
        gc.collect()
        assert alive() is None
