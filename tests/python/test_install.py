"""The package where `cmake --install` and pip put it, in an environment of its own: found, and computing."""

import os
import re
import subprocess
import sys
import venv
from pathlib import Path

import pytest

import skde

BUILD = Path(skde.__file__).parents[2]
SOURCES = Path(__file__).parents[2] / "src" / "python"
USE = """
import pathlib, sys
import numpy as np, skde
xyz = np.random.default_rng(1).normal(size=(100, 3))
d = skde.density(xyz, dims=16)
d.save(sys.argv[1] + "/d.nc")  # by the libraries of formats beside it
assert np.array_equal(skde.read(sys.argv[1] + "/d.nc").values, d.values)
package = pathlib.Path(skde.__file__).parent
assert (package / "py.typed").is_file() and (package / "__init__.pyi").is_file()
print(skde.__version__, package)
"""


def use(python, folder, **environment):
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "SKDE_LIBEXEC")}
    run = subprocess.run([python, "-B", "-c", USE, folder], capture_output=True, text=True, cwd=folder, check=False,
                         env={**clean, **environment})
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout.split()


@pytest.fixture
def is_built():
    if not (BUILD / "cmake_install.cmake").exists():
        pytest.skip("the package is not in a build folder")


def test_cmake_installs_it(is_built, tmp_path):
    prefix = tmp_path / "root"
    subprocess.run(["cmake", "--install", BUILD, "--component", "python", "--prefix", prefix], check=True,
                   capture_output=True)
    (package,) = prefix.rglob("_skde.*")
    assert package.parent.name == "skde" and package.parents[1].name in ("dist-packages", "site-packages")
    assert not any(path.is_symlink() for path in prefix.rglob("*"))
    version, place = use(sys.executable, str(tmp_path), PYTHONPATH=str(package.parents[1]))
    assert version == skde.__version__ and Path(place) == package.parent


@pytest.fixture
def environment(tmp_path):
    """Python of a new environment, with pip."""
    pytest.importorskip("setuptools")
    pytest.importorskip("wheel")
    try:
        venv.create(tmp_path / "env", system_site_packages=True, with_pip=True)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"no environments here: {error}")
    return tmp_path / "env" / "bin" / "python3"


def pip(python, *arguments, fails=False, **variables):
    run = subprocess.run([python, "-m", "pip", *arguments], capture_output=True, text=True, check=False,
                         env={**os.environ, "PYTHONPATH": "", **variables})
    assert (run.returncode != 0) == fails, run.stdout + run.stderr
    return run.stdout + run.stderr


def test_pip_installs_it(is_built, environment, tmp_path):
    pip(environment, "install", "--no-build-isolation", "--no-index", "--no-deps", SOURCES, SKDE_BUILD=str(BUILD))
    version, place = use(environment, str(tmp_path))
    assert version == skde.__version__ and Path(place).is_relative_to(tmp_path / "env")


def needed(file):
    listed = subprocess.run(["readelf", "-d", file], capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"\(NEEDED\).*\[(.*)\]", listed))


def test_the_wheel_has_all_libraries_but_those_of_every_debian(is_built, environment, tmp_path):
    pip(environment, "wheel", "--no-build-isolation", "--no-index", "--no-deps", "-w", tmp_path, SOURCES,
        SKDE_BUILD=str(BUILD), SKDE_WHEEL="1")
    (wheel,) = tmp_path.glob("*.whl")
    subprocess.run([environment, "-m", "zipfile", "-e", wheel, tmp_path / "files"], check=True)
    package = tmp_path / "files/skde"
    there = {file.name for file in (package / "libs").iterdir()} | set(
        "libc.so.6 libm.so.6 libstdc++.so.6 libgcc_s.so.1 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1".split())
    (module,) = package.glob("_skde.*")
    for file in module, package / "skde-reader", *(package / "libs").iterdir():
        assert needed(file) <= there, file
    if "SKDE_WITH_CUDA:BOOL=OFF" in (BUILD / "CMakeCache.txt").read_text():
        assert wheel.stat().st_size < 15e6
    pip(environment, "install", "--no-index", "--no-deps", wheel)
    version, place = use(environment, str(tmp_path))
    assert version == skde.__version__ and Path(place).is_relative_to(tmp_path / "env")


FAKE_TOOL = """#!/bin/sh
case "$*" in
*--build*) echo "[1/2] first"; echo "[2/2] second" ;;
*--install*) for last; do :; done; while [ "$1" != --prefix ]; do shift; done; mkdir -p "$2/skde"; touch "$2/skde/_skde.so" ;;
esac
"""


def test_pip_shows_progress_and_leaves_nothing(environment, tmp_path):
    tools = tmp_path / "tools"
    tools.mkdir()
    for name in ("cmake", "ninja", "c++"):
        (tools / name).write_text(FAKE_TOOL)
        (tools / name).chmod(0o755)
    ordinary = {"CMAKE_ARGS": "-Dpybind11_DIR=here", "PATH": f"{tools}:/usr/bin:/bin"}
    before = sorted(SOURCES.rglob("*")), sorted(os.listdir(SOURCES.parents[1]))
    shown = pip(environment, "install", "--no-build-isolation", "--no-index", "--no-deps", SOURCES, **ordinary)
    assert "skde: compiling, 50 %\nskde: compiling, 100 %\n" in shown
    assert before == (sorted(SOURCES.rglob("*")), sorted(os.listdir(SOURCES.parents[1])))


def test_pip_names_missing_tools_in_one_line(environment, tmp_path):
    said = pip(environment, "install", "--no-build-isolation", "--no-index", "--no-deps", SOURCES, fails=True,
               PATH=str(tmp_path), CXX="no-such-compiler")
    assert "skde: the build needs packages that are not here: apt-get install cmake ninja-build g++" in said
    assert "Traceback" not in said
