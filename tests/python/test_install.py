"""The package where `cmake --install` and pip put it, in an environment of its own: found, and computing."""

import os
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


def test_pip_installs_it(is_built, tmp_path):
    pytest.importorskip("setuptools")
    pytest.importorskip("wheel")
    try:
        venv.create(tmp_path / "env", system_site_packages=True, with_pip=True)
    except subprocess.CalledProcessError as error:
        pytest.skip(f"no environments here: {error}")
    python = tmp_path / "env" / "bin" / "python3"
    run = subprocess.run([python, "-m", "pip", "install", "--no-build-isolation", "--no-index", "--no-deps", SOURCES],
                         capture_output=True, text=True, check=False, env={**os.environ, "SKDE_BUILD": str(BUILD),
                                                                          "PYTHONPATH": ""})
    assert run.returncode == 0, run.stdout + run.stderr
    version, place = use(python, str(tmp_path))
    assert version == skde.__version__ and Path(place).is_relative_to(tmp_path / "env")
