"""Types of the package, by mypy: right uses pass under --strict, and each wrong one is reported."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import skde

RIGHT = """
import numpy as np
from numpy.typing import NDArray
import skde
from skde.scipy import gaussian_kde
from skde.sklearn import KernelDensity

xyz: NDArray[np.float32] = np.zeros((9, 3), np.float32)
d: skde.Density = skde.density(xyz, np.ones(9), kernel="gaussian", bandwidth=[0.1, 0.2, 0.3], dims=(8, 8, 8))
skde.density([[0, 0, 0], [1, 1, 1]], bandwidth="lscv", dims=256, progress=True)
skde.density("a.csv", weights="mass", columns=["x", "y", 3], where="z > 1", covariance=np.eye(3), memory_limit="2G")
skde.density(xyz, like=d, boundary="reflect", adaptive=True, precision="f64", normalize="box")
skde.density(xyz, like=d.grid, boundary=("reflect", "none", "periodic"), bounds=[[0, 0, 0], [1, 1, 1]])
session = skde.Session(xyz, widths=np.ones(9), width_form="factor")
e: skde.Density = session.density(bandwidth=0.3, spacing=(1, 1, 2), progress=lambda stage, done, total, unit: None)
plan: dict[str, object] = session.plan(dims=512)
h: float = skde.bandwidth(xyz, rule="scott", kernel="biweight").h
values = skde.evaluate(xyz, xyz, loo=False, tolerance=1e-3, threads=2)
mass: float = d.mass + e.grid.cell_volume
array: NDArray[np.float64] = np.asarray(d, np.float64)
x, y, z = d.grid.axes
d.save("d.vti")
skde.density(xyz, bandwidth=np.float64(0.3), dims=np.int64(8), spacing=np.float32(1), threads=np.int32(2))
skde.density(xyz, bandwidth=skde.bandwidth(xyz), tolerance=np.float32(1e-3)).sample(np.int64(3), seed=np.uint8(1))
scores: NDArray[np.float64] = KernelDensity(bandwidth=0.3).fit(xyz).score_samples(xyz)
there: NDArray[np.float64] = gaussian_kde(xyz.T, "scott")(xyz.T)
m: skde.Mixture = skde.fit(d, k=64, loss="likelihood", engine="cpu")
skde.fit(xyz, error=0.02, dims=64, weights=np.ones(9)).save("m.ply")
by_masses, by_means, by_covariances = skde.Mixture(m.masses, m.means, m.covariances).gradient(d.grid, d.values)
e = skde.Mixture.read("m.ply").on(like=d, precision="f64")
share: float = m.facts["relative_error"] * len(m)
found: dict[str, object] = skde.compare(d, e, normalize=True)
try:
    skde.read("d.vti").levels([0.5, 0.95])
except skde.UsageError as error:
    print(error.parameter.upper(), error.suggestion.upper())
"""
WRONG = """
import skde
d = skde.density([[0, 0, 0]], kernel="gausian")  # wrong
skde.density([[0, 0, 0]], kernal="gaussian")  # wrong
skde.density([[0, 0, 0]], dims="many")  # wrong
skde.density([[0, 0, 0]], precision="f16")  # wrong
skde.density([[0, 0, 0]], boundary=["reflekt", "none", "none"])  # wrong
skde.density([[0, 0, 0]], adaptive="no")  # wrong
skde.Session([[0, 0, 0]], kernel="gaussian")  # wrong
skde.Session([[0, 0, 0]]).density(weights="w")  # wrong
skde.evaluate([[0, 0, 0]], [[0, 0, 0]], dims=8)  # wrong
skde.bandwidth([[0, 0, 0]], rule=3)  # wrong
skde.compare(d, 3)  # wrong
d.mass = 3.0  # wrong
skde.fit(d, k="64")  # wrong
skde.fit(d, loss="l1")  # wrong
skde.Mixture.read(3)  # wrong
d.grid.dims = (1, 2, 3)  # wrong
d.save(3)  # wrong
d.vales  # wrong
text: str = d.mass  # wrong
"""


def test_types_by_mypy(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "right.py").write_text(RIGHT)
    (tmp_path / "wrong.py").write_text(WRONG)
    package = Path(skde.__file__).parent
    run = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", package.parent / ".mypy_cache",
                          "right.py", "wrong.py"], cwd=tmp_path, capture_output=True, text=True, check=False,
                         env={**os.environ, "MYPYPATH": str(package.parent)})
    reported = {tuple(line.split(":")[:2]) for line in run.stdout.splitlines() if ": error:" in line}
    expected = {("wrong.py", str(number)) for number, line in enumerate(WRONG.splitlines(), 1) if "# wrong" in line}
    assert reported == expected, run.stdout + run.stderr


def test_stubs_have_all_that_is_public():
    stub = (Path(skde.__file__).parent / "__init__.pyi").read_text()
    for name in skde.__all__:
        assert f"class {name}" in stub or f"def {name}(" in stub, name
