"""Exceptions and warnings: their classes, the parameter that they name, the line that they are of."""

import inspect
import os
import warnings

import numpy as np
import pytest

import skde

XYZ = np.random.default_rng(1).normal(size=(60, 3))
FINE = skde.density(XYZ, dims=8)


def density(**keywords):
    return skde.density(XYZ, **{"dims": (6, 5, 4), **keywords})


NESTED = []
NESTED.append(NESTED)

# keyword, a value that cannot be used, exception, a part of what it says.
WRONG = [
    ("kernel", 3, skde.UsageError, "kernel"),
    ("kernel", "gausian", skde.UsageError, "did you mean 'gaussian'"),
    ("bandwidth", float("nan"), skde.UsageError, "must be finite"),
    ("bandwidth", (1, 2), skde.UsageError, "bandwidth"),
    ("bandwidth", np.arange(9.0).reshape(3, 3), skde.UsageError, "must be symmetric"),
    ("bandwidth", -np.eye(3), skde.UsageError, "bandwidth"),
    ("covariance", np.eye(2), skde.UsageError, "covariance"),
    ("covariance", [[1, 0.5, 0], [99, 1, 0], [7, 8, 1]], skde.UsageError, "must be symmetric"),
    ("dims", NESTED, skde.UsageError, "nested"),
    ("bandwidth", NESTED, skde.UsageError, "nested"),
    ("bounds", [[1, 1, 1]], skde.UsageError, "bounds"),
    ("dims", 2**70, skde.UsageError, "64 bits"),
    ("memory_limit", "1K", skde.ResourceError, "raise memory_limit"),
]
# Texts that no field of a density takes; what other values each takes is tested where they are parsed.
OF_TEXTS = {"like", "units"}
WRONG += [(row["name"], "?,;", skde.UsageError, "") for row in skde._keywords.fields("grid") if row["name"] not in OF_TEXTS]


@pytest.mark.parametrize("keyword, value, kind, problem", WRONG, ids=[f"{row[0]}={row[1]}"[:60] for row in WRONG])
def test_wrong_values_name_their_keyword(keyword, value, kind, problem):
    with pytest.raises(kind) as caught:
        density(**{keyword: value})
    error = caught.value
    assert problem in str(error) and "`" not in str(error) and "--" not in str(error)
    assert error.parameter == keyword
    assert error.kind == ("usage" if kind is skde.UsageError else "resources")
    assert error.suggestion in str(error)


def test_what_does_not_fit_says_what_to_change():
    with pytest.raises(MemoryError, match="use smaller dims") as caught:
        density(dims=100000)
    assert caught.value.parameter == "memory_limit"
    with pytest.raises(skde.InputError, match="cannot be opened"):
        skde.density(XYZ, like="none.vti")


def test_classes_are_those_of_python():
    for kind, base in ((skde.UsageError, ValueError), (skde.InputError, ValueError), (skde.OutputError, OSError),
                       (skde.ResourceError, MemoryError)):
        assert issubclass(kind, base) and issubclass(kind, skde.Error)
    assert issubclass(skde.DensityWarning, UserWarning)


@pytest.mark.parametrize("call, typed, meant", [
    (density, "kernal", "kernel"), (density, "bandwith", "bandwidth"), (density, "dim", "dims"),
    (lambda **k: skde.Session("x.csv", **k), "colums", "columns"),
    (lambda **k: skde.Session(XYZ, **k), "memory_limt", "memory_limit"),
    (lambda **k: skde.evaluate(XYZ, XYZ, **k), "toleranc", "tolerance"),
    (lambda **k: skde.smooth(XYZ, XYZ, XYZ, **k), "bandwidht", "bandwidth"),
    (lambda **k: skde.bandwidth(XYZ, **k), "kernels", "kernel")])
def test_unknown_keywords_suggest_one(call, typed, meant):
    with pytest.raises(TypeError, match=f"unknown keyword '{typed}'; did you mean '{meant}'"):
        call(**{typed: 1})


@pytest.mark.parametrize("call, keyword, value", [
    (lambda **k: skde.evaluate(XYZ, XYZ, **k), "dims", 8), (lambda **k: skde.bandwidth(XYZ, **k), "dims", 8),
    (skde.Session(XYZ).density, "weights", "w"), (skde.Session(XYZ).density, "memory_limit", "2G"),
    (lambda **k: skde.Session(XYZ, **k), "kernel", "gaussian"), (lambda **k: skde.Session(XYZ, **k), "where", "x > 1")])
