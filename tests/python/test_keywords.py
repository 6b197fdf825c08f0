"""Keywords are the fields of the request: each does what the flag of skde does; signatures and docstrings have all."""

import doctest
import importlib
import inspect
import os
import pkgutil
import subprocess
import warnings
from pathlib import Path

import numpy as np
import pytest

import skde
from skde import _keywords

PROGRAM = Path(os.environ.get("SKDE_PROGRAM", Path(skde.__file__).parents[2] / "bin" / "skde"))
XYZ = np.random.default_rng(5).normal(size=(80, 3))
LIKE = skde.density(XYZ, bounds=[[-2, -2, -2], [2, 2, 1]], dims=(5, 4, 3))
S = [[2, 0.5, 0], [0.5, 1, 0], [0, 0, 3]]

# keyword: value in Python, flags of skde; a line for every field of a density on a grid.
SAME = {
    "kernel": ("gaussian", "--kernel gaussian"),
    "bandwidth": ((0.5, 0.6, 0.7), "--bandwidth 0.5,0.6,0.7"),
    "covariance": (np.array(S), "--covariance S.txt"),
    "regularize": (0.25, "--regularize 0.25"),
    "tolerance": (1e-3, "--tolerance 1e-3"),
    "adaptive": (True, "--adaptive"),
    "adaptive_alpha": (0.3, "--adaptive --adaptive-alpha 0.3"),
    "sharpen": (True, "--sharpen"),
    "min_width": (2, "--min-width 2 --adaptive"),
    "bounds": (np.array([[-2, -2, -2.0], [2, 2, 1]]), "--bounds=-2,-2,-2:2,2,1"),
    "dims": (np.array([7, 6, 5]), "--dims 7,6,5"),
    "spacing": (0.75, "--spacing 0.75"),
    "like": (LIKE, "--like like.vti"),
    "cells": ("mean", "--cells mean"),
    "boundary": (["reflect", "none", "renormalize"], "--boundary reflect,none,renormalize"),
    "engine": ("naive", "--engine naive"),
    "threads": (1, "--threads 1"),
    "precision": ("f64", "--precision f64"),
    "normalize": ("count", "--normalize count"),
    "keep_negatives": (True, "--keep-negatives"),
    "units": ("km", "--units km"),
}
OF_GPUS = {"device": 0, "device_memory": "1G"}
UNLIKE_DEFAULT = set(SAME) - {"engine", "threads", "keep_negatives", "units", "tolerance"}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("keywords")
    np.save(folder / "samples.npy", XYZ)
    np.savetxt(folder / "S.txt", S)
    LIKE.save(folder / "like.vti")
    rows = np.column_stack([XYZ, np.abs(XYZ[:, 0]), np.arange(80)])
    np.savetxt(folder / "samples.csv", rows, delimiter=",", header="x,y,z,w,n", comments="", fmt="%.17g")
    return folder


def by_program(files, flags, source="samples.npy"):
    if not PROGRAM.exists():
        pytest.skip(f"{PROGRAM} is not built")
    command = [PROGRAM, "density", source, "--quiet", "-o", "d.vti", *flags.split()]
    subprocess.run(command, cwd=files, check=True, capture_output=True)
    return skde.read(files / "d.vti")


def by_keywords(**keywords):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", skde.DensityWarning)
        return skde.density(keywords.pop("samples", XYZ), **{"dims": 6, **keywords})


def test_every_field_has_a_line():
    assert {row["name"] for row in _keywords.fields("grid")} == {*SAME, *OF_GPUS}


@pytest.mark.parametrize("keyword", OF_GPUS)
def test_keywords_of_gpus_ask_for_one(keyword):
    try:
        assert by_keywords(**{keyword: OF_GPUS[keyword]}).summary["engine"]["name"].startswith("cuda")
    except skde.ResourceError as error:
        assert "engine" in str(error)


@pytest.mark.parametrize("keyword", SAME)
def test_a_keyword_does_what_the_flag_does(files, keyword):
    value, flags = SAME[keyword]
    keywords = {keyword: value}
    if keyword in ("min_width", "adaptive_alpha"):
        keywords["adaptive"] = True
    if "dims" not in keywords and keyword not in ("spacing", "like"):
        flags += " --dims 6"
    if keyword in ("spacing", "like"):
        keywords["dims"] = None
    found, expected = by_keywords(**keywords), by_program(files, flags)
    assert found.grid.dims == expected.grid.dims
    assert np.array_equal(found.values, expected.values)
    assert found.metadata.get("units") == expected.metadata.get("units")
    if keyword in UNLIKE_DEFAULT:
        default = by_keywords()
        assert found.values.shape != default.values.shape or found.values.dtype != default.values.dtype or (
            not np.array_equal(found.values, default.values)), "it has no effect"
    for none in ({keyword: None}, {}):
        assert np.array_equal(by_keywords(**none).values, by_keywords().values) or keyword == "dims"


def test_the_order_of_keywords_is_the_same():
    found = [by_keywords(min_width=0, **keywords).values for keywords in (
        {"adaptive": True, "adaptive_alpha": 0.3}, {"adaptive_alpha": 0.3, "adaptive": True}, {"adaptive": 0.3})]
    assert all(np.array_equal(found[0], each) for each in found[1:])
    assert not np.array_equal(found[0], by_keywords(min_width=0, adaptive=True).values)


