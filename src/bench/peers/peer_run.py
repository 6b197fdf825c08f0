"""Runs a peer on a case of skde-bench.

run(make_peer) reads the job, a JSON file named on the command line, and reports what the peer does in lines of JSON
on standard output, each as soon as it is known:
  {"made_by": "scikit-learn 1.2.1, ..."}  what runs, and how
  {"predicted": seconds}                  of a run over all samples and cells, from some of them
  {"untimed": seconds}                    of a run that may be none of the repetitions
  {"values": path}                        the density of the first run, shape (nz, ny, nx)
  {"seconds": seconds}                    one for each repetition: fit and evaluation
  {"failed": reason}                      what ends the measurement
Reading, imports and writing are outside of all times.
"""

import json
import mmap
import multiprocessing
import os
import sys
import time

ENVIRONMENT = dict(os.environ)  # before the change below
# A peer's processes use the cores, so the libraries imported from here on must not start threads of their own.
os.environ.update(OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", MKL_NUM_THREADS="1")

import numpy

CHUNK = 1 << 14  # cells that a process takes at once
FEW = 1 << 12  # fewest cells per process


class Case:
    """The grid and the clouds of a job."""

    def __init__(self, job):
        self.cells, self.total = job["cells"], job["cells"] ** 3
        self.first, self.spacing = numpy.array(job["first_centre"]), numpy.array(job["spacing"])
        self.h, self.H = job["h"], numpy.array(job["H"])
        self.folder, self.program = job["folder"], job["program"]
        self.threads, self.max_seconds = job["threads"], job["max_seconds"]
        inputs = range(job["inputs"])
        self.clouds = [numpy.load(f"{self.folder}/cloud{k}.npy") for k in inputs]
        self.weights = [numpy.load(f"{self.folder}/weights{k}.npy") if job["weighted"] else None for k in inputs]

    def centres(self, places):
        """Returns the centres of the cells at these indices of the volume, x fastest; shape (n, 3)."""
        xyz = numpy.stack([places % self.cells, places // self.cells % self.cells, places // self.cells**2], axis=1)
        return self.first + self.spacing * xyz


class Estimator:
    """A peer in Python: fit(samples, weights, case) returns a function from centres to densities."""

    def __init__(self, fit, made_by, case):
        self.fit, self.case = fit, case
        threads = case.threads or len(os.sched_getaffinity(0))  # 0: as many as the process may use
        self.processes = max(1, min(threads, case.total // FEW))
        self.made_by = f"{made_by}, {self.processes} process{'es' if self.processes > 1 else ''}"
        self.out = numpy.frombuffer(mmap.mmap(-1, 8 * case.total), dtype=float)

    def measure(self, which):
        """Fits, and evaluates in all processes, which inherit the fitted estimator and share `out`."""
        case, context = self.case, multiprocessing.get_context("fork")
        self.out[:] = 0
        begin = time.perf_counter()
        density, following = self.fit(case.clouds[which], case.weights[which], case), context.Value("q", 0)

        def work():
            """Evaluates chunks of cells until there are none left."""
            while True:
                with following.get_lock():
                    first = following.value
                    following.value += CHUNK
                if first >= case.total:
                    return
                last = min(first + CHUNK, case.total)
                self.out[first:last] = density(case.centres(numpy.arange(first, last)))

        others = [context.Process(target=work) for _ in range(self.processes - 1)]
        for other in others:
            other.start()
        work()
        for other in others:
            other.join()
            if other.exitcode != 0:
                sys.exit(f"one of the processes ended with {other.exitcode}")
        return time.perf_counter() - begin, self.out.reshape([case.cells] * 3)

    def predicted(self):
        """Predicts the seconds of a run from the fit and the evaluation at some random cells."""
        case, random = self.case, numpy.random.default_rng(1)
        begin = time.perf_counter()
        density = self.fit(case.clouds[0], case.weights[0], case)
        fit = time.perf_counter() - begin
        drawn = random.permutation(case.total) if case.total < 1 << 24 else random.integers(0, case.total, 1 << 20)
        count, taken = 8, 0.0
        while taken <= min(0.25, case.max_seconds / 20) and count < len(drawn):
            count = min(count * 8, len(drawn))
            begin = time.perf_counter()
            density(case.centres(drawn[:count]))
            taken = time.perf_counter() - begin
        return fit + taken * case.total / count / self.processes


def tell(**what):
    print(json.dumps(what), flush=True)


def fail(reason):
    tell(failed=reason)
    sys.exit(reason)


def run(make_peer):
    """Runs the peer `make_peer(case)`, which has made_by, predicted() and measure(which cloud) -> seconds and values."""
    with open(sys.argv[1]) as file:
        job = json.load(file)
    case = Case(job)
    peer = make_peer(case)
    tell(made_by=peer.made_by)
    tell(predicted=peer.predicted())
    for k in range(job["warmups"] + job["repetitions"]):
        seconds, values = peer.measure(k % len(case.clouds))
        if k == 0:
            numpy.save(f"{case.folder}/values.npy", values)
            tell(values=f"{case.folder}/values.npy")
        if k >= job["warmups"]:
            tell(seconds=seconds)
