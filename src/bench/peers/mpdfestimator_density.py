"""The program of the S-KDE authors, mpdfestimator: it reads rows of text, writes NetCDF, and reports its own time."""

import peer_run  # first, because it limits the threads of the other imports

import re
import subprocess

import numpy
from scipy.io import netcdf_file

FEW, SHARE, WORTHWHILE = 100, 16, 50000  # samples of a run, a share of them, fewest for a prediction


def grid_flag(case):
    """Returns the first cell centre, the last one and the spacing, "x/y/z:x/y/z:dx/dy/dz". The program truncates the
    number of steps, so the last centre is given a little too far, by less than the reach of any kernel: any farther,
    the program would write outside its array."""
    last = case.first + (case.cells - 1 + 1e-9) * case.spacing
    return ":".join("/".join(repr(float(value)) for value in row) for row in (case.first, last, case.spacing))


def reported_seconds(report):
    """Returns the seconds of the estimation alone, without reading, moments and writing, or None if not reported."""
    found = re.findall(r"^Compute time:\s*(\d\S*) sec", report, re.MULTILINE)
    return float(found[-1]) if found else None


def read_values(path, cells):
    """Returns the result, the variable PDF of dimensions (x, y, z), with x fastest."""
    try:
        with netcdf_file(path, mmap=False) as file:
            values = numpy.array(file.variables["PDF"].data, dtype=float)
    except (OSError, TypeError, ValueError, KeyError) as error:
        peer_run.fail(f"{path}: is no result of mpdfestimator: {error}")
    if values.shape != (cells, cells, cells):
        peer_run.fail(f"{path}: is no result of mpdfestimator: PDF has the shape {values.shape}, not {(cells,) * 3}")
    return numpy.ascontiguousarray(values.transpose())


class Program:
    def __init__(self, case):
        self.case = case
        threads = f", {case.threads} threads" if case.threads else ""
        self.made_by = "the S-KDE authors' program, its own report of its time" + threads
        self.rows = [self.write_rows(cloud, f"{k}.xyz") for k, cloud in enumerate(case.clouds)]

    def write_rows(self, samples, name):
        numpy.savetxt(f"{self.case.folder}/{name}", samples, fmt="%.17g")
        return f"{self.case.folder}/{name}"

    def run(self, rows):
        """Runs the program on a file of rows; returns the seconds that it reports and the path of its result."""
        case, result = self.case, f"{self.case.folder}/density.nc"
        command = [case.program, "-h", repr(case.h), "-x", grid_flag(case), "-o", result, rows]
        threads = {"OMP_NUM_THREADS": str(case.threads)} if case.threads else {}
        try:
            done = subprocess.run(command, env=peer_run.ENVIRONMENT | threads, capture_output=True, text=True,
                                  errors="replace")
        except OSError as error:
            peer_run.fail(f"{case.program}: cannot be run: {error.strerror}")
        if done.returncode != 0:
            peer_run.fail(f"{case.program} ended with {done.returncode}: {done.stderr.strip().rsplit(chr(10), 1)[-1]}")
        seconds = reported_seconds(done.stdout)
        if seconds is None:
            peer_run.fail(f"{case.program} reports no line 'Compute time: S sec'")
        peer_run.tell(untimed=seconds)
        return seconds, result

    def predicted(self):
        """Predicts the seconds from runs on few of the samples; returns 0 if there are too few for that."""
        samples = self.case.clouds[0]
        if len(samples) < WORTHWHILE:
            return 0
        least, more = (self.run(self.write_rows(samples[:n], "few.xyz"))[0] for n in (FEW, len(samples) // SHARE))
        return least + max(more - least, 0) * SHARE

    def measure(self, which):
        seconds, result = self.run(self.rows[which])
        return seconds, read_values(result, self.case.cells)


if __name__ == "__main__":
    peer_run.run(Program)
