"""Builds the package by CMake, for pip.

CMAKE_ARGS has more options for CMake. SKDE_BUILD names a folder that CMake has built with -DSKDE_WITH_PYTHON=ON, which
is taken as it is.
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parents[2]
BUILT = os.environ.get("SKDE_BUILD")
SCRATCH = Path(BUILT, "pip").resolve() if BUILT else ROOT / "build-pip"
VERSION = re.search(r"project\(skde VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
LEFT_OUT = ["BUILD_TESTING", "SKDE_WITH_BENCH", "SKDE_WITH_MPI", "SKDE_WITH_SERVICE", "SKDE_WITH_VIEWER"]


class BuildByCMake(build_ext):
    def build_extension(self, ext):
        build = Path(BUILT) if BUILT else SCRATCH / "cmake"
        if not BUILT:
            generator = ["-G", "Ninja"] if shutil.which("ninja") else []
            subprocess.run(["cmake", "-S", ROOT, "-B", build, *generator, "-DCMAKE_BUILD_TYPE=Release",
                            "-DSKDE_WITH_PYTHON=ON", f"-DPython3_EXECUTABLE={sys.executable}",
                            *(f"-D{name}=OFF" for name in LEFT_OUT), *shlex.split(os.environ.get("CMAKE_ARGS", ""))],
                           check=True)
            subprocess.run(["cmake", "--build", build, "--parallel", "--target", "skde_python_package"], check=True)
        staged = SCRATCH / "staged"
        shutil.rmtree(staged, ignore_errors=True)
        subprocess.run(["cmake", "--install", build, "--component", "python", "--prefix", staged], check=True)
        (package,) = {path.parent for path in staged.rglob("_skde.*")}
        shutil.copytree(package, Path(self.get_ext_fullpath(ext.name)).parent, dirs_exist_ok=True)


SCRATCH.mkdir(parents=True, exist_ok=True)
setup(version=VERSION, packages=["skde"], ext_modules=[Extension("skde._skde", sources=[])], zip_safe=False,
      cmdclass={"build_ext": BuildByCMake},
      options={"build": {"build_base": str(SCRATCH / "build")}, "egg_info": {"egg_base": str(SCRATCH)}})