def test_keywords_without_effect_are_refused(call, keyword, value):
    with pytest.raises(TypeError, match=f"'{keyword}' (has no effect on|is about)"):
        call(**{keyword: value})


@pytest.mark.parametrize("keywords", [
    {"dims": 8, "like": FINE}, {"bounds": [[-9, -9, -9], [9, 9, 9]], "like": FINE}, {"engine": "naive", "device": 0},
    {"engine": "cuda-naive", "threads": 2}, {"covariance": "iso", "regularize": 0.1, "bandwidth": 0.4}, {"spacing": 1, "like": FINE.grid}, {"threads": 1, "device": 0}, {"adaptive_alpha": 0.4},
    {"covariance": "diag", "bandwidth": (1, 1, 1)}, {"regularize": 0.1, "bandwidth": np.eye(3)}, {"min_width": 2},
    {"adaptive": True, "widths": np.ones(60)}, {"bandwidth": 0.3, "widths": np.ones(60)}], ids=str)
def test_keywords_that_contradict_each_other(keywords):
    with pytest.raises(skde.UsageError, match="contradicts|has no effect") as caught:
        skde.density(XYZ, **keywords)
    assert caught.value.parameter in keywords and "drop" in caught.value.suggestion
    assert density(widths=np.ones(60), width_form="factor", bandwidth=0.9).values.max() > 0


@pytest.mark.parametrize("call, keyword, value", [
    (skde.smooth, "dims", 8), (skde.smooth, "bounds", [[-9, -9, -9], [9, 9, 9]]), (skde.smooth, "like", FINE),
    (skde.evaluate, "bounds", [[-9, -9, -9], [9, 9, 9]])])
def test_points_have_no_cells(call, keyword, value):
    given = (XYZ, XYZ[:, 0], XYZ) if call is skde.smooth else (XYZ, XYZ)
    with pytest.raises(skde.UsageError, match="has no effect on values at points") as caught:
        call(*given, **{keyword: value})
    assert caught.value.parameter == keyword
    if keyword != "dims":
        call(*given, boundary="reflect", **{keyword: value})


def test_a_volume_takes_no_keywords(tmp_path):
    FINE.save(tmp_path / "v.vti")
    for keyword, value in (("bandwidth", 3), ("dims", 8), ("where", "x > 1"), ("columns", "x,y,z"), ("weights", "w")):
        with pytest.raises(TypeError, match=f"'{keyword}' has no effect on a volume"):
            skde.density(tmp_path / "v.vti", **{keyword: value})
    assert skde.density(tmp_path / "v.vti", units="km").metadata["units"] == "km"


@pytest.mark.parametrize("keyword", ["files", "hardware", "covariance_matrix", "geographic_units"])
def test_inner_fields_are_no_keywords(keyword):
    with pytest.raises(TypeError, match="unknown keyword"):
        density(**{keyword: 1})


def test_values_of_other_types():
    for value in (object(), {1, 2}, np.float64, b"x"):
        with pytest.raises((TypeError, ValueError), match="bandwidth"):
            density(bandwidth=value)


@pytest.mark.parametrize("call, parameter", [
    (lambda: FINE.levels(1.5), "mass"), (lambda: FINE.levels([[0.5, 0.6]]), "mass"),
    (lambda: FINE.isosurface(), "level"), (lambda: FINE.isosurface(-1), "level"),
    (lambda: FINE.peaks(0.7), "significance"), (lambda: FINE.peaks(prominence=2), "prominence"),
    (lambda: FINE.clusters(1.5), "mass"), (lambda: FINE.clusters(touching=8), "touching"),
    (lambda: FINE.clusters(points=[[1, 2]]), "points"), (lambda: FINE.mass_in(), "box"),
    (lambda: FINE.mass_in(box=[[0, 0, 0], [1, 0, 1]]), "box"), (lambda: FINE.mass_in(sphere=([0, 0, 0], 0)), "sphere"),
    (lambda: FINE.mass_in(half_space=([0, 0, 0], 1)), "half_space"),
    (lambda: FINE.mass_in(mesh=([[0, 0, 0]], [[0, 0, 1]])), "mesh"),
    (lambda: FINE.slice("w"), "axis"), (lambda: FINE.slice("x", 1e3), "at"), (lambda: FINE.projection(kind="x"), "kind"),
    (lambda: FINE.sample(-1), "count"), (lambda: FINE.sample(1, seed=-1), "seed"),
    (lambda: FINE.compare(FINE, resample="C"), "resample"), (lambda: skde.evaluate(XYZ), "points"),
    (lambda: skde.evaluate(XYZ, XYZ, loo=True), "points"), (lambda: skde.smooth(XYZ, XYZ[:3], XYZ), "values"),
    (lambda: skde.bandwidth(XYZ, rule="nope"), "bandwidth"), (lambda: FINE.at([0, 0]), "points"),
    (lambda: skde.Session(XYZ, np.ones(3)), "weights"), (lambda: skde.Session("x.csv", weights=np.ones(3)), "weights")])
