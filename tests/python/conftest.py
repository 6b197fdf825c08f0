"""What the tests of the Python module share."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import settings

settings.register_profile("skde", deadline=None, max_examples=60, derandomize=True, database=None)  # no test asserts a time
settings.load_profile("skde")


def pytest_configure(config):
    config.addinivalue_line("filterwarnings", "ignore::skde.DensityWarning")


@pytest.fixture
def xyz():
    return np.random.default_rng(1).normal(size=(60, 3))


@pytest.fixture
def run_python():
    """Runs a program of its own, and returns what it prints; it fails where the program does."""

    def run(code, timeout=120):
        found = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True, timeout=timeout,
                               env=os.environ, check=False)
        assert found.returncode == 0, found.stdout + found.stderr
        return found.stdout

    return run
