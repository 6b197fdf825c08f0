"""Prints a digest of the values of eleven fixed densities by every engine, and of one in every format.

usage: volume_digests.py build/bin/skde [--engines naive,openmp,span,cuda-span] [--check]

Run it on two builds and compare the lines: those that should not change must be equal. The values are read by
other programs (python3-numpy, python3-netcdf4, python3-openvdb), not by skde. A format whose program is missing is
"not read". With --check, two threads and every format must give the digest of one thread.
"""

import argparse
import hashlib
import itertools
import re
import subprocess
import tempfile
from pathlib import Path

import numpy

QUAKES = [str(Path(__file__).resolve().parents[2] / "data/quakes.csv"), "--columns", "long,lat,depth"]
CLOUD = ["cloud.npy"]
CASES = {
    "quakes": [*QUAKES, "--bandwidth", "0.9", "--dims", "40,40,40"],
    "quakes rules": [*QUAKES, "--dims", "24,40,33"],
    "weights": [*QUAKES, "--weights", "mag", "--bandwidth", "0.5", "--dims", "31"],
    "gaussians": [*CLOUD, "--bandwidth", "0.3", "--dims", "64"],
    "uniform kernel": [*CLOUD, "--kernel", "uniform", "--bandwidth", "0.4", "--dims", "50"],
    "biweight": [*CLOUD, "--kernel", "biweight", "--bandwidth", "0.6", "--dims", "48"],
    "triweight count": [*CLOUD, "--kernel", "triweight", "--bandwidth", "0.8", "--dims", "40", "--normalize", "count"],
    "round in a box": [*CLOUD, "--covariance", "iso", "--bandwidth", "0.5", "--bounds", "-1,-2,-3:2,1,1.5",
                       "--spacing", "0.11"],
    "rotated needle": [*CLOUD, "--bandwidth", "2,1.9,0.3,2,0.3,0.5", "--bounds", "-5,-5,-5:5,5,5", "--dims", "37,50,41"],
    "gaussian kernel": [*CLOUD, "--kernel", "gaussian", "--tolerance", "1e-3", "--bandwidth", "0.3", "--dims", "40"],
    "doubles": [*CLOUD, "--precision", "f64", "--bandwidth", "0.35", "--dims", "45,44,43"],
}


def vti_values(path, dtype):
    raw = path.read_bytes()
    begin = raw.index(b"_", raw.index(b"<AppendedData")) + 1
    size = int.from_bytes(raw[begin:begin + 8], "little")
    return numpy.frombuffer(raw[begin + 8:begin + 8 + size], dtype)


def nrrd_values(path, dtype):
    raw = path.read_bytes()
    return numpy.frombuffer(raw[raw.index(b"\n\n") + 2:], dtype)


def npy_values(path, _):
    return numpy.load(path).ravel()


def netcdf_values(path, _):
    import netCDF4
    return numpy.ascontiguousarray(netCDF4.Dataset(path)["density"][:].data).ravel()


def openvdb_values(path, dtype):
    """Returns the values of cells that are not 0, sorted, because their order is arbitrary."""
    import pyopenvdb
    return numpy.array(sorted(cell.value for cell in pyopenvdb.read(str(path), "density").citerOnValues()), dtype)


READERS = {"vti": vti_values, "nrrd": nrrd_values, "npy": npy_values, "nc": netcdf_values, "vdb": openvdb_values}


def digest(skde, case, engine, suffix, folder, count=1):
    """Returns the digest of the values, or "refused" if the engine does not serve the case."""
    threads = [] if engine.startswith("cuda") else ["--threads", str(count)]
    command = [skde, "density", *CASES[case], "--engine", engine, *threads, "--quiet", "-o", f"out.{suffix}"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    if done.returncode == 0:
        try:
            values = READERS[suffix](folder / f"out.{suffix}", numpy.float64 if "f64" in CASES[case] else numpy.float32)
        except ModuleNotFoundError:
            return "not read"
        return hashlib.sha256(values.tobytes()).hexdigest()[:16]
    if re.search("does not serve|cannot compute|unavailable", done.stderr):
        return "refused"
    raise SystemExit(done.stderr)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("skde")
    parser.add_argument("--engines", default="naive,openmp,span")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    skde = str(Path(options.skde).resolve())
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        generate = [skde, "generate", "five-gaussians", "--samples", "20000", "--seed", "3", "-o", "cloud.npy", "--quiet"]
        subprocess.run(generate, cwd=folder, check=True)
        found = {}
        for case, engine, suffix in [*itertools.product(CASES, options.engines.split(","), ["vti"]),
                                     *itertools.product(["gaussians"], ["span"], list(READERS)[1:])]:
            value = digest(skde, case, engine, suffix, folder)
            print(f"{case:16} {engine:15} {suffix:4} {value}", flush=True)
            if options.check and found.setdefault((case, engine), value) != value and value != "not read":
                raise SystemExit(f"{suffix} has other values than vti")
            if options.check and suffix == "vti" and digest(skde, case, engine, suffix, folder, 2) != value:
                raise SystemExit("two threads give other values than one")


if __name__ == "__main__":
    main()