def test_other_arguments(call, parameter):
    with pytest.raises(skde.UsageError) as caught:
        call()
    assert caught.value.parameter == parameter


def test_counts_are_whole():
    with pytest.raises(TypeError):
        FINE.sample(3.7)


def test_files_that_cannot_be_read(tmp_path):
    for call in (lambda: skde.density(tmp_path / "none.csv"), lambda: skde.read(tmp_path / "none.vti"),
                 lambda: skde.Mixture.read(tmp_path / "none.ply"), lambda: skde.Session([tmp_path / "none.npy"]),
                 lambda: skde.density(XYZ, like=tmp_path / "none.nc"), lambda: skde.density(os.fsdecode(b"none\xff.csv")),
                 lambda: skde.sort_file(tmp_path / "none.npy", tmp_path / "out.npy")):
        with pytest.raises(FileNotFoundError, match="cannot be opened") as caught:
            call()
        assert isinstance(caught.value, skde.InputError)
    (tmp_path / "words.csv").write_text("a,b,c\nx,y,z\n")
    with pytest.raises(skde.InputError, match="words.csv"):
        skde.density(tmp_path / "words.csv")


@pytest.mark.parametrize("call, row, parameter", [
    (lambda: skde.smooth(XYZ, np.where(np.arange(60) == 7, np.nan, 1), XYZ[:1]), "sample 7", "values"),
    (lambda: skde.evaluate(XYZ, [[0, 0, 0], [0, np.inf, 0]]), "point 1", "points"),
    (lambda: skde.sort([[0, 0, 0], [np.nan, 0, 0]]), "row 1", "points"),
    (lambda: skde.organise([[0, 0, 0], [0, 0, 0], [np.nan, 0, 0]], engine="cpu"), "row 2", "values"),
    (lambda: skde.density([[0, 0, 0], [np.nan, 0, 0]]), "sample 1", "samples")])
def test_rows_of_arrays_count_from_0(call, row, parameter):
    with pytest.raises(skde.InputError, match=rf"{row} \(from 0\)") as caught:
        call()
    assert caught.value.parameter == parameter


def test_what_is_no_array_or_no_word():
    with open(__file__) as file:
        with pytest.raises(skde.UsageError, match="real numbers"):
            skde.density(file)
        assert file.readline()  # which is not detached
    with pytest.raises(skde.UsageError, match="morton") as caught:
        skde.sort(XYZ, by=None)
    assert caught.value.parameter == "by"
    with pytest.raises(TypeError, match="seed"):
        FINE.sample(5, seed=None)


def line_here():
    return inspect.currentframe().f_back.f_lineno


@pytest.mark.parametrize("call", [lambda: (skde.density(XYZ, dims=3), line_here()),
                                  lambda: (skde.Session(XYZ).density(dims=3), line_here())])
def test_warnings_are_of_the_line_that_calls(call):
    with pytest.warns(skde.DensityWarning, match="of the mass") as caught:
        _, line = call()
    assert len(caught) == 1
    assert (caught[0].filename, caught[0].lineno) == (__file__, line)
    assert caught[0].message.kind and "--" not in str(caught[0].message)


def test_warnings_can_be_errors_and_silenced():
    with warnings.catch_warnings():
        warnings.simplefilter("error", skde.DensityWarning)
        with pytest.raises(skde.DensityWarning):
            skde.density(XYZ, dims=3)
        warnings.simplefilter("ignore", skde.DensityWarning)
        assert skde.density(XYZ, dims=3).values.max() > 0
