"""Times an estimator of Python on a case of skde-bench.

run(estimator) reads the job, a JSON file that the command line names, and tells what it does in lines of JSON
on standard output, each when it is known:
  {"made_by": "scikit-learn 1.2.1, ..."}  what runs, and how
  {"predicted": seconds}                  of a run over all cells, from some of them
  {"values": path}                        the warm-up is over and its density written, shape (nz, ny, nx)
  {"seconds": seconds}                    one for each repetition: fit and evaluation
Reading, imports and writing are outside of all times.
"""

import json
import mmap
import multiprocessing
import os
import sys
import time

import numpy

CHUNK = 1 << 14  # cells that a process takes at once
FEW = 1 << 12  # cells that are not worth another process


class Case:
    """The grid and the clouds of a job."""

    def __init__(self, job):
        self.cells = job["cells"]
        self.first = numpy.array(job["first_centre"])
        self.spacing = numpy.array(job["spacing"])
        self.h = job["h"]
        self.H = numpy.array(job["H"])
        self.clouds = [numpy.load(path) for path in job["clouds"]]
        self.weights = [numpy.load(path) for path in job["weights"]] or [None] * len(self.clouds)
        self.total = self.cells**3
        # 0: as many as the process may use.
        threads = job["threads"] or len(os.sched_getaffinity(0))
        self.processes = max(1, min(threads, self.total // FEW))

    def centres(self, places):
        """Centres of the cells at these places of the volume, x fastest; shape (n, 3)."""
        xyz = numpy.stack([places % self.cells, places // self.cells % self.cells, places // self.cells**2], axis=1)
        return self.first + self.spacing * xyz


def work(density, case, out, following):
    """Evaluates one chunk of cells after the other until there are none left."""
    while True:
        with following.get_lock():
            begin = following.value
            following.value += CHUNK
        if begin >= case.total:
            return
        end = min(begin + CHUNK, case.total)
        out[begin:end] = density(case.centres(numpy.arange(begin, end)))


def evaluate(density, case, out):
    """Fills `out` by all processes; they inherit the fitted estimator, and share `out`."""
    context = multiprocessing.get_context("fork")
    following = context.Value("q", 0)
    others = [context.Process(target=work, args=(density, case, out, following)) for _ in range(case.processes - 1)]
    for other in others:
        other.start()
    work(density, case, out, following)
    for other in others:
        other.join()
        if other.exitcode != 0:
            sys.exit(f"one of the processes ended with {other.exitcode}")


def predicted_seconds(estimator, case, longest):
    """Of a whole run: the fit, and the evaluation at some cells drawn at random."""
    begin = time.perf_counter()
    density = estimator(case.clouds[0], case.weights[0], case)
    fit = time.perf_counter() - begin
    enough = min(0.25, longest / 20)
    drawn = numpy.random.default_rng(1).permutation(case.total) if case.total < 1 << 24 else \
        numpy.random.default_rng(1).integers(0, case.total, 1 << 20)
    count, taken = 8, 0.0
    while True:
        count = min(count * 8, len(drawn))
        begin = time.perf_counter()
        density(case.centres(drawn[:count]))
        taken = time.perf_counter() - begin
        if taken > enough or count == len(drawn):
            return fit + taken * case.total / count / case.processes


def tell(**what):
    print(json.dumps(what), flush=True)


def run(estimator, made_by):
    """`estimator(samples, weights, case)` fits and gives a function from centres to densities."""
    with open(sys.argv[1]) as file:
        job = json.load(file)
    case = Case(job)
    out = numpy.frombuffer(mmap.mmap(-1, 8 * case.total), dtype=float)
    tell(made_by=f"{made_by}, {case.processes} process{'es' if case.processes > 1 else ''}")
    tell(predicted=predicted_seconds(estimator, case, job["max_seconds"]))
    warmups = job["warmups"]
    for k in range(warmups + job["repetitions"]):
        which = k % len(case.clouds)
        out[:] = 0
        begin = time.perf_counter()
        evaluate(estimator(case.clouds[which], case.weights[which], case), case, out)
        seconds = time.perf_counter() - begin
        if k == 0:
            numpy.save(job["values"], out.reshape(case.cells, case.cells, case.cells))
            tell(values=job["values"])
        if k >= warmups:
            tell(seconds=seconds)
