"""Builds the package by CMake, for pip and for `./dev wheel`.

SKDE_WITH_CUDA=ON builds the CUDA engines where there is no GPU, too; OFF leaves them out. CMAKE_ARGS has more options for
CMake. SKDE_BUILD names a folder that CMake has built with -DSKDE_WITH_PYTHON=ON, which is taken as it is. SKDE_WHEEL=1
adds the libraries that a clean Debian lacks.
"""

import atexit
import importlib.util
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = Path(__file__).resolve().parents[2]
BUILT = os.environ.get("SKDE_BUILD")
SCRATCH = Path(tempfile.mkdtemp(prefix="skde-"))
atexit.register(shutil.rmtree, SCRATCH, ignore_errors=True)
VERSION = re.search(r"project\(skde VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
LEFT_OUT = ["BUILD_TESTING", "SKDE_WITH_BENCH", "SKDE_WITH_MPI", "SKDE_WITH_SERVICE", "SKDE_WITH_VIEWER"]
PYBIND11_PLACES = [Path(base, place) for base in (sys.prefix, "/usr", "/usr/local")
                   for place in ("share/cmake/pybind11", "lib/cmake/pybind11")]


def missing_tools():
    """Returns Debian's packages of what the build cannot begin without."""
    has_pybind11 = importlib.util.find_spec("pybind11") or any(place.is_dir() for place in PYBIND11_PLACES) or \
        "pybind11_DIR" in os.environ or "pybind11" in os.environ.get("CMAKE_ARGS", "")
    there = {"cmake": shutil.which("cmake"), "ninja-build": shutil.which("ninja"),
             "g++": shutil.which(os.environ.get("CXX", "c++").split()[0]), "pybind11-dev": has_pybind11}
    return [package for package, found in there.items() if not found]


def cuda_options():
    """As ./dev has them: the CUDA engines where there is a GPU, for that GPU, or as SKDE_WITH_CUDA says."""
    has_gpu = bool(shutil.which("nvidia-smi")) and subprocess.run(["nvidia-smi", "-L"], capture_output=True).returncode == 0
    wanted = os.environ.get("SKDE_WITH_CUDA") or ("ON" if has_gpu else "OFF")
    return [f"-DSKDE_WITH_CUDA={wanted}"] + (["-DCMAKE_CUDA_ARCHITECTURES=native"] if has_gpu else [])


def terminal():
    """pip keeps what a build prints, so progress goes to the standard error of pip itself, unless pip is quiet."""
    parent = Path(f"/proc/{os.getppid()}")
    try:
        words = (parent / "cmdline").read_bytes().split(b"\0")
        if any(re.fullmatch(rb"-q+|--quiet", word) for word in words):
            return open(os.devnull, "w")
        return os.fdopen(os.open(parent / "fd/2", os.O_WRONLY | os.O_APPEND | os.O_NOCTTY), "w")
    except OSError:
        return sys.stderr


def configure(build):
    pybind11 = []
    if importlib.util.find_spec("pybind11"):
        import pybind11 as package
        pybind11 = [f"-Dpybind11_DIR={package.get_cmake_dir()}"]
    run = subprocess.run(["cmake", "-S", ROOT, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                          "-DSKDE_WITH_PYTHON=ON", f"-DPython3_EXECUTABLE={sys.executable}", *pybind11, *cuda_options(),
                          *(f"-D{name}=OFF" for name in LEFT_OUT), *shlex.split(os.environ.get("CMAKE_ARGS", ""))],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if run.returncode:
        print(run.stdout)
        cause = " ".join(re.search(r"CMake Error.*?:\s(.*?)(?:\n\s*\n|$)", run.stdout, re.DOTALL).group(1).split())
        sys.exit(f"skde: CMake cannot configure the build: {cause} docs/tasks/python.md lists the packages it needs.")


def compile_all(build):
    """Runs ninja, and shows how far it is."""
    out = terminal()
    ninja = subprocess.Popen(["cmake", "--build", build, "--target", "skde_python_package"], stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True, errors="replace", env={**os.environ, "NINJA_STATUS": "[%f/%t] "})
    shown = -1
    for line in ninja.stdout:
        print(line, end="", flush=True)
        step = re.match(r"\[(\d+)/(\d+)\] ", line)
        percent = 100 * int(step[1]) // int(step[2]) if step else shown
        if percent > shown if out.isatty() else percent >= shown + 10:
            shown = percent
            out.write(f"\r\033[Kskde: compiling, {percent} %" if out.isatty() else f"skde: compiling, {percent} %\n")
            out.flush()
    if out.isatty():
        out.write("\r\033[K")
        out.flush()
    if ninja.wait():
        sys.exit("skde: the compiler stopped with an error, which is above.")


class BuildByCMake(build_ext):
    def build_extension(self, ext):
        build = Path(BUILT) if BUILT else SCRATCH / "cmake"
        if not BUILT:
            configure(build)
            compile_all(build)
        staged = SCRATCH / "staged"
        for component in ["python", "wheel"] if os.environ.get("SKDE_WHEEL") else ["python"]:
            subprocess.run(["cmake", "--install", build, "--component", component, "--prefix", staged, "--strip"],
                           check=True, stdout=subprocess.DEVNULL)
        (package,) = {path.parent for path in staged.rglob("_skde.*")}
        for link in [path for path in package.glob("libs/*") if path.is_symlink()]:  # wheels have none
            link.resolve().replace(link)
        shutil.copytree(package, Path(self.get_ext_fullpath(ext.name)).parent, dirs_exist_ok=True)


if not BUILT and (missing := missing_tools()):
    sys.exit(f"skde: the build needs packages that are not here: apt-get install {' '.join(missing)}")
setup(version=VERSION, packages=["skde"], ext_modules=[Extension("skde._skde", sources=[])], zip_safe=False,
      long_description=(ROOT / "docs/tasks/python.md").read_text(), long_description_content_type="text/markdown",
      cmdclass={"build_ext": BuildByCMake},
      options={"build": {"build_base": str(SCRATCH / "build")}, "egg_info": {"egg_base": str(SCRATCH)}})