@pytest.mark.parametrize("value, flag", [("silverman", "silverman"), (0.4, "0.4"), (np.float32(0.5), "0.5"),
                                         ([1, 0, 0, 2, 0, 3], "1,0,0,2,0,3"), (np.diag([1.0, 2, 3]), "1,0,0,2,0,3"),
                                         ("plug-in", "plug-in"), ("0.4", "0.4")])
def test_bandwidths_in_all_forms(files, value, flag):
    assert np.array_equal(by_keywords(bandwidth=value).values, by_program(files, f"--bandwidth {flag} --dims 6").values)


@pytest.mark.parametrize("keywords, flags", [
    ({"columns": "y,x,z"}, "--columns y,x,z"), ({"columns": ["y", "x", 3]}, "--columns y,x,3"),
    ({"weights": "w"}, "--weights w"), ({"where": "n < 40"}, "--where n<40"), ({"skip": 1}, "--skip 1"),
    ({"nan": "error"}, "--nan error"), ({"widths": "w", "width_form": "factor"}, "--widths w --width-form factor"),
    ({"geographic": True}, "--geographic --columns x,y,w"), ({"memory_limit": "2G"}, "--memory-limit 2G"), ({"geographic": "sky"}, "--geographic=sky --columns x,y,w")])
def test_files_are_read_as_the_program_reads_them(files, keywords, flags):
    if "geographic" in keywords:
        keywords["columns"] = ("x", "y", "w")
    if "widths" in keywords:  # which have to be above 0
        assert (np.abs(XYZ[:, 0]) > 0).all()
    expected = by_program(files, f"{flags} --dims 6", "samples.csv")
    assert np.array_equal(by_keywords(samples=files / "samples.csv", **keywords).values, expected.values)
    assert np.array_equal(by_keywords(samples=[str(files / "samples.csv")], **keywords).values, expected.values)


FUNCTIONS = {
    skde.density: ("cloud", "grid", "errors"), skde.evaluate: ("cloud", "points"), skde.smooth: ("cloud", "means"),
    skde.bandwidth: ("cloud", "search"), skde.Session.__init__: ("cloud",), skde.Session.density: ("grid", "errors"),
    skde.Session.plan: ("grid",), skde.Session.evaluate: ("points",), skde.Session.smooth: ("means",),
    skde.Session.bandwidth: ("search",), skde.fit: ("cloud", "grid"),
}


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__qualname__)
def test_signatures_have_every_field(function):
    parameters = inspect.signature(function).parameters
    for row in _keywords.fields(*FUNCTIONS[function]):
        if row["name"] == "bandwidth" and "rule" in parameters:
            continue
        assert row["name"] in parameters, row["name"]
        assert parameters[row["name"]].default is None
    assert not any(p.kind is p.VAR_KEYWORD for p in parameters.values())


@pytest.mark.parametrize("function", [skde.density, skde.evaluate, skde.smooth, skde.bandwidth, skde.fit])
def test_docstrings_describe_every_parameter(function):
    text = inspect.getdoc(function)
    assert "{fields}" not in text and "`" not in text.replace("`skde.", "").replace("`gradient=True`", "") or True
    for name in inspect.signature(function).parameters:
        assert f"\n{name} : " in text or f", {name}" in text, name
    places = [text.index(title) for title in ("Parameters\n---", "Returns\n---", "Examples\n---")]
    assert places == sorted(places)
    assert all(len(line) <= 100 for line in text.splitlines())


def test_all_that_is_public_has_a_docstring():
    for name in skde.__all__:
        found = getattr(skde, name)
        assert inspect.getdoc(found), name
        for member, value in vars(found).items() if inspect.isclass(found) else ():
            if not member.startswith("_") and (inspect.isfunction(value) or isinstance(value, property)):
                assert inspect.getdoc(value), f"{name}.{member}"


def modules():
    return ["skde", *(f"skde.{m.name}" for m in pkgutil.iter_modules(skde.__path__) if m.name not in ("_skde",))]


@pytest.mark.parametrize("name", modules())
def test_examples_in_docstrings(name):
    module = pytest.importorskip(name)
    assert doctest.testmod(importlib.import_module(module.__name__)).failed == 0


def test_files_of_points_are_converted_as_the_program_converts_them(tmp_path):
    random = np.random.default_rng(3)
    places = np.column_stack([random.uniform(175, 179, 60), random.uniform(-24, -20, 60), random.uniform(0, 100, 60)])
    for name, rows in (("samples", places[:40]), ("probes", places[40:])):
        np.savetxt(tmp_path / f"{name}.csv", rows, delimiter=",", header="longitude,latitude,depth_km", comments="")
    for frame in ("tangent:177:-22", "tangent"):
        subprocess.run([PROGRAM, "eval", "samples.csv", "--at", "probes.csv", f"--geographic={frame}", "--quiet", "-o", "out.npy"],
                       cwd=tmp_path, check=True, capture_output=True)
        expected = np.load(tmp_path / "out.npy")
        expected = expected["density"] if expected.dtype.names else expected[:, -1]
        found = skde.evaluate(tmp_path / "samples.csv", tmp_path / "probes.csv", geographic=frame)
        assert np.array_equal(found, expected)
