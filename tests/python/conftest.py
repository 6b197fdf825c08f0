"""What the tests of the Python module share."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import settings

import skde

settings.register_profile("skde", deadline=None, max_examples=60, derandomize=True, database=None)  # no test asserts a time
settings.load_profile("skde")


def pytest_configure(config):
    config.addinivalue_line("filterwarnings", "ignore::skde.DensityWarning")


@pytest.fixture
def xyz():
    return np.random.default_rng(1).normal(size=(60, 3))


@pytest.fixture(scope="session")
def known():
    """A mixture of three Gaussians that hardly overlap."""
    return skde.Mixture([0.5, 0.3, 0.2], [[-2, 0, 1], [2, 1, -1], [0, -3, 0]],
                        [[[1, 0.3, 0], [0.3, 0.8, 0], [0, 0, 0.6]], [[0.5, 0, 0.1], [0, 0.7, -0.2], [0.1, -0.2, 1.2]],
                         [[0.9, -0.4, 0], [-0.4, 0.9, 0.1], [0, 0.1, 0.5]]])


@pytest.fixture(scope="session")
def volume(known, tmp_path_factory):
    """A file of its density."""
    path = tmp_path_factory.mktemp("mixture") / "known.vti"
    known.on(bounds=[[-7, -8, -6], [7, 7, 6]], dims=(28, 30, 24), precision="f64").save(path)
    return path


@pytest.fixture
def run_python():
    """Runs a program of its own, and returns what it prints; it fails where the program does."""

    def run(code, timeout=120):
        found = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, timeout=timeout,
                               env=os.environ, check=False)
        assert found.returncode == 0, found.stdout + found.stderr
        return found.stdout

    return run
